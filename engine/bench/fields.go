package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"atoll/config"
	"atoll/engine/archive"
	"atoll/engine/search"
	"atoll/store/record"
)

// Field is a search over vectors of numbers whose results with MAP-Elites are
// published: the linear projection of Fontaine and others 2020, "Covariance matrix
// adaptation for the rapid illumination of behavior space". The objective is a
// sphere or Rastrigin's function around 0.4 of the range in each number, told from 0
// (every number at the lower end of the range) to 100; the two axes are the sums of the
// halves of the vector, in which a number beyond the range counts the less the
// farther out it is.
//
// Archive and draw of parents are those of an experiment, without its log: a run has
// millions of evaluations.
type Field struct {
	Name        string
	Text        string // one line
	Evaluations int    // of a published run
	dims        int
	side        int // cells along each of the two axes
	first       int // vectors at the start
	batch       int // children whose parents are drawn from the same elites; 0: an eighth as many as there are elites
	ripples     float64
	sigma, line float64 // of a child around its parent, and along the way to another elite
	start       func(*rand.Rand) float64
}

const (
	fieldReach  = 5.12
	fieldCentre = 0.4 * fieldReach
)

// Fields are the searches over vectors.
func Fields() []Field {
	uniform := func(rng *rand.Rand) float64 { return 2*rng.Float64() - 1 }
	small := Field{Evaluations: 2_500_000, dims: 20, side: 500, first: 500, sigma: 0.5, start: uniform, Text: "20 numbers, 500 x 500 cells"}
	large := Field{Evaluations: 5_400_100, dims: 100, side: 100, first: 100, batch: 540, sigma: 0.5, start: (*rand.Rand).NormFloat64, Text: "100 numbers, 100 x 100 cells"}
	lined := large
	lined.line, lined.Text = 0.2, large.Text+", children also along the way to another elite"
	var out []Field
	for _, f := range []struct {
		suffix string
		Field
	}{{"", small}, {"-100", large}, {"-100-line", lined}} {
		for _, g := range []struct {
			name    string
			ripples float64
		}{{"sphere", 0}, {"rastrigin", 10}} {
			f.Name, f.ripples = g.name+f.suffix, g.ripples
			out = append(out, f.Field)
		}
	}
	return out
}

// Ways returns the ways of [Ways] that do nothing but draw parents from elites.
func (f Field) Ways() []Way {
	return slices.DeleteFunc(Ways(), func(w Way) bool {
		cfg := config.Defaults()
		if w.Configure != nil {
			w.Configure(&cfg)
		}
		return w.Fix != nil || w.Name != "atoll" && cfg.Search.Selection == config.Defaults().Search.Selection
	})
}

// shape is the map of a field.
func (f Field) shape() archive.Shape {
	far := float64(f.dims) / 2 * fieldReach
	axis := archive.Axis{Lo: -far, Hi: far, Bins: f.side}
	return archive.Shape{Axes: []archive.Axis{axis, axis}}
}

// objective is 100 at the optimum and 0 where every number is at the lower end.
func (f Field) objective(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += f.cost(v)
	}
	return 100 * (1 - sum/(float64(len(x))*f.cost(-fieldReach)))
}

func (f Field) cost(v float64) float64 {
	v -= fieldCentre
	if f.ripples == 0 {
		return v * v
	}
	return v*v + f.ripples*(1-math.Cos(2*math.Pi*v))
}

// place sets p to where a vector lies.
func (f Field) place(x, p []float64) {
	clear(p)
	for i, v := range x {
		if math.Abs(v) > fieldReach {
			v = fieldReach / v
		}
		p[2*i/len(x)] += v
	}
}

// fieldLab is one run on a field.
type fieldLab struct {
	Field
	view   search.View
	stats  search.Stats
	best   float64
	elites map[record.CandidateID][]float64
	next   record.CandidateID
	point  [2]float64
}

// Run searches with one seed and looks at the numbers of evaluations, the last
// of which ends it. QD scores are told for a cell, 0 to 100.
func (f Field) Run(ctx context.Context, w Way, seed uint64, at []int, now func() time.Time) (Result, error) {
	began := now()
	cfg := config.Defaults()
	if w.Configure != nil {
		w.Configure(&cfg)
	}
	l := &fieldLab{Field: f, best: math.Inf(-1), elites: map[record.CandidateID][]float64{}}
	l.view = search.View{Archive: archive.New(f.shape(), 0), Root: record.Root, Selection: cfg.Search.Selection, Stats: &l.stats}
	rng := search.Rand(seed, 0)
	res := Result{Problem: f.Name, Way: w.Name, Seed: seed}
	looks := slices.Sorted(slices.Values(at))
	x := make([]float64, f.dims)
	for int(l.next) < looks[len(looks)-1] {
		if err := ctx.Err(); err != nil {
			return res, fmt.Errorf("%s by %s, seed %d: %w", f.Name, w.Name, seed, err)
		}
		parents := l.parents()
		batch := f.batch
		if batch == 0 || int(l.next) < f.first {
			batch = max(f.first-int(l.next), len(parents.ids)/8)
		}
		for range batch {
			parent := record.NoCandidate
			if int(l.next) < f.first {
				for i := range x {
					x[i] = f.start(rng)
				}
			} else {
				parent = parents.draw(rng)
				l.child(rng, parent, parents, x)
			}
			if err := l.add(x, parent); err != nil {
				return res, err
			}
			if n := int(l.next); slices.Contains(looks, n) {
				st := l.view.Archive.Stats()
				res.Points = append(res.Points, Point{Evaluations: n, Best: l.best, QD: st.QDNorm, Niches: st.Filled})
			}
			if int(l.next) == looks[len(looks)-1] {
				break
			}
		}
	}
	res.Evaluations, res.Jobs = int(l.next), int(l.next)
	res.Seconds = now().Sub(began).Seconds()
	return res, nil
}

// child sets x to an edit of a parent.
func (l *fieldLab) child(rng *rand.Rand, parent record.CandidateID, parents lottery, x []float64) {
	copy(x, l.elites[parent])
	if l.line > 0 {
		other, step := l.elites[parents.any(rng)], l.line*rng.NormFloat64()
		for i, v := range l.elites[parent] {
			x[i] += step * (other[i] - v)
		}
	}
	for i := range x {
		x[i] += l.sigma * rng.NormFloat64()
	}
}

// add measures a vector and enters it.
func (l *fieldLab) add(x []float64, parent record.CandidateID) error {
	l.place(x, l.point[:])
	e := archive.Entry{ID: l.next, Objective: l.objective(x), Samples: 1, Point: l.point[:]}
	r, err := l.view.Archive.Add(e)
	if err != nil {
		return err
	}
	end := search.Event{Operator: record.OpTune, Parent: parent, State: record.Scored, Best: e.Objective > l.best}
	if r.After == e.ID {
		end.State = record.Placed
		l.elites[e.ID] = slices.Clone(x)
	}
	l.best = max(l.best, e.Objective)
	l.stats.Add(end)
	l.next++
	l.view.Fold++
	return nil
}

// lottery draws elites with the chances that they had when it was made.
type lottery struct {
	ids []record.CandidateID
	sum []float64 // of the chances up to each
}

// parents takes the chances of the next draw; vectors that lost their niches
// since the last time are forgotten.
func (l *fieldLab) parents() lottery {
	holders := l.view.Archive.Holders()
	if len(l.elites) > 2*len(holders) {
		held := make(map[record.CandidateID][]float64, len(holders))
		for _, h := range holders {
			held[h.ID] = l.elites[h.ID]
		}
		l.elites = held
	}
	odds := search.Chances(l.view).Parents
	p := lottery{make([]record.CandidateID, len(holders)), make([]float64, len(holders))}
	total := 0.0
	for i, h := range holders {
		total += odds[h.ID]
		p.ids[i], p.sum[i] = h.ID, total
	}
	return p
}

func (p lottery) draw(rng *rand.Rand) record.CandidateID {
	i, _ := slices.BinarySearch(p.sum, rng.Float64()*p.sum[len(p.sum)-1])
	return p.ids[min(i, len(p.ids)-1)]
}

// any draws an elite, each alike.
func (p lottery) any(rng *rand.Rand) record.CandidateID { return p.ids[rng.IntN(len(p.ids))] }
