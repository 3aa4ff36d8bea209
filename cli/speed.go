package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// speedJobs is how many jobs the measurement of the overhead runs.
const speedJobs = 1000

// speed evolves a made-up repository of so many files with the offline agent
// and an evaluator that does next to nothing, and prints what one job cost.
func (a *App) speed(ctx context.Context, files int) error {
	if files < 2 || files > 1_000_000 {
		return usage("--speed %d: between 2 and 1000000 files", files)
	}
	dir, err := os.MkdirTemp("", "atoll-speed-")
	if err != nil {
		return fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(dir)
	repo := filepath.Join(dir, "repo")
	if err := speedRepo(ctx, repo, files); err != nil {
		return err
	}
	target, err := gitops.Inspect(ctx, repo)
	if err != nil {
		return err
	}
	p := place{target: target, state: filepath.Join(dir, "state")}
	ses, err := a.session(ctx, p, true)
	if err != nil {
		return err
	}
	defer ses.Close()
	loaded, err := config.Load(config.LoadOptions{Dir: repo, Data: []byte(speedYAML), File: config.FileName})
	if err != nil {
		return err
	}
	exp, err := a.begin(ctx, ses, p, loaded)
	if err != nil {
		return err
	}
	eng := engine.New(ses, exp.ID, engine.Options{Who: "speed", Now: a.Now, Unattended: true})
	before, began := cpuTime(), a.Now()
	if err := eng.Run(ctx); err != nil {
		return err
	}
	return a.printSpeed(ctx, ses, exp, eng.Feed().Latest(), files, a.Now().Sub(began), cpuTime()-before)
}

const speedYAML = `
goal: measure the overhead
workers: 2
evaluator:
  command: [sh, -c, "echo value=1"]
  output: name=value
  protected: []
map:
  axes:
    - {metric: value, min: 0, max: 2, bins: 4}
search:
  operators: {tune: 1}
gate:
  scope: [params.py]
budget:
  jobs: 1000
`

// speedRepo writes and commits a repository of so many small files, one of
// which has numbers to tune.
func speedRepo(ctx context.Context, dir string, files int) error {
	for i := range files - 1 {
		sub := filepath.Join(dir, fmt.Sprintf("d%03d", i%200), fmt.Sprintf("e%02d", i/200%50))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%d.txt", i)), fmt.Appendf(nil, "file %d\n", i), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "params.py"), speedNumbers(), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=atoll", "-c", "user.email=atoll@localhost", "commit", "--quiet", "--message", "speed"}} {
		if out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// speedNumbers is a file with so many numbers that hardly any two edits of them
// are the same: a duplicate is not measured.
func speedNumbers() []byte {
	var b bytes.Buffer
	b.WriteString("weights = [\n")
	for i := range 40 {
		for j := range 8 {
			fmt.Fprintf(&b, "    %.2f,", 0.11+0.41*float64(i*8+j))
		}
		b.WriteString("\n")
	}
	b.WriteString("]\n")
	return b.Bytes()
}

// cpuTime is the processor time of this process and its ended children.
func cpuTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

func (a *App) printSpeed(ctx context.Context, ses *engine.Session, exp record.Experiment, s *view.Snapshot, files int, wall, cpu time.Duration) error {
	var edit, eval, own float64
	n := 0.0
	var first, last record.Millis
	jobs, err := ses.DB.Jobs(ctx, exp.ID, store.JobFilter{Kind: record.Make, Limit: speedJobs})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if first == 0 || j.Started < first {
			first = j.Started
		}
		last = max(last, j.Ended)
		if j.State != record.Scored && j.State != record.Placed {
			continue
		}
		edit, eval, own, n = edit+float64(j.EditMS), eval+float64(j.EvalMS), own+j.OwnMS, n+1
	}
	if n == 0 {
		return errors.New("no job of the measurement was scored; run `atoll doctor`")
	}
	w := a.Out
	fmt.Fprintf(w, "target     %d files, %d jobs, %.0f of them measured, %d workers, sandbox rung %s\n", files, s.Jobs.Ended(), n, s.Settings.Workers, s.Rung)
	fmt.Fprintf(w, "rate       %.0f measured jobs/s from the first job to the last, %.0f with the start; %.2f ms CPU for each in all processes\n",
		n/(float64(last-first)/1000), n/wall.Seconds(), cpu.Seconds()*1000/n)
	fmt.Fprintf(w, "per job    %.2f ms editing, %.2f ms sandbox and evaluator, %.2f ms own (tree, commit, gate, store)\n", edit/n, eval/n, own/n)
	return nil
}
