package door

import (
	"archive/tar"
	"context"
	"io"

	"atoll/engine/agent"
	"atoll/store/record"
)

// TaskTree has the files of a task: those of its parent.
type TaskTree struct{ files agent.Tree }

// WriteTar writes the files as a tar. Submodules are left out.
func (t TaskTree) WriteTar(ctx context.Context, w io.Writer) error {
	out := tar.NewWriter(w)
	for _, f := range t.files.Files() {
		if f.Mode == record.Submodule {
			continue
		}
		data, err := t.files.Read(ctx, f.Path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: f.Path, Mode: int64(f.Mode.Perm()), Size: int64(len(data)), Format: tar.FormatPAX}
		if f.Mode == record.Symlink {
			h.Typeflag, h.Linkname, h.Size, data = tar.TypeSymlink, string(data), 0, nil
		}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		if _, err := out.Write(data); err != nil {
			return err
		}
	}
	return out.Close()
}
