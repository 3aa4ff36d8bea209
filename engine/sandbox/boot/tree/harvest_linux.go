package tree

import (
	"bytes"
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/wire"
)

// Harvester collects what differs from the base. It runs when no process of the
// sandbox is left, so nothing moves under it; it never follows a symlink.
type Harvester struct {
	Base      int    // folder of the base checkout, -1 = none
	Upper     int    // what an overlay has over it; -1 = Tree is no overlay
	Tree      string // the whole tree, where there is no upper folder
	FileMax   int64  // bytes of one file
	TotalMax  int64  // bytes of all
	Skip      []string
	Untouched []string // paths that were laid over the tree

	skip    map[string]bool
	kept    map[string]bool
	total   int64
	changes []wire.Change
	refused []string
}

// maxChanges bounds the number of changed paths.
const maxChanges = 50_000

// Changes returns the changed paths, and what was left out and why.
func (h *Harvester) Changes() ([]wire.Change, []string, error) {
	h.skip, h.kept = set(h.Skip), set(h.Untouched)
	err := h.walk()
	return h.changes, h.refused, err
}

func (h *Harvester) walk() error {
	if h.Upper >= 0 {
		return h.upper(h.Upper, h.Base, "")
	}
	tree, err := kernel.OpenDir(kernel.AtFdCwd, h.Tree)
	if err != nil {
		return err
	}
	defer syscall.Close(tree)
	if err := h.upper(tree, h.Base, ""); err != nil || h.Base < 0 {
		return err
	}
	return h.gone(h.Base, tree, "")
}

func set(list []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}

// skips reports a name or a path that is left out.
func (h *Harvester) skips(name, path string) bool {
	return h.skip[name] || h.kept[path]
}

// upper walks what was written. The folder base, or -1, is its counterpart. On
// an overlay only changed paths are there; in a copied tree everything is, and
// equal files fall out by comparison.
func (h *Harvester) upper(dir, base int, prefix string) error {
	return eachName(dir, func(name string) error {
		path := prefix + name
		if h.skips(name, path) {
			return nil
		}
		st, k, err := Kind(dir, name)
		if err != nil {
			return err
		}
		if gitName(name) {
			h.refuse(path, "named like git's own folder")
			return nil
		}
		switch k {
		case syscall.S_IFCHR:
			if st.Rdev == 0 {
				return h.removed(base, name, path)
			}
			h.refuse(path, "a device")
			return nil
		case syscall.S_IFDIR:
			return h.folder(dir, base, name, path)
		case syscall.S_IFREG:
			return h.file(dir, base, name, path, &st)
		case syscall.S_IFLNK:
			return h.symlink(dir, base, name, path)
		}
		h.refuse(path, "neither a file, a folder nor a symlink")
		return nil
	})
}

// folder walks one folder of the upper side.
func (h *Harvester) folder(dir, base int, name, path string) error {
	if text.Count(path, '/') >= maxDepth {
		h.refuse(path, "deeper than "+strconv.Itoa(maxDepth)+" folders")
		return nil
	}
	sub, err := openAny(dir, name)
	if err != nil {
		return err
	}
	defer syscall.Close(sub)
	below := -1
	if base >= 0 {
		if _, k, err := Kind(base, name); err == nil && k == syscall.S_IFDIR {
			if below, err = kernel.OpenDir(base, name); err != nil {
				return err
			}
			defer syscall.Close(below)
		} else if err == nil {
			h.add(wire.Change{Path: path}) // a file became a folder
		}
	}
	if err := h.upper(sub, below, path+"/"); err != nil {
		return err
	}
	if below >= 0 && h.Upper >= 0 && kernel.Fgetxattr(sub, "user.overlay.opaque") == "y" {
		return h.gone(below, sub, path+"/")
	}
	return nil
}

// file adds a regular file unless it equals the base's.
func (h *Harvester) file(dir, base int, name, path string, st *syscall.Stat_t) error {
	if st.Size > h.FileMax {
		h.refuse(path, "larger than "+strconv.FormatInt(h.FileMax, 10)+" bytes")
		return nil
	}
	mode := uint32(modeRegular)
	if uint32(st.Mode)&0o100 != 0 {
		mode = modeExecutable
	}
	data, err := readName(dir, name, h.FileMax)
	if err == syscall.EACCES { // its owner took the right away
		if err = syscall.Fchmodat(dir, name, 0o600, 0); err == nil {
			data, err = readName(dir, name, h.FileMax)
		}
	}
	if err != nil {
		return err
	}
	if base >= 0 {
		old, k, err := Kind(base, name)
		if err == nil && k == syscall.S_IFREG && old.Size == st.Size && (uint32(old.Mode)&0o100 != 0) == (mode == modeExecutable) {
			if was, err := readName(base, name, old.Size); err == nil && bytes.Equal(was, data) {
				return nil
			}
		}
		if err == nil && k == syscall.S_IFDIR {
			if err := h.removed(base, name, path); err != nil {
				return err
			}
		}
	}
	if h.total += int64(len(data)); h.total > h.TotalMax {
		h.refuse(path, "all changes together are larger than "+strconv.FormatInt(h.TotalMax, 10)+" bytes")
		return nil
	}
	h.add(wire.Change{Path: path, Mode: mode, Data: data})
	return nil
}

// symlink adds a symlink unless it equals the base's.
func (h *Harvester) symlink(dir, base int, name, path string) error {
	target, err := kernel.Readlinkat(dir, name)
	if err != nil {
		return err
	}
	if base >= 0 {
		_, k, err := Kind(base, name)
		if err == nil && k == syscall.S_IFLNK {
			if was, err := kernel.Readlinkat(base, name); err == nil && was == target {
				return nil
			}
		}
		if err == nil && k == syscall.S_IFDIR {
			if err := h.removed(base, name, path); err != nil {
				return err
			}
		}
	}
	h.add(wire.Change{Path: path, Mode: modeSymlink, Data: []byte(target)})
	return nil
}

// removed adds the removal of a base path: of every file in it if it is a folder.
func (h *Harvester) removed(base int, name, path string) error {
	if base < 0 || h.skips(name, path) {
		return nil
	}
	_, k, err := Kind(base, name)
	if err == syscall.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	if k != syscall.S_IFDIR {
		h.add(wire.Change{Path: path})
		return nil
	}
	sub, err := kernel.OpenDir(base, name)
	if err != nil {
		return err
	}
	defer syscall.Close(sub)
	return eachName(sub, func(entry string) error { return h.removed(sub, entry, path+"/"+entry) })
}

// gone adds the removal of everything in base that is not in now.
func (h *Harvester) gone(base, now int, prefix string) error {
	return eachName(base, func(name string) error {
		path := prefix + name
		_, was, err := Kind(base, name)
		if err != nil {
			return err
		}
		_, is, err := Kind(now, name)
		if err == syscall.ENOENT {
			return h.removed(base, name, path)
		}
		if err != nil {
			return err
		}
		// An overlay's opaque folder was compared with base by upper; only a
		// copied tree needs the walk into folders that both sides have.
		if was != syscall.S_IFDIR || is != syscall.S_IFDIR {
			return nil
		}
		return inBoth(base, now, name, func(was, is int) error { return h.gone(was, is, path+"/") })
	})
}

func (h *Harvester) add(c wire.Change) {
	if len(h.changes) >= maxChanges {
		h.refuse(c.Path, "more than "+strconv.Itoa(maxChanges)+" changed paths")
		return
	}
	h.changes = append(h.changes, c)
}

// maxRefused bounds the list of refusals.
const maxRefused = 100

func (h *Harvester) refuse(path, why string) {
	if len(h.refused) < maxRefused {
		h.refused = append(h.refused, text.Valid(path, "?")+": "+why)
	}
}

// readName reads a regular file below dir without following a symlink.
func readName(dir int, name string, limit int64) ([]byte, error) {
	fd, err := syscall.Openat(dir, name, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	return kernel.ReadAll(fd, limit)
}
