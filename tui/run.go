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
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// newPanes makes all panes and screens.
func newPanes(d *desk) map[paneID]pane {
	b := func(id paneID) base { return base{d: d, id: id} }
	return map[paneID]pane{
		paneNiches:     newNiches(d),
		paneJobs:       newJobs(d),
		paneCurves:     newCurves(d),
		paneReview:     newReview(d),
		paneLog:        newLog(d),
		paneFailures:   &failuresPane{base: b(paneFailures)},
		paneYields:     &yieldsPane{base: b(paneYields)},
		paneNotes:      &notesPane{base: b(paneNotes)},
		paneDecisions:  &decisionsPane{base: b(paneDecisions)},
		paneJob:        newJob(d),
		paneCandidate:  newCandidate(d),
		paneLineage:    newLineage(d),
		paneSettings:   &settingsPane{base: b(paneSettings)},
		paneDoctor:     &doctorPane{base: b(paneDoctor)},
		paneCandidates: newCandidates(d),
	}
}

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
	m, err := tea.NewProgram(a, a.programOptions(ctx)...).Run()
	if last, ok := m.(*app); ok {
		a = last
	}
	writeState(o.StateFile, a.state())
	return a.ended(ctx, err)
}

func (a *app) programOptions(ctx context.Context) []tea.ProgramOption {
	o := &a.d.opt
	fps := o.Console.FPS
	if fps <= 0 {
		fps = 30
	}
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(min(fps, 60)), tea.WithFilter(coalesce())}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		opts = append(opts, tea.WithOutput(announce(o.Output, o.Shown)))
	}
	if len(o.Env) > 0 {
		opts = append(opts, tea.WithEnvironment(o.Env))
	}
	if p, ok := fixedProfile(o); ok {
		a.d.profile = p
		a.d.opt.Color = "fixed"
		a.d.restyle()
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
		a.crash.File = writeCrash(&a.d.opt, a.d.now(), a.crash)
		return a.crash
	case errors.Is(err, tea.ErrProgramPanic):
		c := &CrashError{Where: "the screen", Value: err.Error(), Err: err}
		c.File = writeCrash(&a.d.opt, a.d.now(), c)
		return c
	case a.aborted:
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
	Focus   paneID `json:"focus"`
	Half    bool   `json:"half"`
	Layer   layer  `json:"layer"`
	ByRank  bool   `json:"by_rank"`
	Palette string `json:"palette"`
	Level   int    `json:"level"`
	Split   int    `json:"split"`
	Runs    int    `json:"runs"` // with hints
}

func (a *app) state() state {
	n := a.panes[paneNiches].(*nichesPane)
	return state{
		Focus: a.focus, Half: a.zoom == zoomHalf, Layer: n.layer, ByRank: n.byRank, Palette: a.d.palette,
		Level: a.panes[paneLog].(*logPane).level, Split: a.panes[paneCandidate].(*candidatePane).d1.force, Runs: a.runs + 1,
	}
}

// remembered takes what makes sense of a former layout.
func (a *app) remembered(s state, ok bool) {
	if !ok {
		return
	}
	a.runs = s.Runs
	if s.Focus >= paneNiches && s.Focus <= paneLog {
		a.focus = s.Focus
	}
	if s.Half {
		a.zoom = zoomHalf
	}
	n := a.panes[paneNiches].(*nichesPane)
	if s.Layer >= 0 && s.Layer < layers {
		n.layer, n.byRank = s.Layer, s.ByRank
	}
	if s.Level >= 0 && s.Level < len(levels) {
		a.panes[paneLog].(*logPane).level = s.Level
	}
	if s.Split >= 0 && s.Split <= 2 {
		a.panes[paneCandidate].(*candidatePane).d1.force = s.Split
		a.panes[paneReview].(*reviewPane).d1.force = s.Split
	}
	if s.Palette != "" {
		a.d.palette = s.Palette
		a.d.restyle()
	}
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
