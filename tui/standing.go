package tui

import (
	"fmt"
	"math"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// standing is the second line: the best against the root, the archive, the
// failures.
func (h *bars) standing(w int) string {
	s, st := h.d.Snap, h.d.St
	if banner := h.banner(); banner != "" {
		return plot.Fit(banner, w)
	}
	if text, next := h.d.NoBetter(); text != "" {
		left := []widget.Part{{Text: " " + st.Warn.S(text), Rank: 100}, {Text: st.Label.S(next), Rank: 90}}
		if root := h.onRoot("", h.rootText()); root != "" {
			left = append(left, widget.Part{Text: root, Rank: 68})
		}
		return widget.Squeeze(left, h.figures(w), w-1)
	}
	best, root := h.bestWords(w)
	left := []widget.Part{{Text: " " + best, Rank: 100}}
	if root != "" {
		left = append(left, widget.Part{Text: root, Rank: 64})
	}
	if s.Best.ID >= 0 {
		where := st.Ident.S(pane.CandidateName(s.Best.ID))
		if niche, kept := h.d.Seat(); kept {
			where += st.Warn.S(", " + niche + " is frozen")
		} else if niche != "" {
			where += " " + st.Ident.S(niche)
		}
		if s.Best.At > 0 {
			where += st.Label.S(" " + widget.Ago(h.d.Now().Sub(widget.Millis(s.Best.At))))
		}
		left = append(left, widget.Part{Text: where, Rank: 60})
		if s.Best.Uncompared {
			left = append(left, widget.Part{Text: st.Warn.S("behaviour not compared"), Rank: 99})
		}
		if s.Direction == "minimize" {
			left = append(left, widget.Part{Text: st.Label.S("lower is better"), Rank: 59})
		}
		if t := h.d.Trend(5); t != "" && w >= 72 && w < 84 { // curves and the title of the map have no room
			left = append(left, widget.Part{Text: t, Rank: 61})
		}
	}
	return widget.Squeeze(left, h.figures(w), w-1)
}

func (h *bars) bestText() string {
	best, root := h.bestWords(0)
	return widget.Words(" ", best, root)
}

// bestWords are the best with its evidence and its gain, and on what that is. In a few
// cells the gain has the interval alone, and in fewer, where there is more to tell, the word.
func (h *bars) bestWords(w int) (best, root string) {
	s, st := h.d.Snap, h.d.St
	b, c := &s.Best, &s.Best.Claim
	if b.ID < 0 {
		return st.Label.S("nothing measured yet"), ""
	}
	if b.ID == record.Root && s.Paired {
		own := ""
		if s.Root.Own != nil {
			own = ", its own " + widget.AxisName(s.Objective, 16) + " " + widget.Number(*s.Root.Own)
		}
		return st.Label.S("best ") + st.Strong.S("the root") + st.Label.S(", 1 by definition"+own), ""
	}
	if b.ID == record.Root {
		return st.Label.S("best ") + h.value(h.rootText(), w), ""
	}
	terse := w < leastEvidence && (b.Uncompared || w == 0)
	switch c.Word {
	case evidence.Unconfirmed, evidence.WithinNoise:
		t := st.Label.S("best ") + h.value(widget.Number(c.Value), w)
		if !terse {
			t += h.interval(c)
		}
		return t + "  " + st.Warn.S(doubt(*c, w)), ""
	case evidence.Confirmed:
		t, gain := st.Label.S("best ")+h.value(widget.Number(c.Value), w), view.ClaimGain(*c)
		switch {
		case terse && !math.IsNaN(b.Percent):
			gain = widget.Percent(b.Percent) + " " + string(c.Word)
		case terse:
		case w < wholeEvidence:
			t += st.Label.S(fmt.Sprintf(" n %d", c.N))
		default:
			t += h.interval(c)
		}
		return t + "  " + st.Good.S(gain), h.onRoot("on ", widget.Number(c.Root))
	}
	t := st.Label.S("best ") + h.value(widget.Number(b.Objective), w)
	if s.Root.ID < 0 {
		return t, ""
	}
	col := st.Good
	if b.Percent < 0 {
		col = st.Bad
	}
	return t + "  " + col.S(widget.Percent(b.Percent)), h.onRoot("on ", h.rootText())
}

// doubt is the word of a claim that tells no gain, and in more cells more of what is held
// against it.
func doubt(c evidence.Claim, w int) string {
	if view.Doubtful(c) && w < wholeEvidence {
		return string(c.Word) + ", worse so far"
	}
	return view.ClaimWord(c)
}

// value is a number as what it is: a ratio to the root's metric says so.
func (h *bars) value(number string, w int) string {
	text := h.d.St.Strong.S(number)
	if h.d.Snap.Paired && w >= wholeEvidence {
		return text + h.d.St.Label.S(" of the root's "+widget.AxisName(h.d.Snap.Objective, 16))
	}
	if h.d.Snap.Paired {
		return text + h.d.St.Label.S(" of root")
	}
	return text
}

// onRoot tells the root's value, which is nothing to tell where values are ratios to it.
func (h *bars) onRoot(word, value string) string {
	if h.d.Snap.Paired {
		return ""
	}
	return h.d.St.Label.S(word + "root " + value)
}

// From these widths on the header has room for the intervals of the value and of the gain,
// and for one of them beside what else must be said.
const (
	wholeEvidence = 100
	leastEvidence = 76
)

// interval is where the value of a claim lies, and of how many samples that is known.
func (h *bars) interval(c *evidence.Claim) string {
	if c.N == 0 || !c.Interval.Bounded() {
		return ""
	}
	return h.d.St.Label.S(fmt.Sprintf(" [%s, %s] n %d", plot.Short(c.Interval.Low), plot.Short(c.Interval.High), c.N))
}

// rootText is the value of the root: nothing chose it, so that it is what was measured.
func (h *bars) rootText() string {
	if c := &h.d.Snap.Root.Claim; h.d.Snap.Noisy && c.N > 0 {
		return widget.Number(c.Value)
	}
	return widget.Number(h.d.Snap.Root.Objective)
}
