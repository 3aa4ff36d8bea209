package pane

import (
	"cmp"
	"slices"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// outlook is what approving a candidate that waits would come to now.
type outlook int

// The outlooks: this is the order of the queue. One that is the first in its niche
// gains all of its value.
const (
	firstThere outlook = iota // its niche is empty
	takesNiche                // better than who holds its niche
	keptOut                   // better than everything, but who holds its niche is frozen there
	notPlaced                 // measured, but the map has no niche for it yet
	unmeasured                // waits before it is measured
	noBetter                  // somebody as good holds its niche now
)

// prospect is the outlook of one candidate, with its gain on who holds its niche.
type prospect struct {
	outlook
	best   bool    // better than everything
	gain   float64 // direction-aware; of the first in a niche what its value is ahead of the root's
	on     record.CandidateID
	frozen bool // who holds the niche keeps it whatever comes
}

// compared reports whether the gain is one on who holds the niche.
func (p *prospect) compared() bool {
	return p.outlook == takesNiche || p.outlook == keptOut || p.outlook == noBetter
}

// prospectOf looks at the niches as they are now, not as they were when the
// candidate began to wait.
func (d *Shared) prospectOf(h *view.Held) prospect {
	p := prospect{outlook: unmeasured, on: record.NoCandidate}
	if h.Candidate.Objective == nil {
		return p
	}
	v := *h.Candidate.Objective
	if root := d.Snap.Root; root.ID >= 0 {
		p.gain = d.gain(v, root.Objective)
	}
	p.best = d.Snap.Best.ID >= 0 && d.gain(v, d.Snap.Best.Objective) > 0
	holder := d.Grid.At(h.Cell)
	switch {
	case h.Cell < 0:
		p.outlook = notPlaced
	case holder == nil || holder.Elite < 0:
		p.outlook = firstThere
	default:
		p.gain, p.on, p.frozen = d.gain(v, holder.Objective), holder.Elite, holder.Frozen
		switch {
		case p.frozen && p.best && p.gain > 0:
			p.outlook = keptOut
		case p.frozen || p.gain <= 0:
			p.outlook = noBetter
		default:
			p.outlook = takesNiche
		}
	}
	p.best = p.best && p.outlook != noBetter
	p.gain = level(p.gain, v)
	return p
}

// words tell an outlook in one line.
func (p prospect) words(g *view.Grid, h *view.Held) string {
	return widget.Words(", ", widget.Unless(!p.best, "new best"), p.where(g, h))
}

func (p prospect) where(g *view.Grid, h *view.Held) string {
	on := CandidateName(p.on)
	switch p.outlook {
	case takesNiche:
		return "takes " + Niche(g, h.Cell) + " from " + on
	case firstThere:
		return "first in " + Niche(g, h.Cell)
	case keptOut:
		return "but its niche is frozen: " + on + " stays in " + Niche(g, h.Cell)
	case notPlaced:
		return "no map yet"
	case noBetter:
		if p.frozen {
			return on + " is frozen in " + Niche(g, h.Cell)
		}
		return "no better than " + on + " in " + Niche(g, h.Cell)
	}
	return "not measured yet"
}

// brief tells an outlook in at most w cells: where the words do not fit, the shorter
// ones, and the niche goes last.
func (p prospect) brief(g *view.Grid, h *view.Held, w int) string {
	whole := p.words(g, h)
	on, at := CandidateName(p.on), widget.Unless(h.Cell < 0, Niche(g, h.Cell))
	var short []string
	if p.best {
		short = []string{widget.Words(" ", "new best", widget.Unless(at == "", "in "+at)), "new best"}
	}
	if p.outlook == keptOut {
		short = []string{"new best, but its niche is frozen", "best, its niche is frozen", "its niche is frozen", "niche frozen", "frozen"}
	}
	switch {
	case p.best:
	case p.outlook == takesNiche:
		short = []string{at + " from " + on, "takes " + at, at}
	case p.outlook == noBetter:
		short = []string{on + " holds " + at, "no better"}
		if p.frozen {
			short = []string{on + " is frozen", "frozen"}
		}
	default:
		short = []string{widget.Unless(at == "", at)}
	}
	for _, text := range append([]string{whole}, short...) {
		if text != "" && plot.Width(text) <= w {
			return text
		}
	}
	return whole
}

// waiting is a candidate in the queue.
type waiting struct {
	held *view.Held
	prospect
}

// queueOf orders what waits by what its gain says: those that are the first in their
// niche, by value, then those that take one, by gain on who holds it, then the oldest
// first.
func (d *Shared) queueOf(list []view.Held) []waiting {
	out := make([]waiting, len(list))
	for i := range list {
		out[i] = waiting{&list[i], d.prospectOf(&list[i])}
	}
	slices.SortStableFunc(out, func(a, b waiting) int {
		return cmp.Or(cmp.Compare(a.outlook, b.outlook), cmp.Compare(b.gain, a.gain))
	})
	return out
}

// bestOfEach returns the best candidate for each niche among those that would
// take one or are the best of all, in the order of the queue; what would not get its
// niche, as that is frozen, is left for a decision of its own.
func bestOfEach(queue []waiting) []waiting {
	var out []waiting
	taken := map[int]bool{}
	for _, w := range queue {
		if w.outlook == keptOut || w.outlook > takesNiche && !w.best || w.held.Cell >= 0 && taken[w.held.Cell] {
			continue
		}
		taken[w.held.Cell] = true
		out = append(out, w)
	}
	return out
}
