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

// refused are system calls that no command needs and that reach for the kernel,
// other processes, or the isolation itself. They answer EPERM.
var refused = []int{
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
	unix.SYS_PIDFD_GETFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL,
	unix.SYS_SYSLOG, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_PROCESS_MADVISE, unix.SYS_MOVE_PAGES,
	unix.SYS_MIGRATE_PAGES,
}

// absent answer ENOSYS, as an older kernel would: libraries fall back to what
// the filter can see or the limits can count.
var absent = []int{unix.SYS_CLONE3, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET}

// ipc are the ways to other processes that only a namespace of their own can
// close selectively; without one they are shut.
var ipc = []int{unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK}

// refusedFlags of clone make namespaces, or hide a task from a tracer.
// CLONE_NEWTIME cannot be given to it.
const refusedFlags = unix.CLONE_UNTRACED | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// maxShared bounds one System V segment, which no other limit counts.
const maxShared = 1 << 20

// filter assembles the seccomp program of a rung and a network mode, as the
// kernel reads it: 8 bytes an instruction. Rung 3 has none.
func filter(r Rung, net NetMode) ([]byte, error) {
	if r == Plain {
		return nil, nil
	}
	p := &program{}
	p.add(bpf.LoadAbsolute{Off: offArch, Size: 4})
	p.unless(auditArch, retKill)
	p.add(bpf.LoadAbsolute{Off: offNr, Size: 4})
	p.foreign()
	never := slices.Concat(refused, refusedHere)
	if r == Landlock {
		p.metadata()
		never = append(never, ipc...)
	}
	p.onAny(never, deny(unix.EPERM))
	p.onAny(absent, deny(unix.ENOSYS))
	p.when(unix.SYS_CLONE, func(q *program) {
		q.add(bpf.LoadAbsolute{Off: offArg(0), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: refusedFlags, SkipFalse: 1},
			bpf.RetConstant{Val: deny(unix.EPERM)}, bpf.RetConstant{Val: retAllow})
	})
	p.when(unix.SYS_IOCTL, func(q *program) { // putting keys into a terminal's input
		q.add(bpf.LoadAbsolute{Off: offArg(1), Size: 4})
		q.on(unix.TIOCSTI, deny(unix.EPERM))
		q.on(unix.TIOCLINUX, deny(unix.EPERM))
		q.add(bpf.RetConstant{Val: retAllow})
	})
	p.when(unix.SYS_SHMGET, func(q *program) {
		q.add(bpf.LoadAbsolute{Off: offArg(1) + 4, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 2},
			bpf.LoadAbsolute{Off: offArg(1), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: maxShared, SkipFalse: 1},
			bpf.RetConstant{Val: deny(unix.ENOMEM)}, bpf.RetConstant{Val: retAllow})
	})
	p.sockets(r, net)
	p.add(bpf.RetConstant{Val: retAllow})
	return p.assemble()
}

// program is a filter that is being written.
type program struct{ code []bpf.Instruction }

func (p *program) add(code ...bpf.Instruction) { p.code = append(p.code, code...) }

// on answers ret when the loaded word equals v.
func (p *program) on(v int, ret uint32) {
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(v), SkipFalse: 1}, bpf.RetConstant{Val: ret})
}

// onAny answers ret when the loaded word is one of a list. The kernel compiles the
// program for each process and then tries every system call on it: so there is one
// answer for all, and the search ends early.
func (p *program) onAny(list []int, ret uint32) {
	const stretch = 8
	list = slices.Sorted(slices.Values(list))
	q := &program{}
	for i, v := range slices.Backward(list) { // from the end, which the jumps lead to
		q.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(v), SkipTrue: uint8(len(q.code))})
		if i%stretch == 0 {
			q.add(bpf.JumpIf{Cond: bpf.JumpLessThan, Val: uint32(v), SkipTrue: uint8(len(q.code) + 1)})
		}
	}
	slices.Reverse(q.code)
	last := q.code[len(q.code)-1].(bpf.JumpIf)
	last.SkipFalse = 1
	q.code[len(q.code)-1] = last
	p.add(append(q.code, bpf.RetConstant{Val: ret})...)
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

// metadata closes what Landlock leaves open on files that the same user owns: a
// mode may grant nothing to others, and owners and attributes stay.
func (p *program) metadata() {
	const others = 0o7077
	mode := func(nr, arg int) {
		p.when(nr, func(q *program) {
			q.add(bpf.LoadAbsolute{Off: offArg(arg), Size: 4},
				bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: others, SkipFalse: 1},
				bpf.RetConstant{Val: deny(unix.EPERM)}, bpf.RetConstant{Val: retAllow})
		})
	}
	mode(unix.SYS_FCHMOD, 1)
	mode(unix.SYS_FCHMODAT, 2)
	mode(unix.SYS_FCHMODAT2, 2)
	for _, nr := range chmodHere {
		mode(nr, 1)
	}
	for _, nr := range append([]int{unix.SYS_FCHOWN, unix.SYS_FCHOWNAT}, chownHere...) {
		p.on(nr, deny(unix.EPERM))
	}
	for _, nr := range []int{unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR,
		unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR} {
		p.on(nr, deny(unix.ENOTSUP))
	}
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
