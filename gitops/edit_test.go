package gitops_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"atoll/gitops"
	"atoll/store/record"
)

// listing is a tree as git ls-tree prints it, without quoting.
func listing(t testing.TB, s *gitops.Repo, tree record.Hash) string {
	t.Helper()
	return strings.ReplaceAll(storeGit(t, s).run("ls-tree", "-r", "-z", tree.String()), "\x00", "\n")
}

// names is the paths of a tree.
func names(t testing.TB, s *gitops.Repo, tree record.Hash) string {
	t.Helper()
	var out []string
	for _, f := range must(s.Tree(t.Context(), tree))(t).Files() {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

func TestWriteTree(t *testing.T) {
	t.Parallel()
	s, _, base := imported(t, sample(t))
	const all = "README a.b a/b a0 link run.sh src/deep/er/x.txt src/main.txt"
	for _, c := range []struct {
		name    string
		changes []record.Change
		want    string
	}{
		{"no change leaves the tree", nil, all},
		{"a new file in a new directory", []record.Change{write("n/e/w", "")}, strings.Replace(all, "run.sh", "n/e/w run.sh", 1)},
		{"the last file takes its directories along", []record.Change{remove("src/deep/er/x.txt")}, strings.Replace(all, "src/deep/er/x.txt ", "", 1)},
		{"a whole directory goes", []record.Change{remove("src")}, "README a.b a/b a0 link run.sh"},
		{"a directory is emptied and filled", []record.Change{remove("src"), write("src/new", "")}, "README a.b a/b a0 link run.sh src/new"},
		{"in any order", []record.Change{write("src/new", ""), remove("src")}, "README a.b a/b a0 link run.sh src/new"},
		{"a file becomes a directory", []record.Change{write("README/x", "")}, strings.Replace(all, "README", "README/x", 1)},
		{"and so when its deletion is named", []record.Change{remove("README"), write("README/x", "")}, strings.Replace(all, "README", "README/x", 1)},
		{"a directory becomes a file and moves before a.b", []record.Change{write("a", "")}, strings.Replace(all, "a.b a/b", "a a.b", 1)},
		{"and so when its files are deleted by name", []record.Change{remove("a/b"), write("a", "")}, strings.Replace(all, "a.b a/b", "a a.b", 1)},
		{"deleting what is not there is nothing", []record.Change{remove("nope"), remove("nope/x"), remove("README/x")}, all},
		{"everything goes", []record.Change{remove("README"), remove("a.b"), remove("a"), remove("a0"), remove("link"), remove("run.sh"), remove("src")}, ""},
		{
			"names are bytes",
			[]record.Change{write("\xff\xfe", ""), write("back\\slash", ""), write("ta\tb", "")},
			"README a.b a/b a0 back\\slash link run.sh src/deep/er/x.txt src/main.txt ta\tb \xff\xfe",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := must(s.WriteTree(t.Context(), base, c.changes))(t)
			if got := names(t, s, tree); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			commitTree(t, s, tree, 0) // so that fsck sees it
		})
	}
}

func TestWriteTreeRefuses(t *testing.T) {
	t.Parallel()
	s, _, base := imported(t, sample(t))
	link := func(path, to string) record.Change {
		return record.Change{Path: path, Mode: record.Symlink, Data: []byte(to)}
	}
	for _, c := range []struct {
		name    string
		changes []record.Change
	}{
		{"an empty path", []record.Change{write("", "")}},
		{"an absolute path", []record.Change{write("/etc/passwd", "")}},
		{"a trailing slash", []record.Change{write("a/", "")}},
		{"an empty part", []record.Change{write("a//b", "")}},
		{"a way out", []record.Change{write("a/../../b", "")}},
		{"a dot", []record.Change{write("./a", "")}},
		{"a zero byte", []record.Change{write("a\x00b", "")}},
		{"a git directory", []record.Change{write(".git/hooks/post-checkout", "")}},
		{"a git directory further down, in capitals", []record.Change{write("src/.GIT/config", "")}},
		{"a git directory by its short name", []record.Change{write("GIT~1/config", "")}},
		{"a git directory with an invisible letter", []record.Change{write(".g\u200cit/config", "")}},
		{"a git directory, deleted", []record.Change{remove(".git")}},
		{"a path twice", []record.Change{write("x", "1"), write("x", "2")}},
		{"a path written and deleted", []record.Change{write("x", "1"), remove("x")}},
		{"a file and one below it", []record.Change{write("x", "1"), write("x/y", "2")}},
		{"a file and one above it", []record.Change{write("x/y/z", "2"), write("x", "1")}},
		{"a link without a target", []record.Change{link("l", "")}},
		{"a link with a zero byte", []record.Change{link("l", "a\x00")}},
		{"attributes through a link", []record.Change{link("src/.gitattributes", "/etc/passwd")}},
		{"a strange mode", []record.Change{{Path: "x", Mode: 0o100600}}},
		{"a directory mode", []record.Change{{Path: "x", Mode: 0o40000}}},
		{"a submodule without a commit", []record.Change{{Path: "x", Mode: record.Submodule, Data: []byte("no")}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if tree, err := s.WriteTree(t.Context(), base, c.changes); !errors.Is(err, gitops.ErrChange) {
				t.Errorf("got tree %v and error %v, want ErrChange", tree, err)
			}
		})
	}
}

// model is a tree as a map, and what git makes of it with an index.
type model map[string]record.Change

func (m model) tree(t testing.TB, git repository) record.Hash {
	t.Helper()
	index := filepath.Join(t.TempDir(), "index")
	var lines bytes.Buffer
	paths := make([]string, 0, len(m))
	for p := range m {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		c := m[p]
		id := string(c.Data)
		if c.Mode != record.Submodule {
			id = git.feed(c.Data, "hash-object", "-w", "--stdin", "--literally")
		}
		fmt.Fprintf(&lines, "%06o %s\t%s\x00", c.Mode, id, p)
	}
	t.Setenv("GIT_INDEX_FILE", index)
	defer os.Unsetenv("GIT_INDEX_FILE")
	git.feed(lines.Bytes(), "update-index", "-z", "--index-info")
	return parse(t, git.run("write-tree"))
}

// drop removes a path and everything below it.
func (m model) drop(path string) {
	for p := range m {
		if p == path || strings.HasPrefix(p, path+"/") {
			delete(m, p)
		}
	}
}

// put writes a path; files in its way go.
func (m model) put(c record.Change) {
	m.drop(c.Path)
	for p := c.Path; strings.Contains(p, "/"); {
		p = p[:strings.LastIndexByte(p, '/')]
		delete(m, p)
	}
	m[c.Path] = c
}

// randomChanges draws edits over few names, so that they meet.
func randomChanges(rng *rand.Rand) []record.Change {
	parts := []string{"a", "a.b", "a0", "a-", "b", "ab", "\xff", "c d", "é", "A", "a\\b"}
	var out []record.Change
	for range 1 + rng.IntN(6) {
		path := parts[rng.IntN(len(parts))]
		for rng.IntN(2) == 0 {
			path += "/" + parts[rng.IntN(len(parts))]
		}
		c := record.Change{Path: path, Data: []byte(fmt.Sprintln(rng.IntN(5)))}
		switch rng.IntN(10) {
		case 0, 1, 2:
			c.Mode, c.Data = record.Deleted, nil
		case 3:
			c.Mode = record.Executable
		case 4:
			c.Mode = record.Symlink
		case 5:
			c.Mode, c.Data = record.Submodule, []byte(strings.Repeat("0123456789", 4))
		default:
			c.Mode = record.Regular
		}
		out = append(out, c)
	}
	return out
}

// clash reports changes that WriteTree must refuse.
func clash(changes []record.Change) bool {
	for i, a := range changes {
		for j, b := range changes {
			if i != j && (a.Path == b.Path || a.Mode != 0 && b.Mode != 0 && strings.HasPrefix(b.Path, a.Path+"/")) {
				return true
			}
		}
	}
	return false
}

func TestWriteTreeAgreesWithGit(t *testing.T) {
	s, _, _ := imported(t, sample(t))
	git := storeGit(t, s)
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(7, 11))
	have := model{}
	tree := record.Hash{}
	refused := 0
	for round := range 60 {
		changes := randomChanges(rng)
		next, err := s.WriteTree(ctx, tree, changes)
		if clash(changes) {
			if !errors.Is(err, gitops.ErrChange) {
				t.Fatalf("round %d: %v: got error %v, want ErrChange", round, changes, err)
			}
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		before := model{}
		for p, c := range have {
			before[p] = c
		}
		for _, c := range changes {
			if c.Mode == record.Deleted {
				have.drop(c.Path)
			}
		}
		for _, c := range changes {
			if c.Mode != record.Deleted {
				have.put(c)
			}
		}
		if want := have.tree(t, git); next != want {
			t.Fatalf("round %d: %v\ngot\n%s\nwant\n%s", round, changes, listing(t, s, next), listing(t, s, want))
		}
		compareDiff(t, s, tree, next)
		if got, want := names(t, s, next), strings.Join(slices.Sorted(maps.Keys(have)), " "); got != want {
			t.Fatalf("round %d: the listing has %q, want %q", round, got, want)
		}
		// What Changes says leads from one tree to the other.
		if !tree.IsZero() {
			delta := must(s.Changes(ctx, tree, next))(t)
			if again := must(s.WriteTree(ctx, tree, delta))(t); again != next {
				t.Fatalf("round %d: changes %v lead to %s", round, delta, listing(t, s, again))
			}
		}
		tree = next
		commitTree(t, s, tree, round)
	}
	if refused == 0 || refused > 40 {
		t.Errorf("%d of 60 rounds were refused: the draw does not try enough", refused)
	}
}

// compareDiff holds DiffTrees against git diff-tree.
func compareDiff(t testing.TB, s *gitops.Repo, a, b record.Hash) {
	t.Helper()
	if a.IsZero() {
		return
	}
	diffs := must(s.DiffTrees(t.Context(), a, b))(t)
	var got []string
	for _, d := range diffs {
		status := "M"
		switch {
		case !d.OldExist:
			status = "A"
		case !d.NewExist:
			status = "D"
		case d.OldMode&0o170000 != d.NewMode&0o170000:
			status = "T"
		}
		got = append(got, fmt.Sprintf(":%06o %06o %s %s %s %s", d.OldMode, d.NewMode, d.OldHash, d.NewHash, status, d.Path))
	}
	out := storeGit(t, s).run("diff-tree", "-r", "-z", "--no-renames", a.String(), b.String())
	var want []string
	f := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		want = append(want, f[i]+" "+f[i+1])
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("git diff-tree has another answer\ngot\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !slices.IsSortedFunc(diffs, func(x, y record.FileDiff) int { return strings.Compare(x.Path, y.Path) }) {
		t.Fatalf("differences are not in order: %v", diffs)
	}
}

func FuzzWriteTree(f *testing.F) {
	s, _, base := imported(f, sample(f))
	f.Add("src/x", "a", uint32(record.Regular), "a/b")
	f.Add("a/b/c", "", uint32(record.Deleted), "a")
	f.Add(".git/x", "", uint32(record.Symlink), "..")
	f.Fuzz(func(t *testing.T, path, data string, mode uint32, other string) {
		changes := []record.Change{{Path: path, Mode: record.Mode(mode), Data: []byte(data)}, write(other, data)}
		tree, err := s.WriteTree(t.Context(), base, changes)
		if err != nil {
			if !errors.Is(err, gitops.ErrChange) {
				t.Fatalf("%v: %v", changes, err)
			}
			return
		}
		if out, err := try(s.Dir(), nil, "fsck", "--strict", "--no-dangling", "--no-progress", tree.String()); err != nil || len(out) > 0 {
			t.Fatalf("%v: git fsck: %v\n%s", changes, err, out)
		}
	})
}
