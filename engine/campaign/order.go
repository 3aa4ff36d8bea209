package campaign

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// Position is a ready task's place in the order, and why it stands there.
type Position struct {
	Task  int     `json:"task"`
	Title string  `json:"title"`
	WSJF  float64 `json:"wsjf"`
	// Expected is the gain in percent per job that the ranker expects; nil: it has
	// no opinion yet.
	Expected *float64 `json:"expected,omitempty"`
	By       string   `json:"by"`  // who put it here: formula or ranker
	Why      string   `json:"why"` // in words
	Fits     bool     `json:"fits"`
}

// Who puts a task at its place.
const (
	ByFormula = "formula"
	ByRanker  = "ranker"
)

// warnAt is the share of a budget after which the campaign warns, once.
const warnAt = 0.8

// Order returns the ready tasks in the order in which they would be begun. The
// ranker chooses as many of the places as its authority is a share of them, spread
// evenly; the formula the others. It changes nothing.
func (s *State) Order(now time.Time) []Position {
	o := s.choice()
	chosen := o.better()
	out := make([]Position, 0, len(o.tasks))
	placed := map[int]bool{}
	put := func(it *Item, by string) {
		placed[it.ID] = true
		p := Position{Task: it.ID, Title: it.Title, WSJF: it.WSJF(), By: by, Fits: s.fits(&it.Task) == ""}
		if v, ok := o.expected[it.ID]; ok {
			p.Expected = &v
		}
		p.Why = s.why(it, p, now)
		out = append(out, p)
	}
	turn := s.Ranker.turn
	for _, it := range o.tasks {
		for turn += mostTurns * s.authority(); turn >= 1 && len(chosen) > 0; turn += mostTurns*s.authority() - 1 {
			put(chosen[0], ByRanker)
			chosen = chosen[1:]
		}
		if !placed[it.ID] {
			put(it, ByFormula)
		}
	}
	return out
}

// byWSJF orders tasks as the formula does: by WSJF, then priority, then age.
func byWSJF(a, b *Item) int {
	return cmp.Or(cmp.Compare(b.WSJF(), a.WSJF()), cmp.Compare(b.priority(), a.priority()), cmp.Compare(a.Added, b.Added), cmp.Compare(a.ID, b.ID))
}

func (s *State) authority() float64 { return min(s.Ranker.Authority, s.Settings.cap()) }

func (s *State) why(it *Item, p Position, now time.Time) string {
	text := fmt.Sprintf("WSJF %s = (%s)/%s, priority %d, waits %s", short(p.WSJF), sumText(&it.Task), short(it.size()), it.priority(), age(now, it))
	if p.By == ByRanker {
		text = fmt.Sprintf("the ranker expects %s %% a job; %s", short(*p.Expected), text)
	}
	if over := s.fits(&it.Task); over != "" {
		text += "; " + over
	}
	return text
}

func sumText(t *Task) string {
	if t.Value+t.Urgency+t.Risk == 0 {
		return fmt.Sprintf("priority %d", t.priority())
	}
	return fmt.Sprintf("%s + %s + %s", short(t.Value), short(t.Urgency), short(t.Risk))
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

func age(now time.Time, it *Item) string {
	d := max(0, now.Sub(time.UnixMilli(int64(it.Added))))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// fits says, in words, what of the budget is too little for a task; "" = nothing.
func (s *State) fits(t *Task) string {
	b := s.Settings
	switch {
	case b.Tasks > 0 && s.Spent.Tasks >= b.Tasks:
		return fmt.Sprintf("the budget of %d tasks is used up", b.Tasks)
	case b.Jobs > 0 && s.Spent.Jobs >= b.Jobs:
		return fmt.Sprintf("the budget of %d jobs is used up", b.Jobs)
	case b.Jobs > 0 && s.Spent.Jobs+t.MakeJobs() > b.Jobs:
		return fmt.Sprintf("it may take %d jobs, and %d of %d are left", t.MakeJobs(), b.Jobs-s.Spent.Jobs, b.Jobs)
	case b.CostUSD > 0 && s.Spent.USD >= b.CostUSD:
		return fmt.Sprintf("the budget of $%s is used up", short(b.CostUSD))
	case b.CostUSD > 0 && s.Spent.USD+t.CostUSD > b.CostUSD:
		return fmt.Sprintf("it may cost $%s, and $%s of $%s are left", short(t.CostUSD), short(b.CostUSD-s.Spent.USD), short(b.CostUSD))
	}
	return ""
}

// nearlySpent says that a budget is used to four fifths; "" = it is not.
func (s *State) nearlySpent() string {
	b := s.Settings
	switch {
	case b.Jobs > 0 && float64(s.Spent.Jobs) >= warnAt*float64(b.Jobs):
		return fmt.Sprintf("%d of %d jobs of the campaign are used", s.Spent.Jobs, b.Jobs)
	case b.CostUSD > 0 && s.Spent.USD >= warnAt*b.CostUSD:
		return fmt.Sprintf("$%s of $%s of the campaign are spent", short(s.Spent.USD), short(b.CostUSD))
	case b.Tasks > 0 && float64(s.Spent.Tasks) >= warnAt*float64(b.Tasks):
		return fmt.Sprintf("%d of %d attempts of the campaign are made", s.Spent.Tasks, b.Tasks)
	}
	return ""
}

// raise says what to do about a budget that is used up.
const raise = "`atoll campaign set` raises a budget, and the next run goes on"

// next is the task to begin: the first of an order that fits the budget. ok is
// false when there is none; why says so in words.
func (s *State) next(order []Position) (p Position, why string, ok bool) {
	for _, p := range order {
		if p.Fits {
			return p, "", true
		}
	}
	if len(order) == 0 {
		return p, "no task is ready", false
	}
	it := s.byID[order[0].Task]
	return p, fmt.Sprintf("t%d is next, but %s; %s", it.ID, s.fits(&it.Task), raise), false
}
