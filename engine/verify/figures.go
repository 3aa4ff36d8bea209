package verify

import (
	"fmt"
	"slices"
	"strings"

	"atoll/engine/eval/output"
	"atoll/engine/evidence"
	"atoll/engine/view"
)

// The rounds of a verification. Below leastRounds the signed-rank interval of a
// shared error has no ends.
const (
	DefaultRounds = 32
	LeastRounds   = 8
	MostRounds    = 256
	exactRounds   = 2
)

// allError is the error of one verification, shared by its looks.
const allError = 0.05

// Figures are what measurements in turn say: pair i of Before and After was
// measured one right after the other.
type Figures struct {
	Metric   string `json:"metric"`
	Minimize bool   `json:"minimize"`
	// Before and After are the values of the branch and of the winner, in the
	// evaluator's own direction and unit, by round.
	Before []float64 `json:"before"`
	After  []float64 `json:"after"`
	// Gain counts upwards: more is better. With Ratio it is a part of the branch's
	// value, else in the metric's unit.
	Gain  float64           `json:"gain"`
	In    evidence.Interval `json:"gain_interval"`
	Ratio bool              `json:"ratio"`
	Level float64           `json:"level"` // of the interval; 1 for an exact gain
	Word  evidence.Word     `json:"word"`
	// Parts are what the metric is a mean of, the worst first; nil where it is none.
	Parts []Part `json:"parts,omitempty"`
}

// add takes what a round says of both.
func (f *Figures) add(before, after side) {
	f.addParts(before, after)
	f.Before, f.After = append(f.Before, before.value), append(f.After, after.value)
}

// N is the number of rounds.
func (f *Figures) N() int { return len(f.Before) }

// Holds reports whether the gain may be told as a fact.
func (f *Figures) Holds() bool {
	return f.Word == evidence.Confirmed || f.Word == evidence.Exact && f.Gain > 0
}

// String is the gain, or the loss, with its interval and the number of pairs.
func (f *Figures) String() string {
	text := "a gain of " + f.show(f.Gain)
	if f.Gain < 0 {
		text = "a loss of " + strings.TrimPrefix(f.show(-f.Gain), "+")
	}
	if f.Word == evidence.Exact {
		return fmt.Sprintf("%s, exact: %d rounds agree", text, f.N())
	}
	return fmt.Sprintf("%s%s, n = %d pairs, %s", text, f.interval(), f.N(), f.Word)
}

// amount is the gain with its interval, where that has ends and the gain is not exact.
func (f *Figures) amount() string { return f.show(f.Gain) + f.interval() }

// show is a gain in per cent, or in the metric's unit.
func (f *Figures) show(gain float64) string {
	if f.Ratio {
		return fmt.Sprintf("%+.2f %%", 100*gain)
	}
	return view.FormatValue(gain)
}

// interval is that of the gain in brackets, counted upwards also of a loss; "" where the gain is
// exact or it has no ends.
func (f *Figures) interval() string {
	if f.Word == evidence.Exact || !f.In.Bounded() {
		return ""
	}
	return fmt.Sprintf(" (%s to %s, level %.3g)", f.show(f.In.Low), f.show(f.In.High), f.Level)
}

// lossText says what the values of After are beside those of Before where After has less:
// how much is lost, and how sure that is.
func (f *Figures) lossText() string {
	switch {
	case f.Ratio && f.Minimize:
		return fmt.Sprintf("it takes %.3g times as much (%.3g to %.3g), n = %d pairs", 1-f.Gain, 1-f.In.High, 1-f.In.Low, f.N())
	case f.Word == evidence.Exact:
		return "a change of " + f.amount()
	}
	return fmt.Sprintf("a change of %s, n = %d pairs", f.amount(), f.N())
}

// Medians are the middle values of the branch and of the winner.
func (f *Figures) Medians() (before, after float64) {
	return output.Median(f.Before), output.Median(f.After)
}

// beyondBelief reports of times that nearly nothing is left of them.
func (f *Figures) beyondBelief() bool {
	before, after := f.Medians()
	return f.Minimize && view.NearlyNothing(before, after)
}

// looks are the numbers of rounds after which the figures are judged: doubling, up to most.
// The first is of as many as tell something of every part.
func (f *Figures) looks(most int) []int {
	for first := LeastRounds; ; first++ {
		var out []int
		for n := first; n < most; n *= 2 {
			out = append(out, n)
		}
		if out = append(out, most); first >= most || tellsParts(first, len(f.Parts), len(out)) {
			return out
		}
	}
}

// exact reports whether every sample of a side is the same as the others of it.
func (f *Figures) exact() bool {
	same := func(values []float64) bool { return slices.Min(values) == slices.Max(values) }
	return same(f.Before) && same(f.After)
}

// certain judges values that do not vary.
func (f *Figures) certain() {
	c := evidence.Certain(f.After[0], f.Before[0], f.Minimize)
	f.Gain, f.In, f.Level, f.Word, f.Ratio = c.Gain, c.GainIn, c.Level, c.Word, false
	if f.positive() {
		size := f.Before[0]
		f.Gain, f.Ratio = c.Gain/size, true
		f.In = evidence.Interval{Low: f.Gain, High: f.Gain}
	}
}

func (f *Figures) positive() bool { return slices.Min(f.Before) > 0 && slices.Min(f.After) > 0 }

// judge says what the rounds so far show; most is the bound of rounds.
func (f *Figures) judge(most int) error {
	if f.positive() {
		return f.judgeRatio(most)
	}
	diffs := make([]float64, f.N())
	for i := range diffs {
		diffs[i] = f.After[i] - f.Before[i]
	}
	s, err := evidence.Of(diffs...)
	if err != nil {
		return err
	}
	c := evidence.Judge(evidence.Question{Candidate: s, Fixed: true, Minimize: f.Minimize, Level: 1 - allError, Enough: most})
	f.Gain, f.In, f.Level, f.Word, f.Ratio = c.Gain, c.GainIn, c.Level, c.Word, false
	return nil
}

func (f *Figures) judgeRatio(most int) error {
	f.Ratio, f.Level = true, 1-allError/float64(len(f.looks(most)))
	ratio, in, err := evidence.PairedRatio(f.Before, f.After, f.Level)
	if err != nil {
		return err
	}
	f.Gain, f.In = ratio-1, evidence.Interval{Low: in.Low - 1, High: in.High - 1}
	if f.Minimize {
		f.Gain, f.In = 1-ratio, evidence.Interval{Low: 1 - in.High, High: 1 - in.Low}
	}
	switch {
	case f.In.Low > 0:
		f.Word = evidence.Confirmed
	case f.In.High <= 0, f.N() >= most, 2*f.N() >= most && f.Gain <= 0: // giving up early adds no false claim
		f.Word = evidence.WithinNoise
	default:
		f.Word = evidence.Unconfirmed
	}
	return nil
}

// done judges the rounds where that is due, and reports whether the matter is
// settled. Noisy says that the evaluator is known to vary, so that two rounds
// which agree do so by chance.
func (f *Figures) done(noisy bool, most int) (bool, error) {
	if n := f.N(); n == exactRounds && !noisy && f.exact() {
		f.certain()
		return true, nil
	} else if !slices.Contains(f.looks(most), n) {
		return false, nil
	}
	err := f.judge(most)
	return err == nil && f.Word != evidence.Unconfirmed, err
}
