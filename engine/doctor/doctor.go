package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// Options say what to check.
type Options struct {
	Target    gitops.Target
	State     string // state directory
	Running   bool   // an engine runs on it now
	Config    config.Loaded
	ConfigErr error
	Deep      bool // also measure the root and try every agent
	Now       func() time.Time
	Env       []string
	Doing     func(string) // what begins now and takes its time; nil: nobody listens
}

// doing says what begins.
func (o Options) doing(format string, args ...any) {
	if o.Doing != nil {
		o.Doing(fmt.Sprintf(format, args...))
	}
}

// checkup gathers findings.
type checkup struct {
	opt   Options
	lines []view.CheckLine
}

func (c *checkup) add(group, name string, err error, detail, cure string) {
	l := view.CheckLine{Group: group, Name: name, OK: err == nil, Detail: detail}
	if err != nil {
		l.Detail, l.Cure = err.Error(), cure
	}
	c.lines = append(c.lines, l)
}

func (c *checkup) warn(group, name, detail, cure string) {
	c.lines = append(c.lines, view.CheckLine{Group: group, Name: name, Warn: true, Detail: detail, Cure: cure})
}

// Check looks at the machine, the repository, the configuration, the store and,
// if asked to, the evaluator on the root and every agent on a small task, which
// may cost money. It writes nothing but caches.
func Check(ctx context.Context, o Options) []view.CheckLine {
	c := &checkup{opt: o}
	c.repository()
	c.configuration(ctx)
	c.scripts()
	box := c.sandbox(ctx)
	c.disk()
	if o.Deep {
		o.doing("reading what is kept in %s", o.State)
	}
	c.lines = append(c.lines, CheckState(ctx, StateOptions{Dir: o.State, Deep: o.Deep, Running: o.Running})...)
	if box != nil {
		if o.Deep && o.ConfigErr == nil && o.Target.Path != "" {
			if !without(o.Config.Complete(), commandKey) {
				c.evaluator(ctx, box)
			}
			c.agents(ctx, box)
		}
		if err := box.Close(); err != nil {
			c.add("sandbox", "end", err, "", "end left-over processes by hand")
		}
	}
	return c.lines
}

func (c *checkup) repository() {
	t := c.opt.Target
	if t.Path == "" {
		return
	}
	c.add("repository", "HEAD", nil, fmt.Sprintf("%s at %s", t.HeadRef, t.Head.Short()), "")
	if t.Dirty {
		c.warn("repository", "work tree", "there are changes that are not committed; atoll starts from the commit", "commit them if they should count")
	}
	if t.LFS {
		c.warn("repository", "LFS", "large files are fetched by git-lfs when it is installed", "install git-lfs")
	}
}

func (c *checkup) configuration(ctx context.Context) {
	if c.opt.ConfigErr != nil {
		c.add("configuration", config.FileName, c.opt.ConfigErr, "", "mend the lines above; `atoll config explain KEY` says what a key takes")
		return
	}
	if problems := c.opt.Config.Complete(); len(problems) > 0 {
		c.add("configuration", config.FileName, problems, "", completing(c.opt.Config.File, problems))
		return
	}
	problems, warnings, err := Start(ctx, c.opt.Target, c.opt.Config, c.getenv)
	if err != nil {
		c.add("configuration", "start", err, "", "look at the repository with git")
		return
	}
	for _, text := range warnings {
		c.warn("configuration", "advice", text, "")
	}
	for _, p := range problems {
		name, _, _ := strings.Cut(p.Key, "[")
		c.add("configuration", name, errors.New(p.String()), "", "until then `atoll run` refuses to start")
	}
	if len(problems) > 0 {
		return
	}
	for _, a := range c.opt.Config.Agents {
		if a.Kind == "broker" && a.Weight > 0 {
			c.warn("configuration", "advice", fmt.Sprintf("jobs of %s wait for workers, who come through a door", a.Name), "`atoll run --http 127.0.0.1:8080 --tokens FILE` opens one")
		}
	}
	for _, advice := range c.opt.Config.Advice() {
		c.warn("configuration", "advice", advice, "")
	}
	c.add("configuration", config.FileName, nil, "complete", "")
}

// commandKey is the key of the program that measures; a configuration that lacks it has nothing to be tried.
const commandKey = "evaluator.command"

// without reports whether a key is among what a configuration lacks.
func without(problems config.Problems, key string) bool {
	return slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Key == key })
}

// completing says how to complete a configuration: file is what it was read from, "" for none.
func completing(file string, problems config.Problems) string {
	if file == "" {
		return "write it with `atoll init`"
	}
	if without(problems, commandKey) {
		return fmt.Sprintf("name the program that measures in evaluator.command of %s; where a thing is missing that keeps `atoll init --force` from finding one, that says which", filepath.Base(file))
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	return fmt.Sprintf("set %s in %s, or write %s anew with `atoll init --force`", strings.Join(keys, ", "), filepath.Base(file), config.FileName)
}

func (c *checkup) sandbox(ctx context.Context) *sandbox.Box {
	mode := sandbox.Mode(c.opt.Config.Sandbox.Mode)
	if mode == "" {
		mode = "auto"
	}
	box, err := sandbox.New(ctx, sandbox.Options{Mode: mode})
	if err != nil {
		c.add("sandbox", "rung", err, "", "allow unprivileged user namespaces or Landlock, or set sandbox.mode: unsafe knowing what that means")
		return nil
	}
	if box.Rung() == sandbox.Namespaces {
		c.add("sandbox", "rung", nil, box.Rung().String(), "")
	} else {
		c.warn("sandbox", "rung", box.Rung().String(), "see the findings below")
	}
	for _, f := range box.Findings() {
		if f.OK {
			c.add("sandbox", f.Name, nil, f.Detail, "")
		} else {
			c.warn("sandbox", f.Name, f.Detail, f.Cure)
		}
	}
	return box
}

// leastDisk is what a run of some hundred candidates needs with room to spare.
const leastDisk = 200 << 20

func (c *checkup) disk() {
	dir := c.opt.State
	for dir != "" && dir != string(filepath.Separator) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	if dir == "" {
		return
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		c.add("system", "disk", err, "", "choose another state directory with --state")
		return
	}
	free := int64(fs.Bavail) * fs.Bsize
	if free < leastDisk {
		c.warn("system", "disk", config.FormatSize(free)+" free at "+dir, "free some space")
		return
	}
	c.add("system", "disk", nil, fmt.Sprintf("%d MiB free at %s", free>>20, dir), "")
	if err := syscall.Access(dir, 2); err != nil {
		c.add("system", "state directory", fmt.Errorf("%s cannot be written: %w", dir, err), "", "choose another with --state")
	}
}

// evaluator measures the root twice: time and noise.
func (c *checkup) evaluator(ctx context.Context, box *sandbox.Box) {
	tmp, err := os.MkdirTemp("", "atoll-doctor-")
	if err != nil {
		c.add("evaluator", "measured root", err, "", "")
		return
	}
	defer os.RemoveAll(tmp)
	values, warnings, took, err := measureRoot(ctx, box, tmp, c.opt)
	if err != nil {
		c.add("evaluator", "measured root", err, "", "run the command by hand in a clean clone, then mend it")
		return
	}
	for _, text := range warnings {
		c.warn("evaluator", "measurement", text, "")
	}
	name := cmp.Or(c.opt.Config.Evaluator.Objective, "objective")
	if c.opt.Config.Evaluator.Paired {
		name = "the root's " + name + " beside itself"
	}
	detail := fmt.Sprintf("%s = %s in %s", name, view.FormatValue(values[0]), took.Round(time.Millisecond))
	if values[0] != values[1] {
		c.warn("evaluator", "measured root", fmt.Sprintf("%s, then %s: noisy", detail, view.FormatValue(values[1])), "raise evaluator.repeats, or keep evaluator.challenge on")
		return
	}
	c.add("evaluator", "measured root", nil, detail+", twice the same", "")
}

func measureRoot(ctx context.Context, box *sandbox.Box, tmp string, o Options) (values []float64, warnings []string, took time.Duration, err error) {
	bench, err := openBench(ctx, box, tmp, o)
	if err != nil {
		return nil, nil, 0, err
	}
	defer bench.close()
	for i := range 2 {
		if i == 0 {
			o.doing("measuring the root, 1 of 2: %s", bench.most())
		} else {
			o.doing("measuring the root, 2 of 2; the last took %s", took.Round(100*time.Millisecond))
		}
		began := o.Now()
		out, err := bench.ev.Run(ctx, eval.Request{Base: bench.base, Trusted: bench.base, Experiment: "doctor", BaseCommit: bench.root, Commit: bench.root, Repeat: i, Root: true, Goal: bench.cfg.Goal})
		took = o.Now().Sub(began)
		if err != nil {
			return nil, nil, took, err
		}
		if out.Class != record.ClassNone {
			return nil, nil, took, fmt.Errorf("%s: %s", out.Class, out.Reason)
		}
		values, warnings = append(values, out.Objective), out.Warnings
	}
	stages, why := bench.ev.Prepare(ctx)
	for i, stage := range stages {
		if why[i] != "" {
			warnings = append(warnings, "evaluations are not warm, runs of stage "+stage+" are started: "+why[i])
		}
	}
	return values, warnings, took, nil
}
