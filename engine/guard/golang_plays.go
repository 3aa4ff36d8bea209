package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	if tests == nil || len(tests.scripts(m.names, m.direct)) == 0 {
		return nil
	}
	m.doing("building the tests of %s", p.path)
	host, err := hostOf(m.scratch)
	if err != nil {
		return err
	}
	if err := m.precompile(ctx, p, filepath.Join(host, "root"), filepath.Join(host, "candidate")); err != nil {
		return err
	}
	watched, err := m.buildBoth(ctx, p, api, host, tests)
	if err == nil {
		err = m.playPair(ctx, m.pairOf(p, api, host, watched))
	}
	if errors.Is(err, errBuild) || errors.Is(err, errProbe) {
		m.report.note("the tests of %s were not played: %s", p.path, err)
		return nil
	}
	return err
}

// hostOf makes room for the binaries of both trees.
func hostOf(scratch string) (string, error) {
	host, err := os.MkdirTemp(scratch, "go-")
	if err != nil {
		return "", fmt.Errorf("make room for a binary: %w", err)
	}
	for _, side := range []string{"root", "candidate"} {
		if err := os.MkdirAll(filepath.Join(host, side), 0o755); err != nil {
			return "", fmt.Errorf("make room for a binary: %w", err)
		}
	}
	return host, nil
}

// playPair compares tests that two probes have: first what few inputs show, and then what those show that do something of
// their own in the changed code, with others beside them.
func (m *goCheck) playPair(ctx context.Context, p pair) error {
	part, budget, done := m.budget.part(ctx, shareOfScenarios)
	defer done()
	whole := m.budget
	m.check.budget, p.root, p.candidate = budget, p.root.with(budget), p.candidate.with(budget)
	defer func() { m.check.budget = whole }()
	p.public, p.reads, p.lost = false, nil, losses{}
	p.played, p.direct = map[string]bool{}, func(string) bool { return true }
	if _, _, _, err := m.rollCall(part, &p); err != nil {
		return unlessEnough(err)
	}
	if len(p.tests) == 0 {
		return nil
	}
	err := m.playAll(part, p)
	m.report.Tests += len(p.played)
	return unlessEnough(err)
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
