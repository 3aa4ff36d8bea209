package trial

import (
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/engine/mutant"
	"atoll/store/record"
)

// Draw makes n mutants of the files in scope, the same for the same seed: of Go
// sources by their syntax, of others by the offline agent's edits.
func Draw(ctx context.Context, t agent.Tree, scope func(path string) bool, n int, seed uint64) ([]mutant.Mutant, error) {
	var all []mutant.Mutant
	others := false
	for _, f := range t.Files() {
		if !scope(f.Path) || f.Mode != record.Regular && f.Mode != record.Executable || isTest(f.Path) {
			continue
		}
		if !strings.HasSuffix(f.Path, ".go") {
			others = true
			continue
		}
		data, err := t.Read(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		all = append(all, mutant.Go(f.Path, data)...)
	}
	if len(all) > 0 || !others {
		return mutant.Sample(all, n, seed), nil
	}
	return edits(ctx, t, scope, n, seed)
}

// isTest reports files whose change is no change of the program.
func isTest(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	return strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") ||
		strings.HasPrefix(path, "test/") || strings.HasPrefix(path, "tests/") || strings.Contains(path, ".test.")
}

var lineOf = regexp.MustCompile(`(?: at)? lines? (\d+)`)

// edits draws mutants from the offline agent, each of them once. One that is the same program by arithmetic is none.
func edits(ctx context.Context, t agent.Tree, scope func(path string) bool, n int, seed uint64) ([]mutant.Mutant, error) {
	a := offline.New(offline.Options{})
	var out []mutant.Mutant
	known := map[string]bool{}
	for try := 0; try < 4*n && len(out) < n; try++ {
		res, err := a.Edit(ctx, agent.Job{
			Number: record.JobID(try + 1), Attempt: 1, Rand: rand.New(rand.NewPCG(seed, uint64(try))), Operator: record.OpMutate,
			Scope:  func(path string) bool { return scope(path) && !isTest(path) },
			Parent: agent.Item{Files: t},
		}, t)
		if errors.Is(err, agent.ErrNoChange) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(res.Changes) != 1 || known[res.Changes[0].Path+"\x00"+string(res.Changes[0].Data)] {
			continue
		}
		c := res.Changes[0]
		known[c.Path+"\x00"+string(c.Data)] = true
		was, err := t.Read(ctx, c.Path)
		if err != nil {
			return nil, err
		}
		if mutant.SameNumber(c.Path, was, c.Data) {
			continue
		}
		m := mutant.Mutant{Path: c.Path, Operator: "edit", Change: strings.TrimSuffix(res.Intent, " of "+c.Path), Data: c.Data}
		if at := lineOf.FindStringSubmatch(m.Change); at != nil {
			if m.Line, err = strconv.Atoi(at[1]); err == nil {
				m.Change = strings.Replace(m.Change, at[0], "", 1)
			}
		}
		out = append(out, m)
	}
	return out, nil
}
