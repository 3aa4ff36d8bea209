package output

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The exact values are those of the tables of Mann and Whitney: two-sided, no
// ties.
func TestMannWhitney(t *testing.T) {
	for _, tt := range []struct {
		name string
		x, y []float64
		want float64
	}{
		{"all of one below all of the other, 5 and 5", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{"the other way around", []float64{6, 7, 8, 9, 10}, []float64{1, 2, 3, 4, 5}, 2.0 / 252},
		{"3 and 3 can never be told apart", []float64{1, 2, 3}, []float64{4, 5, 6}, 0.1},
		{"one of each", []float64{1}, []float64{2}, 1},
		{"interleaved", []float64{1, 3, 5}, []float64{2, 4, 6}, 0.7},
		{"all equal", []float64{2, 2, 2}, []float64{2, 2, 2}, 1},
		{"nothing to compare", nil, []float64{1}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mannWhitney(tt.x, tt.y); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("p = %.6f, want %.6f", got, tt.want)
			}
		})
	}
}

// Of comparisons of equal distributions at most alpha are called a difference,
// with ties and without.
func TestMannWhitneyKeepsItsPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, grain := range []float64{0, 0.2} {
		const trials = 4000
		wrong := 0
		for range trials {
			x, y := make([]float64, 8), make([]float64, 8)
			for i := range x {
				x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
				if grain > 0 {
					x[i], y[i] = math.Round(x[i]/grain)*grain, math.Round(y[i]/grain)*grain
				}
			}
			if mannWhitney(x, y) <= alpha {
				wrong++
			}
		}
		if share := float64(wrong) / trials; share > alpha+0.012 || share < 0.02 {
			t.Errorf("grain %g: %.3f of equal pairs are called different", grain, share)
		}
	}
}

func benchLines(name string, unit string, values ...float64) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "Benchmark%s-2   \t 100\t %g %s\n", name, v, unit)
	}
	return b.String()
}

func TestCompareGoBench(t *testing.T) {
	root := "goos: linux\n" + benchLines("Fast", "ns/op", 100, 101, 102, 103, 104) + benchLines("Same", "ns/op", 10, 11, 12, 13, 14) + benchLines("Gone", "ns/op", 1)
	candidate := benchLines("Fast", "ns/op", 50, 51, 52, 53, 54) + benchLines("Same", "ns/op", 10.5, 11.5, 12.5, 13.5, 9) + benchLines("New", "ns/op", 1)
	text := CompareGoBench([]byte(root), []byte(candidate))
	for _, want := range []string{"ns/op", "Fast", "-49.02 % (p=0.008 n=5+5)", "Same", "~ (p=0.690 n=5+5)", "geometric mean"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"Gone", "New", "-2 "} {
		if strings.Contains(text, not) {
			t.Errorf("%q in\n%s", not, text)
		}
	}
	if got := CompareGoBench(nil, []byte(candidate)); got != "" {
		t.Errorf("without a root: %q", got)
	}
}
