package tuitest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// Reader answers every question of the console from fixed data.
type Reader struct{ Snap *view.Snapshot }

// Job returns a finished make job with texts of all kinds.
func (r *Reader) Job(_ context.Context, id record.JobID) (view.JobDetail, error) {
	j := job(int(id), record.OpRewrite, 255, record.Placed)
	j.Why = "c255 is 1 of 82 elites, boosted x2; rewrite with chance 0.10; agent chat with chance 0.20"
	j.Agent, j.Usage = "chat", record.Usage{Requests: 2, InputTokens: 18_400, OutputTokens: 2_210, CostUSD: F(0.0312)}
	c, p := Candidate(int(id)), Candidate(255)
	p.Objective = F(2.3980)
	t := func(ms int64) record.Millis { return at(30*time.Second) + record.Millis(ms) }
	var run strings.Builder
	for i := range 80 {
		fmt.Fprintf(&run, "iteration %3d  sum_radii %.4f  overlaps %d\n", i, 2.1+0.0037*float64(i), max(0, 12-i/4))
	}
	return view.JobDetail{
		Job: j, Candidate: &c, Parent: &p,
		Stages: []view.StageSpan{
			{Attempt: 1, Name: "queued", Started: t(0), Ended: t(120)},
			{Attempt: 1, Name: "editing", Started: t(120), Ended: t(9120), Note: "2 requests"},
			{Attempt: 1, Name: "gate", Started: t(9120), Ended: t(9124), Note: "1 finding"},
			{Attempt: 1, Name: "measuring quick", Started: t(9124), Ended: t(9324)},
			{Attempt: 1, Name: "measuring full", Started: t(9324), Ended: t(10424), Note: "2.4029"},
		},
		Findings: []view.GateFinding{{Rule: "new-file", Path: "layout.py", Text: "nobody touched it before"}},
		Evidence: []record.Evidence{
			{Job: id, Attempt: 1, Kind: "prompt", Text: []byte("You improve solver.py.\n\nGoal: pack 26 circles so that the sum of radii is largest.\nThe parent reaches 2.3980.\n")},
			{Job: id, Attempt: 1, Kind: "transcript", Text: []byte("I will start from a hexagonal grid.\n<edit path=\"solver.py\">...</edit>\n")},
			{Job: id, Attempt: 1, Kind: "evaluation", Text: []byte(run.String())},
			{Job: id, Attempt: 1, Kind: "gate", Text: []byte("new-file layout.py: nobody touched it before\n")},
		},
	}, nil
}

// Jobs returns the jobs of the snapshot that fit the states.
func (r *Reader) Jobs(_ context.Context, q view.JobQuery) ([]view.JobLine, error) {
	var out []view.JobLine
	keep := func(l view.JobLine) {
		if len(q.States) == 0 || slices.Contains(q.States, l.Job.State) {
			out = append(out, l)
		}
	}
	for i := len(r.Snap.Running) - 1; i >= 0; i-- {
		keep(view.JobLine{Job: r.Snap.Running[i].Job})
	}
	for _, e := range r.Snap.Recent {
		keep(view.JobLine{Job: e.Job, Objective: e.Objective})
	}
	return out, nil
}

// Candidate returns a candidate with parent and root.
func (r *Reader) Candidate(_ context.Context, id record.CandidateID) (view.CandidateDetail, error) {
	if id < 0 {
		return view.CandidateDetail{}, errors.New("no such candidate")
	}
	c, p, root := Candidate(int(id)), Candidate(255), Candidate(0)
	p.Metrics = []record.Metric{{Name: "sum_radii", Value: 2.3980}, {Name: "time_ms", Value: 340}}
	root.Metrics = []record.Metric{{Name: "sum_radii", Value: rootValue}, {Name: "time_ms", Value: 120}}
	root.Parents = nil
	if id < 281 { // each has values of its own
		x := float64(id) / 300
		c.Objective, c.MAD = F(rootValue+(bestValue-rootValue)*x), 0.0004
		c.Metrics[0].Value, c.Metrics[1].Value = *c.Objective, 120+640*x
	}
	if id == record.Root {
		c.Parents, c.Operator, c.Intent = nil, record.OpSeed, ""
	}
	detail := view.CandidateDetail{
		Candidate: c, Job: job(int(id), c.Operator, 255, record.Placed), Parent: &p, Root: &root, Cell: 149, Percent: 11.2, Boost: 1, Depth: 14,
		Children: []record.CandidateID{300, 311, 320},
		Samples: []record.Sample{
			{Candidate: id, Objective: 2.4029, WallMS: 1100}, {Candidate: id, Repeat: 1, Objective: 2.4036, WallMS: 1090}, {Candidate: id, Repeat: 2, HeldOut: true, Objective: 2.4011, WallMS: 1120},
		},
		Findings: []view.GateFinding{{Rule: "new-file", Path: "layout.py", Line: 2, Text: "nobody touched it before"}},
	}
	if r.Snap.Noisy {
		detail.Claim, detail.Percent = evidence.Claim{Word: evidence.Unconfirmed, Value: *c.Objective}, math.NaN()
		if id == r.Snap.Best.ID {
			detail.Claim, detail.Percent = r.Snap.Best.Claim, r.Snap.Best.Percent
		}
	}
	return detail, nil
}

// Candidates returns a page of candidates.
func (r *Reader) Candidates(_ context.Context, q view.CandidateQuery) ([]record.Candidate, error) {
	var out []record.Candidate
	for i := range 60 {
		c := Candidate(341 - i)
		c.Objective = F(2.4131 - 0.003*float64(i%17))
		if i%9 == 4 {
			c.Status, c.Objective, c.Class, c.Reason = record.StatusFailed, nil, record.ClassTest, "circles 4 and 19 overlap"
		}
		out = append(out, c)
	}
	return out, nil
}

// Claims tells what is held out of the candidates that the snapshot tells of.
func (r *Reader) Claims(_ context.Context, ids []record.CandidateID) (view.Claims, error) {
	out := view.Claims{}
	for i := range r.Snap.Grid.Cells {
		if c := &r.Snap.Grid.Cells[i]; c.Claim != nil && slices.Contains(ids, c.Elite) {
			out[c.Elite] = c.Claim
		}
	}
	return out, nil
}

// Metrics returns what the evaluator reports beside the objective: the time falls
// while the spread wanders, and the first candidates have no spread.
func (r *Reader) Metrics(_ context.Context, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	out := make(map[record.CandidateID][]record.Metric, len(ids))
	for _, id := range ids {
		lower, x := false, float64(id)/300
		m := []record.Metric{{Name: "sum_radii", Value: rootValue + (bestValue-rootValue)*x}, {Name: "time_ms", Value: 340 - 30*x - 25*math.Sin(9*x), Unit: "ms", Higher: &lower}}
		if id == record.Root || id > 60 {
			m = append(m, record.Metric{Name: "spread", Value: 0.02*math.Cos(5*x) - 0.01})
		}
		out[id] = m
	}
	return out, nil
}

// Diff returns a small difference of two files.
func (r *Reader) Diff(_ context.Context, a, b record.CandidateID, lines int) ([]view.FilePatch, error) {
	line := func(s string) view.PatchLine { return view.PatchLine{Kind: s[0], Text: s[1:]} }
	var many []view.PatchLine
	for i := range 40 {
		many = append(many, line(fmt.Sprintf("+    grid[%d] = ring(%d, start=%.3f)", i, i%7, float64(i)*0.125)))
	}
	return []view.FilePatch{
		{Path: "solver.py", OldMode: record.Regular, NewMode: record.Regular, Added: 6, Removed: 3, Hunks: []view.PatchHunk{
			{OldStart: 10, OldLines: 9, NewStart: 10, NewLines: 12, Lines: []view.PatchLine{
				line(" import math"), line(" "), line(" def relax(circles, steps=100):"), line("-    rate = 0.05"), line("+    # outer circles move first: they have room"),
				line("+    rate = 0.0725"), line("     for step in range(steps):"), line("-        for c in circles:"), line("-            c.move(rate)"), line("+        for c in sorted(circles, key=lambda c: -c.ring):"),
				line("+            c.move(rate * (1 + c.ring / 3))"), line("+        if overlap(circles) > 1e-9:"), line("+            circles = shrink(circles, \"largest\")"), line("     return circles"),
			}},
		}},
		{Path: "layout.py", OldMode: record.Deleted, NewMode: record.Regular, Added: 40, Hunks: []view.PatchHunk{{NewStart: 1, NewLines: 40, Lines: many}}},
		{Path: "logo.png", OldMode: record.Regular, NewMode: record.Regular, Binary: true},
	}, nil
}

func lineageNode(n, parent record.CandidateID, v float64) view.LineageNode {
	x := view.LineageNode{ID: n, Operator: record.OpTune, Agent: "offline", Status: record.StatusScored, Objective: F(v), Cell: -1, Intent: "tune two literals", At: at(time.Minute)}
	if parent >= 0 {
		x.Parents, x.Delta = []record.ParentRef{{ID: parent, Role: record.RoleParent}}, F(0.01)
	}
	if n == 298 {
		x.Operator, x.Delta = record.OpCrossover, F(0.0731)
		x.Parents = append(x.Parents, record.ParentRef{ID: 7, Role: record.RoleCrossover})
	}
	return x
}

// Front returns a front of five candidates and three cases.
func (r *Reader) Front(context.Context) (view.Front, error) {
	f := view.Front{Objectives: []view.FrontObjective{{Metric: "peak_mb", Direction: "minimize"}}, Cases: []string{"case_even", "case_odd", "case_ring"}, CaseDirection: "maximize", Root: []float64{24.5}}
	for i := range 5 {
		m := view.FrontMember{ID: record.CandidateID(290 + 2*i), Objective: rootValue + 0.05*float64(5-i), Samples: 3, Values: []float64{30 - 3*float64(i*i)/2}, On: true, Cell: 17 * (i + 1), Holds: i%2 == 0, Intent: "tune two literals"}
		if i > 2 {
			m.Leads = []view.FrontCase{{Case: i - 3, Value: 0.9}}
		}
		f.Members = append(f.Members, m)
	}
	f.Members[2].Leads = []view.FrontCase{{Case: 2, Value: 0.7}}
	return f, nil
}

// Survivors returns a family of forty with branches and crossovers.
func (r *Reader) Survivors(context.Context) (view.Lineage, error) {
	l := view.Lineage{Focus: record.Root, Ancestors: []view.LineageNode{lineageNode(0, record.NoCandidate, rootValue)}}
	for i := range 40 {
		n := record.CandidateID(7*i + 4)
		parent := record.Root
		if i > 0 {
			parent = record.CandidateID(7*(i*3/5) + 4)
			if i%5 == 0 {
				parent = record.CandidateID(7*(i-1) + 4)
			}
		}
		x := lineageNode(n, parent, rootValue+0.006*float64(i)-0.01*float64(i%4))
		x.Delta = F(*x.Objective - rootValue - 0.006*float64(i*3/5))
		if i%9 == 8 {
			x.Operator = record.OpCrossover
			x.Parents = append(x.Parents, record.ParentRef{ID: record.CandidateID(7*(i-6) + 4), Role: record.RoleCrossover})
		}
		l.Descendants = append(l.Descendants, x)
	}
	return l, nil
}

// Lineage returns a line of eight ancestors and a few descendants.
func (r *Reader) Lineage(_ context.Context, id record.CandidateID) (view.Lineage, error) {
	l := view.Lineage{Focus: id}
	node := lineageNode
	parent := record.NoCandidate
	for i := range 8 {
		n := record.CandidateID(i) * id / 8
		l.Ancestors = append(l.Ancestors, node(n, parent, 2.16+0.03*float64(i)))
		parent = n
	}
	l.Ancestors = append(l.Ancestors, node(id, parent, 2.4131))
	l.Descendants = []view.LineageNode{node(id+2, id, 2.39), node(id+5, id, 2.41), node(id+9, id+5, 2.40), node(id+11, id+5, 2.402)}
	l.Descendants[3].Parents = append(l.Descendants[3].Parents, record.ParentRef{ID: id + 2, Role: record.RoleCrossover})
	return l, nil
}

// Past returns the log of a hundred moments: the grid fills from its first niche
// to its last, and a person decided at every thirtieth.
func (r *Reader) Past(_ context.Context, moment int) (view.Past, error) {
	const n = 100
	if moment < 0 || moment >= n {
		moment = n - 1
	}
	s := *r.Snap
	s.Grid.Cells = s.Grid.Cells[:len(s.Grid.Cells)*(moment+1)/n]
	s.Grid.Filled, s.Jobs.Scored, s.Running, s.Fold = len(s.Grid.Cells), moment*2, nil, record.Seq(moment)
	p := view.Past{At: moment, Moments: n, Seq: record.Seq(moment), Snap: &s, First: at(50 * time.Minute), Last: at(0), Time: at(time.Duration(n-1-moment) * 30 * time.Second), Before: -1, After: -1}
	p.Decided = moment%30 == 29
	p.Said, p.Changed = []string{fmt.Sprintf("c%d scored 2.%d, no niche", moment*3, 1000+moment)}, nil
	if p.Decided {
		p.Said, p.Changed = []string{"ada: reject c190: games the metric"}, []string{"best c298 2.4131, was c190 2.4204", "c133 holds (8,4), was c190", "QD -0.02"}
	}
	if b := (moment+1)/30*30 - 1; b >= 0 && b < moment {
		p.Before = b
	} else if b >= 30 {
		p.Before = b - 30
	}
	if a := (moment+1)/30*30 + 29; a < n {
		p.After = a
	}
	return p, nil
}

// Odds gives every elite the same chance, and operators and agents that of their
// weights.
func (r *Reader) Odds(_ context.Context, draft record.Settings) (view.Odds, error) {
	o := view.Odds{Cells: map[int]float64{}, Operators: shares(draft.Operators), Agents: shares(draft.Agents), Targets: map[string]float64{"solver": 2.0 / 3, "": 1.0 / 3}}
	for i, c := range r.Snap.Grid.Cells {
		o.Cells[c.Index] = float64(1+i%5) / float64(3*len(r.Snap.Grid.Cells))
	}
	return o, nil
}

func shares(weights map[string]float64) map[string]float64 {
	out, sum := map[string]float64{}, 0.0
	for _, w := range weights {
		sum += w
	}
	for n, w := range weights {
		out[n] = w / max(sum, 1e-9)
	}
	return out
}

// NextPrompt returns a short text with the goal in it.
func (r *Reader) NextPrompt(_ context.Context, goal string) (view.NextPrompt, error) {
	return view.NextPrompt{Job: 344, Agent: "chat", Text: "You improve solver.py.\n\nGoal: " + goal + "\n\nThe parent reaches 2.3980 and lies in niche (9,4).\nAnswer with edits alone.\n"}, nil
}

// Niche returns a niche with its past.
func (r *Reader) Niche(ctx context.Context, cell int) (view.NicheDetail, error) {
	c, err := r.Candidate(ctx, 298)
	return view.NicheDetail{
		Cell: cell, Elite: &c, Tries: 6, Runners: []record.Candidate{Candidate(271), Candidate(250)},
		History: []view.Takeover{
			{At: at(2 * time.Minute), Candidate: 298, From: 271, Objective: bestValue, Delta: 0.0042, Why: "better"},
			{At: at(9 * time.Minute), Candidate: 271, From: record.NoCandidate, Objective: 2.4089, Delta: math.NaN(), Why: "new niche"},
		},
	}, err
}

// Decisions returns those of the snapshot.
func (r *Reader) Decisions(context.Context, int) ([]record.Decision, error) {
	return r.Snap.Decisions, nil
}

// Settings returns a few keys of each kind.
func (r *Reader) Settings(context.Context) ([]view.SettingInfo, error) {
	return []view.SettingInfo{
		{Key: "evaluator.command", Value: "python eval.py", Origin: "atoll.yaml:3", Doc: "Program and arguments."},
		{Key: "evaluator.timeout", Value: "10s", Default: "10m", Origin: "atoll.yaml:7", Doc: "Wall time of one run."},
		{Key: "run.workers", Value: "2", Default: "0", Origin: "--workers", Doc: "Jobs at a time.", Live: true},
		{Key: "budget.max_jobs", Value: "500", Default: "200", Origin: "set by ada 14:02", Doc: "Make jobs of the whole experiment.", Live: true},
		{Key: "review.before", Value: "risky", Default: "off", Origin: "atoll.yaml:22", Doc: "Which candidates wait for a person.", Live: true, Enum: []string{"off", "risky", "all"}},
		{Key: "console.palette", Value: "viridis", Default: "viridis", Origin: "default", Doc: "Colours of the heat map.", Live: true, Enum: []string{"viridis", "cividis", "magma", "grey"}},
	}, nil
}

// Doctor returns checks of all outcomes.
func (r *Reader) Doctor(context.Context) ([]view.CheckLine, error) {
	return []view.CheckLine{
		{Group: "system", Name: "git", OK: true, Detail: "2.39.2"},
		{Group: "sandbox", Name: "namespaces", OK: true, Detail: "rung 1"},
		{Group: "sandbox", Name: "cgroup", Warn: true, Detail: "not delegated", Cure: "memory limits are per process; run inside a user scope for a limit of the whole job"},
		{Group: "agents", Name: "chat", Detail: "OPENAI_API_KEY is not set", Cure: "export it, or take the agent out of atoll.yaml"},
	}, nil
}

// Controller remembers what it was told. Err makes every call fail.
type Controller struct {
	mu    sync.Mutex
	made  []record.Decision
	steps int
	Err   error
}

// Decide remembers ds.
func (c *Controller) Decide(_ context.Context, ds ...record.Decision) (record.Seq, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Err != nil {
		return 0, c.Err
	}
	c.made = append(c.made, ds...)
	c.steps++
	return record.Seq(len(c.made)), nil
}

// Decisions returns what was decided so far.
func (c *Controller) Decisions() []record.Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]record.Decision(nil), c.made...)
}

// Steps returns how many steps of undo the decisions are.
func (c *Controller) Steps() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps
}

// Undo says what the last decision was.
func (c *Controller) Undo(context.Context, record.Seq) (view.Unwound, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.made) == 0 {
		return view.Unwound{}, fmt.Errorf("%w: nothing to undo", view.ErrDecision)
	}
	return view.Unwound{Said: string(c.made[len(c.made)-1].Verb)}, nil
}

// Redo never has anything to do.
func (c *Controller) Redo(context.Context, record.Seq) (view.Unwound, error) {
	return view.Unwound{}, errors.New("nothing to do again")
}

// FreeBranch is always the first name.
func (c *Controller) FreeBranch(_ context.Context, id record.CandidateID) (string, error) {
	return "atoll/circle-packing-" + id.String(), c.Err
}

// CheckBranch refuses main alone.
func (c *Controller) CheckBranch(_ context.Context, branch string) error {
	if branch == "main" {
		return errors.New(`branch "main": it exists; choose another name`)
	}
	return c.Err
}

// Promote returns the full name of the branch.
func (c *Controller) Promote(_ context.Context, _ record.CandidateID, branch string) (string, error) {
	return "refs/heads/" + branch, c.Err
}

// Patch returns a short patch.
func (c *Controller) Patch(context.Context, record.CandidateID) ([]byte, error) {
	return []byte("--- a/solver.py\n+++ b/solver.py\n"), c.Err
}

// Feed is a mailbox with the newest snapshot.
type Feed struct {
	mu   sync.Mutex
	snap *view.Snapshot
	wake chan struct{}
}

// NewFeed returns a feed that shows s.
func NewFeed(s *view.Snapshot) *Feed { return &Feed{snap: s, wake: make(chan struct{})} }

// Put makes s the newest.
func (f *Feed) Put(s *view.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.snap = s
	close(f.wake)
	f.wake = make(chan struct{})
}

// Latest returns the newest snapshot.
func (f *Feed) Latest() *view.Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.snap
}

// Wait returns the newest snapshot once its version is above after.
func (f *Feed) Wait(ctx context.Context, after uint64) (*view.Snapshot, error) {
	for {
		f.mu.Lock()
		s, wake := f.snap, f.wake
		f.mu.Unlock()
		if s != nil && s.Version > after {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wake:
		}
	}
}
