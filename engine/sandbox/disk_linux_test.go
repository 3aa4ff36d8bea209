package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"

	"golang.org/x/sys/unix"
)

// attackHoardFiles fills the disk in a way that is hard to add up: the given number of
// files of the given kilobytes, as many as there are.
func attackHoardFiles(args []string) {
	n, _ := strconv.Atoi(args[1])
	kilobytes, _ := strconv.Atoi(args[2])
	dir, data := os.Getenv("TMPDIR"), make([]byte, kilobytes<<10)
	write := func(name string) *os.File {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			say("stopped: %v", err)
			os.Exit(1)
		}
		return f
	}
	switch args[0] {
	case "unlisted":
		dir += "/unlisted"
		say("folder: %v", unix.Mkdir(dir, 0o300))
	case "coming and going":
		for i := range 8 {
			go comeAndGo(filepath.Join(dir, "0"+strconv.Itoa(i)))
		}
	}
	for i := range n {
		name := filepath.Join(dir, strconv.Itoa(i))
		f := write(name)
		if args[0] == "nameless" {
			_ = os.Remove(name)
			continue // and keep it open
		}
		_ = f.Close()
	}
	say("made all")
	time.Sleep(time.Hour)
}

// comeAndGo makes folders and files and removes them, for ever.
func comeAndGo(name string) {
	for {
		_ = os.Mkdir(name, 0o700)
		_ = os.WriteFile(name+"/file", nil, 0o600)
		_ = os.RemoveAll(name)
	}
}

// attackDeep makes the given number of folders within each other, and goes there.
func attackDeep(args []string) {
	n, _ := strconv.Atoi(args[0])
	for range n {
		if unix.Mkdir("deep", 0o300) != nil || unix.Chdir("deep") != nil {
			break
		}
	}
}

func TestHostileFilesThatAreHardToAddUpFillNoDisk(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		disk int64
	}{
		{"two million that are empty", []string{"plain", "2000000", "0"}, 64 << 20},
		{"that have no name any more", []string{"nameless", "600", "100"}, 16 << 20},
		{"in a folder that its owner may not list", []string{"unlisted", "600", "100"}, 16 << 20},
		{"while others come and go", []string{"coming and going", "600", "100"}, 16 << 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onRungs(t, suitetest.Pick(isolating, modes, modes), func(t *testing.T, b *sandbox.Box) {
				w := newWorld(t)
				s := w.spec("hoard files", tc.args...)
				s.Limits.Disk, s.Limits.Wall = tc.disk, time.Minute
				began := time.Now()
				res := w.mustRun(b, s)
				if b.Rung() == sandbox.Namespaces {
					wantOut(t, res, "no space left") // and what has no name is gone with its process
				} else {
					wantLimits(t, res, "disk")
				}
				t.Logf("%v of which the command had %v", time.Since(began).Round(time.Millisecond), res.Wall.Round(time.Millisecond))
			})
		})
	}
}

// Nothing that goes through a tree runs out of files to open, however deep it is. Where
// what is written is added up, whoever makes folders is ended as soon as they are too
// deep: no more than the allowed ones may be left then, and nothing is refused.
func TestHostileFoldersThatAreTooDeepAreLeftAndRemoved(t *testing.T) {
	for _, mode := range suitetest.Pick(isolating, modes, modes) {
		t.Run(string(mode), func(t *testing.T) {
			scratch := t.TempDir()
			b, err := sandbox.New(t.Context(), sandbox.Options{Mode: mode, Scratch: scratch})
			if err != nil {
				t.Skipf("this machine does not give rung %s: %v", mode, err)
			}
			w := newWorld(t)
			s := w.spec("deep", "30000")
			s.Harvest = true
			res := w.mustRun(b, s)
			refused := len(res.Refused) == 1 && strings.HasSuffix(res.Refused[0], "deeper than 256 folders")
			ended := mode != sandbox.ModeNamespaces && slices.Equal(res.Limits, []string{"disk"}) && len(res.Refused) == 0
			if len(res.Changes) > 0 || !refused && !ended {
				t.Errorf("%d changes, refused %.300q, limits hit: %v", len(res.Changes), res.Refused, res.Limits)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(scratch + "/*"); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}
