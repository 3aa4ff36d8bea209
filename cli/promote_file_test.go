package cli

import (
	"os"
	"path/filepath"
	"testing"

	"atoll/store/whole"
)

func TestAPatchReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	kept, link := filepath.Join(dir, "kept"), filepath.Join(dir, "link")
	if err := os.WriteFile(kept, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{kept, link} {
		if err := writeNew(path, whole.Bytes([]byte("patch"))); err == nil {
			t.Errorf("%s was written to", path)
		}
	}
	if data, _ := os.ReadFile(kept); string(data) != "mine" {
		t.Errorf("the file holds %q", data)
	}
	if err := writeNew(filepath.Join(dir, "new"), whole.Bytes([]byte("patch"))); err != nil {
		t.Error(err)
	}
}
