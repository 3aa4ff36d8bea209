package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/engine/agent/clean"
	"atoll/engine/campaign/audit"
	"atoll/store/record"
)

// Executor carries tasks out. Its methods are called from the goroutine of
// [Campaign.Run], one at a time.
type Executor interface {
	// Head is the commit that a campaign begins with.
	Head(ctx context.Context) (record.Hash, error)
	// Execute carries out one attempt of a task, or goes on with one that was broken
	// off: the same assignment never does, or pays for, the same work twice. An
	// error is trouble of the machine or the end of ctx: the attempt stays open.
	// Whatever becomes of the task is in the Outcome. A commit in it is reachable.
	Execute(ctx context.Context, a Assignment) (Outcome, error)
	// Publish lets the campaign's branch point to a commit.
	Publish(ctx context.Context, head record.Hash) error
	// Moved is what the branch points to where somebody put commits on top of head, else
	// head. A branch that leads elsewhere is an error that says what to do.
	Moved(ctx context.Context, head record.Hash) (record.Hash, error)
	// Merge brings what an attempt left onto another head than its root: the branch moved
	// while it ran. What comes of it is measured there as the attempt's own was, and is
	// done only where it meets the acceptance on the new head. Conflicts fail, with the
	// files named; the commit of won stays reachable. As with Execute, the same question is
	// carried out and paid for once.
	Merge(ctx context.Context, a Assignment, won Outcome, head record.Hash) (Outcome, error)
	// Audit measures the source of a commit, with the marks of the commit that the
	// campaign began with: what a task marks as generated or to be ignored is measured
	// all the same.
	Audit(ctx context.Context, commit, began record.Hash) (audit.Report, error)
}

// Assignment is one attempt of a task.
type Assignment struct {
	Task    Task
	Attempt int         // from 1
	Root    record.Hash // the commit to begin on
	Began   record.Hash // the commit that the campaign began with: its marks count for the auditor
	Name    string      // of the experiment
	Left    Settings    // of the campaign's budget: at most this may be used
	Lessons []string    // of earlier tasks, for prompts; newest last
}

// Event is something that a person may want to read while a campaign runs.
type Event struct {
	Task int // 0 = the campaign
	Text string
	Bad  bool
}

// Options of a campaign.
type Options struct {
	Journal  Journal
	Executor Executor
	Now      func() time.Time // nil: time.Now
	Bounds   audit.Bounds
	NoAudit  bool        // find no tasks, and measure no health
	Tell     func(Event) // from the goroutine of Run; nil: nobody
	// Changed is called whenever the log grew, from the goroutine of Run; nil: nobody.
	Changed func(*State)
	Tasks   int // attempts of this run; 0: until nothing is ready
}

// Campaign is the loop. Make one with [New].
type Campaign struct {
	o Options
	s *State

	audited record.Hash // the commit that was measured last by this process
	report  audit.Report
}

// tellLessons is how many lessons of earlier tasks a new one gets.
const tellLessons = 12

// openAudits bounds how many tasks of the auditor may be open: it proposes the
// most urgent ones and more when those are done.
const openAudits = 5

// author is who writes what no person decided.
const author = "campaign"

// New returns a campaign. It starts nothing.
func New(o Options) *Campaign {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	if o.Changed == nil {
		o.Changed = func(*State) {}
	}
	return &Campaign{o: o, s: NewState()}
}

// State is the campaign as it is; for the goroutine of Run, or when it does not run.
func (c *Campaign) State() *State { return c.s }

// Run begins ready tasks one after the other until none is left, the budget is used
// up or ctx ends, and returns why it ended, in words. An attempt that was broken off
// before is gone on with first.
func (c *Campaign) Run(ctx context.Context) (why string, err error) {
	if err := c.prepare(ctx); err != nil {
		return "", err
	}
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if c.o.Tasks > 0 && n == c.o.Tasks {
			return fmt.Sprintf("%d tasks were begun", n), nil
		}
		it, err := c.running(ctx)
		if err != nil {
			return "", err
		}
		if it == nil {
			if err := c.takeOver(ctx); err != nil {
				return "", err
			}
			if err := c.audit(ctx); err != nil { // nothing, unless the branch moved
				return "", err
			}
			var why string
			if it, why, err = c.begin(ctx); err != nil || it == nil {
				return why, err
			}
		} else if over := c.s.fits(&it.Task); over != "" { // the budget became smaller meanwhile
			return fmt.Sprintf("t%d was broken off, but %s; %s", it.ID, over, raise), nil
		}
		if err := c.attempt(ctx, it); err != nil {
			return "", err
		}
	}
}

// change is [Change] on the campaign's own state.
func (c *Campaign) change(ctx context.Context, decide func(*State) ([]record.CampaignRow, error)) error {
	err := Change(ctx, c.o.Journal, c.s, author, decide)
	c.o.Changed(c.s)
	return err
}

// prepare gives the campaign a head and looks at the health of it.
func (c *Campaign) prepare(ctx context.Context) error {
	if err := c.s.Follow(ctx, c.o.Journal); err != nil {
		return err
	}
	if c.s.Head.IsZero() {
		h, err := c.o.Executor.Head(ctx)
		if err != nil {
			return err
		}
		err = c.change(ctx, func(s *State) ([]record.CampaignRow, error) {
			if !s.Head.IsZero() {
				return nil, nil
			}
			return []record.CampaignRow{row(kindHead, 0, "", head{Commit: h, Text: "the campaign begins"})}, nil
		})
		if err != nil {
			return err
		}
	}
	if err := c.publish(ctx); err != nil { // a kill may have come between a row and its branch
		return err
	}
	return c.audit(ctx)
}

// running returns the attempt that was broken off, or nil.
func (c *Campaign) running(ctx context.Context) (*Item, error) {
	if err := c.s.Follow(ctx, c.o.Journal); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.s.Items, func(it *Item) bool { return it.Status == Running })
	if i < 0 {
		return nil, nil
	}
	c.o.Tell(Event{Task: c.s.Items[i].ID, Text: "goes on where it was broken off"})
	return c.s.Items[i], nil
}

// begin writes which task is next, and why. A nil item means that there is none.
func (c *Campaign) begin(ctx context.Context) (it *Item, why string, err error) {
	id := 0
	err = c.change(ctx, func(s *State) ([]record.CampaignRow, error) {
		order := s.Order(c.o.Now())
		p, reason, ok := s.next(order)
		if id, why = 0, reason; !ok {
			return nil, nil
		}
		id = p.Task
		return []record.CampaignRow{row(kindStart, id, "", s.startOf(p, order))}, nil
	})
	if err != nil || id == 0 {
		return nil, why, err
	}
	it = c.s.byID[id]
	c.o.Tell(Event{Task: id, Text: fmt.Sprintf("%s: begins (%s)", it.Title, c.s.Plans[len(c.s.Plans)-1].Why)})
	return it, "", nil
}

// startOf is the next attempt of the task at a position of an order.
func (s *State) startOf(p Position, order []Position) start {
	it := s.byID[p.Task]
	st := start{
		Attempt: it.Attempt + 1, Root: s.Head, Experiment: fmt.Sprintf("t%d-%d", it.ID, len(s.Plans)+1),
		Why: p.Why, Authority: s.authority(), Score: it.WSJF(), Predicted: p.Expected, By: p.By,
	}
	st.Baseline, st.Suggestion = s.wouldTake(order)
	return st
}

// wouldTake returns the task that the formula alone would begin, and the one that the
// ranker alone would; 0 = none. The ranker has no opinion where it expects the same of
// all that fit.
func (b *Backlog) wouldTake(order []Position) (formula, ranker int) {
	best, differ := 0.0, false
	for _, p := range order {
		if !p.Fits {
			continue
		}
		differ = differ || ranker != 0 && p.Expected != nil && *p.Expected != best
		if formula == 0 || byWSJF(b.byID[p.Task], b.byID[formula]) < 0 {
			formula = p.Task
		}
		if p.Expected != nil && (ranker == 0 || *p.Expected > best) {
			ranker, best = p.Task, *p.Expected
		}
	}
	if !differ {
		ranker = 0
	}
	return formula, ranker
}

// Left is what of the budget may still be used: 0 where nothing is left, and where
// there is no limit.
func (s *State) Left() Settings {
	b := s.Settings
	if b.Jobs > 0 {
		b.Jobs = max(0, b.Jobs-s.Spent.Jobs)
	}
	if b.CostUSD > 0 {
		b.CostUSD = max(0, b.CostUSD-s.Spent.USD)
	}
	return b
}

// audit measures the head where it was not measured yet, and adds tasks for what it
// finds: the most urgent, one for each place, never more than five open.
func (c *Campaign) audit(ctx context.Context) error {
	if c.o.NoAudit || len(c.s.Health) > 0 && c.s.Health[len(c.s.Health)-1].Commit == c.s.Head {
		return nil
	}
	at := c.s.Head
	var before *audit.Report
	if n := len(c.s.Health); n > 0 {
		was, err := c.measure(ctx, c.s.Health[n-1].Commit)
		if err != nil {
			return err
		}
		before = &was
	}
	now, err := c.measure(ctx, at)
	if err != nil {
		return err
	}
	found := now.Findings(c.o.Bounds, before)
	t := now.Totals()
	health := Health{
		Commit: at, Files: t.Files, Lines: t.Lines, Functions: t.Functions, Complexity: t.Complexity, Mean: t.Mean,
		Findings: len(found), Duplicated: t.Duplicated,
	}
	return c.change(ctx, func(s *State) ([]record.CampaignRow, error) {
		if n := len(s.Health); n > 0 && s.Health[n-1].Commit == at {
			return nil, nil
		}
		rows, err := s.Put(s.tasksFor(found)...)
		if err != nil {
			return nil, err
		}
		return append([]record.CampaignRow{row(kindHealth, 0, "", health)}, rows...), nil
	})
}

// measure has a commit audited, unless it was the last one.
func (c *Campaign) measure(ctx context.Context, commit record.Hash) (audit.Report, error) {
	if c.audited == commit {
		return c.report, nil
	}
	r, err := c.o.Executor.Audit(ctx, commit, c.s.Began)
	if err == nil {
		c.audited, c.report = commit, r
	}
	return r, err
}

// clipFinding bounds the title of a task of the auditor, in runes.
const clipFinding = 200

// notElsewhere tells whoever edits how a task of the auditor is judged.
const notElsewhere = "No other place that is new or grows may go beyond the same bound, and marks such as generated or ignore count for nothing."

// tasksFor turns findings into tasks. A place that had a task before, whatever
// became of it, gets no second one: a person can open that again.
func (b *Backlog) tasksFor(found []audit.Finding) []Task {
	open, known := 0, map[string]bool{}
	for _, it := range b.Items {
		known[it.Key] = true
		if it.Origin == FromAudit && (it.Status == Pending || it.Status == Running) {
			open++
		}
	}
	var out []Task
	for _, f := range found {
		if open+len(out) >= openAudits {
			break
		}
		if known[f.Key] || f.OutOfReach() {
			continue
		}
		known[f.Key] = true // functions of one name in one file are one place
		var accept []Acceptance
		var measured []string
		for _, m := range f.Over {
			accept = append(accept, Acceptance{Kind: AcceptAudit, Name: m.Figure, Bound: m.Bound, AtLeast: m.Value < m.Bound})
			measured = append(measured, m.Figure+" = "+short(m.Value))
		}
		title := clean.Clip(clean.Line(f.Text), clipFinding)
		if m := f.Remedy; m != nil {
			out = append(out, Task{
				ID: b.NextID() + len(out), Title: title, Component: "dependencies", Priority: f.Priority, Key: f.Key, Origin: FromAudit,
				Scope: m.Scope, Command: m.Command, Acceptance: append(accept, Acceptance{Kind: AcceptRun, Command: m.Proof}),
			})
			continue
		}
		out = append(out, Task{
			ID: b.NextID() + len(out), Title: title, Component: "refactor", Priority: f.Priority, Key: f.Key, Origin: FromAudit,
			Goal:  fmt.Sprintf("%s. Keep the behaviour as it is; what was measured: %s. %s", title, strings.Join(measured, ", "), notElsewhere),
			Scope: []string{f.Path}, Acceptance: accept,
		})
	}
	return out
}
