package tui

import (
	"fmt"
	"runtime/debug"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// drawn is a pane as it was drawn last, with all it depends on.
type drawn struct {
	snap, rev, gen, ticks uint64
	r                     rect
	focus                 bool
	trail                 string
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
	if a.opt.Console.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = plot.Clean(widget.Words(" ", "atoll", a.d.Snap.Experiment.Name, string(a.d.Snap.State)))
	return v
}

// frame draws the whole screen.
func (a *app) frame() string {
	if a.at.w <= 0 || a.at.h <= 0 {
		return ""
	}
	a.at.strip = 0
	if a.reel.open {
		a.at.strip = stripLines
	}
	rects := a.at.rects()
	if a.at.tooSmall() {
		return a.appearance.finish(tooSmall(a.at))
	}
	rows := make([][]byte, a.at.h)
	for i := range rows {
		rows[i] = make([]byte, 0, 4*a.at.w)
	}
	a.graphics.placed = a.graphics.placed[:0:0]
	for _, id := range byColumn(rects) {
		r := rects[id]
		for i, s := range a.blank(id, r, a.draw(id, r, rects)) {
			rows[r.Y+i] = append(rows[r.Y+i], s...)
		}
	}
	lines := make([]string, a.at.h)
	for i := range rows {
		lines[i] = string(rows[i])
	}
	a.overlay(lines)
	return a.appearance.finish(lines)
}

// byColumn orders rectangles from left to right, so that rows can be joined.
func byColumn(rects map[pane.ID]rect) []pane.ID {
	ids := make([]pane.ID, 0, len(rects))
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
func (a *app) draw(id pane.ID, r rect, rects map[pane.ID]rect) []string {
	switch id {
	case pane.Header:
		return widget.Fill(a.bars().header(r.W), r.W, r.H)
	case pane.Time:
		return widget.Fill(a.reel.strip(r.W), r.W, r.H)
	case pane.Gauges:
		return widget.Fill([]string{a.d.Gauges(r.W)}, r.W, r.H)
	case pane.Help:
		return widget.Fill([]string{a.bars().helpBar(r.W)}, r.W, r.H)
	}
	p := a.panes.ByID[id]
	if p == nil {
		return widget.Fill(nil, r.W, r.H)
	}
	a.place(id, r, rects)
	focus := id == a.at.current()
	now := drawn{snap: a.d.Snap.Version, rev: p.Revision(), gen: a.d.Gen, r: r, focus: focus}
	if id == a.at.screen() {
		now.trail = strings.Join(a.trail(), " > ")
	}
	if p.Timed() {
		now.ticks = a.d.Ticks
	}
	if old, ok := a.cache[id]; ok {
		now.lines = old.lines
		if now.same(old) {
			return old.lines
		}
	}
	body := p.Body(r.W-2, r.H-2, focus)
	left, right := p.Title()
	if a.reel.open && p.OfNow() {
		left = a.d.St.Banner.S(" now ") + " " + left
	}
	if text, ok := p.Filter(); ok && text != "" {
		left += " " + a.d.St.Accent.S("/"+text)
		if sticky(p) && focus && plot.Width(left)+plot.Width(right)+24 < r.W {
			left += " " + a.d.St.Label.S(a.keys.Key("clear-filter")+" clears")
		}
	}
	if now.trail != "" {
		room := r.W - 8 - plot.Width(left)
		if n := plot.Width(right); n <= room { // else it is not shown anyway
			room -= n
		}
		left = a.d.St.Label.S(nearest(now.trail, room)) + left
	}
	now.lines = widget.Box(a.d.St, left, right, r.W, r.H, focus, body)
	now.rev = p.Revision()
	a.cache[id] = now
	return now.lines
}

// nearest is the end of a trail that fits w cells, from a whole name on, "" when
// not even the last one does.
func nearest(trail string, w int) string {
	trail += " > "
	for plot.Width(trail) > w {
		_, rest, ok := strings.Cut(trail, " > ")
		if !ok {
			return ""
		}
		trail = rest
	}
	return trail
}

func (n drawn) same(o drawn) bool {
	return n.snap == o.snap && n.rev == o.rev && n.gen == o.gen && n.ticks == o.ticks && n.r == o.r && n.focus == o.focus && n.trail == o.trail
}

// overlay lays toasts and the open dialog over the screen.
func (a *app) overlay(lines []string) {
	a.toasts.lay(a.d.St, lines, a.at.w-1, a.at.foot())
	if n := len(a.dialogs); n > 0 {
		b := a.dialogs[n-1].View(a.d.St, a.at.w, a.at.h)
		x, y := dialogAt(b, a.at)
		widget.Splice(lines, b, x, y)
	}
}

func dialogAt(b []string, on places) (x, y int) {
	w := 0
	if len(b) > 0 {
		w = plot.Width(b[0])
	}
	return max(0, (on.w-w)/2), max(0, (on.h-len(b))/3)
}

func tooSmall(on places) []string {
	lines := widget.Fill(nil, on.w, on.h)
	msg := fmt.Sprintf("%d x %d, atoll needs %d x %d", on.w, on.h, floorW, floorH)
	if len(msg) > on.w {
		msg = fmt.Sprintf("%dx%d", floorW, floorH)
	}
	pad := max(0, (on.w-len(msg))/2)
	lines[on.h/2] = plot.Fit(strings.Repeat(" ", pad)+msg, on.w)
	return lines
}

// bars are the lines above and below the panes, as things stand.
func (a *app) bars() *bars {
	var lead []string
	if a.reel.open {
		lead = a.reel.leads()
	} else if p, ok := a.Current().(pane.Leader); ok {
		lead = p.Leads()
	}
	return &bars{d: a.d, lead: lead, keys: a.keys, off: a.off, scopes: a.reel.scopes(a.Current()), screen: a.at.screen(), draining: a.leaving.stage > 0, still: a.reel.still, past: a.reel.open, looks: a.opt.ReadOnly, feedErr: a.feedErr, find: a.find}
}
