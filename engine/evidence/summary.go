package evidence

import (
	"encoding/json"
	"math"
)

// Summary is what the samples of one program show. The zero Summary is that of
// no samples.
type Summary struct {
	N    int
	Mean float64
	Dev  float64 // standard deviation of the samples (n - 1); 0 for fewer than two
}

// Of summarises samples. Errors: [ErrNone], [ErrNotFinite].
func Of(values ...float64) (Summary, error) {
	if len(values) == 0 {
		return Summary{}, ErrNone
	}
	s := Summary{N: len(values), Mean: values[0]}
	if !equal(values) { // else rounding would make noise
		s.Mean, s.Dev = spread(values)
	}
	if !finite(s.Mean) || !finite(s.Dev) {
		return Summary{}, ErrNotFinite
	}
	return s, nil
}

// spread is mean and standard deviation, in one pass that does not cancel
// (Welford 1962).
func spread(values []float64) (mean, dev float64) {
	squares := 0.0
	for i, v := range values {
		d := v - mean
		mean += d / float64(i+1)
		squares += d * (v - mean)
	}
	return mean, math.Sqrt(squares / float64(len(values)-1))
}

func equal(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// AtLeast returns the summary with a spread of no less than dev. A few samples
// can agree by chance, above all where values are coarse; what the experiment
// knows of its noise bounds how much that may say.
func (s Summary) AtLeast(dev float64) Summary {
	s.Dev = max(s.Dev, dev)
	return s
}

// borrowed is how many degrees of freedom the noise of other programs counts for
// beside a program's own samples.
const borrowed = 8

// moderated is a spread estimated from free degrees of freedom, drawn to that of
// other programs: the moderated t of Smyth 2004 ("Linear models and empirical
// Bayes methods"), exact where the variances of programs differ as an inverse chi
// square of that many degrees of freedom does. A handful of samples knows hardly
// anything of its own spread; many outweigh what was borrowed.
func (n Noise) moderated(dev float64, free int) (float64, int) {
	b := min(n.free, borrowed)
	if b <= 0 || n.squares <= 0 || free < 0 {
		return dev, free
	}
	top := max(dev, n.Dev()) // scaled, for squares may overflow
	f, g := float64(free), float64(b)
	return top * math.Sqrt((f*square(dev/top)+g*square(n.Dev()/top))/(f+g)), free + b
}

// Interval holds the expected value of further samples, at the given level (0.95)
// and at every number of samples at once. One sample says nothing of the noise,
// so its interval has no ends.
func (s Summary) Interval(level float64) Interval { return s.Among(Noise{}, level) }

// Among is the interval with what is known of the noise of other programs.
func (s Summary) Among(others Noise, level float64) Interval {
	if s.N < 2 {
		return unbounded
	}
	dev, free := others.moderated(s.Dev, s.N-1)
	r := radius(float64(s.N), free, dev, level)
	return Interval{s.Mean - r, s.Mean + r}
}

// Interval is a range from Low to High; both ends are infinite where nothing is
// known.
type Interval struct{ Low, High float64 }

// Bounded reports whether the interval says anything.
func (i Interval) Bounded() bool { return finite(i.Low) && finite(i.High) }

// Has reports whether a value lies in the interval.
func (i Interval) Has(v float64) bool { return i.Low <= v && v <= i.High }

// MarshalJSON writes [low, high], or null where the interval has no ends.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.Bounded() {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64{i.Low, i.High})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (i *Interval) UnmarshalJSON(data []byte) error {
	var ends *[2]float64
	if err := json.Unmarshal(data, &ends); err != nil {
		return err
	}
	*i = unbounded
	if ends != nil {
		*i = Interval{ends[0], ends[1]}
	}
	return nil
}

var unbounded = Interval{math.Inf(-1), math.Inf(1)}

// Half is half the width of the interval.
func (i Interval) Half() float64 { return (i.High - i.Low) / 2 }

// Noise pools the spread of many programs, all measured by one evaluator. The
// zero Noise knows nothing.
type Noise struct {
	squares float64
	free    int // degrees of freedom
}

// Add takes a summary in, and Drop takes it back when it is to be replaced by one
// of more samples.
func (n *Noise) Add(s Summary) { n.add(s, 1) }

// Drop takes back what was added.
func (n *Noise) Drop(s Summary) { n.add(s, -1) }

func (n *Noise) add(s Summary, sign int) {
	if s.N < 2 || !finite(s.Dev*s.Dev) {
		return
	}
	n.squares += float64(sign*(s.N-1)) * s.Dev * s.Dev
	n.free += sign * (s.N - 1)
}

// Dev is the standard deviation of one sample; 0 while nothing was repeated.
func (n *Noise) Dev() float64 {
	if n.free <= 0 || n.squares <= 0 {
		return 0
	}
	return math.Sqrt(n.squares / float64(n.free))
}
