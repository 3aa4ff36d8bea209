// Package tuitest has a lively experiment that never ran: a snapshot, a
// reader and a controller for tests and pictures of the console.
//
// Its nouns are [Snapshot], [Reader] and [Controller]. All is made from fixed
// numbers, so that the same call gives the same picture.
package tuitest

import (
	"crypto/sha1"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

var now = time.Date(2026, 3, 14, 14, 2, 30, 0, time.UTC)

// Now returns the time at which every fixture lives.
func Now() time.Time { return now }

func hash(n int) record.Hash { return record.Hash(sha1.Sum(fmt.Append(nil, "commit ", n))) }

func at(ago time.Duration) record.Millis { return record.Millis(now.Add(-ago).UnixMilli()) }

// F returns a pointer to v.
func F(v float64) *float64 { return &v }

const (
	rootValue = 2.1602
	bestValue = 2.4131
)

// Snapshot returns a running experiment with a grid of n x n niches.
func Snapshot(n int) *view.Snapshot {
	s := &view.Snapshot{
		Version: 7, Fold: 900, State: record.ExperimentRunning, Direction: "maximize", Objective: "sum_radii",
		Rung: "1 namespaces", Owner: true, Evals: 612, WallMS: 1_640_000, PerMinute: 12.4, ETA: 13 * time.Minute, OwnMS: 11.4,
		At:         now,
		Experiment: record.Experiment{ID: 1, Name: "circle-packing", Repository: "~/src/packing", Branch: "main", RootCommit: hash(0), Seed: 1, Strict: true, Lookahead: 8, Objective: 1},
		Settings:   record.Settings{Workers: 2, MaxJobs: 500, MaxCostUSD: 5, Review: "risky", ReviewNiche: "off", Goal: "Pack 26 circles into the unit square so that the sum of their radii is largest.", Constraints: []string{"keep the signature of solve()", "no new dependencies"}, Acceptance: []string{"all circles inside, none overlap"}, Inspirations: 2, Challenge: new(2), Depth: new(16), Remeasure: F(0.05), Operators: map[string]float64{"tune": 0.4, "mutate": 0.3, "crossover": 0.2, "rewrite": 0.1}, Agents: map[string]float64{"offline": 0.8, "chat": 0.2}},
		Root:       view.Standing{ID: 0, Commit: hash(0), Objective: rootValue, Samples: 5, Cell: -1, At: at(27 * time.Minute)},
		Jobs:       view.Counts{Queued: 3, Running: 2, Held: 2, Placed: 97, Scored: 219, Failed: 9, Duplicate: 14, Rejected: 2, Max: 500},
		Usage:      record.Usage{Requests: 41, InputTokens: 812_000, OutputTokens: 96_000, CostUSD: F(1.32)},
	}
	s.Grid = grid(n)
	best := cellOf(n, n*9/16, n*5/16)
	s.Best = view.Standing{ID: 298, Commit: hash(298), Objective: bestValue, Samples: 3, Percent: 11.7, Claim: evidence.Certain(bestValue, rootValue, false), Cell: best, At: at(2 * time.Minute)}
	s.Running = running()
	s.Recent = recent(best)
	s.Review = review(n)
	s.Curves = curves(330)
	s.Failures = []view.FailureGroup{
		{Class: record.ClassTest, Reason: "circles 4 and 19 overlap", Count: 5, Sample: 339, Course: []int{0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 2}, Cure: "the repair operator gets these; add the overlap rule to the goal"},
		{Class: record.ClassTimeout, Reason: "stage full took longer than 10s", Count: 3, Sample: 287, Course: []int{2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, Cure: "raise evaluator.timeout or add a quick stage that rejects slow ones"},
		{Class: record.ClassAgent, Reason: "answer held no edit block", Count: 1, Sample: 240, Course: []int{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, Cure: "look at the transcript of #240"},
	}
	s.Operators = []view.Yield{
		{Name: "tune", Weight: 0.4, Tries: 160, Scored: 158, Improved: 52, Best: 9, Boost: 1},
		{Name: "mutate", Weight: 0.3, Tries: 98, Scored: 92, Improved: 27, Best: 3, Boost: 1},
		{Name: "crossover", Weight: 0.2, Tries: 61, Scored: 60, Improved: 16, Best: 2, Boost: 1},
		{Name: "rewrite", Weight: 0.1, Tries: 22, Scored: 19, Improved: 2, Best: 1, CostUSD: F(1.32), Boost: 1},
	}
	s.Agents = []view.Yield{{Name: "offline", Weight: 0.8, Tries: 300, Scored: 291, Improved: 90, Best: 13, Boost: 1}, {Name: "chat", Weight: 0.2, Tries: 41, Scored: 38, Improved: 7, Best: 2, CostUSD: F(1.32), Boost: 1}}
	s.Targets = []view.Yield{{Name: "solver", Weight: 1, Tries: 250, Scored: 240, Improved: 80, Best: 12, Boost: 2}, {Name: "layout", Weight: 1, Tries: 91, Scored: 89, Improved: 17, Best: 3, Frozen: true, Boost: 1}}
	s.Decisions = decisions()
	s.Notes = []record.Note{
		{ID: 1, Kind: "long", Text: "Hexagonal starts beat square ones once more than 20 circles are placed.", Author: "reflection", At: at(9 * time.Minute)},
		{ID: 2, Kind: "failure", Target: "solver", Text: "Shrinking every radius by a constant keeps validity but never wins a niche.", Author: "ada", At: at(4 * time.Minute)},
	}
	s.Log = logLines()
	return s
}

// Noisy returns the same experiment with values that vary: of the root, the best and every
// seventh elite samples are held out, and of nobody else.
func Noisy(n int) *view.Snapshot {
	s := Snapshot(n)
	s.Noisy = true
	root := evidence.Summary{N: 16, Mean: rootValue, Dev: 0.02}
	claim := func(value float64) evidence.Claim {
		return evidence.Judge(evidence.Question{Candidate: evidence.Summary{N: 16, Mean: value, Dev: 0.02}, Root: root, Enough: 16})
	}
	s.Root.Claim = claim(rootValue)
	s.Best.Claim = claim(bestValue - 0.0033)
	s.Best.Percent = view.ClaimPercent(s.Best.Claim)
	for i := range s.Curves.Best {
		s.Curves.Best[i] -= 0.0033
	}
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		if c.Elite == s.Best.ID {
			c.Claim = &s.Best.Claim
		} else if i%7 == 3 {
			told := claim(c.Objective - 0.01)
			c.Claim = &told
		} else {
			s.Grid.Unconfirmed++
		}
	}
	for i := range s.Recent {
		if s.Recent[i].Best {
			s.Recent[i].Claim = &s.Best.Claim
		}
	}
	return s
}

// Loading returns the first snapshot of all: nothing is known.
func Loading() *view.Snapshot {
	return &view.Snapshot{Loading: true, Root: view.Standing{ID: record.NoCandidate, Cell: -1}, Best: view.Standing{ID: record.NoCandidate, Cell: -1}}
}

func cellOf(n, x, y int) int { return x*n + y }

// grid is a hill with two shoulders; its slopes are filled, its corners empty.
func grid(n int) view.Grid {
	rng := rand.New(rand.NewPCG(1, 2))
	g := view.Grid{Dims: []int{n, n}, Total: n * n, QD: 211.4, QDNorm: 0.61, Mean: 2.291, Map: 3, Axes: []view.Axis{
		{Name: "spread", Edges: edges(n, 0.04, 0.18)}, {Name: "largest", Edges: edges(n, 0.05, 0.95)},
	}}
	id := 1
	for x := range n {
		for y := range n {
			dx, dy := float64(x)/float64(n)-0.57, float64(y)/float64(n)-0.34
			ex, ey := float64(x)/float64(n)-0.3, float64(y)/float64(n)-0.6
			h := math.Exp(-(dx*dx+dy*dy)/0.045) + 0.55*math.Exp(-(ex*ex+ey*ey)/0.03)
			if h < 0.16+0.1*rng.Float64() {
				continue
			}
			v := rootValue + (bestValue-rootValue)*math.Min(0.995, h*(0.9+0.1*rng.Float64()))
			c := view.Cell{Index: cellOf(n, x, y), Elite: record.CandidateID(id % 297), Objective: v, Adjusted: v, Samples: 1 + id%3, MAD: 0.001 * rng.Float64(), Tries: 1 + rng.IntN(9), Since: at(time.Duration(id) * time.Second), Fold: rng.IntN(325), Boost: 1}
			id++
			mark(&c, n, x, y)
			g.Cells = append(g.Cells, c)
			g.Filled++
		}
	}
	g.Coverage = float64(g.Filled) / float64(g.Total)
	return g
}

func mark(c *view.Cell, n, x, y int) {
	switch {
	case x == n*9/16 && y == n*5/16:
		c.Elite, c.Objective, c.Adjusted, c.Tries, c.Fold, c.MAD, c.Samples = 298, bestValue, bestValue, 6, 329, 0.0007, 3
	case x == n*7/16 && y == n*5/16:
		c.Running = 1
	case x == n*5/16 && y == n*9/16:
		c.Frozen = true
	case x == n*8/16 && y == n*3/16:
		c.Boost = 2
	case x == n*8/16 && y == n*6/16:
		c.Waiting = 1
	}
}

func edges(n int, lo, hi float64) []float64 {
	out := make([]float64, n+1)
	for i := range out {
		out[i] = lo + (hi-lo)*float64(i)/float64(n)
	}
	return out
}

func job(id int, op record.Operator, parent int, state record.JobState) record.Job {
	return record.Job{ID: record.JobID(id), Kind: record.Make, State: state, Operator: op, Agent: "offline", Parent: record.CandidateID(parent), Candidate: record.CandidateID(id), Duplicate: record.NoCandidate, Attempt: 1, EditMS: 3, EvalMS: 410, OwnMS: 11, Created: at(20 * time.Second), Started: at(10 * time.Second), Ended: at(time.Duration(342-id) * time.Second)}
}

func running() []view.Running {
	a, b := job(342, record.OpCrossover, 298, record.Evaluating), job(343, record.OpTune, 12, record.Editing)
	a.Inspirations = []record.CandidateID{211}
	b.Candidate = record.NoCandidate
	return []view.Running{
		{Job: a, Stage: "measuring full 1/2", Since: now.Add(-300 * time.Millisecond), Started: now.Add(-1200 * time.Millisecond)},
		{Job: b, Stage: "editing", Since: now.Add(-80 * time.Millisecond), Started: now.Add(-80 * time.Millisecond)},
	}
}

func recent(best int) []view.Ended {
	out := []view.Ended{
		{Job: job(341, record.OpTune, 271, record.Placed), Objective: F(bestValue), Delta: F(0.0042), Cell: best, From: 271, Best: true},
		{Job: job(340, record.OpMutate, 40, record.Placed), Objective: F(2.2810), Delta: F(0.0190), Cell: best - 7, From: record.NoCandidate},
		{Job: job(339, record.OpCrossover, 290, record.Failed), Cell: -1, From: record.NoCandidate},
		{Job: job(338, record.OpTune, 290, record.Duplicate), Cell: -1, From: record.NoCandidate},
		{Job: job(337, record.OpTune, 255, record.Scored), Objective: F(2.3021), Delta: F(-0.0088), Cell: -1, From: record.NoCandidate},
		{Job: job(336, record.OpRewrite, 0, record.Scored), Objective: F(2.1999), Delta: F(0.0397), Cell: -1, From: record.NoCandidate},
	}
	out[2].Job.Class, out[2].Job.Reason = record.ClassTest, "circles 4 and 19 overlap"
	out[3].Job.Candidate, out[3].Job.Duplicate = record.NoCandidate, 290
	for i := range 40 {
		e := view.Ended{Job: job(335-i, record.OpTune, 200+i, record.Scored), Objective: F(2.3 - 0.002*float64(i)), Delta: F(-0.001 * float64(i)), Cell: -1, From: record.NoCandidate}
		if i%3 == 1 {
			e.Job.State, e.Job.Operator, e.Cell, e.Delta = record.Placed, record.OpMutate, best-i, F(0.003)
		}
		out = append(out, e)
	}
	return out
}

func review(n int) []view.Held {
	c := Candidate(281)
	c.Status, c.Objective, c.Added, c.Removed = record.StatusHeld, F(2.4029), 12, 3
	d := Candidate(288)
	d.Status, d.Operator, d.Agent, d.Objective, d.Added, d.Removed = record.StatusHeld, record.OpRewrite, "chat", F(2.4050), 61, 44
	d.Intent = "start from a hexagonal grid and relax with a spring model"
	return []view.Held{
		{Job: job(281, c.Operator, 255, record.Held), Candidate: c, Before: "its niche", Cell: cellOf(n, n/2, n/4), From: 133, Parent: F(2.3980), Findings: []string{"touches a file nobody touched before: layout.py"}},
		{Job: job(288, d.Operator, 255, record.Held), Candidate: d, Before: "its niche", Cell: cellOf(n, n/2, n*6/16), From: record.NoCandidate, Parent: F(2.3980)},
	}
}

// Candidate returns a candidate of the experiment.
func Candidate(id int) record.Candidate {
	lower := false
	return record.Candidate{
		ID: record.CandidateID(id), Job: record.JobID(id), Commit: hash(id), Tree: hash(-id),
		Parents:  []record.ParentRef{{ID: record.CandidateID(max(0, id-26)), Role: record.RoleParent}, {ID: 211, Role: record.RoleCrossover}},
		Operator: record.OpMutate, Agent: "offline", Target: "solver", Intent: "let the outer ring breathe before the inner one settles",
		Added: 12, Removed: 3, Files: 2, Status: record.StatusScored, Objective: F(2.4029), MAD: 0.0007, Samples: 3, Claimed: F(2.4011), ClaimedSamples: 2, Version: 1,
		Metrics: []record.Metric{{Name: "sum_radii", Value: 2.4029}, {Name: "time_ms", Value: 312.5, Unit: "ms", Higher: &lower}, {Name: "spread", Value: 0.11}},
		Created: at(2 * time.Minute),
	}
}

func curves(n int) view.Curves {
	rng := rand.New(rand.NewPCG(3, 4))
	c := view.Curves{Marks: []view.Mark{{X: 64, At: at(20 * time.Minute), Text: "map 2"}, {X: 190, At: at(9 * time.Minute), Text: "map 3"}}}
	best, mean := rootValue, rootValue
	c.Reigns = []view.Reign{{X: 0, At: at(time.Duration(n) * 5 * time.Second), ID: record.Root}}
	for i := range n {
		if rng.Float64() < 0.07 {
			best += (bestValue - best) * 0.25
			c.Reigns = append(c.Reigns, view.Reign{X: i, At: at(time.Duration(n-i) * 5 * time.Second), ID: record.CandidateID(i)})
		}
		mean += (best*0.95+rootValue*0.05-0.03-mean)*0.01 + 0.002*(rng.Float64()-0.5)
		c.X = append(c.X, i)
		c.At = append(c.At, at(time.Duration(n-i)*5*time.Second))
		c.Best = append(c.Best, best)
		c.Mean = append(c.Mean, mean)
		c.QD = append(c.QD, 211.4*(1-math.Exp(-float64(i)/110)))
		c.Coverage = append(c.Coverage, 0.38*(1-math.Exp(-float64(i)/90)))
	}
	c.Best[n-1], c.QD[n-1] = bestValue, 211.4
	c.Reigns[len(c.Reigns)-1].ID = 298
	return c
}

func decisions() []record.Decision {
	return []record.Decision{
		{Seq: 880, At: at(time.Minute), Who: "ada", Verb: record.Boost, Candidate: 133, Job: record.NoJob, Cell: 131, Value: 2},
		{Seq: 871, At: at(3 * time.Minute), Who: "ada", Verb: record.Restore, Candidate: 190, Job: 190, Cell: -1, Undoes: 860},
		{Seq: 860, At: at(4 * time.Minute), Who: "ada", Verb: record.Reject, Candidate: 190, Job: 190, Cell: -1, Text: "games the metric"},
		{Seq: 512, At: at(11 * time.Minute), Who: "ada", Verb: record.Freeze, Candidate: 77, Job: record.NoJob, Cell: 89},
	}
}

func logLines() []view.LogLine {
	texts := []struct {
		level string
		job   record.JobID
		text  string
	}{
		{"info", 330, "c330 scored 2.3011, no niche"},
		{"info", 331, "c331 takes (7,4) from c208"},
		{"warn", 332, "stage full took 8.1 s of 10 s"},
		{"info", 333, "c333 scored 2.2876, no niche"},
		{"info", -1, "map 3: 6 % of the candidates moved, captured 71 %"},
		{"info", 335, "c335 is a duplicate of c290"},
		{"info", 337, "c337 scored 2.3021, no niche"},
		{"info", 338, "#338 is a duplicate of c290"},
		{"error", 339, "#339 failed in test: circles 4 and 19 overlap"},
		{"debug", 340, "lease of #340 renewed"},
		{"info", 340, "c340 takes the empty (3,11)"},
		{"info", 341, "c341 takes (9,5) from c271: new best 2.4131"},
	}
	var out []view.LogLine
	for i, t := range texts {
		out = append(out, view.LogLine{N: uint64(i + 1), At: now.Add(time.Duration(i-len(texts)) * 3 * time.Second), Level: t.level, Job: t.job, Text: t.text})
	}
	return out
}
