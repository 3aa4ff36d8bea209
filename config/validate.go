package config

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// maxCells bounds the cells of a map, named or learned.
const maxCells = 1 << 20

// checker collects what is wrong across keys.
type checker struct{ problems Problems }

func (k *checker) bad(key, format string, args ...any) {
	k.problems = append(k.problems, Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

// Validate returns what is wrong between keys, in the order of the file. Each
// single value is taken to be in its own range, which [Load] checks.
func (c Config) Validate() Problems {
	k := &checker{}
	if strings.ContainsFunc(c.Name, unshown) {
		k.bad("name", "%q has control characters, which break the lines that show it: write a name without them", c.Name)
	}
	k.evaluator(c.Evaluator)
	k.axes(c.Map)
	k.front(c)
	k.health(c)
	k.operators(c.Search)
	k.globs("gate.scope", c.Gate.Scope)
	k.globs("gate.forbidden", c.Gate.Forbidden)
	k.agents(c.Agents)
	k.roles(c)
	k.money(c)
	k.travelling(c.Agents)
	k.targets(c.Targets)
	k.console(c.Console)
	return k.problems
}

// unshown reports a character that ends a line or steers a terminal.
func unshown(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }

// Complete returns what a run needs and is not said yet. It is apart from
// Validate because most verbs work without an evaluator.
func (c Config) Complete() Problems {
	k := &checker{}
	if len(c.Evaluator.Command) == 0 && c.Evaluator.Adapter == "" {
		for _, s := range c.Evaluator.Stages {
			if len(s.Command) > 0 {
				return nil
			}
		}
		k.bad("evaluator.command", "there is no evaluator: name the program that measures a candidate, or an evaluator.adapter")
	}
	return k.problems
}

// Advice returns what is allowed and yet hardly meant, one sentence each.
func (c Config) Advice() []string {
	var out []string
	if jobs := c.Budget.Jobs; len(c.Map.Axes) == 0 && !c.Map.Provisional && jobs > 0 && jobs < c.Map.MinFit {
		out = append(out, fmt.Sprintf("The budget is %d jobs, but the first learned map needs %d distinct candidates (map.min_fit): there will be no niches. "+
			"Raise budget.jobs, lower map.min_fit, or name axes in map.axes.", jobs, c.Map.MinFit))
	}
	if text := c.idleAdvice(); text != "" {
		out = append(out, text)
	}
	return out
}

func (k *checker) evaluator(e Evaluator) {
	k.usesDir("evaluator.command", e.Command, e.Dir)
	if len(e.Command) > 0 && e.Command[0] == "" {
		k.bad("evaluator.command", "the program has no name")
	}
	k.adapterOptions(e)
	seen := map[string]bool{}
	if e.Adapter == "plugin" && (e.Dir == "" || len(e.Command) > 0) {
		k.bad("evaluator.adapter", "a plug-in needs evaluator.dir, its folder, and no evaluator.command: its manifest has one")
	}
	for i, s := range e.Stages {
		at := elementPath("evaluator.stages", i)
		if seen[s.Name] {
			k.bad(at+".name", "a second stage %q; names must differ", s.Name)
		}
		seen[s.Name] = true
		k.usesDir(at+".command", s.Command, e.Dir)
		switch {
		case s.Threshold != nil && s.Metric == "":
			k.bad(at+".threshold", "a threshold needs a metric: say which one in metric")
		case s.Threshold == nil && s.Metric != "":
			k.bad(at+".metric", "metric %s needs a threshold to reach", s.Metric)
		case s.Metric != "" && s.Output == "none":
			k.bad(at+".output", "output none leaves nothing to compare with the threshold of %s", s.Metric)
		case s.Output == "none" && i == len(e.Stages)-1:
			k.bad(at+".output", "the last stage must report metrics, so its output cannot be none")
		}
		if len(s.Command) == 0 && len(e.Command) == 0 && e.Adapter == "" {
			k.bad(at+".command", "the stage has no command and evaluator.command is empty")
		}
	}
	k.globs("evaluator.protected", e.Protected)
	k.globs("evaluator.hidden", e.Hidden)
	k.environment("evaluator.env", e.Env)
	for _, cache := range e.Caches {
		if !slices.Contains([]string{"go", "npm", "pip", "cargo"}, cache) && !strings.ContainsAny(cache, "/~") {
			k.bad("evaluator.caches", "%q is neither go, npm, pip, cargo nor a path", cache)
		}
	}
	k.labels(e)
}

// poolNames are what a pool of machines may be called.
var poolNames = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// labels checks what is asked of the machines of a fleet. One machine runs all stages of a
// sample: where two of them ask for different values of one label, none can.
func (k *checker) labels(e Evaluator) {
	if e.Pool != "" && !poolNames.MatchString(e.Pool) {
		k.bad("evaluator.pool", "%q: use up to 40 of a-z, 0-9 and -, such as gpu", e.Pool)
	}
	asked := map[string]string{}
	check := func(at, by string, needs []string) {
		for _, label := range needs {
			name, value := CutLabel(label)
			if name == "" || value == "" {
				k.bad(at, "%q: write NAME=VALUE, such as gpu=1", label)
				continue
			}
			if other := asked[name]; other != "" && !strings.HasPrefix(other, label+" ") {
				k.bad(at, "%s asks for %s and %s: one machine runs all stages of a sample, and none has both", by, label, other)
				continue
			}
			asked[name] = label + " of " + by
		}
	}
	check("evaluator.needs", "the evaluator", e.Needs)
	for i, s := range e.Stages {
		at := elementPath("evaluator.stages", i)
		check(at+".needs", cmp.Or(s.Name, at), s.Needs)
	}
}

// CutLabel takes a label such as gpu=1 apart; either part may be missing.
func CutLabel(label string) (name, value string) {
	name, value, _ = strings.Cut(label, "=")
	return name, value
}

func (k *checker) usesDir(key string, command []string, dir string) {
	if dir != "" {
		return
	}
	for _, arg := range command {
		if strings.Contains(arg, "{dir}") {
			k.bad(key, "{dir} is used but evaluator.dir is empty")
			return
		}
	}
}

func (k *checker) globs(key string, globs []string) {
	for _, g := range globs {
		switch {
		case g == "":
			k.bad(key, "an empty glob matches nothing")
		case !doublestar.ValidatePattern(g):
			k.bad(key, "%q is no glob: check its brackets", g)
		case path.IsAbs(g) || g == ".." || strings.HasPrefix(g, "../"):
			k.bad(key, "%q leads out of the repository; write it relative to its top", g)
		}
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (k *checker) environment(key string, env []string) {
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if !variableName.MatchString(name) {
			k.bad(key, "%q is neither NAME nor NAME=value", e)
		}
		if strings.HasPrefix(name, "ATOLL_") {
			k.bad(key, "%s is set by atoll itself", name)
		}
	}
}

func (k *checker) axes(m Map) {
	seen := map[string]bool{}
	cells := 1.0
	for i, a := range m.Axes {
		at := elementPath("map.axes", i)
		if a.Metric == "" {
			k.bad(at+".metric", "the axis has no metric")
		} else if seen[a.Metric] {
			k.bad(at+".metric", "a second axis %s", a.Metric)
		}
		seen[a.Metric] = true
		switch {
		case len(a.Edges) > 0 && !ascending(a.Edges):
			k.bad(at+".edges", "edges must grow from left to right")
		case len(a.Edges) == 0 && !(a.Min < a.Max):
			k.bad(at+".min", "the axis needs a range: {metric: %s, min: 0, max: 100, bins: 12}, with min below max", a.Metric)
		}
		if len(a.Edges) > 0 {
			cells *= float64(len(a.Edges) + 1)
		} else {
			cells *= float64(a.Bins)
		}
	}
	if cells > maxCells {
		k.bad("map.axes", "%.0f cells are too many: at most %d, so fewer bins or fewer axes", cells, maxCells)
	}
	k.grid(m)
	k.regions(m)
	k.globs("map.include", m.Include)
	k.globs("map.exclude", m.Exclude)
	if m.MinFit > m.History {
		k.bad("map.min_fit", "%d is more than map.history, which is %d", m.MinFit, m.History)
	}
}

func (k *checker) grid(m Map) {
	cells := 1.0
	for _, n := range m.Grid {
		if n < 1 || n > 4096 {
			k.bad("map.grid", "%d cells on an axis are out of range: 1 to 4096", n)
			return
		}
		cells *= float64(n)
	}
	switch {
	case len(m.Grid) < 1 || len(m.Grid) > 6:
		k.bad("map.grid", "1 to 6 axes, not %d: write [16, 16]", len(m.Grid))
	case cells > maxCells:
		k.bad("map.grid", "%.0f cells are too many: at most %d", cells, maxCells)
	}
}

func (k *checker) regions(m Map) {
	if m.Regions == 0 {
		return
	}
	axes, key := len(m.Axes), "map.axes"
	if axes == 0 {
		axes, key = len(m.Grid), "map.grid"
	}
	if axes < 2 {
		k.bad("map.regions", "regions need two axes or more, and %s has %d", key, axes)
	}
	for i, a := range m.Axes {
		if len(a.Edges) > 0 {
			k.bad(elementPath("map.axes", i)+".edges", "an axis of map.regions has a range, min and max, and no edges")
		}
	}
}

func ascending(xs []float64) bool {
	for i := 1; i < len(xs); i++ {
		if !(xs[i-1] < xs[i]) {
			return false
		}
	}
	return true
}

// Operators are those that can have a weight, and that a person can ask for.
func Operators() []string {
	return []string{"seed", "tune", "mutate", "crossover", "synergy", "structural", "repair", "rewrite", "meta"}
}

func (k *checker) operators(s Search) {
	sum := 0.0
	for _, name := range sortedWeights(s.Operators) {
		if !slices.Contains(Operators(), name) {
			k.bad("search.operators."+name, "no such operator: write %s%s", strings.Join(Operators(), ", "), Meant(name, Operators()))
		}
		w := s.Operators[name]
		if w < 0 || math.IsNaN(w) || math.IsInf(w, 0) {
			k.bad("search.operators."+name, "a weight is 0 or more")
		}
		sum += w
	}
	if !(sum > 0) {
		k.bad("search.operators", "no operator has a weight above 0, so nothing could be tried")
	}
}

func sortedWeights(m map[string]float64) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func (k *checker) agents(agents []Agent) {
	seen := map[string]bool{}
	weight := 0.0
	for i, a := range agents {
		at := elementPath("agents", i)
		switch {
		case a.Kind == "":
			k.bad(at+".kind", "say what the agent is: offline, chat, command, human, broker, replay or plugin")
		case a.Name == "":
			k.bad(at+".name", "the agent has no name")
		case seen[a.Name]:
			k.bad(at+".name", "a second agent %q; names must differ", a.Name)
		}
		seen[a.Name] = true
		weight += a.Weight
		k.agent(at, a)
	}
	switch {
	case len(agents) == 0:
		k.bad("agents", "there is no agent; leave the key out for the built-in offline one")
	case !(weight > 0):
		k.bad("agents", "no agent has a weight above 0, so none would edit")
	}
}

func (k *checker) agent(at string, a Agent) {
	switch a.Kind {
	case "chat":
		if a.Model == "" {
			k.bad(at+".model", "a chat agent needs a model")
		}
	case "command":
		if a.Preset == "" && len(a.Command) == 0 || a.Preset == "generic" && len(a.Command) == 0 {
			k.bad(at+".command", "a command agent needs a preset or a command")
		}
	case "replay":
		if a.Recording == "" {
			k.bad(at+".recording", "a replay agent needs the folder of a recording")
		}
	case "plugin":
		if a.Plugin == "" {
			k.bad(at+".plugin", "a plug-in agent needs the folder of its plug-in")
		}
	}
	if a.KeyEnv != "" && !variableName.MatchString(a.KeyEnv) {
		k.bad(at+".key_env", "this is the name of a variable that holds the key, such as OPENAI_API_KEY, never the key itself")
	}
	if len(a.Operators) > 0 && a.Kind != "plugin" {
		k.bad(at+".operators", "only a plug-in takes a list of operators; search.operators has the weights")
	}
	for _, name := range a.Operators {
		if !slices.Contains(Operators(), name) {
			k.bad(at+".operators", "no operator %q: write %s%s", name, strings.Join(Operators(), ", "), Meant(name, Operators()))
		}
	}
	k.environment(at+".env", a.Env)
}

func (k *checker) roles(c Config) {
	var all []string
	for _, a := range c.Agents {
		all = append(all, a.Name)
	}
	for _, r := range []struct{ key, name string }{
		{"planner", c.Roles.Planner},
		{"reviewer", c.Roles.Reviewer},
		{"reflector", c.Roles.Reflector},
		{"mapper", c.Roles.Mapper},
		{"summariser", c.Roles.Summariser},
	} {
		if r.name != "" && !slices.Contains(all, r.name) {
			k.bad("roles."+r.key, "there is no agent %q%s", r.name, orList(Meant(r.name, all), all))
		}
	}
}

func orList(hint string, all []string) string {
	if hint != "" || len(all) == 0 {
		return hint
	}
	return "; there are " + strings.Join(all, ", ")
}

// travelling refuses agents that cannot run on workers.
func (k *checker) travelling(agents []Agent) {
	for i, a := range agents {
		at := elementPath("agents", i) + ".on_workers"
		switch {
		case !a.OnWorkers:
		case a.Kind != "command":
			k.bad(at, "agent %q is of kind %s, which takes nothing of the run's machine worth sending away: on_workers is for command agents", a.Name, a.Kind)
		case a.OwnCredentials:
			k.bad(at, "agent %q uses its own login, which does not travel: give it base_url, key_env and model, or take on_workers out", a.Name)
		}
	}
}

// money refuses agents that nobody can meter under a budget of money.
func (k *checker) money(c Config) {
	for i, p := range c.Prices {
		if p.Model == "" {
			k.bad(elementPath("prices", i)+".model", "the price names no model")
		} else if !doublestar.ValidatePattern(p.Model) {
			k.bad(elementPath("prices", i)+".model", "%q is no glob: check its brackets", p.Model)
		}
	}
	if c.Budget.CostUSD <= 0 {
		return
	}
	for i, a := range c.Agents {
		if a.OwnCredentials {
			k.bad(elementPath("agents", i)+".own_credentials",
				"agent %q pays with its own login, which atoll cannot meter; take budget.cost_usd (%s) out or set own_credentials to false",
				a.Name, strconv.FormatFloat(c.Budget.CostUSD, 'g', -1, 64))
		}
	}
}

func (k *checker) targets(targets []Target) {
	seen := map[string]bool{}
	for i, t := range targets {
		at := elementPath("targets", i)
		switch {
		case t.Name == "":
			k.bad(at+".name", "the target has no name")
		case seen[t.Name]:
			k.bad(at+".name", "a second target %q; names must differ", t.Name)
		}
		seen[t.Name] = true
		if len(t.Files) == 0 {
			k.bad(at+".files", "target %q has no files", t.Name)
		}
		k.globs(at+".files", t.Files)
	}
}
