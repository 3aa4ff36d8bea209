package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"atoll/engine/view"
	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// Run shows the console until the person leaves or ctx ends. It returns nil
// after an orderly end, [ErrAborted] when running jobs were to be ended at
// once, and a [*CrashError] after a defect of its own; the terminal is
// restored in every case. The engine is not stopped here: Options.Quit asks
// for it, and the caller waits.
func Run(ctx context.Context, o Options) error {
	if o.Feed == nil {
		return ErrNoFeed
	}
	if o.Who == "" {
		o.Who = "console"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a, err := newApp(ctx, o)
	if err != nil {
		return err
	}
	a.remembered(readState(o.StateFile))
	p := tea.NewProgram(a, programOptions(a)...)
	if o.Remote != nil {
		defer o.Remote.follow(p)()
	}
	m, err := widget.Show(ctx, p)
	if last, ok := m.(*app); ok {
		a = last
	}
	writeState(o.StateFile, a.state())
	return a.ended(ctx, err)
}

// follow tells a program how large the terminal is, until the returned function is
// called.
func (r *Remote) follow(p *tea.Program) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case s, open := <-r.Sizes:
				if !open {
					return
				}
				p.Send(tea.WindowSizeMsg{Width: s.Width, Height: s.Height})
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

func programOptions(a *app) []tea.ProgramOption {
	o := &a.opt
	fps := o.Console.FPS
	if fps <= 0 {
		fps = 30
	}
	opts := []tea.ProgramOption{tea.WithFPS(min(fps, 60)), tea.WithFilter(coalesce())}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		opts = append(opts, tea.WithOutput(announce(o.Output, o.Shown)))
	}
	if len(o.Env) > 0 {
		opts = append(opts, tea.WithEnvironment(o.Env))
	}
	if o.Remote != nil { // a server has many consoles: none of them may listen to its signals
		opts = append(opts, tea.WithoutSignalHandler(), tea.WithWindowSize(o.Remote.Size.Width, o.Remote.Size.Height))
	}
	if p, ok := fixedProfile(o); ok {
		a.d.Profile = p
		a.opt.Color = "fixed"
		a.d.Restyle()
		opts = append(opts, tea.WithColorProfile(p))
	}
	return opts
}

// announce returns out such that shown is called after the first frame was
// written: that is what switches to the other screen of the terminal.
func announce(out io.Writer, shown func()) io.Writer {
	if shown == nil {
		return out
	}
	if f, ok := out.(term.File); ok {
		return &announcedFile{File: f, announced: announced{out, shown}}
	}
	return &announced{out, shown}
}

type announced struct {
	out   io.Writer
	shown func() // nil after it was called
}

func (a *announced) Write(p []byte) (int, error) {
	n, err := a.out.Write(p)
	if a.shown != nil && bytes.Contains(p, []byte(ansi.SetModeAltScreenSaveCursor)) {
		a.shown()
		a.shown = nil
	}
	return n, err
}

// announcedFile stays a terminal: its size and its mode are asked for.
type announcedFile struct {
	term.File
	announced
}

func (a *announcedFile) Write(p []byte) (int, error) { return a.announced.Write(p) }

// fixedProfile decides what is not left to detection: NO_COLOR with any value
// that is not empty, --color never, --color always.
func fixedProfile(o *Options) (colorprofile.Profile, bool) {
	term := lookupEnv(o.Env, "TERM")
	switch {
	case o.Color == "never", o.Color != "always" && lookupEnv(o.Env, "NO_COLOR") != "", term == "dumb":
		return colorprofile.ASCII, true
	case term == "linux":
		return colorprofile.ANSI, true
	case o.Color == "always":
		if p := colorprofile.Env(o.Env); p >= colorprofile.ANSI {
			return p, true
		}
		return colorprofile.ANSI256, true
	}
	return 0, false
}

// coalesce lets one wheel event through in 16 ms: terminals send bursts.
func coalesce() func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg.(type) {
		case tea.MouseWheelMsg:
			now := time.Now()
			if now.Sub(last) < 16*time.Millisecond {
				return nil
			}
			last = now
		case tea.MouseMotionMsg:
			return nil
		}
		return msg
	}
}

// ended turns the end of the program into an error of this package.
func (a *app) ended(ctx context.Context, err error) error {
	switch {
	case a.crash != nil:
		a.crash.Err = err
		a.crash.File = writeCrash(&a.opt, a.d.Today(), a.crash)
		return a.crash
	case errors.Is(err, tea.ErrProgramPanic):
		c := &CrashError{Where: "the screen", Value: err.Error(), Err: err}
		c.File = writeCrash(&a.opt, a.d.Today(), c)
		return c
	case a.leaving.aborted:
		return ErrAborted
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !errors.Is(err, tea.ErrProgramKilled):
		return fmt.Errorf("the console ended: %w", err)
	}
	return nil
}

// writeCrash keeps a report and returns its path, "" when that failed.
func writeCrash(o *Options, at time.Time, c *CrashError) string {
	if o.Redact != nil {
		c.Value, c.Stack = o.Redact(c.Value), o.Redact(c.Stack)
	}
	if o.CrashDir == "" {
		return ""
	}
	dir := o.CrashDir
	path := filepath.Join(dir, "crash-"+at.UTC().Format("20060102-150405")+".log")
	text := fmt.Sprintf("atoll %s\n%s\nin %s: %s\n\n%s\n", o.Version, at.UTC().Format(time.RFC3339), c.Where, c.Value, c.Stack)
	if os.MkdirAll(dir, 0o755) != nil || os.WriteFile(path, []byte(text), 0o600) != nil {
		return ""
	}
	return path
}

// state is the layout that is remembered between runs.
type state struct {
	Focus   pane.ID           `json:"focus"`
	Half    bool              `json:"half"`
	Runs    int               `json:"runs"`              // with hints
	Of      string            `json:"of"`                // the experiment that layer and level were chosen for
	Options map[string]string `json:"options,omitempty"` // chosen by the person
	pane.Memory
}

// experimentKey tells an experiment from others of this person.
func experimentKey(s *view.Snapshot) string {
	x := &s.Experiment
	return fmt.Sprint(x.Repository, " ", int64(x.ID), " ", x.Name)
}

func (a *app) state() state {
	s := state{Focus: a.at.focus, Half: a.at.zoom == zoomHalf, Runs: a.runs + 1, Of: experimentKey(a.d.Snap), Options: a.panes.Options.Chosen()}
	for _, p := range a.panes.ByID {
		p.Remember(&s.Memory)
	}
	return s
}

// remembered takes what makes sense of a former layout.
func (a *app) remembered(s state, ok bool) {
	if !ok {
		return
	}
	a.runs = s.Runs
	if s.Of != experimentKey(a.d.Snap) { // what one looked at there is not of interest here
		s.Focus = pane.Niches
		s.Memory.Forget()
	}
	if s.Focus >= pane.Niches && s.Focus <= pane.Log {
		a.at.focus = s.Focus
	}
	if s.Half {
		a.at.zoom = zoomHalf
	}
	for _, p := range a.panes.ByID {
		p.Recall(s.Memory)
	}
	a.panes.Options.Choose(s.Options) // Init asks the terminal what a theme needs
}

// readState reads a remembered layout; what cannot be read is ignored.
func readState(path string) (s state, ok bool) {
	if path == "" {
		return s, false
	}
	data, err := os.ReadFile(path)
	return s, err == nil && json.Unmarshal(data, &s) == nil
}

// writeState remembers the layout as well as it can: losing it costs a key
// press.
func writeState(path string, s state) {
	if path == "" {
		return
	}
	if data, err := json.Marshal(s); err == nil && os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = os.WriteFile(path, data, 0o600)
	}
}

// glyphsOf chooses the characters: the Linux console has blocks but no
// braille, a dumb terminal and a locale without UTF-8 have ASCII.
func glyphsOf(o *Options) plot.Glyphs {
	switch term := lookupEnv(o.Env, "TERM"); {
	case o.Console.ASCII || term == "dumb" || !utf8Locale(o.Env):
		return plot.ASCII
	case term == "linux":
		return plot.Blocks
	}
	return plot.Braille
}

// utf8Locale reports whether the locale has more than plain characters. An
// environment that names none is that of a program on its own, such as in a
// container, where terminals are UTF-8 all the same.
func utf8Locale(env []string) bool {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} { // as setlocale(3) looks them up
		if v := strings.ToLower(lookupEnv(env, name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

func lookupEnv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if len(env[i]) > len(name) && env[i][len(name)] == '=' && env[i][:len(name)] == name {
			return env[i][len(name)+1:]
		}
	}
	return ""
}
