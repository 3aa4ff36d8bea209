package world

import (
	"strconv"
	"strings"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/tree"
)

// Whoever sees a mount can read in /proc/self/mountinfo where in its file system it
// begins: of a folder of the host, its path there. The kernel has no switch for that.
// An overlay of one folder begins at its own root and tells of the folder only the
// descriptor that it was named by: it is a veil.

// veil makes a read-only mount of what the host folder holds, attached nowhere.
func (w *World) veil(host string) (int, error) {
	if w.job.NoOverlay {
		return -1, syscall.EPERM
	}
	lower, err := syscall.Open(host, kernel.OPath|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer syscall.Close(lower)
	fd := func(n int) string { return "/proc/self/fd/" + strconv.Itoa(n) }
	return kernel.NewMount("overlay", kernel.Option{Name: "source", Value: "atoll"},
		kernel.Option{Name: "lowerdir", Value: fd(lower) + ":" + fd(w.data) + "/nothing"}, kernel.Option{Name: "userxattr"})
}

// openVeiled returns a read-only mount of a host path, attached nowhere: veiled
// where the kernel can, else as [kernel.OpenTree] makes it. A part of a veil can be
// mounted from Linux 6.15 on, a whole one from 5.11.
func (w *World) openVeiled(host string) (int, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(host, &st); err != nil {
		return -1, err
	}
	if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		if fd, err := w.veil(host); err == nil {
			return fd, nil
		}
	} else if fd, err := w.openBehind(host); err == nil {
		return fd, nil
	}
	return kernel.OpenTree(kernel.AtFdCwd, host, true, kernel.AttrRdonly|kernel.AttrNosuid|kernel.AttrNodev)
}

// openBehind is a mount of one file behind the veil of the folder that it lies in, or
// of the base checkout, which many may lie in.
func (w *World) openBehind(host string) (int, error) {
	dir := tree.Parent(host)
	if base := strings.TrimSuffix(w.job.Base, "/"); base != "" && tree.Within(host, base) {
		dir = base
	}
	v, there := w.veils[dir]
	if !there {
		var err error
		if v, err = w.veil(dir); err != nil {
			v = -1
		}
		w.veils[dir] = v
	}
	if v < 0 {
		return -1, syscall.EINVAL
	}
	return kernel.OpenTree(v, strings.TrimPrefix(host[len(dir):], "/"), false, kernel.AttrRdonly|kernel.AttrNosuid|kernel.AttrNodev)
}

// dropVeils lets go of those that were made for files.
func (w *World) dropVeils() {
	for _, v := range w.veils {
		if v >= 0 {
			syscall.Close(v)
		}
	}
	w.veils = nil
}
