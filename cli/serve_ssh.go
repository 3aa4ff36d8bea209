package cli

import (
	"context"
	"path/filepath"
	"sync"

	"atoll/cli/door"
	"atoll/cli/serve/ssh"
	"atoll/config"
	"atoll/store/record"
	"atoll/tui"
)

// hostKey is the file in a state directory that holds the key by which clients know
// this server.
const hostKey = "ssh_host_ed25519"

// remoteFPS is how often a console over SSH is drawn in a second, at most.
const remoteFPS = 15

// openSSH takes the address of the door for consoles.
func (a *App) openSSH(ctx context.Context, l looker, f doorFlags) (*ssh.Server, error) {
	if f.sshKeys == "" {
		return nil, usage("--ssh needs --ssh-keys FILE: who may come in, a line each: NAME look|decide|admin KEY")
	}
	keys, err := ssh.OpenKeys(a.abs(f.sshKeys), a.Now)
	if err != nil {
		return nil, usage("%v", err)
	}
	cfg, err := config.Decode(l.exp.Config)
	if err != nil {
		return nil, err
	}
	look, err := a.looks(ctx, l.ses, cfg)
	if err != nil {
		return nil, err
	}
	redact := a.redactor(cfg, nil)
	s, err := ssh.Listen(ssh.Options{
		Addr: f.ssh, Keys: keys, HostKey: filepath.Join(l.ses.Dir, hostKey), Logger: l.logger,
		Show: func(ctx context.Context, t ssh.Terminal) error {
			sizes, followed := follow(ctx, t.Sizes)
			defer followed()
			return tui.Run(ctx, tui.Options{
				Feed: l.eng.Feed(), Controller: l.eng.As(t.Who.Name, func(v record.Verb) bool { return t.Now().Role.May(v) }), Reader: l.eng.Reader(),
				ReadOnly: t.Who.Role < door.Decide, Who: t.Who.Name,
				Color: "always", Now: a.Now, Env: t.Env, Input: t.In, Output: t.Out, Remote: &tui.Remote{Size: tui.Size(t.Size), Sizes: sizes, Pace: t.Pace},
				Console: tui.Console{
					Palette: look.Palette, Theme: look.Theme, Mouse: look.Mouse, ASCII: look.ASCII, FPS: min(look.FPS, remoteFPS), Colours: look.Colours,
				},
				CrashDir: filepath.Join(l.ses.Dir, "logs"), Redact: redact, Version: a.Build.Version,
			})
		},
	})
	if err != nil {
		return nil, usage("%v", err)
	}
	return s, nil
}

// follow hands on the sizes of a terminal as the console takes them, until ctx ends
// or stop is called, which waits.
func follow(ctx context.Context, from <-chan ssh.Size) (sizes <-chan tui.Size, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	to := make(chan tui.Size)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(to)
		for {
			select {
			case <-ctx.Done():
				return
			case s, open := <-from:
				if !open {
					return
				}
				select {
				case <-ctx.Done():
				case to <- tui.Size(s):
				}
			}
		}
	})
	return to, func() { cancel(); wg.Wait() }
}
