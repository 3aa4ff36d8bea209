package fold

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/fold/image"
	"atoll/engine/search"
	"atoll/store/record"
)

// fronted is an experiment in which memory counts beside the objective, and two cases.
func fronted(_ *record.Experiment, cfg *config.Config) {
	cfg.Front.Objectives = []config.FrontObjective{{Metric: "mb", Direction: "minimize"}}
	cfg.Front.Cases, cfg.Front.Parents = []string{"case_*"}, 0.5
}

// weighed is the log of metrics of a story: mb, case_a and case_b of each candidate.
type weighed map[record.CandidateID][3]float64

func (w weighed) metrics(id record.CandidateID) ([]record.Metric, error) {
	v, ok := w[id]
	if !ok {
		return nil, nil
	}
	return []record.Metric{{Name: "case_b", Value: v[2]}, {Name: "mb", Value: v[0]}, {Name: "case_a", Value: v[1]}, {Name: "other", Value: 9}}, nil
}

// listed tells a front: "c1 f a", on the front and leading case_a.
func (s *story) listed() string {
	f := FrontOf(s.st)
	var out []string
	for _, m := range f.Members {
		text := m.ID.String()
		if m.On {
			text += " f"
		}
		for _, c := range m.Leads {
			text += " " + strings.TrimPrefix(f.Cases[c.Case], "case_")
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestAFrontKeepsWhoIsBestInAWayOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		name string
		told func(s *story, w weighed)
		want string
	}{
		{"the root is its first", func(*story, weighed) {}, "c0 f a b"},
		{"one that takes no niche is on it for its memory", func(s *story, w weighed) {
			w[1], w[2] = [3]float64{20, 0, 0}, [3]float64{4, 0, 0}
			s.measured(1, 5, 0.55)
			s.measured(2, 3, 0.55)
		}, "c1 f, c2 f, c0 a b"},
		{"one that is worse in both is not, and may lead a case", func(s *story, w weighed) {
			w[1] = [3]float64{20, 0, 2}
			s.measured(1, 0, 0.55)
		}, "c0 f a, c1 b"},
		{"one without the metric is not on it", func(s *story, _ weighed) { s.measured(1, 99, 0.55) }, "c0 f a b"},
		{"who is rejected leaves it to those it beat", func(s *story, w weighed) {
			w[1], w[2] = [3]float64{1, 3, 0}, [3]float64{2, 2, 0}
			s.measured(1, 5, 0.55)
			s.measured(2, 4, 0.65)
			s.decide(record.Decision{Verb: record.Reject, Candidate: 1})
		}, "c2 f a, c0 b"},
		{"and comes back", func(s *story, w weighed) {
			w[1], w[2] = [3]float64{1, 3, 0}, [3]float64{2, 2, 0}
			s.measured(1, 5, 0.55)
			s.measured(2, 4, 0.65)
			s.decide(record.Decision{Verb: record.Reject, Candidate: 1})
			s.decide(record.Decision{Verb: record.Restore, Candidate: 1})
		}, "c1 f a, c0 b"},
		{"one that is measured again has its new values", func(s *story, w weighed) {
			w[1] = [3]float64{1, 3, 0}
			s.measured(1, 5, 0.55)
			w[1] = [3]float64{30, 0, 0}
			s.measured(1, 5, 0.55)
		}, "c1 f, c0 f a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := weighed{0: {10, 1, 1}}
			s := begin(t, fronted)
			s.st.front.metrics = w.metrics
			s.measured(0, 1, 0.05)
			c.told(s, w)
			if got := s.listed(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestAFrontFollowsFromTheLogAloneAndChangesNoPlace(t *testing.T) {
	w, rng := weighed{0: {10, 1, 1}}, rand.New(rand.NewPCG(3, 4))
	plain, s := begin(t), begin(t, fronted)
	s.st.front.metrics, s.rows = w.metrics, &[]record.FoldRow{}
	s.measured(0, 1, 0.05)
	for id := 1; id <= 400; id++ {
		w[record.CandidateID(id)] = [3]float64{float64(rng.IntN(60)), rng.Float64(), float64(rng.IntN(40))}
		s.measured(id, float64(rng.IntN(50)), rng.Float64())
		switch id % 20 {
		case 7:
			f := FrontOf(s.st)
			s.decide(record.Decision{Verb: record.Reject, Candidate: f.Members[rng.IntN(len(f.Members))].ID})
		case 13:
			s.decide(record.Decision{Verb: record.Freeze, Candidate: s.st.Best})
		}
		if id%3 == 0 {
			s.listed()
		}
	}
	again := begin(t, fronted)
	again.st.front.metrics = w.metrics
	for _, row := range *s.rows {
		again.row(row)
		plain.row(row)
	}
	if got, want := again.listed(), s.listed(); got != want || strings.Count(got, " f") < 3 {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := fmt.Sprint(s.st.Digest(), s.elites()), fmt.Sprint(plain.st.Digest(), plain.elites()); got != want {
		t.Errorf("with a front the archive is %s, without %s", got, want)
	}
	other := NewFront(s.st, s.st.Config.Front)
	for id := record.CandidateID(0); id <= 400; id++ {
		metrics, _ := w.metrics(id)
		other.Take(id, metrics)
	}
	if got, want := other.Front(), FrontOf(s.st); !reflect.DeepEqual(got, want) {
		t.Errorf("the same front asked for by a person is %v, want %v", got, want)
	}
}

func TestParentsAreDrawnFromTheFrontAndNotFromAFrozenNiche(t *testing.T) {
	w := weighed{0: {10, 1, 1}, 1: {20, 0, 0}, 2: {4, 5, 0}, 3: {3, 0, 0}}
	s := begin(t, fronted)
	s.st.front.metrics = w.metrics
	s.measured(0, 1, 0.05)
	s.measured(1, 5, 0.55) // the elite of its niche, frozen
	s.measured(2, 3, 0.75) // the second of its niche
	s.measured(4, 4, 0.75)
	s.measured(3, 2, 0.56) // lies in the frozen niche
	s.decide(record.Decision{Verb: record.Freeze, Candidate: 1})
	if got := s.listed(); got != "c1 f, c2 f a, c3 f, c0 b" {
		t.Fatal(got)
	}
	var drawn [5]int
	const n = 6000
	for job := record.JobID(1); job <= n; job++ {
		c := search.Pick(s.st.View(job), search.Rand(1, job), search.Free())
		if c.Way == search.Front {
			drawn[c.Parent]++
		}
	}
	// c2 has 1/3 of the front and half of the cases, c0 the other half; c1 and c3 are frozen
	share := float64(drawn[2]) / float64(drawn[0]+drawn[2])
	if want := (1.0/3 + 0.5) / (1.0/3 + 1); share < want-0.04 || share > want+0.04 {
		t.Errorf("c2 in %.3f of the draws from the front, want %.3f: %v", share, want, drawn)
	}
	if all := drawn[0] + drawn[2]; drawn[1]+drawn[3]+drawn[4] > 0 || all < n/5 || all > n*55/100 {
		t.Errorf("drawn from the front: %v of %d", drawn, n)
	}
	odds := search.Chances(s.st.View(1)).Parents
	sum := 0.0
	for _, x := range odds {
		sum += x
	}
	if sum < 0.999 || sum > 1.001 || odds[2] < 0.2 {
		t.Errorf("the chances are %v", odds)
	}
}

func TestAnImageHasTheFront(t *testing.T) {
	w := weighed{0: {10, 1, 1}, 1: {20, 3, 0}, 2: {4, 0, 2}}
	s := begin(t, fronted)
	s.st.front.metrics = w.metrics
	s.measured(0, 1, 0.05)
	s.measured(1, 5, 0.55)
	var b bytes.Buffer
	if err := image.Write(&b, &kept{State: s.st}, s.st.rules); err != nil {
		t.Fatal(err)
	}
	var k kept
	if err := image.Read(b.Bytes(), &k, s.st.rules); err != nil {
		t.Fatal(err)
	}
	read := &story{t: t, st: k.State, seq: s.seq}
	read.st.front.metrics, read.st.vector = w.metrics, s.st.vector
	for _, one := range []*story{s, read} {
		one.measured(2, 3, 0.55)
		if got, want := one.listed(), "c1 f a, c2 f b"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestWithoutAFrontNothingIsRead(t *testing.T) {
	s := begin(t) // its metrics would be asked for from nobody
	s.measured(0, 1, 0.05)
	if f := FrontOf(s.st); f.Kept() || len(f.Members) > 0 {
		t.Errorf("%v", f)
	}
}
