package view

import (
	"fmt"
	"math"

	"atoll/config"
	"atoll/engine/evidence"
	"atoll/store/record"
)

// ClaimValue writes a value with its evidence: "81.2", where nothing varies, or
// "81.2 [80.1, 82.3] n 16", or "81.2 unconfirmed" where no sample was held out.
func ClaimValue(c evidence.Claim) string {
	switch {
	case c.Word == evidence.Exact:
		return FormatValue(c.Value)
	case c.N == 0:
		return FormatValue(c.Value) + " " + string(evidence.Unconfirmed)
	case !c.Interval.Bounded():
		return fmt.Sprintf("%s n %d", FormatValue(c.Value), c.N)
	}
	return fmt.Sprintf("%s [%s, %s] n %d", FormatValue(c.Value), shortValue(c.Interval.Low), shortValue(c.Interval.High), c.N)
}

// ToldValue writes a candidate's value with its evidence, and says where it shows no gain.
// The root was chosen by nothing: its value is what was measured.
func ToldValue(id record.CandidateID, c evidence.Claim) string {
	switch {
	case id == record.Root && c.N == 0:
		return FormatValue(c.Value)
	case id != record.Root && c.N > 0 && (c.Word == evidence.WithinNoise || c.Word == evidence.Unconfirmed):
		return ClaimValue(c) + " " + ClaimWord(c)
	}
	return ClaimValue(c)
}

// Doubtful reports whether what was held out so far speaks against a gain that is still being
// measured.
func Doubtful(c evidence.Claim) bool {
	return c.Word == evidence.Unconfirmed && c.N > 0 && c.Gain < 0
}

// ClaimWord is the word of a claim, and where that is "unconfirmed" whether what was held out
// so far is worse than the root.
func ClaimWord(c evidence.Claim) string {
	if Doubtful(c) {
		return string(c.Word) + ", worse than the root so far"
	}
	return string(c.Word)
}

// ClaimGain writes what may be told of a gain: "+12.30 %" where nothing varies,
// "+12.3 % [9.8, 14.8] confirmed", or the words "unconfirmed" and "within noise"
// alone, with what [ClaimWord] adds. Where the root is 0 the gain is in its own unit.
func ClaimGain(c evidence.Claim) string {
	gain, in, ok := c.Percent()
	switch {
	case c.Word == evidence.Exact && ok:
		return fmt.Sprintf("%+.2f %%", gain+0) // + 0 makes -0 plain
	case c.Word == evidence.Exact:
		return fmt.Sprintf("%+.6g", c.Gain+0)
	case c.Word != evidence.Confirmed:
		return ClaimWord(c)
	case !ok:
		return fmt.Sprintf("%+.6g [%s, %s] %s", c.Gain, shortValue(c.GainIn.Low), shortValue(c.GainIn.High), c.Word)
	}
	return fmt.Sprintf("%+.1f %% [%.1f, %.1f] %s", gain, in.Low, in.High, c.Word)
}

// NearlyNothing reports of a time, minimized, that less than a thousandth of it is left: what takes
// that is more often a program that fools its clock than a better one.
func NearlyNothing(before, after float64) bool { return before > 0 && after < before/1000 }

// Disbelief says of a claim on a time that nearly nothing of the root's is left, "" of others;
// `promote --verify` refuses it as well.
func Disbelief(direction, metric string, c evidence.Claim) string {
	if direction != "minimize" || !config.TimeLike(metric, "") || !NearlyNothing(c.Root, c.Value) {
		return ""
	}
	return "less than a thousandth of the root's is beyond belief: look at its diff"
}

// ClaimPercent is a gain in percent where it may be told as a fact, else NaN.
func ClaimPercent(c evidence.Claim) float64 {
	if gain, _, ok := c.Percent(); ok && (c.Word == evidence.Exact || c.Word == evidence.Confirmed) {
		return gain
	}
	return math.NaN()
}

// Measured names what the values of an experiment are: the metric searched on, or its ratio
// to the root's.
func (s *Snapshot) Measured() string {
	if s.Paired {
		return "ratio of " + s.metric() + " to the root's"
	}
	return s.metric()
}

// metric is the name of what is searched on.
func (s *Snapshot) metric() string {
	if s.Objective == "" {
		return "objective"
	}
	return CleanLine(s.Objective)
}

// Valued writes a value, with its evidence, as what it is: "ns/op 81.2", or for a ratio
// "0.81 of the root's ns/op".
func (s *Snapshot) Valued(value string) string {
	if s.Paired {
		return value + " of the root's " + s.metric()
	}
	return s.metric() + " " + value
}

// SureText names whom a promotion found better while the root is the best; "" for nobody.
func (s *Snapshot) SureText() string {
	if s.Sure == nil {
		return ""
	}
	b := s.Sure.Verified
	return fmt.Sprintf("%s was %s; it is on branch %s", s.Sure.ID, b.Verification(), CleanLine(b.Name))
}

// VerifiedText says beside a root that leads whom a promotion found better; Sure is somebody.
func (s *Snapshot) VerifiedText() string {
	return s.Sure.ID.String() + " is better than the root, verified by promote"
}

// RootText tells the value of the root: where values are ratios to it, what that means and
// its own.
func (s *Snapshot) RootText() string {
	switch {
	case !s.Paired:
		return s.Valued(FormatValue(s.Root.Objective))
	case s.Root.Own == nil:
		return "1 by definition: values are ratios of " + s.metric() + " to the root's"
	}
	return fmt.Sprintf("1 by definition, its own %s %s", s.metric(), FormatValue(*s.Root.Own))
}

// NotCompared is said of a candidate that the guard should have looked at, and did not.
const NotCompared = "Its behaviour was not compared with the root's."

// NotComparedYet is said of a measured candidate that the guard is to look at in time, and did not look at yet.
const NotComparedYet = "not compared yet: it is once the candidate would lead, and before its gain is confirmed"

// ClaimText says in sentences what may be told of a candidate's value and gain.
func ClaimText(s *Snapshot, id record.CandidateID, c *evidence.Claim) string {
	text := claimText(s, id, c)
	if s.Best.ID == id && s.Best.Uncompared {
		text += " " + NotCompared
	}
	return text
}

func claimText(s *Snapshot, id record.CandidateID, c *evidence.Claim) string {
	metric, lower := s.Measured(), ""
	if s.Direction == "minimize" {
		lower = " (lower is better)"
	}
	if id == record.Root || c.Word == "" {
		return fmt.Sprintf("Nothing may be told of the %s of %s yet.", metric, id)
	}
	text := fmt.Sprintf("Its %s is %s%s; the root's is %s. ", metric, ClaimValue(*c), lower, FormatValue(ClaimRoot(s, c)))
	if s.Paired {
		text = fmt.Sprintf("Its %s is %s%s. ", metric, ClaimValue(*c), lower)
	}
	switch c.Word {
	case evidence.Exact:
		return text + fmt.Sprintf("The gain is %s; repeats of this evaluator agree to the last digit.", ClaimGain(*c))
	case evidence.Confirmed:
		return text + fmt.Sprintf("The gain is %s at %.4g %% by samples that did not decide.", ClaimGain(*c), 100*c.Level)
	case evidence.WithinNoise:
		return text + "What it seemed to gain is within noise of the evaluator: take it as no gain."
	}
	if s.Best.ID == id && s.Best.Verified != nil {
		return text + "The run itself did not confirm its gain, which was " + s.Best.Verified.Verification() + "."
	}
	if Doubtful(*c) {
		return text + fmt.Sprintf("It leads by the samples that decided; by the %s held out so far it is worse than the root: take it as no gain.", Plural(c.N, "sample"))
	}
	return text + "Its gain is unconfirmed: there are too few samples that did not decide."
}

// ClaimRoot is the root's value that a claim is made against.
func ClaimRoot(s *Snapshot, c *evidence.Claim) float64 {
	if c.RootN > 0 {
		return c.Root
	}
	return s.Root.Objective
}

func shortValue(v float64) string { return fmt.Sprintf("%.4g", v) }
