package simulate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Times is how long something takes: a distribution to draw from. The zero value
// takes no time.
type Times struct {
	text    string
	draw    func(*rand.Rand) time.Duration
	Samples int // that it was measured with; 0: it was given
}

// ErrTimes reports a distribution that cannot be read.
var ErrTimes = errors.New("no distribution of times")

// ParseTimes reads a distribution: 30s, fixed:30s, exp:30s (mean),
// lognormal:30s,0.8 (median, deviation of the logarithm) or uniform:10s,50s.
func ParseTimes(text string) (Times, error) {
	kind, rest, named := strings.Cut(text, ":")
	if !named {
		kind, rest = "fixed", text
	}
	first, second, two := strings.Cut(rest, ",")
	a, err := time.ParseDuration(strings.TrimSpace(first))
	bad := fmt.Errorf("%w: %q; write 30s, exp:30s, lognormal:30s,0.8 or uniform:10s,50s", ErrTimes, text)
	if err != nil || a < 0 {
		return Times{}, bad
	}
	t := Times{text: text}
	switch {
	case kind == "fixed" && !two:
		t.draw = func(*rand.Rand) time.Duration { return a }
	case kind == "exp" && !two:
		t.draw = func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(a)) }
	case kind == "lognormal" && two:
		sigma, err := strconv.ParseFloat(strings.TrimSpace(second), 64)
		if err != nil || sigma < 0 || sigma > 5 {
			return Times{}, bad
		}
		t.draw = func(r *rand.Rand) time.Duration { return time.Duration(float64(a) * math.Exp(sigma*r.NormFloat64())) }
	case kind == "uniform" && two:
		b, err := time.ParseDuration(strings.TrimSpace(second))
		if err != nil || b < a {
			return Times{}, bad
		}
		t.draw = func(r *rand.Rand) time.Duration { return a + time.Duration(r.Float64()*float64(b-a)) }
	default:
		return Times{}, bad
	}
	return t, nil
}

// MeasuredTimes draws from times that were measured.
func MeasuredTimes(list []time.Duration) Times {
	if len(list) == 0 {
		return Times{}
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return Times{
		text: fmt.Sprintf("measured, median %s", list[len(list)/2].Round(time.Millisecond)), Samples: len(list),
		draw: func(r *rand.Rand) time.Duration { return list[r.IntN(len(list))] },
	}
}

// String is how it was written.
func (t Times) String() string {
	if t.draw == nil {
		return "none"
	}
	return t.text
}

// of draws a time.
func (t Times) of(r *rand.Rand) time.Duration {
	if t.draw == nil {
		return 0
	}
	return min(t.draw(r), 1000*time.Hour)
}
