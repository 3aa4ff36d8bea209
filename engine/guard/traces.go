package guard

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atoll/engine/guard/probe"
)

// The bounds of a look at what calls leave behind.
const (
	mostTraced    = 4 // groups in one check
	traceGrowth   = 8 // times as many calls before it, where those did not tell
	mostTold      = 3 // calls before it that are told in words
	shareOfTraces = 6 // of the budget that is left
)

// traces looks at groups of which the candidate answered otherwise than the root in a survey, and as the root where it is
// asked alone: an earlier call left something behind, such as an option, or the answer of a cache with a short key.
func (c *check) traces(ctx context.Context, p pair, t count, q probe.Request, found []seen) error {
	groups := slices.DeleteFunc(slices.Sorted(maps.Keys(t.suspects)), func(group string) bool {
		return len(t.shaky[group]) > 0 || slices.ContainsFunc(found, func(s seen) bool { return s.group == group })
	})
	slices.SortStableFunc(groups, func(a, b string) int { return -compareBool(p.direct(a), p.direct(b)) })
	if len(groups) == 0 || c.traced >= mostTraced || p.played != nil {
		return nil
	}
	c.doing("looking for what a call of %s leaves behind", p.someOf(groups))
	part, budget, done := c.budget.part(ctx, shareOfTraces)
	defer done()
	p.root, p.candidate = p.root.with(budget), p.candidate.with(budget)
	for _, group := range groups {
		if c.traced++; c.traced > mostTraced {
			break
		}
		d, err := tracing{p, q}.among(part, t, group)
		if err != nil {
			return unlessEnough(err)
		}
		if d != nil {
			d.Cases, d.Of = len(t.suspects[group]), t.of[group]
			c.report.Differences = append(c.report.Differences, *d)
			break // others show the same
		}
	}
	return nil
}

// tracing asks two trees about a case behind others of the survey that q is.
type tracing struct {
	p pair
	q probe.Request
}

// among looks at a few of the cases of a group that gave another answer.
func (x tracing) among(ctx context.Context, t count, group string) (*Difference, error) {
	list := t.suspects[group]
	for i := 0; i < len(list); i += (len(list) + mostTraced - 1) / mostTraced {
		if d, err := x.of(ctx, t, site{group, list[i]}); d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// of finds calls behind which a case is answered in another way by the candidate alone; nil where there are none.
func (x tracing) of(ctx context.Context, t count, at site) (*Difference, error) {
	alone, err := x.ask(ctx, x.p.root, nil, at, true)
	if err != nil || len(alone) == 0 {
		return nil, err
	}
	root := alone[0]
	differs := func(before []site) (bool, error) {
		told, err := x.ask(ctx, x.p.candidate, before, at, true)
		return len(told) == 1 && told[0].In == root.In && x.p.differ(root.In, root.Out, told[0].Out), err
	}
	if found, err := differs(nil); found || err != nil { // it differs by itself, and not every time
		return nil, err
	}
	before, err := x.narrowed(t.before(at), differs)
	if err != nil || len(before) == 0 {
		return nil, err
	}
	return x.sure(ctx, before, at, root)
}

// narrowed is a short list of those calls behind which a case differs, the last ones of some; none where it does not.
func (x tracing) narrowed(all []site, differs func([]site) (bool, error)) ([]site, error) {
	var list []site
	for n := 1; list == nil; n *= traceGrowth {
		last := all[max(0, len(all)-n):]
		found, err := differs(last)
		if err != nil {
			return nil, err
		}
		if found {
			list = last
		} else if len(last) == len(all) {
			return nil, nil
		}
	}
	for size := len(list) / 2; size > 0; size = min(size, len(list)) / 2 {
		for from := 0; from < len(list) && len(list) > 1; {
			less := slices.Concat(list[:from], list[min(from+size, len(list)):])
			found, err := differs(less)
			switch {
			case err != nil:
				return nil, err
			case found && len(less) > 0:
				list = less
			default:
				from += size
			}
		}
	}
	return list, nil
}

// sure asks both trees about a case behind others again and again: the root is to answer as it does alone, and the
// candidate otherwise.
func (x tracing) sure(ctx context.Context, before []site, at site, root probe.Answer) (*Difference, error) {
	var last probe.Answer
	var words []string
	for range fewestAgain {
		for _, s := range []*subject{x.p.root, x.p.candidate} {
			told, err := x.ask(ctx, s, before, at, len(before) > mostTold)
			if err != nil || len(told) == 0 {
				return nil, err
			}
			last = told[len(told)-1]
			if last.In != root.In || x.p.differ(root.In, root.Out, last.Out) != (s == x.p.candidate) {
				return nil, nil
			}
			words = nil
			for _, a := range told[:len(told)-1] {
				words = append(words, a.In)
			}
		}
	}
	if len(words) == 0 {
		words = []string{fmt.Sprintf("%d other calls", len(before))}
	}
	was, is := step(root.In, root.Out, last.Out)
	return &Difference{
		Where: x.p.where(at.group), Kind: Output, Input: strings.Join(words, ", ") + ", and then " + root.In,
		Root: readable(was), Candidate: readable(is), group: at.group, own: x.p.direct(at.group),
	}, nil
}

// ask makes a case behind others in one process, and returns what is told of them, in their order; none where the process ends.
func (x tracing) ask(ctx context.Context, s *subject, before []site, at site, mute bool) ([]probe.Answer, error) {
	q := x.q
	q.Mode, q.Omit, q.Cases = probe.Detail, nil, nil
	for _, b := range before {
		q.Cases = append(q.Cases, probe.Case{Group: b.group, Index: b.index, Mute: mute})
	}
	q.Cases = append(q.Cases, probe.Case{Group: at.group, Index: at.index})
	r, err := s.ask(ctx, q)
	if err != nil || len(r.fatal) > 0 {
		return nil, err
	}
	var out []probe.Answer
	for _, at := range slices.SortedFunc(maps.Keys(r.cases), func(a, b site) int { return cmp.Compare(a.index, b.index) }) {
		out = append(out, r.cases[at])
	}
	return out, nil
}

// before are the cases that ran before one in the process of the candidate, in their order.
func (t count) before(at site) []site {
	end, begin := t.candidate.cases[at].Position, 0
	for _, position := range t.candidate.at {
		if position < end {
			begin = max(begin, position)
		}
	}
	var out []site
	for b, a := range t.candidate.cases {
		if begin < a.Position && a.Position < end {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b site) int {
		return cmp.Compare(t.candidate.cases[a].Position, t.candidate.cases[b].Position)
	})
	return out
}
