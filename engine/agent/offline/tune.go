package offline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// numbers is the tunable part of one file: its literals and what the
// inspirations have in their places.
type numbers struct {
	src   *language.Source
	lits  []literal
	peers []peer
}

// peer is one inspiration seen from the literals of the parent.
type peer struct {
	id     record.CandidateID
	values []float64 // per literal; NaN where nothing corresponds
	better bool      // its objective beats the parent's
}

// tune changes numbers of one file. The step is the iso+line operator of
// Vassiliades and Mouret (2018, "Discovering the elite hypervolume by
// leveraging interspecies correlation"): x' = x + s1*scale*N(0,I) +
// s2*(y - x)*N(0,1) with y the aligned numbers of an inspiration, on a random
// subset of the literals and with s1 drawn from a mixture over decades.
func (e *editing) tune() bool {
	n := e.drawNumbers()
	if n == nil {
		return false
	}
	s := n.src
	if !e.strong && e.rng.Float64() < min(aimMost, aimShare*e.job.History.Factor("tune", "aimed")) && newAim(e, n).step() {
		return true
	}
	for range e.limits.tries {
		step := e.tuneStep(n)
		edits, shown := n.step(e, step)
		if len(edits) == 0 {
			continue
		}
		data := applyEdits(s.Data, edits)
		if !e.valid(s, data) {
			continue
		}
		e.put(s.Path(), data, step.intent(len(edits), s.Path(), n.positionOf(edits[0]), shown))
		return true
	}
	return false
}

// rivals is how many files with numbers compete for one tune.
const rivals = 5

// drawNumbers draws some files and then one of them by how much there is to
// tune in it, or returns nil when none has numbers.
func (e *editing) drawNumbers() *numbers {
	var found []*numbers
	e.draw(func(s *language.Source) bool {
		if n := e.numbers(s); n != nil {
			found = append(found, n)
		}
		return len(found) == rivals
	})
	if len(found) == 0 {
		return nil
	}
	n := found[drawIndex(e.rng, len(found), func(i int) float64 { return found[i].src.Lang.Weight * found[i].total() })]
	e.findPeers(n)
	return n
}

// total is the sum of the weights of the literals; a file of thousands of
// numbers counts no more than one of fifty.
func (n *numbers) total() float64 {
	sum := 0.0
	for _, lit := range n.lits {
		sum += lit.weight
	}
	if language.IsTest(n.src.Path()) {
		sum *= 0.1
	}
	return min(sum, 50)
}

// numbers collects the literals of a file, or nil when it has none to tune.
func (e *editing) numbers(s *language.Source) *numbers {
	lits := slices.DeleteFunc(literals(s.Data, s.Lang, s.Toks), func(lit literal) bool {
		return lit.weight <= 0 || !s.Within(lit.start, lit.end)
	})
	if len(lits) == 0 {
		return nil
	}
	return &numbers{src: s, lits: lits}
}

// findPeers aligns the inspirations with the literals.
func (e *editing) findPeers(n *numbers) {
	for _, it := range e.job.Inspirations {
		if p, ok := e.peer(n, it); ok {
			n.peers = append(n.peers, p)
		}
		if len(n.peers) == maxPeers {
			break
		}
	}
}

// maxPeers bounds how many inspirations one tune reads.
const maxPeers = 4

// peer reads an inspiration's numbers; false when it has the same ones.
func (e *editing) peer(n *numbers, it agent.Item) (peer, bool) {
	if it.Files == nil {
		return peer{}, false
	}
	f, ok := findFile(it.Files.Files(), n.src.Path())
	if !ok || f.Hash == n.src.File.Hash && !f.Hash.IsZero() || f.Size > e.limits.maxBytes {
		return peer{}, false
	}
	data, err := it.Files.Read(e.ctx, f.Path)
	if err != nil || int64(len(data)) > e.limits.maxBytes {
		return peer{}, false
	}
	toks := language.Lex(data, n.src.Lang)
	pairs := alignTokens(n.src.Data, n.src.Toks, data, toks)
	p, differs := peer{id: it.ID, values: make([]float64, len(n.lits)), better: e.job.Better(it)}, false
	for i, lit := range n.lits {
		p.values[i] = math.NaN()
		if j := pairs[lit.tok]; j >= 0 && toks[j].Kind == language.Number {
			if other, ok := parseLiteral(data, toks[j]); ok && (other.format.integer || !lit.format.integer) {
				p.values[i] = other.value
				differs = differs || other.value != lit.value
			}
		}
	}
	return p, differs
}

// step changes the numbers that st chose. It returns the edits and a few of
// them in words.
func (n *numbers) step(e *editing, st tuneStep) (edits []textEdit, shown []string) {
	move := make([]float64, len(n.lits))
	for _, i := range n.subset(e, st) {
		move[i] = st.iso * n.scale(i, e.rng.Float64() < n.groupChance(i)) * e.rng.NormFloat64()
	}
	if st.peer >= 0 {
		for i, v := range n.peers[st.peer].values {
			if !math.IsNaN(v) {
				move[i] += st.line * (v - n.lits[i].value)
			}
		}
	}
	for i, d := range move {
		if d == 0 {
			continue
		}
		lit := n.lits[i]
		text, ok := n.moved(e, lit, d)
		if !ok {
			continue
		}
		edits = append(edits, textEdit{lit.start, lit.end, text})
		if len(shown) < 3 {
			shown = append(shown, fmt.Sprintf("%s -> %s", n.src.Data[lit.start:lit.end], text))
		}
	}
	return edits, shown
}

// moved writes the literal changed by d. Integers move by at least one, a
// number that was positive stays so unless the file also has negative ones.
func (n *numbers) moved(e *editing, lit literal, d float64) (string, bool) {
	v := lit.value + d
	if lit.format.integer {
		d = math.Round(d)
		if d == 0 {
			d = float64(1 - 2*e.rng.IntN(2))
		}
		v = lit.value + d
	}
	if v < 0 && lit.value >= 0 && !n.mayNegate(lit, e) {
		v = -v
	}
	if v == 0 && lit.format.integer && lit.value > 2 {
		v = 1
	}
	text, ok := lit.format.write(v, math.Abs(d))
	old := n.src.Data[lit.start:lit.end]
	if !ok || text == string(old) {
		return "", false
	}
	if strings.HasPrefix(text, "-") && !strings.HasPrefix(string(old), "-") {
		return n.negated(lit, text)
	}
	return text, true
}

// mayNegate reports whether a positive number may become negative.
func (n *numbers) mayNegate(lit literal, e *editing) bool {
	if !n.src.Lang.Minus || lit.format.integer && lit.format.base != 10 {
		return false
	}
	for _, o := range n.lits {
		if o.value < 0 && o.format.integer == lit.format.integer {
			return true
		}
	}
	return !lit.format.integer && lit.value != 0 && e.rng.Float64() < 0.1
}

// negated puts a sign where the text before allows one.
func (n *numbers) negated(lit literal, text string) (string, bool) {
	if lit.start == 0 {
		return text, true
	}
	switch c := n.src.Data[lit.start-1]; {
	case c <= ' ', c == '(', c == '[', c == '{', c == ',', c == '=', c == ':':
		return text, true
	}
	if n.src.Lang.Layout == language.LayoutBrace || n.src.Lang.Layout == language.LayoutIndent {
		return "(" + text + ")", true
	}
	return "", false
}

// groupChance is how often a step takes its scale from the numbers around:
// mostly in a table, where they are of one kind.
func (n *numbers) groupChance(i int) float64 {
	if n.lits[i].table {
		return 0.85
	}
	return 0.25
}

// scale is the unit of a step for literal i: its own magnitude, or that of
// the numbers around it.
func (n *numbers) scale(i int, group bool) float64 {
	own := math.Abs(n.lits[i].value)
	if !group && own > 0 {
		return own
	}
	sum, count := 0.0, 0
	for j := max(0, i-4); j < min(len(n.lits), i+5); j++ {
		if n.lits[j].format.integer == n.lits[i].format.integer && n.lits[j].table == n.lits[i].table && n.lits[j].value != 0 {
			sum += math.Abs(n.lits[j].value)
			count++
		}
	}
	switch {
	case count > 0:
		return sum / float64(count)
	case n.lits[i].format.integer:
		return 2
	}
	return 1
}

// subset draws the literals that a step changes, in order.
func (n *numbers) subset(e *editing, st tuneStep) []int {
	weight := func(i int) float64 {
		w := n.lits[i].weight
		for _, p := range n.peers {
			if v := p.values[i]; !math.IsNaN(v) && v != n.lits[i].value {
				return w * 3 // what differs between elites can be tuned
			}
		}
		return w
	}
	total := len(n.lits)
	first := drawIndex(e.rng, total, weight)
	chosen := map[int]bool{first: true}
	switch st.where {
	case whereRun: // neighbours in the text
		lo := max(0, first-e.rng.IntN(st.count))
		for i := lo; i < min(total, lo+st.count); i++ {
			if n.lits[i].weight > 0.1 {
				chosen[i] = true
			}
		}
	case whereLine:
		for i := range n.lits {
			if n.lits[i].line == n.lits[first].line && n.lits[i].weight > 0.1 {
				chosen[i] = true
			}
		}
	default:
		for range 4 * st.count {
			if len(chosen) >= min(st.count, total) {
				break
			}
			chosen[drawIndex(e.rng, total, weight)] = true
		}
	}
	out := make([]int, 0, len(chosen))
	for i := range chosen {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}
