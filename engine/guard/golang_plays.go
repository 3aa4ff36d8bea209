package guard

import (
	"context"
	"errors"
	"slices"
)

// play runs the tests of the root's package that can reach the change in both trees, with other values in the place of their
// literals: tests know how things are made and used together, and nobody knows what they should expect then. They have probes of
// their own, built where a few inputs of all functions showed nothing: what tests need to be built and to begin is in the way of nothing else.
func (m *goCheck) play(ctx context.Context, p *goPackage, api goAPI) error {
	if m.differs() {
		return nil
	}
	tests := newStager(m.was, p, m.root.read)
	if tests == nil {
		return nil
	}
	if tests.chosen = tests.scripts(m.names, m.direct); len(tests.chosen) == 0 {
		return nil
	}
	m.doing("building the tests of %s", p.path)
	both, err := m.probes(ctx, p, api, tests)
	if err == nil {
		err = m.playPair(ctx, both)
	}
	if errors.Is(err, errBuild) || errors.Is(err, errProbe) {
		m.report.note("the tests of %s were not played: %s", p.path, err)
		return nil
	}
	return err
}

// playPair compares tests that two probes have: first what few inputs show, and then what those show that do something of
// their own in the changed code, with others beside them.
func (m *goCheck) playPair(ctx context.Context, p pair) error {
	p.public, p.reads, p.lost = false, nil, losses{}
	return playing(ctx, m.check, p, func(ctx context.Context, p pair) error {
		if _, _, _, err := m.rollCall(ctx, &p); err != nil || len(p.tests) == 0 {
			return err
		}
		return m.playAll(ctx, p)
	})
}

// shareOfPlays is a look at tests that have no more than a part of the inputs of a function: each runs all of a test.
const shareOfPlays = 3

func (m *goCheck) playAll(ctx context.Context, p pair) error {
	tests, last := p.tests, shareOfPlays
	if m.g.o.Thorough {
		last = 0
	}
	for _, p.few = range []int{shareOfGlance, shareOfFew, last} {
		if p.watched && p.few != shareOfGlance {
			var err error
			if p.corpus, err = m.explore(ctx, &p, tests); err != nil {
				return err
			}
			if len(p.reaching) > 0 {
				tests = slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return !p.reaching[t] })
			}
		}
		if _, err := m.surveys(ctx, &p, tests, nil, false); err != nil || m.differs() {
			return err
		}
	}
	return nil
}

// blinds is how many lines, and variables of files, are played as they are written.
func (s *stager) blinds() int {
	if s == nil {
		return 0
	}
	return len(s.blind) + len(s.fixed)
}
