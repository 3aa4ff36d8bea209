package front_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"atoll/engine/front"
	"atoll/store/record"
)

func ids(s *front.Set) []record.CandidateID {
	out := []record.CandidateID{}
	for _, e := range s.Members() {
		out = append(out, e.ID)
	}
	return out
}

func TestTheFrontIsWhoNoOtherBeatsInEverything(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		steps  []float64
		values [][]float64
		want   []record.CandidateID
	}{
		"one that is better in something stays":         {[]float64{0, 0}, [][]float64{{1, 5}, {2, 4}, {3, 3}}, []record.CandidateID{2, 1, 0}},
		"one that is beaten in one value and no better": {[]float64{0, 0}, [][]float64{{1, 5}, {1, 4}}, []record.CandidateID{0}},
		"of equal ones the first":                       {[]float64{0, 0}, [][]float64{{1, 5}, {1, 5}}, []record.CandidateID{0}},
		"a missing value":                               {[]float64{0, 0}, [][]float64{{1, nan}, {0, 5}}, []record.CandidateID{1}},
		"a value too few":                               {[]float64{0, 0}, [][]float64{{9}, {0, 5}}, []record.CandidateID{1}},
		"alike within a step, the better objective":     {[]float64{0, 1}, [][]float64{{1, 5.2}, {2, 5.9}, {3, 5.1}}, []record.CandidateID{2}},
		"a multiple of the step begins its own":         {[]float64{0, 0.1}, [][]float64{{2, 0.2}, {1, 0.3}}, []record.CandidateID{0, 1}},
		"alike in all steps, the better objective":      {[]float64{10, 10}, [][]float64{{11, 12}, {12, 11}, {12, 13}}, []record.CandidateID{1}},
		"one value is a plain best":                     {[]float64{0}, [][]float64{{1}, {3}, {2}}, []record.CandidateID{1}},
		"values without bound":                          {[]float64{1, 1}, [][]float64{{math.Inf(1), 0}, {0, 1}}, []record.CandidateID{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := front.NewSet(c.steps)
			for i, v := range c.values {
				s.Add(front.Entry{ID: record.CandidateID(i), Values: v})
			}
			if got := ids(s); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestAFrontDoesNotDependOnTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		steps := []float64{0, float64(rng.IntN(3)), 0}
		entries := make([]front.Entry, 60)
		for i := range entries {
			entries[i] = front.Entry{ID: record.CandidateID(i), Values: []float64{float64(rng.IntN(9)), float64(rng.IntN(9)), float64(rng.IntN(9))}}
		}
		var want []record.CandidateID
		var lead []front.Leader
		for range 3 {
			s, l := front.NewSet(steps), front.NewLeaders(3)
			for _, i := range rng.Perm(len(entries)) {
				s.Add(entries[i])
				l.Add(entries[i], entries[i].Values[0])
			}
			got := ids(s)
			if want == nil {
				want, lead = got, []front.Leader{l.Of(0), l.Of(1), l.Of(2)}
			}
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual([]front.Leader{l.Of(0), l.Of(1), l.Of(2)}, lead) {
				t.Fatalf("%v and %v", got, want)
			}
		}
		// by definition: who is not on it is matched by one who is
		s := front.NewSet(steps)
		for _, e := range entries {
			s.Add(e)
		}
		for _, e := range entries {
			if slices.Contains(ids(s), e.ID) == matched(steps, e, s.Members()) {
				t.Fatalf("%v among %v with steps %v", e, s.Members(), steps)
			}
		}
	}
}

// matched reports whether one of others is at least as good in all steps.
func matched(steps []float64, e front.Entry, others []front.Entry) bool {
	rung := func(i int, v float64) float64 {
		if steps[i] > 0 {
			return math.Floor(v / steps[i])
		}
		return v
	}
	for _, o := range others {
		good := o.ID != e.ID
		for i := range steps {
			good = good && rung(i, o.Values[i]) >= rung(i, e.Values[i])
		}
		if good {
			return true
		}
	}
	return false
}

func TestACaseIsLedByItsBestAndAmongEqualsByTheBestOverall(t *testing.T) {
	l := front.NewLeaders(4)
	nan := math.NaN()
	l.Add(front.Entry{ID: 0, Values: []float64{1, 0, 0, nan}}, 5)
	l.Add(front.Entry{ID: 1, Values: []float64{1, 1, 0, nan}}, 6)
	l.Add(front.Entry{ID: 2, Values: []float64{0, 0, 0, nan}}, 6)
	want := map[record.CandidateID]int{1: 3}
	if got := l.Counts(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if c := l.Of(3); c.ID != record.NoCandidate {
		t.Errorf("%v leads a case in which nobody was measured", c.ID)
	}
	if l.Add(front.Entry{ID: 3, Values: []float64{2}}, 0); l.Of(0).ID != 3 || l.Len() != 4 {
		t.Error("one that was measured in the first case alone does not lead it")
	}
}
