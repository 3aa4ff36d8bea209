package offline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// repair takes back one hunk of a failed candidate against its own parent,
// which is among the inspirations. A hunk near a line that the failures name
// goes first. When there is one hunk only, part of it is taken back: numbers
// go halfway, and of several tokens some return.
func (e *editing) repair() bool {
	before := e.before()
	if before == nil {
		return false
	}
	d := e.donor(*before)
	all := e.suspects(d)
	if len(all) == 0 {
		return false
	}
	if len(all) > 1 {
		i := drawIndex(e.rng, len(all), func(i int) float64 { return all[i].weight })
		x := all[i]
		a, b := splitLines(x.pair.src.Data), splitLines(x.pair.other)
		data := takeHunks(a, b, []hunk{x.hunk}, []bool{true})
		if !bytes.Equal(data, x.pair.src.Data) {
			e.put(x.pair.src.Path(), data, fmt.Sprintf("take back 1 of %d hunks at line %d of %s", len(all), x.hunk.a0+1, x.pair.src.Path()))
			return true
		}
	}
	return e.halfway(all[0].pair)
}

// before finds the parent of the failed candidate.
func (e *editing) before() *agent.Item {
	want := record.NoCandidate
	for _, p := range e.job.Parent.Parents {
		if p.Role == record.RoleParent {
			want = p.ID
		}
	}
	for i := range e.job.Inspirations {
		if it := &e.job.Inspirations[i]; it.ID == want && it.Files != nil && want != record.NoCandidate {
			return it
		}
	}
	if len(e.job.Inspirations) > 0 && e.job.Inspirations[0].Files != nil && want == record.NoCandidate {
		return &e.job.Inspirations[0]
	}
	return nil
}

// suspect is a hunk that may be what breaks.
type suspect struct {
	pair   pair
	hunk   hunk
	weight float64
}

// suspects lists the hunks of all changed files.
func (e *editing) suspects(d *donor) []suspect {
	var out []suspect
	for _, path := range d.paths {
		other, err := d.read(e.ctx, path)
		f, ok := findFile(e.base.Files(), path)
		if err != nil || other == nil || !ok {
			continue
		}
		p, _ := e.consider(f)
		if p.l == nil {
			continue
		}
		s, ok := e.load(p)
		if !ok || bytes.Equal(s.Data, other) {
			continue
		}
		a, b := splitLines(s.Data), splitLines(other)
		for _, h := range inside(s, a, diffLines(a, b)) {
			out = append(out, suspect{pair{s, other}, h, e.blame(path, h)})
		}
	}
	return out
}

// blame weighs a hunk by whether a failure names a line in or near it.
func (e *editing) blame(path string, h hunk) float64 {
	base := path[strings.LastIndexByte(path, '/')+1:]
	w := 1.0
	for _, f := range e.job.Failures {
		for _, text := range []string{f.Text, f.Reason} {
			for _, n := range namedLines(text, base) {
				if n >= h.a0-1 && n <= h.a1+2 {
					w = 20
				}
			}
		}
	}
	return w
}

// namedLines finds name:12 and name", line 12 in the output of a tool.
func namedLines(text, name string) []int {
	var out []int
	for rest := text; len(out) < 64; {
		i := strings.Index(rest, name)
		if i < 0 {
			break
		}
		rest = rest[i+len(name):]
		tail := strings.TrimPrefix(strings.TrimLeft(rest[:min(len(rest), 24)], `"':(, `), "line ")
		n, digits := 0, 0
		for digits < len(tail) && digits < 7 && language.IsDigit(tail[digits]) {
			n = n*10 + int(tail[digits]-'0')
			digits++
		}
		if digits > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// halfway moves the numbers of a broken edit back by half, or takes back some
// of the tokens it changed.
func (e *editing) halfway(p pair) bool {
	diffs, all := differences(p)
	if len(diffs) > 0 && all {
		var edits []textEdit
		for _, df := range diffs {
			v := df.value + (df.lit.value-df.value)/2
			if t, ok := df.lit.format.write(v, (df.lit.value-df.value)/2); ok && v*df.lit.value >= 0 {
				edits = append(edits, textEdit{df.lit.start, df.lit.end, t})
			}
		}
		data := applyEdits(p.src.Data, edits)
		if !bytes.Equal(data, p.src.Data) && !bytes.Equal(data, p.other) {
			e.put(p.src.Path(), data, fmt.Sprintf("halve the step of %d literals of %s", len(edits), p.src.Path()))
			return true
		}
		return false
	}
	return e.someTokens(p)
}

// someTokens takes back a part of the token changes.
func (e *editing) someTokens(p pair) bool {
	toks := language.Lex(p.other, p.src.Lang)
	s := symbols{}
	number := func(src []byte, toks []language.Token) []int32 {
		out := make([]int32, len(toks))
		for i, t := range toks {
			out[i] = s.of(src[t.Start:t.End])
		}
		return out
	}
	hunks := diffSymbols(number(p.src.Data, p.src.Toks), number(p.other, toks))
	if len(hunks) < 2 {
		return false
	}
	for range e.limits.tries {
		chosen := e.portion(len(hunks), false, false)
		var edits []textEdit
		for i, h := range hunks {
			if !chosen[i] {
				continue
			}
			lo, hi := tokenRange(p.src.Data, p.src.Toks, h.a0, h.a1)
			from, to := tokenRange(p.other, toks, h.b0, h.b1)
			edits = append(edits, textEdit{lo, hi, string(p.other[from:to])})
		}
		data := applyEdits(p.src.Data, edits)
		if bytes.Equal(data, p.src.Data) || bytes.Equal(data, p.other) || !inRange(p.src, edits) || !e.valid(p.src, data) {
			continue
		}
		e.put(p.src.Path(), data, fmt.Sprintf("take back %d of %d changes of %s", count(chosen), len(hunks), p.src.Path()))
		return true
	}
	return false
}

// tokenRange returns the bytes of tokens i to j-1, with the space before them
// when there are none.
func tokenRange(src []byte, toks []language.Token, i, j int) (int, int) {
	if i < j {
		lo := toks[i].Start
		if i > 0 {
			lo = toks[i-1].End
		}
		return lo, toks[j-1].End
	}
	if i > 0 {
		return toks[i-1].End, toks[i-1].End
	}
	return 0, 0
}
