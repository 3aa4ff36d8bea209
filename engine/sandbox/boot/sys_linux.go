package boot

import (
	"syscall"
	"unsafe"
)

// System calls that package syscall does not know. From 424 on the numbers are
// the same on every architecture.
const (
	sysOpenTree       = 428
	sysMoveMount      = 429
	sysCloseRange     = 436
	sysOpenat2        = 437
	sysMountSetattr   = 442
	sysLandlockCreate = 444
	sysLandlockAdd    = 445
	sysLandlockSelf   = 446
)

const (
	atFdCwd           = -0x64
	atEmptyPath       = 0x1000
	atRecursive       = 0x8000
	atSymlinkNofollow = 0x100
	atRemovedir       = 0x200

	openTreeClone   = 1
	openTreeCloexec = syscall.O_CLOEXEC
	moveMountFEmpty = 4

	attrRdonly = 1
	attrNosuid = 2
	attrNodev  = 4
	attrNoexec = 8

	attrNosymfollow = 0x200000

	oPath = 0x200000

	prSetPdeathsig     = 1
	prSetTimerslack    = 29
	prSetNoNewPrivs    = 38
	prCapbsetDrop      = 24
	prSetChildSubreap  = 36
	prCapAmbient       = 47
	prCapAmbientRaise  = 2
	prCapAmbientClear  = 4
	prSetDumpable      = 4
	sigSetmask         = 2
	wAll               = 0x40000000
	seccompSetFilter   = 1
	closeRangeCloexec  = 4
	rlimitCPU          = 0
	rlimitFsize        = 1
	rlimitData         = 2
	rlimitCore         = 4
	rlimitNproc        = 6
	rlimitNofile       = 7
	lastCapability     = 63
	capabilityVersion3 = 0x20080522
)

// cstr returns a zero-terminated copy of s.
func cstr(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

type mountAttr struct {
	set, clr, propagation, userns uint64
}

// openTree clones the mounts below path (or the descriptor dir) into a new
// detached mount that has the given attributes set.
func openTree(dir int, path string, recursive bool, set uint64) (int, error) {
	p := cstr(path)
	flags := uintptr(openTreeClone | openTreeCloexec)
	if path == "" {
		flags |= atEmptyPath
	}
	attrFlags := uintptr(atEmptyPath)
	if recursive {
		flags |= atRecursive
		attrFlags |= atRecursive
	}
	fd, _, e := syscall.Syscall(sysOpenTree, uintptr(dir), uintptr(unsafe.Pointer(p)), flags)
	if e != 0 {
		return -1, e
	}
	if set != 0 {
		if e := setattr(int(fd), "", attrFlags, set); e != nil {
			syscall.Close(int(fd))
			return -1, e
		}
	}
	return int(fd), nil
}

// setattr sets mount attributes, and leaves all others as they are.
func setattr(dir int, path string, flags uintptr, set uint64) error {
	p := cstr(path)
	attr := mountAttr{set: set}
	_, _, e := syscall.Syscall6(sysMountSetattr, uintptr(dir), uintptr(unsafe.Pointer(p)), flags,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return e
	}
	return nil
}

// moveMount attaches the detached mount fd at path and closes fd.
func moveMount(fd int, path string) error {
	empty := cstr("")
	p := cstr(path)
	at := atFdCwd
	_, _, e := syscall.Syscall6(sysMoveMount, uintptr(fd), uintptr(unsafe.Pointer(empty)), uintptr(at),
		uintptr(unsafe.Pointer(p)), moveMountFEmpty, 0)
	syscall.Close(fd)
	if e != 0 {
		return e
	}
	return nil
}

// The next four are *at calls in the form this package uses them: never
// through a symlink in the last part.

func mkdirat(dir int, name string, mode uint32) error { return syscall.Mkdirat(dir, name, mode) }

func unlinkat(dir int, name string, flags int) error {
	p := cstr(name)
	_, _, e := syscall.Syscall(syscall.SYS_UNLINKAT, uintptr(dir), uintptr(unsafe.Pointer(p)), uintptr(flags))
	if e != 0 {
		return e
	}
	return nil
}

func symlinkat(target string, dir int, name string) error {
	t := cstr(target)
	n := cstr(name)
	_, _, e := syscall.Syscall(syscall.SYS_SYMLINKAT, uintptr(unsafe.Pointer(t)), uintptr(dir), uintptr(unsafe.Pointer(n)))
	if e != 0 {
		return e
	}
	return nil
}

func readlinkat(dir int, name string) (string, error) {
	n := cstr(name)
	buf := make([]byte, 4097)
	r, _, e := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(dir), uintptr(unsafe.Pointer(n)),
		uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0)
	if e != 0 {
		return "", e
	}
	return string(buf[:r]), nil
}

func fstatat(dir int, name string, st *syscall.Stat_t) error {
	n := cstr(name)
	_, _, e := syscall.Syscall6(sysFstatat, uintptr(dir), uintptr(unsafe.Pointer(n)),
		uintptr(unsafe.Pointer(st)), atSymlinkNofollow, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// fgetxattr returns the first bytes of an attribute, or "".
func fgetxattr(fd int, name string) string {
	n := cstr(name)
	var buf [16]byte
	r, _, e := syscall.Syscall6(syscall.SYS_FGETXATTR, uintptr(fd), uintptr(unsafe.Pointer(n)),
		uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0)
	if e != 0 {
		return ""
	}
	return string(buf[:r])
}

// openDir opens a directory below dir without following a symlink.
func openDir(dir int, name string) (int, error) {
	return retry(func() (int, error) {
		return syscall.Openat(dir, name, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	})
}

// retry repeats a call that a signal interrupted.
func retry(fn func() (int, error)) (int, error) {
	for {
		n, err := fn()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// readAll reads fd to its end, at most limit bytes.
func readAll(fd int, limit int64) ([]byte, error) {
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
		n, err := retry(func() (int, error) { return syscall.Read(fd, buf[len(buf):cap(buf)]) })
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

// writeAll writes all of b.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := retry(func() (int, error) { return syscall.Write(fd, b) })
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
