// Package kernel makes the system calls that the standard library does not know, and
// those it knows in the form that the first process of a sandbox needs: relative to a
// folder, never through a symlink in the last part, waited for in the kernel.
package kernel

import (
	"syscall"
	"unsafe"
)

// System calls that package syscall does not know. From 424 on the numbers are
// the same on every architecture.
const (
	sysOpenTree       = 428
	SysMoveMount      = 429
	SysClone3         = 435
	SysCloseRange     = 436
	SysMountSetattr   = 442
	SysLandlockCreate = 444
	SysLandlockAdd    = 445
	SysLandlockSelf   = 446
)

const (
	AtFdCwd           = -0x64
	atEmptyPath       = 0x1000
	AtRecursive       = 0x8000
	atSymlinkNofollow = 0x100
	AtRemovedir       = 0x200

	openTreeClone   = 1
	openTreeCloexec = syscall.O_CLOEXEC
	MoveMountFEmpty = 4

	AttrRdonly = 1
	AttrNosuid = 2
	AttrNodev  = 4

	AttrNosymfollow = 0x200000

	OPath = 0x200000

	PrSetPdeathsig     = 1
	PrSetTimerslack    = 29
	PrSetNoNewPrivs    = 38
	PrCapbsetDrop      = 24
	PrSetChildSubreap  = 36
	PrCapAmbient       = 47
	PrCapAmbientRaise  = 2
	PrCapAmbientClear  = 4
	PrSetDumpable      = 4
	SigSetmask         = 2
	WAll               = 0x40000000
	SeccompSetFilter   = 1
	CloseRangeCloexec  = 4
	RlimitCPU          = 0
	RlimitFsize        = 1
	RlimitData         = 2
	RlimitCore         = 4
	RlimitNproc        = 6
	LastCapability     = 63
	CapabilityVersion3 = 0x20080522
)

// Cstr returns a zero-terminated copy of s.
func Cstr(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// MountAttr is the kernel's struct mount_attr, of which attributes to set are used.
type MountAttr struct {
	Set uint64
	_   [3]uint64 // to clear, propagation, user namespace
}

// OpenTree clones the mounts below path (or the descriptor dir) into a new
// detached mount that has the given attributes set.
func OpenTree(dir int, path string, recursive bool, set uint64) (int, error) {
	p := Cstr(path)
	flags := uintptr(openTreeClone | openTreeCloexec)
	if path == "" {
		flags |= atEmptyPath
	}
	attrFlags := uintptr(atEmptyPath)
	if recursive {
		flags |= AtRecursive
		attrFlags |= AtRecursive
	}
	fd, _, e := syscall.Syscall(sysOpenTree, uintptr(dir), uintptr(unsafe.Pointer(p)), flags)
	if e != 0 {
		return -1, e
	}
	if set != 0 {
		if e := Setattr(int(fd), "", attrFlags, set); e != nil {
			syscall.Close(int(fd))
			return -1, e
		}
	}
	return int(fd), nil
}

// Setattr sets mount attributes, and leaves all others as they are.
func Setattr(dir int, path string, flags uintptr, set uint64) error {
	p := Cstr(path)
	attr := MountAttr{Set: set}
	_, _, e := syscall.Syscall6(SysMountSetattr, uintptr(dir), uintptr(unsafe.Pointer(p)), flags,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return e
	}
	return nil
}

// MoveMount attaches the detached mount fd at path and closes fd.
func MoveMount(fd int, path string) error {
	empty := Cstr("")
	p := Cstr(path)
	at := AtFdCwd
	_, _, e := syscall.Syscall6(SysMoveMount, uintptr(fd), uintptr(unsafe.Pointer(empty)), uintptr(at),
		uintptr(unsafe.Pointer(p)), MoveMountFEmpty, 0)
	syscall.Close(fd)
	if e != 0 {
		return e
	}
	return nil
}

// The next four are *at calls in the form this package uses them: never
// through a symlink in the last part.

func Mkdirat(dir int, name string, mode uint32) error { return syscall.Mkdirat(dir, name, mode) }

func Unlinkat(dir int, name string, flags int) error {
	p := Cstr(name)
	_, _, e := syscall.Syscall(syscall.SYS_UNLINKAT, uintptr(dir), uintptr(unsafe.Pointer(p)), uintptr(flags))
	if e != 0 {
		return e
	}
	return nil
}

func Symlinkat(target string, dir int, name string) error {
	t := Cstr(target)
	n := Cstr(name)
	_, _, e := syscall.Syscall(syscall.SYS_SYMLINKAT, uintptr(unsafe.Pointer(t)), uintptr(dir), uintptr(unsafe.Pointer(n)))
	if e != 0 {
		return e
	}
	return nil
}

func Readlinkat(dir int, name string) (string, error) {
	n := Cstr(name)
	buf := make([]byte, 4097)
	r, _, e := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(dir), uintptr(unsafe.Pointer(n)),
		uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0)
	if e != 0 {
		return "", e
	}
	return string(buf[:r]), nil
}

func Fstatat(dir int, name string, st *syscall.Stat_t) error {
	return FstatatRaw(dir, Cstr(name), st)
}

// FstatatRaw is Fstatat of a zero-terminated name.
func FstatatRaw(dir int, name *byte, st *syscall.Stat_t) error {
	_, _, e := syscall.Syscall6(sysFstatat, uintptr(dir), uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(st)), atSymlinkNofollow, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// StatRaw looks at what a zero-terminated path leads to.
func StatRaw(path *byte, st *syscall.Stat_t) error {
	at := AtFdCwd
	_, _, e := syscall.Syscall6(sysFstatat, uintptr(at), uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(st)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// OpenatRaw opens a zero-terminated name below dir.
func OpenatRaw(dir int, name *byte, flags int) (int, error) {
	return Retry(func() (int, error) {
		fd, _, e := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(name)), uintptr(flags), 0, 0, 0)
		if e != 0 {
			return -1, e
		}
		return int(fd), nil
	})
}

// Fgetxattr returns the first bytes of an attribute, or "".
func Fgetxattr(fd int, name string) string {
	n := Cstr(name)
	var buf [16]byte
	r, _, e := syscall.Syscall6(syscall.SYS_FGETXATTR, uintptr(fd), uintptr(unsafe.Pointer(n)),
		uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0)
	if e != 0 {
		return ""
	}
	return string(buf[:r])
}

// OpenDir opens a directory below dir without following a symlink.
func OpenDir(dir int, name string) (int, error) {
	return Retry(func() (int, error) {
		return syscall.Openat(dir, name, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	})
}

// Retry repeats a call that a signal interrupted.
func Retry(fn func() (int, error)) (int, error) {
	for {
		n, err := fn()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// ReadAll reads fd to its end, at most limit bytes.
func ReadAll(fd int, limit int64) ([]byte, error) {
	var st syscall.Stat_t
	size := int64(4096)
	if syscall.Fstat(fd, &st) == nil && st.Size > 0 {
		size = st.Size + 1
	}
	if size > limit+1 {
		size = limit + 1
	}
	buf := make([]byte, 0, size)
	for int64(len(buf)) <= limit {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := Retry(func() (int, error) { return syscall.Read(fd, buf[len(buf):cap(buf)]) })
		if err != nil {
			return buf, err
		}
		if n == 0 {
			return buf, nil
		}
		buf = buf[:len(buf)+n]
	}
	return buf, syscall.EFBIG
}

// WriteAll writes all of b.
func WriteAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := Retry(func() (int, error) { return syscall.Write(fd, b) })
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
