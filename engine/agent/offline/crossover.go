package offline

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"atoll/engine/agent/offline/language"
)

// crossover takes parts of a second elite: a mix of aligned numbers, some
// hunks of the difference, a function, or whole files. The first inspiration
// is the donor; the others are asked when it has nothing to give, or what comes
// of it is known. Where the two differ in more than one place the result differs
// from both.
func (e *editing) crossover() bool {
	before := e.made.clone()
	var known *made // what came last of those that is
	for _, it := range e.job.Inspirations {
		if it.Files == nil || e.stop() {
			continue
		}
		d := e.donor(it)
		if len(d.paths) == 0 || !e.cross(d) {
			continue
		}
		if !e.known() {
			return true
		}
		last := e.made
		known, e.made = &last, before.clone()
	}
	if known != nil {
		e.made = *known
	}
	return known != nil
}

// known reports whether a candidate has what was made already.
func (e *editing) known() bool {
	if e.job.Known == nil || e.stop() {
		return false
	}
	known, err := e.job.Known(e.changes())
	e.err = err
	return known
}

// crossing is one parent and one donor in a crossover: the files in which they
// differ.
type crossing struct {
	*editing
	d     *donor
	pairs []pair
	added []string // paths of the donor's files that the parent lacks
}

// cross takes parts of a donor by one form of crossover or another.
func (e *editing) cross(d *donor) bool {
	c := &crossing{editing: e, d: d}
	for _, path := range d.paths {
		other, err := d.read(e.ctx, path)
		if err != nil {
			e.err = err
			return false
		}
		if other == nil || int64(len(other)) > e.limits.maxBytes || language.LooksGenerated(other) {
			continue
		}
		f, ok := findFile(e.base.Files(), path)
		if !ok {
			c.added = append(c.added, path)
			continue
		}
		p, _ := e.consider(f)
		if p.l == nil {
			continue
		}
		if s, ok := e.load(p); ok && !bytes.Equal(s.Data, other) {
			c.pairs = append(c.pairs, pair{s, other})
		}
	}
	return c.take()
}

// take draws a form of crossover and falls back to the others.
func (c *crossing) take() bool {
	forms := []func() bool{c.someNumbers, c.someHunks, c.oneFunction, c.someFiles, c.blend}
	weights := []float64{0.4, 0.3, 0.2, 0.1, 0.05}
	if len(c.pairs)+len(c.added) > 1 {
		weights[3] = wholeFiles // what was made to work together mostly lies in one file
	}
	for len(forms) > 0 && !c.stop() {
		i := drawIndex(c.rng, len(forms), func(i int) float64 { return weights[i] })
		if forms[i]() {
			return true
		}
		forms, weights = slices.Delete(forms, i, i+1), slices.Delete(weights, i, i+1)
	}
	return false
}

// wholeFiles is how often whole files are taken where two versions differ in several, beside
// the other forms, whose weights are 0.95 together.
const wholeFiles = 1

// someNumbers takes some of the donor's numbers: each by a coin, or a run of
// them. With one difference there is nothing to mix unless the structure
// differs too.
func (c *crossing) someNumbers() bool {
	for _, k := range c.rng.Perm(len(c.pairs)) {
		p := c.pairs[k]
		diffs, all := differences(p)
		if len(diffs) == 0 || all && len(diffs) < 2 {
			continue
		}
		for range c.limits.tries {
			chosen := c.portion(len(diffs), !all, c.d.better)
			var edits []textEdit
			for i, df := range diffs {
				if chosen[i] {
					edits = append(edits, textEdit{df.lit.start, df.lit.end, df.text})
				}
			}
			data := applyEdits(p.src.Data, edits)
			if bytes.Equal(data, p.src.Data) || bytes.Equal(data, p.other) || !c.valid(p.src, data) {
				continue
			}
			c.put(p.src.Path(), data, fmt.Sprintf("cross %s: %d of %d literals of %s", c.d.id, len(edits), len(diffs), p.src.Path()))
			return true
		}
	}
	return false
}

// portion chooses at least one of n, and not all of them unless full: a coin
// each with a drawn bias, or a run.
func (e *editing) portion(n int, full, better bool) []bool {
	chosen := make([]bool, n)
	if better && n > 1 {
		for i, c := range e.portion(n, full, false) {
			chosen[i] = !c
		}
		return chosen
	}
	most := n
	if !full {
		most = n - 1
	}
	most = max(most, 1)
	if n > 2 && e.rng.IntN(2) == 0 {
		length := 1 + e.rng.IntN(max(1, most/2))
		from := e.rng.IntN(n - length + 1)
		for i := range length {
			chosen[from+i] = true
		}
		return chosen
	}
	bias, count := 0.05+0.45*e.rng.Float64(), 0
	for i := range chosen {
		if e.rng.Float64() < bias && count < most {
			chosen[i] = true
			count++
		}
	}
	if count == 0 {
		chosen[e.rng.IntN(n)] = true
	}
	return chosen
}

// blend moves the numbers of one file toward or past the donor's.
func (c *crossing) blend() bool {
	for _, k := range c.rng.Perm(len(c.pairs)) {
		p := c.pairs[k]
		diffs, _ := differences(p)
		if len(diffs) == 0 {
			continue
		}
		for range c.limits.tries {
			share := -0.5 + 2*c.rng.Float64()
			var edits []textEdit
			for _, df := range diffs {
				v := df.lit.value + share*(df.value-df.lit.value)
				if v < 0 && df.lit.value >= 0 && df.value >= 0 {
					v = -v
				}
				if t, ok := df.lit.format.write(v, math.Abs(df.value-df.lit.value)); ok && v >= 0 {
					edits = append(edits, textEdit{df.lit.start, df.lit.end, t})
				}
			}
			data := applyEdits(p.src.Data, edits)
			if bytes.Equal(data, p.src.Data) || bytes.Equal(data, p.other) || !c.valid(p.src, data) {
				continue
			}
			c.put(p.src.Path(), data, fmt.Sprintf("blend %d literals of %s with %s by %.2g", len(edits), p.src.Path(), c.d.id, share))
			return true
		}
	}
	return false
}

// someHunks takes some hunks of the line difference.
func (c *crossing) someHunks() bool {
	for _, k := range c.rng.Perm(len(c.pairs)) {
		p := c.pairs[k]
		a, b := splitLines(p.src.Data), splitLines(p.other)
		hunks := inside(p.src, a, refine(diffLines(a, b)))
		if len(hunks) == 0 || len(hunks) == 1 && len(c.pairs) == 1 {
			continue
		}
		for range c.limits.tries {
			chosen := c.portion(len(hunks), len(c.pairs) > 1, c.d.better)
			data, ok := c.joined(p, takeHunks(a, b, hunks, chosen))
			if !ok || bytes.Equal(data, p.src.Data) || len(c.pairs) == 1 && bytes.Equal(data, p.other) {
				continue
			}
			c.put(p.src.Path(), data, fmt.Sprintf("cross %s: %d of %d hunks of %s", c.d.id, count(chosen), len(hunks), p.src.Path()))
			return true
		}
	}
	return false
}

// joined makes a text of both versions fit to be compiled where that can be told:
// the imports of a Go file follow what it names, and no name is missing that was
// there before.
func (e *editing) joined(p pair, data []byte) ([]byte, bool) {
	if p.src.Lang.Name == "go" {
		data = language.MendImports(data, p.other)
	}
	if !e.valid(p.src, data) {
		return data, false
	}
	if p.src.Lang.Name != "go" {
		return data, true
	}
	sib := e.siblings(p.src)
	was, err := language.ParseGo(p.src.Data, sib, func(*language.GoFile) {})
	if err != nil {
		return data, true
	}
	now, err := language.ParseGo(data, sib, func(*language.GoFile) {})
	return data, err == nil && !now.Worse(was)
}

func count(chosen []bool) int {
	n := 0
	for _, c := range chosen {
		if c {
			n++
		}
	}
	return n
}

// refine cuts hunks that replace as many lines as they take into single
// lines, so that lines of a table can be taken one by one.
func refine(hunks []hunk) []hunk {
	var out []hunk
	for _, h := range hunks {
		if h.a1-h.a0 != h.b1-h.b0 || h.a1-h.a0 > 200 {
			out = append(out, h)
			continue
		}
		for i := range h.a1 - h.a0 {
			out = append(out, hunk{h.a0 + i, h.a0 + i + 1, h.b0 + i, h.b0 + i + 1})
		}
	}
	return out
}

// inside keeps the hunks that lie in the part of the source that may change.
func inside(s *language.Source, lines [][]byte, hunks []hunk) []hunk {
	offset := make([]int, len(lines)+1)
	for i, l := range lines {
		offset[i+1] = offset[i] + len(l)
	}
	return slices.DeleteFunc(hunks, func(h hunk) bool { return !s.Within(offset[h.a0], offset[h.a1]) })
}

// oneFunction takes one function that both have and that differs.
func (c *crossing) oneFunction() bool {
	for _, k := range c.rng.Perm(len(c.pairs)) {
		p := c.pairs[k]
		theirs := &language.Source{File: p.src.File, Data: p.other, Lang: p.src.Lang, Toks: language.Lex(p.other, p.src.Lang), Hi: len(p.other)}
		byName := map[string]language.Unit{}
		for _, u := range language.Functions(theirs) {
			byName[u.Full] = u
		}
		ours := language.Functions(p.src)
		for _, i := range c.rng.Perm(len(ours)) {
			u := ours[i]
			v, ok := byName[u.Full]
			if !ok || !p.src.Within(u.Start, u.End) {
				continue
			}
			text := string(p.other[v.Start:v.End])
			if text == string(p.src.Data[u.Start:u.End]) {
				continue
			}
			data, ok := c.joined(p, applyEdits(p.src.Data, []textEdit{{u.Start, u.End, text}}))
			if !ok || len(c.pairs) == 1 && bytes.Equal(data, p.other) {
				continue
			}
			c.put(p.src.Path(), data, fmt.Sprintf("cross %s: %s of %s", c.d.id, u.Full, p.src.Path()))
			return true
		}
	}
	return false
}

// someFiles takes whole files: some of those that differ, or a new one
// together with those that changed beside it.
func (c *crossing) someFiles() bool {
	total := len(c.pairs) + len(c.added)
	if total < 2 || c.job.Target.Symbol != "" {
		return false
	}
	chosen := c.portion(total, false, c.d.better)
	taken := 0
	for i := range total {
		if !chosen[i] {
			continue
		}
		if i < len(c.pairs) {
			c.changed[c.pairs[i].src.Path()] = c.pairs[i].other
		} else {
			data, err := c.d.read(c.ctx, c.added[i-len(c.pairs)])
			if err != nil {
				c.err = err
				return false
			}
			f, _ := findFile(c.d.files.Files(), c.added[i-len(c.pairs)])
			c.changed[f.Path], c.modes[f.Path] = data, f.Mode
		}
		taken++
	}
	c.intents = append(c.intents, fmt.Sprintf("cross %s: %d of %d files", c.d.id, taken, total))
	return taken > 0
}
