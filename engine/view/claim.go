package view

import (
	"fmt"
	"math"

	"atoll/engine/evidence"
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

// ClaimGain writes what may be told of a gain: "+12.30 %" where nothing varies,
// "+12.3 % [9.8, 14.8] confirmed", or the words "unconfirmed" and "within noise"
// alone. Where the root is 0 the gain is in its own unit.
func ClaimGain(c evidence.Claim) string {
	gain, in, ok := c.Percent()
	switch {
	case c.Word == evidence.Exact && ok:
		return fmt.Sprintf("%+.2f %%", gain+0) // + 0 makes -0 plain
	case c.Word == evidence.Exact:
		return fmt.Sprintf("%+.6g", c.Gain+0)
	case c.Word != evidence.Confirmed:
		return string(c.Word)
	case !ok:
		return fmt.Sprintf("%+.6g [%s, %s] %s", c.Gain, shortValue(c.GainIn.Low), shortValue(c.GainIn.High), c.Word)
	}
	return fmt.Sprintf("%+.1f %% [%.1f, %.1f] %s", gain, in.Low, in.High, c.Word)
}

// ClaimPercent is a gain in percent where it may be told as a fact, else NaN.
func ClaimPercent(c evidence.Claim) float64 {
	if gain, _, ok := c.Percent(); ok && (c.Word == evidence.Exact || c.Word == evidence.Confirmed) {
		return gain
	}
	return math.NaN()
}

func shortValue(v float64) string { return fmt.Sprintf("%.4g", v) }
