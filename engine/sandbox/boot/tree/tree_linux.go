// Package tree lays changes into trees of files and collects them from there. What lies
// in a tree is hostile: it is walked by descriptors, part by part, and no symlink in it
// is followed.
package tree

import (
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/wire"
)

// Modes of a Change, as git writes them.
const (
	modeRegular    = 0o100644
	modeExecutable = 0o100755
	modeSymlink    = 0o120000
	modeSubmodule  = 0o160000
)

// Mkdirs makes path and its parents, outside of any candidate's reach.
func Mkdirs(path string) error {
	err := syscall.Mkdir(path, 0o755)
	if err == syscall.ENOENT {
		if err := Mkdirs(Parent(path)); err != nil {
			return err
		}
		err = syscall.Mkdir(path, 0o755)
	}
	if err == syscall.EEXIST {
		return nil
	}
	return err
}

// Touch makes an empty file unless something is there.
func Touch(path string) error {
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o644)
	if err == syscall.EEXIST {
		return nil
	}
	if err == nil {
		err = syscall.Close(fd)
	}
	return err
}

// WriteFile creates path with data, outside of any candidate's reach.
func WriteFile(path string, data []byte, mode uint32) error {
	return WriteAt(kernel.AtFdCwd, path, data, mode)
}

// WriteAt creates name below dir; it must not exist.
func WriteAt(dir int, name string, data []byte, mode uint32) error {
	fd, err := syscall.Openat(dir, name,
		syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	err = kernel.WriteAll(fd, data)
	if e := syscall.Close(fd); err == nil {
		err = e
	}
	return err
}

// BadPath reports a path that must not be laid into a tree.
func BadPath(path string) bool {
	if path == "" || text.Has(path, 0) {
		return true
	}
	for _, part := range text.Split(path, '/') {
		if part == "" || part == "." || part == ".." || gitName(part) {
			return true
		}
	}
	return false
}

// gitName reports a name that git, here or on another system, takes for its own
// folder.
func gitName(part string) bool {
	s := text.Lower(text.TrimRight(part, " ."))
	return s == ".git" || s == "git~1"
}

// Descend opens the folder that holds path, part by part and never through a
// symlink. With create, anything on the way that is not a folder is removed and
// missing folders are made. The caller closes the descriptor.
func Descend(root int, path string, create bool) (int, string, error) {
	dir, err := syscall.Dup(root)
	if err != nil {
		return -1, "", err
	}
	syscall.CloseOnExec(dir)
	for {
		i := text.Index(path, '/')
		if i < 0 {
			return dir, path, nil
		}
		name := path[:i]
		path = path[i+1:]
		next, err := kernel.OpenDir(dir, name)
		if err != nil && create {
			if err == syscall.ENOTDIR || err == syscall.ELOOP {
				err = kernel.Unlinkat(dir, name, 0)
			} else if err == syscall.ENOENT {
				err = nil
			}
			if err == nil {
				err = kernel.Mkdirat(dir, name, 0o755)
			}
			if err == nil {
				next, err = kernel.OpenDir(dir, name)
			}
		}
		syscall.Close(dir)
		if err != nil {
			return -1, "", err
		}
		dir = next
	}
}

// ApplyDelta brings the changes into the tree: removals first, so that a folder
// can take the place of a file and the other way round.
func ApplyDelta(root int, delta []wire.Change) error {
	for _, c := range delta {
		if BadPath(c.Path) {
			return kernel.Step("apply "+c.Path, syscall.EINVAL)
		}
		if c.Mode == 0 {
			if err := removePath(root, c.Path); err != nil {
				return kernel.Step("remove "+c.Path, err)
			}
		}
	}
	for _, c := range delta {
		if c.Mode == 0 {
			continue
		}
		if err := putChange(root, c); err != nil {
			return kernel.Step("write "+c.Path, err)
		}
	}
	return nil
}

// removePath removes a file and the folders that became empty by it.
func removePath(root int, path string) error {
	dir, name, err := Descend(root, path, false)
	if err == syscall.ENOENT || err == syscall.ENOTDIR || err == syscall.ELOOP {
		return nil
	}
	if err != nil {
		return err
	}
	err = RemoveTree(dir, name)
	syscall.Close(dir)
	if err != nil {
		return err
	}
	for i := text.LastIndex(path, '/'); i > 0; i = text.LastIndex(path, '/') {
		path = path[:i]
		dir, name, err := Descend(root, path, false)
		if err != nil {
			return nil
		}
		err = kernel.Unlinkat(dir, name, kernel.AtRemovedir)
		syscall.Close(dir)
		if err != nil {
			return nil
		}
	}
	return nil
}

// putChange writes one file, symlink or submodule folder.
func putChange(root int, c wire.Change) error {
	dir, name, err := Descend(root, c.Path, true)
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	if err := RemoveTree(dir, name); err != nil {
		return err
	}
	switch c.Mode {
	case modeRegular:
		return WriteAt(dir, name, c.Data, 0o644)
	case modeExecutable:
		return WriteAt(dir, name, c.Data, 0o755)
	case modeSymlink:
		return kernel.Symlinkat(string(c.Data), dir, name)
	case modeSubmodule:
		return kernel.Mkdirat(dir, name, 0o755)
	}
	return syscall.EINVAL
}

// RemoveTree removes name below dir whatever it is; nothing there is no error.
func RemoveTree(dir int, name string) error {
	err := kernel.Unlinkat(dir, name, 0)
	if err == nil || err == syscall.ENOENT {
		return nil
	}
	if err != syscall.EISDIR && err != syscall.EPERM {
		return err
	}
	sub, err := kernel.OpenDir(dir, name)
	if err != nil {
		return err
	}
	err = eachName(sub, func(entry string) error { return RemoveTree(sub, entry) })
	syscall.Close(sub)
	if err != nil {
		return err
	}
	return kernel.Unlinkat(dir, name, kernel.AtRemovedir)
}

// eachName calls fn with the names in the folder, from a list taken before.
func eachName(dir int, fn func(string) error) error {
	fd, err := kernel.OpenDir(dir, ".")
	if err != nil {
		return err
	}
	var names []string
	buf := make([]byte, 16<<10)
	for {
		n, err := kernel.Retry(func() (int, error) { return syscall.ReadDirent(fd, buf) })
		if err != nil {
			syscall.Close(fd)
			return err
		}
		if n <= 0 {
			break
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
	syscall.Close(fd)
	for _, name := range names {
		if err := fn(name); err != nil {
			return err
		}
	}
	return nil
}

// Kind returns the type bits of name below dir.
func Kind(dir int, name string) (syscall.Stat_t, uint32, error) {
	var st syscall.Stat_t
	err := kernel.Fstatat(dir, name, &st)
	return st, uint32(st.Mode) & syscall.S_IFMT, err
}

// CopyTree copies files, folders and symlinks of src into dst, writable for the
// owner. Anything else is left out.
func CopyTree(src, dst int) error {
	return eachName(src, func(name string) error {
		st, k, err := Kind(src, name)
		if err != nil {
			return err
		}
		switch k {
		case syscall.S_IFREG:
			return CopyFile(src, dst, name, name, uint32(st.Mode)&0o777|0o600)
		case syscall.S_IFLNK:
			target, err := kernel.Readlinkat(src, name)
			if err != nil {
				return err
			}
			return kernel.Symlinkat(target, dst, name)
		case syscall.S_IFDIR:
			if err := kernel.Mkdirat(dst, name, 0o755); err != nil && err != syscall.EEXIST {
				return err
			}
			return inBoth(src, dst, name, CopyTree)
		}
		return nil
	})
}

// inBoth opens the folder of one name in two folders for a function.
func inBoth(a, b int, name string, do func(inA, inB int) error) error {
	inA, err := kernel.OpenDir(a, name)
	if err != nil {
		return err
	}
	defer syscall.Close(inA)
	inB, err := kernel.OpenDir(b, name)
	if err != nil {
		return err
	}
	defer syscall.Close(inB)
	return do(inA, inB)
}

// CopyFile copies one regular file to a name that does not exist.
func CopyFile(src, dst int, name, as string, mode uint32) error {
	in, err := syscall.Openat(src, name, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(in)
	out, err := syscall.Openat(dst, as,
		syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	err = copyData(in, out)
	if e := syscall.Close(out); err == nil {
		err = e
	}
	return err
}

// copyData copies in the kernel where it can, else through a buffer.
func copyData(in, out int) error {
	var buf []byte
	for direct := true; ; {
		if direct {
			n, _, e := syscall.Syscall6(kernel.SysCopyRange, uintptr(in), 0, uintptr(out), 0, 1<<30, 0)
			switch {
			case e == syscall.EINTR || e == 0 && n > 0:
				continue
			case e == 0 && buf == nil:
				return nil
			}
			direct = false // another file system, or a kernel without the call
			buf = make([]byte, 128<<10)
		}
		n, err := kernel.Retry(func() (int, error) { return syscall.Read(in, buf) })
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		if err := kernel.WriteAll(out, buf[:n]); err != nil {
			return err
		}
	}
}
