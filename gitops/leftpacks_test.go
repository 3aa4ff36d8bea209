package gitops_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/gitops"
	"atoll/store/record"
)

// A repack that is killed before it names its pack leaves one that git reads like any other.
func TestWhatAKilledRepackPackedIsReadAndKept(t *testing.T) {
	t.Parallel()
	for name, pruned := range map[string]bool{"beside the loose objects": false, "with them dropped": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, head, tree := imported(t, sample(t))
			ctx := t.Context()
			var made []record.Hash
			for i := range 3 {
				made = append(made, commitTree(t, s, tree, i, head))
			}
			dead := exec.Command("true")
			if err := dead.Run(); err != nil {
				t.Fatal(err)
			}
			packs := filepath.Join(s.Dir(), "objects", "pack")
			pack := exec.Command("git", "-C", s.Dir(), "pack-objects", "-q", filepath.Join(packs, ".tmp-"+strconv.Itoa(dead.Process.Pid)+"-pack"))
			var list strings.Builder
			for _, c := range made {
				list.WriteString(c.String() + "\n")
			}
			pack.Stdin = strings.NewReader(list.String())
			if out, err := pack.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if pruned {
				storeGit(t, s).run("prune-packed")
			}
			readable := func(s *gitops.Repo) {
				t.Helper()
				for _, c := range made {
					if _, err := s.Commit(ctx, c); err != nil {
						t.Error(err)
					}
				}
			}
			again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
			defer again.Close()
			readable(again)
			if err := again.Maintain(ctx); err != nil {
				t.Fatal(err)
			}
			readable(again)
			left, err := filepath.Glob(filepath.Join(packs, ".tmp-*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range left {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			fresh := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
			defer fresh.Close()
			readable(fresh)
		})
	}
}
