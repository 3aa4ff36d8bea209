package survey

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// bench is one line of a first look at the benchmarks.
type bench struct {
	top string // name of the function, without Benchmark
	pkg string
	ns  float64 // of one iteration
}

// The bounds of a chosen set of benchmarks.
const (
	mostLines   = 16                      // benchmark lines in one measurement
	mostSources = 40                      // folders of a scope
	slowBench   = 700 * time.Millisecond  // of one iteration: too slow to repeat
	benchTime   = 1500 * time.Millisecond // of one measurement, about; what looks good is measured again and again
	benchRuns   = 6                       // turns of root and candidate
	leastEach   = 5 * time.Millisecond    // of one benchmark in one turn
)

// benchFunc is a benchmark function, of that name in all packages.
type benchFunc struct {
	top   string
	lines int
	turn  time.Duration // in one turn, with what it prepares; 0: not known
	ran   cover         // empty: not known
}

// functionsOf are the functions of benchmark lines, in their order. A turn of what ends before its
// time takes about three calls, each with its preparation, beside that time.
func functionsOf(lines []bench, took map[string]time.Duration, ran map[string]cover) []*benchFunc {
	var list []*benchFunc
	for _, b := range lines {
		i := slices.IndexFunc(list, func(f *benchFunc) bool { return f.top == b.top })
		if i < 0 {
			i = len(list)
			list = append(list, &benchFunc{top: b.top, turn: took[b.top], ran: ran[b.top]})
		}
		f := list[i]
		f.lines++
		if b.ns < float64(leastEach) {
			f.turn += leastEach
			if f.lines == 1 {
				f.turn += 2 * took[b.top]
			}
		}
	}
	return list
}

// chooseBenches leaves out the slow ones, and those for which a measurement has no room. Whatever is
// left out is named. Took is what one iteration of each function takes, with what it prepares.
func (s *survey) chooseBenches(all []bench, took map[string]time.Duration, ran map[string]cover) []bench {
	slow := map[string]bool{}
	var slowNames []string
	for _, b := range all {
		if b.ns > float64(slowBench) && !slow[b.top] {
			slow[b.top] = true
			slowNames = append(slowNames, fmt.Sprintf("%s (%s)", b.top, roundTime(time.Duration(b.ns))))
		}
	}
	quick := slices.DeleteFunc(slices.Clone(all), func(b bench) bool { return slow[b.top] })
	if len(quick) == 0 {
		least := slices.MinFunc(all, func(a, b bench) int { return cmp.Compare(a.ns, b.ns) })
		s.Say("every benchmark is slow; the quickest is measured: " + least.top)
		s.m.Notes = append(s.m.Notes, "Every benchmark is slow; left out are all but the quickest, "+least.top+".")
		return []bench{least}
	}
	if len(slowNames) > 0 {
		without(s, "slow benchmarks are left out", slowNames)
	}
	const room = longMeasure / 2 // the rest is for building, and for a machine that is busier
	keep, left := pick(functionsOf(quick, took, ran), room)
	if len(left) > 0 {
		without(s, fmt.Sprintf("%d of %d benchmark functions are measured; left out to keep one measurement short", len(keep), len(keep)+len(left)), left)
	}
	return slices.DeleteFunc(quick, func(b bench) bool { return !keep[b.top] })
}

// without names what is left out: some of it to the person, all in the file.
func without(s *survey, why string, names []string) {
	s.Say(why + ": " + someOf(names, 6))
	s.m.Notes = append(s.m.Notes, strings.ToUpper(why[:1])+why[1:]+": "+strings.Join(names, ", ")+".")
}

// pick keeps the functions that together run most of the code, as far as lines and time of one
// measurement have room, and one at least: the one that runs most. What runs nothing that others do
// not run, or of which that is not known, follows as far as there is room. The names of those that
// are left come with the time that they would take.
func pick(list []*benchFunc, room time.Duration) (keep map[string]bool, left []string) {
	keep = map[string]bool{}
	ran := cover{}
	lines, spent := 0, time.Duration(0)
	open := evenly(list)
	for len(open) > 0 {
		open = slices.DeleteFunc(open, func(f *benchFunc) bool {
			return keep[f.top] || lines+f.lines > mostLines || spent+measured(f) > room
		})
		best, most := (*benchFunc)(nil), 0.0
		for _, f := range open {
			if worth := f.worth(ran) / f.share(room); worth > most {
				best, most = f, worth
			}
		}
		if best == nil {
			break
		}
		keep[best.top] = true
		lines, spent = lines+best.lines, spent+measured(best)
		ran.add(best.ran)
	}
	if len(keep) == 0 {
		keep[slices.MinFunc(list, func(a, b *benchFunc) int {
			return cmp.Or(cmp.Compare(b.ran.statements(), a.ran.statements()), cmp.Compare(a.lines, b.lines), cmp.Compare(a.turn, b.turn))
		}).top] = true
	}
	for _, f := range list {
		if keep[f.top] {
			continue
		}
		name := f.top
		if t := measured(f); t >= time.Second {
			name += " (" + roundTime(t).String() + ")"
		}
		left = append(left, name)
	}
	return keep, left
}

// measured is what a function takes of one measurement.
func measured(f *benchFunc) time.Duration { return 2 * benchRuns * f.turn }

// worth is how many statements a function runs that others do not, and a little for all that it runs.
func (f *benchFunc) worth(others cover) float64 {
	more := 0
	for block, n := range f.ran {
		if _, known := others[block]; !known {
			more += n
		}
	}
	return 1 + float64(more) + 0.1*float64(f.ran.statements())
}

// share is the part of one measurement that a function takes, of its lines or of its time.
func (f *benchFunc) share(room time.Duration) float64 {
	return max(float64(f.lines)/mostLines, float64(measured(f))/float64(room))
}

// evenly orders functions so that the first of them stand far apart: neighbours are often alike.
func evenly(list []*benchFunc) []*benchFunc {
	total := 0
	for _, f := range list {
		total += f.lines
	}
	step := max(1, (total+mostLines-1)/mostLines)
	var out []*benchFunc
	for start := range step {
		for i := start; i < len(list); i += step {
			out = append(out, list[i])
		}
	}
	return out
}

// settleChosen measures chosen benchmarks; where that takes long, shorter ones or fewer, if that helps.
func (s *comparing) settleChosen(ctx context.Context, chosen []bench) ([]bench, string, error) {
	s.d.Evaluator = benchCommand(chosen, eachTime(len(chosen)))
	s.shrinks = true
	reason, err := s.settleBenches(ctx)
	s.shrinks = false
	if err != nil || !s.tooLong {
		return chosen, reason, err
	}
	if chosen, err = s.shorter(ctx, chosen); err != nil {
		return nil, "", err
	}
	reason, err = s.settleBenches(ctx)
	return chosen, reason, err
}

// shorter looks where the time of a measurement that took long goes, by one turn of which each
// benchmark takes the least time, and has the evaluator measure what is short enough then.
func (s *comparing) shorter(ctx context.Context, chosen []bench) ([]bench, error) {
	s.d.Evaluator = benchCommand(chosen, leastEach)
	s.doing(testPatience, "looking where the time of a measurement goes")
	sample, err := s.Lab.Command(ctx, testPatience, []string{"go"}, slices.Insert(slices.Clone(s.d.Evaluator), 2, "-json")...)
	if err != nil {
		return nil, err
	}
	_, took := eventsOf(sample.Raw.Stdout)
	list := functionsOf(chosen, nil, s.ran)
	turn := time.Duration(0)
	for _, f := range list {
		f.turn = took[f.top]
		turn += f.turn
	}
	cut := cutOf(list, 2*max(0, sample.Wall-turn), cmp.Or(s.Long, longMeasure))
	why := fmt.Sprintf("one measurement takes %s: %s", roundTime(s.took), cut.told)
	if len(cut.left) > 0 {
		without(s.survey, why+"; left out", cut.left)
	} else {
		note(s.survey, why)
	}
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(b bench) bool { return !cut.keep[b.top] })
	s.d.Evaluator = benchCommand(chosen, leastEach)
	return chosen, nil
}

// cut is what is measured of benchmarks that take long, and why.
type cut struct {
	keep map[string]bool
	left []string
	told string
}

// cutOf chooses what is measured, by what the functions take in a turn, what building takes and what a
// measurement may take. Fewer are measured only where that is what takes the time.
func cutOf(list []*benchFunc, building, long time.Duration) cut {
	all := cut{keep: map[string]bool{}}
	running, most := time.Duration(0), list[0]
	for _, f := range list {
		all.keep[f.top] = true
		running += measured(f)
		if f.turn > most.turn {
			most = f
		}
	}
	parts := fmt.Sprintf("building takes about %s of it, and the benchmarks with the shortest -benchtime %s", roundTime(building), roundTime(running))
	switch {
	case building+running <= long:
		all.told = parts + ", so all stay, with that"
		return all
	case running <= building || len(list) == 1:
		all.told = parts + ", so leaving out benchmarks would not shorten it much"
		return all
	}
	fewer := cut{told: parts + fmt.Sprintf(", %s the most of them with %s", most.top, roundTime(measured(most)))}
	fewer.keep, fewer.left = pick(list, max(long-building, long/4))
	return fewer
}

// eachTime is how long each of some benchmark lines may run in one turn, for about benchTime in all.
func eachTime(lines int) time.Duration {
	each := benchTime / time.Duration(benchRuns*lines) * 2 / 3 // a benchmark runs somewhat longer than its time
	for _, step := range []time.Duration{100, 50, 20, 10} {
		if each >= step*time.Millisecond {
			return step * time.Millisecond
		}
	}
	return leastEach
}

// benchCommand measures chosen benchmarks, each so long.
func benchCommand(chosen []bench, each time.Duration) []string {
	var names []string
	for _, b := range chosen {
		if n := regexp.QuoteMeta(b.top); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	args := []string{
		"go", "test", "-trimpath", "-vet=off", "-run=^$", "-bench=^Benchmark(" + strings.Join(names, "|") + ")$", "-benchmem",
		"-cpu=1", "-benchtime=" + each.String(),
	}
	return append(args, packagesOf(chosen)...)
}

// eventsOf are the text of go test -json, and the time that each benchmark function took, with what it
// prepares: that between what a package says.
func eventsOf(stdout []byte) (text []byte, took map[string]time.Duration) {
	took = map[string]time.Duration{}
	last := map[string]time.Time{}
	scan := bufio.NewScanner(bytes.NewReader(stdout))
	scan.Buffer(make([]byte, 0, 64<<10), 4<<20)
	for scan.Scan() {
		var e struct {
			Time                          time.Time
			Action, Package, Test, Output string
		}
		if json.Unmarshal(scan.Bytes(), &e) != nil {
			continue
		}
		text = append(text, e.Output...)
		top, _, _ := strings.Cut(e.Test, "/")
		if top, ok := strings.CutPrefix(top, "Benchmark"); ok && e.Action == "output" && !last[e.Package].IsZero() {
			took[top] += e.Time.Sub(last[e.Package])
		}
		last[e.Package] = e.Time
	}
	return text, took
}
