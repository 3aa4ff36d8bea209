package offline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// aim is what earlier moves say of the numbers of one file. A move that made its parent
// better says that the number does best beyond the middle of where it was and where it
// came, one that made it worse that it does best before that. Steps are drawn as without
// them, and each may be the best one with a chance that follows from how many of these
// votes it agrees with; one is taken in proportion to how much nearer it is expected to come.
// So what paid is done again and further, what made it worse is reversed, and between two
// that made it worse the rest is halved. It is the pattern search of Hooke and Jeeves (1961, "Direct search
// solution of numerical and statistical problems"), drawn instead of decided, so that
// votes that contradict each other, as where numbers depend on each other, cost little.
type aim struct {
	*editing
	numbers *numbers
	votes   map[int][]vote // by literal
}

// vote is one move.
type vote struct {
	middle  float64
	above   bool    // the number does best above the middle
	weight  float64 // what a value that disagrees counts, 1 where the move says nothing
	to      float64 // where it came
	parents bool    // this very parent was tried there
}

const (
	// aimShare is how often a step is aimed where there are moves, and aimMost how often
	// where such steps pay more than others.
	aimShare = 0.8
	aimMost  = 0.9
	// A value that disagrees with a move counts so much: with one from or to the parent, and
	// with one of another candidate, whose other numbers are others.
	ownVote   = 0.1
	otherVote = 0.2
	// mostVotes of a number count, the newest.
	mostVotes = 12
	// aimDraws are so many steps, of which one is taken.
	aimDraws = 24
	// stays is how much it counts beside the values that the number is best as it is.
	stays = 0.1
	// farMost bounds how much more often a number is drawn that has far to go.
	farMost = 3
)

// newAim reads what the history says of the numbers; nil where that is nothing.
func newAim(e *editing, n *numbers) *aim {
	moves := e.job.History.Moves()
	if _, edited := e.changed[n.src.Path()]; edited || len(moves) == 0 {
		return nil
	}
	at := map[position]int{}
	for i, p := range n.positions() {
		at[p] = i
	}
	a := &aim{e, n, map[int][]vote{}}
	for k := len(moves) - 1; k >= 0; k-- {
		m := moves[k]
		p, ok := positionOf(m.Where, n.src.Path())
		if !ok {
			continue
		}
		i, ok := at[p]
		if !ok || len(a.votes[i]) == mostVotes {
			continue
		}
		v := vote{middle: (m.From + m.To) / 2, above: (m.To > m.From) == (m.Against > 0), weight: otherVote, to: m.To}
		v.parents = m.Parent == e.job.Parent.ID && m.From == n.lits[i].value
		switch {
		case m.Against == 0:
			v.weight = 1
		case v.parents || m.Candidate == e.job.Parent.ID:
			v.weight = ownVote
		}
		a.votes[i] = append(a.votes[i], v)
	}
	if len(a.votes) == 0 {
		return nil
	}
	return a
}

// position is where a literal is: its line from 1, and which it is of several there, else 0.
type position struct{ line, of int }

func (p position) String() string {
	if p.of == 0 {
		return fmt.Sprintf(":%d", p.line)
	}
	return fmt.Sprintf(":%d#%d", p.line, p.of)
}

// positionOf reads a position in a file, as String wrote it behind its path.
func positionOf(where, path string) (p position, ok bool) {
	rest, ok := strings.CutPrefix(where, path+":")
	if !ok {
		return p, false
	}
	line, of, several := strings.Cut(rest, "#")
	var err1, err2 error
	p.line, err1 = strconv.Atoi(line)
	if several {
		p.of, err2 = strconv.Atoi(of)
	}
	return p, err1 == nil && err2 == nil
}

// positions are those of all literals.
func (n *numbers) positions() []position {
	out := make([]position, len(n.lits))
	for i, lit := range n.lits {
		out[i].line = lit.line + 1
		if i > 0 && out[i-1].line == out[i].line {
			out[i-1].of = max(1, out[i-1].of)
			out[i].of = out[i-1].of + 1
		}
	}
	return out
}

// positionOf is where the literal of an edit is.
func (n *numbers) positionOf(ed textEdit) string {
	i := slices.IndexFunc(n.lits, func(lit literal) bool { return lit.start == ed.start })
	return n.positions()[i].String()
}

// step changes one literal, drawn by how much there is to gain of it, as its moves say.
// It returns false where no move of any is known.
func (a *aim) step() bool {
	if a == nil {
		return false
	}
	n, s := a.numbers, a.numbers.src
	shots := make([]shot, len(n.lits))
	for i := range shots {
		shots[i] = a.shoot(i)
	}
	for range a.limits.tries {
		i := drawIndex(a.rng, len(shots), func(i int) float64 { return n.lits[i].weight * min(farMost, shots[i].far) })
		lit := n.lits[i]
		text, ok := "", shots[i].move != 0
		if ok {
			text, ok = n.moved(a.editing, lit, shots[i].move)
		}
		data := applyEdits(s.Data, []textEdit{{lit.start, lit.end, text}})
		if !ok || !a.valid(s, data) {
			shots[i].far = 0
			continue
		}
		st := tuneStep{decade: decadeOf(shots[i].move / n.scale(i, false)), peer: -1, after: len(a.votes[i])}
		a.put(s.Path(), data, st.intent(1, s.Path(), n.positions()[i].String(), []string{fmt.Sprintf("%s -> %s", s.Data[lit.start:lit.end], text)}))
		return true
	}
	return false
}

// shot is a step of one literal.
type shot struct {
	move float64 // 0: there is none
	far  float64 // how much nearer its steps are expected to come, beside those of a number without moves
}

// shoot draws a step of a literal.
func (a *aim) shoot(i int) shot {
	n, lit, votes := a.numbers, a.numbers.lits[i], a.votes[i]
	if len(votes) == 0 {
		return shot{a.width(true) * n.scale(i, a.rng.Float64() < n.groupChance(i)) * a.rng.NormFloat64(), 1}
	}
	var moves, weights [aimDraws]float64
	sum := aimDraws * stays * agrees(votes, lit.value)
	for k := range moves {
		d := a.width(false) * n.scale(i, a.rng.Float64() < n.groupChance(i)) * a.rng.NormFloat64()
		if lit.format.integer {
			if d = math.Round(d); d == 0 {
				d = float64(1 - 2*a.rng.IntN(2))
			}
		}
		moves[k], weights[k] = d, agrees(votes, lit.value+d)
		sum += weights[k]
	}
	var gains [aimDraws]float64 // that are expected, where each draw may be the best
	free, all := 0.0, 0.0
	for k, d := range moves {
		tried := slices.ContainsFunc(votes, func(v vote) bool { return v.parents && v.to == lit.value+d })
		for j, best := range moves {
			gain := max(0, math.Abs(best)-math.Abs(best-d))
			free += gain / (aimDraws * (1 + stays))
			if !tried {
				gains[k] += gain * weights[j] / sum
			}
		}
		all += gains[k]
	}
	if !(all > 0) {
		return shot{}
	}
	return shot{moves[drawIndex(a.rng, aimDraws, func(k int) float64 { return gains[k] })], all / free}
}

// agrees says how well it agrees with votes that a number does best at x.
func agrees(votes []vote, x float64) float64 {
	w := 1.0
	for _, v := range votes {
		if (x > v.middle) != v.above {
			w *= v.weight
		}
	}
	return w
}

// width draws how wide a step is, in units of the number: as steps worked, or whatever
// worked, where moves of the number itself say more.
func (a *aim) width(asWorked bool) float64 {
	d := drawIndex(a.rng, len(stepDecades), func(i int) float64 {
		if asWorked {
			return stepDecades[i] * a.job.History.Factor("tune", decadeTag(i-4))
		}
		return stepDecades[i]
	})
	return math.Pow(10, float64(d-4)-0.5+a.rng.Float64())
}

// decadeOf is the decade of a step in units of the number.
func decadeOf(step float64) int {
	return max(-4, min(0, int(math.Round(math.Log10(math.Abs(step))))))
}
