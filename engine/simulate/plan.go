package simulate

import (
	"fmt"
	"math"
	"time"

	"atoll/store/record"
)

// Plan is the machines of a search, what may be spent, and how things go there.
type Plan struct {
	Machines  int           `json:"machines"`
	Slots     int           `json:"slots"`     // of each machine
	Workers   int           `json:"workers"`   // of the run itself: the least number of jobs in work
	Jobs      int           `json:"jobs"`      // make jobs; 0: no bound
	For       time.Duration `json:"for_ns"`    // of virtual time; 0: no bound
	MaxCost   float64       `json:"max_cost"`  // in dollars; 0: no bound
	Strict    bool          `json:"strict"`    // order: strict
	Lookahead int           `json:"lookahead"` // of it
	Seed      uint64        `json:"seed"`

	Edit     Times         `json:"-"`
	Eval     Times         `json:"-"`
	Overhead time.Duration `json:"overhead_ns"` // of the run for each job, one after the other
	Travel   time.Duration `json:"travel_ns"`   // of a task to a machine and of its result back
	Cost     float64       `json:"cost"`        // of one edit, in dollars
	Beside   float64       `json:"cost_beside"` // of what is no edit that ended, for each job: reflections, maps, what was cancelled
	Past     []Edit        `json:"-"`           // edits that were seen, of which each job gets one; none: Edit and Cost
	Barren   float64       `json:"barren"`      // share of edits that give no candidate
	Twins    float64       `json:"duplicates"`  // share of candidates that are known
	Fail     float64       `json:"fail"`        // share of the others that fail when measured
	Yield    float64       `json:"yield"`       // share of measured candidates that are better than their parent
	Loss     time.Duration `json:"loss_ns"`     // mean time until a machine is lost; 0: never
	Back     time.Duration `json:"back_ns"`     // until another stands in for it
	Lease    time.Duration `json:"lease_ns"`    // until the tasks of a lost machine go to others
}

// Edit is an edit as it was seen: of which agent, how long it took, and what it cost with
// all its requests, those that were tried again and those that led to nothing among them.
type Edit struct {
	Agent string
	Time  time.Duration // below 0: Edit of the plan tells
	Cost  float64       // in dollars
}

// Defaults is a plan with agents of half a minute and evaluations of one.
func Defaults() Plan {
	edit, _ := ParseTimes("lognormal:30s,0.6") // written here: they can be read
	eval, _ := ParseTimes("lognormal:1m,0.4")
	return Plan{
		Machines: 100, Slots: 1, Workers: 4, Jobs: 10_000, Lookahead: 8, Seed: 1, Edit: edit, Eval: eval,
		Overhead: 2 * time.Millisecond, Travel: 2 * time.Millisecond, Fail: 0.1, Twins: 0.05, Yield: 0.1, Back: 5 * time.Minute, Lease: 20 * time.Second,
	}
}

// check says what is wrong with a plan.
func (p *Plan) check() error {
	for _, b := range []struct {
		name  string
		value int
		least int
		most  int
	}{
		{"machines", p.Machines, 1, 1_000_000},
		{"slots", p.Slots, 1, 4096},
		{"jobs", p.Jobs, 0, 100_000_000},
		{"lookahead", p.Lookahead, 1, 1_000_000},
		{"workers", p.Workers, 1, 1024},
	} {
		if b.value < b.least || b.value > b.most {
			return fmt.Errorf("%s: %d is not from %d to %d", b.name, b.value, b.least, b.most)
		}
	}
	for _, s := range []struct {
		name  string
		value float64
	}{{"fail", p.Fail}, {"barren", p.Barren}, {"duplicates", p.Twins}, {"yield", p.Yield}} {
		if !(s.value >= 0 && s.value <= 1) {
			return fmt.Errorf("%s: %g is no share from 0 to 1", s.name, s.value)
		}
	}
	if !(p.Cost >= 0 && p.Cost <= record.MostUSD) || !(p.MaxCost >= 0) || math.IsInf(p.MaxCost, 1) {
		return fmt.Errorf("cost: $%g of an edit and $%g in all are not both from $0 on", p.Cost, p.MaxCost)
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"for", p.For}, {"overhead", p.Overhead}, {"travel", p.Travel}, {"loss", p.Loss}, {"back", p.Back}, {"lease", p.Lease},
	} {
		if d.value < 0 {
			return fmt.Errorf("%s: %s is no time from 0 on", d.name, d.value)
		}
	}
	if p.Jobs == 0 && p.For <= 0 && p.MaxCost <= 0 {
		return fmt.Errorf("nothing bounds it: give a number of jobs, a time or a cost")
	}
	if p.Jobs == 0 && p.For <= 0 && p.mean() == 0 {
		return fmt.Errorf("nothing bounds it: jobs cost nothing; give a number of jobs or a time")
	}
	if p.Edit.draw == nil && p.Eval.draw == nil && p.Overhead <= 0 {
		return fmt.Errorf("nothing takes any time: give the time of an edit and of an evaluation")
	}
	return nil
}

// Outcome is what came of a plan.
type Outcome struct {
	Machines   int     `json:"machines"`
	Slots      int     `json:"slots"` // of all of them
	Jobs       int     `json:"jobs"`  // make jobs that ended
	Seconds    float64 `json:"seconds"`
	PerHour    float64 `json:"jobs_per_hour"`
	Busy       float64 `json:"busy"`        // share of the time of all slots
	WaitSlot   float64 `json:"wait_slot_s"` // mean time that a candidate waited for a slot
	WaitJob    float64 `json:"idle_job_s"`  // mean time that a slot waited for a candidate
	Stale      float64 `json:"stale"`       // mean number of results folded between the choice of a parent and the end of its child
	Cost       float64 `json:"cost"`        // of all jobs that began, in dollars
	PerJob     float64 `json:"cost_per_job"`
	Lost       int     `json:"lost"`   // measurements that were lost with a machine
	Barren     int     `json:"barren"` // edits that gave no candidate
	Failed     int     `json:"failed"`
	Duplicates int     `json:"duplicates"`
	Best       float64 `json:"best"`
	Filled     int     `json:"niches"`
	Ended      string  `json:"ended"` // what ended it: jobs, time, cost or nothing left
	Limit      string  `json:"limit"` // what held it back
	Points     []Point `json:"points,omitempty"`
	Agents     []Spent `json:"agents,omitempty"` // dearest first
	RealMS     int64   `json:"simulated_in_ms"`
}

// Spent is what the jobs of an agent cost.
type Spent struct {
	Agent   string  `json:"agent"` // "": what is given for all edits
	Jobs    int     `json:"jobs"`
	Cost    float64 `json:"cost"`                   // in dollars
	Unknown int     `json:"cost_unknown,omitempty"` // jobs that cost what nobody could meter
}

// Point is how a search stood at a moment.
type Point struct {
	Seconds float64 `json:"seconds"`
	Jobs    int     `json:"jobs"`
	Best    float64 `json:"best"`
	Filled  int     `json:"niches"`
	Cost    float64 `json:"cost"`
}
