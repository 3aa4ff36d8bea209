package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/gate"
	"atoll/engine/guard"
	"atoll/engine/health"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/gitops"
)

// Start says what would keep a new experiment from beginning or from coming to
// anything, with what its configuration names looked up: the revision it starts from,
// the files that may be changed, its agents. What is allowed and hardly meant is among
// the warnings. Nothing is written or spent. The error is one of git.
func Start(ctx context.Context, t gitops.Target, l config.Loaded, getenv func(string) string) (config.Problems, []string, error) {
	s := &start{config: l, problems: l.Complete()}
	if err := roster.CheckAgents(l.Config, getenv); err != nil {
		var agents config.Problems
		if !errors.As(err, &agents) {
			return nil, nil, err
		}
		s.problems = append(s.problems, agents...)
	}
	s.problems = append(s.problems, roster.CheckPresent(l.Config, getenv)...)
	for i, p := range s.problems {
		if p.Source == "" {
			s.problems[i] = l.Problem(p.Key, p.Text)
		}
	}
	s.environment(getenv)
	s.directions()
	if t.Path == "" {
		return s.problems, s.warnings, nil
	}
	commit, err := gitops.Resolve(ctx, t, l.Root)
	if errors.Is(err, gitops.ErrRevision) {
		s.bad("root", "%q names no commit: name a branch, a tag or a commit (`git branch --all` lists the branches)", l.Root)
		return s.problems, s.warnings, nil
	}
	if err != nil {
		return nil, nil, err
	}
	files, modules, err := gitops.Files(ctx, t, commit)
	if err != nil {
		return nil, nil, err
	}
	s.scope(files)
	s.health(files)
	s.vouched(files)
	if text := EmptySubmodules(modules); text != "" {
		s.warnings = append(s.warnings, text)
	}
	err = s.targets(files, func(word string) ([]string, error) { return gitops.Mentions(ctx, t, commit, word) })
	return s.problems, s.warnings, err
}

// start gathers what is wrong with the beginning of an experiment.
type start struct {
	config   config.Loaded
	problems config.Problems
	warnings []string
}

func (s *start) bad(key, format string, args ...any) {
	s.problems = append(s.problems, s.config.Problem(key, fmt.Sprintf(format, args...)))
}

func (s *start) warn(key, format string, args ...any) {
	s.warnings = append(s.warnings, s.config.Problem(key, fmt.Sprintf(format, args...)).String())
}

// environment warns of variables that the evaluator is to have and that are not set.
func (s *start) environment(getenv func(string) string) {
	for _, name := range s.config.Evaluator.Env {
		if !strings.Contains(name, "=") && getenv(name) == "" {
			s.warn("evaluator.env", "%s is not set here, so the evaluator will not have it", name)
		}
	}
}

// directions warns of a direction that is not the one that the name of its metric tells.
func (s *start) directions() {
	against := func(key, metric, direction string) {
		if text := config.AgainstName(direction, metric, ""); text != "" {
			s.warn(key, "%s", text)
		}
	}
	against("evaluator.direction", s.config.Evaluator.Objective, s.config.Evaluator.Direction)
	for i, o := range s.config.Front.Objectives {
		against(fmt.Sprintf("front.objectives[%d].direction", i), o.Metric, o.Direction)
	}
}

// scope looks whether a candidate may change any file, and whether the evaluator's
// globs match.
func (s *start) scope(files []string) {
	policy := gate.Policy{Protected: s.guarded(), Scope: s.config.Gate.Scope, Forbidden: s.config.Gate.Forbidden}
	for _, list := range []struct {
		key   string
		globs []string
	}{{"evaluator.protected", s.config.Evaluator.Protected}, {"evaluator.hidden", s.config.Evaluator.Hidden}} {
		for _, g := range list.globs {
			if !slices.ContainsFunc(files, func(f string) bool { return gate.MatchExact([]string{g}, f) }) {
				s.warn(list.key, "%q matches no file of the root", g)
			}
		}
	}
	if s.config.Search.OnlyInjected || slices.ContainsFunc(files, policy.Allows) {
		return
	}
	for _, g := range policy.Scope {
		if slices.ContainsFunc(files, func(f string) bool { return gate.MatchExact([]string{g}, f) }) {
			s.bad("gate.scope", "no file may be changed: all that it matches is protected, hidden or forbidden")
			return
		}
	}
	if len(policy.Scope) == 0 {
		s.bad("gate.forbidden", "no file may be changed: every file of the root is protected, hidden or forbidden")
		return
	}
	if slices.ContainsFunc(s.config.Agents, func(a config.Agent) bool { return a.Weight > 0 && a.Kind != "offline" }) {
		s.warn("gate.scope", "%s matches none of the root's %d files: candidates can only make new ones", quoted(policy.Scope), len(files))
		return
	}
	s.bad("gate.scope", "no file may be changed: %s matches none of the root's %d, and the offline agent makes none", quoted(policy.Scope), len(files))
}

// health looks whether the root has source of which the figures that are asked for are
// measured.
func (s *start) health(files []string) {
	policy := gate.Policy{Protected: s.guarded(), Scope: s.config.Gate.Scope, Forbidden: s.config.Gate.Forbidden}
	for _, name := range s.config.Measured() {
		if slices.ContainsFunc(files, func(f string) bool { return policy.Allows(f) && health.Covers(name, f) }) {
			continue
		}
		key := "health.no_worse"
		if !slices.ContainsFunc(s.config.Health.NoWorse, func(text string) bool { n, err := config.ParseNoWorse(text); return err == nil && n.Figure == name }) {
			key = "map.axes"
		}
		kind := "no source file"
		if name == health.Cognitive {
			kind = "no Go file"
		}
		s.bad(key, "the auditor measures %s of no file: candidates may change %s", name, kind)
	}
}

// vouched warns where nothing would look whether a candidate still does what it should: the objective is what the
// program takes, no stage is before the one that measures, and the guard is off or knows nothing of what may change.
func (s *start) vouched(files []string) {
	cfg := s.config.Config
	asked := cfg
	asked.Guard = "auto"
	takes := work.Guards(asked, cfg.Evaluator.Objective, nil) // else the evaluator looks itself
	on := work.Guards(cfg, cfg.Evaluator.Objective, nil)
	policy := gate.Policy{Protected: s.guarded(), Scope: cfg.Gate.Scope, Forbidden: cfg.Gate.Forbidden}
	compares := len(cfg.GuardCommands) > 0 || slices.ContainsFunc(files, func(f string) bool {
		return policy.Allows(f) && guard.Compares(f)
	})
	if !takes || len(cfg.Evaluator.Stages) > 1 || on && compares {
		return
	}
	why, cure := "the guard compares Go, Python, JavaScript, TypeScript and what command lines print", "or command lines in guard_commands"
	if !on {
		why = "the guard is off"
		if cure += " and take `guard: off` out"; compares {
			cure = "or take `guard: off` out"
		}
	}
	s.warn("evaluator.stages", "no stage runs tests, and %s: unless evaluator.command looks at the answers itself (`atoll doctor --mutants 20` tells), nothing looks whether a candidate still does what it should; "+
		"name tests in evaluator.stages, %s (docs/verify.md says what promote does without)", why, cure)
}

// EmptySubmodules says that submodules are empty where candidates are measured and what to do, "" where there are none.
func EmptySubmodules(names []string) string {
	const most = 3
	what := "the submodules " + strings.Join(names[:min(len(names), most)], ", ")
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		what = "the submodule " + names[0] + " is"
	case n > most:
		what += fmt.Sprintf(" and %d more are", n-most)
	default:
		what += " are"
	}
	return view.CleanLine(what) + " empty where candidates are measured: commit what the evaluator needs of it as files, or put that into evaluator.dir or a folder that evaluator.caches names"
}

// guarded are the globs of files that are always the root's.
func (s *start) guarded() []string {
	e := s.config.Evaluator
	return slices.Concat(e.Protected, e.Hidden, []string{filepath.Base(config.FileName)})
}

var identifier = regexp.MustCompile(`[\pL_][\pL\pN_]*$`)

// targets looks whether every target is in the root. mentions lists the files that
// have a word.
func (s *start) targets(files []string, mentions func(word string) ([]string, error)) error {
	for i, t := range s.config.Targets {
		at := fmt.Sprintf("targets[%d]", i)
		in := func(f string) bool { return gate.MatchExact(t.Files, f) }
		if !slices.ContainsFunc(files, in) {
			s.bad(at+".files", "target %q: %s matches no file of the root", t.Name, quoted(t.Files))
			continue
		}
		word := identifier.FindString(t.Symbol)
		if word == "" {
			continue
		}
		having, err := mentions(word)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(having, in) {
			s.bad(at+".symbol", "target %q: there is no %s in %s", t.Name, t.Symbol, quoted(t.Files))
		}
	}
	return nil
}

func quoted(globs []string) string {
	words := make([]string, len(globs))
	for i, g := range globs {
		words[i] = fmt.Sprintf("%q", g)
	}
	return strings.Join(words, ", ")
}
