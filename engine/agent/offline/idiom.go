package offline

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
)

// idiomShare is how often a mutation becomes a rewrite that keeps the meaning,
// where the objective is a time.
const idiomShare = 0.5

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

// idiom makes one rewrite that keeps the meaning, in a Go file, more often in
// loops: what is inside of two counts nine times as much.
func (e *editing) idiom() bool {
	return e.draw(func(s *language.Source) bool {
		if s.Lang.Name != "go" || strings.HasSuffix(s.Path(), "_test.go") {
			return false
		}
		sib := e.siblings(s)
		f, err := language.ParseGo(s.Data, sib, func(*language.GoFile) {})
		if err != nil {
			return false
		}
		all := idiom.Go(f, s.Data, e.goMinor(s.Path()))
		for range min(e.limits.tries, 2*len(all)) {
			i := drawIndex(e.rng, len(all), func(i int) float64 { return []float64{1, 3, 9}[min(all[i].Loops, 2)] })
			r := all[i]
			if !rewritable(s, r) {
				continue
			}
			data, err := r.Apply(s.Data)
			if err != nil || bytes.Equal(data, s.Data) || int64(len(data)) > e.limits.maxBytes {
				continue
			}
			now, err := language.ParseGo(data, sib, func(*language.GoFile) {})
			if err != nil || now.Worse(f) {
				continue
			}
			e.put(s.Path(), data, fmt.Sprintf("idiom in %s at line %d: %s of %s", r.Func, r.Line, r.Name, s.Path()))
			return true
		}
		return false
	})
}

// rewritable reports whether the edited code lies in the part of the file that
// may change; what a rewrite adds behind its function may follow that part.
func rewritable(s *language.Source, r idiom.Rewrite) bool {
	for _, ed := range r.Edits {
		if ed.Start != ed.End && !s.Within(ed.Start, ed.End) || ed.Start < s.Lo || ed.Start > s.Hi {
			return false
		}
	}
	return true
}

// goMinor is the minor Go version of the module around a path; 0 = unknown.
func (e *editing) goMinor(file string) int {
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
