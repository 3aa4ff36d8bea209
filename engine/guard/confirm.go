package guard

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"atoll/engine/guard/probe"
	"atoll/store/record"
)

// settle looks at the suspects again, in full, and keeps those that hold.
func (c *check) settle(ctx context.Context, p pair, t count, q probe.Request) (err error) {
	q.Mode, q.Omit, q.Cases = probe.Detail, nil, nil
	for _, group := range slices.Sorted(maps.Keys(t.suspects)) {
		q.Cases = append(q.Cases, t.worthALook(group, t.suspects[group])...)
	}
	if len(q.Cases) == 0 {
		return nil
	}
	c.report.Unsure = len(q.Cases)
	defer func() {
		if err == nil {
			c.report.Unsure = 0
		}
	}()
	c.doing("asking again where answers differed, %s", record.Plural(len(q.Cases), "input"))
	p.differ = func(in, root, candidate string) bool {
		bothShare := strings.Contains(root, probe.ShareMark) && strings.Contains(candidate, probe.ShareMark)
		return !same(in, root, candidate) && (p.played == nil || !bothShare) // a test tells the first thing that is shared alone
	}
	found, err := c.confirm(ctx, p, q, asked{twice: true})
	if err != nil {
		return err
	}
	if found, err = c.insist(ctx, p, t, q, found); err != nil {
		return err
	}
	if err := c.traces(ctx, p, t, q, found); err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b seen) int {
		return cmp.Or(-compareBool(p.direct(a.group), p.direct(b.group)), a.simpler(b))
	})
	done := map[string]bool{}
	for _, best := range found {
		if done[best.group] {
			continue
		}
		done[best.group] = true
		if !p.direct(best.group) && c.report.explains(p, best.in) {
			continue
		}
		if len(done) <= mostShrunk {
			if best, err = c.shrink(ctx, p, q, best); err != nil {
				return err
			}
		}
		kind := Output
		if best.ends {
			kind = Ends
		}
		root, candidate := step(best.in, best.root, best.other)
		c.report.Differences = append(c.report.Differences, Difference{
			Where: p.where(best.group), Kind: kind, Input: best.in,
			Root: readable(root), Candidate: readable(candidate), Cases: len(t.suspects[best.group]), Of: t.of[best.group], group: best.group, own: p.direct(best.group), test: p.played != nil,
		})
	}
	return nil
}

// tell finds a small input for each group that gives nil where it gave an empty list or table, or the other way, or keeps
// what it holds in another order, and does nothing worse.
func (c *check) tell(ctx context.Context, p pair, t count, q probe.Request) error {
	p.differ = sameButTold
	for _, group := range slices.Sorted(maps.Keys(t.nils)) {
		told := slices.ContainsFunc(c.report.Told, func(d Difference) bool { return d.Where == p.where(group) })
		if told || len(c.report.Told) >= mostShrunk || slices.Contains(c.report.known(p), group) {
			continue
		}
		q.Mode, q.Omit, q.Cases = probe.Detail, nil, t.worthALook(group, t.nils[group])
		found, err := c.confirm(ctx, p, q, asked{twice: true})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		best, err := c.shrink(ctx, p, q, slices.MinFunc(found, seen.simpler))
		if err != nil {
			return err
		}
		c.report.Told = append(c.report.Told, Difference{
			Where: p.where(best.group), Kind: toldKind(best.root, best.other), Input: best.in,
			Root: readable(best.root), Candidate: readable(best.other), Cases: len(t.nils[group]), Of: t.of[group],
		})
	}
	return nil
}

// insist confirms differences again and again. Of two outcomes that are as likely, a
// root that draws at random gives one twice by chance in half of all cases: there the
// two must differ every time. Elsewhere what hangs on goroutines may differ once; a
// candidate that has become random, such as in its order, differs more often.
func (c *check) insist(ctx context.Context, p pair, t count, q probe.Request, found []seen) ([]seen, error) {
	q.Cases = nil
	for _, s := range found {
		if !s.ends || len(t.shaky[s.group]) > 0 { // each end costs a process
			q.Cases = append(q.Cases, probe.Case{Group: s.group, Choices: s.choices})
		}
	}
	if len(q.Cases) == 0 {
		return found, nil
	}
	type outcome struct{ group, in, root string }
	differed := map[outcome]int{}
	for range insisting {
		again, err := c.confirm(ctx, p, q, asked{twice: true})
		if err != nil {
			return nil, err
		}
		here := map[outcome]bool{}
		for _, s := range again {
			here[outcome{s.group, s.in, s.root}] = true
		}
		for o := range here {
			differed[o]++
		}
	}
	return slices.DeleteFunc(found, func(s seen) bool {
		n := differed[outcome{s.group, s.in, s.root}]
		if len(t.shaky[s.group]) > 0 {
			return n < insisting
		}
		return !s.ends && n < fewestAgain
	}), nil
}

// worthALook picks from a list of cases of a group: across all of them, and one
// where the process ends, which costs one.
func (t count) worthALook(group string, list []int) []probe.Case {
	var out []probe.Case
	ends, looks := 0, looks
	if len(t.shaky[group]) > 0 { // by chance the root gave one answer twice, and the candidate another
		looks *= looksOfShaky
	}
	for i := 0; i < len(list) && len(out) < looks; i += max(1, len(list)/looks) {
		if _, ended := t.ends[site{group, list[i]}]; ended {
			if ends++; ends > 1 {
				continue
			}
		}
		out = append(out, probe.Case{Group: group, Index: list[i]})
	}
	return out
}

// begun are the first three recorded calls of each group, as they were: what a process keeps of them, such as the answers of a
// cache with too small a key, shows in the calls behind them and not in one that is asked alone.
func begun(cases []probe.Case) []probe.Case {
	var out []probe.Case
	var last string
	for _, at := range cases {
		if at.Group == last {
			continue
		}
		last = at.Group
		for k := range uint64(3) {
			out = append(out, probe.Case{Group: at.Group, Choices: []uint64{k}})
		}
	}
	return out
}

// asked is how cases are confirmed.
type asked struct {
	twice   bool // the root runs them before and after the candidate, and must agree with itself
	results bool // what calls give is compared, alone
}

// confirm runs cases in both trees and returns those that differ. They come in
// the order in which they were asked: what one leaves behind may show in the next.
func (c *check) confirm(ctx context.Context, p pair, q probe.Request, how asked) ([]seen, error) {
	if p.behind && q.Mode == probe.Detail {
		q.Cases = slices.Concat(begun(q.Cases), q.Cases)
	}
	before, err := p.root.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	candidate, err := p.candidate.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	after := before
	if how.twice {
		if after, err = p.root.ask(ctx, q); err != nil {
			return nil, err
		}
	}
	var out []seen
	order := slices.SortedFunc(maps.Keys(before.cases), func(a, b site) int { return cmp.Compare(a.index, b.index) })
	for _, at := range order {
		a := before.cases[at]
		b, ok := after.cases[at]
		steady, results := agree(a, b)
		if !ok || a.Void || !steady {
			continue
		}
		if results = results || how.results; results {
			a.Out = ofResults(a)
		}
		if end, ended := candidate.fatal[at]; ended {
			out = append(out, seen{at.group, a.Choices, a.In, a.Out, end, true, results})
			continue
		}
		n, ok := candidate.cases[at]
		if results {
			n.Out = ofResults(n)
		}
		if ok && n.In == a.In && p.differ(a.In, a.Out, n.Out) {
			out = append(out, seen{at.group, a.Choices, a.In, a.Out, n.Out, false, results})
		}
	}
	return out, nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
