package verify

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/engine/guard"
	"atoll/gitops"
	"atoll/store/record"
)

func TestAnEditIsGoneWhereToTakeItBackChangesNothing(t *testing.T) {
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: filepath.Join(t.TempDir(), "store"), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	source := t.TempDir()
	for _, args := range [][]string{{"init", "--quiet"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "--message", "root"}} {
		if out, err := exec.Command("git", append([]string{"-C", source}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	target, err := gitops.Inspect(t.Context(), source)
	if err == nil {
		_, err = repo.Import(t.Context(), target, "HEAD")
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := func(changed ...string) string {
		all := strings.Split("a b c d e f g h i j k l m n o p", " ")
		for _, c := range changed {
			all[c[0]-'a'] = c
		}
		return strings.Join(all, "\n") + "\n"
	}
	tree := func(text string) record.Hash {
		h, err := repo.WriteTree(t.Context(), record.Hash{}, []record.Change{{Path: "x", Mode: record.Regular, Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	root := tree(lines())
	steps := []Step{{ID: 1, tree: tree(lines("a1"))}, {ID: 2, tree: tree(lines("a1", "h1"))}, {ID: 3, tree: tree(lines("a1", "h1", "o1"))}}
	for name, c := range map[string]struct {
		kept string // of the winner
		gone [3]bool
	}{
		"all is left":              {lines("a1", "h1", "o1"), [3]bool{}},
		"one in the middle went":   {lines("a1", "o1"), [3]bool{1: true}},
		"but for the last all did": {lines("o1"), [3]bool{true, true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &minimiser{whole: tree(c.kept), check: &check{repo: repo, q: Question{Experiment: record.Experiment{RootTree: root}}, report: Report{Lineage: steps}}}
			if err := m.markGone(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, s := range m.report.Lineage {
				if s.gone != c.gone[i] {
					t.Errorf("%s is gone: %v", s.ID, s.gone)
				}
			}
		})
	}
}

func TestALongMinimisationSaysWhatItDoes(t *testing.T) {
	told := make(chan string, 100)
	c := &check{q: Question{Tell: func(line string) { told <- line }}}
	var p progress
	p.doing(guard.Doing{What: "measuring it without a.go:3"})
	quiet := c.tellEach(time.Millisecond, func(now time.Time, took time.Duration) string { return minimisingText(took, p.now(now)) })
	line := <-told
	quiet()
	if line != "still looking for what brings nothing, for 0s: measuring it without a.go:3 since 0s" {
		t.Errorf("it says %q", line)
	}
}
