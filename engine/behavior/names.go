package behavior

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const (
	sideWords   = 2    // words shown for each end of an axis
	leastFit    = 0.25 // correlation below which a word says nothing
	alikeFit    = 0.9  // correlation of two words above which one is enough
	leastSample = 4    // candidates without which a correlation means nothing
)

// AxisNames returns a name for people for each axis: the words, and numbers
// with their magnitude, that go with it among the sampled candidates, such as
// "+sort heap -scan" or "+step 0.9~ -step 0.1~". Where nothing goes with an axis
// its name is "axis 1" and so on.
func AxisNames(s *Space, v *Vocabulary) []string {
	names := make([]string, s.dims())
	for j := range names {
		names[j] = fmt.Sprintf("axis %d", j+1)
	}
	if v == nil || v.len() < leastSample {
		return names
	}
	raws := make([][]float64, v.len())
	for i, vec := range v.vectors {
		if raws[i] = s.Raw(vec); raws[i] == nil {
			return names
		}
	}
	cols := v.columns()
	for j := range names {
		y := make([]float64, len(raws))
		for i := range y {
			y[i] = raws[i][j]
		}
		if name := v.name(cols, y); name != "" {
			names[j] = name
		}
	}
	return names
}

// column is one word over the sampled candidates, brought to mean 0 and
// length 1.
type column struct {
	word   string
	x      []float64
	number bool
}

// columns returns the words that vary, by name.
func (v *Vocabulary) columns() []column {
	all := map[string]bool{}
	for _, r := range v.rows {
		for w := range r {
			all[w] = true
		}
	}
	var out []column
	for w := range all {
		x := make([]float64, len(v.rows))
		for i, r := range v.rows {
			x[i] = r[w]
		}
		if standardise(x) {
			out = append(out, column{word: w, x: x, number: strings.HasSuffix(w, numberMark)})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].word < out[j].word })
	return out
}

// standardise brings x to mean 0 and length 1; false when it does not vary.
func standardise(x []float64) bool {
	mean := 0.0
	for _, f := range x {
		mean += f
	}
	mean /= float64(len(x))
	sum := 0.0
	for i := range x {
		x[i] -= mean
		sum += x[i] * x[i]
	}
	if !(sum > 1e-18) {
		return false
	}
	for i := range x {
		x[i] /= math.Sqrt(sum)
	}
	return true
}

// name finds the words that go with the coordinates y.
func (v *Vocabulary) name(cols []column, y []float64) string {
	along := slices.Clone(y)
	if !standardise(along) {
		return ""
	}
	type scored struct {
		column
		r float64
	}
	var found []scored
	for _, c := range cols {
		r := dot(c.x, along)
		if math.Abs(r) >= leastFit && (c.number || tellsSomething(c.word)) {
			found = append(found, scored{c, r})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		switch d := math.Abs(b.r) - math.Abs(a.r); {
		case d > 1e-9:
			return 1
		case d < -1e-9:
			return -1
		}
		return len(b.word) - len(a.word)
	})
	var plus, minus []string
	var taken []scored
	for _, c := range found {
		if slices.ContainsFunc(taken, func(t scored) bool { return t.r*c.r > 0 && math.Abs(dot(t.x, c.x)) > alikeFit }) {
			continue
		}
		up, down := v.label(c.column, y, c.r)
		used := false
		if up != "" && len(plus) < sideWords && !slices.Contains(plus, up) {
			plus, used = append(plus, up), true
		}
		if down != "" && len(minus) < sideWords && !slices.Contains(minus, down) {
			minus, used = append(minus, down), true
		}
		if used {
			taken = append(taken, c)
		}
	}
	var ends []string
	if len(plus) > 0 {
		ends = append(ends, "+"+strings.Join(plus, " "))
	}
	if len(minus) > 0 {
		ends = append(ends, "-"+strings.Join(minus, " "))
	}
	return strings.Join(ends, " ")
}

// tellsSomething leaves out single letters, lone digits and fillers.
func tellsSomething(word string) bool {
	return len(word) > 1 && !isDigit(word[0]) && !isFiller(word)
}

// label returns what stands for a column at the positive and at the negative
// end: a word at one of them, a number with its magnitude at both.
func (v *Vocabulary) label(c column, y []float64, r float64) (up, down string) {
	if !c.number {
		if r > 0 {
			return c.word, ""
		}
		return "", c.word
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(c.word, numberMark), " ")
	var high, low []float64
	order := make([]int, len(y))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case y[i] < y[j]:
			return -1
		case y[i] > y[j]:
			return 1
		}
		return 0
	})
	third := max(1, len(order)/3)
	for n, i := range order {
		if x, ok := v.values[i][c.word]; ok && x[1] > 0 {
			switch {
			case n < third:
				low = append(low, x[0]/x[1])
			case n >= len(order)-third:
				high = append(high, x[0]/x[1])
			}
		}
	}
	up, down = magnitude(name, high), magnitude(name, low)
	if up == down { // too close to tell apart: say the direction
		if r > 0 {
			return name + " up", ""
		}
		return "", name + " up"
	}
	return up, down
}

// magnitude writes the median to one digit: "step 0.5~".
func magnitude(name string, values []float64) string {
	if len(values) == 0 {
		return ""
	}
	slices.Sort(values)
	v := values[len(values)/2]
	text := strconv.FormatFloat(v, 'g', 1, 64)
	if a := math.Abs(v); a >= 1e-4 && a < 1e6 {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return strings.TrimSpace(name + " " + text + "~")
}

// numberKey is the word of a number in a vocabulary.
func numberKey(name string, ordinal int) string {
	if ordinal > 1 {
		return fmt.Sprintf("%s[%d] %s", name, ordinal, numberMark)
	}
	return name + " " + numberMark
}
