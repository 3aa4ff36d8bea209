package offline

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
)

// idiomShare is how often an edit becomes a rewrite that keeps the meaning, where
// the objective is a time, once the first jobs have gone through all of them.
const idiomShare = 0.6

// idiomFirst is the number of the last job that looks for nothing else where a
// target is one function.
const idiomFirst = 80

// A target with few places has soon been tried: after so many jobs for each of them and
// for each hot function, what is drawn again is mostly a duplicate. Another parent may
// still gain by it.
const (
	idiomTries = 4
	idiomAgain = 0.1
)

// idiomSome is how often, once all were tried, some are made at once where behaviour is kept:
// most other edits change it, and what they leave out looks faster.
const idiomSome = 0.6

// timeNames are words by which a metric says that it is a time, or falls and
// rises with one.
var timeNames = regexp.MustCompile(`(?i)(^|[^a-z])(ns|us|µs|ms|sec|secs|seconds?|time|times|duration|latency|elapsed|runtime|wall|cpu|speed|throughput|allocs|ops|qps|rps)([^a-z]|$)|ns_?op|b_?op`)

// timed reports whether the objective of the job is a time: by its unit, else
// by its name.
func timed(j *agent.Job) bool {
	for _, m := range j.Parent.Metrics {
		if m.Name != j.Metric || m.Unit == "" {
			continue
		}
		switch strings.ToLower(m.Unit) {
		case "ns", "us", "µs", "ms", "s", "sec", "seconds", "ns/op", "b/op", "allocs/op", "ops/s", "mb/s", "req/s":
			return true
		}
	}
	return timeNames.MatchString(j.Metric)
}

// The bounds of a look for idioms.
const (
	idiomFiles  = 80
	idiomRounds = 4 // most rewrites of one function at once
)

// place is one idiom in one file.
type place struct {
	s *language.Source
	r idiom.Rewrite
}

// idiom makes a rewrite that keeps the meaning, in a file of Go or Python. The very first jobs
// make many at once; those after them go
// through all of them in the order of what promises most; later ones are drawn by
// that. At times it goes on in the same function, for a gain that is too small to
// be seen alone.
func (e *editing) idiom() bool {
	if compiled := e.patterns(); (idioms{e}).together() || compiled {
		return true
	}
	all := idioms{e}.places()
	at := int(e.job.Number) - 1
	share := idiomShare
	if symbol := e.job.Target.Symbol; symbol != "" { // few places: each is soon drawn, and again on other parents
		at = len(all)
		tried := float64(idiomTries*len(all)*max(1, len(e.job.Hot))) / float64(e.job.Number)
		if share *= min(1, max(tried, idiomAgain)); int(e.job.Number) <= idiomFirst && tried >= 1 {
			at = -1
		}
		if at < 0 && len(all) == 0 { // what it calls may lie beside it
			e.job.Target.Symbol = ""
			all = idioms{e}.places()
			defer func() { e.job.Target.Symbol = symbol }()
		}
	}
	if e.job.Keeps && (at < 0 || at >= len(all)) && len(all) > 1 && e.rng.Float64() < idiomSome && (idioms{e}).some() {
		return true
	}
	switch {
	case len(all) == 0 || at >= len(all) && e.rng.Float64() >= share:
		return false
	case at < 0 || at >= len(all):
		at = drawIndex(e.rng, len(all), func(i int) float64 { return promise(all[i].r) })
	}
	for try := range min(e.limits.tries, len(all)) {
		p := all[(at+try)%len(all)]
		if !(idioms{e}).rewrite(p) {
			continue
		}
		if e.rng.IntN(3) == 0 {
			idioms{e}.sameFunction(p)
		}
		return true
	}
	return false
}

// promise is what speaks for a rewrite: that its like has paid, and the loops
// around it.
func promise(r idiom.Rewrite) float64 { return r.Pays * []float64{1, 3, 9}[min(r.Loops, 2)] }

// idioms finds the places where a rewrite keeps the meaning, and rewrites one.
type idioms struct{ *editing }

// places lists the idioms of all files that may change, those that promise most
// first.
func (e idioms) places() []place {
	var out []place
	files := 0
	for _, p := range e.picks() {
		if !known(p) || files == idiomFiles || e.stop() {
			continue
		}
		// Tables of data come in hundreds, and hold no function.
		if data, ok := e.read(p.file.Path); !ok || p.l.Name == "go" && !bytes.Contains(data, []byte("\nfunc ")) {
			continue
		}
		files++
		if s, ok := e.load(p); ok {
			out = append(out, e.placesOf(s)...)
		}
	}
	slices.SortStableFunc(out, func(a, b place) int {
		return cmp.Or(cmp.Compare(promise(b.r), promise(a.r)), strings.Compare(a.s.Path(), b.s.Path()))
	})
	return out
}

// known reports whether a file is of a language with idioms, and no test.
func known(p pick) bool {
	return p.l.Name == "go" && !strings.HasSuffix(p.file.Path, "_test.go") || p.l.Name == "python" && !strings.HasPrefix(path.Base(p.file.Path), "test")
}

// placesOf lists the idioms of one file that lie in the part that may change.
func (e idioms) placesOf(s *language.Source) []place {
	var all []idiom.Rewrite
	if s.Lang.Name == "python" {
		all = idiom.Python(s)
	} else if f, err := language.ParseGo(s.Data, e.siblings(s), func(*language.GoFile) {}); err == nil {
		all = idiom.Go(f, s.Data, e.goMinor(s.Path()))
	}
	var out []place
	for _, r := range all {
		if rewritable(s, r) && !e.frozen(s.Path(), r) {
			r.Tidy = slices.DeleteFunc(r.Tidy, func(ed idiom.Edit) bool { return !s.Within(ed.Start, ed.End) || e.frozenFile(s.Path()) })
			out = append(out, place{s, r})
		}
	}
	return out
}

// frozen reports whether a person froze what the rewrite changes.
func (e idioms) frozen(path string, r idiom.Rewrite) bool {
	return slices.ContainsFunc(e.job.Frozen, func(t agent.Target) bool {
		if len(t.Files) > 0 && !t.Covers(path) {
			return false
		}
		return t.Symbol == "" || t.Symbol[strings.LastIndexByte(t.Symbol, '.')+1:] == r.Func
	})
}

// frozenFile reports whether a person froze a part of a file.
func (e idioms) frozenFile(path string) bool {
	return slices.ContainsFunc(e.job.Frozen, func(t agent.Target) bool { return len(t.Files) == 0 || t.Covers(path) })
}

// rewrite makes one rewrite where the file still compiles after it.
func (e idioms) rewrite(p place) bool {
	data, err := p.r.Apply(p.s.Data)
	if err != nil || bytes.Equal(data, p.s.Data) || int64(len(data)) > e.limits.maxBytes {
		return false
	}
	made := func() bool {
		e.put(p.s.Path(), data, fmt.Sprintf("idiom in %s at line %d: %s of %s", p.r.Func, p.r.Line, p.r.Name, p.s.Path()))
		return true
	}
	if p.s.Lang.Name != "go" {
		return e.valid(p.s, data) && made()
	}
	sib := e.siblings(p.s)
	was, err := language.ParseGo(p.s.Data, sib, func(*language.GoFile) {})
	if err != nil {
		return false
	}
	now, err := language.ParseGo(data, sib, func(*language.GoFile) {})
	if err != nil || now.Worse(was) {
		return false
	}
	return made()
}

// sameFunction makes more rewrites in the function of one that was made.
func (e idioms) sameFunction(p place) {
	for range idiomRounds - 1 {
		s, ok := e.load(pick{file: p.s.File, l: p.s.Lang})
		if !ok {
			return
		}
		left := slices.DeleteFunc(e.placesOf(s), func(o place) bool { return o.r.Func != p.r.Func })
		if len(left) == 0 || !e.rewrite(left[e.rng.IntN(len(left))]) {
			return
		}
	}
}

// rewritable reports whether the edited code lies in the part of the file that
// may change; what a rewrite adds behind its function may follow that part, and what one
// of Python has its module make once stands before it.
func rewritable(s *language.Source, r idiom.Rewrite) bool {
	for _, ed := range r.Edits {
		added := ed.Start == ed.End
		if !added && !s.Within(ed.Start, ed.End) || (ed.Start < s.Lo || ed.Start > s.Hi) && !(added && s.Lang.Name == "python") {
			return false
		}
	}
	return true
}

// goMinor is the minor Go version of the module around a path; 0 = unknown.
func (e idioms) goMinor(file string) int {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		data, err := e.base.Read(e.ctx, path.Join(dir, "go.mod"))
		if err != nil {
			if dir == "." || dir == "/" {
				return 0
			}
			continue
		}
		for line := range strings.Lines(string(data)) {
			if version, ok := strings.CutPrefix(strings.TrimSpace(line), "go 1."); ok {
				minor, _, _ := strings.Cut(version, ".")
				n, _ := strconv.Atoi(minor)
				return n
			}
		}
		return 0
	}
}
