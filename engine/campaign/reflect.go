package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// When the reflector proposes something.
const (
	manyRefactors = 5   // pending tasks of the auditor or of component refactor
	manyPending   = 20  // pending tasks
	clipLesson    = 300 // runes of a lesson, and of the parts of it that others worded
	clipTitle     = 80
	clipReason    = 160
)

// lesson is what one attempt taught, in one line, as later prompts get it: what a
// command or a candidate said in it is fenced there.
func lesson(it *Item, out *Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Task t%d (%s): %s", it.ID, clean.Clip(clean.Line(it.Title), clipTitle), out.Status)
	if out.Reason != "" {
		fmt.Fprintf(&b, ", %s", clean.Clip(clean.Line(out.Reason), clipReason))
	}
	if it.Command == "" {
		fmt.Fprintf(&b, "; %d jobs of %d estimated", out.Jobs, it.MakeJobs())
	}
	for _, c := range out.Checks {
		mark := "held"
		if !c.Holds {
			mark = "did not hold"
		}
		fmt.Fprintf(&b, "; %s %s", c.Acceptance, mark)
	}
	return clean.Clip(clean.Line(b.String()), clipLesson)
}

// reflect warns, once, of a budget that is nearly used up, and proposes changes of
// the backlog. A proposal is made once: its key says what it is about.
func (c *Campaign) reflect(ctx context.Context) error {
	warned := c.s.Warned
	made := len(c.s.Proposals)
	err := c.change(ctx, func(s *State) ([]record.CampaignRow, error) {
		var rows []record.CampaignRow
		if text := s.nearlySpent(); text != "" && !s.Warned {
			rows = append(rows, row(kindWarn, 0, "", words{text}))
		}
		for _, p := range s.Thoughts() {
			rows = append(rows, row(kindPropose, 0, "", p))
		}
		return rows, nil
	})
	if err != nil {
		return err
	}
	if c.s.Warned && !warned {
		c.o.Tell(Event{Text: c.s.nearlySpent(), Bad: true})
	}
	for _, p := range c.s.Proposals[made:] {
		c.o.Tell(Event{Text: fmt.Sprintf("proposal %d: %s", p.ID, p.Text)})
	}
	return nil
}

// Thoughts are the proposals that the backlog calls for now and that were not made
// before: many refactorings become one, a failed task is split or dropped, a
// task that waits for one that failed is dropped, a long backlog is looked through.
func (s *State) Thoughts() []Proposal {
	var out []Proposal
	add := func(p Proposal) {
		if !slices.ContainsFunc(s.Proposals, func(o Proposal) bool { return o.Key == p.Key }) {
			out = append(out, p)
		}
	}
	var refactors []int
	pending := 0
	for _, it := range s.Items {
		st, why := s.StatusOf(it)
		if it.Status == Pending {
			pending++
			if it.Origin == FromAudit || it.Component == "refactor" {
				refactors = append(refactors, it.ID)
			}
		}
		switch {
		case st == Failed && len(it.Scope) > 1:
			add(split(it))
		case st == Failed:
			add(Proposal{Key: fmt.Sprintf("drop:%d", it.ID), Text: fmt.Sprintf("drop t%d (%s): %s", it.ID, it.Title, it.Reason), Drop: []int{it.ID}})
		case st == Blocked:
			add(Proposal{Key: fmt.Sprintf("blocked:%d", it.ID), Text: fmt.Sprintf("drop t%d (%s): %s", it.ID, it.Title, why), Drop: []int{it.ID}})
		}
	}
	if len(refactors) > manyRefactors {
		add(s.merge(refactors))
	}
	if pending > manyPending {
		add(Proposal{
			Key:  fmt.Sprintf("long:%d", pending/manyPending),
			Text: fmt.Sprintf("%d tasks are pending: drop what nobody will miss", pending),
		})
	}
	return out
}

// split makes one task for each glob of a failed task's scope.
func split(it *Item) Proposal {
	p := Proposal{Key: fmt.Sprintf("split:%d", it.ID), Drop: []int{it.ID}}
	p.Text = fmt.Sprintf("split t%d (%s) by its %d files: %s", it.ID, it.Title, len(it.Scope), it.Reason)
	for _, glob := range it.Scope {
		t := it.Task
		t.ID, t.Key, t.Origin = 0, "", FromReflector
		t.Title = it.Title + " - " + glob
		t.Scope = []string{glob}
		t.Size = it.Size / float64(len(it.Scope))
		p.Add = append(p.Add, t)
	}
	return p
}

// merge makes one task of many refactorings.
func (b *Backlog) merge(ids []int) Proposal {
	p := Proposal{Key: fmt.Sprintf("merge:%d", len(ids)/manyRefactors), Drop: ids}
	t := Task{Title: fmt.Sprintf("Refactor %d places in one go", len(ids)), Component: "refactor", Priority: 3, Origin: FromReflector}
	for _, id := range ids {
		it := b.byID[id]
		t.Size += max(it.Size, 1)
		t.Value += it.Value
		t.Jobs += it.MakeJobs()
		t.Acceptance = append(t.Acceptance, it.Acceptance...)
		for _, glob := range it.Scope {
			if !slices.Contains(t.Scope, glob) {
				t.Scope = append(t.Scope, glob)
			}
		}
	}
	p.Text = fmt.Sprintf("%d refactorings are pending: make them one task", len(ids))
	p.Add = []Task{t}
	return p
}
