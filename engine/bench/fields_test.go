package bench_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"atoll/engine/bench"
)

func fieldNamed(t *testing.T, name string) bench.Field {
	t.Helper()
	all := bench.Fields()
	i := slices.IndexFunc(all, func(f bench.Field) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("there is no field %s", name)
	}
	return all[i]
}

// plainMapElites is MAP-Elites with nothing but a table, on 20 numbers and 500 x 500
// cells, a parent at a time. It returns the QD score for a cell and the filled cells.
func plainMapElites(cost func(float64) float64, evaluations int, seed uint64) (qd float64, filled int) {
	const n, side, first, reach = 20, 500, 500, 5.12
	type elite struct {
		value float64
		x     [n]float64
	}
	rng := rand.New(rand.NewPCG(seed, 99))
	cells := map[int]*elite{}
	var held []int
	for k := range evaluations {
		var x [n]float64
		if k < first {
			for i := range x {
				x[i] = 2*rng.Float64() - 1
			}
		} else {
			x = cells[held[rng.IntN(len(held))]].x
			for i := range x {
				x[i] += 0.5 * rng.NormFloat64()
			}
		}
		sum, halves := 0.0, [2]float64{}
		for i, v := range x {
			sum += cost(v - 0.4*reach)
			if v > reach || v < -reach {
				v = reach / v
			}
			halves[i*2/n] += v
		}
		value := 100 - 100*sum/(n*cost(-1.4*reach))
		at := 0
		for _, h := range halves {
			at = at*side + min(int((h+n/2*reach)/(n*reach)*side), side-1)
		}
		if e := cells[at]; e == nil {
			cells[at] = &elite{value, x}
			held = append(held, at)
		} else if value > e.value {
			*e = elite{value, x}
		}
	}
	for _, e := range cells {
		qd += e.value
	}
	return qd / (side * side), len(cells)
}

func TestUniformDrawsOnAFieldFindWhatPlainMAPElitesFinds(t *testing.T) {
	for name, cost := range map[string]func(float64) float64{
		"sphere":    func(v float64) float64 { return v * v },
		"rastrigin": func(v float64) float64 { return 10 + v*v - 10*math.Cos(2*math.Pi*v) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const evaluations = 20_000
			f := fieldNamed(t, name)
			uniform := slices.IndexFunc(f.Ways(), func(w bench.Way) bool { return w.Name == "uniform" })
			r, err := f.Run(t.Context(), f.Ways()[uniform], 1, []int{evaluations}, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			qd, filled := plainMapElites(cost, evaluations, 1)
			if p := r.Points[0]; math.Abs(p.QD/qd-1) > 0.03 || math.Abs(float64(p.Niches)/float64(filled)-1) > 0.03 {
				t.Errorf("QD score %.3f in %d niches, plain MAP-Elites has %.3f in %d", p.QD, p.Niches, qd, filled)
			}
		})
	}
}

func TestARunOnAFieldIsTheSameForTheSameSeed(t *testing.T) {
	f := fieldNamed(t, "rastrigin-100-line")
	if len(f.Ways()) < 3 {
		t.Errorf("there are %d ways", len(f.Ways()))
	}
	for _, w := range f.Ways() {
		var last []bench.Point
		for range 2 {
			r, err := f.Run(t.Context(), w, 5, []int{2000, 1000}, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Points) != 2 || r.Points[0].Evaluations != 1000 || r.Points[1].QD < r.Points[0].QD || r.Points[1].Best > 100 || r.Evaluations != 2000 {
				t.Errorf("%s: %+v", w.Name, r)
			}
			if last != nil && !slices.Equal(last, r.Points) {
				t.Errorf("%s: %+v the second time, %+v the first", w.Name, r.Points, last)
			}
			last = r.Points
		}
	}
}
