package survey

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store/record"
)

// WatchVerb is the first argument that makes this program call [WatchOpens]
// with the rest.
const WatchVerb = "watch-opens"

// openedName is the file of the tree that brings back which files were opened.
const openedName = "atoll-opened.json"

// Runner is a sandbox; *sandbox.Box is one.
type Runner interface {
	eval.Runner
	eval.Finder
}

// Lab is the root commit checked out, and a sandbox to run it in.
type Lab struct {
	Root  record.Hash
	Base  string   // the checkout; read only
	Files []string // of the commit, slash separated, sorted
	Env   []string // of plain commands, NAME=value

	box     Runner
	exe     string
	repo    *gitops.Repo
	tmp     string
	release func()
}

// OpenLab imports a revision of a repository into a store of its own, which
// [Lab.Close] removes. exe is this program.
func OpenLab(ctx context.Context, box Runner, target gitops.Target, rev, exe string) (_ *Lab, err error) {
	l := &Lab{box: box, exe: exe}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.tmp, err = os.MkdirTemp("", "atoll-init-"); err != nil {
		return nil, err
	}
	if l.repo, err = gitops.Open(ctx, gitops.Options{Dir: filepath.Join(l.tmp, "store.git"), Cache: filepath.Join(l.tmp, "checkouts")}); err != nil {
		return nil, err
	}
	if l.Root, err = l.repo.Import(ctx, target, rev); err != nil {
		return nil, err
	}
	info, err := l.repo.Commit(ctx, l.Root)
	if err != nil {
		return nil, err
	}
	if l.Base, l.release, err = l.repo.Checkout(ctx, info.Tree); err != nil {
		return nil, err
	}
	return l, l.list()
}

func (l *Lab) list() error {
	err := filepath.WalkDir(l.Base, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(l.Base, path)
		l.Files = append(l.Files, filepath.ToSlash(rel))
		return err
	})
	slices.Sort(l.Files)
	return err
}

// Read returns a file of the root.
func (l *Lab) Read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(l.Base, filepath.FromSlash(name)))
}

// Close removes the checkout and the store.
func (l *Lab) Close() error {
	var err error
	if l.release != nil {
		l.release()
	}
	if l.repo != nil {
		err = l.repo.Close()
	}
	return errors.Join(err, os.RemoveAll(l.tmp))
}

// Sample is one run on the root.
type Sample struct {
	eval.Outcome
	Raw     sandbox.Result // of the last stage
	Opened  []string       // files of the root that were opened, when Watched
	Watched bool
}

// Run takes one sample. watched notes which files are opened, which costs the
// start of one more process.
func (l *Lab) Run(ctx context.Context, o eval.Options, watched bool) (Sample, error) {
	spy := &spy{Runner: l.box, lab: l, watched: watched}
	if o.Limits == (sandbox.Limits{}) {
		d := config.Defaults().Limits
		o.Limits = sandbox.Limits{CPU: d.CPU, Memory: d.Memory, Procs: d.Procs, Output: 8 * d.Output, Disk: d.Disk}
	}
	ev, err := eval.New(ctx, spy, o)
	if err != nil {
		return Sample{}, err
	}
	out, err := ev.Run(ctx, eval.Request{Base: l.Base, Trusted: l.Base, Experiment: "init", BaseCommit: l.Root, Commit: l.Root, Root: true, Goal: config.Defaults().Goal})
	if err != nil {
		return Sample{}, err
	}
	out.Reason = withStderr(out.Reason, string(spy.last.Stderr))
	return Sample{Outcome: out, Raw: spy.last, Opened: spy.opened, Watched: spy.seen}, nil
}

// Command runs a plain command whose exit code and output are all that counts.
func (l *Lab) Command(ctx context.Context, timeout time.Duration, caches []string, args ...string) (Sample, error) {
	return l.Run(ctx, eval.Options{Command: wordy(args), Caches: caches, Env: l.Env, Timeout: timeout, Output: output.OutputFile}, false)
}

// Watched is [Lab.Command] that notes which files are opened.
func (l *Lab) Watched(ctx context.Context, timeout time.Duration, caches []string, args ...string) (Sample, error) {
	return l.Run(ctx, eval.Options{Command: wordy(args), Caches: caches, Env: l.Env, Timeout: timeout, Output: output.OutputFile}, true)
}

// wordy keeps a command of one word from being read as a line for the shell.
func wordy(args []string) []string {
	if len(args) == 1 {
		return []string{"sh", "-c", `exec "$0"`, args[0]}
	}
	return args
}

// spy is a sandbox that keeps the last result, and has the command run under a
// watch.
type spy struct {
	Runner
	lab     *Lab
	watched bool

	last   sandbox.Result
	opened []string
	seen   bool
}

// Run implements [eval.Runner].
func (s *spy) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	if s.watched && spec.Product == "" {
		at := "/atoll/watch"
		if s.Rung() != sandbox.Namespaces {
			at = s.lab.exe
		}
		spec.Mounts = append(slices.Clone(spec.Mounts), sandbox.Mount{Host: s.lab.exe, At: at})
		spec.Args = append([]string{at, WatchVerb, openedName}, spec.Args...)
		spec.Product, spec.Watching = openedName, true
	}
	res, err := s.Runner.Run(ctx, spec)
	if s.watched && res.HasProduct {
		var o opened
		if json.Unmarshal(res.Product, &o) == nil {
			s.seen = s.seen || !o.Lost
			for _, f := range o.Files {
				if _, found := slices.BinarySearch(s.lab.Files, f); found && !slices.Contains(s.opened, f) {
					s.opened = append(s.opened, f)
				}
			}
			slices.Sort(s.opened)
		}
	}
	s.last = res
	return res, err
}
