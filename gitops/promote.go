package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"atoll/store/record"
)

// Promote adds branch to the user's repository, at commit. It and [Repo.Advance] are the only
// functions here that change that repository: objects are added to it, and
// one branch. HEAD, index, work tree, configuration and other refs stay as
// they are, no hook runs, no reflog is written. A branch that exists, or that
// an unborn HEAD stands for, is refused with ErrBranch.
func (r *Repo) Promote(ctx context.Context, target Target, branch string, commit record.Hash) error {
	err := r.git.trusting(ctx, func(git *command) error { return r.promote(ctx, git, target, branch, commit) })
	if err != nil && dubious(err) {
		err = refusal(target.Path, target.CommonDir, err)
	}
	if err != nil {
		return fmt.Errorf("promote %s to branch %q: %w", commit.Short(), branch, err)
	}
	return nil
}

func (r *Repo) promote(ctx context.Context, git *command, target Target, branch string, commit record.Hash) error {
	if !r.Has(ctx, commit) {
		return fmt.Errorf("commit %s in the store: %w", commit, ErrNotFound)
	}
	if err := free(ctx, git, target, branch); err != nil {
		return err
	}
	if err := r.send(ctx, git, target, commit); err != nil {
		return err
	}
	none := strings.Repeat("0", len(commit.String()))
	if _, err := git.run(ctx, "--git-dir="+target.GitDir, "-c", "core.logAllRefUpdates=false", "update-ref", "--no-deref", "refs/heads/"+branch, commit.String(), none); err != nil {
		return fmt.Errorf("%w: %w", ErrBranch, err)
	}
	return nil
}

// Advance is [Repo.Promote] for a branch that may exist: one that commit descends from is
// moved forward to it, and nothing is lost. A branch that has commits of its own, or that a
// work tree has checked out, is refused with ErrBranch.
func (r *Repo) Advance(ctx context.Context, target Target, branch string, commit record.Hash) error {
	err := r.git.trusting(ctx, func(git *command) error {
		at, err := git.line(ctx, "--git-dir="+target.GitDir, "rev-parse", "-q", "--verify", "--end-of-options", "refs/heads/"+branch)
		switch {
		case exitCode(err) == 1:
			return r.promote(ctx, git, target, branch, commit)
		case err != nil:
			return err
		}
		return r.advance(ctx, git, target, branch, at, commit)
	})
	if err != nil && dubious(err) {
		err = refusal(target.Path, target.CommonDir, err)
	}
	if err != nil {
		return fmt.Errorf("promote %s to branch %q: %w", commit.Short(), branch, err)
	}
	return nil
}

// advance moves a branch that is at a commit.
func (r *Repo) advance(ctx context.Context, git *command, target Target, branch, at string, commit record.Hash) error {
	if at == commit.String() {
		return nil
	}
	if !r.Has(ctx, commit) {
		return fmt.Errorf("commit %s in the store: %w", commit, ErrNotFound)
	}
	var trees strings.Builder
	if err := git.do(ctx, call{args: []string{"--git-dir=" + target.GitDir, "worktree", "list", "--porcelain"}, stdout: &trees}); err != nil {
		return err
	}
	if slices.Contains(strings.Split(trees.String(), "\n"), "branch refs/heads/"+branch) {
		return fmt.Errorf("%w and is checked out; check out another one first, or choose another name", ErrTaken)
	}
	if err := r.send(ctx, git, target, commit); err != nil {
		return err
	}
	if _, err := git.run(ctx, "--git-dir="+target.GitDir, "merge-base", "--is-ancestor", at, commit.String()); exitCode(err) == 1 {
		return fmt.Errorf("%w and has commits that %s does not build on; choose another name", ErrTaken, commit.Short())
	} else if err != nil {
		return err
	}
	if _, err := git.run(ctx, "--git-dir="+target.GitDir, "-c", "core.logAllRefUpdates=false", "update-ref", "--no-deref", "refs/heads/"+branch, commit.String(), at); err != nil {
		return fmt.Errorf("%w: %w", ErrBranch, err)
	}
	return nil
}

// send copies a commit and what it needs into the user's object database.
func (r *Repo) send(ctx context.Context, git *command, target Target, commit record.Hash) error {
	args := []string{
		"--git-dir=" + target.CommonDir,
		"-c", "fetch.writeCommitGraph=false", "-c", "fetch.prune=false", "-c", "fetch.pruneTags=false",
		"-c", "fetch.unpackLimit=100", "-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false",
		"fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--no-recurse-submodules",
		"--no-prune", "--no-show-forced-updates", "--no-progress",
	}
	if target.Shallow { // another repository does not become so
		args = append(args, "--update-shallow")
	}
	_, err := git.run(ctx, append(args, "--", r.dir, commit.String())...)
	return err
}

// Bundle writes commit with its history to a new file that git clone and git
// fetch read, under the branch atoll/<short name> and as HEAD. The history before the commits
// that were imported is read in source, which need not be there when they have none.
func (r *Repo) Bundle(ctx context.Context, source Target, commit record.Hash, path string) error {
	if err := r.bundle(ctx, source, commit, path); err != nil {
		return fmt.Errorf("write bundle %s: %w", path, err)
	}
	return nil
}

func (r *Repo) bundle(ctx context.Context, source Target, commit record.Hash, path string) error {
	file, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%w: choose another name or remove it", ErrExists)
	}
	if !r.Has(ctx, commit) {
		return fmt.Errorf("commit %s: %w", commit, ErrNotFound)
	}
	// The ref stays, as somebody took the commit away under this name, where the store
	// can be written.
	branch := "atoll/" + commit.Short()
	if err := r.writeRef("refs/heads/"+branch, commit); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(file), ".bundle-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	refs, out := filepath.Join(part, "refs"), filepath.Join(part, "bundle")
	if err := r.borrow(ctx, refs, map[string]record.Hash{branch: commit}, nil); err != nil {
		return err
	}
	// Who clones it or fetches from it without a name gets what HEAD is.
	if err := os.WriteFile(filepath.Join(refs, "HEAD"), []byte("ref: refs/heads/"+branch+"\n"), 0o600); err != nil {
		return err
	}
	whole := call{args: []string{"--git-dir=" + refs, "bundle", "create", "-q", out, "HEAD", "--branches"}, stdout: io.Discard}
	if _, err := os.Stat(filepath.Join(r.dir, "shallow")); err == nil {
		if source.CommonDir == "" || source.Shallow {
			return fmt.Errorf("%w: the history before the root is not in the store, and its repository is not known or is shallow; promote to a branch or a patch instead", ErrNotFound)
		}
		whole.env = []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(source.CommonDir, "objects")}
	}
	if err := r.git.do(ctx, whole); err != nil {
		return err
	}
	// Link refuses a name that was taken meanwhile; Rename would replace it.
	if err := os.Link(out, file); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w: choose another name or remove it", ErrExists)
	} else if err != nil {
		return os.Rename(out, file)
	}
	return nil
}
