package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"time"

	"atoll/config"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// A running engine answers what a snapshot is too small to carry. Every method
// may be called from any goroutine and reads committed rows only.

// Job returns everything known about one job.
func (e *Engine) Job(ctx context.Context, id record.JobID) (JobDetail, error) {
	job, err := e.db.Job(ctx, e.exp, id)
	if err != nil {
		return JobDetail{}, fmt.Errorf("read job %s: %w", id, err)
	}
	d := JobDetail{Job: job, Live: e.live.linesOf(id), Stages: stagesOf(job)}
	if d.Evidence, err = e.db.EvidenceOf(ctx, e.exp, id); err != nil {
		return d, err
	}
	d.Findings = findingsOf(d.Evidence)
	if err := e.addPrompts(ctx, &d); err != nil {
		return d, err
	}
	if job.Candidate != record.NoCandidate {
		c, err := e.candidate(ctx, job.Candidate)
		if err != nil {
			return d, err
		}
		d.Candidate = c
	}
	if job.Parent != record.NoCandidate {
		if d.Parent, err = e.candidate(ctx, job.Parent); err != nil {
			return d, err
		}
	}
	d.Retries, err = e.retriesOf(ctx, id)
	return d, err
}

// addPrompts shows what a job that has not ended was told, or would be told now.
func (e *Engine) addPrompts(ctx context.Context, d *JobDetail) error {
	if d.Job.State.Running() {
		d.Evidence = append(d.Evidence, e.live.promptsOf(d.Job.ID)...)
		return nil
	}
	p, err := e.preview(ctx, d.Job)
	if err == nil {
		d.Evidence = append(d.Evidence, p)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return nil // a prompt that cannot be written yet is no reason to show nothing
}

// retriesOf lists the jobs that try a job again, oldest first.
func (e *Engine) retriesOf(ctx context.Context, id record.JobID) ([]record.JobID, error) {
	asked := false
	if err := e.ask(ctx, func(s *State) {
		for _, d := range s.decided.all {
			asked = asked || d.Verb == record.Retry && d.Job == id
		}
	}); err != nil || !asked {
		return nil, err
	}
	jobs, err := e.db.Jobs(ctx, e.exp, store.JobFilter{Limit: 1000})
	var out []record.JobID
	for i := len(jobs) - 1; i >= 0; i-- {
		if jobs[i].RetryOf == id {
			out = append(out, jobs[i].ID)
		}
	}
	return out, err
}

// stagesOf tells the stretches of a job as far as its row knows them.
func stagesOf(j record.Job) []StageSpan {
	spans := []StageSpan{{Attempt: 0, Name: "queued", Started: j.Created, Ended: j.Started}}
	if j.Started == 0 {
		return spans
	}
	at := j.Started
	add := func(name string, ms int64) {
		if ms > 0 {
			spans = append(spans, StageSpan{Attempt: j.Attempt, Name: name, Started: at, Ended: at + record.Millis(ms)})
			at += record.Millis(ms)
		}
	}
	add("editing", j.EditMS)
	add("measuring", j.EvalMS)
	if j.State.Ended() {
		spans = append(spans, StageSpan{Attempt: j.Attempt, Name: string(j.State), Started: j.Ended, Ended: j.Ended, Note: j.Reason})
	} else {
		spans = append(spans, StageSpan{Attempt: j.Attempt, Name: string(j.State), Started: at, Note: j.Reason})
	}
	return spans
}

func findingsOf(evidence []record.Evidence) []GateFinding {
	var out []GateFinding
	for _, ev := range evidence {
		if ev.Kind != "gate" {
			continue
		}
		var v struct {
			Findings []struct {
				Rule, Path, Text string
				Hard             bool
			}
		}
		if json.Unmarshal(ev.Text, &v) != nil {
			continue
		}
		for _, f := range v.Findings {
			out = append(out, GateFinding{Rule: f.Rule, Path: f.Path, Text: f.Text, Hard: f.Hard})
		}
	}
	return out
}

// Jobs returns a page of jobs, newest first.
func (e *Engine) Jobs(ctx context.Context, q JobQuery) ([]record.Job, error) {
	return e.db.Jobs(ctx, e.exp, store.JobFilter{
		States: q.States, Kind: q.Kind, Operator: q.Operator, Agent: q.Agent, Target: q.Target, Text: q.Text, Before: q.Before,
		Limit: orDefault(q.Limit, 200),
	})
}

func orDefault(n, d int) int {
	if n <= 0 {
		return d
	}
	return n
}

// candidate reads one candidate with its metrics and its status of now.
func (e *Engine) candidate(ctx context.Context, id record.CandidateID) (*record.Candidate, error) {
	c, err := e.db.Candidate(ctx, e.exp, id)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", id, err)
	}
	err = e.ask(ctx, func(s *State) { s.Dress(&c) })
	return &c, err
}

// Dress gives a candidate of the store the status it has now: elite when it
// holds a niche, rejected when a person rejected it after it was scored.
func (s *State) Dress(c *record.Candidate) {
	m := s.member(c.ID)
	switch {
	case m == nil:
	case m.rejected:
		c.Status = record.StatusRejected
		if c.Reason == "" {
			c.Reason = s.decided.rejection(c.ID)
		}
	case c.Status == record.StatusScored && s.arch != nil && s.arch.Holds(c.ID):
		c.Status = record.StatusElite
	}
}

// Candidates returns a page of candidates.
func (e *Engine) Candidates(ctx context.Context, q CandidateQuery) ([]record.Candidate, error) {
	list, err := e.db.Candidates(ctx, e.exp, store.CandidateFilter{Text: q.Text, Before: q.Before, Limit: orDefault(q.Limit, 200)})
	if err != nil {
		return nil, err
	}
	if err := e.ask(ctx, func(s *State) {
		for i := range list {
			s.Dress(&list[i])
		}
		if q.Best {
			sort.SliceStable(list, func(i, j int) bool { return s.above(&list[i], &list[j]) })
		}
	}); err != nil {
		return nil, err
	}
	if len(q.Status) == 0 {
		return list, nil
	}
	kept := list[:0]
	for _, c := range list {
		for _, st := range q.Status {
			if c.Status == st {
				kept = append(kept, c)
				break
			}
		}
	}
	return kept, nil
}

func (s *State) above(a, b *record.Candidate) bool {
	switch {
	case a.Objective == nil || s.stale(a.Version):
		return false
	case b.Objective == nil || s.stale(b.Version):
		return true
	}
	return s.sign**a.Objective > s.sign**b.Objective
}

// Candidate returns everything known about one candidate.
func (e *Engine) Candidate(ctx context.Context, id record.CandidateID) (CandidateDetail, error) {
	c, err := e.candidate(ctx, id)
	if err != nil {
		return CandidateDetail{}, err
	}
	d := CandidateDetail{Candidate: *c, Cell: -1, Holder: record.NoCandidate, Boost: 1, Percent: math.NaN()}
	if d.Job, err = e.db.Job(ctx, e.exp, c.Job); err != nil && !errors.Is(err, store.ErrNotFound) {
		return d, err
	}
	if d.Root, err = e.candidate(ctx, record.Root); err != nil {
		return d, err
	}
	if p := c.Parent(); p != record.NoCandidate {
		if d.Parent, err = e.candidate(ctx, p); err != nil {
			return d, err
		}
	}
	if d.Samples, err = e.db.SamplesOf(ctx, e.exp, id); err != nil {
		return d, err
	}
	children, err := e.db.Children(ctx, e.exp, id)
	if err != nil {
		return d, err
	}
	for _, child := range children {
		d.Children = append(d.Children, child.ID)
	}
	evidence, err := e.db.EvidenceOf(ctx, e.exp, c.Job)
	if err != nil {
		return d, err
	}
	d.Findings = findingsOf(evidence)
	return d, e.ask(ctx, func(s *State) { s.fillDetail(&d) })
}

func (s *State) fillDetail(d *CandidateDetail) {
	for _, x := range s.decided.all {
		if x.Verb == record.Promote && x.Candidate == d.Candidate.ID {
			d.Branches = append(d.Branches, x.Text)
		}
	}
	m := s.member(d.Candidate.ID)
	if m == nil || s.arch == nil {
		return
	}
	if m.scored {
		d.Percent = s.percent(m.obj)
	}
	d.Point = m.point
	if cell, ok := s.arch.CellOf(m.id); ok {
		d.Cell, d.Boost = cell, s.arch.BoostOf(cell, s.folded)
		if h, ok := s.arch.Elite(cell); ok {
			d.Holder = h.ID
		}
	}
	d.Frozen = s.arch.IsFrozen(m.id)
	for p := m; p != nil && p.id != record.Root; p = s.member(p.parent) {
		d.Depth++
	}
}

// Niche returns one niche with its past.
func (e *Engine) Niche(ctx context.Context, cell int) (NicheDetail, error) {
	d := NicheDetail{Cell: cell}
	var holder record.CandidateID = record.NoCandidate
	var runners []record.CandidateID
	var jobs []record.JobID
	if err := e.ask(ctx, func(s *State) { holder, runners = s.fillNiche(&d); jobs = s.jobsFrom(cell, 20) }); err != nil {
		return d, err
	}
	for _, id := range jobs {
		j, err := e.db.Job(ctx, e.exp, id)
		if err != nil {
			return d, fmt.Errorf("read job %s: %w", id, err)
		}
		d.Jobs = append(d.Jobs, j)
	}
	if holder != record.NoCandidate {
		c, err := e.Candidate(ctx, holder)
		if err != nil {
			return d, err
		}
		d.Elite = &c
	}
	for _, id := range runners {
		c, err := e.candidate(ctx, id)
		if err != nil {
			return d, err
		}
		d.Runners = append(d.Runners, *c)
	}
	return d, nil
}

func (s *State) fillNiche(d *NicheDetail) (holder record.CandidateID, runners []record.CandidateID) {
	holder = record.NoCandidate
	if s.arch == nil || d.Cell < 0 || d.Cell >= s.shape().Cells() {
		return holder, nil
	}
	shape := s.shape()
	for axis, i := range shape.Coords(d.Cell) {
		edges := shape.EdgesOf(axis)
		d.Low, d.High = append(d.Low, edges[i]), append(d.High, edges[i+1])
	}
	d.Tries = s.arch.Tries(d.Cell)
	if h, ok := s.arch.Elite(d.Cell); ok {
		holder = h.ID
	}
	for _, r := range s.arch.Runners(d.Cell, 20) {
		runners = append(runners, r.ID)
	}
	d.History = s.takeovers(d.Cell, 100)
	return holder, runners
}

// jobsFrom lists the newest jobs whose parent lies in a niche.
func (s *State) jobsFrom(cell, limit int) []record.JobID {
	if s.arch == nil {
		return nil
	}
	var out []record.JobID
	for i := len(s.members) - 1; i > 0 && len(out) < limit; i-- {
		if m := s.members[i]; m != nil {
			if at, ok := s.arch.CellOf(m.parent); ok && at == cell {
				out = append(out, m.job)
			}
		}
	}
	return out
}

// takeovers tells who held a niche under the present map, newest first: the
// candidates that were better than all before them, in fold order.
func (s *State) takeovers(cell, limit int) []Takeover {
	var out []Takeover
	from := record.NoCandidate
	for i, id := range s.order {
		m := s.members[id]
		if at, ok := s.arch.CellOf(id); !ok || at != cell || m.rejected {
			continue
		}
		before := s.member(from)
		if before != nil && !s.better(m, before) {
			continue
		}
		t := Takeover{At: m.created, Fold: i + 1, Candidate: id, From: from, Objective: m.obj, Delta: math.NaN(), Why: "new niche"}
		if before != nil {
			t.Delta, t.Why = s.sign*(m.obj-before.obj), "better"
		}
		out, from = append(out, t), id
	}
	reverse(out)
	if len(out) > limit {
		out = out[:limit]
	}
	return out
}

// Lineage returns the family of one candidate.
func (e *Engine) Lineage(ctx context.Context, id record.CandidateID) (Lineage, error) {
	l := Lineage{Focus: id}
	if err := e.ask(ctx, func(s *State) { s.fillLineage(&l) }); err != nil {
		return l, err
	}
	for _, nodes := range [][]LineageNode{l.Ancestors, l.Descendants} {
		for i := range nodes[:min(len(nodes), lineageWords)] {
			c, err := e.db.Candidate(ctx, e.exp, nodes[i].ID)
			if err != nil {
				return l, fmt.Errorf("read candidate %s: %w", nodes[i].ID, err)
			}
			nodes[i].Parents, nodes[i].Class, nodes[i].Intent = c.Parents, c.Class, c.Intent
		}
	}
	return l, nil
}

// lineageWords is how many ancestors and descendants are told with their
// intent and their other parents.
const lineageWords = 100

// lineageCap bounds the descendants that are listed.
const lineageCap = 500

func (s *State) fillLineage(l *Lineage) {
	for m := s.member(l.Focus); m != nil; m = s.member(m.parent) {
		l.Ancestors = append(l.Ancestors, s.node(m))
		if m.id == record.Root {
			break
		}
	}
	reverse(l.Ancestors)
	children := map[record.CandidateID][]record.CandidateID{}
	for _, m := range s.members {
		if m != nil && m.id != record.Root {
			children[m.parent] = append(children[m.parent], m.id)
		}
	}
	for next := children[l.Focus]; len(next) > 0; next = next[1:] {
		if len(l.Descendants) < lineageCap {
			l.Descendants = append(l.Descendants, s.node(s.members[next[0]]))
		} else {
			l.More++
		}
		next = append(next, children[next[0]]...)
	}
}

func (s *State) node(m *member) LineageNode {
	n := LineageNode{ID: m.id, Commit: m.commit, Operator: m.op, Agent: m.agent, Status: m.status, Cell: -1, At: m.created}
	if m.parent != record.NoCandidate {
		n.Parents = []record.ParentRef{{ID: m.parent, Role: record.RoleParent}}
	}
	if m.scored {
		obj := m.obj
		n.Objective = &obj
		if p := s.member(m.parent); p != nil && p.scored {
			d := s.sign * (m.obj - p.obj)
			n.Delta = &d
		}
		if cell, ok := s.arch.CellOf(m.id); ok {
			n.Cell = cell
		}
		if s.arch.Holds(m.id) {
			n.Status = record.StatusElite
		}
	}
	if m.rejected {
		n.Status = record.StatusRejected
	}
	return n
}

// Diff returns the difference between two candidates as patches with lines of
// context around each change.
func (e *Engine) Diff(ctx context.Context, a, b record.CandidateID, lines int) ([]FilePatch, error) {
	ca, err := e.db.Candidate(ctx, e.exp, a)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", a, err)
	}
	cb, err := e.db.Candidate(ctx, e.exp, b)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", b, err)
	}
	return DiffTrees(ctx, e.repo, ca.Tree, cb.Tree, lines)
}

// DiffTrees returns the difference between two trees as patches with lines of
// context around each change.
func DiffTrees(ctx context.Context, repo *gitops.Repo, a, b record.Hash, lines int) ([]FilePatch, error) {
	patches, err := repo.Patch(ctx, a, b, max(0, lines))
	if err != nil {
		return nil, err
	}
	out := make([]FilePatch, 0, len(patches))
	for _, p := range patches {
		f := FilePatch{Path: p.Path, OldMode: p.OldMode, NewMode: p.NewMode, Added: p.Added, Removed: p.Removed, Binary: p.Binary, Cut: p.Cut}
		for _, h := range p.Hunks {
			hunk := PatchHunk{OldStart: h.OldStart, OldLines: h.OldLines, NewStart: h.NewStart, NewLines: h.NewLines}
			for _, l := range h.Lines {
				hunk.Lines = append(hunk.Lines, PatchLine{Kind: byte(l.Kind), Text: l.Text})
			}
			f.Hunks = append(f.Hunks, hunk)
		}
		out = append(out, f)
	}
	return out, nil
}

// Decisions returns the newest decisions, newest first.
func (e *Engine) Decisions(ctx context.Context, limit int) ([]record.Decision, error) {
	return e.db.Decisions(ctx, e.exp, limit)
}

// Settings explains every key of the configuration as it holds now.
func (e *Engine) Settings(ctx context.Context) ([]SettingInfo, error) {
	var set record.Settings
	var cfg config.Config
	if err := e.ask(ctx, func(s *State) { set, cfg = s.Settings, s.Config }); err != nil {
		return nil, err
	}
	rows, err := config.Loaded{Config: cfg}.Explain("")
	if err != nil {
		return nil, err
	}
	base, err := config.Loaded{Config: config.Defaults()}.Explain("")
	if err != nil {
		return nil, err
	}
	defaults := map[string]string{}
	for _, r := range base {
		defaults[r.Key] = r.Value
	}
	now := liveValues(set)
	out := make([]SettingInfo, 0, len(rows))
	for _, r := range rows {
		info := SettingInfo{Key: r.Key, Value: r.Value, Default: defaults[r.Key], Origin: "default", Doc: r.Doc, Live: r.Live}
		if r.Value != info.Default {
			info.Origin = "when it started"
		}
		if v, ok := now[r.Key]; ok && v != r.Value {
			info.Value, info.Origin = v, "set while it runs"
		}
		_, info.Live = liveKeys[r.Key]
		if r.Key == "review.measure" || r.Key == "review.niche" {
			info.Enum = []string{"off", "risky", "all"}
		}
		out = append(out, info)
	}
	return out, nil
}

// liveValues are the settings in force under their configuration keys.
func liveValues(s record.Settings) map[string]string {
	return map[string]string{
		"workers": fmt.Sprint(s.Workers), "budget.jobs": fmt.Sprint(s.MaxJobs), "budget.evaluations": fmt.Sprint(s.MaxEvals),
		"budget.tokens": fmt.Sprint(s.MaxTokens), "budget.cost_usd": fmt.Sprint(s.MaxCostUSD), "goal": s.Goal,
		"review.measure": s.Review, "review.niche": s.ReviewNiche, "search.inspirations": fmt.Sprint(s.Inspirations),
		"budget.wall": (time.Duration(s.MaxWallMS) * time.Millisecond).String(), "constraints": jsonText(s.Constraints), "acceptance": jsonText(s.Acceptance),
	}
}

// jsonText writes a list as the configuration prints it, "" for none.
func jsonText(list []string) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(b)
}

// Doctor checks the machine and the store under a running experiment.
func (e *Engine) Doctor(ctx context.Context) ([]CheckLine, error) {
	var cfg config.Config
	if err := e.ask(ctx, func(s *State) { cfg = s.Config }); err != nil {
		return nil, err
	}
	return Doctor(ctx, DoctorOptions{
		Target: e.ses.Target, State: e.ses.Dir, Config: config.Loaded{Config: cfg, Dir: e.ses.Dir}, Now: e.opt.Now,
	}), nil
}
