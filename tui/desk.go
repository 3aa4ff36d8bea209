package tui

import (
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/charmbracelet/colorprofile"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// desk is what all panes share: the snapshot, an index over its grid, the
// styles, and what the person marked. Only the screen's goroutine touches it.
type desk struct {
	ctx     context.Context
	opt     Options
	snap    *view.Snapshot // never nil
	grid    gridIndex
	st      *Styles
	ramp    *plot.Ramp
	glyphs  plot.Glyphs
	dark    bool
	profile colorprofile.Profile
	palette string
	gen     uint64 // changes with styles and marks
	ticks   uint64 // seconds since something runs
	marks   []record.CandidateID
}

func newDesk(ctx context.Context, o Options) *desk {
	d := &desk{ctx: ctx, opt: o, dark: o.Console.Theme != "light", profile: colorprofile.TrueColor, palette: o.Console.Palette}
	d.snap = &view.Snapshot{Loading: true, Root: view.Standing{ID: record.NoCandidate, Cell: -1}, Best: view.Standing{ID: record.NoCandidate, Cell: -1}}
	if d.palette == "" {
		d.palette = "viridis"
	}
	d.glyphs = glyphsOf(o)
	d.restyle()
	return d
}

// glyphsOf chooses the characters: the Linux console has blocks but no
// braille, a dumb terminal has ASCII.
func glyphsOf(o Options) plot.Glyphs {
	switch term := lookupEnv(o.Env, "TERM"); {
	case o.Console.ASCII || term == "dumb":
		return plot.ASCII
	case term == "linux":
		return plot.Blocks
	}
	return plot.Braille
}

// restyle rebuilds what depends on background, profile or palette.
func (d *desk) restyle() {
	d.st = newStyles(d.dark, d.profile)
	d.ramp = plot.NewRamp(d.palette, d.profile, d.glyphs)
	d.gen++
}

func (d *desk) now() time.Time {
	if d.opt.Now == nil {
		return time.Now()
	}
	return d.opt.Now()
}

// take makes s the snapshot that everything shows.
func (d *desk) take(s *view.Snapshot) {
	if s == nil {
		return
	}
	d.snap = s
	d.grid.build(s)
}

func (d *desk) marked(id record.CandidateID) bool { return slices.Contains(d.marks, id) }

func (d *desk) mark(id record.CandidateID) {
	if i := slices.Index(d.marks, id); i >= 0 {
		d.marks = slices.Delete(d.marks, i, i+1)
	} else {
		d.marks = append(d.marks, id)
	}
	d.gen++
}

// gain is the direction-aware difference of a over b: positive is better.
func (d *desk) gain(a, b float64) float64 {
	if d.snap.Direction == "minimize" {
		return b - a
	}
	return a - b
}

// gridIndex answers questions about the grid of one snapshot.
type gridIndex struct {
	cells  []*view.Cell // by flat index, nil = never tried
	of     map[record.CandidateID]int
	sorted []float64 // adjusted objectives of the elites, rising
	// The bounds of the colours. They only grow while one map lasts, so that
	// colours do not jump while a person looks.
	lo, hi float64
	low    bool // values below lo exist
	key    [3]int64
}

func (g *gridIndex) build(s *view.Snapshot) {
	total := 1
	for _, n := range s.Grid.Dims {
		total *= max(n, 0)
	}
	if len(s.Grid.Dims) == 0 || total > 1<<20 {
		total = 0
	}
	g.cells = make([]*view.Cell, total)
	g.of = make(map[record.CandidateID]int, len(s.Grid.Cells))
	g.sorted = g.sorted[:0]
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		if c.Index < 0 || c.Index >= total {
			continue
		}
		g.cells[c.Index] = c
		if c.Elite >= 0 {
			g.of[c.Elite] = c.Index
			if !math.IsNaN(c.Adjusted) && !math.IsInf(c.Adjusted, 0) {
				g.sorted = append(g.sorted, c.Adjusted)
			}
		}
	}
	sort.Float64s(g.sorted)
	g.bounds(s)
}

// bounds holds the range of colours: from the second percentile to the best.
func (g *gridIndex) bounds(s *view.Snapshot) {
	key := [3]int64{int64(s.Experiment.ID), int64(s.Grid.Map), int64(s.Experiment.Objective)}
	if key != g.key {
		g.key, g.lo, g.hi = key, 0, 0
	}
	n := len(g.sorted)
	if n == 0 {
		return
	}
	lo, hi := g.sorted[0], g.sorted[n-1]
	if n >= 50 {
		lo = g.sorted[n/50]
	}
	if g.lo == g.hi {
		g.lo, g.hi = lo, hi
	}
	g.lo, g.hi = math.Min(g.lo, lo), math.Max(g.hi, hi)
	g.low = g.sorted[0] < g.lo
}

func (g *gridIndex) at(cell int) *view.Cell {
	if cell < 0 || cell >= len(g.cells) {
		return nil
	}
	return g.cells[cell]
}

// cellOf returns the niche a candidate holds, -1 for none.
func (g *gridIndex) cellOf(id record.CandidateID) int {
	if c, ok := g.of[id]; ok {
		return c
	}
	return -1
}

// rank returns the share of elites that are not better, in [0,1].
func (g *gridIndex) rank(v float64) float64 {
	if len(g.sorted) < 2 {
		return 1
	}
	return float64(sort.SearchFloat64s(g.sorted, v)) / float64(len(g.sorted)-1)
}

func lookupEnv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if len(env[i]) > len(name) && env[i][len(name)] == '=' && env[i][:len(name)] == name {
			return env[i][len(name)+1:]
		}
	}
	return ""
}
