package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/tui/keys"
	"atoll/tui/tuitest"
)

// rig is a console without a terminal: messages go in, frames come out, and
// commands run at once.
type rig struct {
	t    testing.TB
	app  *app
	ctl  *tuitest.Controller
	quit bool
}

func newRig(t testing.TB, s *view.Snapshot, w, h int, edit ...func(o *Options)) *rig {
	t.Helper()
	ctl := &tuitest.Controller{}
	o := Options{Feed: tuitest.NewFeed(s), Controller: ctl, Reader: &tuitest.Reader{Snap: s}, Now: tuitest.Now, Color: "fixed", Console: Console{Mouse: true, Theme: "dark"}}
	for _, e := range edit {
		e(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	a, err := newApp(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	a.d.Profile = colorprofile.TrueColor
	if o.Color == "never" {
		a.d.Profile = colorprofile.ASCII
	}
	a.d.Restyle()
	a.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	a.listen = func() tea.Cmd { return nil }
	a.d.Wait = func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil }
	r := &rig{t: t, app: a, ctl: ctl}
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

// send delivers a message and all that follows from it.
func (r *rig) send(msg tea.Msg) {
	r.t.Helper()
	_, cmd := r.app.Update(msg)
	_ = r.app.View() // the program draws after every message
	r.run(cmd)
}

// tells fails where the frame lacks one of the texts, or has one that must not be
// there, "" for none.
func (r *rig) tells(wants []string, not string) {
	r.t.Helper()
	frame := ansi.Strip(r.app.frame())
	for _, want := range wants {
		if !strings.Contains(frame, want) {
			r.t.Errorf("%q is not there:\n%s", want, frame)
		}
	}
	if not != "" && strings.Contains(frame, not) {
		r.t.Errorf("%q is there:\n%s", not, frame)
	}
}

// run executes a command and delivers its message.
func (r *rig) run(cmd tea.Cmd) {
	r.t.Helper()
	if cmd == nil {
		return
	}
	got := make(chan tea.Msg, 1)
	go func() { got <- cmd() }()
	var msg tea.Msg
	select {
	case msg = <-got:
	case <-time.After(2 * time.Minute):
		r.t.Fatal("a command does not answer")
	}
	switch m := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			r.run(c)
		}
	case tea.QuitMsg:
		r.quit = true
	default:
		r.send(m)
	}
}

// keys presses keys by name.
func (r *rig) keys(names ...string) {
	r.t.Helper()
	for _, n := range names {
		r.send(press(n))
	}
}

// press returns the message of a key.
func press(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "space": tea.KeySpace, "backspace": tea.KeyBackspace, "pgdown": tea.KeyPgDown, "f2": tea.KeyF2}
	switch {
	case name == "shift+tab":
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	case len(name) == 6 && name[:5] == "ctrl+":
		return tea.KeyPressMsg{Code: rune(name[5]), Mod: tea.ModCtrl}
	case special[name] != 0:
		k := tea.KeyPressMsg{Code: special[name]}
		if name == "space" {
			k.Text = " "
		}
		return k
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// typing presses each character of a text.
func (r *rig) typing(text string) {
	r.t.Helper()
	for _, c := range text {
		r.keys(string(c))
	}
}

// bindings is the key table of a console that shows nothing yet.
func bindings() []*keys.Binding {
	a, _ := newApp(context.Background(), Options{})
	return a.bindings()
}
