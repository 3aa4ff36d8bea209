package probe

import "slices"

// mostKept bounds the corpus of one group.
const mostKept = 200

// explore runs cases of each group and keeps those that did something in the
// watched code that no case of the group did before: they took another way,
// brought the two sides of a comparison into another order, or closer to each other where
// the comparison changed, or stand where the answer changes. What is kept is varied in turn
// (greybox fuzzing: Zalewski, "american fuzzy lop"; comparisons as in libFuzzer's value
// profile), and made into cases in which two sides meet.
func (s *session) explore() {
	position := 0
	if s.api.Ask != nil {
		s.api.Ask()
	}
	for _, g := range s.chosen() {
		x := s.explorer(g)
		started, purse := false, s.purse(g)
		for i := range s.count(g.name) + x.parts() {
			position++
			if position <= s.q.From || slices.Contains(s.q.Skip, g.name) || len(x.kept) >= mostKept || purse.empty() {
				continue
			}
			if !started {
				started = true
				s.write(Answer{Kind: AnswerStart, Group: g.name, Index: i, Position: position})
			}
			clear(s.api.Watch)
			s.pairs()
			s.path()
			o := s.one(position, g, x.draws(i))
			if !x.reaching && s.ranWhatChanged() {
				x.reaching = true
				s.write(Answer{Kind: AnswerReach, Group: g.name})
			}
			pairs := s.pairs()
			relevant := x.notes(i, s.path(), pairs)
			if x.learn(o, s.api.Watch, pairs, relevant) {
				if s.ranWhatChanged() {
					x.direct = append(x.direct, o)
				}
				s.write(Answer{Kind: AnswerKeep, Group: g.name, Index: i, Position: position, Choices: o.choices})
			}
		}
	}
}

// ranWhatChanged reports whether the last case did.
func (s *session) ranWhatChanged() bool {
	watch := s.api.Watch
	return len(watch) > 0 && slices.ContainsFunc(s.q.Marks, func(n int) bool { return watch[n%(len(watch)/2)] != 0 })
}

// pairs takes how comparisons stood since it was asked last.
func (s *session) pairs() []Pair {
	if s.api.Pairs == nil {
		return nil
	}
	return s.api.Pairs()
}

// explorer is the search for inputs of one group.
type explorer struct {
	s      *session
	g      *group
	seen   []byte
	kept   []outcome
	direct []outcome // those that ran what changed
	met    meetings
	brinks brinks

	reaching bool

	written  string // what a test as it is written does in the watched code
	relevant []int  // parts of it that change that
}

func (s *session) explorer(g *group) *explorer {
	lib := s.r.lib
	allowed := func(v int64) bool { return v <= largestMade && v >= -largestMade || lib.edges.own[v] }
	return &explorer{s: s, g: g, seen: make([]byte, len(s.api.Watch)), brinks: newBrinks(allowed), met: meetings{
		tried: map[uint64]bool{}, closest: map[int]int{}, equal: map[int]map[operand]bool{}, allowed: allowed,
	}}
}

// draws are the choices of the next case: one of the corpus, then one at which the answer may change, two sides that
// may meet, and one that is near to what was kept, or a new one.
func (x *explorer) draws(i int) *draws {
	corpus := x.s.q.Corpus[x.g.name]
	if i < len(corpus) {
		return replayed(corpus[i])
	}
	seed := x.s.seed(x.g.name, -1-i)
	if d := x.part(i-len(corpus), seed); d != nil {
		return d
	}
	if i%3 == 1 && !x.s.r.tame[x.g.name] {
		if c := x.brinks.next(); c != nil {
			return replayed(c)
		}
	}
	if i%3 > 0 {
		if c := x.met.next(); c != nil {
			return replayed(c)
		}
	}
	if len(x.kept) == 0 || i%4 == 0 {
		return seeded(seed)
	}
	if len(x.direct) > 0 && i%4 > 1 {
		return x.s.near(x.g.name, x.direct, seed)
	}
	return x.s.near(x.g.name, x.kept, seed)
}

// learn reports whether a case is worth doing again; relevant says that it is in any event.
func (x *explorer) learn(o outcome, watch []byte, pairs []Pair, relevant bool) bool {
	found := news(x.seen, watch)
	brink := x.brinks.saw(o)
	x.brinks.take(o)
	if closer := x.met.add(o, pairs, found); closer || found || brink || relevant {
		x.kept = append(x.kept, o)
		return true
	}
	return false
}

// near are choices near those of some cases: one value changed, drawn anew or likened to another of
// the case, or choices exchanged whatever they are for.
func (s *session) near(group string, corpus []outcome, seed uint64) *draws {
	d := seeded(seed)
	pick := func(n int) int { return int(d.next() % uint64(n)) }
	o := &corpus[pick(len(corpus))]
	kind := pick(9)
	if len(o.places) == 0 || kind < 2 {
		list := make([][]uint64, len(corpus))
		for i := range corpus {
			list[i] = corpus[i].choices
		}
		return varied(list, d.next())
	}
	p := &o.places[pick(len(o.places))]
	if own := o.exchanged(); len(own) > 0 && pick(2) == 0 {
		p = own[pick(len(own))]
	}
	if kind < 4 {
		if like := p.liken(&o.places[pick(len(o.places))], pick); like != nil {
			return replayed(p.with(o.choices, like))
		}
	}
	if kind < 7 {
		if mutated := p.mutate(s.r.lib, s.r.tame[group], d.next()); mutated != nil {
			return replayed(p.with(o.choices, mutated))
		}
	}
	return replayed(p.with(o.choices, p.redraw(s.r.lib, s.r.tame[group], d.next())))
}

// news adds what happened to what was seen and reports whether some of it is
// new.
func news(seen, watch []byte) bool {
	found := false
	for i, w := range watch {
		if w != 0 && seen[i] == 0 {
			seen[i], found = 1, true
		}
	}
	return found
}
