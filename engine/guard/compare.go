package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atoll/engine/guard/probe"
)

// pair is one package or module in both trees.
type pair struct {
	name            string // before the name of a function: "strcase"
	root, candidate *subject
	literals        probe.Literals
	relevant        func(group string) bool // can reach what changed
	direct          func(group string) bool // is what changed
	public          bool                    // others may depend on its names
	watched         bool                    // the probes tell what inputs do in the changed code
	behind          bool                    // inputs are looked for behind the survey, on top of it
	further         func(group string) bool // is asked with those inputs alone
	marks           []int                   // of the blocks of what changed
	reaching        map[string]bool         // groups of which some input ran such a block
	corpus          map[string][][]uint64   // inputs that do something of their own there
	around          int                     // above 0: inputs are made of those of the corpus alone, so many times over
	asked           []string                // groups that were compared
	tests           []string                // groups that are tests, played with other values
	played          map[string]bool         // those are asked: which were compared; nil: functions are
	round           int                     // above 0: asked once more, with other draws
	few             int                     // above 0: a first look, with one of so many inputs
	open            []string                // groups that take values of any type
	habits          probe.Habits            // of the root
	lost            losses                  // what the root answered of groups until now
	differ          func(in, root, candidate string) bool
	reads           func(group string) probe.Reads // exported variables; nil: none
	settable        []string                       // variables of which both trees can make other values
}

// where is the name that people see for a group.
func (p pair) where(group string) string {
	if p.name == "" {
		return strings.Replace(group, ":", ".", 1)
	}
	return p.name + "." + group
}

// The bounds of a comparison.
const (
	fewestCases    = 60     // of one group, where there are many
	mostCases      = 40_000 // of all groups together
	fewGroups      = 6      // all of them are close to the change
	mostLasting    = 12     // groups that change the state of their package
	mostAlone      = 60     // groups asked alone when the state of a package is in the way
	looks          = 8      // differing cases of a group that are looked at
	looksOfShaky   = 4      // times as many where the root does not agree with itself on others
	mostShrunk     = 6      // groups whose difference is made small
	shrinkingSteps = 12
	insisting      = 5 // times that a difference is confirmed
	fewestAgain    = 2 // of them, where the root does not draw at random
)

// compare asks both trees the same and reports where the answers differ: a few inputs at once, and
// all of them later, behind the few of everything else. What differs is known soon, and not asked again,
// and where the time is over something was compared.
func (c *check) compare(ctx context.Context, p pair) error {
	p.lost = losses{}
	names, lasting, further, err := c.rollCall(ctx, &p)
	if err != nil {
		return err
	}
	if len(p.tests) > 0 {
		c.later(func(ctx context.Context) error { return c.play(ctx, p) })
	}
	lasting = lasting[:min(len(lasting), mostLasting)]
	if len(names)+len(lasting) == 0 {
		names, further = further, nil
	}
	if len(names)+len(lasting) == 0 {
		if c.report.Values > 0 {
			return nil
		}
		c.report.note("%sno input can be made for what can reach the change", prefix(p.name))
		return nil
	}
	looks := []int{shareOfFew}
	if p.behind {
		looks = []int{shareOfGlance, shareOfFew}
	}
	apart := false
	for _, part := range p.inTurn(names) {
		for _, p.few = range looks {
			if apart, err = c.surveys(ctx, &p, c.unknownOf(p, part), c.unknownOf(p, lasting), apart); err != nil {
				return err
			}
		}
	}
	p.few = 0
	c.report.Open = c.report.Open || p.takesAny()
	c.later(func(ctx context.Context) error {
		err := c.deepen(ctx, p, names, lasting, further, apart)
		if errors.Is(err, errProbe) {
			c.report.note("%snot all of it was compared: %s", prefix(p.name), err)
			return nil
		}
		return err
	})
	return nil
}

// deepen gives all inputs to the groups that are not known to differ, with those that exploration finds.
func (c *check) deepen(ctx context.Context, p pair, names, lasting, further []string, apart bool) error {
	names, lasting = c.unknownOf(p, names), c.unknownOf(p, lasting)
	var err error
	if p.watched && !p.behind && len(names)+len(lasting) > 0 {
		if p.corpus, err = c.explore(ctx, &p, slices.Concat(names, lasting)); err != nil {
			return err
		}
	}
	for _, part := range p.inTurn(names) {
		apart, err = c.surveys(ctx, &p, part, lasting, apart)
		c.report.Open = c.report.Open || p.takesAny()
		if err != nil {
			return err
		}
	}
	if c.g.o.Thorough {
		c.later(func(ctx context.Context) error { return c.again(ctx, p, names, apart) })
	}
	switch {
	case !p.watched:
		return nil
	case !p.behind:
		c.later(func(ctx context.Context) error { return goOn(ctx, c, p, c.unknownOf(p, names), apart) })
		return nil
	}
	return c.search(ctx, p, slices.Concat(names, further), apart)
}

// inTurn is some groups as they are asked: all at once, and first those that are not to wait for others: of Python what changed
// itself, as others make large objects, and where inputs were looked for the few that ran what changed.
func (p *pair) inTurn(groups []string) [][]string {
	first := func(group string) bool { return p.reaching[group] && len(p.reaching)*fewReach <= len(groups) }
	if p.behind {
		first = p.direct
	}
	own := slices.DeleteFunc(slices.Clone(groups), func(group string) bool { return !first(group) })
	others := slices.DeleteFunc(slices.Clone(groups), first)
	if len(own) == 0 || len(others) == 0 {
		return [][]string{groups}
	}
	return [][]string{own, others}
}

// fewReach: of so many groups one ran what changed at most.
const fewReach = 4

// unknownOf drops the groups that are known to differ.
func (c *check) unknownOf(p pair, groups []string) []string {
	known := c.report.known(p)
	return slices.DeleteFunc(slices.Clone(groups), func(group string) bool { return slices.Contains(known, group) })
}

// surveys asks about groups together, or apart where they disturb each other, which it returns:
// one function's traces are another's input. Those that change the state of their package have one
// order in both trees: what one leaves behind is the same for the next.
func (c *check) surveys(ctx context.Context, p *pair, names, lasting []string, apart bool) (bool, error) {
	if len(names) > 0 && !apart {
		var err error
		if apart, err = c.survey(ctx, p, names, true); err != nil {
			return apart, err
		}
	}
	if apart {
		for _, name := range names[:min(len(names), mostAlone)] {
			if _, err := c.survey(ctx, p, []string{name}, false); err != nil {
				return apart, err
			}
		}
	}
	if len(lasting) == 0 {
		return apart, nil
	}
	_, err := c.survey(ctx, p, lasting, false)
	return apart, err
}

// rollCall lists the groups that both trees have with one signature: those that are asked, apart those that may change
// the state of their package, and those that are asked where inputs are looked for.
func (c *check) rollCall(ctx context.Context, p *pair) (names, lasting, further []string, err error) {
	q := probe.Request{Mode: probe.Survey, Seed: c.g.o.Seed, Literals: p.literals}
	c.doing("listing what there is to compare")
	was, err := p.root.ask(ctx, q)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("the root: %w", err)
	}
	is, err := p.candidate.ask(ctx, q)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("the candidate: %w", err)
	}
	if p.public {
		if err := c.values(ctx, *p, was, is); err != nil {
			return nil, nil, nil, err
		}
	}
	p.settable = bothSettable(was, is)
	now := map[string]probe.Answer{}
	for _, g := range is.groups {
		now[g.Group] = g
	}
	for _, g := range was.groups {
		other, ok := now[g.Group]
		if openSignature(g.Signature) {
			p.open = append(p.open, g.Group)
		}
		if g.Test {
			if ok {
				p.tests = append(p.tests, g.Group)
			}
			continue
		}
		if !p.relevant(g.Group) {
			if ok && p.further != nil && p.further(g.Group) {
				further = append(further, g.Group)
			}
			continue
		}
		switch {
		case !ok && p.public:
			c.report.Differences = append(c.report.Differences, Difference{Where: p.where(g.Group), Kind: Removed, Input: p.where(g.Group), Root: "there", Candidate: "gone", group: g.Group})
		case !ok:
		case other.Signature != g.Signature:
			if p.public {
				c.report.Differences = append(c.report.Differences, Difference{Where: p.where(g.Group), Kind: Changed, Input: p.where(g.Group), Root: g.Signature, Candidate: other.Signature, group: g.Group})
			}
		case g.Late:
			further = append(further, g.Group)
		case g.Lasting:
			lasting = append(lasting, g.Group)
		default:
			names = append(names, g.Group)
		}
	}
	return names, lasting, further, nil
}

// values compares what exported constants and variables hold at the start. One that
// the root begins with another value each time is left out.
func (c *check) values(ctx context.Context, p pair, was, is *reply) error {
	of := func(r *reply) map[string]string {
		out := map[string]string{}
		for _, v := range r.values {
			out[v.Group] = v.Out
		}
		return out
	}
	now := of(is)
	var again map[string]string
	for _, v := range was.values {
		other, ok := now[v.Group]
		if !ok || !p.relevant(v.Group) {
			continue
		}
		if other != v.Out {
			if again == nil {
				r, err := p.root.ask(ctx, probe.Request{Mode: probe.Survey, Seed: c.g.o.Seed, Literals: p.literals})
				if err != nil {
					return fmt.Errorf("the root: %w", err)
				}
				again = of(r)
			}
			if again[v.Group] != v.Out {
				c.report.Unsteady++
				continue
			}
			was, is := apart(v.Out, other)
			c.report.Differences = append(c.report.Differences, Difference{Where: p.where(v.Group), Kind: Changed, Input: p.where(v.Group), Root: was, Candidate: is, Cases: 1, Of: 1, group: v.Group})
		}
		c.report.Values++
	}
	return nil
}

// survey gives many inputs to some groups. Where answers differ the root is asked again.
// together asks whether the groups disturb each other; then the second answer of the root is in another
// order, and unsteady reports that they do.
func (c *check) survey(ctx context.Context, p *pair, names []string, together bool) (unsteady bool, err error) {
	q := probe.Request{Mode: probe.Survey, Seed: p.seed(c.g.o.Seed), Groups: names, Literals: p.literals, Known: c.report.known(*p), Corpus: p.corpus, Around: p.around > 0, Drawn: p.drawn(), Variables: p.variables(names)}
	c.spread(*p, &q)
	q.Skip = p.lost.among(names)
	c.doing("comparing %s", p.someOf(names))
	first, err := p.tamed(ctx, p.root, true, &q)
	if err != nil {
		return false, fmt.Errorf("the root: %w", err)
	}
	p.lost.learn(first)
	q.Skip, q.Until = p.lost.among(names), first.until(names) // without an answer of the root one of the candidate says nothing
	for _, position := range first.at {
		q.Omit = append(q.Omit, position)
	}
	slices.Sort(q.Omit)
	candidate, err := p.candidate.ask(ctx, q)
	if err != nil {
		if candidate != nil {
			c.agreed(p, names, tally(first, first, candidate))
		}
		return false, fmt.Errorf("the candidate: %w", err)
	}
	t, second := tally(first, first, candidate), first
	if len(t.suspects)+len(t.nils) > 0 { // where all is equal the root agrees with itself
		back := q
		if back.Backwards = together; together {
			back.Omit, back.Until = nil, nil // positions of the other order
		}
		if second, err = p.root.ask(ctx, back); err != nil {
			return false, fmt.Errorf("the root: %w", err)
		}
		t = tally(first, second, candidate)
		if learnt, err := withoutOrder(ctx, c, p, t, q); err != nil {
			return false, err
		} else if learnt {
			return c.survey(ctx, p, names, together)
		}
	}
	if together && len(names) > 1 && t.unsteady*2 > t.compared+t.unsteady {
		return true, nil
	}
	c.counts(p, names, t.compared)
	c.report.Unsteady += t.unsteady
	if t.compared == 0 && t.unsteady > 0 {
		c.report.note("%sthe root does not agree with itself on %s", prefix(p.name), strings.Join(names, ", "))
	}
	if first.cut || second.cut {
		c.report.note("%stoo many inputs ended the process of the root; the rest was left out", prefix(p.name))
	}
	if p.few > 0 { // what calls another that differs is told by that one
		maps.DeleteFunc(t.suspects, func(group string, _ []int) bool { return !p.direct(group) })
		t.nils = nil
	}
	if err := c.settle(ctx, *p, t, q); err != nil {
		return false, err
	}
	if err := c.tell(ctx, *p, t, q); err != nil || p.around >= mostRounds {
		return false, err
	}
	return false, c.around(ctx, p, t, q)
}

// counts adds inputs of groups to what was compared.
func (c *check) counts(p *pair, groups []string, cases int) {
	for _, group := range groups {
		if !slices.Contains(p.asked, group) {
			p.asked = append(p.asked, group)
			if p.played != nil {
				p.played[group] = true
			} else {
				c.report.Functions++
			}
		}
	}
	c.report.Cases += cases
}

// agreed counts the inputs with one answer of a survey that the time ended; where answers differ the root could not be asked again.
func (c *check) agreed(p *pair, groups []string, t count) {
	cases := t.compared
	for _, list := range t.suspects {
		cases -= len(list)
	}
	c.counts(p, slices.DeleteFunc(slices.Clone(groups), func(group string) bool { return t.of[group] == 0 }), cases)
}

// The bounds of looking around inputs of one group.
const (
	mostAstray   = 40 // inputs that are varied
	astrayShare  = 4  // of which one in so many goes another way at most: the change is not in the way itself
	mostWanderer = 8  // groups
	mostRounds   = 2  // beside inputs that were found beside others
)

// around looks beside inputs on which the two trees went other ways through the changed code
// and came to one answer: it takes little more for the answers to differ. Where most inputs
// go another way, the code was written in another way, and that says nothing.
func (c *check) around(ctx context.Context, p *pair, t count, q probe.Request) error {
	detail := q
	detail.Mode, detail.Omit, detail.Groups, detail.Cases = probe.Detail, nil, nil, nil
	for _, group := range slices.Sorted(maps.Keys(t.astray)) {
		list := t.astray[group]
		if len(t.suspects[group]) > 0 || len(list)*astrayShare > t.of[group] || len(detail.Groups) >= mostWanderer {
			continue
		}
		detail.Groups = append(detail.Groups, group)
		for i := range min(len(list), mostAstray) {
			detail.Cases = append(detail.Cases, probe.Case{Group: group, Index: list[i*len(list)/min(len(list), mostAstray)]})
		}
	}
	if len(detail.Groups) == 0 {
		return nil
	}
	names := detail.Groups
	detail.Groups = q.Groups
	told, err := p.root.ask(ctx, detail)
	if err != nil {
		return fmt.Errorf("the root: %w", err)
	}
	near := *p
	near.around, near.corpus = p.around+1, map[string][][]uint64{}
	for _, at := range slices.SortedFunc(maps.Keys(told.cases), func(a, b site) int { return cmp.Compare(a.index, b.index) }) {
		near.corpus[at.group] = append(near.corpus[at.group], told.cases[at].Choices)
	}
	_, err = c.survey(ctx, &near, names, false)
	return err
}

// count is what a survey gave.
type count struct {
	compared, unsteady int
	suspects           map[string][]int // cases by group, in order
	nils               map[string][]int // those that may differ in nil alone
	astray             map[string][]int // those with one answer that came to it in another way
	of                 map[string]int   // cases compared by group
	ends               map[site]string
	shaky              map[string][]int // cases on which the root does not agree with itself
	candidate          *reply
}

// tally compares two answers of the root and one of the candidate.
func tally(first, second, candidate *reply) count {
	t := count{suspects: map[string][]int{}, nils: map[string][]int{}, astray: map[string][]int{}, of: map[string]int{}, ends: map[site]string{}, shaky: map[string][]int{}, candidate: candidate}
	for at, a := range first.cases {
		b, ok := second.cases[at]
		if !ok || a.Void {
			continue
		}
		steady, results := agree(a, b)
		if !steady {
			t.unsteady++
		}
		if !steady || results {
			t.shaky[at.group] = append(t.shaky[at.group], at.index)
		}
		if !steady {
			continue
		}
		if how, ended := candidate.fatal[at]; ended {
			t.ends[at] = how
			t.compared++
			t.of[at.group]++
			t.suspects[at.group] = append(t.suspects[at.group], at.index)
			continue
		}
		n, ok := candidate.cases[at]
		if !ok || n.In != a.In {
			continue // another input: the types differ
		}
		t.compared++
		t.of[at.group]++
		switch {
		case results:
			if ofResults(n) != ofResults(a) {
				t.suspects[at.group] = append(t.suspects[at.group], at.index)
			}
		case n.Out != a.Out:
			t.suspects[at.group] = append(t.suspects[at.group], at.index)
		case n.Marked != a.Marked && a.Marked == b.Marked:
			t.nils[at.group] = append(t.nils[at.group], at.index)
		case n.Path != a.Path && a.Path == b.Path:
			t.astray[at.group] = append(t.astray[at.group], at.index)
		}
	}
	for _, list := range t.astray {
		slices.Sort(list)
	}
	for _, list := range t.suspects {
		slices.Sort(list)
	}
	for _, list := range t.nils {
		slices.Sort(list)
	}
	for _, list := range t.shaky {
		slices.Sort(list)
	}
	return t
}

func prefix(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}
