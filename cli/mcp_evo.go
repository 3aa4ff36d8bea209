package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"atoll/cli/mcp"
	"atoll/cli/mcp/evo"
	"atoll/config"
	"atoll/engine"
	"atoll/gitops"
	"atoll/store/record"
)

// evolve speaks the protocol of Evo-anything with the program that started it: what
// that program commits is measured here.
func (a *App) evolve(ctx context.Context, dialect evo.Dialect, below []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &evoHost{app: a, life: ctx}
	for _, dir := range below {
		h.below = append(h.below, a.abs(dir))
	}
	err := evo.NewServer(evo.NewMachine(h, dialect), a.Build.Version).Run(ctx, mcp.Lines(a.In, a.Out))
	cancel()
	return errors.Join(clientGone(err), h.close())
}

// evoHost has the experiment that a client evolves, and its engine.
type evoHost struct {
	app   *App
	life  context.Context // of the engine
	below []string        // folders whose repositories may be evolved beside the one here

	mu  sync.Mutex
	now *evoRun // nil: none yet
}

// evoRun is an experiment with the engine that runs it, or looks on while another
// process does.
type evoRun struct {
	ses   *engine.Session
	bench *evo.Bench
	stop  func() error
}

func (h *evoHost) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now == nil {
		return nil
	}
	err := h.now.stop()
	h.now = nil
	return err
}

// Present is [evo.Host.Present]: the newest experiment here that a client began.
func (h *evoHost) Present(ctx context.Context) (*evo.Bench, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now != nil {
		return h.now.bench, nil
	}
	none := fmt.Errorf("%w: nothing was begun here; evo_init comes first", evo.ErrMissing)
	p, err := h.app.place(ctx)
	if err != nil || !engine.HasExperiments(p.state) {
		return nil, none
	}
	ses, err := h.app.session(ctx, p, false)
	if err != nil {
		return nil, err
	}
	all, err := ses.DB.Experiments(ctx)
	if err != nil {
		return nil, errors.Join(err, ses.Close())
	}
	for _, exp := range slices.Backward(all) {
		if _, ours, err := ses.DB.Meta(ctx, exp.ID, evo.Key); err == nil && ours {
			return h.start(ses, exp)
		}
	}
	return nil, errors.Join(none, ses.Close())
}

// Begin is [evo.Host.Begin].
func (h *evoHost) Begin(ctx context.Context, s evo.Setup, state string) (*evo.Bench, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.placeOf(ctx, s.RepoPath)
	if err != nil {
		return nil, err
	}
	loaded, err := h.configure(ctx, p, s)
	if err != nil {
		return nil, err
	}
	if h.now != nil {
		err, h.now = h.now.stop(), nil
		if err != nil {
			return nil, err
		}
	}
	ses, err := h.app.session(ctx, p, true)
	if err != nil {
		return nil, err
	}
	exp, err := h.create(ctx, ses, p, loaded, state)
	if err != nil {
		return nil, errors.Join(err, ses.Close())
	}
	return h.start(ses, exp)
}

func (h *evoHost) create(ctx context.Context, ses *engine.Session, p place, loaded config.Loaded, state string) (record.Experiment, error) {
	if err := ses.Lock(); err != nil {
		return record.Experiment{}, err
	}
	exp, err := h.app.begin(ctx, ses, p, loaded)
	if err != nil {
		return exp, err
	}
	return exp, ses.DB.PutMeta(ctx, exp.ID, evo.Key, state)
}

// placeOf finds a repository that may be evolved: the one here, or one below the
// folders that a person named.
func (h *evoHost) placeOf(ctx context.Context, path string) (place, error) {
	if path == "" {
		path = h.app.abs(h.app.flags.repo)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.app.abs(h.app.flags.repo), path)
	}
	target, err := gitops.Inspect(ctx, path)
	if err != nil {
		return place{}, err
	}
	own, err := h.app.placeBy(ctx, gitops.Locate)
	if err == nil && own.target.CommonDir == target.CommonDir {
		return place{target: target, state: own.state}, nil
	}
	top, err := filepath.EvalSymlinks(target.Path)
	if err != nil {
		return place{}, err
	}
	for _, dir := range h.below {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			continue
		}
		if rel, err := filepath.Rel(dir, top); err == nil && filepath.IsLocal(rel) {
			return place{target: target, state: filepath.Join(target.CommonDir, "atoll")}, nil
		}
	}
	return place{}, usage("%s is another repository than the one this server was started in; start it with --below DIR to allow those below a folder", path)
}

// configure is the configuration of an experiment that a client feeds. What the
// repository says measures; without an atoll.yaml the client's benchmark does.
func (h *evoHost) configure(ctx context.Context, p place, s evo.Setup) (config.Loaded, error) {
	direction := "minimize"
	if s.Objective == "max" {
		direction = "maximize"
	}
	flags := []config.Flag{
		{Key: "search.only_injected", Value: "true", Name: "evo_init"},
		{Key: "budget.jobs", Value: strconv.Itoa(s.MaxFE - 1), Name: "max_fe"},
		{Key: "order", Value: "completion", Name: "evo_init"},
	}
	loaded, err := h.app.load(ctx, p, flags)
	if err != nil {
		return loaded, err
	}
	loaded.Roles = config.Roles{}
	ev := &loaded.Evaluator
	if loaded.File != "" {
		if ev.Direction != direction {
			return loaded, usage("%s says %s, and the objective of evo_init is %s", loaded.File, ev.Direction, s.Objective)
		}
		return loaded, nil
	}
	ev.Command, ev.Output, ev.Direction = []string{"sh", "-c", s.BenchmarkCmd}, "last-number", direction
	ev.Protected = append(ev.Protected, protectedByClients...)
	if s.QuickCmd != "" {
		ev.Stages = []config.Stage{
			{Name: "quick", Command: []string{"sh", "-c", s.QuickCmd}, Output: "none", Timeout: ev.Timeout},
			{Name: "full", Command: ev.Command, Output: ev.Output, Timeout: ev.Timeout},
		}
	}
	return loaded, nil
}

// protectedByClients are the files that measure, by the names that the protocol
// gives them.
var protectedByClients = []string{
	"**/benchmark*.py", "**/eval*.py", "**/evaluate*.py", "**/run_eval*", "**/test_bench*", "**/*.sh",
}

// start runs an experiment until the run is stopped. The session is its own.
func (h *evoHost) start(ses *engine.Session, exp record.Experiment) (*evo.Bench, error) {
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return nil, errors.Join(err, ses.Close())
	}
	logger, closeLog, err := openLog(ses.Dir)
	if err != nil {
		return nil, errors.Join(err, ses.Close())
	}
	opt := h.app.engineOptions(runFlags{})
	opt.Who, opt.Logger, opt.KeepState = h.app.who()+" (mcp)", logger, exp.State == record.ExperimentPaused
	eng := engine.New(ses, exp.ID, opt)
	ctx, cancel := context.WithCancel(h.life)
	done := make(chan struct{})
	go func() {
		defer close(done)
		keepRunning(ctx, ses, eng)
	}()
	h.now = &evoRun{ses: ses, bench: &evo.Bench{Engine: eng, Seed: exp.Seed, Evaluator: strings.Join(cfg.Evaluator.Command, " ")}, stop: func() error {
		cancel()
		<-done
		closeLog()
		return ses.Close()
	}}
	return h.now.bench, nil
}

// keepRunning runs an engine until ctx ends. While another process runs the
// experiment it looks on, and takes over when that one ends.
func keepRunning(ctx context.Context, ses *engine.Session, eng *engine.Engine) {
	for ctx.Err() == nil {
		run, cancel := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for run.Err() == nil {
				select {
				case <-run.Done():
				case <-tick.C:
					if !ses.Locked() && ses.OwnerPID() == 0 {
						cancel()
					}
				}
			}
		})
		_ = eng.Run(run) // its end is told by the snapshots
		cancel()
		watch.Wait()
		if ctx.Err() == nil && eng.Owner() && !eng.Idle(ctx) {
			return
		}
	}
}
