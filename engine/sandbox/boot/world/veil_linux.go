package world

import (
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
)

// Whoever sees a mount can read in /proc/self/mountinfo where in its file system it
// begins: of a folder of the host, its path there. The kernel has no switch for that.
// An overlay of one folder begins at its own root and tells of the folder only the
// descriptor that it was named by: it is a veil.

// veils makes them, and keeps those of folders for the files in them.
type veils struct {
	refused bool           // overlay mounts are
	base    string         // the base checkout, which many files may lie in; "" = none
	data    int            // the folder that has "nothing", an empty one
	of      map[string]int // mounts of folders, -1 = the kernel makes none
}

// make makes a read-only mount of what the host folder holds, attached nowhere.
func (v *veils) make(host string) (int, error) {
	if v.refused {
		return -1, syscall.EPERM
	}
	lower, err := syscall.Open(host, kernel.OPath|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer syscall.Close(lower)
	fd := func(n int) string { return "/proc/self/fd/" + strconv.Itoa(n) }
	return kernel.NewMount("overlay", kernel.Option{Name: "source", Value: "atoll"},
		kernel.Option{Name: "lowerdir", Value: fd(lower) + ":" + fd(v.data) + "/nothing"}, kernel.Option{Name: "userxattr"})
}

// open returns a read-only mount of a host path, attached nowhere: veiled
// where the kernel can, else as [kernel.OpenTree] makes it. A part of a veil can be
// mounted from Linux 6.15 on, a whole one from 5.11.
func (v *veils) open(host string) (int, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(host, &st); err != nil {
		return -1, err
	}
	if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		if fd, err := v.make(host); err == nil {
			return fd, nil
		}
	} else if fd, err := v.behind(host); err == nil {
		return fd, nil
	}
	return kernel.OpenTree(kernel.AtFdCwd, host, true, kernel.AttrRdonly|kernel.AttrNosuid|kernel.AttrNodev)
}

// behind is a mount of one file behind the veil of the folder that it lies in, or
// of the base checkout, which many may lie in.
func (v *veils) behind(host string) (int, error) {
	dir := tree.Parent(host)
	if base := text.TrimRight(v.base, "/"); base != "" && tree.Within(host, base) {
		dir = base
	}
	fd, there := v.of[dir]
	if !there {
		var err error
		if fd, err = v.make(dir); err != nil {
			fd = -1
		}
		v.of[dir] = fd
	}
	if fd < 0 {
		return -1, syscall.EINVAL
	}
	return kernel.OpenTree(fd, text.TrimLeft(host[len(dir):], "/"), false, kernel.AttrRdonly|kernel.AttrNosuid|kernel.AttrNodev)
}

// drop lets go of those that were made for files.
func (v *veils) drop() {
	for _, fd := range v.of {
		if fd >= 0 {
			syscall.Close(fd)
		}
	}
	v.of = nil
}
