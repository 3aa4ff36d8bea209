package gitops_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"atoll/gitops"
	"atoll/store/record"
)

// applied lets the git command apply a patch to a tree, with an index alone.
func applied(t testing.TB, s *gitops.Repo, tree record.Hash, patch []byte) (record.Hash, error) {
	t.Helper()
	git := storeGit(t, s)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	git.run("read-tree", tree.String())
	if _, err := try(s.Dir(), patch, "apply", "--cached", "--whitespace=nowarn", "-"); err != nil {
		return record.Hash{}, err
	}
	return parse(t, git.run("write-tree")), nil
}

func TestPatchTextIsWhatGitApplies(t *testing.T) {
	s, _, base := imported(t, sample(t))
	ctx := t.Context()
	base = must(s.WriteTree(ctx, base, []record.Change{
		write("bin", "\x00\x01binary\n"), write("empty", ""), write("noeol", "a\nb"), write("long", strings.Repeat("line\n", 50)),
		write("sp ace", "x\n"), write("crlf", "a\r\nb\r\n"),
	}))(t)
	random := make([]byte, 100_000)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range random {
		random[i] = byte(rng.IntN(256))
	}
	for _, c := range []struct {
		name    string
		changes []record.Change
	}{
		{"one line", []record.Change{write("src/main.txt", "one\n2\nthree\n")}},
		{"two hunks", []record.Change{write("long", "first\n"+strings.Repeat("line\n", 49)+"last\n")}},
		{"a new file", []record.Change{write("new/file", "a\nb\n")}},
		{"a deleted file", []record.Change{remove("README")}},
		{"an empty file comes", []record.Change{write("nothing", "")}},
		{"an empty file goes", []record.Change{remove("empty")}},
		{"an empty file is filled", []record.Change{write("empty", "x")}},
		{"a file is emptied", []record.Change{write("README", "")}},
		{"no newline at the end, before", []record.Change{write("noeol", "a\nb\n")}},
		{"no newline at the end, after", []record.Change{write("README", "hello")}},
		{"no newline at the end, both", []record.Change{write("noeol", "x\nb")}},
		{"a mode alone", []record.Change{{Path: "README", Mode: record.Executable, Data: []byte("hello\n")}}},
		{"a mode and a line", []record.Change{{Path: "README", Mode: record.Executable, Data: []byte("hallo\n")}}},
		{"a move", []record.Change{remove("src/main.txt"), write("moved.txt", "one\ntwo\nthree\n")}},
		{"a file becomes a link", []record.Change{{Path: "README", Mode: record.Symlink, Data: []byte("src")}}},
		{"a link becomes a file", []record.Change{write("link", "text\n")}},
		{"a link points elsewhere", []record.Change{{Path: "link", Mode: record.Symlink, Data: []byte("README")}}},
		{"a file becomes a directory", []record.Change{remove("README"), write("README/x", "x\n")}},
		{"a directory becomes a file", []record.Change{write("src", "x\n")}},
		{"binary changes", []record.Change{write("bin", "\x00other"), {Path: "rnd", Mode: record.Regular, Data: random}}},
		{"binary goes, text becomes binary", []record.Change{remove("bin"), write("README", "a\x00b")}},
		{"names with spaces, quotes and bytes", []record.Change{write("sp ace", "y\n"), write("qu\"ote", "z\n"), write("\xff\xe9", "b\n"), write("t\tab", "c\n")}},
		{"carriage returns", []record.Change{write("crlf", "a\r\nc\r\n")}},
		{"a submodule", []record.Change{{Path: "sub", Mode: record.Submodule, Data: []byte(strings.Repeat("12345678", 5))}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			next := must(s.WriteTree(ctx, base, c.changes))(t)
			for _, way := range [][2]record.Hash{{base, next}, {next, base}} {
				patch := must(s.PatchText(ctx, way[0], way[1]))(t)
				got, err := applied(t, s, way[0], patch)
				if err != nil {
					t.Fatalf("%v\n%s", err, patch)
				}
				if got != way[1] {
					t.Fatalf("the patch leads to\n%s\nwant\n%s\n%s", listing(t, s, got), listing(t, s, way[1]), patch)
				}
			}
		})
	}
	if got := must(s.PatchText(ctx, base, base))(t); len(got) != 0 {
		t.Errorf("equal trees: %q", got)
	}
}

func TestPatchTextOfRandomTextsApplies(t *testing.T) {
	s, _, tree := imported(t, sample(t))
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(5, 6))
	text := func(n, alphabet int) string {
		var b strings.Builder
		for range rng.IntN(n) {
			fmt.Fprintln(&b, rng.IntN(alphabet))
		}
		if rng.IntN(3) == 0 {
			b.WriteString("end")
		}
		return b.String()
	}
	for range 25 {
		var old, now []record.Change
		for i := range 12 {
			n, alphabet := 1+rng.IntN(60), 1+rng.IntN(20)
			old = append(old, write(fmt.Sprint("f", i), text(n, alphabet)))
			now = append(now, write(fmt.Sprint("f", i), text(n, alphabet)))
		}
		a, b := must(s.WriteTree(ctx, tree, old))(t), must(s.WriteTree(ctx, tree, now))(t)
		patch := must(s.PatchText(ctx, a, b))(t)
		if len(patch) == 0 {
			continue
		}
		if got, err := applied(t, s, a, patch); err != nil || got != b {
			t.Fatalf("%v\n%s", err, patch)
		}
		// Counts and hunks agree with each other and with the texts.
		diffs := must(s.DiffTrees(ctx, a, b))(t)
		if err := s.CountLines(ctx, diffs); err != nil {
			t.Fatal(err)
		}
		for i, p := range must(s.Patch(ctx, a, b, 3))(t) {
			added, removed := 0, 0
			for _, h := range p.Hunks {
				for _, l := range h.Lines {
					switch l.Kind {
					case gitops.LineAdded:
						added++
					case gitops.LineRemoved:
						removed++
					}
				}
			}
			if added != p.Added || removed != p.Removed || p.FileDiff != diffs[i] {
				t.Fatalf("%+v has hunks of +%d -%d; counted %+v", p.FileDiff, added, removed, diffs[i])
			}
		}
	}
}

func TestPatchShowsHunks(t *testing.T) {
	t.Parallel()
	s, _, base := imported(t, sample(t))
	ctx := t.Context()
	next := must(s.WriteTree(ctx, base, []record.Change{
		write("src/main.txt", "one\n2\nthree\nfour"), write("bin", "\x00"), write("big", strings.Repeat("x\n", gitops.MaxPatchLines+7)),
		{Path: "README", Mode: record.Executable, Data: []byte("hello\n")},
	}))(t)
	patches := must(s.Patch(ctx, base, next, 1))(t)
	var got []string
	for _, p := range patches {
		got = append(got, fmt.Sprintf("%s +%d -%d binary=%v cut=%d hunks=%d", p.Path, p.Added, p.Removed, p.Binary, p.Cut, len(p.Hunks)))
	}
	want := []string{
		"README +0 -0 binary=false cut=0 hunks=0",
		"big +5007 -0 binary=false cut=7 hunks=1",
		"bin +-1 --1 binary=true cut=0 hunks=0",
		"src/main.txt +2 -1 binary=false cut=0 hunks=1",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	h := patches[3].Hunks[0]
	var text []string
	for _, l := range h.Lines {
		text = append(text, string(rune(l.Kind))+l.Text)
	}
	if got := fmt.Sprintf("-%d,%d +%d,%d %s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, strings.Join(text, "|")); got != "-1,3 +1,4  one|-two|+2| three|+four" {
		t.Errorf("hunk %q", got)
	}
	if !h.Lines[len(h.Lines)-1].NoEOL || h.Lines[0].NoEOL {
		t.Error("the missing newline is not marked")
	}
}

func TestExportPatchMakesACommitAgain(t *testing.T) {
	t.Parallel()
	r := sample(t)
	s, head, base := imported(t, r)
	ctx := t.Context()
	next := must(s.WriteTree(ctx, base, []record.Change{write("src/main.txt", "one\n2\nthree\n"), write("bin", "\x00\x01"), remove("a.b")}))(t)
	c := must(s.WriteCommit(ctx, gitops.CommitSpec{
		Tree: next, Parents: []record.Hash{head}, Message: "tune: a smaller step\n\nWhy é.\n---\ndiff --git of a message\n",
		AuthorName: "atoll", AuthorEmail: "atoll@localhost",
	}))(t)
	patch := must(s.ExportPatch(ctx, head, c, ""))(t)
	r.feed(patch, "apply", "--check", "-")
	r.feed(patch, "am", "-q")
	if got := r.run("rev-parse", "HEAD^{tree}"); got != next.String() {
		t.Errorf("git am makes tree %s, want %s\n%s", got, next, patch)
	}
	if got := r.run("log", "-1", "--format=%an <%ae> %at %s"); got != "atoll <atoll@localhost> 0 tune: a smaller step" {
		t.Errorf("git am makes %q", got)
	}
	if body := r.run("log", "-1", "--format=%b"); !strings.Contains(body, "Why é.") {
		t.Errorf("the body is %q", body)
	}
	if !bytes.HasPrefix(patch, []byte("From "+c.String())) {
		t.Errorf("the patch begins with %q", patch[:60])
	}
}
