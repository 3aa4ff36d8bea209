package simulate_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"atoll/engine/simulate"
	"atoll/store/record"
)

// quiet is a plan in which nothing is left to chance.
func quiet(t *testing.T) simulate.Plan {
	t.Helper()
	p := simulate.Defaults()
	p.Edit, p.Eval = times(t, "1s"), times(t, "10s")
	p.Fail, p.Twins, p.Overhead, p.Travel, p.Jobs = 0, 0, 0, 0, 400
	return p
}

func times(t *testing.T, text string) simulate.Times {
	t.Helper()
	d, err := simulate.ParseTimes(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func run(t *testing.T, p simulate.Plan) simulate.Outcome {
	t.Helper()
	o, err := simulate.Run(t.Context(), p, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by*want {
		t.Errorf("%s: %g, want %g within %g %%", what, got, want, 100*by)
	}
}

func TestThroughputIsWhatArithmeticSays(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*simulate.Plan)
		want   float64 // jobs an hour
	}{
		{"four machines that measure ten seconds each", func(p *simulate.Plan) { p.Machines = 4 }, 4 * 360},
		{"two machines of two slots", func(p *simulate.Plan) { p.Machines, p.Slots = 2, 2 }, 4 * 360},
		{"strict order with two jobs at a time of eleven seconds", func(p *simulate.Plan) { p.Machines, p.Strict, p.Lookahead = 50, true, 2 }, 2 * 3600 / 11},
		{"a run that takes a minute of its own for each job", func(p *simulate.Plan) { p.Machines, p.Overhead, p.Jobs = 50, time.Minute, 200 }, 60},
	} {
		p := quiet(t)
		tt.change(&p)
		o := run(t, p)
		near(t, tt.name, o.PerHour, tt.want, 0.05)
		if o.Jobs != p.Jobs || o.Ended != "jobs" {
			t.Errorf("%s: %d jobs, ended by %s", tt.name, o.Jobs, o.Ended)
		}
	}
}

func TestOneSeedGivesOneOutcome(t *testing.T) {
	p := simulate.Defaults()
	p.Machines, p.Jobs, p.Loss = 20, 2000, 2*time.Hour
	a, b := run(t, p), run(t, p)
	a.RealMS, b.RealMS = 0, 0
	if len(a.Points) != len(b.Points) || a.Best != b.Best || a.Seconds != b.Seconds || a.Lost != b.Lost {
		t.Errorf("%+v and %+v", a, b)
	}
	p.Seed++
	if c := run(t, p); c.Seconds == a.Seconds {
		t.Error("another seed gives the same")
	}
}

func TestMachinesThatAreLostCostWhatTheyMeasured(t *testing.T) {
	p := quiet(t)
	p.Machines, p.Loss, p.Back, p.Jobs = 10, 10*time.Minute, time.Minute, 4000
	o := run(t, p)
	if o.Lost == 0 || o.Jobs != p.Jobs {
		t.Errorf("%d lost, %d of %d jobs ended", o.Lost, o.Jobs, p.Jobs)
	}
	p.Loss = 0
	if whole := run(t, p); whole.PerHour <= o.PerHour {
		t.Errorf("%g jobs an hour with losses, %g without", o.PerHour, whole.PerHour)
	}
}

func TestBudgetsEndASimulation(t *testing.T) {
	p := quiet(t)
	p.Machines, p.Jobs, p.For = 4, 0, time.Hour
	if o := run(t, p); o.Ended != "time" || o.Seconds != 3600 {
		t.Errorf("a bound of an hour: %s after %g s", o.Ended, o.Seconds)
	}
	p.For, p.Cost, p.MaxCost = 0, 0.5, 10
	if o := run(t, p); o.Ended != "cost" || o.Cost > 10 {
		t.Errorf("a bound of $10: %s at $%g", o.Ended, o.Cost)
	}
	p.MaxCost = 0
	if _, err := simulate.Run(t.Context(), p, time.Now); err == nil {
		t.Error("without any bound it runs")
	}
}

func TestMoreMachinesThanStrictOrderCanFeedHelpNoMore(t *testing.T) {
	p := quiet(t)
	p.Machines, p.Strict, p.Lookahead = 32, true, 8
	sweep, err := simulate.Sweep(t.Context(), p, 300, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if k := simulate.Knee(sweep); k != 8 {
		t.Errorf("the knee is at %d machines, want 8: %+v", k, sweep)
	}
}

func TestWhatStrictOrderCostsIsTold(t *testing.T) {
	p := quiet(t)
	p.Machines, p.Lookahead = 32, 8
	list, err := simulate.Orders(t.Context(), p, 0, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	looks := []int{}
	for _, o := range list {
		looks = append(looks, o.Lookahead)
	}
	if !slices.Equal(looks, []int{0, 8, 40, 64}) {
		t.Fatalf("lookaheads %v", looks)
	}
	// Eight jobs of eleven seconds at a time instead of thirty-two of ten.
	near(t, "the share that is lost with 8", list[1].Costs, 1-8.0/11/(32.0/10), 0.1)
	if list[3].Costs > 0.1 {
		t.Errorf("with twice the slots %.0f %% are lost", 100*list[3].Costs)
	}
}

func TestAPlanLearnsFromTheJobsOfAnExperiment(t *testing.T) {
	var jobs []record.Job
	for n := range 100 {
		j := record.NewJob(1, record.JobID(n+1), record.Make)
		j.State, j.EditMS, j.EvalMS, j.Ended = record.Scored, 1000, 9000, record.Millis(10_000*n)
		switch n % 10 {
		case 0:
			j.State, j.EvalMS = record.Duplicate, 0
		case 1:
			j.State = record.Failed
		}
		jobs = append(jobs, j)
	}
	p := quiet(t)
	x, err := simulate.FromJobs(&p, jobs, 16)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "jobs an hour", x.PerHour, 360, 1e-9)
	near(t, "duplicates", p.Twins, 0.1, 1e-9)
	near(t, "failures of those measured", p.Fail, 1.0/9, 1e-9)
	near(t, "yield", p.Yield, 0.2, 1e-9)
	if _, err := simulate.FromJobs(&p, jobs[:10], 0); err == nil {
		t.Error("ten jobs are enough")
	}
}

func TestTimesAreReadOrRefused(t *testing.T) {
	for _, good := range []string{"30s", "fixed:0s", "exp:1m", "lognormal:30s,0.8", "uniform:1s,2s"} {
		if d, err := simulate.ParseTimes(good); err != nil || d.String() != good {
			t.Errorf("%q: %v, %v", good, d, err)
		}
	}
	for _, bad := range []string{"", "30", "-1s", "exp:1s,2s", "lognormal:30s", "lognormal:30s,9", "uniform:2s,1s", "gauss:1s"} {
		if _, err := simulate.ParseTimes(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestMachinesAndSlotsAreThoseThatMeasured(t *testing.T) {
	var jobs []record.Job
	for n := range 100 { // two machines, of three slots and of one, each with one after the other
		j := record.Job{Kind: record.Make, State: record.Scored, Machine: "wide", EvalMS: 1000, Ended: record.Millis(1000*(n/4) + 1000 + n%4*20)}
		if n%4 == 3 {
			j.Machine = "narrow"
		}
		jobs = append(jobs, j)
	}
	for name, machines := range map[string]int{"wide": 1, "narrow": 1, "": 2} {
		p := simulate.Defaults()
		x, err := simulate.FromJobs(&p, slices.DeleteFunc(slices.Clone(jobs), func(j record.Job) bool { return name != "" && j.Machine != name }), 0)
		if slots := map[string]int{"wide": 3, "narrow": 1, "": 2}[name]; err != nil || x.Machines != machines || x.Slots != slots {
			t.Errorf("%q: %+v, %v; want %d machines of %d slots", name, x, err, machines, slots)
		}
	}
}
