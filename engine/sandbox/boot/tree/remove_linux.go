package tree

import (
	"strings"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
)

// RemoveAll removes a folder that hostile code may have filled: it gives itself
// the rights that were taken away from folders, and follows no symlink.
func RemoveAll(path string) error {
	dir, err := kernel.OpenDir(kernel.AtFdCwd, Parent(path))
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	name := path[strings.LastIndexByte(path, '/')+1:]
	return removeHard(dir, name)
}

func removeHard(dir int, name string) error {
	_, k, err := Kind(dir, name)
	if err == syscall.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	if k != syscall.S_IFDIR {
		return kernel.Unlinkat(dir, name, 0)
	}
	sub, err := kernel.OpenDir(dir, name)
	if err == syscall.EACCES {
		if err = syscall.Fchmodat(dir, name, 0o700, 0); err == nil {
			sub, err = kernel.OpenDir(dir, name)
		}
	}
	if err != nil {
		return err
	}
	defer syscall.Close(sub)
	_ = syscall.Fchmod(sub, 0o700)
	if err := eachName(sub, func(entry string) error { return removeHard(sub, entry) }); err != nil {
		return err
	}
	return kernel.Unlinkat(dir, name, kernel.AtRemovedir)
}
