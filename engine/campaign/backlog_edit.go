package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atoll/store"
	"atoll/store/record"
)

// Change decides on the newest state and writes what it decided: it follows the log,
// calls decide, and tries again when somebody else was faster. Rows without an
// author get who.
func Change(ctx context.Context, j Journal, s *State, who string, decide func(*State) ([]record.CampaignRow, error)) error {
	for {
		if err := s.Follow(ctx, j); err != nil {
			return err
		}
		rows, err := decide(s)
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			if rows[i].Who == "" {
				rows[i].Who = who
			}
		}
		_, err = j.AppendCampaign(ctx, s.Seq, rows...)
		if errors.Is(err, store.ErrLost) {
			continue
		}
		if err != nil {
			return err
		}
		return s.Follow(ctx, j)
	}
}

// Put returns the rows that add tasks, or change those whose numbers exist. A task
// that runs or has ended is not changed. Refused with [ErrTask]: what a task cannot
// be by itself, dependencies that do not exist or go in a circle (the circle is
// named), and an open task of the same key or title.
func (b *Backlog) Put(tasks ...Task) ([]record.CampaignRow, error) { return b.putAll(tasks, nil) }

// putAll is [Backlog.Put] for tasks of which some have ended: those can be the same as others.
func (b *Backlog) putAll(tasks []Task, ended map[int]bool) ([]record.CampaignRow, error) {
	next := b.tasks()
	for i := range tasks {
		t := &tasks[i]
		if err := t.check(); err != nil {
			return nil, err
		}
		if it := b.byID[t.ID]; it != nil && it.Status != Pending {
			return nil, fmt.Errorf("%w: t%d is %s; only a pending task can be changed; %s", ErrTask, t.ID, it.Status, it.changeable())
		}
		if double := b.sameAs(next, t); double != 0 && !ended[t.ID] && !ended[double] {
			return nil, fmt.Errorf("%w: t%d is the same as t%d (%s)", ErrTask, t.ID, double, t.Title)
		}
		next[t.ID] = t
	}
	for i := range tasks {
		for _, d := range tasks[i].Dependencies {
			if next[d] == nil {
				return nil, fmt.Errorf("%w: t%d depends on t%d, which does not exist", ErrTask, tasks[i].ID, d)
			}
		}
	}
	if c := circle(next); c != nil {
		return nil, fmt.Errorf("%w: the dependencies go in a circle: %s", ErrTask, arrows(c))
	}
	rows := make([]record.CampaignRow, len(tasks))
	for i := range tasks {
		rows[i] = row(kindTask, tasks[i].ID, "", tasks[i])
	}
	return rows, nil
}

// changeable says what can be done instead of changing a task that is not pending.
func (it *Item) changeable() string {
	switch it.Status {
	case Failed, Dropped:
		return fmt.Sprintf("`atoll backlog reopen t%d` makes it pending again", it.ID)
	case Running:
		return fmt.Sprintf("`atoll backlog drop t%d` takes it back", it.ID)
	}
	return "`atoll backlog add` adds another one"
}

// PutEpic returns the rows that add an epic and its tasks; none for one that a planner
// was asked about in vain.
func (b *Backlog) PutEpic(e Epic, tasks ...Task) ([]record.CampaignRow, error) {
	e.Tasks, e.At, e.Who = []int{}, 0, "" // the row has them
	for _, t := range tasks {
		e.Tasks = append(e.Tasks, t.ID)
	}
	rows, err := b.Put(tasks...)
	return append([]record.CampaignRow{row(kindEpic, 0, "", e)}, rows...), err
}

func (b *Backlog) tasks() map[int]*Task {
	all := make(map[int]*Task, len(b.Items))
	for _, it := range b.Items {
		all[it.ID] = &it.Task
	}
	return all
}

// sameAs returns an open task, one of those added just now included, that has the
// key or the title of t.
func (b *Backlog) sameAs(among map[int]*Task, t *Task) int {
	for id, o := range among {
		if id == t.ID {
			continue
		}
		if it := b.byID[id]; it != nil && it.Status != Pending && it.Status != Running {
			continue
		}
		if t.Key != "" && o.Key == t.Key || strings.EqualFold(strings.TrimSpace(o.Title), strings.TrimSpace(t.Title)) {
			return id
		}
	}
	return 0
}

// circle returns tasks that depend on each other, the first again at the end, or nil.
func circle(tasks map[int]*Task) []int {
	const open, closed = 1, 2
	mark := map[int]int{}
	var path []int
	var visit func(id int) []int
	visit = func(id int) []int {
		mark[id] = open
		path = append(path, id)
		for _, d := range tasks[id].Dependencies {
			switch {
			case tasks[d] == nil:
			case mark[d] == open:
				return append(slices.Clone(path[slices.Index(path, d):]), d)
			case mark[d] == 0:
				if c := visit(d); c != nil {
					return c
				}
			}
		}
		path = path[:len(path)-1]
		mark[id] = closed
		return nil
	}
	ids := make([]int, 0, len(tasks))
	for id := range tasks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if mark[id] == 0 {
			if c := visit(id); c != nil {
				return c
			}
		}
	}
	return nil
}

func arrows(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = fmt.Sprintf("t%d", id)
	}
	return strings.Join(words, " -> ")
}

// Drop returns the row that takes a task out of the backlog.
func (b *Backlog) Drop(id int, why string) ([]record.CampaignRow, error) {
	it, err := b.Item(id)
	if err != nil {
		return nil, err
	}
	if it.Status == Done || it.Status == Dropped {
		return nil, fmt.Errorf("%w: t%d is %s already", ErrTask, id, it.Status)
	}
	return []record.CampaignRow{row(kindDrop, id, "", words{why})}, nil
}

// Reopen returns the row that makes an ended task pending again.
func (b *Backlog) Reopen(id int, why string) ([]record.CampaignRow, error) {
	it, err := b.Item(id)
	if err != nil {
		return nil, err
	}
	if it.Status != Failed && it.Status != Dropped {
		return nil, fmt.Errorf("%w: t%d is %s; only a failed or dropped task is opened again", ErrTask, id, it.Status)
	}
	return []record.CampaignRow{row(kindReopen, id, "", words{why})}, nil
}

// Bound returns the row that sets the limits of the campaign.
func (s *State) Bound(v Settings) ([]record.CampaignRow, error) {
	if v.Jobs < 0 || v.Tasks < 0 || !(v.CostUSD >= 0) || v.CostUSD > 1e9 {
		return nil, fmt.Errorf("%w: limits are numbers from 0, 0 being none", ErrTask)
	}
	if a := v.Authority; a != nil && !(*a >= 0 && *a <= 1) {
		return nil, fmt.Errorf("%w: the authority of the ranker is between 0 and 1", ErrTask)
	}
	return []record.CampaignRow{row(kindSettings, 0, "", v)}, nil
}

// Answer returns the rows that accept or reject a proposal, and carry it out.
func (s *State) Answer(id int, accept bool) ([]record.CampaignRow, error) {
	i := slices.IndexFunc(s.Proposals, func(p Proposal) bool { return p.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w: there is no proposal %d; `atoll campaign status` lists them", ErrNoTask, id)
	}
	p := s.Proposals[i]
	if p.Answer != "" {
		return nil, fmt.Errorf("%w: proposal %d was %s already", ErrTask, id, p.Answer)
	}
	rows := []record.CampaignRow{row(kindAnswer, 0, "", answer{id, accept})}
	if !accept {
		return rows, nil
	}
	for _, t := range p.Drop {
		if it := s.byID[t]; it != nil && (it.Status == Pending || it.Status == Failed) {
			rows = append(rows, row(kindDrop, t, "", words{"proposal " + fmt.Sprint(id)}))
		}
	}
	next := s.NextID()
	add := slices.Clone(p.Add)
	for i := range add {
		add[i].ID = next + i
	}
	after := s.without(p.Drop)
	more, err := after.Put(add...)
	return append(rows, more...), err
}

// without is the backlog as it is once some tasks are dropped, for looking only.
func (b *Backlog) without(ids []int) *Backlog {
	c := newBacklog()
	for _, it := range b.Items {
		copied := *it
		if slices.Contains(ids, it.ID) {
			copied.Status = Dropped
		}
		c.Items = append(c.Items, &copied)
		c.byID[it.ID] = &copied
	}
	return &c
}
