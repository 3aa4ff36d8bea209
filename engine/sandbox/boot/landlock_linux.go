package boot

import (
	"syscall"
	"unsafe"
)

// Rights of Landlock by the version that brought them.
const (
	fsExecute = 1 << iota
	fsWriteFile
	fsReadFile
	fsReadDir
	fsRemoveDir
	fsRemoveFile
	fsMakeChar
	fsMakeDir
	fsMakeReg
	fsMakeSock
	fsMakeFifo
	fsMakeBlock
	fsMakeSym
	fsRefer    // 2
	fsTruncate // 3
	fsIoctlDev // 5

	netBindTCP    = 1 // 4
	netConnectTCP = 2
	scopeAbstract = 1 // 6
	scopeSignal   = 2

	fsFirst = fsRefer - 1
	fsFile  = fsExecute | fsWriteFile | fsReadFile | fsTruncate | fsIoctlDev // rights that a file can have

	rulePath = 1
	ruleNet  = 2
)

// ruleset is a Landlock domain to be: what may be read and written below which
// paths, and the one TCP port that may be connected to (0: none, -1: all).
type ruleset struct {
	abi         int64
	read, write []string
	port        int64
	noLinks     bool // no symlink may be made where may be written
}

// handled returns the rights that the kernel's version knows.
func (r *ruleset) handled() (fs, net, scope uint64) {
	fs = fsFirst
	if r.abi >= 2 {
		fs |= fsRefer
	}
	if r.abi >= 3 {
		fs |= fsTruncate
	}
	if r.abi >= 4 && r.port >= 0 {
		net = netBindTCP | netConnectTCP
	}
	if r.abi >= 5 {
		fs |= fsIoctlDev
	}
	if r.abi >= 6 {
		scope = scopeAbstract | scopeSignal
	}
	return fs, net, scope
}

// create makes the ruleset. The caller enters it and closes the descriptor. A
// path that does not exist gives nothing and is no error.
func (r *ruleset) create() (int, error) {
	fs, net, scope := r.handled()
	attr := [3]uint64{fs, net, scope}
	size := uintptr(8)
	if r.abi >= 4 {
		size = 16
	}
	if r.abi >= 6 {
		size = 24
	}
	fd, _, e := syscall.Syscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), size, 0)
	if e != 0 {
		return -1, e
	}
	syscall.CloseOnExec(int(fd))
	for _, p := range r.read {
		if err := addPath(int(fd), p, fs&(fsExecute|fsReadFile|fsReadDir)); err != nil {
			return -1, step("allow reading "+p, err)
		}
	}
	none := uint64(fsMakeChar | fsMakeBlock | fsIoctlDev)
	if r.noLinks {
		none |= fsMakeSym
	}
	for _, p := range r.write {
		if err := addPath(int(fd), p, fs&^none); err != nil {
			return -1, step("allow writing "+p, err)
		}
	}
	if net != 0 && r.port > 0 {
		rule := [2]uint64{netConnectTCP, uint64(r.port)}
		if _, _, e := syscall.Syscall6(sysLandlockAdd, fd, ruleNet, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); e != 0 {
			return -1, step("allow the gateway port", e)
		}
	}
	return int(fd), nil
}

// addPath adds one rule; for a file only the rights that a file can have.
func addPath(set int, path string, rights uint64) error {
	fd, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT || err == syscall.EACCES {
		return nil
	}
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	if uint32(st.Mode)&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= fsFile
	}
	var rule [12]byte // packed: 64 bits of rights, 32 bits of descriptor
	*(*uint64)(unsafe.Pointer(&rule[0])) = rights
	*(*int32)(unsafe.Pointer(&rule[8])) = int32(fd)
	_, _, e := syscall.Syscall6(sysLandlockAdd, uintptr(set), rulePath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// devices that a command may read and write on rung 2.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// facts of /proc that tell of the machine and of no process.
var facts = []string{
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/version", "/proc/filesystems",
	"/proc/sys/kernel", "/proc/sys/vm", "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage",
}

// leaderRules are what the command itself may do on rung 2.
func (w *world) leaderRules() *ruleset {
	j := w.job
	r := &ruleset{abi: j.ABI, port: w.landlockPort()}
	r.read = append(r.read, facts...)
	for _, m := range j.Mounts {
		if m.Write || m.Device {
			r.write = append(r.write, m.Host)
		} else {
			r.read = append(r.read, m.Host)
		}
	}
	r.read = append(r.read, j.Stage+"/bin", j.Stage+"/hidden", w.tree)
	if j.Launcher != "" {
		r.read = append(r.read, j.Launcher)
	}
	r.write = append(r.write, w.scratch, w.control)
	r.write = append(r.write, devices...)
	if !j.ReadOnly {
		r.write = append(r.write, w.tree)
	}
	return r
}

// landlockPort is the TCP port rule that the network mode asks for.
func (w *world) landlockPort() int64 {
	if w.job.GatewayPort > 0 {
		return w.job.GatewayPort
	}
	if !w.job.OwnNet {
		return -1
	}
	return 0
}

// candidateRules are what code run through the launcher may do on rung 2.
func (w *world) candidateRules() ([]string, []string) {
	j := w.job
	hidden := map[string]bool{}
	for _, h := range j.Hidden {
		hidden[h] = true
	}
	read := append([]string{w.tree, j.Stage + "/bin"}, facts...)
	for _, m := range j.Mounts {
		if !m.Private && !hidden[m.At] && !hidden[m.Host] && !m.Overlay && !m.Device {
			read = append(read, m.Host)
		}
	}
	if j.Launcher != "" {
		read = append(read, j.Launcher)
	}
	return read, append([]string{w.scratch + "/" + CandidateName}, devices...)
}
