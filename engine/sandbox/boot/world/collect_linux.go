package world

import (
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
)

// Collect takes what the command leaves into the report, when nothing of it runs any
// more: the result, the product and the changes of its tree.
func (w *World) Collect() error {
	w.takeResult()
	w.takeProduct()
	return w.takeChanges()
}

// takeResult reads the result file: a regular file, never through a symlink.
func (w *World) takeResult() {
	if w.job.Take.Result == "" {
		return
	}
	dir, err := kernel.OpenDir(kernel.AtFdCwd, w.control)
	if err != nil {
		return
	}
	defer syscall.Close(dir)
	fd, err := syscall.Openat(dir, w.job.Take.Result,
		syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT {
		return
	}
	if err != nil {
		w.report.Violations = append(w.report.Violations, "the result is not a readable file: "+err.Error())
		return
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || uint32(st.Mode)&syscall.S_IFMT != syscall.S_IFREG {
		w.report.Violations = append(w.report.Violations, "the result is not a regular file")
		return
	}
	data, err := kernel.ReadAll(fd, w.job.Take.ResultMax)
	if err != nil {
		w.report.Violations = append(w.report.Violations, "the result is too large")
		return
	}
	w.report.Result, w.report.HasResult = data, true
}

// takeProduct reads one file of the tree. Neither it nor a folder on its way may
// be a symlink; what is no plain file, or too large, is no product.
func (w *World) takeProduct() {
	if w.job.Take.Product == "" {
		return
	}
	dir, err := kernel.OpenDir(kernel.AtFdCwd, w.tree)
	if err != nil {
		return
	}
	defer func() { syscall.Close(dir) }()
	names := text.Split(w.job.Take.Product, '/')
	for _, name := range names[:len(names)-1] {
		next, err := kernel.OpenDir(dir, name)
		if err != nil {
			return
		}
		syscall.Close(dir)
		dir = next
	}
	fd, err := syscall.Openat(dir, names[len(names)-1], syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || uint32(st.Mode)&syscall.S_IFMT != syscall.S_IFREG {
		return
	}
	if data, err := kernel.ReadAll(fd, w.job.Take.ProductMax); err == nil {
		w.report.Product, w.report.HasProduct = data, true
	}
}

// takeChanges collects what the command changed in its tree.
func (w *World) takeChanges() (err error) {
	j := w.job
	if !j.Take.Changes {
		return nil
	}
	h := &tree.Harvester{Base: w.base, Upper: w.upper, Tree: w.tree, FileMax: j.Take.FileMax, TotalMax: j.Take.TotalMax, Skip: j.Take.Skip}
	for _, s := range j.Seals {
		h.Untouched = append(h.Untouched, s.A)
	}
	w.report.Changes, w.report.Refused, err = h.Changes()
	return kernel.Step("collect the changes", err)
}
