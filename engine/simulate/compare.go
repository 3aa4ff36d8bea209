package simulate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"atoll/store/record"
)

// Sweep carries out a plan with ever more machines, up to those of the plan, each
// until the jobs or the time of the plan are used up. Jobs may be fewer there:
// most bounds them, 0 does not.
func Sweep(ctx context.Context, p Plan, most int, now func() time.Time) ([]Outcome, error) {
	var out []Outcome
	for _, n := range steps(p.Machines) {
		q := p
		q.Machines = n
		if most > 0 && (q.Jobs == 0 || q.Jobs > most) {
			q.Jobs = most
		}
		o, err := Run(ctx, q, now)
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

// Ordering is a plan carried out in one order of its results.
type Ordering struct {
	Order     string  `json:"order"`     // completion or strict
	Lookahead int     `json:"lookahead"` // of strict
	Costs     float64 `json:"costs"`     // share of the throughput in order of completion that is lost
	Outcome   Outcome `json:"outcome"`
}

// Orders carries out a plan with the same machines in either order of results, and in
// strict order with the plan's lookahead, one and a quarter of the slots, and twice the
// slots. Jobs are bounded as for [Sweep].
func Orders(ctx context.Context, p Plan, most int, now func() time.Time) ([]Ordering, error) {
	if most > 0 && (p.Jobs == 0 || p.Jobs > most) {
		p.Jobs = most
	}
	p.Strict = false
	free, err := Run(ctx, p, now)
	if err != nil {
		return nil, err
	}
	out := []Ordering{{Order: "completion", Outcome: free}}
	slots := p.Machines * p.Slots
	looks := []int{p.Lookahead, slots + slots/4, 2 * slots}
	slices.Sort(looks)
	for _, n := range slices.Compact(looks) {
		p.Strict, p.Lookahead = true, max(1, n)
		o, err := Run(ctx, p, now)
		if err != nil {
			return out, err
		}
		one := Ordering{Order: "strict", Lookahead: p.Lookahead, Outcome: o}
		if free.PerHour > 0 {
			one.Costs = 1 - o.PerHour/free.PerHour
		}
		out = append(out, one)
	}
	return out, nil
}

// steps are 1, 2, 4 and so on, and the last.
func steps(last int) []int {
	var out []int
	for n := 1; n < last; n *= 2 {
		out = append(out, n)
	}
	return append(out, last)
}

// enough is the gain in throughput below which machines that are half as many
// again are said to help no more, as a share of what they should bring.
const enough = 0.3

// Knee is the first number of machines from which the next step brings less than
// 30 % of what it should; 0: each step brings more.
func Knee(sweep []Outcome) int {
	for i := 1; i < len(sweep); i++ {
		a, b := sweep[i-1], sweep[i]
		should := float64(b.Slots)/float64(a.Slots) - 1
		if a.PerHour > 0 && (b.PerHour/a.PerHour-1) < enough*should {
			return a.Machines
		}
	}
	return 0
}

// Experience is what an experiment showed of itself.
type Experience struct {
	Jobs    int     `json:"jobs"`
	PerHour float64 `json:"jobs_per_hour"` // between the end of the first and of the last, without the time in which the run stood
	Still   float64 `json:"still_s"`       // for so many seconds nothing was done: nobody ran it, or it was paused
	// Machines measured them on the average, of Seen that were there at some time, each so
	// many samples at the same time; SlotsBy is how that is known.
	Machines int    `json:"machines"`
	Seen     int    `json:"machines_seen"`
	Slots    int    `json:"slots"`
	SlotsBy  string `json:"slots_by"` // [SlotsSaid], [SlotsSeen] or [SlotsGiven]
	Price
	PerJob float64 `json:"cost_per_job"` // of make jobs
}

// How the slots of an experiment's machines are known.
const (
	SlotsSaid  = "joined" // each machine said so when it joined
	SlotsSeen  = "seen"   // the most that were busy together, at least of a machine that did not say: it may have had more
	SlotsGiven = "given"  // by a person, where not all machines said
)

// FromJobs takes over into a plan what the jobs of an experiment showed: times, failures
// and duplicates of its make jobs, and what all of them cost. improved is how many of its
// candidates are better than their parents; said are the slots of the machines that told.
func FromJobs(p *Plan, all []record.Job, improved int, said map[string]int) (Experience, error) {
	jobs := slices.DeleteFunc(slices.Clone(all), func(j record.Job) bool { return !isEdit(&j) })
	if len(jobs) < 20 {
		return Experience{}, fmt.Errorf("the experiment has %d jobs that ended: 20 are needed to learn from", len(jobs))
	}
	var edits, evals []time.Duration
	var barren, failed, twins, scored int
	first, last := jobs[0].Ended, jobs[0].Ended
	for _, j := range jobs {
		edits = append(edits, time.Duration(j.EditMS)*time.Millisecond)
		if j.EvalMS > 0 {
			evals = append(evals, time.Duration(j.EvalMS)*time.Millisecond)
		}
		switch {
		case j.State == record.Duplicate:
			twins++
		case j.State != record.Failed && j.State != record.Rejected:
			scored++
		case j.EvalMS > 0:
			failed++
		default:
			barren++
		}
		first, last = min(first, j.Ended), max(last, j.Ended)
	}
	n := float64(len(jobs))
	p.Edit, p.Eval = MeasuredTimes(edits), MeasuredTimes(evals)
	x := Experience{Jobs: len(jobs), Price: priceOf(all)}
	x.PerJob = x.Cost / n
	p.Past, p.Beside = pastOf(jobs), x.Beside/n
	p.Cost = (x.Cost - x.Beside) / n
	p.Barren, p.Twins, p.Fail, p.Yield = float64(barren)/n, share(twins, len(jobs)-barren), share(failed, failed+scored), share(improved, scored)
	still := stood(jobs)
	x.Still = float64(still) / 1000
	x.attended(jobs, said)
	if busy := float64(last-first) - float64(still); busy > 0 {
		x.PerHour = (n - 1) / (busy / 3.6e6)
	}
	return x, nil
}

// share is a part of a whole; of nothing it is nothing.
func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }
