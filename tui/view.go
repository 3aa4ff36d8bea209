package tui

import (
	"fmt"
	"runtime/debug"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/plot"
)

// drawn is a pane as it was drawn last, with all it depends on.
type drawn struct {
	snap, rev, gen, ticks uint64
	r                     rect
	focus                 bool
	lines                 []string
}

// View places what the panes draw.
func (a *app) View() (v tea.View) {
	defer func() {
		if p := recover(); p != nil {
			if a.crash == nil {
				a.crash = &CrashError{Where: "view", Value: fmt.Sprint(p), Stack: string(debug.Stack())}
			}
			v = tea.NewView("the console crashed; leaving")
			v.AltScreen = true
		}
	}()
	v = tea.NewView(a.frame())
	v.AltScreen = true
	if a.d.opt.Console.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = plot.Clean(words(" ", "atoll", a.d.snap.Experiment.Name, string(a.d.snap.State)))
	return v
}

// frame draws the whole screen.
func (a *app) frame() string {
	if a.w <= 0 || a.h <= 0 {
		return ""
	}
	rects := a.rects()
	if len(rects) == 1 {
		return a.finish(a.tooSmall())
	}
	rows := make([][]byte, a.h)
	for i := range rows {
		rows[i] = make([]byte, 0, 4*a.w)
	}
	for _, id := range byColumn(rects) {
		r := rects[id]
		for i, s := range a.draw(id, r, rects) {
			rows[r.Y+i] = append(rows[r.Y+i], s...)
		}
	}
	lines := make([]string, a.h)
	for i := range rows {
		lines[i] = string(rows[i])
	}
	a.overlay(lines)
	return a.finish(lines)
}

func (a *app) finish(lines []string) string {
	s := strings.Join(lines, "\n")
	if a.glyphs != nil {
		s = a.glyphs.Replace(s)
	}
	return s
}

// byColumn orders rectangles from left to right, so that rows can be joined.
func byColumn(rects map[paneID]rect) []paneID {
	ids := make([]paneID, 0, len(rects))
	for id := range rects {
		i := len(ids)
		ids = append(ids, id)
		for ; i > 0 && rects[ids[i-1]].X > rects[id].X; i-- {
			ids[i] = ids[i-1]
		}
		ids[i] = id
	}
	return ids
}

// draw returns the lines of one region, from the cache where nothing changed.
func (a *app) draw(id paneID, r rect, rects map[paneID]rect) []string {
	switch id {
	case paneHeader:
		return fill(a.header(r.W), r.W, r.H)
	case paneHelp:
		return fill([]string{a.helpBar(r.W)}, r.W, r.H)
	}
	p := a.panes[id]
	if p == nil {
		return fill(nil, r.W, r.H)
	}
	a.spread(id, r, rects)
	focus := id == a.currentID()
	now := drawn{snap: a.d.snap.Version, rev: p.rev(), gen: a.d.gen, r: r, focus: focus}
	if p.timed() {
		now.ticks = a.d.ticks
	}
	if old, ok := a.cache[id]; ok {
		now.lines = old.lines
		if now.same(old) {
			return old.lines
		}
	}
	body := p.body(r.W-2, r.H-2, focus)
	left, right := p.title()
	if text, ok := p.filter(); ok && text != "" {
		left += " " + a.d.st.Accent.S("/"+text)
	}
	now.lines = box(a.d.st, left, right, r.W, r.H, focus, body)
	now.rev = p.rev()
	a.cache[id] = now
	return now.lines
}

func (n drawn) same(o drawn) bool {
	return n.snap == o.snap && n.rev == o.rev && n.gen == o.gen && n.ticks == o.ticks && n.r == o.r && n.focus == o.focus
}

// overlay lays toasts and the open dialog over the screen.
func (a *app) overlay(lines []string) {
	y := a.h - 2
	for i := len(a.toasts) - 1; i >= 0 && y > headerLines; i-- {
		t := a.toasts[i]
		st := a.d.st.Key
		if t.bad {
			st = a.d.st.Bad
		}
		text := plot.Fit(plot.Clean(t.text), min(plot.Width(plot.Clean(t.text)), a.w-6))
		row := a.d.st.Border.wrap("▌") + st.wrap(text) + "  "
		splice(lines, []string{row}, a.w-plot.Width(row)-1, y)
		y--
	}
	if n := len(a.dialogs); n > 0 {
		b := a.dialogs[n-1].view(a.d, a.w, a.h)
		x, y := a.dialogAt(b)
		splice(lines, b, x, y)
	}
}

func (a *app) dialogAt(b []string) (x, y int) {
	w := 0
	if len(b) > 0 {
		w = plot.Width(b[0])
	}
	return max(0, (a.w-w)/2), max(0, (a.h-len(b))/3)
}

func (a *app) tooSmall() []string {
	lines := fill(nil, a.w, a.h)
	msg := fmt.Sprintf("%d x %d, atoll needs %d x %d", a.w, a.h, floorW, floorH)
	if len(msg) > a.w {
		msg = fmt.Sprintf("%dx%d", floorW, floorH)
	}
	pad := max(0, (a.w-len(msg))/2)
	lines[a.h/2] = plot.Fit(strings.Repeat(" ", pad)+msg, a.w)
	return lines
}
