package guard

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/sandbox"
	"atoll/gitops"
)

const profileName = "atoll_guard_cover.out"

// block is a stretch of statements that runs as one, as the go command counts.
type block struct{ from, to int }

// coverage are the blocks of files, by import path and name, and whether they
// ran.
type coverage map[string]map[block]bool

// cover adds a profile of the candidate.
func (m *goCheck) cover(profile []byte) { m.reached.add(profile) }

// add reads a profile: "path/file.go:12.2,14.3 2 1".
func (c coverage) add(profile []byte) {
	for line := range bytes.Lines(profile) {
		text := strings.TrimSpace(string(line))
		colon := strings.LastIndexByte(text, ':')
		fields := strings.Fields(text[colon+1:])
		if colon < 0 || len(fields) != 3 {
			continue
		}
		from, to, ok := strings.Cut(fields[0], ",")
		if !ok {
			continue
		}
		b := block{leadingInt(from), leadingInt(to)}
		file := text[:colon]
		if c[file] == nil {
			c[file] = map[block]bool{}
		}
		c[file][b] = c[file][b] || fields[2] != "0"
	}
}

func leadingInt(s string) int {
	s, _, _ = strings.Cut(s, ".")
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// missed are the lines of a file that lie in blocks of which none ran.
func (c coverage) missed(file string, lines []int) []int {
	var out []int
	for _, n := range lines {
		in, ran := false, false
		for b, hit := range c[file] {
			if b.from <= n && n <= b.to {
				in, ran = true, ran || hit
			}
		}
		if in && !ran {
			out = append(out, n)
		}
	}
	return out
}

// lines names the changed lines that neither the probe nor a test ran. The tests
// run when the probe left something.
func (m *goCheck) lines(ctx context.Context) error {
	if m.left() != nil && !m.g.o.NoTests {
		m.doing("running the tests: which of the changed lines they run")
		if err := m.tests(ctx); err != nil {
			return err
		}
	}
	if len(m.reached) > 0 {
		m.report.Measured = true
		m.report.Unreached = append(m.report.Unreached, m.left()...)
	}
	return nil
}

// settled reports that all changed lines were seen to run.
func (m *goCheck) settled() bool { return len(m.reached) > 0 && m.left() == nil }

// left are the changed lines that did not run. Without a profile of a file its
// lines are all left.
func (m *goCheck) left() []Lines {
	var out []Lines
	for _, f := range m.files {
		data := m.candidate.read(f)
		if data == nil {
			continue
		}
		lines := gitops.AddedLines(m.root.read(f), data)
		p := m.is.packages[path.Dir(f)]
		if p == nil || !slices.Contains(p.names, f) {
			continue
		}
		key := path.Join(p.path, path.Base(f))
		if m.reached[key] == nil {
			out = append(out, together(f, lines)...)
			continue
		}
		out = append(out, together(f, m.reached.missed(key, lines))...)
	}
	return out
}

// tests runs the tests of the candidate for the lines they reach.
func (m *goCheck) tests(ctx context.Context) error {
	args := []string{"go", "test", "-vet=off", "-covermode=set", "-coverpkg=" + m.coverPackages(), "-coverprofile=" + sandbox.TreeDir + "/" + profileName, "./..."}
	spec := m.spec(m.candidate, m.env, args, m.is.dir, nil, "", false)
	within(&spec, buildWork)
	spec.Limits.Memory = max(m.g.o.Memory, 3<<30)
	spec.Product = profileName
	res, err := m.budget.Run(ctx, spec)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !res.HasProduct {
		m.report.note("the tests told nothing about the lines they reach: %s", lastWords(&res))
		return nil
	}
	m.reached.add(res.Product)
	return nil
}
