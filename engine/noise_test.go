package engine_test

import (
	"fmt"
	"math"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/evidence"
	"atoll/engine/fold"
	"atoll/store/record"
)

// noisyMeasure reports how near the sum of the numbers is to ten, in (0, 1],
// with normal noise of 5 % of that range, and the truth beside it. The noise
// depends on experiment seed, candidate, job and repeat alone.
const noisyMeasure = `
BEGIN {
	while ((getline line < ENVIRON["ATOLL_CONTEXT"]) > 0) text = text line
	h = 7
	n = split("seed candidate job repeat", names, " ")
	for (i = 1; i <= n; i++) {
		v = text
		sub(".*\"" names[i] "\"[ ]*:[ ]*[\"a-z]*", "", v)
		sub("[^0-9].*", "", v)
		v = substr(v, length(v) > 9 ? length(v) - 8 : 1)
		h = (h * 69069 + v + 12345) % 4294967296
	}
	for (i = 0; i < 22; i++) {
		h = (h * 69069 + 12345) % 4294967296
		if (i >= 10) noise += h / 4294967296 # twelve of them less six are nearly normal
	}
	noise -= 6
}
{ s += $3; p[NR] = $3 }
END {
	d = s - 10; if (d < 0) d = -d
	truth = 1 / (1 + d)
	printf "score=%.12f\ntruth=%.12f\nfirst=%.9f\nsecond=%.9f\n", truth + SIGMA * noise, truth, p[1], p[2]
}
`

// sigma is 5 % of the range of the truth.
const sigma = 0.05

// noisyLab is a lab whose evaluator is noisy.
func noisyLab(t *testing.T, seed int, extra ...string) *lab {
	t.Helper()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.awk": noisyMeasure})
	l.create(append([]string{
		fmt.Sprintf("evaluator.command=[awk, -v, SIGMA=%v, -f, measure.awk, program.txt]", sigma),
		"evaluator.protected=[measure.awk]", fmt.Sprintf("seed=%d", seed),
	}, extra...)...)
	return l
}

// claims is what one experiment shows of its noise.
type claims struct {
	held, naive         []float64 // claimed value minus truth, of each claim
	champion, root      float64   // truths
	overclaim           float64   // of the champion that single samples would name
	challenges, confirm int
	remeasured          int
}

// read gathers the claims of an ended experiment.
func (l *lab) claims() claims {
	l.t.Helper()
	st := l.state()
	var out claims
	type look struct{ first, truth float64 }
	niches := map[string]look{}
	best := look{first: math.Inf(-1)}
	top := st.Snapshot().Best.ID
	err := l.ses.DB.EachCandidate(l.t.Context(), l.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		if c.Objective == nil {
			return nil
		}
		full, err := l.ses.DB.Candidate(l.t.Context(), l.exp.ID, c.ID)
		if err != nil {
			return err
		}
		c = &full
		truth := metric(l.t, c, "truth")
		if c.Claimed != nil {
			out.held = append(out.held, *c.Claimed-truth)
		}
		switch c.ID {
		case record.Root:
			out.root = truth
		case top:
			out.champion = truth
			if c.ClaimedSamples < 5 {
				l.t.Errorf("the champion %s was confirmed by %d held-out samples, expected 5", c.ID, c.ClaimedSamples)
			}
			if c.Samples < 3 {
				l.t.Errorf("the champion %s stands on %d deciding samples, expected at least 3", c.ID, c.Samples)
			}
		}
		samples, err := l.ses.DB.SamplesOf(l.t.Context(), l.exp.ID, c.ID)
		if err != nil {
			return err
		}
		l.checkSamples(c, samples)
		seen := look{samples[0].Objective, truth}
		key := fmt.Sprint(math.Floor(metric(l.t, c, "first")*1.5), math.Floor(metric(l.t, c, "second")*1.5))
		if old, ok := niches[key]; !ok || seen.first > old.first {
			niches[key] = seen
		}
		if seen.first > best.first {
			best = seen
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, n := range niches {
		out.naive = append(out.naive, n.first-n.truth)
	}
	out.overclaim = best.first - best.truth
	for _, j := range l.jobs() {
		switch j.Purpose {
		case record.PurposeChallenge:
			out.challenges++
		case record.PurposeConfirm:
			out.confirm++
		case record.PurposeRemeasure:
			out.remeasured++
		}
	}
	return out
}

// checkSamples holds the summary of a candidate against its samples: deciding
// and held-out ones never mix.
func (l *lab) checkSamples(c *record.Candidate, samples []record.Sample) {
	l.t.Helper()
	deciding, heldOut := 0, 0
	for _, s := range samples {
		if s.HeldOut {
			heldOut++
		} else {
			deciding++
		}
	}
	if deciding != c.Samples || heldOut != c.ClaimedSamples {
		l.t.Errorf("%s says %d and %d samples, the store has %d deciding and %d held out", c.ID, c.Samples, c.ClaimedSamples, deciding, heldOut)
	}
}

func metric(t *testing.T, c *record.Candidate, name string) float64 {
	t.Helper()
	for _, m := range c.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatalf("%s has no metric %q", c.ID, name)
	return 0
}

// TestClaimedValuesAreUnbiased runs whole experiments with a noisy objective
// whose truth is known. One seed shows that the machinery works, three do
// so at the full level; at the slow one twenty hold the figures.
func TestClaimedValuesAreUnbiased(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "many noisy runs; TestAPlantedGainIsFoundAndConfirmed stands for it")
	seeds, jobs := suitetest.Pick(1, 3, 20), suitetest.Pick(30, 30, 80)
	var held, naive, overclaims []float64
	better, total := 0, claims{}
	for seed := 1; seed <= seeds; seed++ {
		l := noisyLab(t, seed, fmt.Sprintf("budget.jobs=%d", jobs))
		snap := l.run()
		if !snap.Noisy {
			t.Fatalf("seed %d: the root's samples differ, but the objective is not called noisy", seed)
		}
		if err := l.state().CheckArchive(); err != nil {
			t.Errorf("seed %d: the archive is not the fold of its log: %v", seed, err)
		}
		c := l.claims()
		if c.champion > c.root {
			better++
		}
		held, naive = append(held, mean(c.held)), append(naive, mean(c.naive))
		overclaims = append(overclaims, c.overclaim)
		total.challenges += c.challenges
		total.confirm += c.confirm
		total.remeasured += c.remeasured
		t.Logf("seed %2d: root %.3f, champion %.3f; claims off by %+.4f (n=%d), naive %+.4f, naive champion %+.4f; %d challenges, %d confirmations, %d remeasured",
			seed, c.root, c.champion, mean(c.held), len(c.held), mean(c.naive), c.overclaim, c.challenges, c.confirm, c.remeasured)
	}
	bias, se := mean(held), standardError(held)
	t.Logf("%d seeds: claimed values off by %+.5f ± %.5f; the naive rule by %+.5f ± %.5f, its champion by %+.5f; champion truly better than the root in %d",
		seeds, bias, se, mean(naive), standardError(naive), mean(overclaims), better)
	if total.challenges == 0 || total.confirm < seeds || total.remeasured == 0 && seeds >= 20 {
		t.Errorf("challenges %d, confirmations %d, remeasurements %d: expected all of them to happen", total.challenges, total.confirm, total.remeasured)
	}
	if seeds < 20 { // a few runs of 30 jobs may end with any champion
		return
	}
	if better < seeds-seeds/20 {
		t.Errorf("the champion is truly better than the root in %d of %d", better, seeds)
	}
	if math.Abs(bias) > 2*se {
		t.Errorf("claimed values are off by %+.5f, more than two standard errors of %.5f", bias, se)
	}
	if mean(naive) < 4*math.Abs(bias) {
		t.Errorf("the naive rule overclaims by %+.5f only: this test cannot tell the rules apart", mean(naive))
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func standardError(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	n := float64(len(values))
	return math.Sqrt(sum / (n - 1) / n)
}

// TestTakingANicheNeedsFurtherSamples follows every improvement of a niche in noisy
// experiments: nobody displaces another on a single sample, unless it is plainly better.
// In which one a niche changes hands depends on which workers end first.
func TestTakingANicheNeedsFurtherSamples(t *testing.T) {
	t.Parallel()
	taken := 0
	for seed := 11; taken == 0 && seed < 17; seed++ {
		taken = nichesTakenFromOthers(t, seed)
	}
	if taken == 0 {
		t.Fatal("no niche changed hands: this test shows nothing")
	}
}

// nichesTakenFromOthers runs a noisy experiment and counts the elites that displaced
// another without being plainly better by their first sample.
func nichesTakenFromOthers(t *testing.T, seed int) int {
	l := noisyLab(t, seed, "budget.jobs=30", "map.axes=[{metric: first, min: 0, max: 4, bins: 2}, {metric: second, min: 0, max: 4, bins: 1}]")
	l.run()
	st := l.state()
	measured := map[record.CandidateID]bool{}
	for _, j := range l.jobs() {
		switch j.Purpose {
		case record.PurposeChallenge, record.PurposeRace, record.PurposeLead:
			measured[j.Candidate] = true
		}
	}
	displaced := map[record.CandidateID]record.CandidateID{} // by who took the niche
	for _, e := range st.Snapshot().Recent {
		if e.Cell >= 0 && e.From != record.NoCandidate && e.From != e.Job.Candidate {
			displaced[e.Job.Candidate] = e.From
		}
	}
	taken := 0
	for _, e := range st.Archive().Elites() {
		first, plain := true, true // opened its niche; is better than all others there by far more than the noise
		for _, r := range st.Archive().Runners(mustCell(t, st, e.ID), 1000) {
			first = first && r.ID > e.ID
			plain = plain && evidence.Runner{Value: e.Objective, N: 1}.Plain(evidence.Runner{Value: r.Objective, N: r.Samples}, sigma)
		}
		if first || plain || e.ID == record.Root {
			continue
		}
		taken++
		// By more samples it may be so beside the one that it displaced, as far as the run
		// knows the noise, by some twenty samples.
		later := false
		if m := st.Candidate(displaced[e.ID]); displaced[e.ID] != 0 && m != nil {
			later = evidence.Runner{Value: e.Objective, N: e.Samples}.Plain(evidence.Runner{Value: m.Objective, N: int(m.Samples)}, 0.8*sigma)
		}
		if e.Samples < 3 && !later || !measured[e.ID] {
			t.Errorf("%s took a niche from others on %d samples", e.ID, e.Samples)
		}
	}
	return taken
}

func mustCell(t *testing.T, st *fold.State, id record.CandidateID) int {
	t.Helper()
	cell, ok := st.Archive().CellOf(id)
	if !ok {
		t.Fatalf("%s has no cell", id)
	}
	return cell
}

func TestHowOftenNoiseIsLookedAtChangesFromTheRowOn(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more noisy run; TestTakingANicheNeedsFurtherSamples stands for it")
	l := noisyLab(t, 3, "budget.jobs=30")
	challenges := func(from record.CandidateID) (n int) {
		for _, j := range l.jobs() {
			if j.Purpose == record.PurposeChallenge && j.Candidate >= from {
				n++
			}
		}
		return n
	}
	l.run()
	if challenges(0) == 0 {
		t.Fatal("no challenger was looked at again: too little noise to tell anything")
	}
	next := record.CandidateID(len(l.jobs()))
	l.settings(func(s *record.Settings) { s.MaxJobs, s.Challenge = 60, new(0) })
	l.run()
	if asked := challenges(next); asked > 0 { // those of before that waited are looked at
		t.Errorf("%d later challengers are looked at again after evaluator.challenge is 0", asked)
	}
	next = record.CandidateID(len(l.jobs()))
	l.settings(func(s *record.Settings) { s.MaxJobs, s.Challenge = 90, nil })
	s := l.run()
	if challenges(next) == 0 {
		t.Error("no challenger is looked at again where the setting is as configured")
	}
	if now := s.Settings.Challenge; now == nil || *now != 2 {
		t.Errorf("readers are told %v, not 2", now)
	}
	st := l.state() // folded anew: each stretch of the log under its own rule
	if err := st.CheckArchive(); err != nil {
		t.Error(err)
	}
	if st.Best != s.Best.ID {
		t.Errorf("the best of the log folded anew is %s, that of the run %s", st.Best, s.Best.ID)
	}
}
