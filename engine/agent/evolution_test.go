package agent_test

import (
	"math"
	"testing"

	"atoll/engine/agent"
	"atoll/store/record"
)

// tuned is the end of a job that tuned a candidate.
func tuned(job, parent record.CandidateID, value float64) agent.End {
	return agent.End{Operator: record.OpTune, Candidate: job, Parent: parent, Value: value, Best: 7}
}

// grown is a history that saw so many jobs before the run of an evolution.
func grown(t *testing.T) *agent.History {
	t.Helper()
	h := agent.NewHistory()
	h.Evolve(1)
	for job := range record.CandidateID(40) {
		if h.Evolving() != nil {
			t.Fatalf("a run began after %d jobs", job)
		}
		h.Ended(tuned(job+1, 3, 0), "one 1e-1")
	}
	if ev := h.Evolving(); ev == nil || ev.Start != record.Root {
		t.Fatalf("the run is %+v, want one from the root", ev)
	}
	return h
}

func TestSamplesOfAnEvolutionAreThoseOfItsStartInTheOrderOfTheLog(t *testing.T) {
	h := grown(t)
	h.Ended(tuned(50, record.Root, 1.5), agent.GenerationTag(0))
	before := h.Clone()
	h.Ended(tuned(51, 3, 2), agent.GenerationTag(0)) // another parent
	h.Ended(tuned(49, record.Root, math.Inf(-1)), agent.GenerationTag(0))
	h.Ended(tuned(52, record.Root, 3), agent.GenerationTag(4)) // of no distribution that there is
	if n := len(before.Evolving().Samples); n != 1 {
		t.Errorf("a job sees %d samples, want the 1 that was there when it was made", n)
	}
	s := h.Evolving().Samples
	if len(s) != 2 || s[0].Job != 50 || s[1].Job != 49 || s[0].Value != 1.5 || !math.IsInf(s[1].Value, -1) {
		t.Errorf("samples %+v", s)
	}
}

func TestAnEvolutionThatCannotDrawSamplesRests(t *testing.T) {
	h := grown(t)
	for i := range 3 {
		end := tuned(record.CandidateID(60+i), record.Root, 0)
		if i == 0 {
			end.Candidate = record.NoCandidate // a duplicate
		}
		h.Ended(end, "one 1e-1")
	}
	if ev := h.Evolving(); ev != nil {
		t.Errorf("it goes on: %+v", ev)
	}
	for i := range 500 {
		h.Ended(tuned(record.CandidateID(100+i), 3, 0), "")
	}
	if h.Evolving() == nil {
		t.Error("it never tries again")
	}
}

func TestAnEvolutionThatFindsNothingBetterBeginsElsewhere(t *testing.T) {
	h := grown(t)
	h.Ended(agent.End{Operator: record.OpMutate, Candidate: 90, Parent: 33}, "")
	first := h.Evolving().Run
	for i := 0; h.Evolving().Run == first; i++ {
		if i > 2000 {
			t.Fatal("the run never ends")
		}
		h.Ended(tuned(record.CandidateID(100+i), record.Root, 1-float64(i%2)), agent.GenerationTag(0))
	}
	if ev := h.Evolving(); ev.Start != 33 || len(ev.Samples) != 0 {
		t.Errorf("the next run is %+v, want one from the parent that was drawn last", ev)
	}
}

func TestAnEvolutionOfNumbersThatChangeNothingEndsEarly(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value func(i int) float64
		want  int
		then  record.CandidateID // what the run behind that of the best begins with
	}{
		{"after five generations that are all alike", func(int) float64 { return 1 }, 75, record.Root},
		{"or most of them", func(i int) float64 { return 1 - float64(i%4/3) }, 75, record.Root},
		{"and not where every second sample is worse", func(i int) float64 { return 1 - float64(i%2) }, 376, 7},
	} {
		h, job := grown(t), record.CandidateID(100)
		run := func() (n int) {
			for first := h.Evolving().Run; h.Evolving().Run == first; n++ {
				h.Ended(tuned(job, h.Evolving().Start, tt.value(n)), agent.GenerationTag(0))
				job++
			}
			return n
		}
		if n, start := run(), h.Evolving().Start; n != tt.want || start != 7 {
			t.Errorf("%s: the run of the root ends after %d samples, and the next begins with %s, want %d and c7", tt.name, n, start, tt.want)
		}
		if n, start := run(), h.Evolving().Start; n != tt.want || start != tt.then {
			t.Errorf("%s: that of the best ends after %d samples, and the next begins with %s, want %d and %s", tt.name, n, start, tt.want, tt.then)
		}
	}
}

func TestAHistoryThatShallNotEvolveHasNoRun(t *testing.T) {
	h := agent.NewHistory()
	for job := range record.CandidateID(100) {
		h.Ended(tuned(job, 1, 0), "")
	}
	var none *agent.History
	if h.Evolving() != nil || none.Evolving() != nil {
		t.Error("there is a run")
	}
}

func TestAnEvolutionWhoseFirstSamplesFailRests(t *testing.T) {
	for _, tt := range []struct {
		name   string
		failed int
		rests  bool
	}{{"when most do", 12, true}, {"and not when some do", 8, false}} {
		h := grown(t)
		size := h.Evolving().Size
		for i := range size {
			end := tuned(record.CandidateID(60+i), record.Root, 1)
			if i < tt.failed {
				end.Value = math.Inf(-1)
			}
			h.Ended(end, agent.GenerationTag(0))
		}
		if rests := h.Evolving() == nil; rests != tt.rests {
			t.Errorf("%s: of %d samples %d failed, and it rests: %v", tt.name, size, tt.failed, rests)
		}
	}
}
