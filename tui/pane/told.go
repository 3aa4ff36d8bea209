package pane

import (
	"strings"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// told is the value of a candidate in w cells. Where values vary it has its evidence, or
// the word that says how little is known, which is shortened before the number goes.
func (d *Shared) told(id record.CandidateID, v *float64, c *evidence.Claim, w int) string {
	t := d.Snap.Told(id, v, c)
	switch {
	case v == nil:
		return "-"
	case !t.Plain():
		return drawn(t.In(w), d.Glyphs)
	}
	return widget.Narrow(*v, w)
}

// drawn is a text of the engine in the characters that the terminal has.
func drawn(text string, g plot.Glyphs) string {
	if g == plot.ASCII {
		return strings.ReplaceAll(text, "±", "+-")
	}
	return text
}

// toldLine are the values that may be drawn as a line: where values vary, those of samples
// that decided nothing.
func toldLine(s *view.Snapshot, line []view.LineageNode) []float64 {
	var values []float64
	for i := range line {
		if n := &line[i]; n.Objective != nil && (!s.Noisy || n.ID == record.Root || n.Claim != nil && n.Claim.N > 0) {
			values = append(values, *s.Told(n.ID, n.Objective, n.Claim).Number())
		}
	}
	return values
}

// toldCell is the value of a niche in w cells.
func (d *Shared) toldCell(c *view.Cell, w int) string {
	return d.told(c.Elite, &c.Objective, c.Claim, w)
}

// toldWidth is the width of a column of values: w, or what a value takes with its evidence.
func (d *Shared) toldWidth(w int) int {
	if d.Snap.Noisy {
		return max(w, evidenceWidth)
	}
	return w
}

// evidenceWidth is what a value takes in a column with its interval and n, or a word.
const evidenceWidth = 20

// whole is room for a value with all of its evidence.
const whole = 60

// claimOf is what samples that decided nothing tell of a candidate that was asked for.
func (d *Shared) claimOf(c *view.CandidateDetail) *evidence.Claim {
	if c.Claim.N == 0 {
		return nil
	}
	return &c.Claim
}

// valueStyle is how a value is drawn: one that may be luck does not stand out.
func (d *Shared) valueStyle(id record.CandidateID, v *float64, c *evidence.Claim) widget.Style {
	switch d.Snap.Told(id, v, c).Word() {
	case string(evidence.Unconfirmed), string(evidence.WithinNoise):
		return d.St.Plain
	}
	return d.St.Strong
}

// toldAdjusted is the value that a niche is drawn by, turned so that more is better.
func toldAdjusted(s *view.Snapshot, c *view.Cell) float64 {
	if v := s.ToldCell(c).Number(); c.Claim != nil {
		if s.Direction == "minimize" {
			return -*v
		}
		return *v
	}
	return c.Adjusted
}

// ofDeciding is the word for figures of samples that decided, "" where nothing varies.
func (d *Shared) ofDeciding() string {
	return widget.Unless(!d.Snap.Noisy, string(evidence.Unconfirmed))
}

// ofSample is the word for the metrics of a candidate that was measured with noise: those of the sample in the middle
// of the ones that decided, which are not what it is claimed to be worth; "" where nothing varies.
func (d *Shared) ofSample() string { return widget.Unless(!d.Snap.Noisy, "deciding") }
