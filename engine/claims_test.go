package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/evidence"
	"atoll/store/record"
)

// These tests run whole experiments whose truth is known and hold what they claim
// at their end. By default a few show that the machinery works; the figures of
// docs/decisions/0012 are those of
//
//	ATOLL_SLOW=1 go test ./engine -run 'Claim|Planted|Shown' -v -timeout 2h

// plantedMeasure has a truth that is 1, and better by GAIN where the first number
// rose above 1.6.
var plantedMeasure = strings.Replace(noisyMeasure, "truth = 1 / (1 + d)", "truth = 1 + GAIN * (p[1] > 1.6)", 1)

// ended is what a noisy experiment says at its end.
type ended struct {
	evidence.Claim
	best    record.CandidateID
	truth   float64
	samples int
}

// claimed runs an experiment with normal noise.
func claimed(t *testing.T, script string, dev, gain float64, seed, jobs int) ended {
	t.Helper()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.awk": script})
	l.create(fmt.Sprintf("evaluator.command=[awk, -v, SIGMA=%v, -v, GAIN=%v, -f, measure.awk, program.txt]", dev, gain),
		"evaluator.protected=[measure.awk]", fmt.Sprintf("seed=%d", seed), fmt.Sprintf("budget.jobs=%d", jobs))
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
	if err := eng.Run(t.Context()); err != nil { // the time that the test has bounds it
		t.Fatal(err)
	}
	best := eng.Feed().Latest().Best
	b, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, best.ID)
	if err != nil {
		t.Fatal(err)
	}
	if at := eng.Feed().Latest().Curves.Best; best.Claim.N > 0 && at[len(at)-1] != best.Claim.Value {
		t.Errorf("seed %d: the curve ends with %v, and %v is told", seed, at[len(at)-1], best.Claim.Value)
	}
	st := l.state()
	out := ended{best: b.ID, truth: metric(t, &b, "truth"), Claim: best.Claim}
	// The noise is pooled in another order when the log is folded anew.
	if again, _ := st.ClaimOf(b.ID); again.Word != out.Word || again.N != out.N || math.Abs(again.GainIn.Low-out.GainIn.Low) > 1e-9 && again.GainIn.Bounded() || st.Snapshot().Best.ID != best.ID {
		t.Errorf("seed %d: the engine ended with %s, %+v; its log says %s, %+v", seed, best.ID, out.Claim, st.Snapshot().Best.ID, again)
	}
	if err := st.CheckArchive(); err != nil {
		t.Errorf("seed %d: the archive is not the fold of its log: %v", seed, err)
	}
	err = l.ses.DB.EachCandidate(t.Context(), l.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		out.samples += c.Samples + c.ClaimedSamples
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d: %s, truth %.3f, shown %.3f n=%d beside n=%d, gain %+.3f [%+.3f, %+.3f] %s; %d samples",
		seed, out.best, out.truth, out.Value, out.N, out.RootN, out.Gain, out.GainIn.Low, out.GainIn.High, out.Word, out.samples)
	return out
}

func TestEditsThatChangeNothingBringNoClaim(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a noisy run of fifty jobs; TestAPlantedGainIsFoundAndConfirmed stands for it")
	runs, claims := suitetest.Pick(1, 2, 40), 0
	for seed := 1; seed <= runs; seed++ {
		if c := claimed(t, plantedMeasure, sigma, 0, seed, suitetest.Pick(50, 50, 100)); c.Word == evidence.Confirmed {
			claims++
		}
	}
	if claims > runs/20 {
		t.Errorf("%d of %d runs claim a gain where there is none", claims, runs)
	}
}

func TestTheEndOfANoisyRunIsWhatItsLogSays(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		extra []string
	}{
		{"in strict order", []string{"order=strict"}},
		{"under a learned map", []string{"map.axes=[]", "map.grid=[8, 8]", "map.min_fit=8", "map.refit_every=10"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := 1; seed <= suitetest.Pick(1, 8, 24); seed++ {
				l := bareLab(t, map[string]string{"program.txt": program, "measure.awk": noisyMeasure})
				l.create(append([]string{
					fmt.Sprintf("evaluator.command=[awk, -v, SIGMA=%v, -v, GAIN=0, -f, measure.awk, program.txt]", sigma),
					"evaluator.protected=[measure.awk]", fmt.Sprintf("seed=%d", seed), "budget.jobs=500", "workers=3",
				}, tc.extra...)...)
				eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true, For: time.Duration(300+100*(seed%5)) * time.Millisecond})
				if err := eng.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				ran, log := eng.Feed().Latest(), l.state().Snapshot()
				t.Logf("seed %d: map %d, %d niches", seed, ran.Space.Version, ran.Grid.Filled)
				if ran.Best.ID != log.Best.ID || ran.Best.Claim.Word != log.Best.Claim.Word || ran.Grid.Filled != log.Grid.Filled || math.Abs(ran.Grid.QD-log.Grid.QD) > 1e-9 {
					t.Errorf("seed %d: the run ended with %s, %d niches and QD %v, its log says %s, %d and %v",
						seed, ran.Best.ID, ran.Grid.Filled, ran.Grid.QD, log.Best.ID, log.Grid.Filled, log.Grid.QD)
				}
			}
		})
	}
}

func TestAPlantedGainIsFoundAndConfirmed(t *testing.T) {
	t.Parallel()
	runs, found := suitetest.Pick(1, 2, 40), 0
	for seed := 1; seed <= runs; seed++ {
		if c := claimed(t, plantedMeasure, sigma, 3*sigma, seed, 100); c.Word == evidence.Confirmed && c.truth > 1 {
			found++
		}
	}
	if 10*found < 9*runs {
		t.Errorf("a gain of three times the noise is found and confirmed in %d of %d runs", found, runs)
	}
}

func TestShownValuesAreTrue(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "many noisy runs; TestAPlantedGainIsFoundAndConfirmed stands for it")
	for _, dev := range suitetest.Pick([]float64{0.2}, []float64{0.05, 0.2}, []float64{0.05, 0.2}) {
		var off, truth, samples []float64
		for seed := 1; seed <= suitetest.Pick(1, 1, 10); seed++ {
			c := claimed(t, noisyMeasure, dev, 0, seed, suitetest.Pick(60, 60, 300))
			off, truth, samples = append(off, c.Value-c.truth), append(truth, c.truth), append(samples, float64(c.samples))
		}
		t.Logf("noise %v: shown %+.4f too much, truth %.3f, %.0f samples", dev, mean(off), mean(truth), mean(samples))
		// Beyond what the noise of held-out samples explains: three standard errors.
		if limit := 0.01 + 3*dev/math.Sqrt(float64(8*len(off))); math.Abs(mean(off)) > limit {
			t.Errorf("noise %v: shown values are off by %+.4f, more than %.4f", dev, mean(off), limit)
		}
	}
}
