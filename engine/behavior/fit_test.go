package behavior_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"atoll/engine/behavior"
)

// cloud returns n vectors: a large common part, and normal deviations of the
// given sizes along the first dimensions, turned by nothing.
func cloud(rng *rand.Rand, n, dims int, sizes ...float64) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		v := make([]float32, dims)
		for j := range v {
			v[j] = float32(1000 + j)
		}
		for j, s := range sizes {
			v[j] += float32(s * rng.NormFloat64())
		}
		out[i] = v
	}
	return out
}

func mustFit(t *testing.T, vectors [][]float32, dims int) *behavior.Space {
	t.Helper()
	s, err := behavior.Fit(context.Background(), vectors, 1, dims)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func moments(s *behavior.Space, vectors [][]float32) (mean [2]float64, cov [2][2]float64) {
	n := float64(len(vectors))
	for _, v := range vectors {
		y := s.Raw(v)
		for i := range mean {
			mean[i] += y[i] / n
		}
	}
	for _, v := range vectors {
		y := s.Raw(v)
		for i := range cov {
			for j := range cov {
				cov[i][j] += (y[i] - mean[i]) * (y[j] - mean[j]) / (n - 1)
			}
		}
	}
	return mean, cov
}

func TestCoordinatesAreWhite(t *testing.T) {
	for _, tt := range []struct {
		name    string
		n, dims int
	}{
		{"more vectors than dimensions", 300, 32},
		{"fewer vectors than dimensions", 60, 256},
		{"too many of both for all eigenvalues", 600, 700},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			vectors := cloud(rng, tt.n, tt.dims, 0)
			for _, v := range vectors {
				for j, size := range []float64{50, 5, 0.5, 0.4, 0.3} {
					v[j] += float32(size * (2*rng.Float64() - 1))
				}
			}
			s := mustFit(t, vectors, 2)
			mean, cov := moments(s, vectors)
			for i := range 2 {
				for j := range 2 {
					want := 0.0
					if i == j {
						want = 1
					}
					if math.Abs(mean[i]) > 1e-6 || math.Abs(cov[i][j]-want) > 1e-6 {
						t.Fatalf("mean %v, covariance %v", mean, cov)
					}
				}
			}
			if y := s.Raw(vectors[0]); y[0] >= 0 || y[1] >= 0 {
				t.Errorf("the root lies at %v, want both negative", y)
			}
			if got := s.Captured(vectors); got < 0.99 || got > 1 || math.Abs(got-s.Share()) > 1e-9 {
				t.Errorf("captured %v, share %v", got, s.Share())
			}
		})
	}
}

func TestCellsAreAboutEquallyLikely(t *testing.T) {
	vectors := cloud(rand.New(rand.NewPCG(3, 4)), 4000, 16, 1e-2, 1e-2, 1e-3)
	s := mustFit(t, vectors, 2)
	var count [4][4]int
	for _, v := range vectors {
		p := s.Project(v)
		count[min(3, int(p[0]*4))][min(3, int(p[1]*4))]++
	}
	for i := range 4 {
		for j := range 4 {
			if c := count[i][j]; c < 150 || c > 350 {
				t.Errorf("cell %d %d has %d of 4000, want about 250", i, j, c)
			}
		}
	}
}

func TestAnAxisWithoutVarianceIsTheMiddle(t *testing.T) {
	vectors := cloud(rand.New(rand.NewPCG(5, 6)), 2, 64, 1, 1) // two points: one direction
	s := mustFit(t, vectors, 2)
	for i, v := range vectors {
		p := s.Project(v)
		if p[1] != 0.5 || (p[0] < 0.5) != (i == 0) {
			t.Errorf("vector %d lies at %v", i, p)
		}
	}
}

func TestFitRefusesWhatCannotBeAMap(t *testing.T) {
	one := []float32{1, 2, 3}
	for _, tt := range []struct {
		name    string
		vectors [][]float32
		want    error
	}{
		{"nothing", nil, behavior.ErrFew},
		{"one vector", [][]float32{one}, behavior.ErrFew},
		{"the same vector again and again", [][]float32{one, {1, 2, 3}, {1, 2, 3}}, behavior.ErrFew},
		{"one direction", [][]float32{one, {2, 4, 6}, {3, 6, 9}}, behavior.ErrAlike},
		{"two lengths", [][]float32{one, {1, 2}}, behavior.ErrVector},
		{"not a number", [][]float32{one, {1, float32(math.NaN()), 3}}, behavior.ErrVector},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := behavior.Fit(context.Background(), tt.vectors, 1, 2); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := behavior.Fit(ctx, [][]float32{one, {3, 2, 1}}, 1, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOneRewriteDoesNotSqueezeTheOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	vectors := cloud(rng, 100, 64, 1, 1, 0.1)
	for i := 50; i < 53; i++ {
		vectors[i] = cloud(rng, 1, 64, 0, 0, 0, 4000)[0]
	}
	s := mustFit(t, vectors, 2)
	cells := map[[2]int]bool{}
	for _, v := range vectors {
		p := s.Project(v)
		cells[[2]int{int(p[0] * 7.999), int(p[1] * 7.999)}] = true
	}
	if len(cells) < 25 {
		t.Errorf("100 candidates share %d of 64 cells", len(cells))
	}
}

func TestASpaceSurvivesItsStoredForm(t *testing.T) {
	vectors := cloud(rand.New(rand.NewPCG(9, 1)), 80, 40, 3, 2, 1)
	s := mustFit(t, vectors, 2)
	s.SetEmbedder("lexical-1")
	s.SetAt(90)
	s.Align(mustFit(t, vectors[:40], 2), vectors)
	s = s.Equalised(vectors)
	stored, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := behavior.Decode(stored)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		a, b := s.Project(v), back.Project(v)
		if a[0] != b[0] || a[1] != b[1] {
			t.Fatalf("%v became %v", a, b)
		}
	}
	again, _ := back.Encode()
	if !bytes.Equal(stored, again) || back.Embedder() != "lexical-1" || back.Samples() != 80 {
		t.Error("the stored form changed")
	}
	for name, bad := range map[string]string{
		"no JSON": "x", "another version": `{"version":9}`, "nothing in it": `{"version":1}`,
		"quantiles that fall":                 `{"version":2,"mean":[1],"components":[[1]],"variances":[1],"rotation":[[1]],"marginals":[[2,1]]}`,
		"quantiles of another number of axes": `{"version":2,"mean":[1],"components":[[1]],"variances":[1],"rotation":[[1]],"marginals":[[1],[1]]}`,
		"parts of two sizes":                  `{"version":1,"mean":[1,2],"components":[[1]],"variances":[1],"rotation":[[1]]}`,
	} {
		if _, err := behavior.Decode([]byte(bad)); !errors.Is(err, behavior.ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAlignUndoesFlipsSwapsAndTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	vectors := cloud(rng, 400, 32, 1, 0.98, 0.2) // nearly equal: a fit turns freely
	worst := func(a, b *behavior.Space) float64 {
		m := 0.0
		for _, v := range vectors {
			x, y := a.Raw(v), b.Raw(v)
			m = max(m, math.Hypot(x[0]-y[0], x[1]-y[1]))
		}
		return m
	}
	prev := mustFit(t, vectors[:60], 2)
	loose := mustFit(t, vectors, 2)
	tied := mustFit(t, vectors, 2)
	tied.Align(prev, vectors)
	if w, l := worst(prev, tied), worst(prev, loose); w > 0.8 || w > l {
		t.Errorf("aligned points move up to %v, loose ones %v", w, l)
	}
	_, cov := moments(tied, vectors)
	if math.Abs(cov[0][0]-1) > 1e-6 || math.Abs(cov[0][1]) > 1e-6 {
		t.Errorf("aligning changed the scale: %v", cov)
	}
	if d := tied.Degrees(prev); d <= 0 || d > 30 {
		t.Errorf("turned by %v degrees", d)
	}
	flipped := mustFit(t, append([][]float32{vectors[1]}, vectors...), 2) // another root: other signs
	flipped.Align(tied, vectors)
	if w := worst(tied, flipped); w > 1e-6 {
		t.Errorf("the same fit with other signs lies %v away", w)
	}
	if d := flipped.Degrees(tied); d > 1e-3 {
		t.Errorf("the same layout is turned by %v degrees", d)
	}
}

func TestANewMapIsDueWhenTheOldOneMissesSomething(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	old := cloud(rng, 200, 32, 1, 0.5, 0.05)
	s := mustFit(t, old, 2)
	more := append(append([][]float32{}, old...), cloud(rng, 200, 32, 1, 0.5, 0.05)...)
	wider := append(append([][]float32{}, old...), cloud(rng, 200, 32, 1, 0.5, 3)...)
	far := append(append([][]float32{}, old...), cloud(rng, 100, 32, 6, 3, 0.05)...)
	for _, tt := range []struct {
		name    string
		vectors [][]float32
		now     int
		cause   string
	}{
		{"more of the same", more, 400, ""},
		{"a new direction", wider, 400, behavior.CauseVariance},
		{"a new direction, but too early", wider, 224, ""},
		{"a new direction, and not yet twice as many evaluations: the axes stay", wider, 399, ""},
		{"the same directions, but much farther", far, 300, behavior.CauseSpread},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := behavior.Rule{}.Look(t.Context(), s, tt.vectors, 200, tt.now)
			if err != nil || v.Cause != tt.cause || v.Due != (tt.cause != "") {
				t.Errorf("got %q, %v, %v, want %q", v.Cause, v.Due, err, tt.cause)
			}
		})
	}
}

func TestEqualisedCellsAreEquallyLikelyWhateverTheVectorsAreLike(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	// A search that settles: most candidates lie close together, some far away.
	vectors := append(cloud(rng, 40, 32, 40, 30), cloud(rng, 400, 32, 1, 1)...)
	plain := mustFit(t, vectors, 2)
	equal := plain.Equalised(vectors)
	count := func(s *behavior.Space) (most int) {
		for axis := range 2 {
			var cells [8]int
			for _, v := range vectors {
				cells[min(7, int(8*s.Project(v)[axis]))]++
			}
			most = max(most, slices.Max(cells[:]))
		}
		return most
	}
	if n := count(plain); n < 75 {
		t.Fatalf("the fullest of 8 cells has %d of 440: there is nothing to equalise", n)
	}
	if n := count(equal); n > 60 {
		t.Errorf("the fullest of 8 cells has %d of 440 candidates, want about 55", n)
	}
	for _, v := range vectors {
		for _, w := range vectors[:20] {
			a, b := plain.Raw(v), plain.Raw(w)
			p, q := equal.Project(v), equal.Project(w)
			for j := range 2 {
				if a[j] < b[j] && p[j] > q[j] {
					t.Fatalf("%v lies below %v, and equalised %v above %v", a[j], b[j], p[j], q[j])
				}
			}
		}
	}
	if plain.Project(vectors[0])[0] == equal.Project(vectors[0])[0] {
		t.Error("the space that was equalised has changed itself")
	}
}

func TestCoordinatesOfAnEqualisedSpaceRiseWithinTheUnitInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, tt := range []struct {
		name    string
		vectors [][]float32
	}{
		{"many vectors", cloud(rng, 300, 16, 5, 1)},
		{"a handful of vectors", cloud(rng, 3, 16, 5, 1)},
		{"half of them at one place along an axis", append(cloud(rng, 20, 16, 5, 0), cloud(rng, 20, 16, 0, 1)...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mustFit(t, tt.vectors, 2).Equalised(tt.vectors)
			line := cloud(rng, 1, 16, 0)[0]
			var raw, got []float64
			for x := float32(-400); x <= 400; x += 2 {
				v := slices.Clone(line)
				v[0] += x
				raw, got = append(raw, s.Raw(v)[0]), append(got, s.Project(v)[0])
			}
			if raw[0] > raw[len(raw)-1] {
				slices.Reverse(got)
			}
			if !slices.IsSorted(got) || got[0] < 0 || got[len(got)-1] > 1 || got[0] == got[len(got)-1] {
				t.Errorf("coordinates along a line: %v", got)
			}
		})
	}
}

func TestEqualCellsAgainMoveFewCandidatesFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	vectors := cloud(rng, 400, 32, 10, 5)
	s := mustFit(t, vectors, 2).Equalised(vectors)
	cell := func(s *behavior.Space, v []float32, axis int) int { return min(15, int(16*s.Project(v)[axis])) }
	for round := range 10 { // each tenth is nearer to where the search settles
		last := len(vectors)
		vectors = append(vectors, cloud(rng, last/10, 32, 5/float64(round+1), 2/float64(round+1))...)
		verdict, err := behavior.Rule{Growth: 1e9}.Look(t.Context(), s, vectors, last, len(vectors))
		if err != nil {
			t.Fatal(err)
		}
		if !verdict.Due {
			continue
		}
		next, far := s.Equalised(vectors), 0
		for _, v := range vectors {
			for axis := range 2 {
				if d := cell(s, v, axis) - cell(next, v, axis); d < -1 || d > 1 {
					far++
					break
				}
			}
		}
		if share := float64(far) / float64(len(vectors)); share > 0.15 {
			t.Errorf("round %d: %.0f %% moved by more than a cell", round, 100*share)
		}
		s = next
	}
}

func TestAFitIsReproducible(t *testing.T) {
	for _, dims := range []int{64, 700} {
		vectors := cloud(rand.New(rand.NewPCG(15, 16)), 600, dims, 5, 4, 3, 2, 1)
		a, _ := mustFit(t, vectors, 2).Encode()
		b, _ := mustFit(t, vectors, 2).Encode()
		if !bytes.Equal(a, b) {
			t.Errorf("%d dimensions: two fits differ", dims)
		}
	}
}

func TestAFullFitIsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	vectors := cloud(rand.New(rand.NewPCG(17, 18)), 4096, 256, 5, 4, 3, 2, 1)
	best := time.Hour
	for range 3 {
		start := time.Now()
		mustFit(t, vectors, 2)
		best = min(best, time.Since(start))
	}
	t.Logf("4096 vectors of 256 dimensions in %v", best)
	if best > 3*time.Second {
		t.Errorf("4096 vectors of 256 dimensions took %v", best)
	}
}
