package sandbox_test

import (
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

func TestHarvestBringsBackWhatChanged(t *testing.T) {
	onRungs(t, suitetest.Pick(isolating, modes, modes), func(t *testing.T, b *sandbox.Box) {
		for _, tc := range []struct {
			name, script string
			want         []record.Change
		}{
			{"nothing", "cat main.txt", nil},
			{"a file touched and rewritten with the same text", "touch main.txt; printf 'original\\n' > main.txt", nil},
			{"a changed file", "echo new > main.txt", []record.Change{{Path: "main.txt", Mode: record.Regular, Data: []byte("new\n")}}},
			{"a change of the same size", "printf 'Original\\n' > main.txt", []record.Change{{Path: "main.txt", Mode: record.Regular, Data: []byte("Original\n")}}},
			{"a new file in a new folder", "mkdir -p a/b && echo x > a/b/c", []record.Change{{Path: "a/b/c", Mode: record.Regular, Data: []byte("x\n")}}},
			{"an executable bit", "chmod 700 main.txt", []record.Change{{Path: "main.txt", Mode: record.Executable, Data: []byte("original\n")}}},
			{"a removed file", "rm main.txt", []record.Change{{Path: "main.txt"}}},
			{"a removed folder", "rm -r dir", []record.Change{{Path: "dir/one.txt"}, {Path: "dir/sub/two.txt"}}},
			{"a folder removed and made again", "rm -r dir && mkdir dir && echo n > dir/n", []record.Change{
				{Path: "dir/n", Mode: record.Regular, Data: []byte("n\n")}, {Path: "dir/one.txt"}, {Path: "dir/sub/two.txt"},
			}},
			{"a renamed folder", "mv dir other", []record.Change{
				{Path: "dir/one.txt"},
				{Path: "dir/sub/two.txt"},
				{Path: "other/one.txt", Mode: record.Regular, Data: []byte("one\n")},
				{Path: "other/sub/two.txt", Mode: record.Regular, Data: []byte("two\n")},
			}},
			{"a folder that became a file", "rm -r dir && echo f > dir", []record.Change{
				{Path: "dir", Mode: record.Regular, Data: []byte("f\n")}, {Path: "dir/one.txt"}, {Path: "dir/sub/two.txt"},
			}},
			{"a file that became a folder", "rm main.txt && mkdir main.txt && echo f > main.txt/f", []record.Change{
				{Path: "main.txt"}, {Path: "main.txt/f", Mode: record.Regular, Data: []byte("f\n")},
			}},
			{"a symlink", "ln -s /etc/passwd link", []record.Change{{Path: "link", Mode: record.Symlink, Data: []byte("/etc/passwd")}}},
			{"a file that became a symlink", "ln -sf dir/one.txt main.txt", []record.Change{{Path: "main.txt", Mode: record.Symlink, Data: []byte("dir/one.txt")}}},
			{"names with newlines and escape codes", `printf x > "$(printf 'a\nb\033[31m')"`, []record.Change{{Path: "a\nb\x1b[31m", Mode: record.Regular, Data: []byte("x")}}},
			{"names that are not text", `printf x > "$(printf 'a\377')"`, []record.Change{{Path: "a\xff", Mode: record.Regular, Data: []byte("x")}}},
			{"a file made unreadable", "echo s > main.txt; chmod 000 dir/sub; chmod 400 main.txt", []record.Change{{Path: "main.txt", Mode: record.Regular, Data: []byte("s\n")}}},
			{"files and folders made without rights", "umask 777; mkdir none; echo s > new; umask 477; mkdir unlisted; echo f > unlisted/f", []record.Change{
				{Path: "new", Mode: record.Regular, Data: []byte("s\n")}, {Path: "unlisted/f", Mode: record.Regular, Data: []byte("f\n")},
			}},
			{"skipped folders", "mkdir -p x/__pycache__ && echo 1 > x/__pycache__/m && echo 2 > x/m", []record.Change{{Path: "x/m", Mode: record.Regular, Data: []byte("2\n")}}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				if b.Rung() == sandbox.Landlock && strings.Contains(tc.script, "chmod") {
					t.Skip("no mode can be changed on this rung")
				}
				w := newWorld(t)
				s := w.sh(tc.script)
				s.Harvest, s.HarvestSkip = true, []string{"__pycache__"}
				res := w.mustRun(b, s)
				if res.Exit != 0 {
					t.Fatalf("exit %d %s", res.Exit, res.Stderr)
				}
				wantChanges(t, res.Changes, tc.want)
				if len(res.Refused) > 0 {
					t.Errorf("refused %q", res.Refused)
				}
			})
		}
	})
}

func wantChanges(t *testing.T, got, want []record.Change) {
	t.Helper()
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = got[i].Path == want[i].Path && got[i].Mode == want[i].Mode && string(got[i].Data) == string(want[i].Data)
	}
	if !same {
		t.Errorf("changes\n%+v\nwant\n%+v", got, want)
	}
}

func TestHarvestRefusesWhatDoesNotBelong(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		s := w.sh(`mkdir -p .git/hooks sub/.GIT && echo x > .git/hooks/post-checkout && echo y > sub/.GIT/config
			mkfifo pipe; head -c 17000000 /dev/zero > large; echo fine > fine`)
		s.Harvest = true
		res := w.mustRun(b, s)
		wantChanges(t, res.Changes, []record.Change{{Path: "fine", Mode: record.Regular, Data: []byte("fine\n")}})
		all := strings.Join(res.Refused, "\n")
		for _, name := range []string{".git:", "sub/.GIT:", "pipe:", "large:"} {
			if !strings.Contains(all, name) {
				t.Errorf("%s was not refused: %q", name, res.Refused)
			}
		}
	})
}

func TestHarvestLeavesSealedPathsOut(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		trusted := t.TempDir()
		w.put(trusted, "bench.sh", "other\n")
		s := w.sh("echo evil > bench.sh; rm -f bench.sh; mv bench.sh elsewhere; echo ok > main.txt; true")
		s.Seal = []sandbox.Seal{{Path: "bench.sh", Host: filepath.Join(trusted, "bench.sh")}}
		s.Harvest = true
		res := w.mustRun(b, s)
		for _, c := range res.Changes {
			if c.Path == "bench.sh" {
				t.Errorf("the sealed path came back: %q", c.Data)
			}
		}
	})
}

func TestHarvestOfADelta(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		s := w.sh("cat dir/one.txt; test ! -e dir/sub && test -x run.sh && echo more >> run.sh")
		s.Delta = []record.Change{
			{Path: "dir/one.txt", Mode: record.Regular, Data: []byte("changed\n")},
			{Path: "dir/sub/two.txt"},
			{Path: "run.sh", Mode: record.Executable, Data: []byte("#!/bin/sh\n")},
		}
		s.Harvest = true
		res := w.mustRun(b, s)
		wantOut(t, res, "changed")
		wantChanges(t, res.Changes, []record.Change{
			{Path: "dir/one.txt", Mode: record.Regular, Data: []byte("changed\n")},
			{Path: "dir/sub/two.txt"},
			{Path: "run.sh", Mode: record.Executable, Data: []byte("#!/bin/sh\nmore\n")},
		})
	})
}
