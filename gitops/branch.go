package gitops

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// longestName bounds what BranchName makes, in bytes: a ref is a file too.
const longestName = 100

// BranchName makes of any text one part of a branch's name that git allows
// (git-check-ref-format): letters, digits, "-", "_" and single dots inside. It is
// never empty.
func BranchName(text string) string {
	var b strings.Builder
	last := '-'
	for _, c := range text {
		if c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c) || c == unicode.ReplacementChar {
			c = '-'
		}
		if (c == '-' || c == '.') && (last == '-' || last == '.') {
			continue
		}
		if b.Len()+len(string(c)) > longestName {
			break
		}
		b.WriteRune(c)
		last = c
	}
	name := strings.TrimRight(b.String(), "-.")
	for strings.HasSuffix(name, ".lock") {
		name = strings.TrimRight(strings.TrimSuffix(name, ".lock"), "-.")
	}
	if name == "" {
		return "candidate"
	}
	return name
}

// CheckBranch reports with ErrBranch a name that [Repo.Promote] would refuse: one
// that git does not allow, or that is taken.
func (r *Repo) CheckBranch(ctx context.Context, target Target, branch string) error {
	err := r.git.trusting(ctx, func(git *command) error { return free(ctx, git, target, branch) })
	if err != nil && dubious(err) {
		err = refusal(target.Path, target.CommonDir, err)
	}
	if err != nil {
		return fmt.Errorf("branch %q: %w", branch, err)
	}
	return nil
}

// shortName is the branch that a ref is, or what to write where it is none.
func shortName(ref string) string {
	if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok && name != "" {
		return name
	}
	return "a name of your own"
}

// free refuses a branch that git does not allow or that is there already.
func free(ctx context.Context, git *command, target Target, branch string) error {
	dir := "--git-dir=" + target.GitDir
	ref := "refs/heads/" + branch
	if strings.HasPrefix(branch, "refs/") {
		return fmt.Errorf("%w: that is the whole name of a ref, and the branch would be %s; write %s", ErrBranch, ref, shortName(branch))
	}
	if strings.HasPrefix(branch, "-") || branch == "HEAD" {
		return fmt.Errorf("%w: git does not allow the name; choose another", ErrBranch)
	}
	if _, err := git.run(ctx, dir, "check-ref-format", ref); err != nil {
		return fmt.Errorf("%w: git does not allow the name; choose another", ErrBranch)
	}
	_, err := git.run(ctx, dir, "rev-parse", "-q", "--verify", "--end-of-options", ref)
	if err == nil {
		return fmt.Errorf("%w; choose another name", ErrTaken)
	}
	if exitCode(err) != 1 {
		return err
	}
	head, err := git.line(ctx, dir, "symbolic-ref", "-q", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	if head == ref {
		return fmt.Errorf("%w: HEAD stands for it and has no commit yet; choose another name", ErrBranch)
	}
	return nil
}
