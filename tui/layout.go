package tui

import "atoll/tui/pane"

// zoom is how much of the dashboard the focused pane gets.
type zoom int

const (
	zoomNormal zoom = iota
	zoomHalf
	zoomFull
)

// Below the floor one line says which size is needed.
const (
	floorW, floorH = 60, 16
	headerLines    = 2
)

// rect is a region of the screen in cells.
type rect struct{ X, Y, W, H int }

func (r rect) contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// layout places the panes on a screen of w x h cells. The rectangles cover the
// screen and do not overlap. screen is the screen shown over the dashboard, or
// atNone. Below the floor only the header comes back, over everything.
func layout(w, h int, z zoom, focus, screen pane.ID) map[pane.ID]rect {
	if w < floorW || h < floorH {
		return map[pane.ID]rect{pane.Header: {0, 0, w, h}}
	}
	return arrange(w, h, z, focus, screen)
}

// stripLines is the height of the strip of the past.
const stripLines = 3

// arrange places the panes where there is room for them.
func arrange(w, h int, z zoom, focus, screen pane.ID) map[pane.ID]rect {
	out := map[pane.ID]rect{
		pane.Header: {0, 0, w, headerLines},
		pane.Help:   {0, h - 1, w, 1},
	}
	body := rect{0, headerLines, w, h - headerLines - 1}
	switch {
	case screen != pane.None:
		out[screen] = body
	case z == zoomFull || w < 80 || h < 24:
		out[focus] = body
	case z == zoomHalf:
		layoutHalf(out, body, focus)
	case w < 110 && h >= 46:
		layoutPortrait(out, body)
	case w < 110 || h < 30:
		layoutSmall(out, body, focus)
	default:
		layoutFull(out, body)
	}
	return out
}

// layoutHalf gives the focused pane the larger side.
func layoutHalf(out map[pane.ID]rect, b rect, focus pane.ID) {
	other := pane.Niches
	if focus == pane.Niches {
		other = pane.Jobs
	}
	big := b.W * 5 / 8
	if other == pane.Niches {
		out[other] = rect{b.X, b.Y, b.W - big, b.H}
		out[focus] = rect{b.X + b.W - big, b.Y, big, b.H}
		return
	}
	out[focus] = rect{b.X, b.Y, big, b.H}
	out[other] = rect{b.X + big, b.Y, b.W - big, b.H}
}

// layoutPortrait stacks everything on a narrow, tall screen.
func layoutPortrait(out map[pane.ID]rect, b rect) {
	curves, review, log := b.H*16/100, max(4, b.H*9/100), b.H*11/100
	jobs := b.H * 17 / 100
	y := b.Y
	for _, p := range []struct {
		id pane.ID
		h  int
	}{{pane.Niches, b.H - curves - review - log - jobs}, {pane.Jobs, jobs}, {pane.Curves, curves}, {pane.Review, review}, {pane.Log, log}} {
		out[p.id] = rect{b.X, y, b.W, p.h}
		y += p.h
	}
}

// layoutSmall keeps grid and jobs; the other panes take the place of the jobs
// while they have the focus.
func layoutSmall(out map[pane.ID]rect, b rect, focus pane.ID) {
	left := b.W / 2
	second := pane.Jobs
	if focus != pane.Niches && focus != pane.None {
		second = focus
	}
	out[pane.Niches] = rect{b.X, b.Y, left, b.H}
	out[second] = rect{b.X + left, b.Y, b.W - left, b.H}
}

// layoutFull is the dashboard: grid over review, jobs over curves over log.
func layoutFull(out map[pane.ID]rect, b rect) {
	left := min(b.W*48/100, 150)
	review := max(4, min(b.H*16/100, 10))
	log := max(4, min(b.H*18/100, 14))
	curves := max(9, b.H*32/100)
	x := b.X + left
	out[pane.Niches] = rect{b.X, b.Y, left, b.H - review}
	out[pane.Review] = rect{b.X, b.Y + b.H - review, left, review}
	out[pane.Jobs] = rect{x, b.Y, b.W - left, b.H - curves - log}
	out[pane.Curves] = rect{x, b.Y + b.H - curves - log, b.W - left, curves}
	out[pane.Log] = rect{x, b.Y + b.H - log, b.W - left, log}
}
