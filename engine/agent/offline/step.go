package offline

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"atoll/engine/agent"
	"atoll/store/record"
)

// where says which literals change together.
type where uint8

const (
	_         where = iota // drawn one by one
	whereRun               // neighbours in the text
	whereLine              // all of one line
)

// tuneStep is one draw of the step distribution.
type tuneStep struct {
	count  int     // literals to change
	size   string  // one, few, many: the class of count
	where  where   //
	iso    float64 // spread of the isotropic part, in units of the scale
	decade int     // of iso
	line   float64 // spread along the difference to a peer
	peer   int     // index of that peer, -1 = none
	id     record.CandidateID
	after  int // moves of the same number that it follows, 0 = none
}

// stepDecades are the prior weights of steps from 1e-4 to 1.
var stepDecades = [...]float64{0.02, 0.04, 0.16, 0.7, 0.08}

// sizes are the classes of how many literals a step changes, with their prior
// weights: most problems yield to one number at a time.
var (
	sizes      = [...]string{"one", "few", "many"}
	sizeWeight = [...]float64{0.8, 0.13, 0.07}
)

// How often a step also goes along the line to a peer, and how far: spread
// around the parent, or around a peer that is better.
const (
	lineChance   = 0.2
	lineSpread   = 0.1
	betterChance = 0.8
)

// tuneStep draws a step. What the history knows shifts the draw.
func (e *editing) tuneStep(n *numbers) tuneStep {
	h, op := e.job.History, string(record.OpTune)
	st := tuneStep{peer: -1}
	d := drawIndex(e.rng, len(stepDecades), func(i int) float64 {
		w := stepDecades[i] * h.Factor(op, decadeTag(i-4))
		if e.strong && i < 3 {
			return 0
		}
		return w
	})
	st.decade = d - 4
	st.iso = math.Pow(10, float64(st.decade)-0.5+e.rng.Float64())
	k := drawIndex(e.rng, 3, func(i int) float64 {
		if e.strong && i < 2 {
			return 0
		}
		return sizeWeight[i] * h.Factor(op, sizes[i])
	})
	st.size = sizes[k]
	total := len(n.lits)
	switch st.size {
	case "one":
		st.count = 1
	case "few":
		st.count = min(total, 2+e.rng.IntN(3))
		st.where = where(e.rng.IntN(3))
	default:
		st.count = max(min(2, total), int(math.Ceil(float64(total)*math.Pow(e.rng.Float64(), 1.5))))
		st.where = where(e.rng.IntN(2))
	}
	if len(n.peers) > 0 && e.rng.Float64() < lineChance*min(2, h.Factor(op, "line")) {
		st.peer = e.rng.IntN(len(n.peers))
		st.id = n.peers[st.peer].id
		st.line = lineSpread * e.rng.NormFloat64()
		if n.peers[st.peer].better && e.rng.Float64() < betterChance {
			st.line += 1
		}
	}
	return st
}

func decadeTag(d int) string { return fmt.Sprintf("1e%d", d) }

// intent says what the step did, in the form that IntentTag reads. Where names the
// number, where it is a single one.
func (st tuneStep) intent(changed int, path, where string, shown []string) string {
	toward, more := "", ""
	if st.peer >= 0 {
		toward = " along " + st.id.String()
	}
	if changed == 1 && st.after > 0 {
		toward += fmt.Sprintf(" after %d of its moves", st.after)
	}
	if changed > len(shown) {
		more = ", ..."
	}
	noun := "literals"
	if changed == 1 {
		noun = "literal"
	} else {
		where = ""
	}
	return fmt.Sprintf("tune %d %s by %s%s in %s%s: %s%s", changed, noun, decadeTag(st.decade), toward, path, where, strings.Join(shown, ", "), more)
}

// IntentTag returns what kind of step an intent of the offline agent tells of,
// as words for [History.Observe], or "" for other intents. It depends on the
// text alone, so that a history can be folded from stored candidates.
func IntentTag(intent string) string {
	intent, _, several := strings.Cut(intent, "; ")
	var n int
	var noun, step string
	var generation int
	if k, _ := fmt.Sscanf(intent, "evolve %d literals of generation %d", &n, &generation); k == 2 {
		return agent.GenerationTag(generation)
	}
	if k, _ := fmt.Sscanf(intent, "tune %d %s by %s", &n, &noun, &step); k == 3 && strings.HasPrefix(step, "1e") {
		size := "many"
		switch {
		case n == 1:
			size = "one"
		case n <= 4:
			size = "few"
		}
		tag := size + " " + step
		rest := intent[strings.Index(intent, step)+len(step):]
		if strings.HasPrefix(rest, " along ") {
			tag += " line"
		}
		if strings.Contains(rest, " of its moves in ") {
			tag += " aimed"
		}
		if n == 1 && !several {
			tag += moveTag(rest)
		}
		return tag
	}
	return ""
}

// moveTag is the part of an intent tag that tells of the move of one number, or "".
func moveTag(rest string) string {
	_, rest, ok1 := strings.Cut(rest, " in ")
	colon := strings.LastIndex(rest, ": ")
	from, to, ok2 := strings.Cut(rest[colon+1:], " -> ")
	if !ok1 || !ok2 || colon < 0 {
		return ""
	}
	before, ok1 := numberOf(strings.TrimSpace(from))
	after, ok2 := numberOf(to)
	if !ok1 || !ok2 {
		return ""
	}
	return agent.MoveTag(rest[:colon], before, after)
}

// numberOf reads a number as it is written in most languages.
func numberOf(s string) (float64, bool) {
	s = strings.ReplaceAll(strings.Trim(s, "()"), "_", "")
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, true
	}
	n, err := strconv.ParseInt(s, 0, 64)
	return float64(n), err == nil
}
