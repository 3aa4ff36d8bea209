package campaign

import (
	"hash/fnv"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The ranker's numbers.
const (
	nFeatures   = 10
	buckets     = 4    // for components
	ridge       = 1.0  // strength of the prior
	knowsAfter  = 4    // ended tasks before it has an opinion
	evidenceMin = 6    // judged tasks before its authority moves
	window      = 12   // judged tasks that count as evidence
	surely      = 1.5  // standard errors by which evidence must lie above 0
	maxStep     = 0.15 // of the authority, upwards
	losesTwice  = 2.0  // authority falls so many times faster than it rises
	mostTurns   = 0.75 // share of the choices that an authority of 1 gives
	lastFormula = 4    // choices of the formula that an own one is held against
	provenBy    = 3    // own choices in a row that gained more, before it may put something at stake
	knownBy     = 0.5  // leverage up to which a task is like those that ended
	optimism    = 0.25 // share of the error of a forecast by which a task may be better than it
	byErrors    = 0.5  // share of the error of its forecasts by which what it puts at stake must be outdone
)

// Ranker learns which tasks gain most for their price: ridge regression of gain per
// cost on what is known of a task beforehand (the linear model of LinUCB: Li et al.
// 2010, "A Contextual-Bandit Approach to Personalized News Article Recommendation",
// without its bonus, since the formula's choices explore). It begins in the shadow:
// what it would choose is written beside what was chosen.
//
// Its authority moves by evidence, of two kinds. Foresight: whenever a task ends, its
// value is compared with those of the tasks before it: did the ranker, asked before
// each was begun, have the two in the right order, and had the formula? The difference
// of the two shares is one piece of evidence, in [-1, 1]. Where the mean of the last
// twelve lies above 0 by one and a half standard errors, authority rises by the mean, at
// most 0.15; where it lies below 0 by one, it falls, twice as fast. Account: what a
// choice of its own gained is held against what the formula's last ones gained for the
// same cost. Where it gained less, authority is 0 at once and the evidence begins
// anew.
//
// Authority is the ranker's share of the choices; at 1 it makes three of four. The
// others stay the formula's whatever it learned: they try what the ranker thinks
// little of, and are what its own choices are held against. What it may choose, and
// when it may put at stake what the formula would have done, is told at
// [State.better]. The zero Ranker is ready to use.
type Ranker struct {
	Authority float64
	Evidence  []float64 // of each judged task since the ranker last lost, oldest first
	Own       int       // ended tasks that it chose and the formula would not have begun then
	Won       float64   // gain of those beyond that of the formula's for the same cost, in percent
	A         []float64 // sum of x x', row by row; nil before the first end
	B         []float64 // sum of x y
	N         int       // ended tasks

	began   map[int]guess
	judged  []judgement
	turn    float64   // choices that it has coming
	formula []bet     // last choices of the formula
	wins    int       // own choices since one gained less than the formula's
	missed  []float64 // squares of the last errors of its forecasts, in percent per cost
}

// guess is what was thought of a task when it was begun.
type guess struct {
	x       []float64
	formula float64
	ranker  *float64
	own     bool // the ranker chose it, and the formula would have begun another
}

// judgement is a guess, and what the task came to.
type judgement struct {
	guess
	value float64
}

// bet is what a task gained, and for what cost.
type bet struct{ gain, cost float64 }

// features are what is known of a task before it is begun.
func features(t *Task) []float64 {
	x := make([]float64, nFeatures)
	x[0] = 1
	x[1] = math.Log1p(t.Value)
	x[2] = math.Log1p(t.Urgency)
	x[3] = math.Log1p(t.Risk)
	x[4] = math.Log1p(t.Size)
	if t.Origin == FromAudit {
		x[5] = 1
	}
	h := fnv.New32a()
	h.Write([]byte(t.Component))
	x[6+h.Sum32()%buckets] = 1
	return x
}

// Knows reports whether enough tasks ended for an opinion.
func (r *Ranker) Knows() bool { return r.N >= knowsAfter }

// missing is the error of its last forecasts (root mean square), in percent per cost.
func (r *Ranker) missing() float64 {
	sum := 0.0
	for _, v := range r.missed {
		sum += v
	}
	return math.Sqrt(sum / float64(max(len(r.missed), 1)))
}

// normal factorizes the matrix of the regression; ok is false before the first end.
func (r *Ranker) normal() (c mat.Cholesky, ok bool) {
	if r.N == 0 {
		return c, false
	}
	a := mat.NewSymDense(nFeatures, nil)
	for i := range nFeatures {
		for j := i; j < nFeatures; j++ {
			v := r.A[i*nFeatures+j]
			if i == j {
				v += ridge
			}
			a.SetSym(i, j, v)
		}
	}
	return c, c.Factorize(a) // a sum of squares plus a positive diagonal always has one
}

// weights solve the regression; nil before the first end.
func (r *Ranker) weights() []float64 {
	c, ok := r.normal()
	if !ok {
		return nil
	}
	var w mat.VecDense
	if err := c.SolveVecTo(&w, mat.NewVecDense(nFeatures, r.B)); err != nil {
		return nil
	}
	return w.RawVector().Data
}

// ahead returns by how much a task of given features may be better than its forecast, in
// percent per cost: little for one that is like those that ended, and without bound
// for one that is like none of them (its leverage in the regression is above one half).
func (r *Ranker) ahead() func(x []float64) float64 {
	c, ok := r.normal()
	return func(x []float64) float64 {
		v, w := mat.NewVecDense(nFeatures, x), new(mat.VecDense)
		if !ok || c.SolveVecTo(w, v) != nil {
			return math.Inf(1)
		}
		leverage := mat.Dot(v, w)
		if leverage > knownBy {
			return math.Inf(1)
		}
		return optimism * r.missing() * math.Sqrt(leverage)
	}
}

// expect is the gain per cost that a task of these features is expected to bring.
func expect(weights, x []float64) (sum float64) {
	for i, w := range weights {
		sum += w * x[i]
	}
	return sum
}

func (r *Ranker) begin(task int, x []float64, v *start) {
	if r.began == nil {
		r.began = map[int]guess{}
	}
	r.turn += mostTurns * v.Authority
	if v.By == ByRanker {
		r.turn--
	}
	r.began[task] = guess{x, v.Score, v.Predicted, v.By == ByRanker && task != v.Baseline}
}

// end takes in what a task came to. most bounds the authority.
func (r *Ranker) end(task int, gain, cost, most float64) {
	g, ok := r.began[task]
	if !ok {
		return
	}
	delete(r.began, task)
	y := gain / cost
	if r.A == nil {
		r.A, r.B = make([]float64, nFeatures*nFeatures), make([]float64, nFeatures)
	}
	for i, v := range g.x {
		r.B[i] += v * y
		for j, w := range g.x {
			r.A[i*nFeatures+j] += v * w
		}
	}
	r.N++
	if g.ranker != nil {
		r.missed = lastOf(append(r.missed, (*g.ranker-y)*(*g.ranker-y)), window)
	}
	j := judgement{g, y}
	if e, ok := r.judge(j); ok {
		r.Evidence = append(r.Evidence, e)
		r.move(most)
	}
	r.judged = append(r.judged, j)
	r.account(g.own, bet{gain, cost})
}

// account holds the ranker's own choices against the formula's.
func (r *Ranker) account(own bool, b bet) {
	if !own {
		r.formula = lastOf(append(r.formula, b), lastFormula)
		return
	}
	var by bet // what the formula's came to
	for _, f := range r.formula {
		by.gain, by.cost = by.gain+f.gain, by.cost+f.cost
	}
	more := b.gain
	if by.cost > 0 {
		more -= by.gain / by.cost * b.cost
	}
	r.Own++
	r.Won += more
	r.wins++
	if more < 0 {
		r.wins = 0
		r.Authority, r.turn, r.Evidence = 0, 0, nil
	}
}

func lastOf[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// judge compares one ended task with the last ones of which the ranker had an
// opinion: by how much more often than the formula it had the two in order.
func (r *Ranker) judge(now judgement) (float64, bool) {
	if now.ranker == nil {
		return 0, false
	}
	sum, n := 0.0, 0
	for i := len(r.judged) - 1; i >= 0 && n < window; i-- {
		was := r.judged[i]
		if was.ranker == nil || was.value == now.value {
			continue
		}
		up := now.value > was.value
		sum += inOrder(*now.ranker-*was.ranker, up) - inOrder(now.formula-was.formula, up)
		n++
	}
	return sum / float64(max(n, 1)), n > 0
}

// inOrder is 1 when a difference has the right sign, a half when there is none.
func inOrder(d float64, up bool) float64 {
	switch {
	case d == 0:
		return 0.5
	case (d > 0) == up:
		return 1
	}
	return 0
}

func (r *Ranker) move(most float64) {
	mean, se, n := r.Seen()
	switch {
	case n < evidenceMin:
	case mean-surely*se > 0:
		r.Authority += min(mean, maxStep)
	case mean+se < 0:
		r.Authority += losesTwice * max(mean, -maxStep)
	}
	r.Authority = min(max(r.Authority, 0), most)
}

// Seen is the evidence that counts now: its mean, the standard error of that, and
// how many tasks it is from.
func (r *Ranker) Seen() (mean, se float64, n int) {
	last := lastOf(r.Evidence, window)
	n = len(last)
	if n == 0 {
		return 0, 0, 0
	}
	for _, v := range last {
		mean += v / float64(n)
	}
	for _, v := range last {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(max(n-1, 1)) / float64(n)), n
}
