package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// allParts is the error of what is told of all parts together (Bonferroni): each has its share, also
// of every look at which the rounds may end.
const allParts = 0.05

// Part is one of the values that the metric is a mean of, a single benchmark for
// instance: a mean may gain where a part loses.
type Part struct {
	Metric string    `json:"metric"`
	Before []float64 `json:"before"` // by round, as [Figures] have them
	After  []float64 `json:"after"`
	// Ratio is after / before, and In where it lies, with the intervals of all parts together at
	// the level 0.95; without ends where the rounds are too few.
	Ratio float64           `json:"ratio"`
	In    evidence.Interval `json:"ratio_interval"`
}

// Moved is 1 where the part is better than it was, -1 where it is worse, 0 where that
// cannot be told.
func (p *Part) Moved(minimize bool) int {
	up := 0
	switch {
	case p.In.Low > 1:
		up = 1
	case p.In.High < 1:
		up = -1
	}
	if minimize {
		return -up
	}
	return up
}

// String is the change in per cent, with its interval where there is one.
func (p *Part) String() string {
	name := view.CleanLine(p.Metric)
	if !p.In.Bounded() {
		return fmt.Sprintf("%s %+.1f %%", name, 100*(p.Ratio-1))
	}
	return fmt.Sprintf("%s %+.1f %% (%+.1f to %+.1f)", name, 100*(p.Ratio-1), 100*(p.In.Low-1), 100*(p.In.High-1))
}

// side is what one of the two programs reported in a round.
type side struct {
	value   float64
	metrics []record.Metric
}

// partOf reports whether a metric is a part of the one that is verified, of a unit. The name of
// a part ends with that of the whole ("Parse ns/op" of "ns/op"), or with the unit alone where
// that ends the whole's ("words.count us" of "time_us").
func (f *Figures) partOf(m *record.Metric, unit string) bool {
	if strings.HasSuffix(m.Name, " "+f.Metric) {
		return true
	}
	return unit != "" && m.Unit == unit && strings.HasSuffix(f.Metric, "_"+unit) && strings.HasSuffix(m.Name, " "+unit)
}

// addParts keeps what both sides reported for the parts of the metric. One that is missing in
// a round, or not above 0, is none.
func (f *Figures) addParts(before, after side) {
	values := map[string]float64{}
	for _, m := range after.metrics {
		values[m.Name] = m.Value
	}
	first, unit := f.N() == 0, ""
	for _, m := range before.metrics {
		if m.Name == f.Metric {
			unit = m.Unit
		}
	}
	for _, m := range before.metrics {
		v := values[m.Name]
		if !f.partOf(&m, unit) || !(m.Value > 0) || !(v > 0) {
			continue
		}
		i := slices.IndexFunc(f.Parts, func(p Part) bool { return p.Metric == m.Name })
		if i < 0 && first {
			i, f.Parts = len(f.Parts), append(f.Parts, Part{Metric: m.Name})
		}
		if i >= 0 {
			f.Parts[i].Before, f.Parts[i].After = append(f.Parts[i].Before, m.Value), append(f.Parts[i].After, v)
		}
	}
	f.Parts = slices.DeleteFunc(f.Parts, func(p Part) bool { return len(p.Before) != f.N()+1 })
}

// partError is the share that one of some parts has of the error of all, at one of some looks.
func partError(parts, looks int) float64 { return allParts / float64(max(1, parts)*looks) }

// tellsParts reports whether some rounds are enough for the intervals of as many parts to have ends, where
// there are some looks.
func tellsParts(rounds, parts, looks int) bool {
	return parts < 2 || math.Ldexp(2, -rounds) <= partError(parts, looks)
}

// judgeParts says how each part moved, in the order of the worst first; most is the bound of
// rounds. A single one is the metric itself.
func (f *Figures) judgeParts(most int) error {
	if len(f.Parts) < 2 {
		f.Parts = nil
		return nil
	}
	level := 1 - partError(len(f.Parts), len(f.looks(most)))
	for i := range f.Parts {
		p := &f.Parts[i]
		var err error
		if p.Ratio, p.In, err = evidence.PairedRatio(p.Before, p.After, level); err != nil {
			return fmt.Errorf("compare %s: %w", view.CleanLine(p.Metric), err)
		}
		if f.Word == evidence.Exact {
			p.In = evidence.Interval{Low: p.Ratio, High: p.Ratio}
		}
	}
	slices.SortStableFunc(f.Parts, func(a, b Part) int {
		if f.Minimize {
			return cmp.Compare(b.Ratio, a.Ratio)
		}
		return cmp.Compare(a.Ratio, b.Ratio)
	})
	return nil
}

// Worse are the parts that are worse than they were.
func (f *Figures) Worse() []Part {
	return slices.DeleteFunc(slices.Clone(f.Parts), func(p Part) bool { return p.Moved(f.Minimize) >= 0 })
}

// mostNamed is how many parts that moved alike are named beside their number.
const mostNamed = 3

// PartsLine counts how the parts moved, and names those that got better or stayed where they
// are few; [Figures.Worse] has the others. It is "" without parts.
func (f *Figures) PartsLine() string {
	if len(f.Parts) == 0 {
		return ""
	}
	var better, same []string
	for i := range f.Parts {
		p := &f.Parts[i]
		switch p.Moved(f.Minimize) {
		case 1:
			better = append(better, view.Shorten(p.Metric, 60))
		case 0:
			same = append(same, view.Shorten(p.Metric, 60))
		}
	}
	if f.Word != evidence.Exact && !slices.ContainsFunc(f.Parts, func(p Part) bool { return p.In.Bounded() }) {
		return fmt.Sprintf("of %d, %s are too few to tell how each moved", len(f.Parts), view.Plural(f.N(), "round"))
	}
	level := fmt.Sprintf(" (level %.3g for all together)", 1-allParts)
	if f.Word == evidence.Exact {
		level = ""
	}
	return fmt.Sprintf("of %d%s, %d better%s, %d worse, %d as before as far as can be told%s",
		len(f.Parts), level, len(better), f.named(better), len(f.Parts)-len(better)-len(same), len(same), f.named(same))
}

// named are names in brackets, where they are few and not those of all parts.
func (f *Figures) named(parts []string) string {
	if len(parts) == 0 || len(parts) > mostNamed || len(parts) == len(f.Parts) {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
