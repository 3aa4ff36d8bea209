package plot

import "math"

// logarithms returns the chart over the logarithms of its values.
func (c *Chart) logarithms() *Chart {
	out := *c
	out.Series = make([]Series, len(c.Series))
	for i, s := range c.Series {
		if c.LogX {
			s.X = logs(s.X)
		}
		if c.LogY {
			s.Y = logs(s.Y)
		}
		out.Series[i] = s
	}
	if c.LogX {
		out.Marks = make([]ChartMark, len(c.Marks))
		for i, m := range c.Marks {
			out.Marks[i] = ChartMark{X: log10(m.X), Text: m.Text}
		}
	}
	if c.LogY {
		out.Base, out.Low, out.High = log10(c.Base), 0, 0
	}
	return &out
}

func logs(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = log10(v[i])
	}
	return out
}

// log10 is NaN for what has no logarithm.
func log10(v float64) float64 {
	if !(v > 0) {
		return math.NaN()
	}
	return math.Log10(v)
}

func (f *frame) yLabel(v float64) string {
	if f.chart.LogY {
		v = math.Pow(10, v)
	}
	return Short(v)
}

// ticksOf chooses between even steps and those of a logarithmic axis.
func ticksOf(log bool) func(lo, hi float64, n int) []float64 {
	if log {
		return logTicks
	}
	return Ticks
}

// logTicks returns the logarithms of rounded values between 10^lo and 10^hi,
// at most about twice n: powers of ten, or 1, 2 and 5 times those where they
// are few, or even steps within less than a decade.
func logTicks(lo, hi float64, n int) []float64 {
	if !(hi > lo) || math.IsInf(hi-lo, 0) || n < 1 {
		return nil
	}
	every := math.Max(1, math.Ceil((hi-lo)/float64(2*n)))
	for _, ms := range [][]float64{{1}, {1, 2, 5}} {
		var out []float64
		for e := math.Floor(lo/every) * every; e <= hi; e += every {
			for _, m := range ms {
				if v := e + math.Log10(m); v >= lo-1e-9 && v <= hi+1e-9 {
					out = append(out, v)
				}
			}
		}
		if len(out) > 1 && (len(out) >= n || len(ms) > 1) && len(out) <= 2*n+2 {
			return out
		}
	}
	var out []float64
	for _, v := range Ticks(math.Pow(10, lo), math.Pow(10, hi), n) {
		if v > 0 {
			out = append(out, math.Log10(v))
		}
	}
	return out
}
