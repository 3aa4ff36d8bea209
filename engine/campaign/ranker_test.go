package campaign

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"atoll/store/record"
)

// market is a backlog whose gains and costs are scripted: what people wrote into
// value, urgency and risk tells the gain more or less truly.
type market struct {
	state *State
	truth map[int][2]float64 // gain and jobs, by task
	rng   *rand.Rand
}

// newMarket makes n tasks. honest: the value tells the gain; else the component does,
// and the value lies.
func newMarket(seed uint64, n int, honest bool) *market {
	m := &market{state: NewState(), truth: map[int][2]float64{}, rng: rand.New(rand.NewPCG(seed, 7))}
	for id := 1; id <= n; id++ {
		t := Task{ID: id, Title: "t", Value: 1 + 9*m.rng.Float64(), Size: 1 + 4*m.rng.Float64(), Component: string(rune('a' + m.rng.IntN(4)))}
		jobs := math.Round(10 * t.Size)
		gain := t.Value * (0.7 + 0.6*m.rng.Float64())
		if !honest {
			gain = map[string]float64{"a": 0.5, "b": 2, "c": 6, "d": 12}[t.Component] * (11 - t.Value) / 5 * (0.7 + 0.6*m.rng.Float64())
		}
		m.truth[id] = [2]float64{gain, jobs}
		_ = m.state.put(t, record.Millis(id))
	}
	return m
}

// run works the backlog until the jobs are used up; it returns the total gain.
func (m *market) run(jobs int) (gain float64) {
	s := m.state
	s.Settings.Jobs = jobs
	seq := record.Seq(0)
	fold := func(r record.CampaignRow) {
		seq++
		r.Seq = seq
		if err := s.fold(r); err != nil {
			panic(err)
		}
	}
	for s.Spent.Jobs < jobs {
		order := s.Order(time.UnixMilli(0))
		if len(order) == 0 {
			return gain
		}
		p := order[0]
		it := s.byID[p.Task]
		fold(row(kindStart, it.ID, "", start{Attempt: 1, Predicted: p.Expected, Score: it.WSJF()}))
		g := m.truth[it.ID][0]
		fold(row(kindEnd, it.ID, "", Outcome{Status: Done, Gain: &g, Jobs: int(m.truth[it.ID][1])}))
		gain += g
	}
	return gain
}

func TestTheRankerGainsAuthorityWhereItIsBetterAndCostsNothingWhereItIsNot(t *testing.T) {
	const seeds, tasks, jobs = 100, 60, 700
	for _, c := range []struct {
		name   string
		honest bool
	}{{"people's values are true", true}, {"people's values lie", false}} {
		t.Run(c.name, func(t *testing.T) {
			with, without, authority, worst, below := 0.0, 0.0, 0.0, 0.0, 0
			for seed := range uint64(seeds) {
				a := newMarket(seed, tasks, c.honest)
				ga := a.run(jobs)
				b := newMarket(seed, tasks, c.honest)
				none := 0.0
				b.state.Settings.Authority = &none
				gb := b.run(jobs)
				with, without, authority = with+ga, without+gb, authority+a.state.Ranker.Authority/seeds
				worst = min(worst, ga/gb-1)
				if ga < 0.95*gb {
					below++
				}
			}
			t.Logf("gain with the ranker %.1f, without %.1f (%+.1f %%), worst seed %+.1f %%, %d seeds below -5 %%, mean authority %.2f", with/seeds, without/seeds, 100*(with/without-1), 100*worst, below, authority)
			if !c.honest && (authority < 0.3 || with < 1.1*without) {
				t.Errorf("it is better and has an authority of %.2f and %.1f %% more gain, want 0.3 and 10 %%", authority, 100*(with/without-1))
			}
			if c.honest && authority > 0.1 {
				t.Errorf("it is no better than the formula, and has an authority of %.2f", authority)
			}
			if with < 0.95*without || c.honest && worst < -0.05 || below > seeds/20 {
				t.Errorf("it costs more than 5 %% in %d seeds of %d, at worst %.1f %%", below, seeds, -100*worst)
			}
		})
	}
}

func TestAuthorityFallsWhereTheRankerIsWorse(t *testing.T) {
	r := Ranker{Authority: 0.8}
	guessing := rand.New(rand.NewPCG(1, 2))
	for task := range 30 {
		wrong := guessing.Float64()
		value := float64(task % 7)
		r.begin(task, make([]float64, nFeatures), value, &wrong)
		r.end(task, value, 1, 1)
	}
	if r.Authority > 0.1 {
		t.Errorf("after 30 tasks that it guessed and the formula knew, its authority is %.2f", r.Authority)
	}
}

func TestAPersonsBoundOnTheAuthorityHolds(t *testing.T) {
	m := newMarket(3, 60, false)
	bound := 0.2
	m.state.Settings.Authority = &bound
	m.run(500)
	if a := m.state.Ranker.Authority; a > bound {
		t.Errorf("the authority is %.2f, above the bound of %.2f", a, bound)
	}
}
