package simulate_test

import (
	"math"
	"slices"
	"strings"
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
	p.Machines = 40
	if o := run(t, p); o.Ended != "cost" || !strings.HasPrefix(o.Limit, "the cost: ") {
		t.Errorf("a bound of $10 on 40 machines: %s, held back by %s", o.Ended, o.Limit)
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
	x, err := simulate.FromJobs(&p, jobs, 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "jobs an hour", x.PerHour, 360, 1e-9)
	near(t, "duplicates", p.Twins, 0.1, 1e-9)
	near(t, "failures of those measured", p.Fail, 1.0/9, 1e-9)
	near(t, "yield", p.Yield, 0.2, 1e-9)
	if _, err := simulate.FromJobs(&p, jobs[:10], 0, nil); err == nil {
		t.Error("ten jobs are enough")
	}
}

// paid are jobs of two agents, of which one costs money, whatever becomes of its edits.
func paid() []record.Job {
	var jobs []record.Job
	for n := range 60 {
		usd := 0.0
		j := record.NewJob(1, record.JobID(n+1), record.Make)
		j.State, j.Agent, j.EditMS, j.EvalMS, j.Ended = record.Scored, "offline", 10, 9000, record.Millis(10_000*n)
		if n%3 == 0 {
			usd = 0.01 * float64(1+n%2)
			j.Agent, j.EditMS = "writer", 20_000
		}
		switch n {
		case 3, 6: // it answered, and nothing could be used
			j.State, j.EvalMS = record.Failed, 0
		case 9:
			j.State, j.EvalMS = record.Duplicate, 0
		case 12:
			j.State = record.Cancelled
		}
		j.Usage.CostUSD, j.Usage.Requests = &usd, n%3
		jobs = append(jobs, j)
	}
	usd := 0.5
	reflect := record.NewJob(1, 61, record.Assist)
	reflect.State, reflect.Agent, reflect.Ended, reflect.Usage.CostUSD = record.Done, "thinker", 1000, &usd
	return append(jobs, reflect)
}

func TestASimulationCostsWhatTheJobsThatItLearnedFromDid(t *testing.T) {
	p := quiet(t)
	x, err := simulate.FromJobs(&p, paid(), 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	// 20 edits of the writer, half of them for one cent and half for two, of which one was cancelled; and one reflection.
	near(t, "all of them", x.Cost, 0.3+0.5, 1e-9)
	near(t, "of it beside edits", x.Beside, 0.5+0.01, 1e-9)
	near(t, "edits that give nothing", p.Barren, 2.0/59, 1e-9)
	if x.Unknown != 0 || len(x.Agents) != 2 || x.Agents[0].Agent != "writer" || x.Agents[0].Jobs != 19 || x.Agents[1].Cost != 0 {
		t.Errorf("by agent: %+v", x.Price)
	}
	p.Machines, p.Jobs = 3, x.Jobs
	again := run(t, p)
	near(t, "the same again", again.Cost, x.Cost, 1e-9)
	near(t, "of the writer", again.Agents[0].Cost, x.Agents[0].Cost, 1e-9)
	p.Machines, p.Jobs = 40, 20*x.Jobs
	near(t, "twenty times as many jobs on other machines", run(t, p).Cost, 20*x.Cost, 1e-9)
	p.Jobs, p.MaxCost = 0, 3
	if o := run(t, p); o.Ended != "cost" || o.Cost > 3 || o.Cost < 2.9 {
		t.Errorf("a bound of $3: %s at $%g", o.Ended, o.Cost)
	}
}

func TestWhatTheFirstHalfCostForetellsTheWhole(t *testing.T) {
	jobs := paid()
	p := quiet(t)
	x, err := simulate.FromJobs(&p, jobs, 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Jobs = x.Jobs
	simulate.FromFirstHalf(&p, jobs)
	first := 0.0
	for _, j := range jobs[:29] {
		first += *j.Usage.CostUSD
	}
	near(t, "twice the first half, where the reflection was", run(t, p).Cost, (first+0.5)/29*59, 0.02)
	for i := range jobs[30:60] { // what came later was ten times as dear
		*jobs[30+i].Usage.CostUSD *= 10
	}
	p.Past = nil
	simulate.FromFirstHalf(&p, jobs)
	near(t, "the first half knows nothing of the second", run(t, p).Cost, (first+0.5)/29*59, 0.02)
}

func TestACostThatNobodyCouldMeterIsToldAndCountsAsNothing(t *testing.T) {
	jobs := paid()
	for i := range jobs[:30] {
		jobs[i].Usage = record.Usage{Unmetered: true}
	}
	p := quiet(t)
	x, err := simulate.FromJobs(&p, jobs, 0, nil)
	if err != nil || x.Unknown != 30 || x.Agents[0].Unknown == 0 {
		t.Errorf("%+v, %v", x.Price, err)
	}
}

func TestAPlanThatCannotBeIsRefused(t *testing.T) {
	for name, change := range map[string]func(*simulate.Plan){
		"a cost below nothing":          func(p *simulate.Plan) { p.Cost = -1 },
		"a cost that is no number":      func(p *simulate.Plan) { p.Cost = math.NaN() },
		"a bound that is no number":     func(p *simulate.Plan) { p.MaxCost = math.NaN() },
		"a time below nothing":          func(p *simulate.Plan) { p.Travel = -time.Second },
		"a share above one":             func(p *simulate.Plan) { p.Barren = 1.5 },
		"a bound on what costs nothing": func(p *simulate.Plan) { p.Jobs, p.MaxCost = 0, 5 },
		"no machine":                    func(p *simulate.Plan) { p.Machines = 0 },
	} {
		p := quiet(t)
		change(&p)
		if _, err := simulate.Run(t.Context(), p, time.Now); err == nil {
			t.Errorf("%s is carried out", name)
		}
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
		x, err := simulate.FromJobs(&p, slices.DeleteFunc(slices.Clone(jobs), func(j record.Job) bool { return name != "" && j.Machine != name }), 0, nil)
		if slots := map[string]int{"wide": 3, "narrow": 1, "": 2}[name]; err != nil || x.Machines != machines || x.Slots != slots {
			t.Errorf("%q: %+v, %v; want %d machines of %d slots", name, x, err, machines, slots)
		}
	}
}

func TestSlotsAreThoseThatMachinesSaid(t *testing.T) {
	var jobs []record.Job
	for n := range 40 { // of two machines, one sample at a time on each
		jobs = append(jobs, record.Job{Kind: record.Make, State: record.Scored, Machine: []string{"a", "b"}[n%2], EvalMS: 900, Ended: record.Millis(1000 * (n/2 + 1))})
	}
	for _, tt := range []struct {
		name  string
		said  map[string]int
		slots int
		by    string
	}{
		{"both said", map[string]int{"a": 4, "b": 6, "gone": 50}, 5, simulate.SlotsSaid},
		{"one said", map[string]int{"a": 4}, 3, simulate.SlotsSeen},
		{"none said", nil, 1, simulate.SlotsSeen},
	} {
		p := simulate.Defaults()
		x, err := simulate.FromJobs(&p, jobs, 0, tt.said)
		if err != nil || x.Machines != 2 || x.Slots != tt.slots || x.SlotsBy != tt.by {
			t.Errorf("%s: %+v, %v", tt.name, x, err)
		}
	}
}
