package campaign

import (
	"context"
	"encoding/json"
	"fmt"

	"atoll/store/record"
)

// Journal keeps the log of a campaign; *store.DB is one. AppendCampaign writes all
// rows or none, and only when nothing was written after the given position.
type Journal interface {
	CampaignLog(ctx context.Context, after record.Seq) ([]record.CampaignRow, error)
	AppendCampaign(ctx context.Context, after record.Seq, rows ...record.CampaignRow) (record.Seq, error)
}

// State is a campaign as the log tells it: the same rows give the same state. Read
// its fields, do not change them.
type State struct {
	Backlog

	Seq       record.Seq
	Began     record.Hash // what the branch began with; zero before the first run
	Head      record.Hash // of the branch; zero before the first run
	Settings  Settings
	Proposals []Proposal
	Health    []Health // of the root and of every commit that was accepted, oldest first
	Lessons   []string
	Plans     []Plan // of every attempt, oldest first
	Epics     []Epic // oldest first
	Spent     Spent
	Warned    bool // that the budget is nearly used up
	Ranker    Ranker
}

// Spent is what the attempts so far took.
type Spent struct {
	Tasks int     `json:"tasks"`
	Jobs  int     `json:"jobs"`
	USD   float64 `json:"usd"`
}

// Plan is one decision of the planner: which task was begun, and which the formula
// and the ranker would have taken.
type Plan struct {
	Task       int     `json:"task"`
	Attempt    int     `json:"attempt"`
	Why        string  `json:"why"`
	Baseline   int     `json:"baseline"`
	Suggestion int     `json:"suggestion"`
	Authority  float64 `json:"authority"`
	By         string  `json:"by,omitempty"` // who chose the task; "" = the formula

	At         record.Millis `json:"at"`
	Experiment string        `json:"experiment"`
	Root       record.Hash   `json:"root"`
	Status     Status        `json:"status"`           // running, or what the attempt came to; pending: it failed and is tried again
	Reason     string        `json:"reason,omitempty"` // why, in words
	Winner     string        `json:"winner,omitempty"`
	Commit     record.Hash   `json:"commit,omitzero"`
	Ended      record.Millis `json:"ended,omitempty"`
}

// Load folds the whole log.
func Load(ctx context.Context, j Journal) (*State, error) {
	s := NewState()
	return s, s.Follow(ctx, j)
}

// NewState is a campaign without rows.
func NewState() *State { return &State{Backlog: newBacklog()} }

// Follow folds the rows that came since.
func (s *State) Follow(ctx context.Context, j Journal) error {
	rows, err := j.CampaignLog(ctx, s.Seq)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := s.fold(r); err != nil {
			return err
		}
	}
	return nil
}

// fold takes in one row.
func (s *State) fold(r record.CampaignRow) error {
	if r.Seq != s.Seq+1 {
		return fmt.Errorf("%w: row %d follows row %d", ErrLog, r.Seq, s.Seq)
	}
	if err := s.take(r); err != nil {
		return fmt.Errorf("%w: row %d (%s): %v", ErrLog, r.Seq, r.Kind, err)
	}
	s.Seq = r.Seq
	return nil
}

func (s *State) take(r record.CampaignRow) error {
	switch r.Kind {
	case kindTask:
		return with(r, func(t *Task) error { return s.put(*t, r.At) })
	case kindDrop:
		return with(r, func(w *words) error { return s.move(r, Dropped, w.Text) })
	case kindDone:
		return with(r, func(w *words) error { return s.move(r, Done, w.Text) })
	case kindFail:
		return with(r, func(w *words) error { return s.move(r, Failed, w.Text) })
	case kindReopen:
		return with(r, func(w *words) error {
			if it := s.byID[r.Task]; it != nil {
				it.Attempt = 0
			}
			return s.move(r, Pending, w.Text)
		})
	case kindEpic:
		return with(r, func(e *Epic) error {
			e.At, e.Who = r.At, r.Who
			s.Epics = append(s.Epics, *e)
			s.Spent.USD += e.USD
			return nil
		})
	case kindSettings:
		return with(r, func(v *Settings) error { s.Settings = *v; return nil })
	case kindHead:
		return with(r, func(h *head) error {
			if s.Began.IsZero() {
				s.Began = h.Commit
			}
			s.Head = h.Commit
			return nil
		})
	case kindStart:
		return with(r, func(v *start) error { return s.begin(r, v) })
	case kindEnd:
		return with(r, func(v *Outcome) error { return s.end(r, v) })
	case kindHealth:
		return with(r, func(h *Health) error { s.Health = append(s.Health, *h); return nil })
	case kindLesson:
		return with(r, func(w *words) error { s.Lessons = append(s.Lessons, w.Text); return nil })
	case kindWarn:
		s.Warned = true
		return nil
	case kindPropose:
		return with(r, func(p *Proposal) error {
			p.ID = int(r.Seq)
			s.Proposals = append(s.Proposals, *p)
			return nil
		})
	case kindAnswer:
		return with(r, func(a *answer) error { return s.answered(a) })
	}
	return fmt.Errorf("the kind is unknown; a newer atoll wrote it")
}

// with decodes the data of a row.
func with[T any](r record.CampaignRow, fn func(*T) error) error {
	var v T
	if err := json.Unmarshal(r.Data, &v); err != nil {
		return err
	}
	return fn(&v)
}

func (s *State) begin(r record.CampaignRow, v *start) error {
	it := s.byID[r.Task]
	if it == nil {
		return fmt.Errorf("there is no task %d", r.Task)
	}
	it.Status, it.Reason, it.Attempt, it.Root, it.Experiment = Running, "", v.Attempt, v.Root, v.Experiment
	it.Checks, it.Winner, it.Gain = nil, "", nil
	s.Plans = append(s.Plans, Plan{
		Task: r.Task, Attempt: v.Attempt, Why: v.Why, Baseline: v.Baseline, Suggestion: v.Suggestion, Authority: v.Authority, By: v.By,
		At: r.At, Experiment: v.Experiment, Root: v.Root, Status: Running,
	})
	s.Ranker.begin(r.Task, features(&it.Task), v)
	return nil
}

func (s *State) end(r record.CampaignRow, v *Outcome) error {
	it := s.byID[r.Task]
	if it == nil {
		return fmt.Errorf("there is no task %d", r.Task)
	}
	it.Status, it.Reason, it.Checks, it.Winner, it.Gain = v.Status, v.Reason, v.Checks, v.Winner, v.Gain
	it.UsedJobs += v.Jobs
	it.UsedUSD += v.USD
	if v.Status != Pending {
		it.Ended = r.At
	}
	for i := len(s.Plans) - 1; i >= 0; i-- {
		if p := &s.Plans[i]; p.Task == r.Task {
			p.Status, p.Reason, p.Winner, p.Commit, p.Ended = v.Status, v.Reason, v.Winner, v.Commit, r.At
			break
		}
	}
	if !v.Commit.IsZero() {
		it.Commit, s.Head = v.Commit, v.Commit
	}
	s.Spent.Tasks++
	s.Spent.Jobs += v.Jobs
	s.Spent.USD += v.USD
	s.Lessons = append(s.Lessons, v.Lessons...)
	if v.Status == Dropped { // by a person: that says nothing about what it gains
		return nil
	}
	gain := 0.0
	if v.Gain != nil && v.Status == Done {
		gain = max(0, *v.Gain)
	}
	s.Ranker.end(r.Task, gain, costOf(v), s.Settings.cap())
	return nil
}

// costOf is what the ranker counts as the price of an attempt: its jobs, and one
// for the attempt itself.
func costOf(v *Outcome) float64 { return 1 + float64(v.Jobs) }

func (s *Settings) cap() float64 {
	if s.Authority == nil {
		return 1
	}
	return *s.Authority
}

func (s *State) answered(a *answer) error {
	for i := range s.Proposals {
		if p := &s.Proposals[i]; p.ID == a.Proposal {
			p.Answer = "rejected"
			if a.Accept {
				p.Answer = "accepted"
			}
			return nil
		}
	}
	return fmt.Errorf("there is no proposal %d", a.Proposal)
}
