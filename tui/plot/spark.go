package plot

import (
	"math"
	"strings"
)

// Sparkline draws the last values as one line of w cells. The largest value of
// each column is shown, so that spikes survive; gaps are spaces.
func Sparkline(values []float64, w int, g Glyphs) string {
	if w <= 0 {
		return ""
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if lo > hi {
		return strings.Repeat(" ", w)
	}
	return spark(values, lo, hi, w, g)
}

// spark draws values between lo and hi.
func spark(values []float64, lo, hi float64, w int, g Glyphs) string {
	if w <= 0 {
		return ""
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	switch g {
	case ASCII:
		levels = []rune("_.-~=^")
	case Blocks: // what the font of a simple console has: code page 437
		levels = []rune("_▄█")
	}
	n := min(w, len(values))
	out := make([]rune, 0, w)
	for i := range n {
		from, to := i*len(values)/n, (i+1)*len(values)/n
		top := math.Inf(-1)
		for _, v := range values[from:to] {
			if finite(v) {
				top = math.Max(top, v)
			}
		}
		switch {
		case math.IsInf(top, -1):
			out = append(out, ' ')
		case hi == lo:
			out = append(out, levels[len(levels)/2])
		default:
			t := top/2 - lo/2
			out = append(out, levels[clamp(int(t/(hi/2-lo/2)*float64(len(levels)-1)+0.5), 0, len(levels)-1)])
		}
	}
	return strings.Repeat(" ", w-len(out)) + string(out)
}

// Heights draws figures that are not below zero as one line of w cells, from
// nothing at the bottom to the largest at the top; gaps are spaces.
func Heights(values []float64, w int, g Glyphs) string {
	top := 0.0
	for _, v := range values {
		if finite(v) {
			top = math.Max(top, v)
		}
	}
	if top == 0 {
		top = 1
	}
	return spark(values, 0, top, w, g)
}

// Bar draws a share of 1 as w cells, by eighths of a cell.
func Bar(t float64, w int, g Glyphs) (full, rest string) {
	if w <= 0 {
		return "", ""
	}
	if !(t > 0) {
		t = 0
	}
	t = math.Min(t, 1)
	if g != Braille {
		on, off := "█", "░"
		if g == ASCII {
			on, off = "#", "-"
		}
		n := int(t*float64(w) + 0.5)
		return strings.Repeat(on, n), strings.Repeat(off, w-n)
	}
	eighths := int(t*float64(8*w) + 0.5)
	full = strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		full += string([]rune("▏▎▍▌▋▊▉")[r-1])
	}
	return full, strings.Repeat(" ", w-Width(full))
}
