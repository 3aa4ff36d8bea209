package evidence

import "math"

// Word is what may be said of a gain.
type Word string

// The words. Exact is for evaluators whose repeats all agree; Unconfirmed says
// that there are too few samples to tell.
const (
	Exact       Word = "exact"
	Confirmed   Word = "confirmed"
	Unconfirmed Word = "unconfirmed"
	WithinNoise Word = "within noise"
)

// Claim is what may be told of a candidate beside the root. Values are in the
// evaluator's own direction and unit; gains count upwards: more is better.
type Claim struct {
	Value    float64  `json:"value"`
	Interval Interval `json:"interval"`
	N        int      `json:"n"`
	Level    float64  `json:"level"` // of both intervals
	Root     float64  `json:"root"`
	RootN    int      `json:"root_n"`
	Gain     float64  `json:"gain"`
	GainIn   Interval `json:"gain_interval"`
	Word     Word     `json:"word"`
}

// Question is what [Judge] is asked.
type Question struct {
	Candidate, Root Summary // of samples that decided nothing
	// Fixed says that the root's value is known without error, as the ratio 1 is
	// when every sample was taken beside the root.
	Fixed    bool
	Minimize bool
	// Positive says that no value is below 0, as of ratios of times: with Fixed, no interval
	// reaches where no value can be. What is claimed is decided before.
	Positive bool
	Level    float64 // of the intervals, as [Spend] gives it; 0 = 0.95
	// Enough is the number of samples of the candidate after which a gain that was
	// not seen is called noise; where there is hardly any, fewer do.
	Enough int
	// Least is a bound of the spread from below: see [Summary.AtLeast].
	Least float64
	// Others is the noise of other programs under the same evaluator.
	Others Noise
}

// Judge says what held-out samples of a candidate and of the root show.
func Judge(q Question) Claim {
	if q.Level == 0 {
		q.Level = 0.95
	}
	c := Claim{
		Value: q.Candidate.Mean, N: q.Candidate.N, Level: q.Level, Root: q.Root.Mean, RootN: q.Root.N,
		Interval: q.Candidate.AtLeast(q.Least).Among(q.Others, q.Level), Word: Unconfirmed,
	}
	if q.Candidate.N == 0 || q.Root.N == 0 && !q.Fixed {
		c.GainIn = unbounded
		return c
	}
	if q.Fixed {
		c.Gain = c.Value - c.Root
		c.GainIn = Interval{c.Interval.Low - c.Root, c.Interval.High - c.Root}
	} else {
		c.Gain, c.GainIn = Difference(q.Candidate.AtLeast(q.Least), q.Root.AtLeast(q.Least), q.Others, q.Level)
	}
	if q.Minimize {
		c.Gain, c.GainIn = -c.Gain, Interval{-c.GainIn.High, -c.GainIn.Low}
	}
	switch {
	case c.GainIn.Low > 0:
		c.Word = Confirmed
	case c.GainIn.High <= 0, q.Enough > 0 && hopeless(&c, q.Enough):
		c.Word = WithinNoise
	}
	if q.Positive && q.Fixed && c.Interval.Bounded() && c.Interval.Low < 0 && c.Value >= 0 {
		c.Interval.Low = 0
		if q.Minimize {
			c.GainIn.High = c.Root
		} else {
			c.GainIn.Low = -c.Root
		}
	}
	return c
}

// hopeless reports whether further samples would hardly show a gain: there were
// enough, or a half shows a small part of what would be seen, or a quarter shows
// none. Giving up early adds no false claim.
func hopeless(c *Claim, enough int) bool {
	return c.N >= enough || 2*c.N >= enough && 4*c.Gain <= c.GainIn.Half() || 4*c.N >= enough && c.Gain <= 0
}

// Certain is the claim of an evaluator without noise: both values are what they
// are.
func Certain(value, root float64, minimize bool) Claim {
	c := Claim{
		Value: value, Interval: Interval{value, value}, N: 1, Level: 1,
		Root: root, RootN: 1, Gain: value - root, Word: Exact,
	}
	if minimize {
		c.Gain = -c.Gain
	}
	c.GainIn = Interval{c.Gain, c.Gain}
	return c
}

// Holds reports whether the gain may be told as a fact.
func (c *Claim) Holds() bool { return c.Word == Confirmed || c.Word == Exact && c.Gain > 0 }

// Percent is the gain and its interval in percent of the root's size; ok is
// false where the root is 0.
func (c *Claim) Percent() (gain float64, in Interval, ok bool) {
	size := math.Abs(c.Root) / 100
	if size == 0 || !finite(c.Gain/size) {
		return 0, Interval{}, false
	}
	return c.Gain / size, Interval{c.GainIn.Low / size, c.GainIn.High / size}, true
}

// Fine is the number of samples, a power of two from 8 to most, after which the
// value of a gain is known to about a twentieth of it, which is worth one digit.
// Dev is the standard deviation of one sample. The steps are coarse so that it
// hardly matters where a first estimate of the gain came to lie: who stops when
// the value looks good shows values that look good.
func Fine(dev, gain float64, most int) int {
	r := 20 * dev / gain
	n := min(8, most)
	for n < most && !(float64(n) >= r*r) {
		n *= 2
	}
	return min(n, most)
}
