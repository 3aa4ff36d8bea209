// Package landlock makes Landlock domains: what a process may open, connect to and
// signal, for good (https://docs.kernel.org/userspace-api/landlock.html).
package landlock

import (
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
)

// Rights of Landlock by the version that brought them.
const (
	fsExecute   = 1 << 0
	fsWriteFile = 1 << 1
	fsReadFile  = 1 << 2
	fsReadDir   = 1 << 3
	fsMakeChar  = 1 << 6
	fsMakeBlock = 1 << 11
	fsMakeSym   = 1 << 12
	fsRefer     = 1 << 13 // 2
	fsTruncate  = 1 << 14 // 3
	fsIoctlDev  = 1 << 15 // 5

	netBindTCP    = 1 // 4
	netConnectTCP = 2
	scopeAbstract = 1 // 6
	scopeSignal   = 2

	fsFirst = fsRefer - 1
	fsFile  = fsExecute | fsWriteFile | fsReadFile | fsTruncate | fsIoctlDev // rights that a file can have

	rulePath = 1
	ruleNet  = 2
)

// Ruleset is a Landlock domain to be: what may be read and written below which
// paths, and the one TCP port that may be connected to (0: none, -1: all).
type Ruleset struct {
	Abi         int64
	Read, Write []string
	Port        int64
	NoLinks     bool // no symlink may be made where may be written
}

// handled returns the rights that the kernel's version knows.
func (r *Ruleset) handled() (fs, net, scope uint64) {
	fs = fsFirst
	if r.Abi >= 2 {
		fs |= fsRefer
	}
	if r.Abi >= 3 {
		fs |= fsTruncate
	}
	if r.Abi >= 4 && r.Port >= 0 {
		net = netBindTCP | netConnectTCP
	}
	if r.Abi >= 5 {
		fs |= fsIoctlDev
	}
	if r.Abi >= 6 {
		scope = scopeAbstract | scopeSignal
	}
	return fs, net, scope
}

// Create makes the ruleset. The caller enters it and closes the descriptor. A
// path that does not exist gives nothing and is no error.
func (r *Ruleset) Create() (int, error) {
	fs, net, scope := r.handled()
	attr := [3]uint64{fs, net, scope}
	size := uintptr(8)
	if r.Abi >= 4 {
		size = 16
	}
	if r.Abi >= 6 {
		size = 24
	}
	fd, _, e := syscall.Syscall(kernel.SysLandlockCreate, uintptr(unsafe.Pointer(&attr)), size, 0)
	if e != 0 {
		return -1, e
	}
	syscall.CloseOnExec(int(fd))
	for _, p := range r.Read {
		if err := addPath(int(fd), p, fs&(fsExecute|fsReadFile|fsReadDir)); err != nil {
			return -1, kernel.Step("allow reading "+p, err)
		}
	}
	none := uint64(fsMakeChar | fsMakeBlock | fsIoctlDev)
	if r.NoLinks {
		none |= fsMakeSym
	}
	for _, p := range r.Write {
		if err := addPath(int(fd), p, fs&^none); err != nil {
			return -1, kernel.Step("allow writing "+p, err)
		}
	}
	if net != 0 && r.Port > 0 {
		rule := [2]uint64{netConnectTCP, uint64(r.Port)}
		if _, _, e := syscall.Syscall6(kernel.SysLandlockAdd, fd, ruleNet, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); e != 0 {
			return -1, kernel.Step("allow the gateway port", e)
		}
	}
	return int(fd), nil
}

// Inward makes a domain that opens and connects to what it likes and signals and traces
// nobody outside. It takes version 6.
func Inward() (int, error) {
	attr := [3]uint64{0, 0, scopeSignal}
	fd, _, e := syscall.Syscall(kernel.SysLandlockCreate, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return -1, e
	}
	syscall.CloseOnExec(int(fd))
	return int(fd), nil
}

// addPath adds one rule; for a file only the rights that a file can have.
func addPath(set int, path string, rights uint64) error {
	fd, err := syscall.Open(path, kernel.OPath|syscall.O_CLOEXEC, 0)
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
	_, _, e := syscall.Syscall6(kernel.SysLandlockAdd, uintptr(set), rulePath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}
