package gitops

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"atoll/store/record"
)

// Tag adds a tag with a message to the user's repository, at commit, in the manner of
// [Repo.Promote]: objects are added and one ref, and nothing else changes. A tag that
// exists is refused with ErrBranch.
func (r *Repo) Tag(ctx context.Context, target Target, tag string, commit record.Hash, message string, at time.Time) error {
	err := r.git.trusting(ctx, func(git *command) error { return r.tag(ctx, git, target, tag, commit, message, at) })
	if err != nil && dubious(err) {
		err = refusal(target.Path, target.CommonDir, err)
	}
	if err != nil {
		return fmt.Errorf("tag %s as %q: %w", commit.Short(), tag, err)
	}
	return nil
}

func (r *Repo) tag(ctx context.Context, git *command, target Target, tag string, commit record.Hash, message string, at time.Time) error {
	dir, ref := "--git-dir="+target.GitDir, "refs/tags/"+tag
	if _, err := git.run(ctx, dir, "check-ref-format", ref); err != nil || strings.HasPrefix(tag, "-") {
		return fmt.Errorf("%w: git does not allow the name", ErrBranch)
	}
	if _, err := git.run(ctx, dir, "rev-parse", "-q", "--verify", "--end-of-options", ref); err == nil {
		return ErrTaken
	} else if exitCode(err) != 1 {
		return err
	}
	if err := r.send(ctx, git, target, commit); err != nil {
		return err
	}
	object := fmt.Sprintf("object %s\ntype commit\ntag %s\ntagger atoll <atoll@localhost> %d +0000\n\n%s\n", commit, tag, at.Unix(), strings.TrimSpace(message))
	var made strings.Builder
	if err := git.do(ctx, call{args: []string{"--git-dir=" + target.CommonDir, "mktag"}, stdin: strings.NewReader(object), stdout: io.Writer(&made)}); err != nil {
		return err
	}
	none := strings.Repeat("0", len(commit.String()))
	if _, err := git.run(ctx, dir, "-c", "core.logAllRefUpdates=false", "update-ref", "--no-deref", ref, strings.TrimSpace(made.String()), none); err != nil {
		return fmt.Errorf("%w: %w", ErrBranch, err)
	}
	return nil
}
