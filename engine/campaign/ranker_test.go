package campaign

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"atoll/store/record"
)

// market is a backlog whose gains and costs are scripted.
type market struct {
	state *State
	gain  gain
	jobs  map[int]int
	luck  map[int]float64 // between 0.7 and 1.3
}

// gain is what a task brings when a share of the budget is spent.
type gain func(t *Task, spent, luck float64) float64

// markets differ in how truly what people wrote into a task, and its component, tell
// what it brings.
var markets = []struct {
	name    string
	gain    gain
	peak    float64 // authority that is reached in the mean, at least
	most    float64 // authority at the end in the mean, at most
	atLeast float64 // gain of the formula alone that is reached in the mean
}{
	{"people's values are true", func(t *Task, _, luck float64) float64 { return t.Value * luck }, 0, 0.1, 0.99},
	{"people's values lie and the component tells", func(t *Task, _, luck float64) float64 {
		return byComponent(t) * (11 - t.Value) / 5 * luck
	}, 0.6, 1, 1.1},
	{"the component tells first and misleads later", func(t *Task, spent, luck float64) float64 {
		if spent < 0.5 {
			return byComponent(t) * luck
		}
		return (12.5 - byComponent(t)) * luck
	}, 0.5, 0.2, 1},
	{"what the component tells turns slowly into its opposite", func(t *Task, spent, luck float64) float64 {
		return (byComponent(t)*(1-spent) + (12.5-byComponent(t))*spent) * luck
	}, 0.3, 0.2, 0.99},
	{"the component tells until most of the budget is spent", func(t *Task, spent, luck float64) float64 {
		if spent < 0.6 {
			return byComponent(t) * luck
		}
		return (12.5 - byComponent(t)) * luck
	}, 0.5, 0.3, 1},
	{"the component tells until half of the budget is spent, and then nothing gains", func(t *Task, spent, luck float64) float64 {
		if spent < 0.5 {
			return byComponent(t) * luck
		}
		return 0.1
	}, 0.5, 0.3, 1},
	{"gains are luck alone", func(_ *Task, _, luck float64) float64 { return 10 * (luck - 0.7) }, 0, 0.1, 0.99},
}

func byComponent(t *Task) float64 {
	return map[string]float64{"a": 0.5, "b": 2, "c": 6, "d": 12}[t.Component]
}

const (
	marketTasks = 60
	marketJobs  = 700
)

func newMarket(seed uint64, g gain) *market {
	rng := rand.New(rand.NewPCG(seed, 7))
	m := &market{state: NewState(), gain: g, jobs: map[int]int{}, luck: map[int]float64{}}
	for id := 1; id <= marketTasks; id++ {
		t := Task{ID: id, Title: "t", Value: 1 + 9*rng.Float64(), Size: 1 + 4*rng.Float64(), Component: string(rune('a' + rng.IntN(4)))}
		t.Jobs = int(math.Round(10 * t.Size))
		m.jobs[id], m.luck[id] = t.Jobs, 0.7+0.6*rng.Float64()
		_ = m.state.put(t, record.Millis(id))
	}
	m.state.Settings.Jobs = marketJobs
	return m
}

// run works the backlog until nothing fits the budget any more. It returns the total
// gain, and the highest authority on the way.
func (m *market) run(t *testing.T) (total, peak float64) {
	t.Helper()
	s := m.state
	fold := func(r record.CampaignRow) {
		r.Seq = s.Seq + 1
		if err := s.fold(r); err != nil {
			t.Fatal(err)
		}
	}
	for {
		order := s.Order(time.UnixMilli(0))
		p, _, ok := s.next(order)
		if !ok {
			return total, peak
		}
		fold(row(kindStart, p.Task, "", s.startOf(p, order)))
		g := m.gain(&s.byID[p.Task].Task, float64(s.Spent.Jobs)/marketJobs, m.luck[p.Task])
		fold(row(kindEnd, p.Task, "", Outcome{Status: Done, Gain: &g, Jobs: m.jobs[p.Task]}))
		total += g
		peak = max(peak, s.Ranker.Authority)
	}
}

func TestTheRankerGainsAuthorityWhereItIsBetterAndNoSeedLosesMoreThanATwentieth(t *testing.T) {
	const seeds = 100
	none := 0.0
	for _, c := range markets {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var with, without, authority, peak, worst float64
			for seed := range uint64(seeds) {
				a, b := newMarket(seed, c.gain), newMarket(seed, c.gain)
				b.state.Settings.Authority = &none
				ga, high := a.run(t)
				gb, _ := b.run(t)
				with, without, authority, peak = with+ga, without+gb, authority+a.state.Ranker.Authority/seeds, peak+high/seeds
				worst = min(worst, ga/gb-1)
				if ga < 0.95*gb {
					t.Errorf("seed %d gains %.1f, and %.1f by the formula alone", seed, ga, gb)
				}
			}
			t.Logf("gain %+.1f %%, worst seed %+.1f %%, authority %.2f at the end and %.2f at its highest", 100*(with/without-1), 100*worst, authority, peak)
			if peak < c.peak || authority > c.most {
				t.Errorf("authority reaches %.2f and ends at %.2f; want at least %.2f and at most %.2f", peak, authority, c.peak, c.most)
			}
			if with < c.atLeast*without {
				t.Errorf("it gains %.3f times what the formula alone gains, want %.2f", with/without, c.atLeast)
			}
		})
	}
}

func TestTheRankerPassesOverNoTaskOfWhichItKnowsNothing(t *testing.T) {
	s := NewState()
	s.Settings.Jobs = 1000
	for id := range 12 { // a gains nothing, b does; c was never tried
		task := Task{ID: id + 1, Title: "ended", Value: 5, Size: 2, Component: []string{"a", "b"}[id%2]}
		forecast := 0.0
		s.Ranker.begin(task.ID, features(&task), &start{Baseline: task.ID, Predicted: &forecast})
		s.Ranker.end(task.ID, float64(10*(id%2)), 10, 1)
	}
	s.Ranker.Authority, s.Ranker.turn = 1, 1
	for i, component := range []string{"a", "c", "b"} {
		_ = s.put(Task{ID: 20 + i, Title: component, Value: 9 - float64(i), Size: 2, Component: component}, 1)
	}
	c := s.choice()
	for _, it := range c.better() {
		if it.ID == 22 {
			t.Error("the task in b passes over the one in c, like which none has ended")
		}
	}
	s.byID[21].Status = Done
	c = s.choice()
	if better := c.better(); len(better) == 0 || better[0].ID != 22 {
		t.Errorf("with nothing unknown before it the task in b is not the first choice: %v", better)
	}
}

func TestAuthorityFallsWhereTheRankerIsWorse(t *testing.T) {
	r := Ranker{Authority: 0.8}
	guessing := rand.New(rand.NewPCG(1, 2))
	for task := range 30 {
		wrong := guessing.Float64()
		value := float64(task % 7)
		r.begin(task, make([]float64, nFeatures), &start{Score: value, Predicted: &wrong})
		r.end(task, value, 1, 1)
	}
	if r.Authority > 0.1 {
		t.Errorf("after 30 tasks that it guessed and the formula knew, its authority is %.2f", r.Authority)
	}
}

func TestOneLossTakesTheAuthorityBackAtOnce(t *testing.T) {
	r := Ranker{Authority: 0.8, Evidence: []float64{1, 1, 1}}
	expected := 2.0
	x := make([]float64, nFeatures)
	r.begin(1, x, &start{Baseline: 1})
	r.end(1, 10, 10, 1) // the formula's choice gains 1 a job
	r.begin(2, x, &start{Baseline: 1, By: ByRanker, Predicted: &expected})
	r.end(2, 30, 10, 1)
	if r.Authority != 0.8 || r.Own != 1 || r.Won != 20 {
		t.Errorf("a choice that gained 3 a job leaves an authority of %.2f, %d own choices and %.1f won; want 0.80, 1 and 20", r.Authority, r.Own, r.Won)
	}
	r.begin(3, x, &start{Baseline: 1, By: ByRanker, Predicted: &expected})
	r.end(3, 5, 10, 1)
	if r.Authority != 0 || len(r.Evidence) != 0 || r.Won != 15 {
		t.Errorf("a choice that gained 0.5 a job leaves an authority of %.2f, %d pieces of evidence and %.1f won; want 0, none and 15", r.Authority, len(r.Evidence), r.Won)
	}
}

func TestAPersonsBoundOnTheAuthorityHolds(t *testing.T) {
	m := newMarket(3, markets[1].gain)
	bound := 0.2
	m.state.Settings.Authority = &bound
	if _, peak := m.run(t); peak != bound {
		t.Errorf("the authority reaches %.2f, want the bound of %.2f", peak, bound)
	}
}
