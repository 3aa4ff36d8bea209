package agent

import (
	"maps"
	"strings"

	"atoll/store/record"
)

// History counts what worked: a pure fold of (operator, tag, improved). The
// engine owns it, feeds it in log order and hands a [History.Clone] to a job.
// A nil *History is empty and may be read. It is not safe for concurrent use.
type History struct {
	counts    map[string]Count
	evolution *Evolution // nil: none is wanted
	moves     []Move     // of late, in the order of the log
}

// Count is how often something was tried and how often it improved. Old
// outcomes fade: both halve when Tries reaches historyWindow.
type Count struct {
	Tries float64
	Wins  float64
}

const historyWindow = 64

// NewHistory returns an empty history.
func NewHistory() *History { return &History{counts: map[string]Count{}} }

// Evolve has the history follow runs of an evolution strategy from now on.
func (h *History) Evolve(seed uint64) {
	h.evolution = &Evolution{Seed: seed, other: record.NoCandidate}
}

// Evolving returns the run of an evolution strategy whose samples jobs shall be;
// nil: none.
func (h *History) Evolving() *Evolution {
	if h == nil || !h.evolution.Running() {
		return nil
	}
	return h.evolution
}

// Ended folds the end of one make job; see [History.Observe] for its tag.
func (h *History) Ended(end End, intentTag string) {
	if h.evolution != nil {
		h.evolution.observe(end, intentTag)
	}
	h.moved(end, intentTag)
	intentTag, _, _ = strings.Cut(intentTag, " "+generationMark)
	h.Observe(string(end.Operator), WithoutMove(intentTag), end.Improved)
}

// Observe folds the outcome of one make job. The tag is [IntentTag] of the
// candidate's intent; improved says that it was better than its parent or took
// a niche. Jobs that failed count as not improved.
func (h *History) Observe(operator, intentTag string, improved bool) {
	h.add(operator, improved)
	if intentTag == "" {
		return
	}
	for _, part := range strings.Split(intentTag, " ") {
		h.add(operator+" "+part, improved)
	}
}

func (h *History) add(key string, improved bool) {
	if h.counts == nil {
		h.counts = map[string]Count{}
	}
	c := h.counts[key]
	if c.Tries >= historyWindow {
		c.Tries /= 2
		c.Wins /= 2
	}
	c.Tries++
	if improved {
		c.Wins++
	}
	h.counts[key] = c
}

// Of returns the count of an operator (tag "") or of one part of its tags.
func (h *History) Of(operator, tag string) Count {
	if h == nil {
		return Count{}
	}
	if tag != "" {
		operator += " " + tag
	}
	return h.counts[operator]
}

// Clone returns a copy that later calls of Observe do not change.
func (h *History) Clone() *History {
	if h == nil {
		return nil
	}
	out := &History{counts: maps.Clone(h.counts), moves: h.moves[:len(h.moves):len(h.moves)]}
	if h.evolution != nil {
		ev := *h.evolution // later samples lie behind those that it sees
		out.evolution = &ev
	}
	return out
}

// Factor returns how much more often than its operator's average a tag
// improved, between 1/4 and 4 and 1 when nothing is known. Both rates carry a
// prior, so that few observations move it little.
func (h *History) Factor(operator, tag string) float64 {
	all, one := h.Of(operator, ""), h.Of(operator, tag)
	const prior, most = 4, 4
	mean := (all.Wins + 1) / (all.Tries + prior)
	rate := (one.Wins + prior*mean) / (one.Tries + prior)
	return min(most, max(1.0/most, rate/mean))
}
