package pane

import (
	"context"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/tuitest"
	"atoll/tui/widget"
)

// bench is one pane without a console around it: keys go to its rows of the key
// table, and what it asks for is answered at once.
type bench struct {
	t     testing.TB
	panes *Panes
	p     Pane
	w, h  int
	said  []string
	asked []widget.Dialog
	done  []record.Decision
}

// newBench returns a pane as a screen of its own.
func newBench(t testing.TB, s *view.Snapshot, r Reader, id ID, w, h int) *bench {
	t.Helper()
	if r == nil {
		r = &tuitest.Reader{Snap: s}
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	d := NewShared(ctx, r, plot.Braille, true, "")
	d.Clock = tuitest.Now
	d.Take(s)
	b := &bench{t: t, panes: NewPanes(d), w: w, h: h}
	d.Host = b
	b.p = b.panes.ByID[id]
	b.p.Place(Placement{Full: true, W: w, H: h})
	b.run(b.p.Load())
	return b
}

// keys presses keys that the pane has in the key table.
func (b *bench) keys(names ...string) {
	b.t.Helper()
	_ = b.frame()
	for _, n := range names {
		rows := b.p.Keys()
		i := slices.IndexFunc(rows, func(k *keys.Binding) bool { return slices.Contains(k.Keys, n) })
		if i < 0 {
			b.t.Fatalf("the pane has no key %s", n)
		}
		b.run(rows[i].Run())
		b.run(b.p.Load())
		_ = b.frame()
	}
}

func (b *bench) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range m {
			b.run(c)
		}
	case Loaded:
		b.p.Take(m)
		b.run(b.p.Load())
	}
}

// frame is what the pane draws, without styles.
func (b *bench) frame() string {
	left, right := b.p.Title()
	body := b.p.Body(b.w-2, b.h-2, true)
	return ansi.Strip(left + " " + right + "\n" + strings.Join(body, "\n"))
}

func (b *bench) Current() Pane               { return b.p }
func (b *bench) Ask(d widget.Dialog) tea.Cmd { b.asked = append(b.asked, d); return nil }

func (b *bench) Say(text string, _ bool) tea.Cmd                           { b.said = append(b.said, text); return nil }
func (b *bench) Edit(string, string, string, func(string) tea.Cmd) tea.Cmd { return nil }

func (b *bench) Decide(said string, _ bool, ds ...record.Decision) tea.Cmd {
	b.said, b.done = append(b.said, said), append(b.done, ds...)
	return nil
}
