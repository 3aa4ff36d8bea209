package evidence_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"atoll/engine/evidence"
)

// noises are distributions of mean 0: what measurements of programs look like.
var noises = map[string]func(*rand.Rand) float64{
	"normal":          func(r *rand.Rand) float64 { return r.NormFloat64() },
	"uniform":         func(r *rand.Rand) float64 { return r.Float64() - 0.5 },
	"skewed as times": logNormal(0.2),
	"strongly skewed": logNormal(0.5),
	"coarse":          func(r *rand.Rand) float64 { return math.Round(2 * r.NormFloat64()) },
}

func logNormal(dev float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return math.Exp(dev*r.NormFloat64()) - math.Exp(dev*dev/2) }
}

func summary(t *testing.T, values ...float64) evidence.Summary {
	t.Helper()
	s, err := evidence.Of(values...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnIntervalHoldsAtEveryNumberOfSamplesAtOnce(t *testing.T) {
	const runs, looks = 1000, 64
	for name, draw := range noises {
		rng, missed := rand.New(rand.NewPCG(1, 2)), 0
		for range runs {
			values, out := []float64{}, false
			for range looks {
				values = append(values, draw(rng))
				s := summary(t, values...)
				if name == "coarse" { // a few samples agree by chance
					s = s.AtLeast(1)
				}
				out = out || !s.Interval(0.95).Has(0)
			}
			if out {
				missed++
			}
		}
		t.Logf("%s: %.1f %% of runs ever miss", name, 100*float64(missed)/runs)
		bound := 50
		if name == "strongly skewed" {
			bound = 80 // skew of this kind costs a few percent where the samples are few
		}
		if missed > runs*bound/1000 {
			t.Errorf("%s noise: %d of %d runs have an interval of 95 %% that misses", name, missed, runs)
		}
	}
}

func TestAnIntervalOfManySamplesIsNotMuchWiderThanThatOfOneLook(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		n     int
		times float64 // of 1.96 standard errors
	}{{8, 2.6}, {16, 2}, {64, 1.8}, {1000, 1.9}} {
		values := make([]float64, c.n)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		s := summary(t, values...)
		if got := s.Interval(0.95).Half() / (1.96 * s.Dev / math.Sqrt(float64(c.n))); got > c.times {
			t.Errorf("with %d samples the interval is %.2f times as wide as that of a single look, expected at most %.2f", c.n, got, c.times)
		}
	}
}

// confirm draws samples of candidate and root in rounds, as an engine does, and
// returns the first claim that decides, and how many samples of each it took.
func confirm(t *testing.T, rng *rand.Rand, draw func(*rand.Rand) float64, gain, level float64, most int) (evidence.Claim, int) {
	t.Helper()
	var a, b []float64
	for n := 4; ; n *= 2 {
		for len(a) < n {
			a, b = append(a, gain+draw(rng)), append(b, draw(rng))
		}
		c := evidence.Judge(evidence.Question{Candidate: summary(t, a...), Root: summary(t, b...), Level: level, Enough: most})
		if c.Word != evidence.Unconfirmed {
			return c, n
		}
	}
}

func TestManyChallengersWithoutAGainBringNoClaimInNineteenOfTwentyRuns(t *testing.T) {
	const runs, challengers = 1000, 12
	for name, draw := range noises {
		rng, claims := rand.New(rand.NewPCG(5, 6)), 0
		for range runs {
			for k := 1; k <= challengers; k++ {
				if c, _ := confirm(t, rng, draw, 0, evidence.Spend(0.05, k), 64); c.Holds() {
					claims++
					break
				}
			}
		}
		t.Logf("%s: a gain is claimed in %.1f %% of runs", name, 100*float64(claims)/runs)
		if claims > runs/20 {
			t.Errorf("%s noise: %d of %d runs claim a gain where there is none", name, claims, runs)
		}
	}
}

// others is the noise of some programs that were measured thrice each, with spreads
// that differ by half of themselves.
func others(t *testing.T, rng *rand.Rand, draw func(*rand.Rand) float64) (n evidence.Noise) {
	t.Helper()
	for range 4 {
		own := math.Exp(0.4 * rng.NormFloat64())
		n.Add(summary(t, own*draw(rng), own*draw(rng), own*draw(rng)))
	}
	return n
}

// beside draws samples of a candidate that is measured beside the root, looked at
// after 4, 8, 16 and 32.
func beside(t *testing.T, rng *rand.Rand, draw func(*rand.Rand) float64, gain float64) (holds bool, n int) {
	t.Helper()
	known, own := others(t, rng, draw), math.Exp(0.4*rng.NormFloat64())
	var values []float64
	for _, n := range []int{4, 8, 16, 32} {
		for len(values) < n {
			values = append(values, gain+own*draw(rng))
		}
		q := evidence.Question{Candidate: summary(t, values...), Fixed: true, Others: known, Least: known.Dev() / 2}
		if c := evidence.Judge(q); c.Holds() {
			return true, n
		}
	}
	return false, 32
}

func TestWithTheNoiseOfOthersAClaimHoldsAsOftenAndTakesFewerSamples(t *testing.T) {
	const runs = 2000
	for name, draw := range noises {
		for _, sign := range []float64{1, -1} { // -1: less is better, as of times
			rng, claims := rand.New(rand.NewPCG(15, 16)), 0
			for range runs {
				if holds, _ := beside(t, rng, func(r *rand.Rand) float64 { return sign * draw(r) }, 0); holds {
					claims++
				}
			}
			t.Logf("%s, %+.0f: a gain is claimed in %.1f %% of runs without one", name, sign, 100*float64(claims)/runs)
			if claims > runs*35/1000 { // half of the misses are claims of a gain
				t.Errorf("%s noise: %d of %d runs claim a gain where there is none", name, claims, runs)
			}
		}
	}
	rng, early, seen := rand.New(rand.NewPCG(17, 18)), 0, 0
	for range runs {
		holds, n := beside(t, rng, noises["normal"], 3)
		if holds {
			seen++
		}
		if n == 4 {
			early++
		}
	}
	t.Logf("a gain of three times the noise is confirmed in %.1f %%, by four samples in %.1f %%", 100*float64(seen)/runs, 100*float64(early)/runs)
	if seen < runs*97/100 || early < runs/2 {
		t.Errorf("a gain of three times the noise is confirmed in %d of %d runs, by four samples in %d", seen, runs, early)
	}
}

func TestAGainOfThreeTimesTheNoiseIsConfirmed(t *testing.T) {
	const runs = 400
	for _, k := range []int{1, 3, 10} {
		rng, seen, samples := rand.New(rand.NewPCG(7, 8)), 0, 0
		for range runs {
			c, n := confirm(t, rng, noises["normal"], 3, evidence.Spend(0.05, k), 32)
			samples += n
			if c.Holds() {
				seen++
			}
		}
		t.Logf("challenger %d: confirmed in %.1f %%, with %.1f samples of each on average", k, 100*float64(seen)/runs, float64(samples)/runs)
		if seen < runs*98/100 {
			t.Errorf("as challenger %d it is confirmed in %d of %d only", k, seen, runs)
		}
	}
}

func TestResolutionIsTheGainThatIsSeenInFourOfFive(t *testing.T) {
	const runs = 2000
	for _, n := range []int{8, 16, 64} {
		gain := evidence.Resolution(1, n, 0.95)
		rng, seen := rand.New(rand.NewPCG(9, uint64(n))), 0
		for range runs {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i], b[i] = gain+rng.NormFloat64(), rng.NormFloat64()
			}
			if _, in := evidence.Difference(summary(t, a...), summary(t, b...), evidence.Noise{}, 0.95); in.Low > 0 {
				seen++
			}
		}
		if share := float64(seen) / runs; share < 0.77 || share > 0.85 {
			t.Errorf("with %d samples of each a gain of %.3f is seen in %.3f, expected about 0.8", n, gain, share)
		}
	}
	if !math.IsInf(evidence.Resolution(1, 1, 0.95), 1) || !math.IsInf(evidence.Resolution(1, 0, 0.95), 1) {
		t.Error("one sample of each shows no gain, however large")
	}
}

func TestClaims(t *testing.T) {
	noisy := func(mean float64, n int) evidence.Summary { return evidence.Summary{N: n, Mean: mean, Dev: 1} }
	for name, c := range map[string]struct {
		q    evidence.Question
		word evidence.Word
		gain float64
	}{
		"without held-out samples nothing is confirmed":          {evidence.Question{Root: noisy(10, 9)}, evidence.Unconfirmed, 0},
		"without samples of the root nothing is confirmed":       {evidence.Question{Candidate: noisy(10, 9)}, evidence.Unconfirmed, 0},
		"one sample of each confirms nothing":                    {evidence.Question{Candidate: noisy(99, 1), Root: noisy(10, 1)}, evidence.Unconfirmed, 89},
		"a gain far above the noise is confirmed":                {evidence.Question{Candidate: noisy(20, 8), Root: noisy(10, 8)}, evidence.Confirmed, 10},
		"where less is better a fall is a gain":                  {evidence.Question{Candidate: noisy(10, 8), Root: noisy(20, 8), Minimize: true}, evidence.Confirmed, 10},
		"a small gain waits for more samples":                    {evidence.Question{Candidate: noisy(10.5, 8), Root: noisy(10, 8), Enough: 16}, evidence.Unconfirmed, 0.5},
		"a small gain is noise when enough were taken":           {evidence.Question{Candidate: noisy(10.5, 16), Root: noisy(10, 16), Enough: 16}, evidence.WithinNoise, 0.5},
		"a loss is no gain":                                      {evidence.Question{Candidate: noisy(10, 8), Root: noisy(20, 8)}, evidence.WithinNoise, -10},
		"a ratio to a root beside it stands by itself":           {evidence.Question{Candidate: noisy(20, 8), Root: evidence.Summary{Mean: 1}, Fixed: true}, evidence.Confirmed, 19},
		"samples that agree say no more than the noise that is":  {evidence.Question{Candidate: evidence.Summary{N: 4, Mean: 10.1}, Root: evidence.Summary{N: 4, Mean: 10}, Least: 1}, evidence.Unconfirmed, 0.1},
		"a level that leaves no error asks for endless evidence": {evidence.Question{Candidate: noisy(20, 8), Root: noisy(10, 8), Level: 1}, evidence.Unconfirmed, 10},
	} {
		got := evidence.Judge(c.q)
		if got.Word != c.word || math.Abs(got.Gain-c.gain) > 1e-9 {
			t.Errorf("%s: got %q and a gain of %v, expected %q and %v", name, got.Word, got.Gain, c.word, c.gain)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: it has no JSON: %v", name, err)
		}
	}
	exact := evidence.Certain(8, 10, true)
	if gain, in, ok := exact.Percent(); !ok || gain != 20 || in != (evidence.Interval{Low: 20, High: 20}) || !exact.Holds() {
		t.Errorf("a fall from 10 to 8 is a gain of %v %%, %v", gain, in)
	}
	none := evidence.Certain(8, 0, false)
	if _, _, ok := none.Percent(); ok {
		t.Error("a root of 0 has no percentage")
	}
}

func TestIntervalsSurviveJSON(t *testing.T) {
	for _, in := range []evidence.Interval{{Low: 1, High: 2}, {Low: math.Inf(-1), High: math.Inf(1)}} {
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var back evidence.Interval
		if err := json.Unmarshal(data, &back); err != nil || back != in {
			t.Errorf("%v became %s and then %v (%v)", in, data, back, err)
		}
	}
}

func TestTheErrorOfAllChallengersSumsUp(t *testing.T) {
	sum := 0.0
	for k := 1; k <= 10000; k++ {
		sum += 1 - evidence.Spend(0.05, k)
	}
	if sum > 0.05 || sum < 0.0499 {
		t.Errorf("all challengers together spend %v of 0.05", sum)
	}
	if evidence.Spend(0.05, 0) != evidence.Spend(0.05, 1) {
		t.Error("the first challenger is number 1")
	}
}

func TestNoisePoolsWhatWasRepeated(t *testing.T) {
	var n evidence.Noise
	if n.Dev() != 0 {
		t.Error("nothing was repeated, so there is no noise")
	}
	n.Add(summary(t, 1))
	n.Add(summary(t, 1, 3))
	old := summary(t, 10, 12)
	n.Add(old)
	n.Drop(old)
	n.Add(summary(t, 10, 12, 14))
	if want := math.Sqrt((2.0 + 8.0) / 3); math.Abs(n.Dev()-want) > 1e-12 {
		t.Errorf("the noise is %v, expected %v", n.Dev(), want)
	}
}

func TestPairedRatios(t *testing.T) {
	before := []float64{10, 20, 30, 40, 50, 60, 70}
	after := make([]float64, len(before))
	for i := range before {
		after[i] = before[i] * 0.8 * []float64{0.97, 1, 1.03, 0.99, 1.01, 1, 0.98}[i]
	}
	ratio, in, err := evidence.PairedRatio(before, after, 0.95)
	if err != nil || math.Abs(ratio-0.8) > 0.01 || !in.Has(0.8) || in.Low < 0.77 || in.High > 0.83 {
		t.Errorf("times that fell to 0.8 have the ratio %v %v (%v)", ratio, in, err)
	}
	if _, in, _ := evidence.PairedRatio(before[:5], after[:5], 0.95); in.Bounded() {
		t.Errorf("five pairs cannot show 95 %%, but the interval is %v", in)
	}
	for name, c := range map[string]struct {
		before, after []float64
		want          error
	}{
		"no pair":               {nil, nil, evidence.ErrNone},
		"one without the other": {[]float64{1}, []float64{1, 2}, evidence.ErrNone},
		"no number":             {[]float64{1}, []float64{math.NaN()}, evidence.ErrNotFinite},
		"no time":               {[]float64{0}, []float64{1}, evidence.ErrNotPositive},
	} {
		if _, _, err := evidence.PairedRatio(c.before, c.after, 0.95); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, expected %v", name, err, c.want)
		}
	}
}

func TestTheIntervalOfPairedRatiosHoldsForAnyShapeOfTheirNoise(t *testing.T) {
	const runs = 2000
	for _, n := range []int{6, 12, 61} {
		rng, missed := rand.New(rand.NewPCG(11, uint64(n))), 0
		for range runs {
			before, after := make([]float64, n), make([]float64, n)
			for i := range before {
				common := math.Exp(rng.NormFloat64()) // the machine is now fast, now slow
				heavy := func() float64 { return math.Exp(0.02 * rng.NormFloat64() / (0.1 + rng.Float64())) }
				before[i], after[i] = common*heavy(), 1.1*common*heavy()
			}
			_, in, err := evidence.PairedRatio(before, after, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if !in.Has(1.1) {
				missed++
			}
		}
		if missed > runs*65/1000 {
			t.Errorf("%d pairs: %d of %d intervals of 95 %% miss", n, missed, runs)
		}
	}
}

func TestSteps(t *testing.T) {
	type runner = evidence.Runner
	for name, c := range map[string]struct {
		challenger, holder runner
		depth              int
		move               evidence.Move
		n                  int
	}{
		"a challenger that is not above falls out at once":  {runner{1, 1}, runner{1, 8}, 16, evidence.Lost, 0},
		"one that is above is measured again":               {runner{2, 1}, runner{1, 8}, 16, evidence.Challenger, 1},
		"its samples double from look to look":              {runner{2, 4}, runner{1, 8}, 16, evidence.Challenger, 4},
		"the holder is topped up to match":                  {runner{2, 8}, runner{1, 3}, 16, evidence.Holder, 5},
		"it wins at the last look":                          {runner{2, 16}, runner{1, 16}, 16, evidence.Won, 0},
		"no look goes beyond the depth":                     {runner{2, 2}, runner{1, 3}, 3, evidence.Challenger, 1},
		"far above it wins earlier":                         {runner{9, 2}, runner{1, 3}, 16, evidence.Won, 0},
		"also by a single sample":                           {runner{99, 1}, runner{1, 3}, 16, evidence.Won, 0},
		"but not before the holder has as many":             {runner{9, 4}, runner{1, 3}, 16, evidence.Holder, 1},
		"what is no number wins nothing":                    {runner{math.NaN(), 9}, runner{1, 3}, 4, evidence.Lost, 0},
		"a holder of fewer samples than the depth is asked": {runner{2, 20}, runner{1, 3}, 16, evidence.Holder, 13},
	} {
		move, n := evidence.Step(c.challenger, c.holder, 1, c.depth)
		if move != c.move || n != c.n {
			t.Errorf("%s: got move %d with %d samples, expected %d with %d", name, move, n, c.move, c.n)
		}
	}
}

func TestWhoIsMeasuredNextInADuel(t *testing.T) {
	type runner = evidence.Runner
	for name, c := range map[string]struct {
		leader, challenger runner
		move               evidence.Move
		n                  int
	}{
		"one that looks better is measured again":                 {runner{1, 4}, runner{2, 1}, evidence.Challenger, 1},
		"its samples double":                                      {runner{1, 8}, runner{1.1, 4}, evidence.Challenger, 4},
		"the leader is, where it is known less":                   {runner{2, 2}, runner{1.9, 8}, evidence.Holder, 2},
		"one that looks worse by less than both errors is, too":   {runner{1, 4}, runner{0.4, 4}, evidence.Challenger, 4},
		"one that looks worse by more is left alone":              {runner{1, 4}, runner{-0.1, 4}, evidence.Lost, 0},
		"nobody has more samples than the most":                   {runner{1, 20}, runner{1, 12}, evidence.Challenger, 4},
		"and two that have them are left alone":                   {runner{1, 20}, runner{1, 16}, evidence.Lost, 0},
		"what is no number is left alone":                         {runner{1, 4}, runner{math.NaN(), 1}, evidence.Lost, 0},
		"beside a value without error the challenger is measured": {runner{1, math.MaxInt32}, runner{1.1, 4}, evidence.Challenger, 4},
	} {
		move, n := evidence.Duel(c.leader, c.challenger, 1, 16)
		if move != c.move || n != c.n {
			t.Errorf("%s: got move %d with %d samples, expected %d with %d", name, move, n, c.move, c.n)
		}
	}
	if move, _ := evidence.Duel(runner{1, 2}, runner{1, 1}, 0, 16); move != evidence.Lost {
		t.Errorf("without noise equals are measured again: move %d", move)
	}
}

func TestTheLargerTheNoiseTheMoreSamplesGoToWhoMayBeTheBest(t *testing.T) {
	lead, niche := 0.0, 1.0
	for _, noise := range []float64{0.001, 0.01, 0.1, 1, 10, math.Inf(1)} {
		l, n := evidence.Split(noise, 0.1)
		if !(l > lead) && noise < 10 || !(n < niche) && noise < 10 || l < 0 || n < 0 || l+n > 0.5 {
			t.Errorf("noise %v: %v for the lead and %v for niches, after %v and %v", noise, l, n, lead, niche)
		}
		lead, niche = l, n
	}
	if l, n := evidence.Split(1, 0); !(l > 0 && n > 0) {
		t.Errorf("while no step is known: %v and %v", l, n)
	}
}

func TestTheShareOfRepeatsGrowsWithTheNoise(t *testing.T) {
	last := 0.0
	for _, noise := range []float64{0, 0.01, 0.1, 0.3, 1, 10} {
		s := evidence.Share(noise, 0.5, 0.05, 0.3)
		if s < last || s < 0.05 || s > 0.3 {
			t.Errorf("noise %v: share %v after %v", noise, s, last)
		}
		last = s
	}
	if last != 0.3 {
		t.Errorf("at the highest noise the share is %v, expected 0.3", last)
	}
}

func TestSamplesThatAreNoNumbersAreRefused(t *testing.T) {
	for _, bad := range [][]float64{{math.NaN()}, {1, math.Inf(1)}, {math.MaxFloat64, -math.MaxFloat64}} {
		if _, err := evidence.Of(bad...); !errors.Is(err, evidence.ErrNotFinite) {
			t.Errorf("%v: got %v", bad, err)
		}
	}
	if _, err := evidence.Of(); !errors.Is(err, evidence.ErrNone) {
		t.Errorf("no samples: got %v", err)
	}
	if s := summary(t, 0.1, 0.1, 0.1); s.Dev != 0 || s.Mean != 0.1 {
		t.Errorf("equal samples are %v", s)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, 0.95, false)
	f.Add(math.MaxFloat64, -math.MaxFloat64, 1.0, 1.0, 0.5, true)
	f.Add(math.NaN(), math.Inf(1), 5e-324, 0.0, math.NaN(), true)
	f.Fuzz(func(t *testing.T, a, b, c, d, level float64, minimize bool) {
		x, err1 := evidence.Of(a, b)
		y, err2 := evidence.Of(c, d, a)
		if err1 != nil || err2 != nil {
			return
		}
		q := evidence.Question{Candidate: x, Root: y, Level: level, Minimize: minimize, Enough: 2}
		got := evidence.Judge(q)
		if math.IsNaN(got.Gain) || math.IsNaN(got.GainIn.Low) || math.IsNaN(got.GainIn.High) || got.GainIn.Low > got.GainIn.High {
			t.Errorf("%+v: %+v", q, got)
		}
		if got.Word == evidence.Confirmed && !(got.Gain > 0) {
			t.Errorf("%+v is confirmed without a gain", got)
		}
		if data, err := json.Marshal(got); err != nil {
			t.Errorf("%+v has no JSON (%s): %v", got, data, err)
		}
		_, n := evidence.Duel(evidence.Runner{Value: a, N: 3}, evidence.Runner{Value: b, N: 2}, c, 16)
		if n < 0 || n > 16 {
			t.Errorf("a race asks for %d samples", n)
		}
		if ratio, in, err := evidence.PairedRatio([]float64{a, b}, []float64{c, d}, level); err == nil && (math.IsNaN(ratio) || in.Low > in.High) {
			t.Errorf("ratio %v %v", ratio, in)
		}
	})
}

func TestNoIntervalReachesWhereNoValueCanBe(t *testing.T) {
	t.Parallel()
	few := evidence.Summary{N: 16, Mean: 0.02, Dev: 0.2}
	for name, c := range map[string]struct {
		q      evidence.Question
		gained float64 // the most, or the least where more is better
	}{
		"a ratio of times":             {evidence.Question{Candidate: few, Root: evidence.Summary{Mean: 1}, Fixed: true, Minimize: true, Positive: true}, 1},
		"a ratio of which more counts": {evidence.Question{Candidate: few, Root: evidence.Summary{Mean: 1}, Fixed: true, Positive: true}, -1},
	} {
		free := c.q
		free.Positive = false
		was, got := evidence.Judge(free), evidence.Judge(c.q)
		if was.Interval.Low >= 0 {
			t.Fatalf("%s: the samples agree too well: %v", name, was.Interval)
		}
		gained := got.GainIn.Low
		if c.q.Minimize {
			gained = got.GainIn.High
		}
		if got.Interval.Low != 0 || gained != c.gained || got.Interval.High != was.Interval.High || got.Word != was.Word {
			t.Errorf("%s: %+v, was %+v", name, got, was)
		}
	}
}
