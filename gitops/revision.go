package gitops

import (
	"context"
	"fmt"
	"strings"

	"atoll/store/record"
)

// Resolve finds the commit that a revision of the user's repository names, HEAD where
// it is empty. One that names none is a [*Refusal] of kind [ErrRevision].
func Resolve(ctx context.Context, t Target, rev string) (commit record.Hash, err error) {
	err = asking(ctx, func(git *command) error {
		commit, err = resolveIn(ctx, git, t, rev)
		return err
	})
	return commit, err
}

// Files lists the paths of all files of a commit in the user's repository. Of those, submodules are folders that are
// other repositories: they are empty in every checkout of the [Repo].
func Files(ctx context.Context, t Target, commit record.Hash) (paths, submodules []string, err error) {
	err = asking(ctx, func(git *command) error {
		out, err := git.run(ctx, "--git-dir="+t.GitDir, "ls-tree", "-r", "-z", "--full-tree", commit.String())
		paths, submodules = nil, nil // asked again
		for _, line := range lines(out) {
			meta, name, _ := strings.Cut(line, "\t")
			if paths = append(paths, name); strings.HasPrefix(meta, "160000 ") {
				submodules = append(submodules, name)
			}
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list the files of %s in %s: %w", commit.Short(), t.Path, err)
	}
	return paths, submodules, nil
}

// Mentions lists the files of a commit in the user's repository that have a word.
func Mentions(ctx context.Context, t Target, commit record.Hash, word string) (paths []string, err error) {
	prefix := commit.String() + ":"
	err = asking(ctx, func(git *command) error {
		out, err := git.run(ctx, "--git-dir="+t.GitDir, "grep", "-l", "-z", "-F", "-w", "-e", word, commit.String())
		if exitCode(err) == 1 { // there is none
			return nil
		}
		for _, name := range lines(out) {
			paths = append(paths, strings.TrimPrefix(name, prefix))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for %s in %s of %s: %w", word, commit.Short(), t.Path, err)
	}
	return paths, nil
}

// asking calls do with a git that trusts what the user's does.
func asking(ctx context.Context, do func(*command) error) error {
	git, err := findGit(ctx, "")
	if err != nil {
		return err
	}
	return git.trusting(ctx, do)
}

// lines are the parts of an output that zero bytes end.
func lines(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
