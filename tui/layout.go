package tui

// paneID names a region or a screen. The first five live on the dashboard.
type paneID int

// The panes and screens.
const (
	noPane paneID = iota
	paneNiches
	paneJobs
	paneCurves
	paneReview
	paneLog
	paneFailures
	paneYields
	paneNotes
	paneDecisions
	paneJob
	paneCandidate
	paneLineage
	paneSettings
	paneDoctor
	paneCandidates
	paneHeader
	paneHelp
)

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
// noPane. Below the floor only the header comes back, over everything.
func layout(w, h int, z zoom, focus, screen paneID) map[paneID]rect {
	if w < floorW || h < floorH {
		return map[paneID]rect{paneHeader: {0, 0, w, h}}
	}
	out := map[paneID]rect{
		paneHeader: {0, 0, w, headerLines},
		paneHelp:   {0, h - 1, w, 1},
	}
	body := rect{0, headerLines, w, h - headerLines - 1}
	switch {
	case screen != noPane:
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
func layoutHalf(out map[paneID]rect, b rect, focus paneID) {
	other := paneNiches
	if focus == paneNiches {
		other = paneJobs
	}
	big := b.W * 5 / 8
	if other == paneNiches {
		out[other] = rect{b.X, b.Y, b.W - big, b.H}
		out[focus] = rect{b.X + b.W - big, b.Y, big, b.H}
		return
	}
	out[focus] = rect{b.X, b.Y, big, b.H}
	out[other] = rect{b.X + big, b.Y, b.W - big, b.H}
}

// layoutPortrait stacks everything on a narrow, tall screen.
func layoutPortrait(out map[paneID]rect, b rect) {
	curves, review, log := b.H*16/100, max(4, b.H*9/100), b.H*11/100
	jobs := b.H * 17 / 100
	y := b.Y
	for _, p := range []struct {
		id paneID
		h  int
	}{{paneNiches, b.H - curves - review - log - jobs}, {paneJobs, jobs}, {paneCurves, curves}, {paneReview, review}, {paneLog, log}} {
		out[p.id] = rect{b.X, y, b.W, p.h}
		y += p.h
	}
}

// layoutSmall keeps grid and jobs; the other panes take the place of the jobs
// while they have the focus.
func layoutSmall(out map[paneID]rect, b rect, focus paneID) {
	left := b.W / 2
	second := paneJobs
	if focus != paneNiches && focus != noPane {
		second = focus
	}
	out[paneNiches] = rect{b.X, b.Y, left, b.H}
	out[second] = rect{b.X + left, b.Y, b.W - left, b.H}
}

// layoutFull is the dashboard: grid over review, jobs over curves over log.
func layoutFull(out map[paneID]rect, b rect) {
	left := min(b.W*48/100, 110)
	review := max(4, min(b.H*16/100, 10))
	log := max(4, min(b.H*18/100, 14))
	curves := max(9, b.H*32/100)
	x := b.X + left
	out[paneNiches] = rect{b.X, b.Y, left, b.H - review}
	out[paneReview] = rect{b.X, b.Y + b.H - review, left, review}
	out[paneJobs] = rect{x, b.Y, b.W - left, b.H - curves - log}
	out[paneCurves] = rect{x, b.Y + b.H - curves - log, b.W - left, curves}
	out[paneLog] = rect{x, b.Y + b.H - log, b.W - left, log}
}
