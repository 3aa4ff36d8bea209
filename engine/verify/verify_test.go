package verify

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atoll/engine/evidence"
	"atoll/engine/guard"
	"atoll/store/record"
)

// times repeats a pattern of values up to n.
func times(n int, pattern ...float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = pattern[i%len(pattern)]
	}
	return out
}

func TestWhatRoundsSay(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []float64
		minimize      bool
		noisy         bool
		most          int
		done          bool
		word          evidence.Word
		gain          float64
	}{
		"two rounds that agree are exact":                        {times(2, 10), times(2, 8), true, false, 32, true, evidence.Exact, 0.2},
		"an exact loss is a loss":                                {times(2, 8), times(2, 10), true, false, 32, true, evidence.Exact, -0.25},
		"exact values below zero have a difference, no ratio":    {times(2, -4), times(2, -3), false, false, 32, true, evidence.Exact, 1},
		"two rounds that agree by chance are no proof":           {times(2, 10), times(2, 8), true, true, 32, false, "", 0},
		"between looks nothing is judged":                        {times(9, 10, 11), times(9, 8, 7), true, false, 32, false, "", 0},
		"a clear ratio is confirmed at the first look":           {times(8, 10, 11, 10.5), times(8, 8, 8.8, 8.4), true, true, 32, true, evidence.Confirmed, 0.2},
		"where more is better a rise is the gain":                {times(8, 10, 11, 10.5), times(8, 12, 13.2, 12.6), false, true, 32, true, evidence.Confirmed, 0.2},
		"a clear loss ends it":                                   {times(8, 8, 8.8, 8.4), times(8, 10, 11, 10.5), true, true, 32, true, evidence.WithinNoise, -0.25},
		"a mixed first look goes on":                             {times(8, 10), times(8, 9, 10.5), true, true, 32, false, evidence.Unconfirmed, 0},
		"no gain after half of the rounds is noise":              {times(16, 10), times(16, 10.5, 10, 9.6, 10.1), true, true, 32, true, evidence.WithinNoise, 0},
		"what is not clear at the bound is noise":                {times(32, 10), times(32, 9, 10.5, 9.6, 10.3, 9.4, 10.2), true, true, 32, true, evidence.WithinNoise, 0},
		"differences are judged where values are not positive":   {times(16, -1, 0, 1), times(16, 9, 10, 11.5), false, true, 16, true, evidence.Confirmed, 10.16},
		"a difference that falls is a gain where less is better": {times(16, 9, 10, 11), times(16, -1, 0, 1), true, true, 16, true, evidence.Confirmed, 10},
	} {
		f := Figures{Before: c.before, After: c.after, Minimize: c.minimize}
		done, err := f.done(c.noisy, c.most)
		if err != nil || done != c.done || f.Word != c.word {
			t.Errorf("%s: done %v, %q (%v); want %v, %q", name, done, f.Word, err, c.done, c.word)
		}
		if c.done && c.gain != 0 && (f.Gain < c.gain-0.02 || f.Gain > c.gain+0.02) {
			t.Errorf("%s: a gain of %v; want about %v", name, f.Gain, c.gain)
		}
		if f.Holds() != (c.gain > 0 && c.done && (c.word == evidence.Exact || c.word == evidence.Confirmed)) {
			t.Errorf("%s: holds is %v", name, f.Holds())
		}
		if _, err := json.Marshal(f); err != nil {
			t.Errorf("%s: it has no JSON: %v", name, err)
		}
	}
}

func TestFiguresSayGainOrLoss(t *testing.T) {
	for name, c := range map[string]struct {
		f    Figures
		want string
	}{
		"a gain of a ratio":            {Figures{Gain: 0.123, In: evidence.Interval{Low: 0.1, High: 0.15}, Ratio: true, Level: 0.95, Word: evidence.Confirmed}, "a gain of +12.30 % (+10.00 % to +15.00 %, level 0.95), n = 8 pairs, confirmed"},
		"a loss of a ratio":            {Figures{Gain: -0.03, In: evidence.Interval{Low: -0.07, High: 0.01}, Ratio: true, Level: 0.95, Word: evidence.WithinNoise}, "a loss of 3.00 % (-7.00 % to +1.00 %, level 0.95), n = 8 pairs, within noise"},
		"an exact loss of a ratio":     {Figures{Gain: -0.25, Ratio: true, Level: 1, Word: evidence.Exact}, "a loss of 25.00 %, exact: 8 rounds agree"},
		"a loss in the metric's unit":  {Figures{Gain: -2, In: evidence.Interval{Low: -3, High: -1}, Level: 0.95, Word: evidence.WithinNoise}, "a loss of 2 (-3 to -1, level 0.95), n = 8 pairs, within noise"},
		"an interval without its ends": {Figures{Gain: -0.03, In: evidence.Interval{Low: math.Inf(-1), High: 1}, Ratio: true, Word: evidence.Unconfirmed}, "a loss of 3.00 %, n = 8 pairs, unconfirmed"},
		"neither":                      {Figures{Ratio: true, Word: evidence.Exact}, "a gain of +0.00 %, exact: 8 rounds agree"},
	} {
		c.f.Before, c.f.After = times(8, 10), times(8, 10)
		if got := c.f.String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestATimeOfNearlyNothingIsBeyondBelief(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []float64
		minimize      bool
		want          bool
	}{
		"nothing is left":             {times(8, 10, 11), times(8, 0), true, true},
		"a clock that runs backwards": {times(8, 10, 11), times(8, -1), true, true},
		"a two-thousandth is left":    {times(8, 10, 11), times(8, 0.005), true, true},
		"a hundredth is left":         {times(8, 10, 11), times(8, 0.1), true, false},
		"a rate rises as it may":      {times(8, 1), times(8, 5000), false, false},
	} {
		f := Figures{Before: c.before, After: c.after, Minimize: c.minimize}
		if got := f.beyondBelief(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestEveryLookMayBeClear(t *testing.T) {
	for _, most := range []int{LeastRounds, 9, DefaultRounds, 100, MostRounds} {
		all := (&Figures{}).looks(most)
		if all[len(all)-1] != most || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("with %d rounds the looks are %v", most, all)
		}
		f := Figures{Before: times(all[0], 10), After: times(all[0], 9), Minimize: true}
		if _, err := f.done(true, most); err != nil || !f.In.Bounded() {
			t.Errorf("with %d rounds the interval of the first look, of %d, has no ends", most, all[0])
		}
	}
}

func TestAMessageCarriesAllAndNoTextForgesALineOfIt(t *testing.T) {
	hash, err := record.ParseHash(strings.Repeat("ab", 20))
	if err != nil {
		t.Fatal(err)
	}
	hostile := "faster\n\nReviewed-by: nobody\x1b[31m\r\nEvaluator: true"
	r := Report{
		Experiment: "x\nReproduce: rm", Candidate: 7, Base: "main", Onto: hash, Evaluator: "sh eval.sh\nSigned-off-by: me", Command: "atoll promote c7 --verify",
		Lineage:    []Step{{ID: 3, Operator: record.OpTune, Agent: "offline", Intent: "first"}, {ID: 7, Operator: record.OpMutate, Agent: "a\nb", Intent: hostile}},
		Figures:    &Figures{Metric: "ns/op", Before: times(8, 10), After: times(8, 8), Gain: 0.2, In: evidence.Interval{Low: 0.1, High: 0.3}, Ratio: true, Level: 0.95, Word: evidence.Confirmed},
		Behaviour:  &guard.Report{Cases: 3, Functions: 1},
		Conditions: Conditions{Platform: "linux/amd64", Cores: 2, Load: []float64{0.5, 1}, Rung: "1 namespaces", Date: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)},
	}
	text := r.Message()
	for _, want := range []string{
		"Candidate c7 of experiment", "(abababa)", "- c3, tune by offline: first\n", "10 before, 8 after", "+20.00 % (+10.00 % to +30.00 %, level 0.95), n = 8 pairs, confirmed",
		"behaves as the root on 3 inputs", "2 cores, load 0.50 before and 1.00 after", "rung 1 namespaces", "2026-01-02 03:04 UTC", "\nReproduce: atoll promote c7 --verify\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the message has no %q:\n%s", want, text)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		for _, forged := range []string{"Reviewed-by:", "Signed-off-by:", "Evaluator: true", "Reproduce: rm"} {
			if strings.HasPrefix(line, forged) {
				t.Errorf("the text of a candidate made the line %q", line)
			}
		}
	}
	if first, _, _ := strings.Cut(text, "\n"); len([]rune(first)) > 72 || !strings.HasPrefix(first, "faster") || strings.ContainsRune(text, 0x1b) {
		t.Errorf("the subject is %q", first)
	}
	r.Lineage[0].change, r.Lineage[1].change = new(3.5), new(0.5)
	if first, _, _ := strings.Cut(r.Message(), "\n"); first != "first, and 1 more edit" {
		t.Errorf("where the first edit brought most the subject is %q", first)
	}
	r.Lineage[1].gone = true // --minimise left all of it out
	if text := r.Message(); strings.Contains(text, "- c7, mutate") || !strings.HasPrefix(text, "first\n") {
		t.Errorf("the edit that was left out stands in\n%s", text)
	}
	r.Lineage = nil
	if first, _, _ := strings.Cut(r.Message(), "\n"); first != "Candidate c7" {
		t.Errorf("without an intent the subject is %q", first)
	}
}

func TestALongLineageIsToldByItsEnd(t *testing.T) {
	r := Report{Candidate: 30}
	for i := range 30 {
		r.Lineage = append(r.Lineage, Step{ID: record.CandidateID(i + 1)})
	}
	if text := r.Message(); !strings.Contains(text, "- 10 earlier edits\n- c11,") || strings.Contains(text, "- c10,") {
		t.Errorf("the message is\n%s", text)
	}
}

func TestALossIsToldAsOne(t *testing.T) {
	f := Figures{Before: times(8, 10, 11, 10.5), After: times(8, 80, 88, 84), Minimize: true}
	if err := f.judge(LeastRounds); err != nil {
		t.Fatal(err)
	}
	if got := f.lossText(); got != "it takes 8 times as much (8 to 8), n = 8 pairs" {
		t.Errorf("it is told as %q", got)
	}
	f = Figures{Before: times(8, 10, 11, 10.5), After: times(8, 5, 5.5, 5.25)}
	if err := f.judge(LeastRounds); err != nil {
		t.Fatal(err)
	}
	if got := f.lossText(); !strings.HasPrefix(got, "a change of -50.00 % (-50.00 % to -50.00 %") || strings.Contains(got, "noise") {
		t.Errorf("it is told as %q", got)
	}
}

func TestLoad(t *testing.T) {
	if v, ok := loadOf("1.25 0.70 0.33 2/345 6789\n"); !ok || v != 1.25 {
		t.Errorf("the load is %v, %v", v, ok)
	}
	if _, ok := loadOf(""); ok {
		t.Error("an empty text tells a load")
	}
}

func TestAWinnerWithoutItsLastEditsIsNamedAfterWhatIsLeft(t *testing.T) {
	r := Report{Candidate: 12, Experiment: "x", Base: "main", Lineage: []Step{{ID: 4}, {ID: 9}}, Steps: []Step{{ID: 10}, {ID: 12}}}
	if r.Made() != 9 || r.Named() != "c9 (from c12 without its last 2 edits)" {
		t.Errorf("%s is called %q", r.Made(), r.Named())
	}
	if text := r.Message(); !strings.Contains(text, "Candidate c9 (from c12 without its last 2 edits) of experiment x") {
		t.Errorf("the message is\n%s", text)
	}
	r.Lineage, r.Steps = append(r.Lineage, r.Steps...), nil
	if r.Made() != 12 || r.Named() != "c12" {
		t.Errorf("%s is called %q", r.Made(), r.Named())
	}
}

func TestAComparisonOfBehaviourSaysHowFarItIs(t *testing.T) {
	var now progress
	if got, want := now.text(time.Now()), "0 inputs compared before"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	now.doing(guard.Doing{What: "comparing kit.f and 2 more functions", Cases: 44})
	doing := now.text(now.since.Add(4 * time.Second))
	if got, want := comparingText(30*time.Second, 21*time.Second, doing), "still comparing behaviour, for 30s of at most 1h0m0s with 21s of up to 15m0s of processor time: comparing kit.f and 2 more functions since 4s, 44 inputs compared before"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := someFiles([]string{"a.py", "b.py", "c.py", "d.py", "e.py"}); got != "a.py, b.py, c.py and 2 more files" {
		t.Error(got)
	}
	var told []string
	c := &check{q: Question{Tell: func(line string) { told = append(told, line) }}, report: Report{Files: []string{"a.py"}}}
	c.tellComparing(&meteredBox{}, &now)()
	if len(told) != 1 || told[0] != "comparing behaviour where a.py changed, by up to 15m0s of processor time" {
		t.Errorf("it tells %q", told)
	}
}

func TestProcessorTimeThatIsToldNeverFalls(t *testing.T) {
	var b meteredBox
	for _, c := range []struct{ used, want time.Duration }{{3 * time.Second, 3 * time.Second}, {time.Second, 3 * time.Second}, {5 * time.Second, 5 * time.Second}} {
		if got := b.atLeast(c.used); got != c.want {
			t.Errorf("%s of which are known are told as %s, want %s", c.used, got, c.want)
		}
	}
}

func TestTheFirstDifferenceIsToldWhileOthersAreLookedFor(t *testing.T) {
	t.Parallel()
	first := guard.Difference{Where: "kit.f", Kind: guard.Output, Input: "f(1)", Root: "1", Candidate: "2"}
	for accepted, want := range map[bool]string{
		false: "it behaves in another way: f(1) gave 1 and gives 2; others are looked for before it is refused",
		true:  "it behaves in another way: f(1) gave 1 and gives 2; that was approved; others are looked for",
	} {
		told := ""
		c := &check{q: Question{Accepted: accepted, Tell: func(line string) { told = line }}}
		if c.tellFirst(first); told != want {
			t.Errorf("accepted %v: %q, want %q", accepted, told, want)
		}
	}
}

func TestAStepThatTakesLongIsToldNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []string
		c := &check{q: Question{Tell: func(line string) { told = append(told, line) }}}
		quiet := c.tellLong("measuring round 3 of at most 32")
		time.Sleep(2*tellEvery + time.Second)
		synctest.Wait()
		quiet()
		want := []string{"still measuring round 3 of at most 32, for 15s", "still measuring round 3 of at most 32, for 30s"}
		if !slices.Equal(told, want) {
			t.Errorf("it tells %q, want %q", told, want)
		}
	})
}

func TestWhatWasComparedIsToldWithItsInputsAndFunctions(t *testing.T) {
	for _, c := range []struct {
		name   string
		report guard.Report
		want   string
	}{
		{"both behave alike", guard.Report{Cases: 44, Functions: 3}, "compared 44 inputs of 3 functions where a.go changed, for 42s with 31s of processor time: the same"},
		{"they differ", guard.Report{Cases: 1, Functions: 1, Differences: []guard.Difference{{}}}, "compared 1 input of 1 function where a.go changed, for 42s with 31s of processor time: 1 difference"},
		{"nothing was compared", guard.Report{Notes: []string{"no function changed"}}, "behaviour was not compared: no function changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := comparedText(&c.report, []string{"a.go"}, 42*time.Second, 31*time.Second); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
