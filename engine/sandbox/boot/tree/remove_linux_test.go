package tree

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// chain makes folders within each other below dir, the last of which has a file.
func chain(t *testing.T, dir string, depth int) {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_DIRECTORY, 0)
	for range depth {
		if err == nil {
			err = unix.Mkdirat(fd, "deep-1", 0o700)
		}
		next := -1
		if err == nil {
			next, err = unix.Openat(fd, "deep-1", unix.O_DIRECTORY, 0)
		}
		_ = unix.Close(fd)
		fd = next
	}
	if err == nil {
		err = unix.Mkdirat(fd, "last", 0o300)
		_ = unix.Close(fd)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestFoldersOfAnyDepthAreRemoved(t *testing.T) {
	dir := t.TempDir() + "/top"
	for i := range 5 {
		sub := dir + "/" + strconv.Itoa(i)
		if err := os.MkdirAll(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		chain(t, sub, 3*maxDepth)
	}
	if err := RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestAScaleStopsAtWhatIsWorthCountingAndTakesNoNewMemory(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		if err := os.WriteFile(dir+"/"+strconv.Itoa(i), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := unix.Open(dir, unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	s := &Scale{}
	if bytes, files, err := s.Weigh(fd); bytes != 100*pageBytes || files != 100 || err != nil {
		t.Errorf("%d bytes, %d files, %v", bytes, files, err)
	}
	if n := testing.AllocsPerRun(10, func() { _, _, _ = s.Weigh(fd) }); n > 10 {
		t.Errorf("%v pieces of memory for a hundred files", n)
	}
	s.Most = 10 * pageBytes
	if bytes, _, err := s.Weigh(fd); err != ErrTooMuch || bytes <= s.Most || bytes > 2*s.Most {
		t.Errorf("%d bytes, %v", bytes, err)
	}
	chain(t, dir, 2*maxDepth)
	if _, _, err := (&Scale{}).Weigh(fd); err != ErrTooMuch {
		t.Errorf("of folders too deep: %v", err)
	}
	if err := RemoveAll(dir); err != nil {
		t.Error(err)
	}
}
