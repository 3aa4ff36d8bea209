package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/idiom"
)

// The first jobs make many rewrites at once, since a gain of many is seen in a few
// samples where that of one would be lost in the noise: job 1 in all hot functions,
// those after it in one hot function each, without hot ones in the whole scope.
const (
	togetherHot  = 5  // functions that have a job of their own
	togetherMost = 24 // rewrites in one function or file
)

// firstOf orders what is made together: a buffer has its size before it becomes a
// slice of bytes, and a table is unrolled before it is made once.
var firstOf = []string{"Grow before", "WriteByte", "WriteRune", "parts written", "Cut for", "a loop over a table unrolled", "bytes on the stack"}

func rankOf(r idiom.Rewrite) int {
	if i := slices.IndexFunc(firstOf, func(begin string) bool { return strings.HasPrefix(r.Name, begin) }); i >= 0 {
		return i
	}
	return len(firstOf)
}

// together makes what its job is to make at once; false where that is nothing.
func (e idioms) together() bool {
	n, hot := int(e.job.Number), e.job.Hot
	switch {
	case n == 1 && len(hot) > 0:
	case n > 1 && len(hot) > 1 && n <= 1+min(len(hot), togetherHot):
		hot = hot[n-2 : n-1]
	case n == 1: // its own target, which is no frozen one, or all
		hot = []agent.Target{e.job.Target}
	default:
		return false
	}
	return e.at(hot, func(place) bool { return true })
}

// some makes a part of the rewrites of the job's target at once, or where that is a hot function at times of
// all of these: those that cost more than they bring are not among them at times. It fails where what comes of
// it is known.
func (e idioms) some() bool {
	hot := e.job.Hot
	if isHot := slices.ContainsFunc(hot, func(t agent.Target) bool { return t.Name == e.job.Target.Name }); !isHot || e.rng.IntN(2) == 0 {
		hot = []agent.Target{e.job.Target}
	}
	drawn := map[string]bool{} // by function and name: lines move while rewrites are made
	before := e.made.clone()
	made := e.at(hot, func(p place) bool {
		key := p.r.Func + " " + p.r.Name
		if _, ok := drawn[key]; !ok {
			drawn[key] = e.rng.IntN(2) == 0
		}
		return drawn[key]
	})
	if made && e.known() {
		e.made, made = before, false
	}
	return made
}

// at makes all rewrites of some targets that take allows.
func (e idioms) at(targets []agent.Target, take func(place) bool) bool {
	job, before := *e.job, slices.Clone(e.intents)
	defer func() { *e.job, e.ready, e.picked = job, false, nil }()
	var names, funcs []string
	for _, t := range targets {
		e.job.Target, e.ready, e.picked = t, false, nil
		e.job.Scope = func(path string) bool {
			return (job.Everywhere == nil || job.Everywhere(path)) && (len(t.Files) == 0 || t.Covers(path))
		}
		made := e.all(take)
		if len(made) > 0 && t.Symbol != "" {
			funcs = append(funcs, t.Symbol)
		}
		names = append(names, made...)
	}
	if len(names) == 0 {
		return false
	}
	where := ""
	if len(funcs) > 0 {
		where = " in " + strings.Join(funcs, ", ")
	}
	e.intents = append(before, fmt.Sprintf("idioms together%s: %s", where, counted(names)))
	return true
}

// counted lists names with how often they came.
func counted(names []string) string {
	var out []string
	for i, name := range names {
		if slices.Index(names, name) < i {
			continue
		}
		n := 0
		for _, o := range names {
			if o == name {
				n++
			}
		}
		if n > 1 {
			name = fmt.Sprintf("%s (%d)", name, n)
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// all makes every rewrite of the files of the job that take allows, one after the other, and
// tells their names. One that does not compile is left out.
func (e idioms) all(take func(place) bool) []string {
	var names []string
	for _, p := range e.picks()[:min(len(e.picks()), idiomFiles)] {
		failed := map[string]bool{}
		for range togetherMost {
			s, ok := e.load(p)
			if !ok || !known(p) || e.stop() {
				break
			}
			// What seldom pays, by its kind, is tried alone.
			left := slices.DeleteFunc(e.placesOf(s), func(o place) bool { return failed[key(o)] || o.r.Pays < 1 || !take(o) })
			if len(left) == 0 {
				break
			}
			next := slices.MinFunc(left, func(a, b place) int {
				// Of two alike the later: a format that is made by a format is both at once.
				return cmp.Or(cmp.Compare(rankOf(a.r), rankOf(b.r)), -cmp.Compare(promise(a.r), promise(b.r)), -cmp.Compare(a.r.Line, b.r.Line))
			})
			if !e.rewrite(next) {
				failed[key(next)] = true
				continue
			}
			names = append(names, next.r.Name)
		}
	}
	return names
}

// key tells rewrites that failed from others.
func key(p place) string { return fmt.Sprint(p.r.Line, p.r.Name) }
