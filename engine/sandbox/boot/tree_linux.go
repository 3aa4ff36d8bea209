package boot

import (
	"strings"
	"syscall"
)

// Modes of a Change, as git writes them.
const (
	modeRegular    = 0o100644
	modeExecutable = 0o100755
	modeSymlink    = 0o120000
	modeSubmodule  = 0o160000
)

// mkdirs makes path and its parents, outside of any candidate's reach.
func mkdirs(path string) error {
	err := syscall.Mkdir(path, 0o755)
	if err == syscall.ENOENT {
		if err := mkdirs(parent(path)); err != nil {
			return err
		}
		err = syscall.Mkdir(path, 0o755)
	}
	if err == syscall.EEXIST {
		return nil
	}
	return err
}

// touch makes an empty file unless something is there.
func touch(path string) error {
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o644)
	if err == syscall.EEXIST {
		return nil
	}
	if err == nil {
		err = syscall.Close(fd)
	}
	return err
}

// writeFile creates path with data, outside of any candidate's reach.
func writeFile(path string, data []byte, mode uint32) error {
	return writeAt(atFdCwd, path, data, mode)
}

// writeAt creates name below dir; it must not exist.
func writeAt(dir int, name string, data []byte, mode uint32) error {
	fd, err := syscall.Openat(dir, name,
		syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	err = writeAll(fd, data)
	if e := syscall.Close(fd); err == nil {
		err = e
	}
	return err
}

// badPath reports a path that must not be laid into a tree.
func badPath(path string) bool {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return true
	}
	for _, part := range strings.Split(path, "/") {
		if part == "" || part == "." || part == ".." || gitName(part) {
			return true
		}
	}
	return false
}

// gitName reports a name that git, here or on another system, takes for its own
// folder.
func gitName(part string) bool {
	s := strings.ToLower(strings.TrimRight(part, " ."))
	return s == ".git" || s == "git~1"
}

// descend opens the folder that holds path, part by part and never through a
// symlink. With create, anything on the way that is not a folder is removed and
// missing folders are made. The caller closes the descriptor.
func descend(root int, path string, create bool) (int, string, error) {
	dir, err := syscall.Dup(root)
	if err != nil {
		return -1, "", err
	}
	syscall.CloseOnExec(dir)
	for {
		i := strings.IndexByte(path, '/')
		if i < 0 {
			return dir, path, nil
		}
		name := path[:i]
		path = path[i+1:]
		next, err := openDir(dir, name)
		if err != nil && create {
			if err == syscall.ENOTDIR || err == syscall.ELOOP {
				err = unlinkat(dir, name, 0)
			} else if err == syscall.ENOENT {
				err = nil
			}
			if err == nil {
				err = mkdirat(dir, name, 0o755)
			}
			if err == nil {
				next, err = openDir(dir, name)
			}
		}
		syscall.Close(dir)
		if err != nil {
			return -1, "", err
		}
		dir = next
	}
}

// applyDelta brings the changes into the tree: removals first, so that a folder
// can take the place of a file and the other way round.
func applyDelta(root int, delta []Change) error {
	for _, c := range delta {
		if badPath(c.Path) {
			return step("apply "+c.Path, syscall.EINVAL)
		}
		if c.Mode == 0 {
			if err := removePath(root, c.Path); err != nil {
				return step("remove "+c.Path, err)
			}
		}
	}
	for _, c := range delta {
		if c.Mode == 0 {
			continue
		}
		if err := putChange(root, c); err != nil {
			return step("write "+c.Path, err)
		}
	}
	return nil
}

// removePath removes a file and the folders that became empty by it.
func removePath(root int, path string) error {
	dir, name, err := descend(root, path, false)
	if err == syscall.ENOENT || err == syscall.ENOTDIR || err == syscall.ELOOP {
		return nil
	}
	if err != nil {
		return err
	}
	err = removeTree(dir, name)
	syscall.Close(dir)
	if err != nil {
		return err
	}
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path, '/') {
		path = path[:i]
		dir, name, err := descend(root, path, false)
		if err != nil {
			return nil
		}
		err = unlinkat(dir, name, atRemovedir)
		syscall.Close(dir)
		if err != nil {
			return nil
		}
	}
	return nil
}

// putChange writes one file, symlink or submodule folder.
func putChange(root int, c Change) error {
	dir, name, err := descend(root, c.Path, true)
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	if err := removeTree(dir, name); err != nil {
		return err
	}
	switch c.Mode {
	case modeRegular:
		return writeAt(dir, name, c.Data, 0o644)
	case modeExecutable:
		return writeAt(dir, name, c.Data, 0o755)
	case modeSymlink:
		return symlinkat(string(c.Data), dir, name)
	case modeSubmodule:
		return mkdirat(dir, name, 0o755)
	}
	return syscall.EINVAL
}

// removeTree removes name below dir whatever it is; nothing there is no error.
func removeTree(dir int, name string) error {
	err := unlinkat(dir, name, 0)
	if err == nil || err == syscall.ENOENT {
		return nil
	}
	if err != syscall.EISDIR && err != syscall.EPERM {
		return err
	}
	sub, err := openDir(dir, name)
	if err != nil {
		return err
	}
	err = eachName(sub, func(entry string) error { return removeTree(sub, entry) })
	syscall.Close(sub)
	if err != nil {
		return err
	}
	return unlinkat(dir, name, atRemovedir)
}

// eachName calls fn with the names in the folder, from a list taken before.
func eachName(dir int, fn func(string) error) error {
	fd, err := openDir(dir, ".")
	if err != nil {
		return err
	}
	var names []string
	buf := make([]byte, 16<<10)
	for {
		n, err := retry(func() (int, error) { return syscall.ReadDirent(fd, buf) })
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

// kind returns the type bits of name below dir.
func kind(dir int, name string) (syscall.Stat_t, uint32, error) {
	var st syscall.Stat_t
	err := fstatat(dir, name, &st)
	return st, uint32(st.Mode) & syscall.S_IFMT, err
}

// treeSize adds up the files below dir.
func treeSize(dir int) (bytes, files int64, err error) {
	err = eachName(dir, func(name string) error {
		st, k, err := kind(dir, name)
		if err != nil {
			return err
		}
		files++
		bytes += (st.Size + 4095) &^ 4095
		if k != syscall.S_IFDIR {
			return nil
		}
		sub, err := openDir(dir, name)
		if err != nil {
			return err
		}
		defer syscall.Close(sub)
		b, f, err := treeSize(sub)
		bytes, files = bytes+b, files+f
		return err
	})
	return bytes, files, err
}

// copyTree copies files, folders and symlinks of src into dst, writable for the
// owner. Anything else is left out.
func copyTree(src, dst int) error {
	return eachName(src, func(name string) error {
		st, k, err := kind(src, name)
		if err != nil {
			return err
		}
		switch k {
		case syscall.S_IFREG:
			return copyFile(src, dst, name, name, uint32(st.Mode)&0o777|0o600)
		case syscall.S_IFLNK:
			target, err := readlinkat(src, name)
			if err != nil {
				return err
			}
			return symlinkat(target, dst, name)
		case syscall.S_IFDIR:
			if err := mkdirat(dst, name, 0o755); err != nil && err != syscall.EEXIST {
				return err
			}
			from, err := openDir(src, name)
			if err != nil {
				return err
			}
			defer syscall.Close(from)
			to, err := openDir(dst, name)
			if err != nil {
				return err
			}
			defer syscall.Close(to)
			return copyTree(from, to)
		}
		return nil
	})
}

// copyFile copies one regular file to a name that does not exist.
func copyFile(src, dst int, name, as string, mode uint32) error {
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
			n, _, e := syscall.Syscall6(sysCopyRange, uintptr(in), 0, uintptr(out), 0, 1<<30, 0)
			switch {
			case e == syscall.EINTR || e == 0 && n > 0:
				continue
			case e == 0 && buf == nil:
				return nil
			}
			direct = false // another file system, or a kernel without the call
			buf = make([]byte, 128<<10)
		}
		n, err := retry(func() (int, error) { return syscall.Read(in, buf) })
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		if err := writeAll(out, buf[:n]); err != nil {
			return err
		}
	}
}
