package whole_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"atoll/store/whole"
)

var errFull = errors.New("no space left")

func TestAFileIsThereWholeOrAsItWas(t *testing.T) {
	for name, tc := range map[string]struct {
		before string // "": no file
		o      whole.Options
		write  func(io.Writer) error
		want   string
		mode   fs.FileMode
		err    error
	}{
		"a new file is private":                           {"", whole.Options{}, whole.Bytes([]byte("new")), "new", 0o600, nil},
		"a file is replaced":                              {"old", whole.Options{Mode: 0o644}, whole.Bytes([]byte("new")), "new", 0o644, nil},
		"a file that outlasts a loss of power":            {"old", whole.Options{Sync: true}, whole.Bytes([]byte("new")), "new", 0o600, nil},
		"nobody may write it":                             {"", whole.Options{Mode: 0o444}, whole.Bytes([]byte("new")), "new", 0o444, nil},
		"a value as JSON":                                 {"", whole.Options{}, whole.JSON(map[string]int{"a": 1}), "{\n  \"a\": 1\n}\n", 0o600, nil},
		"its content cannot be made":                      {"old", whole.Options{}, failsHalfWay, "old", 0o600, errFull},
		"its content cannot be made, under a name of its": {"old", whole.Options{Pattern: "part"}, failsHalfWay, "old", 0o600, errFull},
		"a name that is taken is kept":                    {"old", whole.Options{New: true}, whole.Bytes([]byte("new")), "old", 0o600, fs.ErrExist},
		"a name that is free is taken":                    {"", whole.Options{New: true, Sync: true}, whole.Bytes([]byte("new")), "new", 0o600, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "made", "for it")
			path := filepath.Join(dir, "file")
			if tc.before != "" {
				if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(path, []byte(tc.before), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := whole.Write(path, tc.o, tc.write); !errors.Is(err, tc.err) {
				t.Fatalf("got %v, want %v", err, tc.err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tc.want {
				t.Errorf("got %q %v, want %q", got, err, tc.want)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != tc.mode {
				t.Errorf("the mode is %v %v, want %v", info.Mode(), err, tc.mode)
			}
			if names := namesIn(t, dir); !slices.Equal(names, []string{"file"}) {
				t.Errorf("it left %q", names)
			}
		})
	}
}

func TestWhatAKilledWriterLeftUnderAFixedNameIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file.part"), []byte("much more than the new content"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	if err := whole.Write(path, whole.Options{Pattern: "file.part"}, whole.Bytes([]byte("new"))); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("got %q %v", got, err)
	}
	if names := namesIn(t, dir); !slices.Equal(names, []string{"file"}) {
		t.Errorf("it left %q", names)
	}
}

func TestOfManyWhoWriteAFileAtOnceOneIsRead(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	made := make([]error, 16)
	for i := range made {
		all.Go(func() {
			made[i] = whole.Write(filepath.Join(dir, "first"), whole.Options{New: true}, whole.Bytes(fmt.Appendf(nil, "%08d", i)))
			if err := whole.Write(filepath.Join(dir, "last"), whole.Options{}, whole.Bytes(fmt.Appendf(nil, "%08d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	won := -1
	for i, err := range made {
		switch {
		case err == nil && won >= 0:
			t.Errorf("%d and %d made the same file", won, i)
		case err == nil:
			won = i
		case !errors.Is(err, fs.ErrExist):
			t.Error(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "first")); err != nil || string(got) != fmt.Sprintf("%08d", won) {
		t.Errorf("%q %v, and %d was told that it made it", got, err, won)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "last")); err != nil || len(got) != 8 {
		t.Errorf("%q %v", got, err)
	}
	if names := namesIn(t, dir); !slices.Equal(names, []string{"first", "last"}) {
		t.Errorf("they left %q", names)
	}
}

// failsHalfWay writes more than any buffer holds, and then no more.
func failsHalfWay(w io.Writer) error {
	if _, err := w.Write(make([]byte, 1<<20)); err != nil {
		return err
	}
	return errFull
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestAnErrorNamesTheFileThatWasAskedFor(t *testing.T) {
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "within"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"where no file can be made":  "/proc/x.md",
		"where a folder is so named": taken,
		"where the name is too long": filepath.Join(folder, strings.Repeat("n", 300)),
	} {
		err := whole.Write(path, whole.Options{}, whole.Bytes([]byte("text")))
		if err == nil || !strings.Contains(err.Error(), " "+path+":") || strings.Contains(err.Error(), string(filepath.Separator)+"."+filepath.Base(path)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
