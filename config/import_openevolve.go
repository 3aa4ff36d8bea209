package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ImportOpenEvolve takes over an example of OpenEvolve: the config.yaml (which
// may be missing), evaluator.py and initial_program.* of a folder. The program
// may be a folder of files of which a script of the example makes one text.
func ImportOpenEvolve(dir string) (Imported, error) {
	fail := func(format string, args ...any) (Imported, error) {
		return Imported{}, fmt.Errorf("import from OpenEvolve: "+format, args...)
	}
	evaluator := firstFile(dir, "evaluator.py", "evaluate.py")
	if evaluator == "" {
		return fail("there is no evaluator.py in %s; name the folder that holds one", dir)
	}
	task := openEvolveTask{evaluator: evaluator, program: firstFile(dir, "initial_program.*", "init_program.*", "initial.*", "initial_*")}
	if task.program == "" {
		if info, err := os.Stat(filepath.Join(dir, "initial_program")); err != nil || !info.IsDir() {
			return fail("there is no initial_program.* in %s", dir)
		}
		task.program = "initial_program"
		if task.bundle = findBundle(dir); task.bundle == "" {
			return fail("initial_program in %s is a folder, and no script there writes what a function makes of it (write_text(FUNCTION(...))): set evaluator.adapter_options.bundle in an atoll.yaml of your own, see docs/evaluators.md", dir)
		}
	}
	var text []byte
	if name := firstFile(dir, "config.yaml", "config.yml", "config_*.yaml"); name != "" {
		var err error
		if text, err = readFile(filepath.Join(dir, name)); err != nil {
			return fail("%w", err)
		}
	}
	return task.take(text)
}

// openEvolveTask is where an example keeps its parts, relative to atoll.yaml.
type openEvolveTask struct {
	evaluator string
	program   string // file, or folder with bundle
	bundle    string // module:function that makes one text of the folder
}

var writesBundle = regexp.MustCompile(`\.write_text\(\s*([A-Za-z_][A-Za-z0-9_]*)\(`)

// findBundle looks through the scripts of an example for the function whose text
// becomes the program, and for the module that defines it.
func findBundle(dir string) string {
	scripts, _ := filepath.Glob(filepath.Join(dir, "*.py")) // the pattern is sound
	modules, _ := filepath.Glob(filepath.Join(dir, "*", "*.py"))
	modules = append(scripts, modules...)
	for _, script := range scripts {
		text, err := readFile(script)
		if err != nil {
			continue
		}
		for _, m := range writesBundle.FindAllSubmatch(text, -1) {
			defines := regexp.MustCompile(`(?m)^def ` + string(m[1]) + `\(`)
			for _, module := range modules {
				if text, err := readFile(module); err != nil || !defines.Match(text) {
					continue
				}
				rel, err := filepath.Rel(dir, strings.TrimSuffix(module, ".py"))
				if err == nil {
					return strings.ReplaceAll(filepath.ToSlash(rel), "/", ".") + ":" + string(m[1])
				}
			}
		}
	}
	return ""
}

func firstFile(dir string, patterns ...string) string {
	for _, p := range patterns {
		found, _ := filepath.Glob(filepath.Join(dir, p))
		for _, f := range found {
			if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
				return filepath.Base(f)
			}
		}
	}
	return ""
}

func (t openEvolveTask) take(text []byte) (Imported, error) {
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return Imported{}, fmt.Errorf("import from OpenEvolve: config.yaml is no YAML: %w", err)
	}
	o := openEvolve{draft: newDraft(), values: map[string]any{}, left: leftovers{}}
	o.flatten("", tree)
	if s, ok := o.text("prompt.system_message"); ok {
		o.set("goal", strings.TrimSpace(s))
	}
	o.number("random_seed", "seed")
	o.number("evaluator.parallel_evaluations", "workers")
	o.evaluator(t)
	o.mapPart()
	o.searchPart()
	if t.bundle != "" {
		o.set("gate.scope", []string{t.program + "/**"})
	} else {
		o.set("gate.scope", []string{t.program})
	}
	if n, ok := o.int("max_iterations"); ok {
		o.set("budget.jobs", n)
	}
	o.agents()
	o.rest()
	return o.finish("OpenEvolve")
}

// openEvolve reads a configuration and remembers what nobody asked for.
type openEvolve struct {
	*draft
	values map[string]any // by dotted key; lists stay whole
	left   leftovers
}

func (o *openEvolve) flatten(prefix string, v any) {
	if m, ok := v.(map[string]any); ok {
		for name, value := range m {
			o.flatten(strings.TrimPrefix(prefix+"."+name, "."), value)
		}
		return
	}
	if prefix != "" && v != nil {
		o.values[prefix], o.left[prefix] = v, true
	}
}

func (o *openEvolve) take(key string) (any, bool) {
	v, ok := o.values[key]
	delete(o.left, key)
	return v, ok
}

func (o *openEvolve) text(key string) (string, bool) {
	v, ok := o.take(key)
	if !ok {
		return "", false
	}
	return fmt.Sprint(v), true
}

func (o *openEvolve) int(key string) (int, bool) {
	s, ok := o.text(key)
	n, err := strconv.Atoi(s)
	return n, ok && err == nil
}

func (o *openEvolve) bool(key string) (value, ok bool) {
	v, ok := o.take(key)
	b, is := v.(bool)
	return b, ok && is
}

func (o *openEvolve) list(key string) []any {
	v, _ := o.take(key)
	l, _ := v.([]any)
	return l
}

// number copies a whole number from one key to another.
func (o *openEvolve) number(from, to string) {
	if n, ok := o.int(from); ok {
		o.set(to, n)
	}
}

func (o *openEvolve) evaluator(t openEvolveTask) {
	o.set("evaluator.command", []string{t.evaluator, t.program})
	o.set("evaluator.adapter", "openevolve")
	protected := []string{t.evaluator}
	if t.bundle != "" {
		o.set("evaluator.adapter_options.bundle", t.bundle)
		module, _, _ := strings.Cut(t.bundle, ":")
		if folder, _, inFolder := strings.Cut(module, "."); inFolder {
			protected = append(protected, folder)
		} else {
			protected = append(protected, module+".py")
		}
		o.note("The program is the folder %s; the evaluator is given the text that %s makes of it.", t.program, t.bundle)
	}
	if on, ok := o.bool("evaluator.cascade_evaluation"); ok && !on {
		o.set("evaluator.adapter_options.thresholds", "off")
		o.take("evaluator.cascade_thresholds")
	} else if list := o.list("evaluator.cascade_thresholds"); len(list) > 0 {
		var parts []string
		for _, v := range list {
			parts = append(parts, fmt.Sprint(v))
		}
		o.set("evaluator.adapter_options.thresholds", strings.Join(parts, ","))
	}
	o.set("evaluator.objective", "combined_score")
	o.set("evaluator.direction", "maximize")
	if s, ok := o.text("evaluator.timeout"); ok {
		if d, err := seconds(s, nil); err == nil {
			o.set("evaluator.timeout", d)
		}
	}
	o.set("evaluator.protected", protected)
	o.note("The evaluator runs unchanged through an adapter, but it imports the candidate's code into its own process; docs/evaluators.md shows how to keep the two apart.")
	o.note("The objective is combined_score; when evaluate() returns none, set evaluator.objective to the metric that counts.")
}

func (o *openEvolve) mapPart() {
	bins := 10 // OpenEvolve's own default
	if n, ok := o.int("database.feature_bins"); ok {
		bins = n
	}
	var named []string
	for _, v := range o.list("database.feature_dimensions") {
		switch name := fmt.Sprint(v); name {
		case "complexity", "diversity", "score":
		default:
			named = append(named, name)
		}
	}
	o.set("map.grid", []int{bins, bins})
	if len(named) > 0 {
		o.note("The feature dimensions %s are metrics: write them as map.axes with a range, {metric: %s, min: 0, max: 1, bins: %d}. OpenEvolve scales by what it has seen, so there is no range to take over; until then the map is learned from the code.",
			strings.Join(named, ", "), named[0], bins)
	} else {
		o.note("The feature dimensions complexity and diversity have no counterpart: the map is learned from the code.")
	}
}

func (o *openEvolve) searchPart() {
	if n, ok := o.int("database.num_islands"); ok && n > 1 {
		o.note("database.num_islands is %d: the search has one island.", n)
	}
	top, a := o.int("prompt.num_top_programs")
	diverse, b := o.int("prompt.num_diverse_programs")
	if a || b {
		o.set("search.inspirations", min(32, top+diverse))
	}
}

var environmentValue = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

func (o *openEvolve) agents() {
	base, _ := o.text("llm.api_base")
	key := "OPENAI_API_KEY"
	if s, ok := o.text("llm.api_key"); ok {
		if m := environmentValue.FindStringSubmatch(s); m != nil {
			key = m[1]
		} else {
			o.note("The API key in config.yaml is not taken over: put it into the environment variable %s and out of the file.", key)
		}
	}
	common := []pair{{"timeout", o.seconds("llm.timeout")}, {"max_tokens", o.optionalInt("llm.max_tokens")}}
	if diff, ok := o.bool("diff_based_evolution"); ok && !diff {
		common = append(common, pair{"edit", "whole"})
	} else {
		common = append(common, pair{"edit", "blocks"})
	}
	if s, ok := o.text("llm.provider"); ok && s == "claude_code" {
		o.set("agents", []*yaml.Node{section(pair{"name", "claude"}, pair{"preset", "claude"}, pair{"own_credentials", true})})
		return
	}
	var list []*yaml.Node
	seen := map[string]int{}
	add := func(model, url string, weight any) {
		url = cmp.Or(url, base, openAI)
		name := model
		if seen[model]++; seen[model] > 1 {
			name = fmt.Sprintf("%s-%d", model, seen[model])
		}
		pairs := append([]pair{{"name", name}, {"kind", "chat"}, {"weight", weight}, {"base_url", url}, {"key_env", key}, {"model", model}}, common...)
		list = append(list, section(pairs...))
	}
	for _, v := range o.list("llm.models") {
		if m, ok := v.(map[string]any); ok && m["name"] != nil {
			url, _ := m["api_base"].(string)
			add(fmt.Sprint(m["name"]), url, m["weight"])
		}
	}
	for _, which := range []string{"primary", "secondary"} {
		weight, _ := o.take("llm." + which + "_model_weight")
		if model, ok := o.text("llm." + which + "_model"); ok {
			add(model, "", weight)
		}
	}
	if len(list) == 0 {
		o.note("There is no model in the configuration: the built-in offline agent edits.")
		return
	}
	o.set("agents", &yaml.Node{Kind: yaml.SequenceNode, Content: list})
	o.note("Keys are read from the environment variable %s when they are used, never stored.", key)
}

func (o *openEvolve) seconds(key string) any {
	if s, ok := o.text(key); ok {
		if d, err := seconds(s, nil); err == nil {
			return d
		}
	}
	return nil
}

func (o *openEvolve) optionalInt(key string) any {
	if n, ok := o.int(key); ok {
		return n
	}
	return nil
}

// rest names what had no counterpart.
func (o *openEvolve) rest() {
	if len(o.left) > 0 {
		o.note("Without a counterpart, left out: %s.", strings.Join(o.left.sorted(), ", "))
	}
}
