package campaign

import (
	"fmt"
	"slices"
	"strings"

	"atoll/store/record"
)

// Backlog has the tasks of a campaign, with what became of them.
type Backlog struct {
	Items []*Item // by number

	byID map[int]*Item
}

func newBacklog() Backlog { return Backlog{byID: map[int]*Item{}} }

// Item returns a task by its number.
func (b *Backlog) Item(id int) (*Item, error) {
	if it := b.byID[id]; it != nil {
		return it, nil
	}
	return nil, fmt.Errorf("%w: there is no task t%d; `atoll backlog` lists them", ErrNoTask, id)
}

// NextID is the number of a task that is added now.
func (b *Backlog) NextID() int {
	if len(b.Items) == 0 {
		return 1
	}
	return b.Items[len(b.Items)-1].ID + 1
}

// StatusOf is the status as people see it, with ready and blocked, and why.
func (b *Backlog) StatusOf(it *Item) (Status, string) {
	if it.Status != Pending {
		return it.Status, it.Reason
	}
	var waits []string
	for _, d := range it.Dependencies {
		switch on := b.byID[d]; {
		case on == nil:
			return Blocked, fmt.Sprintf("t%d does not exist", d)
		case on.Status == Failed, on.Status == Dropped:
			return Blocked, fmt.Sprintf("t%d is %s", d, on.Status)
		case on.Status != Done:
			waits = append(waits, fmt.Sprintf("t%d", d))
		}
	}
	if len(waits) > 0 {
		return Pending, "waits for " + strings.Join(waits, ", ")
	}
	return Ready, it.Reason
}

func (b *Backlog) ready() []*Item {
	var out []*Item
	for _, it := range b.Items {
		if st, _ := b.StatusOf(it); st == Ready {
			out = append(out, it)
		}
	}
	return out
}

// costs are the jobs that tasks are likely to take: of those they may take, the share
// that earlier ones took.
func (b *Backlog) costs(tasks []*Item) map[int]float64 {
	used, may := 0, 0
	for _, it := range b.Items {
		if it.Command == "" && it.UsedJobs > 0 {
			used, may = used+it.UsedJobs, may+it.MakeJobs()*max(it.Attempt, 1)
		}
	}
	share := 1.0
	if may > 0 {
		share = min(1, float64(used)/float64(may))
	}
	out := make(map[int]float64, len(tasks))
	for _, it := range tasks {
		out[it.ID] = float64(it.MakeJobs())
		if it.Command == "" {
			out[it.ID] *= share
		}
	}
	return out
}

func (b *Backlog) put(t Task, at record.Millis) error {
	if it := b.byID[t.ID]; it != nil {
		it.Task = t
		return nil
	}
	it := &Item{Task: t, Status: Pending, Added: at}
	b.byID[t.ID] = it
	i, _ := slices.BinarySearchFunc(b.Items, t.ID, func(a *Item, id int) int { return a.ID - id })
	b.Items = slices.Insert(b.Items, i, it)
	return nil
}

func (b *Backlog) move(r record.CampaignRow, to Status, why string) error {
	it := b.byID[r.Task]
	if it == nil {
		return fmt.Errorf("there is no task %d", r.Task)
	}
	it.Status, it.Reason, it.Ended = to, why, 0
	if to != Pending {
		it.Ended = r.At
	}
	return nil
}
