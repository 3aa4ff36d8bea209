package behavior_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"atoll/engine/behavior"
)

// drift returns vectors around a first one, which vary most along the given entry.
func drift(rng *rand.Rand, n, along int) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		v := make([]float32, 12)
		for j := range v {
			v[j] = float32(10 + 0.1*rng.NormFloat64())
		}
		v[along] += float32(rng.NormFloat64())
		v[along+1] += float32(0.5 * rng.NormFloat64())
		out[i] = v
	}
	return out
}

func TestTheWayToANewMapIsWalkedInAnyStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	before := drift(rng, 200, 0)
	after := append(append([][]float32{}, before...), drift(rng, 400, 6)...)
	old, err := behavior.Fit(t.Context(), before, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	old = old.Equalised(before)
	fresh, err := behavior.Fit(t.Context(), after, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	fresh.Align(old, after)
	for name, next := range map[string]*behavior.Space{"other axes": fresh, "other cuts": old} {
		end := next.Equalised(after)
		// far is how much a vector moves at most along an axis, from one map to another.
		far := func(a, b *behavior.Space) float64 {
			most := 0.0
			for _, v := range after {
				p, q := a.Project(v), b.Project(v)
				for j := range p {
					most = max(most, math.Abs(p[j]-q[j]))
				}
			}
			return most
		}
		if d := far(old, old.Toward(next, 0, after)); d > 0.02 {
			t.Errorf("%s: at the beginning of the way a vector moved by %.3f", name, d)
		}
		if d := far(end, old.Toward(next, 1, after)); d != 0 {
			t.Errorf("%s: at the end of the way a vector lies %.3f from the new map", name, d)
		}
		if far(old, end) < 0.2 {
			t.Fatalf("%s: the new map is hardly another one", name)
		}
		last := old
		for _, share := range []float64{0.25, 0.5, 0.75, 1} {
			now := old.Toward(next, share, after)
			if d := far(last, now); d > 0.9*far(old, end) {
				t.Errorf("%s: a quarter of the way moves a vector by %.3f, all of it by %.3f", name, d, far(old, end))
			}
			kept, err := now.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if again, err := behavior.Decode(kept); err != nil || far(now, again) != 0 {
				t.Errorf("%s: kept and read it is another map: %v", name, err)
			}
			if c := now.Captured(after); c < 0 || c > 1 || math.IsNaN(c) {
				t.Errorf("%s: it captures %v", name, c)
			}
			last = now
		}
	}
}
