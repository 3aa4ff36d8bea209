package pane

import (
	"context"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// Shared is what all panes show: the snapshot, an index over its grid, the
// styles, and what the person marked. Only the screen's goroutine touches it.
type Shared struct {
	Ctx      context.Context
	Reader   Reader           // nil: only the snapshot is known
	Host     Host             // what a pane may ask of the console
	Clock    func() time.Time // nil: the time of day
	Wait     Wait             // lets time pass before a question is asked
	Snap     *view.Snapshot   // never nil
	Past     bool             // Snap is of an earlier moment of the log
	Moment   time.Time        // which one
	Grid     gridIndex
	St       *widget.Styles
	ramp     *plot.Ramp
	Glyphs   plot.Glyphs
	Dark     bool
	Contrast bool              // no grey, strong colours
	Own      map[string]string // colours of a person, by name
	Profile  colorprofile.Profile
	Palette  string
	Reading  Reading
	Gen      uint64 // changes with styles and marks
	Ticks    uint64 // seconds since something runs
	Marks    []record.CandidateID
	Course   Course // of cost and resources
	boosts   map[string]asked
	Keys     *keys.Table              // how actions are pressed; nil: nobody knows
	Typed    func(text string) string // command lines of a text as they can be typed here; nil: as they are
}

// Key is how a person presses an action.
func (d *Shared) Key(id string) string {
	if d.Keys == nil {
		return ":" + id
	}
	return d.Keys.Key(id)
}

// Told is a text with its command lines, `atoll run`, as they can be typed where
// the console was started.
func (d *Shared) Told(text string) string {
	if d.Typed == nil || !strings.Contains(text, "`atoll ") {
		return text
	}
	return d.Typed(text)
}

// Reading is how differences are laid out.
type Reading struct {
	Cut     bool // long lines are cut, and moved sideways, in place of wrapped
	Columns int  // an index into ColumnNames
}

// ColumnNames are the ways to lay before and after out.
var ColumnNames = [...]string{byWidth: "by width", oneColumn: "one", twoColumns: "two"}

const (
	byWidth = iota
	oneColumn
	twoColumns
)

// NewShared returns what panes share before anything is known, drawn in the
// colours and characters that a terminal has.
func NewShared(ctx context.Context, r Reader, g plot.Glyphs, dark bool, palette string) *Shared {
	d := &Shared{Ctx: ctx, Reader: r, Glyphs: g, Dark: dark, Profile: colorprofile.TrueColor, Palette: palette, Wait: Sleep}
	d.Snap = &view.Snapshot{Loading: true, Root: view.Standing{ID: record.NoCandidate, Cell: -1}, Best: view.Standing{ID: record.NoCandidate, Cell: -1}}
	if d.Palette == "" {
		d.Palette = "viridis"
	}
	d.Restyle()
	return d
}

// Restyle rebuilds what depends on background, profile or palette.
func (d *Shared) Restyle() {
	d.St = widget.NewStyles(d.Dark, d.Profile)
	if d.Contrast {
		d.St.Strengthen(d.Dark, d.Profile)
	}
	d.St.Own(d.Own, d.Profile)
	d.ramp = plot.NewRamp(d.Palette, d.Profile, d.Glyphs)
	d.Gen++
}

// Ramp is how values become colours.
func (d *Shared) Ramp() *plot.Ramp { return d.ramp }

// Now is the time of all that the screen shows: in the past that of the moment.
func (d *Shared) Now() time.Time {
	if d.Past && !d.Moment.IsZero() {
		return d.Moment
	}
	return d.Today()
}

// Today is the time on the clock, whatever the screen shows.
func (d *Shared) Today() time.Time {
	if d.Clock == nil {
		return time.Now()
	}
	return d.Clock()
}

// Take makes s the snapshot that everything shows.
func (d *Shared) Take(s *view.Snapshot) {
	if s == nil {
		return
	}
	d.Snap = s
	d.Grid.build(s)
}

func (d *Shared) marked(id record.CandidateID) bool { return slices.Contains(d.Marks, id) }

func (d *Shared) Mark(id record.CandidateID) {
	if i := slices.Index(d.Marks, id); i >= 0 {
		d.Marks = slices.Delete(d.Marks, i, i+1)
	} else {
		d.Marks = append(d.Marks, id)
	}
	d.Gen++
}

// hasKeys reports whether keys that are pressed now go to a pane.
func hasKeys(d *Shared, p Pane) bool { return d.Host != nil && d.Host.Current() == p }

// Unmark forgets all marks.
func (d *Shared) Unmark() {
	d.Marks = nil
	d.Gen++
}

// gain is the direction-aware difference of a over b: positive is better.
func (d *Shared) gain(a, b float64) float64 {
	if d.Snap.Direction == "minimize" {
		return b - a
	}
	return a - b
}

// Seat names the niche of the best; kept says that the best does not hold it, as who does
// is frozen there. "" is where it lies in none.
func (d *Shared) Seat() (niche string, kept bool) {
	b := &d.Snap.Best
	if b.Cell < 0 {
		return "", false
	}
	c := d.Grid.At(b.Cell)
	return Niche(&d.Snap.Grid, b.Cell), c != nil && c.Frozen && c.Elite != b.ID
}

// NoBetter says that nothing is better than the root, and what can be done about it;
// "" while something is, or nothing was tried yet.
func (d *Shared) NoBetter() (text, next string) {
	s := d.Snap
	if s.Best.ID != record.Root || s.Jobs.Ended() == 0 {
		return "", ""
	}
	text = "no candidate is better than the root yet"
	for i := range s.Review {
		if o := s.Review[i].Candidate.Objective; o != nil && d.gain(*o, s.Root.Objective) > 0 {
			return text, "one that waits would be: " + d.Key("review-queue") + " decides"
		}
	}
	if s.Sure != nil {
		return s.VerifiedText(), d.Key("summary") + " tells more"
	}
	if who, ok := s.Ahead(); ok {
		return "nothing is sure to be better than the root yet", who.Text()
	}
	switch scored := s.Jobs.Scored + s.Jobs.Placed; {
	case scored == 0 && s.Jobs.Failed+s.Jobs.Rejected > 0:
		return text, "none was measured: " + d.Key("failures") + " tells why"
	case s.State == record.ExperimentRunning:
		return text, d.Key("steering") + " steers it, " + d.Key("yields") + " tells what was tried"
	case s.State == record.ExperimentPaused || s.State == record.ExperimentStopped:
		return text, d.Key("steering") + " steers it before it goes on"
	}
	return text, d.Key("summary") + " offers more jobs, " + d.Key("steering") + " steers it"
}

// level is a difference of two values as it is shown, beside one of them: one that is
// no more than the order in which numbers were added makes is none.
func level(diff, of float64) float64 {
	if math.Abs(diff) <= 1e-9*math.Abs(of) {
		return 0
	}
	return diff
}

// gridIndex answers questions about the grid of one snapshot.
type gridIndex struct {
	cells  []*view.Cell // by flat index, nil = never tried
	of     map[record.CandidateID]int
	sorted []float64 // adjusted objectives of the elites, rising
	lo, hi float64   // the bounds of the colours: of what is there now, so that all consoles show the same
	low    bool      // values below lo exist
	open   bool      // some values are those of samples that decided, and values vary
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
	g.sorted, g.open = g.sorted[:0], false
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		if c.Index < 0 || c.Index >= total {
			continue
		}
		g.cells[c.Index] = c
		if c.Elite >= 0 {
			g.of[c.Elite] = c.Index
			g.open = g.open || s.Noisy && c.Claim == nil && c.Elite != record.Root
			if v := toldAdjusted(s, c); !math.IsNaN(v) && !math.IsInf(v, 0) {
				g.sorted = append(g.sorted, v)
			}
		}
	}
	sort.Float64s(g.sorted)
	g.bounds()
}

// bounds sets the range of colours: from the second percentile to the best.
func (g *gridIndex) bounds() {
	g.lo, g.hi, g.low = 0, 0, false
	n := len(g.sorted)
	if n == 0 {
		return
	}
	g.lo, g.hi = g.sorted[0], g.sorted[n-1]
	if n >= 50 {
		g.lo = g.sorted[n/50]
	}
	g.low = g.sorted[0] < g.lo
}

func (g *gridIndex) At(cell int) *view.Cell {
	if cell < 0 || cell >= len(g.cells) {
		return nil
	}
	return g.cells[cell]
}

// CellOf returns the niche a candidate holds, -1 for none.
func (g *gridIndex) CellOf(id record.CandidateID) int {
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

const maxBoost = 16

// asked is a boost that was asked for and is not in the feed yet.
type asked struct {
	factor float64
	fold   record.Seq
}

// Boosted returns the factor after one more press. A press that comes before
// the feed shows the one before it builds on what was asked for.
func (d *Shared) Boosted(what string, now, by float64) float64 {
	if p, ok := d.boosts[what]; ok && p.fold == d.Snap.Fold {
		now = p.factor
	}
	factor := max(1.0/maxBoost, min(now*by, maxBoost))
	if d.boosts == nil {
		d.boosts = map[string]asked{}
	}
	d.boosts[what] = asked{factor, d.Snap.Fold}
	return factor
}
