package sandbox

import (
	"encoding/binary"
	"fmt"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// What the filter answers.
const (
	retAllow = 0x7fff0000
	retKill  = 0x80000000
	retErrno = 0x00050000
)

func deny(e unix.Errno) uint32 { return retErrno | uint32(e) }

// Offsets in struct seccomp_data, little-endian: the low half comes first.
const (
	offNr   = 0
	offArch = 4
)

func offArg(i int) uint32 { return uint32(16 + 8*i) }

// refusedFlags of clone make namespaces, or hide a task from a tracer.
// CLONE_NEWTIME cannot be given to it.
const refusedFlags = unix.CLONE_UNTRACED | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// maxShared bounds one System V segment.
const maxShared = 1 << 20

// audience is whom a filter is for.
type audience struct {
	rung      Rung
	net       NetMode
	candidate bool // code that ATOLL_RUN starts, on rung 1; below it has its command's filter
	watching  bool // may watch folders on rung 2
	resident  bool // a prepared interpreter, which enters the namespaces of runs
}

// filter assembles the seccomp program for an audience, as the kernel reads it: 8
// bytes an instruction. Rung 3 has none.
func filter(a audience) ([]byte, error) {
	if a.rung == Plain {
		return nil, nil
	}
	p := &program{}
	p.add(bpf.LoadAbsolute{Off: offArch, Size: 4})
	p.unless(auditArch, retKill)
	p.add(bpf.LoadAbsolute{Off: offNr, Size: 4})
	p.foreign()
	p.rules(a)
	p.decide(verdicts(a))
	return p.assemble()
}

// verdicts are the answers that depend on the number of a call alone, by number;
// what comes after the last is as unknown as what is missing.
func verdicts(a audience) []uint32 {
	var list []uint32
	put := func(answer uint32, calls ...[]int) {
		for _, nr := range slices.Concat(calls...) {
			for nr >= len(list) {
				list = append(list, deny(unix.ENOSYS))
			}
			list[nr] = answer
		}
	}
	put(retAllow, allowed, allowedHere)
	put(deny(unix.EPERM), refused, refusedHere)
	if a.resident {
		put(retAllow, []int{unix.SYS_SETNS})
	}
	if a.rung == Landlock || a.candidate {
		put(deny(unix.EPERM), ipc)
	}
	if a.rung == Landlock {
		put(deny(unix.ENOSYS), ends)
		if !a.watching {
			put(deny(unix.ENOSYS), watches, watchesHere)
		}
		put(deny(unix.EPERM), changesMode, changesModeHere, changesOwner, changesOwnerHere)
		put(deny(unix.ENOTSUP), changesAttr)
	}
	return list
}

// rules are the answers that depend on arguments.
func (p *program) rules(a audience) {
	p.when(unix.SYS_CLONE, func(q *program) {
		q.add(bpf.LoadAbsolute{Off: offArg(0), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: refusedFlags, SkipFalse: 1},
			bpf.RetConstant{Val: deny(unix.EPERM)}, bpf.RetConstant{Val: retAllow})
	})
	p.when(unix.SYS_IOCTL, func(q *program) { q.requests(a) })
	p.when(unix.SYS_PERSONALITY, func(q *program) { // of Linux, and where memory lies
		q.add(bpf.LoadAbsolute{Off: offArg(0), Size: 4})
		for _, kind := range []int{0, 0x8, 0x20000, 0x20008, 0xffffffff, noRandom} {
			q.on(kind, retAllow)
		}
		q.add(bpf.RetConstant{Val: deny(unix.EPERM)})
	})
	p.when(unix.SYS_MADVISE, func(q *program) { // what is swapped out counts as no memory
		q.add(bpf.LoadAbsolute{Off: offArg(2), Size: 4})
		q.on(unix.MADV_PAGEOUT, deny(unix.EINVAL))
		q.add(bpf.RetConstant{Val: retAllow})
	})
	if a.rung == Namespaces && !a.candidate {
		p.when(unix.SYS_SHMGET, func(q *program) {
			q.add(bpf.LoadAbsolute{Off: offArg(1) + 4, Size: 4},
				bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 2},
				bpf.LoadAbsolute{Off: offArg(1), Size: 4},
				bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: maxShared, SkipFalse: 1},
				bpf.RetConstant{Val: deny(unix.ENOMEM)}, bpf.RetConstant{Val: retAllow})
		})
	}
	p.others(a)
	p.sockets(a.rung, a.net)
}

// noRandom is ADDR_NO_RANDOMIZE.
const noRandom = 0x40000

// Requests of files whose numbers carry the size of a word.
const (
	getVersion = 0x80087601 // FS_IOC_GETVERSION
	getAttr    = 0x801c581f // FS_IOC_FSGETXATTR
	extents    = 0xc020660b // FS_IOC_FIEMAP
)

// asking are requests that files and sockets answer and that change nothing but what
// the caller may write anyway (clones of files).
var asking = []int{
	unix.FS_IOC_GETFLAGS, getVersion, getAttr, extents, unix.FICLONE, unix.FICLONERANGE, unix.FIDEDUPERANGE,
	unix.SIOCATMARK, unix.SIOCGIFNAME, unix.SIOCGIFCONF, unix.SIOCGIFFLAGS, unix.SIOCGIFADDR, unix.SIOCGIFDSTADDR,
	unix.SIOCGIFBRDADDR, unix.SIOCGIFNETMASK, unix.SIOCGIFMETRIC, unix.SIOCGIFMTU, unix.SIOCGIFHWADDR, unix.SIOCGIFINDEX,
}

// terminals is the class of the requests of terminals, pipes and descriptors.
const terminals = 0x5400

// The requests of namespaces (linux/nsfs.h) that answer with another namespace: the one
// above, and whose it is. Those of Linux 6.13 carry a size.
const (
	namespaceRequests    = 0xb701 // NS_GET_USERNS
	namespaceRequestsEnd = 0xb702 // NS_GET_PARENT
)

// requests are the answers to ioctl. On rung 2, where it reaches the files of the
// machine, what is not known to be harmless is no request at all: a file system knows
// some that an owner may ask for (a generation, verity) through a descriptor that only
// reads.
func (p *program) requests(a audience) {
	r := a.rung
	p.add(bpf.LoadAbsolute{Off: offArg(1), Size: 4})
	if a.resident { // namespaces above those that it was given
		for request := uint32(namespaceRequests); request <= namespaceRequestsEnd; request++ {
			p.on(int(request), deny(unix.EPERM))
		}
	}
	for _, request := range []int{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCCONS} { // keys into a terminal's input, what it shows out of it
		p.on(request, deny(unix.EPERM))
	}
	if r == Landlock {
		for _, request := range asking {
			p.on(request, retAllow)
		}
		p.add(bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xff00})
		p.unless(terminals, deny(unix.ENOTTY))
	}
	p.add(bpf.RetConstant{Val: retAllow})
}

// others keeps a command from steering other processes of its user: the first process
// of its namespace by limits (the kernel lets it change nothing else of one that has
// more rights), and on rung 2, where it could name any of the machine, everyone. There
// it learns nothing of them either but what libraries ask by the number of a thread of
// their own: which processors, and of their children: which group and session.
func (p *program) others(a audience) {
	own := func(q *program, arg int) {
		q.add(bpf.LoadAbsolute{Off: offArg(arg), Size: 4})
		q.on(0, retAllow)
		q.add(bpf.RetConstant{Val: deny(unix.EPERM)})
	}
	p.when(unix.SYS_PRLIMIT64, func(q *program) { own(q, 0) })
	if a.rung != Landlock {
		return
	}
	for _, nr := range []int{
		unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
		unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETATTR, unix.SYS_SCHED_RR_GET_INTERVAL,
	} {
		p.when(nr, func(q *program) { own(q, 0) })
	}
	p.when(unix.SYS_PRCTL, func(q *program) { // who cannot be looked at cannot be counted
		q.add(bpf.LoadAbsolute{Off: offArg(0), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.PR_SET_DUMPABLE, SkipTrue: 1}, bpf.RetConstant{Val: retAllow},
			bpf.LoadAbsolute{Off: offArg(1), Size: 4})
		q.on(1, retAllow)
		q.add(bpf.RetConstant{Val: deny(unix.EPERM)})
	})
	// The first argument says whether the second is a process, a group or a user.
	for _, c := range []struct {
		nr      int
		process uint32
	}{
		{unix.SYS_SETPRIORITY, unix.PRIO_PROCESS},
		{unix.SYS_GETPRIORITY, unix.PRIO_PROCESS},
		{unix.SYS_IOPRIO_SET, ioprioProcess},
		{unix.SYS_IOPRIO_GET, ioprioProcess},
	} {
		p.when(c.nr, func(q *program) {
			q.add(bpf.LoadAbsolute{Off: offArg(0), Size: 4})
			q.unless(c.process, deny(unix.EPERM))
			own(q, 1)
		})
	}
}

// ioprioProcess is IOPRIO_WHO_PROCESS.
const ioprioProcess = 1

// sockets limits the families: on rung 1 to those that stay inside a network
// namespace; on rung 2, where there is none, to what the mode needs.
func (p *program) sockets(r Rung, net NetMode) {
	p.when(unix.SYS_SOCKETPAIR, func(q *program) {
		q.add(bpf.LoadAbsolute{Off: offArg(0), Size: 4})
		q.on(unix.AF_UNIX, retAllow)
		q.add(bpf.RetConstant{Val: deny(unix.EPERM)})
	})
	p.when(unix.SYS_SOCKET, func(q *program) {
		q.add(bpf.LoadAbsolute{Off: offArg(0), Size: 4})
		switch {
		case r == Namespaces:
			for _, family := range []int{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
				q.on(family, retAllow)
			}
			q.add(bpf.RetConstant{Val: deny(unix.EAFNOSUPPORT)})
		case net == NetHost:
			for _, family := range []int{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
				q.on(family, retAllow)
			}
			q.add(bpf.RetConstant{Val: deny(unix.EPERM)})
		case net == NetGateway: // TCP over IPv4 alone: Landlock knows its ports
			q.unless(unix.AF_INET, deny(unix.EPERM))
			q.add(bpf.LoadAbsolute{Off: offArg(1), Size: 4}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf})
			q.unless(unix.SOCK_STREAM, deny(unix.EPERM))
			q.add(bpf.LoadAbsolute{Off: offArg(2), Size: 4})
			q.on(0, retAllow)
			q.on(unix.IPPROTO_TCP, retAllow)
			q.add(bpf.RetConstant{Val: deny(unix.EPERM)})
		default:
			q.add(bpf.RetConstant{Val: deny(unix.EPERM)})
		}
	})
}

// program is a filter that is being written.
type program struct{ code []bpf.Instruction }

func (p *program) add(code ...bpf.Instruction) { p.code = append(p.code, code...) }

// on answers ret when the loaded word equals v.
func (p *program) on(v int, ret uint32) {
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(v), SkipFalse: 1}, bpf.RetConstant{Val: ret})
}

// unless answers ret when the loaded word differs from v.
func (p *program) unless(v, ret uint32) {
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: 1}, bpf.RetConstant{Val: ret})
}

// when runs a block for one system call; the block ends in an answer.
func (p *program) when(nr int, block func(*program)) {
	q := &program{}
	block(q)
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(nr), SkipFalse: uint8(len(q.code))})
	p.add(q.code...)
}

// decide answers by the number of the call, which is loaded. The kernel compiles the
// program for each process and then tries every number on it: so neighbours with one
// answer are one stretch, and stretches are found by halving.
func (p *program) decide(answers []uint32) {
	type stretch struct {
		from   int
		answer uint32
	}
	var all []stretch
	for nr, answer := range append(slices.Clone(answers), deny(unix.ENOSYS)) {
		if len(all) == 0 || all[len(all)-1].answer != answer {
			all = append(all, stretch{nr, answer})
		}
	}
	var halve func([]stretch) []bpf.Instruction
	halve = func(list []stretch) []bpf.Instruction {
		if len(list) == 1 {
			return []bpf.Instruction{bpf.RetConstant{Val: list[0].answer}}
		}
		mid := len(list) / 2
		low, high := halve(list[:mid]), halve(list[mid:])
		at := uint32(list[mid].from)
		if len(low) < 256 {
			return slices.Concat([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: at, SkipTrue: uint8(len(low))}}, low, high)
		}
		return slices.Concat([]bpf.Instruction{
			bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: at, SkipFalse: 1},
			bpf.Jump{Skip: uint32(len(low))},
		}, low, high)
	}
	p.add(halve(all)...)
}

func (p *program) assemble() ([]byte, error) {
	raw, err := bpf.Assemble(p.code)
	if err != nil {
		return nil, fmt.Errorf("assemble the system call filter: %w", err)
	}
	out := make([]byte, 0, 8*len(raw))
	for _, in := range raw {
		out = binary.NativeEndian.AppendUint16(out, in.Op)
		out = append(out, in.Jt, in.Jf)
		out = binary.NativeEndian.AppendUint32(out, in.K)
	}
	return out, nil
}
