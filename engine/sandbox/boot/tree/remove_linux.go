package tree

import (
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
)

// RemoveAll removes a folder that hostile code may have filled: it gives itself
// the rights that were taken away from folders, and follows no symlink. Nothing may
// change the folder meanwhile.
func RemoveAll(path string) error {
	dir, err := kernel.OpenDir(kernel.AtFdCwd, Parent(path))
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	r := remover{top: -1}
	return r.remove(dir, path[text.LastIndex(path, '/')+1:], 0)
}

// remover removes one folder and what lies in it. Each level keeps a file open, and
// hostile code can make any number of levels: what lies too deep is moved up first.
type remover struct {
	top   int  // the folder; -1 before it is open
	moved int  // so many were moved up
	again bool // since the list of the folder was taken
}

func (r *remover) remove(dir int, name string, depth int) error {
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
	if depth == maxDepth {
		return r.raise(dir, name)
	}
	sub, err := openAny(dir, name)
	if err != nil {
		return err
	}
	defer syscall.Close(sub)
	_ = syscall.Fchmod(sub, 0o700)
	if depth == 0 {
		r.top = sub
	}
	each := func(entry string) error { return r.remove(sub, entry, depth+1) }
	err = eachName(sub, each)
	for err == nil && depth == 0 && r.again {
		r.again = false
		err = eachName(sub, each)
	}
	if err != nil {
		return err
	}
	return kernel.Unlinkat(dir, name, kernel.AtRemovedir)
}

// raise moves a folder to the top, under a name that is free there.
func (r *remover) raise(dir int, name string) error {
	_ = syscall.Fchmodat(dir, name, 0o700, 0) // to move a folder changes it
	for {
		r.moved++
		r.again = true
		err := syscall.Renameat(dir, name, r.top, "deep-"+strconv.Itoa(r.moved))
		if err != syscall.EEXIST && err != syscall.ENOTEMPTY && err != syscall.ENOTDIR {
			return err
		}
	}
}

// openAny opens a folder for its list, also one that its owner may not read. Nothing
// may change it meanwhile.
func openAny(dir int, name string) (int, error) {
	sub, err := kernel.OpenDir(dir, name)
	if err == syscall.EACCES {
		if err = syscall.Fchmodat(dir, name, 0o700, 0); err == nil {
			sub, err = kernel.OpenDir(dir, name)
		}
	}
	return sub, err
}
