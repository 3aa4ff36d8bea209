package gitops_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"atoll/config/suitetest"
	"atoll/gitops"
	"atoll/store/record"
)

func TestABundleHasABranchForEveryNameHoweverMany(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "thousands of branches; TestBundleIsACloneOfTheCandidate has one")
	ctx := t.Context()
	r, all := long(t)
	s := openStore(t)
	root := must(s.Import(ctx, inspect(t, r.dir), all[3].String()))(t) // whose history ends there
	info := must(s.Commit(ctx, root))(t)
	tree := must(s.WriteTree(ctx, info.Tree, []record.Change{write("made", "x")}))(t)
	made := commitTree(t, s, tree, 1, root)
	branches := map[string]record.Hash{"1/root": root}
	for i := range 50_000 { // git's own command takes a minute for so many
		branches[fmt.Sprintf("1/c%d", i)] = made
	}
	path := filepath.Join(t.TempDir(), "all.bundle")
	shallow, lost, err := s.BundleAll(ctx, path, branches)
	if err != nil || len(lost) > 0 {
		t.Fatal(err, lost)
	}
	if heads := (repository{t: t, dir: t.TempDir()}).run("bundle", "list-heads", path, "refs/heads/1/root", "refs/heads/1/c49999"); heads != made.String()+" refs/heads/1/c49999\n"+root.String()+" refs/heads/1/root" {
		t.Errorf("it has %s", heads)
	}
	other := must(gitops.Open(ctx, gitops.Options{Dir: filepath.Join(t.TempDir(), "store.git"), Cache: t.TempDir()}))(t)
	defer other.Close()
	if err := other.Unbundle(ctx, path, shallow); err != nil {
		t.Fatal(err)
	}
	if err := other.Whole(ctx, made); err != nil {
		t.Error(err)
	}
}
