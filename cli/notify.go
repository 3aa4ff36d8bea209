package cli

import (
	"context"
	"fmt"
	"slices"

	"atoll/engine/plugin"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/store/record"
)

// tellPlugins tells the notifiers of plugins.notifiers the news of console.news, all
// where that is empty, while an experiment runs. The function that it returns tells what is left and waits; it
// is called once. A notifier that fails is a line on stderr and no more: news are not
// worth a run.
func (a *App) tellPlugins(exp record.Experiment, f runFlags, feed *view.Feed) (stop func(), err error) {
	cfg, err := a.present(exp, f)
	if err != nil || len(cfg.Plugins.Notifiers) == 0 {
		return func() {}, err
	}
	var list []*plugin.Plugin
	for _, dir := range cfg.Plugins.Notifiers {
		p, err := plugin.OpenAs(dir, a.getenv, plugin.Notifier)
		if err != nil {
			return func() {}, fmt.Errorf("plugins.notifiers: %w", err)
		}
		list = append(list, p)
	}
	ctx, leave := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		n := &newsTeller{app: a, list: list, mode: sandbox.Mode(cfg.Sandbox.Mode), scratch: cfg.Sandbox.Scratch, on: cfg.Console.News}
		if len(n.on) == 0 {
			n.on = []string{view.NewsBest, view.NewsReview, view.NewsPause, view.NewsEnd}
		}
		n.follow(ctx, feed)
	}()
	return func() { leave(); <-done }, nil
}

// newsTeller follows the snapshots of one run.
type newsTeller struct {
	app     *App
	list    []*plugin.Plugin
	on      []string
	mode    sandbox.Mode
	scratch string
	host    *plugin.Host // made with the first news
	said    map[string]bool
}

// follow tells until ctx ends, the last snapshot included.
func (n *newsTeller) follow(ctx context.Context, feed *view.Feed) {
	var last *view.Snapshot
	var version uint64
	for {
		snap, err := feed.Wait(ctx, version)
		version = snap.Version
		if !snap.Loading {
			for _, x := range view.NewsOf(last, snap, view.FormatValue) {
				if slices.Contains(n.on, x.What) {
					n.tell(snap.Experiment.Name, x)
				}
			}
			last = snap
		}
		if err != nil {
			break
		}
	}
	if n.host != nil {
		_ = n.host.Box.(*sandbox.Box).Close()
	}
}

// tell hands one piece of news to every notifier; each has announceTime.
func (n *newsTeller) tell(experiment string, x view.News) {
	for _, p := range n.list {
		if err := n.ask(p, plugin.NotifyParams{Experiment: experiment, Event: x.What, Text: view.CleanLine(x.Text)}); err != nil && !n.said[p.Name] {
			if n.said == nil {
				n.said = map[string]bool{}
			}
			n.said[p.Name] = true // once is enough
			fmt.Fprintln(n.app.Err, "atoll: the news were not told:", view.CleanLine(err.Error()))
		}
	}
}

func (n *newsTeller) ask(p *plugin.Plugin, params plugin.NotifyParams) error {
	ctx, cancel := context.WithTimeout(context.Background(), announceTime)
	defer cancel()
	if n.host == nil {
		box, err := sandbox.New(ctx, sandbox.Options{Mode: n.mode, Scratch: n.scratch})
		if err != nil {
			return err
		}
		n.host = &plugin.Host{Box: box, Getenv: n.app.getenv}
	}
	_, err := n.host.Call(ctx, p, plugin.Call{Params: params})
	return err
}
