package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/spf13/cobra"

	"atoll/cli/door"
	"atoll/cli/mcp"
	"atoll/cli/serve"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// doorFlags say which doors are open, and to whom.
type doorFlags struct {
	http    string
	tokens  string
	private bool
	plain   bool
	cert    string
	key     string
	hosts   []string
	ssh     string
	sshKeys string
	hooks   []string
}

func (f *doorFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.http, "http", "", "serve JSON, events, figures and a page on this address, such as 127.0.0.1:7777")
	fl.StringVar(&f.ssh, "ssh", "", "serve the console over SSH on this address, such as 127.0.0.1:2222")
	fl.StringVar(&f.sshKeys, "ssh-keys", "", "file of those who may come in by SSH, a line each: NAME look|decide|admin KEY")
	fl.StringSliceVar(&f.hooks, "webhook", nil, "post news (a new best, a review that waits, a pause, the end) to this address; signed with ATOLL_WEBHOOK_SECRET where that is set (repeatable)")
	fl.StringVar(&f.tokens, "tokens", "", "file of those who may decide, a line each: NAME look|decide|admin TOKEN")
	fl.BoolVar(&f.private, "private", false, "looking needs a token as well")
	fl.BoolVar(&f.plain, "plain", false, "serve other machines without TLS, as behind a proxy")
	fl.StringVar(&f.cert, "cert", "", "PEM file of the certificate, for TLS")
	fl.StringVar(&f.key, "key", "", "PEM file of its key")
	fl.StringSliceVar(&f.hosts, "host", nil, "further name under which the server is asked for (repeatable)")
}

func (f *doorFlags) any() bool { return f.http != "" || f.ssh != "" || len(f.hooks) > 0 }

func (a *App) serveCmd() *cobra.Command {
	var f doorFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Let browsers, programs and people on other machines look at the experiment, and decide with a token or a key",
		Long: "serve opens doors to the experiment here and runs no job itself: it works beside an engine in another process,\n" +
			"and without one shows what is there. Looking is free on this machine; deciding needs a token of the --tokens file.",
		Example: "  atoll serve --http 127.0.0.1:7777\n  atoll serve --ssh :2222 --ssh-keys keys\n  printf 'ada decide %s\\n' $(openssl rand -hex 24) > tokens && chmod 600 tokens\n  atoll serve --http 127.0.0.1:7777 --tokens tokens", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !f.any() {
				return usage("which door? --http 127.0.0.1:7777, --ssh 127.0.0.1:2222, or --webhook https://host/path")
			}
			return a.serve(cmd.Context(), f)
		},
	}
	f.add(cmd)
	return cmd
}

// serve looks on and answers until a signal comes.
func (a *App) serve(ctx context.Context, f doorFlags) error {
	return a.looking(ctx, func(ctx context.Context, l looker) error {
		doors, err := a.openDoors(ctx, l, f)
		if err != nil {
			return err
		}
		for _, text := range doors.said {
			fmt.Fprintln(a.Err, "atoll: "+text)
		}
		return doors.run(ctx)
	})
}

// looker is an engine with the experiment that it runs or looks on at.
type looker struct {
	eng    *engine.Engine
	ses    *engine.Session
	exp    record.Experiment
	logger *slog.Logger
}

// looking runs fn beside an engine that looks on at the experiment here, until fn
// returns; a signal ends its context.
func (a *App) looking(ctx context.Context, fn func(ctx context.Context, l looker) error) error {
	o, err := a.openUnfolded(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	logger, closeLog, err := openLogOf(o.Session)
	if err != nil {
		return err
	}
	defer closeLog()
	opt := a.engineOptions(runFlags{})
	opt.Look, opt.Logger = true, logger
	eng := engine.New(o.Session, o.exp.ID, opt)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { a.lookOn(ctx, eng) })
	err = fn(ctx, looker{eng, o.Session, o.exp, logger})
	cancel()
	wg.Wait()
	return ignoreCancel(err)
}

// lookOn follows an experiment until ctx ends.
func (a *App) lookOn(ctx context.Context, eng *engine.Engine) {
	for {
		_ = eng.Run(ctx) // its end is told by the snapshots
		if !eng.Idle(ctx) {
			return
		}
	}
}

// doors are those that are open: addresses that were taken, and not yet answered
// on.
type doors struct {
	door *door.Door
	runs []func(ctx context.Context) error
	said []string
}

// pageAt is how the line begins that tells where the page is.
const pageAt = "the page is at "

// openDoors takes the addresses. Nothing is answered before run.
func (a *App) openDoors(ctx context.Context, l looker, f doorFlags) (*doors, error) {
	d := &doors{door: door.New(l.eng)}
	var tokens *door.Tokens
	if f.tokens != "" {
		var err error
		if tokens, err = door.OpenTokens(a.abs(f.tokens), a.Now); err != nil {
			return nil, err
		}
	}
	if f.http != "" {
		o := serve.Options{
			Door: d.door, Addr: f.http, Tokens: tokens, Private: f.private, Plain: f.plain, Hosts: f.hosts, Now: a.Now, Logger: l.logger, Version: a.Build.Version,
			Agents: func(who func(context.Context) door.Caller) http.Handler {
				return mcp.Handler(d.door, who, a.Build.Version)
			},
		}
		if f.cert != "" || f.key != "" {
			o.Cert, o.Key = a.abs(f.cert), a.abs(f.key)
		}
		s, err := serve.Listen(o)
		if err != nil {
			return nil, usage("%v", err)
		}
		d.runs, d.said = append(d.runs, s.Run), append(d.said, pageAt+s.URL())
	}
	for _, hook := range f.hooks {
		h, err := serve.NewWebhook(serve.WebhookOptions{Door: d.door, URL: hook, Secret: a.getenv("ATOLL_WEBHOOK_SECRET"), Now: a.Now, Logger: l.logger, Say: func(text string) {
			fmt.Fprintln(a.Err, "atoll: "+view.CleanLine(text))
		}})
		if err != nil {
			return nil, usage("%v", err)
		}
		d.runs = append(d.runs, h.Run)
	}
	if f.ssh != "" {
		s, err := a.openSSH(ctx, l, f)
		if err != nil {
			return nil, err
		}
		d.runs, d.said = append(d.runs, s.Run), append(d.said, fmt.Sprintf("the console is at ssh://%s, host key %s", s.Addr(), s.Fingerprint()))
	}
	return d, nil
}

// run answers until ctx ends, or until a door cannot go on.
func (d *doors) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { d.door.Run(ctx) })
	errs := make([]error, len(d.runs))
	for i, run := range d.runs {
		wg.Go(func() {
			defer cancel()
			errs[i] = run(ctx)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// beside opens doors to an engine that this process runs; the returned function
// closes them.
func (a *App) beside(ctx context.Context, l looker, f doorFlags) (func(), error) {
	if !f.any() {
		return func() {}, nil
	}
	d, err := a.openDoors(ctx, l, f)
	if err != nil {
		return nil, err
	}
	for _, text := range d.said {
		fmt.Fprintln(a.Err, "atoll: "+text)
	}
	if err := l.ses.Announce(d.said); err != nil {
		return nil, fmt.Errorf("tell other processes of the doors: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := d.run(ctx); ignoreCancel(err) != nil {
			l.logger.Error("a door closed: " + err.Error())
		}
	}()
	return func() { cancel(); <-done }, nil
}
