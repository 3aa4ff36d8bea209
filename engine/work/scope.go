package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"atoll/engine/agent"
	"atoll/engine/fold"
	"atoll/engine/gate"
	"atoll/engine/view"
	"atoll/store/record"
)

// scope is what agents may change: the policy of the gate, and the targets.
type scope struct {
	*run
	policy gate.Policy
	allows *sync.Map // what gate.Allows says of each path, which costs a dozen patterns
}

func newScope(w *run) *scope {
	g := w.facts.Config.Gate
	return &scope{run: w, allows: new(sync.Map), policy: gate.Policy{
		Protected: w.facts.Config.Evaluator.Protected, Scope: g.Scope, Forbidden: g.Forbidden,
		MaxFiles: g.MaxFiles, MaxLines: g.MaxLines, MaxFileBytes: g.MaxFileBytes,
	}}
}

// protect sets which paths the evaluator protects.
func (w *scope) protect(paths []string) { w.policy.Protected, w.allows = paths, new(sync.Map) }

// limits says in a sentence each what a change may not exceed.
func (w *scope) limits() []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	p := w.policy
	if len(p.Scope) > 0 {
		say("Only these paths may be changed: %s.", strings.Join(p.Scope, ", "))
	}
	if closed := distinct(slices.Concat(p.Protected, p.Forbidden)); len(closed) > 0 {
		say("These paths stay as they are: %s.", strings.Join(closed, ", "))
	}
	if p.MaxFiles > 0 {
		say("A change touches at most %s.", view.Plural(p.MaxFiles, "file"))
	}
	if p.MaxLines > 0 {
		say("A change adds and removes at most %s.", view.Plural(p.MaxLines, "line"))
	}
	if p.MaxFileBytes > 0 {
		say("No file is larger than %d bytes.", p.MaxFileBytes)
	}
	return out
}

// distinct leaves out what was there before.
func distinct(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool { was := seen[s]; seen[s] = true; return was })
}

// hot are the targets that name a part of a file, those with most weight first,
// but for those that a person froze, which are told apart.
func (w *scope) hot(ctx context.Context) (hot, frozen []agent.Target, err error) {
	all := fold.AllTargets(w.facts.Config, w.settings())
	if len(all) == 0 {
		return nil, nil, nil
	}
	names, err := w.standing.FrozenTargets(ctx)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(all, func(a, b record.Target) int { return cmp.Compare(b.Weight, a.Weight) })
	for _, t := range all {
		at := agent.Target{Name: t.Name, Files: t.Files, Symbol: t.Symbol, Hint: t.Hint}
		switch {
		case slices.Contains(names, t.Name):
			frozen = append(frozen, at)
		case t.Symbol != "" && t.Weight > 0:
			hot = append(hot, at)
		}
	}
	return hot, frozen, nil
}

// of returns the target of a job and which paths it may change: those of
// the target, within the gate's scope, and never a protected one.
func (w *scope) of(name string) (agent.Target, func(string) bool) {
	var target agent.Target
	for _, t := range fold.AllTargets(w.facts.Config, w.settings()) {
		if t.Name == name && name != "" {
			target = agent.Target{Name: t.Name, Files: t.Files, Symbol: t.Symbol, Hint: t.Hint}
		}
	}
	p, known := w.policy, w.allows
	allows := func(path string) bool {
		if ok, seen := known.Load(path); seen {
			return ok.(bool)
		}
		ok := p.Allows(path)
		known.Store(path, ok)
		return ok
	}
	return target, func(path string) bool {
		return allows(path) && (len(target.Files) == 0 || gate.MatchExact(target.Files, path))
	}
}
