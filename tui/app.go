package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/steer"
	"atoll/tui/widget"
)

// app is the root model. It routes messages and places panes; what they mean
// is told by the key table and the panes.
type app struct {
	router
	opt        Options
	keys       *keys.Table
	actions    *steer.Actions
	leaving    *leaving
	outside    *outside
	dialogs    []widget.Dialog
	find       *finder // the filter line
	toasts     toasts
	cache      map[pane.ID]drawn
	appearance *appearance
	notices    notices
	lastAt     time.Time // of the snapshot that is shown
	pressed    time.Time // when a key was pressed last
	version    uint64    // of the newest snapshot seen
	reel       *reel     // which moment is shown
	runs       int       // earlier runs of this person
	ticking    bool
	sampler    *sampler
	graphics   graphics
	feedErr    error
	crash      *CrashError
	after      func(d time.Duration, msg tea.Msg) tea.Cmd // a timer
	listen     func() tea.Cmd                             // waits for the next snapshot
}

type replacer interface{ Replace(string) string }

func newApp(ctx context.Context, o Options) (*app, error) {
	d := pane.NewShared(ctx, o.Reader, glyphsOf(&o), true, o.Console.Palette)
	d.Own, d.Clock, d.Typed = o.Console.Colours, o.Now, o.Typed
	a := &app{router: router{d: d, at: places{focus: pane.Niches}}, opt: o, cache: map[pane.ID]drawn{}}
	d.Host = a
	a.after = func(d time.Duration, msg tea.Msg) tea.Cmd {
		return tea.Tick(d, func(time.Time) tea.Msg { return msg })
	}
	a.listen = func() tea.Cmd { return waitForSnap(d.Ctx, o.Feed, a.version, a.lastAt, o.Remote.snapEvery(a.pressed)) }
	a.appearance = &appearance{d: d, opt: &a.opt, graphics: &a.graphics, notices: &a.notices, shown: a.shown}
	a.appearance.setGlyphs()
	a.appearance.setTheme(o.Console.Theme)
	a.find = &finder{router: &a.router}
	a.reel = &reel{
		d: d, host: a,
		after:   func(wait time.Duration, msg tea.Msg) tea.Cmd { return a.after(wait, msg) },
		refresh: func() tea.Cmd { return tea.Batch(a.tick(), a.shown()) },
	}
	a.notices.opt = o.Notices
	a.sampler = &sampler{d: d, meter: o.Meter}
	a.at.gauges = o.Meter != nil
	a.panes = pane.NewPanes(d)
	a.panes.LookAfter(o.Machines)
	a.panes.Options.Offer(a.appearance.options())
	a.toasts = toasts{after: func(d time.Duration, msg tea.Msg) tea.Cmd { return a.after(d, msg) }, tell: a.panes.Log.Tell}
	a.actions = &steer.Actions{D: d, Host: a, Ctl: o.Controller, Who: o.Who, Dir: o.Dir, Machines: o.Machines}
	a.leaving = &leaving{host: a, newest: a.reel.newest, quit: o.Quit, suspended: o.Suspend}
	a.outside = &outside{host: a, act: a.actions, env: o.Env, output: o.Output, tool: o.Difftool, verb: o.Verb, remote: o.Remote != nil}
	a.actions.Verify = a.outside.verifier()
	table, err := keys.NewTable(a.bindings(), o.Console.Keys, a.panes.Scopes()...)
	if err != nil {
		return nil, err
	}
	a.keys, d.Keys = table, table
	if o.Feed != nil {
		d.Take(o.Feed.Latest())
		a.version = d.Snap.Version
	}
	return a, nil
}

// CheckKeys says what is wrong with a person's own keys ([ErrKeys]), without a console.
func CheckKeys(own map[string]string) error {
	if len(own) == 0 {
		return nil
	}
	_, err := newApp(context.Background(), Options{Console: Console{Keys: own}})
	return err
}

// Init arms the feed.
func (a *app) Init() tea.Cmd {
	cmds := []tea.Cmd{a.shown(), a.tick(), a.listen(), a.sampler.due(), a.graphics.asked(a.opt.Env)}
	if a.appearance.autoTheme() {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if a.opt.Console.Hints && !a.opt.ReadOnly && a.runs < hintedRuns {
		cmds = append(cmds, a.Say("arrows move, enter opens, ? lists every key", false))
	}
	return tea.Batch(cmds...)
}

// hintedRuns is how many first runs begin with a hint.
const hintedRuns = 3

// Update routes a message. A panic below becomes a crash report and an orderly
// end.
func (a *app) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer func() {
		if p := recover(); p != nil {
			m, cmd = a, a.crashed("update", fmt.Sprint(p), string(debug.Stack()))
		}
	}()
	cmd = a.take(msg)
	switch msg.(type) {
	case graphicsMsg, imagesMsg: // what they do is their own
	default:
		if due := a.graphicsDue(); due != nil {
			cmd = tea.Batch(cmd, due)
		}
	}
	return a, cmd
}

// take does what a message of the terminal asks for, or one of the console itself.
func (a *app) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		a.pressed = time.Now()
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg)
	case tea.MouseClickMsg:
		return a.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return a.wheel(msg.Mouse())
	case tea.WindowSizeMsg:
		a.at.w, a.at.h = msg.Width, msg.Height
		a.graphics.era++
		return a.shown()
	case tea.ColorProfileMsg:
		if a.opt.Color == "" || a.opt.Color == "auto" {
			a.d.Profile = msg.Profile
			a.d.Restyle()
		}
	case tea.BackgroundColorMsg:
		if a.appearance.autoTheme() {
			a.d.Dark = msg.IsDark()
			a.d.Restyle()
		}
	case uv.KittyGraphicsEvent, uv.PrimaryDeviceAttributesEvent, uv.CellSizeEvent:
		a.graphics.answered(msg)
	case tea.ResumeMsg:
		a.graphics.era++
		return a.leaving.resumed()
	default:
		return a.hear(msg)
	}
	return nil
}

// hear does what a message of the console's own parts asks for.
func (a *app) hear(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case graphicsMsg:
		return a.framed()
	case imagesMsg:
		return a.showImages(msg)
	case snapMsg:
		return a.snapshot(msg.snap)
	case pane.Loaded:
		if wait := a.panes.Due(msg.Pane); wait > 0 && a.at.shows(msg.Pane) {
			return tea.Batch(a.loaded(msg), a.after(wait, watchMsg{msg.Pane}))
		}
		return a.loaded(msg)
	case watchMsg:
		return a.panes.Again(msg.id, a.at.shows(msg.id))
	case steer.Done:
		return a.done(msg)
	case tickMsg:
		a.ticking = false
		a.d.Ticks++
		return tea.Batch(a.tick(), a.shown(), a.sampler.due())
	case sampleMsg:
		a.sampler.measured(msg)
	case toastMsg:
		a.toasts.drop(msg.n)
	case pastMsg:
		return a.reel.took(msg)
	case playMsg:
		return a.reel.played(msg)
	case feedEndMsg:
		a.feedErr = msg.err
		return a.toasts.failed(a.d.Told, fmt.Errorf("the feed ended: %w", msg.err))
	case pane.Crash:
		return a.crashed(msg.Where, msg.Value, msg.Stack)
	case editMsg:
		return a.outside.openEditor(msg)
	case editedMsg:
		return msg.then(msg.text)
	case abortedMsg:
		return tea.Quit
	}
	return nil
}

// snapshot takes a new state, or keeps it aside while the view is paused.
func (a *app) snapshot(s *view.Snapshot) tea.Cmd {
	a.lastAt = time.Now()
	if s == nil {
		return nil
	}
	a.version = max(a.version, s.Version)
	again := a.listen()
	if a.leaving.stage > 0 && len(s.Running) == 0 && s.Jobs.Running == 0 {
		a.d.Take(s)
		return tea.Quit
	}
	again = tea.Batch(again, a.notices.see(s))
	shows := a.reel.take(s)
	if a.opt.Replay > 0 && !s.Loading {
		length := a.opt.Replay
		a.opt.Replay = 0 // once
		again = tea.Batch(again, a.reel.replay(length))
	}
	for _, dl := range a.dialogs {
		if c, ok := dl.(*widget.Confirm); ok {
			c.Follow()
		}
	}
	if !shows {
		return again
	}
	return tea.Batch(again, a.tick(), a.shown(), a.sampler.changed())
}

// tick is the clock of elapsed times. It runs only while something runs.
func (a *app) tick() tea.Cmd {
	if a.ticking || len(a.d.Snap.Running) == 0 || a.reel.still {
		return nil
	}
	a.ticking = true
	return a.after(time.Second, tickMsg{})
}

// done tells the end of an action.
func (a *app) done(m steer.Done) tea.Cmd {
	a.graphics.era++ // a program may have had the terminal
	if m.Err != nil || m.Back {
		a.panes.Review.Again()
	}
	if m.Err != nil {
		return a.toasts.failed(a.d.Told, m.Err)
	}
	if m.Next != nil {
		m.Then = tea.Batch(m.Then, m.Next())
	}
	if m.Text == "" {
		return m.Then
	}
	if m.Logged { // the experiment's own log has it
		return tea.Batch(a.toasts.show(undoable(a.keys, a.d.Told(m.Text), m.Undo), "info", toastTime), m.Then)
	}
	return tea.Batch(a.Say(m.Text, m.Undo), m.Then)
}

func (a *app) crashed(where, value, stack string) tea.Cmd {
	if a.crash == nil {
		a.crash = &CrashError{Where: where, Value: value, Stack: stack}
	}
	return tea.Quit
}

// Ask opens a dialog over what is there.
func (a *app) Ask(d widget.Dialog) tea.Cmd {
	a.dialogs = append(a.dialogs, d)
	return nil
}

// Say tells that something was done; undo adds how to take it back.
func (a *app) Say(text string, undo bool) tea.Cmd {
	return a.toasts.add(undoable(a.keys, a.d.Told(text), undo), "info", toastTime)
}

// Warn tells why something was not done.
func (a *app) Warn(text string) tea.Cmd { return a.toasts.add(a.d.Told(text), "warn", toastTime) }

// Decide writes decisions to the log.
func (a *app) Decide(said string, undo bool, ds ...record.Decision) tea.Cmd {
	return a.actions.Decide(said, undo, ds...)
}

// Decided moves the review on.
func (a *app) Decided(ids ...record.CandidateID) { a.panes.Review.Decided(ids...) }

// Edit lets the person change a text.
func (a *app) Edit(title, hint, text string, then func(text string) tea.Cmd) tea.Cmd {
	return a.outside.Edit(title, hint, text, then)
}
