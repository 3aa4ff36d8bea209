package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine/fleet/wire"
	"atoll/engine/fleet/worker"
	"atoll/engine/sandbox"
	"atoll/engine/view"
)

// workerFlags are those of worker.
type workerFlags struct {
	join   string
	name   string
	slots  int
	labels []string
	pool   string
	mode   string
	cache  int64 // MiB
	edit   bool
}

func (a *App) workerCmd() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use: "worker", Short: "Measure candidates here for a run on another machine",
		Long: "worker joins the fleet of a run and measures what it is given, until it is told to end. The first signal finishes what runs, the\nsecond breaks it off. It needs no repository and no configuration: what it needs comes from the run.",
		Example: "  atoll worker --join atoll1.eyJhIjoi...     an invite, printed by `atoll fleet invite NAME`\n" +
			"  atoll worker --join -                       the same, read from standard input\n" +
			"  atoll worker --join nats://hub:4222 --name rack1 --slots 8",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.work(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.join, "join", "", "an invite, - to read it from standard input, or the URL of a NATS server (default: $ATOLL_JOIN)")
	fl.StringVar(&f.name, "name", "", "with a URL: the name of this machine (default: its host name)")
	fl.IntVar(&f.slots, "slots", 0, "samples at the same time (default: half the cores)")
	fl.StringArrayVar(&f.labels, "label", nil, "what the machine has, e.g. gpu=1 (repeatable)")
	fl.StringVar(&f.pool, "pool", "", "with a URL: the machines that this one belongs to; an invite says it itself")
	fl.StringVar(&f.mode, "sandbox", "auto", "auto, namespaces, landlock or unsafe")
	fl.Int64Var(&f.cache, "cache", worker.DefaultCache>>20, "MiB kept of base trees")
	fl.BoolVar(&f.edit, "edit", false, "run coding clients here, too, for agents that have on_workers: true; they reach their model through the run")
	return cmd
}

// options turns the flags into what a worker works with.
func (a *App) workerOptions(f workerFlags) (worker.Options, error) {
	o := worker.Options{
		Join: f.join, Name: f.name, Slots: f.slots, Version: a.Build.release(), Cache: f.cache << 20, Labels: map[string]string{},
		Edits: f.edit, Sandbox: sandbox.Options{Mode: sandbox.Mode(f.mode)}, Now: a.Now,
	}
	if o.Join == "" {
		o.Join = a.getenv("ATOLL_JOIN")
	}
	if o.Join == "-" {
		text, err := io.ReadAll(io.LimitReader(a.In, 1<<16))
		if err != nil {
			return o, fmt.Errorf("read the invite: %w", err)
		}
		o.Join = string(text)
	}
	var err error
	if o.Join, err = wire.Pasted(o.Join); err != nil {
		return o, usage("%v", err)
	}
	if o.Join == "" {
		return o, usage("--join is missing: give it what `atoll fleet invite NAME` printed on the machine of the run")
	}
	if o.Slots == 0 {
		o.Slots = max(1, runtime.NumCPU()/2)
	}
	if o.Slots < 0 || o.Cache < 0 {
		return o, usage("--slots %d, --cache %d: numbers above 0", f.slots, f.cache)
	}
	for _, l := range f.labels {
		name, value, ok := strings.Cut(l, "=")
		if !ok || name == "" {
			return o, usage("--label %q: write NAME=VALUE, such as gpu=1", l)
		}
		o.Labels[name] = value
	}
	switch o.Sandbox.Mode {
	case sandbox.ModeAuto, sandbox.ModeNamespaces, sandbox.ModeLandlock, sandbox.ModeUnsafe:
	default:
		return o, usage("--sandbox %q: auto, namespaces, landlock or unsafe", f.mode)
	}
	if wire.IsInvite(o.Join) {
		i, err := wire.ParseInvite(o.Join)
		if err != nil {
			return o, usage("%v", err)
		}
		if f.pool != "" && f.pool != i.Pool {
			return o, usage("--pool %s: the invite is for pool %s; `atoll fleet invite %s --pool %[1]s` makes another", f.pool, i.Pool, i.Name)
		}
		if f.name != "" && f.name != i.Name {
			return o, usage("--name %s: the invite is for %s; `atoll fleet invite %[1]s` on the machine of the run makes another", f.name, i.Name)
		}
		o.Name = i.Name
	} else if _, err := wire.ParseServer(o.Join); err != nil {
		return o, usage("%v", err)
	}
	if o.Pool = f.pool; o.Pool != "" && wire.CheckName(o.Pool) != nil {
		return o, usage("--pool %q: use up to 40 of a-z, 0-9 and -, such as gpu", o.Pool)
	}
	if o.Name == "" {
		o.Name = hostName()
	}
	if err := wire.CheckName(o.Name); err != nil {
		return o, usage("%v", err)
	}
	o.State = a.flags.state
	if o.State == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, fmt.Errorf("find a folder for the worker: %w; name one with --state", err)
		}
		o.State = filepath.Join(cache, "atoll", "worker-"+o.Name)
	}
	o.State = a.abs(o.State)
	return o, nil
}

// hostName is the name of this machine as it can stand in a subject.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "worker"
	}
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9-]+`).ReplaceAllString(name, "-"), "-")
	return name[:min(len(name), 40)]
}

// work runs a worker until it is told to end.
func (a *App) work(ctx context.Context, f workerFlags) error {
	o, err := a.workerOptions(f)
	a.flags.state = "" // a worker's own: what is told to be typed is for the machine of the run
	if err != nil {
		return err
	}
	var say sync.Mutex
	o.Say = func(level, text string) {
		say.Lock()
		defer say.Unlock()
		if a.flags.json {
			writeJSONLine(a.Out, workerLine{a.Now(), level, text})
			return
		}
		mark := ""
		if level != "info" {
			mark = level + ": "
		}
		fmt.Fprintf(a.Out, "%s %s%s\n", a.Now().Format(time.TimeOnly), mark, view.CleanLine(text))
	}
	if n, err := sandbox.ReapStrays(o.Sandbox.Scratch); err == nil && n > 0 {
		o.Say("info", "ended "+view.Plural(n, "process")+" of a worker that died")
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	drain, done := make(chan struct{}), make(chan struct{})
	signals, deaf := a.interrupts.listen()
	defer deaf()
	var listener sync.WaitGroup
	listener.Go(func() {
		for came := false; ; came = true {
			select {
			case <-done:
				return
			case <-signals:
			}
			if came {
				abort(errInterrupted)
				return
			}
			o.Say("info", "finishing what runs; once more breaks it off")
			close(drain)
		}
	})
	err = worker.Run(ctx, o, drain)
	close(done)
	listener.Wait()
	if errors.Is(context.Cause(ctx), errInterrupted) {
		o.Say("warn", "broken off; what ran goes to other machines")
		return told(exitInterrupted)
	}
	return err
}

// workerLine is a line of a worker as JSON.
type workerLine struct {
	At    time.Time `json:"at"`
	Level string    `json:"level"` // info, warn or error
	Text  string    `json:"text"`
}
