package gitops

import (
	"context"
	"errors"
	"fmt"

	"atoll/store/record"
)

// importRefs holds what was fetched, under the name of the commit.
const importRefs = "refs/atoll/import/"

// Import brings the commit that rev names in source, HEAD when empty, into the
// store, and returns it. It makes the store when it is missing. Of the history comes
// what leads from a commit that was imported before; what lies before the first stays
// in source, which is not changed. What is in the store already is not fetched again.
// A long import tells its progress to [Repo.OnProgress].
func (r *Repo) Import(ctx context.Context, source Target, rev string) (record.Hash, error) {
	if err := r.create(ctx); err != nil {
		return record.Hash{}, err
	}
	var commit record.Hash
	err := r.git.trusting(ctx, func(git *command) (err error) {
		commit, err = resolveIn(ctx, git, source, rev)
		if err != nil {
			return err
		}
		if err := r.fetch(ctx, git, source, commit); err != nil {
			return err
		}
		return r.noteLFS(ctx, git, source)
	})
	if err != nil {
		var ref *Refusal
		if errors.As(err, &ref) {
			return record.Hash{}, err
		}
		return record.Hash{}, fmt.Errorf("import %s from %s: %w", rev, source.Path, refusal(source.Path, source.CommonDir, err))
	}
	return commit, nil
}

// FetchCommit brings one more commit into the store, to be injected into an
// experiment. It differs from Import only in that the store must be there.
func (r *Repo) FetchCommit(ctx context.Context, source Target, rev string) (record.Hash, error) {
	if !r.exists() {
		return record.Hash{}, fmt.Errorf("fetch %s: %w", rev, ErrNoStore)
	}
	return r.Import(ctx, source, rev)
}

// resolveIn finds the commit of rev in the user's repository, as seen from the
// work tree that source names.
func resolveIn(ctx context.Context, git *command, source Target, rev string) (record.Hash, error) {
	if rev == "" {
		rev = "HEAD"
	}
	out, err := git.line(ctx, "--git-dir="+source.GitDir, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{commit}")
	if exitCode(err) > 0 && rev == "HEAD" {
		return record.Hash{}, refusal(source.Path, source.Path, ErrUnborn)
	}
	if exitCode(err) == 1 || exitCode(err) > 0 && !dubious(err) {
		return record.Hash{}, &Refusal{
			Path: source.Path, Kind: ErrRevision, Reason: fmt.Sprintf("%q names no commit in it", rev),
			Next: "name a branch, a tag or a commit; git branch --all lists the branches",
		}
	}
	if err != nil {
		return record.Hash{}, err
	}
	return record.ParseHash(out)
}
