package campaign

import (
	"hash/fnv"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The ranker's numbers.
const (
	nFeatures   = 10
	buckets     = 4   // for components
	ridge       = 1.0 // strength of the prior
	knowsAfter  = 4   // ended tasks before it has an opinion
	evidenceMin = 6   // judged tasks before its authority moves
	window      = 12  // judged tasks that count as evidence
	maxStep     = 0.15
	losesTwice  = 2.0 // authority falls so many times faster than it rises
)

// Ranker learns which tasks gain most for their price: ridge regression of gain per
// cost on what is known of a task beforehand (the linear model of LinUCB: Li et al.
// 2010, "A Contextual-Bandit Approach to Personalized News Article Recommendation",
// without its bonus, since the formula's choices explore). It begins in the shadow:
// what it would choose is written beside what was chosen.
//
// Its authority moves by evidence. Whenever a task ends, its value is compared with
// those of the tasks before it: did the ranker, asked before each was begun, have
// the two in the right order, and had the formula? The difference of the two shares
// is one piece of evidence, in [-1, 1]. Where the mean of the last twelve lies above
// 0 by its standard error, authority rises by the mean, at most 0.15; where it
// lies below, it falls, twice as fast. The zero Ranker is ready to use.
type Ranker struct {
	Authority float64
	Evidence  []float64 // of each judged task, oldest first
	A         []float64 // sum of x x', row by row; nil before the first end
	B         []float64 // sum of x y
	N         int       // ended tasks

	began  map[int]guess
	judged []judgement
}

// guess is what was thought of a task when it was begun.
type guess struct {
	x       []float64
	formula float64
	ranker  *float64
}

// judgement is a guess, and what the task came to.
type judgement struct {
	guess
	value float64
}

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

// weights solve the regression; nil before the first end.
func (r *Ranker) weights() []float64 {
	if r.N == 0 {
		return nil
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
	var c mat.Cholesky
	if !c.Factorize(a) { // a sum of squares plus a positive diagonal always has one
		return nil
	}
	var w mat.VecDense
	if err := c.SolveVecTo(&w, mat.NewVecDense(nFeatures, r.B)); err != nil {
		return nil
	}
	return w.RawVector().Data
}

// expect is the gain per cost that a task of these features is expected to bring.
func expect(weights, x []float64) (sum float64) {
	for i, w := range weights {
		sum += w * x[i]
	}
	return sum
}

func (r *Ranker) begin(task int, x []float64, formula float64, expected *float64) {
	if r.began == nil {
		r.began = map[int]guess{}
	}
	r.began[task] = guess{x, formula, expected}
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
	j := judgement{g, y}
	if e, ok := r.judge(j); ok {
		r.Evidence = append(r.Evidence, e)
		r.move(most)
	}
	r.judged = append(r.judged, j)
}

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
	case mean-se > 0:
		r.Authority += min(mean, maxStep)
	case mean+se < 0:
		r.Authority += losesTwice * max(mean, -maxStep)
	}
	r.Authority = min(max(r.Authority, 0), most)
}

// Seen is the evidence that counts now: its mean, the standard error of that, and
// how many tasks it is from.
func (r *Ranker) Seen() (mean, se float64, n int) {
	last := r.Evidence[max(0, len(r.Evidence)-window):]
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
