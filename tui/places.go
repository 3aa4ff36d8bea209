package tui

import "atoll/tui/pane"

// places is where the person is: the focus and the zoom of the dashboard, the
// screens over it, and the size of the terminal.
type places struct {
	focus pane.ID   // on the dashboard
	zoom  zoom      // of the dashboard
	stack []pane.ID // screens over the dashboard
	w, h  int
	strip int // lines above the help bar that are kept free for the past
	// Gauges says that cost and resources have a line above the help bar, where
	// there is room for one.
	gauges bool
}

// current is the pane that has the keys.
func (p *places) current() pane.ID {
	if n := len(p.stack); n > 0 {
		return p.stack[n-1]
	}
	return p.focus
}

// screen is the screen over the dashboard, atNone without one.
func (p *places) screen() pane.ID {
	if n := len(p.stack); n > 0 {
		return p.stack[n-1]
	}
	return pane.None
}

func (p *places) rects() map[pane.ID]rect {
	switch {
	case p.tooSmall():
	case p.strip > 0:
		return p.above(pane.Time, p.strip)
	case p.gauges && len(p.stack) == 0 && p.zoom != zoomFull && p.w >= 80 && p.h > gaugesFrom:
		return p.above(pane.Gauges, 1)
	}
	return layout(p.w, p.h, p.zoom, p.focus, p.screen())
}

// shows tells whether a pane is on the screen.
func (p *places) shows(id pane.ID) bool {
	_, visible := p.rects()[id]
	return visible
}

// foot is the row of the lower border of the panes.
func (p *places) foot() int {
	rects := p.rects()
	for _, id := range []pane.ID{pane.Time, pane.Gauges} {
		if r, ok := rects[id]; ok {
			return r.Y - 1
		}
	}
	return p.h - 2
}

// gaugesFrom is the height above which a line can be spared for cost and
// resources.
const gaugesFrom = 30

// above places the panes above a strip of n lines over the help bar.
func (p *places) above(id pane.ID, n int) map[pane.ID]rect {
	out := arrange(p.w, p.h-n, p.zoom, p.focus, p.screen())
	out[id] = rect{0, p.h - 1 - n, p.w, n}
	out[pane.Help] = rect{0, p.h - 1, p.w, 1}
	return out
}

// tooSmall reports whether the terminal is below the floor.
func (p *places) tooSmall() bool { return p.w < floorW || p.h < floorH }

// open puts a screen on top. A screen that is already open comes forward.
func (p *places) open(id pane.ID) {
	for i, s := range p.stack {
		if s == id {
			p.stack = append(p.stack[:i], p.stack[i+1:]...)
			break
		}
	}
	p.stack = append(p.stack, id)
}

// back leaves a screen, or a zoom.
func (p *places) back() {
	switch n := len(p.stack); {
	case n > 0:
		p.stack = p.stack[:n-1]
	case p.zoom != zoomNormal:
		p.zoom = zoomNormal
	}
}

// goTo focuses a pane of the dashboard, or shows it as a screen when a screen
// is shown already.
func (p *places) goTo(id pane.ID) {
	onDashboard := len(p.stack) == 0 && id <= pane.Log
	if id <= pane.Log {
		p.focus = id
	}
	p.stack = nil
	if !onDashboard {
		p.open(id)
	}
}

// cycle moves the focus over the panes of the dashboard.
func (p *places) cycle(by int) {
	if len(p.stack) == 0 {
		n := int(p.focus) - 1
		p.focus = pane.ID((n+by+5)%5 + 1)
	}
}

// zoomBy gives the focused pane half of the dashboard, then all of it, or takes
// that back.
func (p *places) zoomBy(by int) {
	switch {
	case len(p.stack) > 0:
		if by < 0 {
			p.back()
		}
	case by > 0 && p.zoom == zoomNormal:
		p.zoom = zoomHalf
	case by > 0:
		p.zoom = zoomNormal
		p.open(p.focus)
	default:
		p.zoom = zoomNormal
	}
}

// toggleZoom shows the focused pane over the whole screen, or leaves it.
func (p *places) toggleZoom() {
	if len(p.stack) > 0 {
		p.back()
		return
	}
	p.open(p.focus)
}
