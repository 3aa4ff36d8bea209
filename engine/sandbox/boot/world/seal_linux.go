package world

import (
	"os"
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
)

// seal lays a trusted host file or folder over a path of the tree, whatever the
// candidate made of that path: symlinks on the way are replaced by folders.
func (w *World) seal(root int, s wire.Pair) error {
	if tree.BadPath(s.A) {
		return syscall.EINVAL
	}
	dir, name, err := tree.Descend(root, s.A, true)
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	if err := tree.RemoveTree(dir, name); err != nil {
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
		return kernel.Symlinkat(target, dir, name)
	case syscall.S_IFDIR:
		err = kernel.Mkdirat(dir, name, 0o755)
	case syscall.S_IFREG:
		err = tree.WriteAt(dir, name, nil, 0o644)
	default:
		return syscall.EINVAL
	}
	if err != nil {
		return err
	}
	if w.job.Rung != 1 {
		return w.sealCopy(dir, name, s.B, uint32(st.Mode)&syscall.S_IFMT == syscall.S_IFDIR)
	}
	fd, err := w.veils.open(s.B)
	if err != nil {
		return err
	}
	return moveAt(fd, dir, name)
}

// sealCopy copies where nothing can be mounted. The copy is read-only by mode.
func (w *World) sealCopy(dir int, name, host string, folder bool) error {
	if folder {
		src, err := kernel.OpenDir(kernel.AtFdCwd, host)
		if err != nil {
			return err
		}
		defer syscall.Close(src)
		dst, err := kernel.OpenDir(dir, name)
		if err != nil {
			return err
		}
		defer syscall.Close(dst)
		return tree.CopyTree(src, dst)
	}
	if err := kernel.Unlinkat(dir, name, 0); err != nil {
		return err
	}
	var st syscall.Stat_t
	if err := syscall.Stat(host, &st); err != nil {
		return err
	}
	return tree.CopyFile(kernel.AtFdCwd, dir, host, name, uint32(st.Mode)&0o555)
}

// moveAt attaches a detached mount over name below dir, never through a symlink,
// and closes fd.
func moveAt(fd, dir int, name string) error {
	empty, n := kernel.Cstr(""), kernel.Cstr(name)
	_, _, e := syscall.Syscall6(kernel.SysMoveMount, uintptr(fd), uintptr(unsafe.Pointer(empty)), uintptr(dir),
		uintptr(unsafe.Pointer(n)), kernel.MoveMountFEmpty, 0)
	syscall.Close(fd)
	if e != 0 {
		return e
	}
	return nil
}
