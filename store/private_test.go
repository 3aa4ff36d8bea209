package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"atoll/store"
)

func TestNoOtherUserReadsTheStore(t *testing.T) {
	for _, name := range []string{"new", "made by another hand"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "atoll.db")
			if name != "new" {
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			db, err := store.Open(t.Context(), path, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			files, err := os.ReadDir(dir)
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			for _, f := range files {
				if info, err := f.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s has mode %v (%v)", f.Name(), info.Mode(), err)
				}
			}
		})
	}
}
