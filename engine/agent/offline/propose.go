package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// Survey says what is known of a repository before targets are proposed.
type Survey struct {
	Allowed func(path string) bool // nil: every path
	Gains   map[string]int         // improvements that changed a file, by path
	Tried   map[string]int         // jobs on a target that brought nothing, by name
	Taken   []string               // names that are no proposal's any more
}

// ErrTargets reports an answer of a mapper that holds no target of this
// repository. Test with errors.Is.
var ErrTargets = errors.New("the mapper named no target")

// The bounds of a survey. A target that was tried in vain so often gives way
// to the next.
const (
	surveyTargets = 5
	surveyOfFile  = 2
	surveyFiles   = 2000
	surveyBytes   = 8 << 20
	surveyFile    = 256 << 10
	surveyTokens  = 16
	surveyVain    = 8
)

// spot is a part of the repository with what speaks for it.
type spot struct {
	file    string
	symbol  string // "" = the whole file
	tokens  int
	loops   int
	forks   int
	numbers int
	named   int // mentions elsewhere
	score   float64
}

// Targets proposes the parts of a tree that are most likely worth working on:
// where there is much to decide (loops, branches, numbers), what other code
// mentions often, and what gained before. It reads no more than a few
// megabytes, and the same tree and survey give the same targets. A tree with
// nothing to edit gives none.
func (s Survey) Targets(ctx context.Context, t agent.Tree, by string) ([]record.Target, error) {
	spots, mentions, err := s.read(ctx, t)
	if err != nil {
		return nil, err
	}
	for i := range spots {
		p := &spots[i]
		if p.symbol != "" {
			p.named = max(0, mentions[lastName(p.symbol)]-1)
		}
		p.score = (math.Sqrt(float64(p.tokens)) + 4*float64(p.loops) + float64(p.forks) + 2*math.Sqrt(float64(p.numbers))) *
			(1 + math.Log2(float64(1+p.named))/4) * (1 + math.Log2(float64(1+s.Gains[p.file])))
	}
	slices.SortStableFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.file, b.file), strings.Compare(a.symbol, b.symbol))
	})
	return s.choose(spots, by), nil
}

// choose names the best spots, few of each file; those that were tried in vain
// come last.
func (s Survey) choose(spots []spot, by string) []record.Target {
	var out []record.Target
	used, ofFile := map[string]bool{}, map[string]int{}
	for _, name := range s.Taken {
		used[name] = true
	}
	files := map[string]bool{}
	for _, p := range spots {
		files[p.file] = true
	}
	for _, vain := range []bool{false, true} {
		for _, p := range spots {
			name := p.name(used)
			if len(out) == surveyTargets || name == "" || len(files) > 1 && ofFile[p.file] == surveyOfFile {
				continue
			}
			if vain != (s.Tried[name] >= surveyVain) {
				continue
			}
			used[name] = true
			ofFile[p.file]++
			out = append(out, record.Target{Name: name, Files: []string{globOf(p.file)}, Symbol: p.symbol, Hint: p.hint(s.Gains[p.file]), Weight: 1, By: by})
		}
	}
	return out
}

// name is short where that is unique; "" when the spot is there already.
func (p *spot) name(used map[string]bool) string {
	short, long := path.Base(p.file), p.file
	if p.symbol != "" {
		short, long = p.symbol, p.file+":"+p.symbol
	}
	for _, name := range []string{short, long} {
		if !used[name] {
			return name
		}
	}
	return ""
}

func (p *spot) hint(gains int) string {
	var words []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			words = append(words, "1 "+one)
		case n > 1:
			words = append(words, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(p.loops, "loop", "loops")
	add(p.forks, "branch", "branches")
	add(p.numbers, "number", "numbers")
	add(p.named, "mention elsewhere", "mentions elsewhere")
	add(gains, "gain so far", "gains so far")
	return strings.Join(words, ", ")
}

func lastName(symbol string) string { return symbol[strings.LastIndexByte(symbol, '.')+1:] }

// globOf names exactly one path.
func globOf(file string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(file)
}

// read looks at the files that can be edited and counts how often each word is
// mentioned.
func (s Survey) read(ctx context.Context, t agent.Tree) ([]spot, map[string]int, error) {
	var spots []spot
	mentions := map[string]int{}
	files, bytes := 0, int64(0)
	for _, f := range t.Files() {
		l := language.Of(f.Path)
		if files == surveyFiles || bytes >= surveyBytes {
			break
		}
		if l == nil || l.Weight < 0.3 || f.Size > surveyFile || f.Mode != record.Regular && f.Mode != record.Executable ||
			language.SkippedDir(f.Path) || language.IsTest(f.Path) || s.Allowed != nil && !s.Allowed(f.Path) {
			continue
		}
		data, err := t.Read(ctx, f.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s for the survey: %w", f.Path, err)
		}
		if len(data) == 0 || len(data) > surveyFile || language.LooksGenerated(data) || !clean.IsText(data) {
			continue
		}
		files++
		bytes += int64(len(data))
		src := &language.Source{File: f, Data: data, Lang: l, Hi: len(data), Toks: language.Lex(data, l)}
		for _, tok := range src.Toks {
			if tok.Kind == language.Word {
				mentions[tok.Text(data)]++
			}
		}
		spots = append(spots, spotsOf(src)...)
	}
	return spots, mentions, errors.Join(ctx.Err(), context.Cause(ctx))
}

// spotsOf lists the functions of a file that hold no other, or the file itself
// where there are none.
func spotsOf(src *language.Source) []spot {
	var out []spot
	units := language.Functions(src)
	for i, u := range units {
		if slices.ContainsFunc(units[i+1:], func(v language.Unit) bool { return v.Start > u.Start && v.End <= u.End }) {
			continue
		}
		if p := spotAt(src, u.Start, u.End); p.tokens >= surveyTokens {
			p.symbol = u.Full
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		if p := spotAt(src, 0, len(src.Data)); p.numbers > 0 || p.tokens >= surveyTokens {
			out = append(out, p)
		}
	}
	return out
}

// spotAt tells what lies between two offsets.
func spotAt(src *language.Source, lo, hi int) spot {
	p := spot{file: src.Path()}
	for _, t := range src.Toks {
		if t.Start < lo || t.End > hi {
			continue
		}
		p.tokens++
		switch t.Kind {
		case language.Number:
			p.numbers++
		case language.Word:
			switch t.Text(src.Data) {
			case "for", "while", "loop", "foreach", "until", "do":
				p.loops++
			case "if", "elif", "else", "switch", "case", "match", "when", "select", "unless":
				p.forks++
			}
		}
	}
	return p
}

// TargetsAnswer tells a mapper how to write its answer.
const TargetsAnswer = `Answer with one JSON object and nothing else:
{"targets": [{"name": "short name", "files": ["path or glob"], "symbol": "function or type, or empty", "hint": "why, and what to know"}]}`

// The bounds of what a mapper may write.
const (
	targetName = 64
	targetHint = 400
)

// ParseTargets reads the answer of a mapper. What names no file of the tree
// that may be changed is left out, and so is a name that is taken. The error is
// ErrTargets when nothing remains.
func (s Survey) ParseTargets(answer string, t agent.Tree, by string) ([]record.Target, error) {
	used := map[string]bool{}
	for _, name := range s.Taken {
		used[name] = true
	}
	why := "it holds no JSON object with targets"
	for _, object := range edit.JSONObjects(edit.WithoutThoughts(answer)) {
		var in struct{ Targets []record.Target }
		if json.Unmarshal(object, &in) != nil || len(in.Targets) == 0 {
			continue
		}
		why = "none of its files is one that may be changed"
		var out []record.Target
		for _, p := range in.Targets {
			p.Name, p.Symbol, p.Hint = clean.Clip(clean.Line(p.Name), targetName), clean.Clip(clean.Line(p.Symbol), 2*targetName), clean.Clip(clean.Line(p.Hint), targetHint)
			p.Files = slices.DeleteFunc(p.Files, func(glob string) bool { return !s.names(t, glob) })
			if p.Name == "" || used[p.Name] || len(p.Files) == 0 || len(out) == surveyTargets {
				continue
			}
			used[p.Name] = true
			p.Weight, p.By = 1, by
			out = append(out, p)
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, fmt.Errorf("%w: %s; it said: %q", ErrTargets, why, clean.Clip(clean.Line(answer), 160))
}

// names reports whether a glob covers a file that may be changed.
func (s Survey) names(t agent.Tree, glob string) bool {
	return glob != "" && slices.ContainsFunc(t.Files(), func(f record.File) bool {
		return (s.Allowed == nil || s.Allowed(f.Path)) && (agent.Target{Files: []string{glob}}).Covers(f.Path)
	})
}
