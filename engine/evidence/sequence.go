package evidence

import "math"

// effect is the standard deviation, in units of the noise of one sample, of the
// normal distribution of effects over which the t statistic is mixed. Intervals
// hold for any; they are narrowest for gains about as large as the noise.
const effect = 1.0

// radius is half the width of the confidence sequence for a mean that has the
// standard error dev/√n, with dev estimated from free degrees of freedom. n is
// the number of samples, or for a difference of two means that which gives the
// same standard error. It is infinite where nothing can be said.
//
// The ratio of the likelihood mixed over effects δ ~ N(0, g) to that of no effect,
// both integrated over the unknown scale by its right Haar measure, is
//
//	(1 + n·g)^(-1/2) · ((1 + t²/f) / (1 + t²/(f·(1 + n·g))))^((f+1)/2)
//
// and is a martingale when there is no effect, so by Ville's inequality it ever
// exceeds 1/α with a chance of α at most. Solved for t it gives the radius.
func radius(n float64, free int, dev, level float64) float64 {
	if free < 1 || !(level > 0 && level < 1) || !finite(dev) {
		return math.Inf(1)
	}
	if dev == 0 {
		return 0
	}
	f, spread, alpha := float64(free), 1+n*effect*effect, 1-level
	k := math.Exp((math.Log(spread) - 2*math.Log(alpha)) / (f + 1))
	if k >= spread {
		return math.Inf(1)
	}
	t := math.Sqrt(f * (k - 1) / (1 - k/spread))
	return t * dev / math.Sqrt(n)
}

// Difference holds the expected value of a's samples less that of b's, at the
// given level and at every number of samples at once; gain is the difference of
// the means. Both are taken to have one spread: give them about as many samples.
// Others is what is known of the noise of other programs.
func Difference(a, b Summary, others Noise, level float64) (gain float64, in Interval) {
	gain = a.Mean - b.Mean
	if a.N == 0 || b.N == 0 || !finite(gain) {
		return 0, unbounded
	}
	n, free, dev := together(a, b)
	if free > 0 {
		dev, free = others.moderated(dev, free)
	}
	r := radius(n, free, dev, level)
	return gain, Interval{gain - r, gain + r}
}

// together returns the number of samples whose mean has the error of the
// difference, and the pooled spread with its degrees of freedom.
func together(a, b Summary) (n float64, free int, dev float64) {
	x, y := float64(a.N), float64(b.N)
	n = x * y / (x + y)
	free = a.N + b.N - 2
	switch {
	case a.N < 2:
		dev = b.Dev
	case b.N < 2:
		dev = a.Dev
	default: // scaled, for squares may overflow
		top := max(a.Dev, b.Dev)
		if top > 0 {
			dev = top * math.Sqrt(((x-1)*square(a.Dev/top)+(y-1)*square(b.Dev/top))/float64(free))
		}
	}
	return n, free, dev
}

func square(x float64) float64 { return x * x }

// Spend divides the error of a whole run over the challengers it tests: the
// level of the kth, counted from 1, such that the errors of all, however many
// there will be, sum up to error at most (1/2 + 1/6 + 1/12 + ... = 1).
func Spend(error float64, k int) (level float64) {
	k = max(k, 1)
	return 1 - error/(float64(k)*float64(k+1))
}

// Resolution is the smallest gain that a set-up can be expected to see: with n
// samples of each side and noise dev, four of five such gains are confirmed at
// the given level. It is infinite where n is too small for any.
func Resolution(dev float64, n int, level float64) float64 {
	const power = 0.8416 // the normal quantile of 4/5
	each := float64(n) / 2
	if n < 1 {
		return math.Inf(1)
	}
	return radius(each, 2*n-2, dev, level) + power*dev/math.Sqrt(each)
}
