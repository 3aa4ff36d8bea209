package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
)

// app is the root model. It routes messages and places panes; what they mean
// is told by the key table and the panes.
type app struct {
	d       *desk
	panes   map[paneID]pane
	keys    *keymap
	focus   paneID   // on the dashboard
	zoom    zoom     // of the dashboard
	stack   []paneID // screens over the dashboard
	w, h    int
	dialogs []dialog
	find    *finder // the filter line while it is typed in
	toasts  []toast
	nToast  int
	cache   map[paneID]drawn
	glyphs  replacer
	lastAt  time.Time
	version uint64         // of the newest snapshot seen
	behind  *view.Snapshot // newest while the view is paused
	still   bool           // the view is paused
	runs    int            // earlier runs of this person
	boosts  map[string]asked
	ticking bool
	leaving int // 1 = draining, 2 = aborting
	feedErr error
	crash   *CrashError
	aborted bool
	after   func(d time.Duration, msg tea.Msg) tea.Cmd // a timer
	listen  func() tea.Cmd                             // waits for the next snapshot
}

type replacer interface{ Replace(string) string }

func newApp(ctx context.Context, o Options) (*app, error) {
	keys, err := newKeymap(bindings(), o.Console.Keys)
	if err != nil {
		return nil, err
	}
	d := newDesk(ctx, o)
	a := &app{d: d, keys: keys, focus: paneNiches, cache: map[paneID]drawn{}}
	a.after = func(d time.Duration, msg tea.Msg) tea.Cmd {
		return tea.Tick(d, func(time.Time) tea.Msg { return msg })
	}
	a.listen = func() tea.Cmd { return waitForSnap(d.ctx, o.Feed, a.version, a.lastAt) }
	if r := plainGlyphs(d.glyphs); r != nil {
		a.glyphs = r
	}
	a.panes = newPanes(d)
	if o.Feed != nil {
		d.take(o.Feed.Latest())
		a.version = d.snap.Version
	}
	return a, nil
}

// Init arms the feed.
func (a *app) Init() tea.Cmd {
	cmds := []tea.Cmd{a.shown(), a.tick(), a.listen()}
	if a.d.opt.Console.Theme == "auto" || a.d.opt.Console.Theme == "" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if a.d.opt.Console.Hints && !a.d.opt.ReadOnly && a.runs < hintedRuns {
		cmds = append(cmds, a.say("arrows move, enter opens, ? lists every key", false))
	}
	return tea.Batch(cmds...)
}

// hintedRuns is how many first runs begin with a hint.
const hintedRuns = 3

// Update routes a message. A panic below becomes a crash report and an orderly
// end.
func (a *app) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = a
	defer func() {
		if p := recover(); p != nil {
			cmd = a.crashed("update", fmt.Sprint(p), string(debug.Stack()))
		}
	}()
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a, a.key(msg)
	case tea.PasteMsg:
		return a, a.paste(msg)
	case tea.MouseClickMsg:
		return a, a.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return a, a.wheel(msg.Mouse())
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
		return a, a.shown()
	case tea.ColorProfileMsg:
		if a.d.opt.Color == "" || a.d.opt.Color == "auto" {
			a.d.profile = msg.Profile
			a.d.restyle()
		}
	case tea.BackgroundColorMsg:
		a.d.dark = msg.IsDark()
		a.d.restyle()
	case tea.ResumeMsg:
		return a, a.resumed()
	case snapMsg:
		return a, a.snapshot(msg.snap)
	case loadedMsg:
		return a, a.loaded(msg)
	case doneMsg:
		return a, a.done(msg)
	case tickMsg:
		a.ticking = false
		a.d.ticks++
		return a, tea.Batch(a.tick(), a.shown())
	case toastMsg:
		a.dropToast(msg.n)
	case feedEndMsg:
		a.feedErr = msg.err
		return a, a.fail(fmt.Errorf("the feed ended: %w", msg.err))
	case crashMsg:
		return a, a.crashed(msg.where, msg.value, msg.stack)
	case editMsg:
		return a, a.openEditor(msg)
	case editedMsg:
		return a, msg.then(a, msg.text)
	case abortedMsg:
		return a, tea.Quit
	}
	return a, nil
}

// snapshot takes a new state, or keeps it aside while the view is paused.
func (a *app) snapshot(s *view.Snapshot) tea.Cmd {
	a.lastAt = time.Now()
	if s == nil {
		return nil
	}
	a.version = max(a.version, s.Version)
	again := a.listen()
	if a.leaving > 0 && len(s.Running) == 0 && s.Jobs.Running == 0 {
		a.d.take(s)
		return tea.Quit
	}
	for _, dl := range a.dialogs {
		if c, ok := dl.(*confirm); ok {
			c.follow(s)
		}
	}
	if a.still {
		a.behind = s
		return again
	}
	a.d.take(s)
	return tea.Batch(again, a.tick(), a.shown())
}

// shown asks for what the visible panes miss.
func (a *app) shown() tea.Cmd {
	var cmds []tea.Cmd
	rects := a.rects()
	for id, r := range rects {
		if p := a.panes[id]; p != nil {
			a.spread(id, r, rects)
			cmds = append(cmds, p.show())
		}
	}
	return tea.Batch(cmds...)
}

// spread tells a pane whether it is a screen now, and what room it has.
func (a *app) spread(id paneID, r rect, all map[paneID]rect) {
	full := a.screen() == id
	switch p := a.panes[id].(type) {
	case *nichesPane:
		_, curves := all[paneCurves]
		p.wide, p.small = r.W >= 102 && r.H >= 20, !curves && !full
	case *jobsPane:
		if p.full != full {
			p.full = full
			p.list.off = 0
			p.bump()
		}
	case *reviewPane:
		if p.full != full {
			p.full = full
			p.bump()
		}
	}
}

func (a *app) loaded(m loadedMsg) tea.Cmd {
	p := a.panes[m.pane]
	if p == nil {
		return nil
	}
	p.take(m)
	if _, visible := a.rects()[m.pane]; visible {
		return p.show()
	}
	return nil
}

// tick is the clock of elapsed times. It runs only while something runs.
func (a *app) tick() tea.Cmd {
	if a.ticking || len(a.d.snap.Running) == 0 || a.still {
		return nil
	}
	a.ticking = true
	return a.after(time.Second, tickMsg{})
}

// done tells the end of an action.
func (a *app) done(m doneMsg) tea.Cmd {
	if m.err != nil {
		a.panes[paneReview].(*reviewPane).again()
		return a.fail(m.err)
	}
	if m.text == "" {
		return m.then
	}
	return tea.Batch(a.say(m.text, m.undo), m.then)
}

func (a *app) crashed(where, value, stack string) tea.Cmd {
	if a.crash == nil {
		a.crash = &CrashError{Where: where, Value: value, Stack: stack}
	}
	return tea.Quit
}

// current returns the pane that has the keys.
func (a *app) current() pane { return a.panes[a.currentID()] }

func (a *app) currentID() paneID {
	if n := len(a.stack); n > 0 {
		return a.stack[n-1]
	}
	return a.focus
}

func (a *app) screen() paneID {
	if n := len(a.stack); n > 0 {
		return a.stack[n-1]
	}
	return noPane
}

func (a *app) rects() map[paneID]rect { return layout(a.w, a.h, a.zoom, a.focus, a.screen()) }

// open puts a screen on top. A screen that is already open comes forward.
func (a *app) open(id paneID) tea.Cmd {
	for i, s := range a.stack {
		if s == id {
			a.stack = append(a.stack[:i], a.stack[i+1:]...)
			break
		}
	}
	a.stack = append(a.stack, id)
	return a.shown()
}

// openCandidate shows a candidate.
func (a *app) openCandidate(id record.CandidateID) tea.Cmd {
	if id < 0 {
		return nil
	}
	a.panes[paneCandidate].(*candidatePane).set(id)
	return a.open(paneCandidate)
}

// openJob shows a job.
func (a *app) openJob(id record.JobID) tea.Cmd {
	if id < 0 {
		return nil
	}
	a.panes[paneJob].(*jobPane).set(id)
	return a.open(paneJob)
}

func (a *app) back() tea.Cmd {
	switch n := len(a.stack); {
	case n > 0:
		a.stack = a.stack[:n-1]
	case a.zoom != zoomNormal:
		a.zoom = zoomNormal
	}
	return a.shown()
}
