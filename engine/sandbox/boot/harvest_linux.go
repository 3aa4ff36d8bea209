package boot

import (
	"bytes"
	"strconv"
	"strings"
	"syscall"
)

// harvester collects what differs from the base. It runs when no process of the
// sandbox is left, so nothing moves under it; it never follows a symlink.
type harvester struct {
	w     *world
	base  int
	total int64
	skip  map[string]bool // names of folders and files that are left out
	seals map[string]bool
}

// maxChanges bounds the number of changed paths.
const maxChanges = 50_000

func (w *world) harvest() error {
	h := &harvester{w: w, base: w.base, skip: map[string]bool{}, seals: map[string]bool{}}
	for _, s := range w.job.HarvestSkip {
		h.skip[s] = true
	}
	for _, s := range w.job.Seals {
		h.seals[s.A] = true
	}
	if w.upper >= 0 {
		return h.upper(w.upper, h.base, "")
	}
	tree, err := openDir(atFdCwd, w.tree)
	if err != nil {
		return err
	}
	defer syscall.Close(tree)
	if err := h.upper(tree, h.base, ""); err != nil || h.base < 0 {
		return err
	}
	return h.gone(h.base, tree, "")
}

// upper walks what was written. The folder base, or -1, is its counterpart. On
// an overlay only changed paths are there; in a copied tree everything is, and
// equal files fall out by comparison.
func (h *harvester) upper(dir, base int, prefix string) error {
	return eachName(dir, func(name string) error {
		path := prefix + name
		if h.skip[name] || h.seals[path] {
			return nil
		}
		st, k, err := kind(dir, name)
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
func (h *harvester) folder(dir, base int, name, path string) error {
	sub, err := openDir(dir, name)
	if err != nil {
		return err
	}
	defer syscall.Close(sub)
	below := -1
	if base >= 0 {
		if _, k, err := kind(base, name); err == nil && k == syscall.S_IFDIR {
			if below, err = openDir(base, name); err != nil {
				return err
			}
			defer syscall.Close(below)
		} else if err == nil {
			h.add(Change{Path: path}) // a file became a folder
		}
	}
	if err := h.upper(sub, below, path+"/"); err != nil {
		return err
	}
	if below >= 0 && h.w.upper >= 0 && fgetxattr(sub, "user.overlay.opaque") == "y" {
		return h.gone(below, sub, path+"/")
	}
	return nil
}

// file adds a regular file unless it equals the base's.
func (h *harvester) file(dir, base int, name, path string, st *syscall.Stat_t) error {
	if st.Size > h.w.job.HarvestFile {
		h.refuse(path, "larger than "+strconv.FormatInt(h.w.job.HarvestFile, 10)+" bytes")
		return nil
	}
	mode := uint32(modeRegular)
	if uint32(st.Mode)&0o100 != 0 {
		mode = modeExecutable
	}
	data, err := readName(dir, name, h.w.job.HarvestFile)
	if err != nil {
		return err
	}
	if base >= 0 {
		old, k, err := kind(base, name)
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
	if h.total += int64(len(data)); h.total > h.w.job.HarvestTotal {
		h.refuse(path, "all changes together are larger than "+strconv.FormatInt(h.w.job.HarvestTotal, 10)+" bytes")
		return nil
	}
	h.add(Change{Path: path, Mode: mode, Data: data})
	return nil
}

// symlink adds a symlink unless it equals the base's.
func (h *harvester) symlink(dir, base int, name, path string) error {
	target, err := readlinkat(dir, name)
	if err != nil {
		return err
	}
	if base >= 0 {
		_, k, err := kind(base, name)
		if err == nil && k == syscall.S_IFLNK {
			if was, err := readlinkat(base, name); err == nil && was == target {
				return nil
			}
		}
		if err == nil && k == syscall.S_IFDIR {
			if err := h.removed(base, name, path); err != nil {
				return err
			}
		}
	}
	h.add(Change{Path: path, Mode: modeSymlink, Data: []byte(target)})
	return nil
}

// removed adds the removal of a base path: of every file in it if it is a folder.
func (h *harvester) removed(base int, name, path string) error {
	if base < 0 || h.seals[path] || h.skip[name] {
		return nil
	}
	_, k, err := kind(base, name)
	if err == syscall.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	if k != syscall.S_IFDIR {
		h.add(Change{Path: path})
		return nil
	}
	sub, err := openDir(base, name)
	if err != nil {
		return err
	}
	defer syscall.Close(sub)
	return eachName(sub, func(entry string) error { return h.removed(sub, entry, path+"/"+entry) })
}

// gone adds the removal of everything in base that is not in now.
func (h *harvester) gone(base, now int, prefix string) error {
	return eachName(base, func(name string) error {
		path := prefix + name
		_, was, err := kind(base, name)
		if err != nil {
			return err
		}
		_, is, err := kind(now, name)
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
		sub, err := openDir(base, name)
		if err != nil {
			return err
		}
		defer syscall.Close(sub)
		other, err := openDir(now, name)
		if err != nil {
			return err
		}
		defer syscall.Close(other)
		return h.gone(sub, other, path+"/")
	})
}

func (h *harvester) add(c Change) {
	if len(h.w.report.Changes) >= maxChanges {
		h.refuse(c.Path, "more than "+strconv.Itoa(maxChanges)+" changed paths")
		return
	}
	h.w.report.Changes = append(h.w.report.Changes, c)
}

// maxRefused bounds the list of refusals.
const maxRefused = 100

func (h *harvester) refuse(path, why string) {
	if len(h.w.report.Refused) < maxRefused {
		h.w.report.Refused = append(h.w.report.Refused, strings.ToValidUTF8(path, "?")+": "+why)
	}
}

// readName reads a regular file below dir without following a symlink.
func readName(dir int, name string, limit int64) ([]byte, error) {
	fd, err := syscall.Openat(dir, name, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	return readAll(fd, limit)
}
