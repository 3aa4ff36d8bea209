package boot

import (
	"os"
	"syscall"
	"unsafe"
)

// seal lays a trusted host file or folder over a path of the tree, whatever the
// candidate made of that path: symlinks on the way are replaced by folders.
func (w *world) seal(root int, s Pair) error {
	if badPath(s.A) {
		return syscall.EINVAL
	}
	dir, name, err := descend(root, s.A, true)
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	if err := removeTree(dir, name); err != nil {
		return err
	}
	if s.B == "" {
		return nil
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(s.B, &st); err != nil {
		return err
	}
	switch uint32(st.Mode) & syscall.S_IFMT {
	case syscall.S_IFLNK:
		target, err := os.Readlink(s.B)
		if err != nil {
			return err
		}
		return symlinkat(target, dir, name)
	case syscall.S_IFDIR:
		err = mkdirat(dir, name, 0o755)
	case syscall.S_IFREG:
		err = writeAt(dir, name, nil, 0o644)
	default:
		return syscall.EINVAL
	}
	if err != nil {
		return err
	}
	if w.job.Rung != 1 {
		return w.sealCopy(dir, name, s.B, uint32(st.Mode)&syscall.S_IFMT == syscall.S_IFDIR)
	}
	fd, err := openTree(atFdCwd, s.B, true, attrRdonly|attrNosuid|attrNodev)
	if err != nil {
		return err
	}
	return moveAt(fd, dir, name)
}

// sealCopy copies where nothing can be mounted. The copy is read-only by mode.
func (w *world) sealCopy(dir int, name, host string, folder bool) error {
	if folder {
		src, err := openDir(atFdCwd, host)
		if err != nil {
			return err
		}
		defer syscall.Close(src)
		dst, err := openDir(dir, name)
		if err != nil {
			return err
		}
		defer syscall.Close(dst)
		return copyTree(src, dst)
	}
	if err := unlinkat(dir, name, 0); err != nil {
		return err
	}
	var st syscall.Stat_t
	if err := syscall.Stat(host, &st); err != nil {
		return err
	}
	return copyFile(atFdCwd, dir, host, name, uint32(st.Mode)&0o555)
}

// moveAt attaches a detached mount over name below dir, never through a symlink,
// and closes fd.
func moveAt(fd, dir int, name string) error {
	empty, n := cstr(""), cstr(name)
	_, _, e := syscall.Syscall6(sysMoveMount, uintptr(fd), uintptr(unsafe.Pointer(empty)), uintptr(dir),
		uintptr(unsafe.Pointer(n)), moveMountFEmpty, 0)
	syscall.Close(fd)
	if e != 0 {
		return e
	}
	return nil
}
