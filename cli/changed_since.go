package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/gate"
	"atoll/store/record"
)

// What an experiment began from may have changed since: its revision, the folder of
// its evaluator, the scripts that measure. It goes on as it began, and that is said.

// moved says in a line each what changed since an experiment began; l is the
// configuration of now.
func (a *App) moved(ctx context.Context, ses *engine.Session, p place, exp record.Experiment, l config.Loaded) []string {
	began, err := config.Decode(exp.Config)
	if err != nil { // opening the experiment has said it
		return nil
	}
	var out []string
	for _, text := range []string{a.movedRevision(ctx, p, exp, l.Root), movedFolder(ses, began, l), a.movedScripts(ctx, p, exp, began)} {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// movedRevision says that the revision an experiment began from names another commit
// now, "" when it does not.
func (a *App) movedRevision(ctx context.Context, p place, exp record.Experiment, rev string) string {
	if p.target.Path == "" || rev == "" {
		return ""
	}
	out, err := a.git(ctx, p.target.Path, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	now := strings.TrimSpace(out)
	if err != nil || now == exp.RootCommit.String() {
		return ""
	}
	return fmt.Sprintf("%s is at %.7s now; this experiment goes on from %s; `atoll run --new` starts one from there", rev, now, exp.RootCommit.Short())
}

// movedFolder says that the folder of the evaluator is gone, or holds something else
// than the copy that measures.
func movedFolder(ses *engine.Session, began config.Config, l config.Loaded) string {
	if began.Evaluator.Dir == "" || l.Evaluator.Dir == "" || l.Dir == "" {
		return ""
	}
	dir := folderOf(l)
	copied := filepath.Join(ses.Dir, began.Evaluator.Dir)
	name, err := engine.SealName(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the evaluator's folder %s is no longer there; this experiment goes on with its copy, %s; name the new place in %s, and `atoll run --new` starts one with it",
			l.Evaluator.Dir, copied, config.FileName)
	case err != nil || name == filepath.Base(copied):
		return ""
	}
	return fmt.Sprintf("the evaluator's folder %s changed since this experiment began, which goes on with its copy; `atoll run --new` starts one with the folder as it is, `atoll run --remeasure` measures the elites again with it",
		l.Evaluator.Dir)
}

// folderOf is the folder of the evaluator that a configuration names.
func folderOf(l config.Loaded) string {
	if dir := l.Evaluator.Dir; filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(l.Dir, l.Evaluator.Dir)
}

// folderGone reports whether the folder of an experiment's evaluator is no longer
// there: of what it held the experiment has a copy.
func folderGone(l config.Loaded, began config.Config) bool {
	if l.Evaluator.Dir == "" || began.Evaluator.Dir == "" || l.Dir == "" {
		return false
	}
	_, err := os.Stat(folderOf(l))
	return errors.Is(err, fs.ErrNotExist)
}

// movedScripts says which files that measure differ in the work tree from the commit
// that the experiment began with.
func (a *App) movedScripts(ctx context.Context, p place, exp record.Experiment, began config.Config) string {
	if p.target.Path == "" || p.target.Bare {
		return ""
	}
	out, err := a.git(ctx, p.target.Path, "diff", "--name-only", "--no-ext-diff", "--no-renames", "-z", exp.RootCommit.String(), "--")
	if err != nil { // the commit is not in this repository
		return ""
	}
	words := slices.Clone(began.Evaluator.Command)
	for _, s := range began.Evaluator.Stages {
		words = append(words, s.Command...)
	}
	var changed []string
	for name := range strings.SplitSeq(out, "\x00") {
		if name == "" || name == config.FileName {
			continue
		}
		named := slices.ContainsFunc(words, func(w string) bool { return path.Clean(filepath.ToSlash(w)) == name })
		if named || gate.MatchExact(began.Evaluator.Protected, name) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return ""
	}
	more := ""
	if n := len(changed) - 4; n > 0 {
		changed, more = changed[:4], fmt.Sprintf(" and %d more", n)
	}
	commit := ""
	if out, err := a.git(ctx, p.target.Path, append([]string{"diff", "--name-only", "HEAD", "--"}, changed...)...); err == nil && out != "" {
		commit = "commit it, and "
	}
	return fmt.Sprintf("%s%s: changed since this experiment began, which goes on measuring with what was there then; %s`atoll run --new` starts one with what is there now",
		strings.Join(changed, ", "), more, commit)
}

// git asks the user's repository, of which not even the index is refreshed.
func (a *App) git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "--literal-pathspecs"}, args...)...)
	cmd.Env = append(slices.Clone(a.Env), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	return string(out), err
}
