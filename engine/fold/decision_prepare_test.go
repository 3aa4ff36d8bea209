package fold

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"atoll/config"
	"atoll/store/record"
)

// crowded is a story of a root and three elites in niches 0, 5 and 9; c4 lost to
// the one in 5.
func crowded(t *testing.T, change ...func(*record.Experiment, *config.Config)) *story {
	t.Helper()
	s := begin(t, change...)
	s.measured(0, 1, 0.05)
	s.measured(1, 3, 0.55)
	s.measured(2, 2, 0.95)
	s.measured(3, 2.5, 0.52)
	return s
}

func about(verb record.Verb, change func(*record.Decision)) record.Decision {
	d := record.NewDecision(verb)
	d.Who = "ada"
	if change != nil {
		change(&d)
	}
	return d
}

func candidate(id record.CandidateID) func(*record.Decision) {
	return func(d *record.Decision) { d.Candidate = id }
}

func cell(at int, value float64) func(*record.Decision) {
	return func(d *record.Decision) { d.Cell, d.Value = at, value }
}

func value(v float64) func(*record.Decision) {
	return func(d *record.Decision) { d.Value = v }
}

func target(name string, value float64) func(*record.Decision) {
	return func(d *record.Decision) { d.Text, d.Value = name, value }
}

func setting(args string) func(*record.Decision) {
	return func(d *record.Decision) { d.Args = json.RawMessage(args) }
}

func TestWhatCannotBeDecidedIsRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct {
		name string
		d    record.Decision
		says string
	}{
		{"a candidate that is not there", about(record.Reject, candidate(77)), "no candidate c77"},
		{"the root is not rejected", about(record.Reject, candidate(0)), "compared with"},
		{"nothing to restore", about(record.Restore, candidate(1)), "not rejected"},
		{"nothing to approve", about(record.Approve, candidate(1)), "does not wait"},
		{"nothing to unpin", about(record.Unpin, candidate(1)), "not pinned"},
		{"a niche that nobody holds", about(record.Freeze, cell(7, 0)), "nobody holds"},
		{"the niche of a candidate that has none", about(record.Boost, func(d *record.Decision) { d.Candidate, d.Value = 9, 2 }), "no candidate c9"},
		{"a boost by nothing", about(record.Boost, cell(5, 0)), "above 0"},
		{"a boost against the search", about(record.Boost, cell(5, -2)), "above 0"},
		{"a boost beyond its bound", about(record.Boost, cell(5, 101)), "at most 100"},
		{"a priority that is no whole number", about(record.Prioritise, value(1.5)), "a whole number from -1000000 to 1000000, not 1.5"},
		{"a priority beyond its bound", about(record.Prioritise, value(1e30)), "whole number"},
		{"a priority that is no number", about(record.Prioritise, value(math.NaN())), "whole number"},
		{"a boost by what is no number", about(record.Boost, cell(5, math.NaN())), "above 0"},
		{"a target's boost by what is no number", about(record.Boost, target("parser", math.NaN())), "above 0"},
		{"a niche that is as it is", about(record.Release, cell(5, 0)), "neither frozen nor boosted"},
		{"a target that is as it is", about(record.Release, target("parser", 0)), "neither frozen nor boosted"},
		{"a target that is none", about(record.Freeze, target("lexer", 0)), `no target "lexer"`},
		{"a note without a word", about(record.WriteNote, setting(`{"text":"  "}`)), "needs a text"},
		{"a setting without a key", about(record.Set, setting(`{"value":"3"}`)), "a key and a value"},
		{"a setting that is fixed", about(record.Set, setting(`{"key":"seed","value":"3"}`)), "fixed when an experiment starts"},
		{"workers that are none", about(record.Set, setting(`{"key":"workers","value":"0"}`)), "between 1 and 1024"},
		{"workers in words", about(record.Set, setting(`{"key":"workers","value":"many"}`)), "does not fit"},
		{"a budget below nothing", about(record.Set, setting(`{"key":"budget.jobs","value":"-1"}`)), "not below 0; 0 is no limit"},
		{"more inspirations than are shown", about(record.Set, setting(`{"key":"search.inspirations","value":"33"}`)), "between 0 and 32"},
		{"a second setting behind the first", about(record.Set, setting(`{"key":"workers","value":"2,\"max_jobs\":9"}`)), "does not fit"},
		{"a review of a kind that is none", about(record.Set, setting(`{"key":"review.niche","value":"some"}`)), "off, risky or all"},
		{"a resumption of what runs", about(record.Resume, nil), "runs already"},
		{"a new map where the axes are named", about(record.Refit, nil), "named axes"},
		{"targets of a mapper that is nobody", about(record.StartJob, setting(`{"Kind":"assist","Purpose":"map"}`)), "nobody is the mapper"},
		{"a job from a candidate that has no value", about(record.StartJob, setting(`{"Parent":99}`)), "no candidate c99"},
		{"an agent that nobody is", about(record.StartJob, setting(`{"Parent":1,"Agent":"nobody"}`)), `no agent "nobody"; there are offline`},
		{"an operator that is none", about(record.StartJob, setting(`{"Parent":1,"Operator":"dance"}`)), `no operator "dance"; there are seed, tune`},
		{"what the built-in agent makes by another operator", about(record.StartJob, setting(`{"Parent":1,"Operator":"idiom"}`)), "(docs/agents.md: what the built-in agent makes by which)"},
		{"what a person made is no operator to ask for", about(record.StartJob, setting(`{"Parent":1,"Operator":"manual"}`)), "no operator"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := crowded(t, func(_ *record.Experiment, cfg *config.Config) {
				cfg.Targets = []config.Target{{Name: "parser", Files: []string{"parse.go"}, Weight: 1}}
				cfg.Roles.Mapper = ""
			})
			_, err := s.st.Prepare(c.d)
			if !errors.Is(err, ErrDecision) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Every decision that can be taken back is, by its own inverse, and done again by
// the inverse of that.
func TestTheInverseOfADecisionRestoresWhatWas(t *testing.T) {
	for _, c := range []struct {
		name  string
		first []record.Decision // made before
		d     record.Decision
	}{
		{"a rejection", nil, about(record.Reject, candidate(1))},
		{"a restoration", []record.Decision{about(record.Reject, candidate(1))}, about(record.Restore, candidate(1))},
		{"a freeze", nil, about(record.Freeze, cell(5, 0))},
		{"a boost", nil, about(record.Boost, cell(5, 4))},
		{"a boost of what was boosted", []record.Decision{about(record.Boost, cell(5, 2))}, about(record.Boost, cell(5, 4))},
		{"a release of a freeze", []record.Decision{about(record.Freeze, cell(5, 0))}, about(record.Release, cell(5, 0))},
		{"a release of a boost", []record.Decision{about(record.Boost, cell(5, 3))}, about(record.Release, cell(5, 0))},
		{"a release of both", []record.Decision{about(record.Freeze, cell(5, 0)), about(record.Boost, cell(5, 3))}, about(record.Release, cell(5, 0))},
		{"a target's freeze", nil, about(record.Freeze, target("parser", 0))},
		{"a target's boost", nil, about(record.Boost, target("parser", 5))},
		{"a release of a target that was both", []record.Decision{about(record.Freeze, target("parser", 0)), about(record.Boost, target("parser", 5))}, about(record.Release, target("parser", 0))},
		{"a pin", nil, about(record.Pin, candidate(2))},
		{"a setting", nil, about(record.Set, setting(`{"key":"workers","value":"7"}`))},
		{"a budget of time", nil, about(record.Set, setting(`{"key":"budget.wall","value":"90m"}`))},
		{"a goal that looks like JSON", nil, about(record.Set, setting(`{"key":"goal","value":"{1, 2}"}`))},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := crowded(t, func(_ *record.Experiment, cfg *config.Config) {
				cfg.Targets = []config.Target{{Name: "parser", Files: []string{"parse.go"}, Weight: 1}}
			})
			follow := func(d record.Decision) {
				t.Helper()
				s.decide(d)
				if d.Verb == record.Set { // the owner of the log writes them
					var err error
					if s.st.Settings, err = MergeSetting(s.st.Settings, d.Args); err != nil {
						t.Fatal(err)
					}
				}
			}
			do := func(d record.Decision) record.Decision {
				t.Helper()
				d, err := s.st.Prepare(d)
				if err != nil {
					t.Fatal(err)
				}
				follow(d)
				return d
			}
			for _, d := range c.first {
				do(d)
			}
			was := s.steered()
			made := do(c.d)
			now := s.steered()
			if made.Inverse == nil || now == was {
				t.Fatalf("it changes nothing, or cannot be taken back:\n%s", now)
			}
			follow(*made.Inverse)
			if got := s.steered(); got != was {
				t.Errorf("taken back it is\n%s\nnot\n%s", got, was)
			}
			do(c.d)
			if got := s.steered(); got != now {
				t.Errorf("done again it is\n%s\nnot\n%s", got, now)
			}
		})
	}
}

// steered is all that people can change of a story.
func (s *story) steered() string {
	boosts := []float64{}
	for c := range 10 {
		boosts = append(boosts, s.st.Archive().BoostOf(c, s.st.FoldCount()))
	}
	target := s.st.Decided.boosts["parser"]
	if target == 1 {
		target = 0 // no boost, told or not
	}
	pinned := []record.CandidateID{}
	for id, on := range s.st.Decided.pinned {
		if on {
			pinned = append(pinned, id)
		}
	}
	return string(data(map[string]any{
		"elites": s.elites(), "best": s.st.Best, "frozen": s.st.Archive().Frozen(), "removed": s.st.Archive().Removed(), "boosts": boosts,
		"target frozen": s.st.Decided.frozen["parser"], "target boost": target, "pinned": pinned, "settings": s.st.Settings,
	}))
}

func TestTheRunnerUpTakesTheNicheOfARejectedElite(t *testing.T) {
	s := crowded(t)
	if got := s.elites(); got != "0:c0 5:c1 9:c2" || s.st.Best != 1 {
		t.Fatalf("at first %s, the best is %s", got, s.st.Best)
	}
	s.decide(about(record.Reject, candidate(1)))
	if got := s.elites(); got != "0:c0 5:c3 9:c2" || s.st.Best != 3 {
		t.Errorf("without c1: %s, the best is %s", got, s.st.Best)
	}
	s.decide(about(record.Reject, candidate(3)))
	if got := s.elites(); got != "0:c0 9:c2" || s.st.Best != 2 {
		t.Errorf("without both: %s, the best is %s", got, s.st.Best)
	}
	s.decide(about(record.Restore, candidate(1)))
	if got := s.elites(); got != "0:c0 5:c1 9:c2" || s.st.Best != 1 {
		t.Errorf("with c1 again: %s, the best is %s", got, s.st.Best)
	}
}

func TestAFreezeBeforeTheRootIsMeasuredHoldsThen(t *testing.T) {
	s := begin(t)
	s.decide(about(record.Freeze, candidate(0)))
	if s.st.Archive() != nil {
		t.Fatal("there is an archive without a root")
	}
	s.measured(0, 1, 0.05)
	if !s.st.Archive().IsFrozen(0) {
		t.Error("the root is not frozen")
	}
	s.measured(1, 3, 0.05)
	if got := s.elites(); got != "0:c0" || s.st.Best != 1 {
		t.Errorf("a better one in the frozen niche: %s, the best is %s", got, s.st.Best)
	}
}

func TestABoostStaysWithItsNiche(t *testing.T) {
	for _, c := range []struct {
		name string
		tell func(s *story, boost record.Decision)
	}{
		{"where there is no archive yet", func(s *story, boost record.Decision) {
			s.decide(boost)
			s.measured(0, 1, 0.05)
			s.measured(1, 3, 0.55)
		}},
		{"and its holder is new to the archive", func(s *story, boost record.Decision) {
			s.measured(0, 1, 0.05)
			s.decide(boost)
			s.measured(1, 3, 0.55)
		}},
		{"where the cell of old is another's on the map of now", func(s *story, boost record.Decision) {
			s.measured(0, 1, 0.05)
			s.measured(1, 3, 0.55)
			boost.Cell = 0
			s.decide(boost)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := crowded(t)
			boost, err := first.st.Prepare(about(record.Boost, cell(5, 4)))
			if err != nil {
				t.Fatal(err)
			}
			s := begin(t)
			c.tell(s, boost)
			if got := s.st.Archive().BoostOf(5, s.st.FoldCount()); got != 4 {
				t.Errorf("niche 5 is boosted x%v", got)
			}
			if got := s.st.Archive().BoostOf(0, s.st.FoldCount()); got != 1 {
				t.Errorf("niche 0 is boosted x%v", got)
			}
		})
	}
}

func TestAStreakCountsWhatFailsAlike(t *testing.T) {
	for _, c := range []struct {
		name    string
		weights []int
		reason  func(i int) string
		at      int // how many it takes; 0: it never is enough
	}{
		{"the same reason", []int{1}, func(int) string { return "no such file" }, BreakAfter},
		{"figures do not matter", []int{1}, func(i int) string { return "line " + strings.Repeat("1", i+1) }, BreakAfter},
		{"evaluators count more", []int{BreakAfter / 4}, func(int) string { return "bad" }, 4},
		{"other reasons begin anew", []int{1}, func(i int) string { return []string{"bad", "worse"}[i%2] }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Streak
			at := 0
			for i := range 3 * BreakAfter {
				if s.Add(record.ClassTest, c.reason(i), c.weights[0]) && at == 0 {
					at = i + 1
				}
			}
			if at != c.at {
				t.Errorf("enough after %d, want %d", at, c.at)
			}
		})
	}
}
