package gitops

import (
	"path/filepath"
	"testing"
)

func TestHowAStoreWritesChangesWhileItIsOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := Open(t.Context(), Options{Dir: filepath.Join(dir, "store.git"), Cache: filepath.Join(dir, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{true, false} {
		r.SetFsync(on)
		if r.objects.fsync.Load() != on {
			t.Errorf("objects wait for the disk: %v, not %v", !on, on)
		}
	}
}
