package whole_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"atoll/store/whole"
)

func TestOnlyRegularFilesWithinTheirBoundAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("12345678"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "file", "endless": "/dev/zero"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		most int64
		ok   bool
	}{{"file", 8, true}, {"link", 8, true}, {"file", 7, false}, {"pipe", 8, false}, {"endless", 8, false}, {".", 8, false}, {"nothing", 8, false}} {
		data, err := whole.Read(at(c.name), c.most)
		if (err == nil) != c.ok || c.ok && string(data) != "12345678" {
			t.Errorf("%s of at most %d: %q, %v", c.name, c.most, data, err)
		}
	}
	if _, err := whole.Read(at("nothing"), 8); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
