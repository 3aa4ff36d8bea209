package config

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ImportLoreley takes over the environment file of a Loreley experiment. Paths
// in it count from the folder from; atoll.yaml will lie in the folder to, the top
// of the repository.
func ImportLoreley(env []byte, from, to string) (Imported, error) {
	values, err := parseEnvFile(env)
	if err != nil {
		return Imported{}, fmt.Errorf("import from Loreley: %w", err)
	}
	l := loreley{draft: newDraft(), values: values, left: leftovers{}, from: from, to: to}
	for name := range values {
		l.left[name] = true
	}
	if s := l.take("EXPERIMENT_ID"); s != "" {
		l.set("name", s)
	}
	if l.values["MAPELITES_EXPERIMENT_ROOT_COMMIT"] == "" {
		if s := l.take("WORKER_REPO_BRANCH"); s != "" {
			l.set("root", s)
		}
	}
	if err := l.aliases(); err != nil {
		return Imported{}, fmt.Errorf("import from Loreley: %w", err)
	}
	l.evaluator()
	l.agents()
	l.rest()
	return l.finish("Loreley")
}

// loreley reads variables and remembers what nobody asked for.
type loreley struct {
	*draft
	values map[string]string
	left   leftovers
	from   string // folder that paths count from
	to     string // folder of atoll.yaml
}

func (l *loreley) take(name string) string {
	delete(l.left, name)
	return l.values[name]
}

// aliases copies every variable that has one meaning here and there.
func (l *loreley) aliases() error {
	fields := schema()
	given := map[string]string{} // names by key
	for _, a := range loreleyAliases() {
		value := l.take(a.name)
		if value == "" {
			continue
		}
		if other, again := given[a.key]; again && l.values[other] != value {
			l.note("%s is %s, and %s is %s: there is one %s here, and it is that of %s.", other, l.values[other], a.name, value, a.key, a.name)
		}
		given[a.key] = a.name
		text, err := a.convert(value, l.values)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		c := Defaults()
		f, _, _, err := locate(fields, reflect.ValueOf(&c).Elem(), a.key)
		if err != nil {
			return err
		}
		n, err := f.textNode(text)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		l.set(a.key, plainNode(n))
	}
	l.take("MAPELITES_DIMENSION_REDUCTION_TARGET_DIMS")
	return nil
}

// plainNode lets the writer choose quotes: a scalar's type comes from its text.
func plainNode(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.ScalarNode {
		fresh := &yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
		if strings.ContainsAny(n.Value, "\n:#") {
			fresh.Tag = "!!str"
		}
		return fresh
	}
	return &yaml.Node{Kind: n.Kind, Content: n.Content, Style: yaml.FlowStyle}
}

func (l *loreley) evaluator() {
	plugin := l.take("WORKER_EVALUATOR_PLUGIN")
	paths := l.list("WORKER_EVALUATOR_PYTHON_PATHS")
	if plugin == "" {
		l.note("There is no WORKER_EVALUATOR_PLUGIN: say in evaluator.command what measures a candidate.")
		return
	}
	if !strings.Contains(plugin, ":") {
		if i := strings.LastIndexByte(plugin, '.'); i > 0 { // module.attribute
			plugin = plugin[:i] + ":" + plugin[i+1:]
		}
	}
	dir, found := l.evaluatorDir(paths)
	if dir != "" {
		paths[0] = "."
		l.set("evaluator.dir", dir)
	} else {
		l.note("List the files of the plug-in in evaluator.protected, or keep them outside the repository and name the folder in evaluator.dir.")
	}
	if !found {
		l.note("The folder %s of WORKER_EVALUATOR_PYTHON_PATHS is neither in the repository nor beside the environment file: name the plug-in's folder in evaluator.dir.", paths[0])
	}
	l.set("evaluator.command", append([]string{plugin}, paths...))
	l.set("evaluator.adapter", "loreley")
	l.note("The plug-in runs unchanged through an adapter, but it may import the candidate's code into its own process; docs/evaluators.md shows how to keep the two apart.")
}

// evaluatorDir is the folder of the plug-in, the first of the Python paths, when
// it lies outside the repository, as evaluator.dir would name it. It reports
// whether the plug-in's folder was found at all.
func (l *loreley) evaluatorDir(paths []string) (dir string, found bool) {
	if len(paths) == 0 {
		return "", true
	}
	isDir := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.IsDir()
	}
	if filepath.IsLocal(paths[0]) && isDir(filepath.Join(l.to, paths[0])) {
		return "", true
	}
	full := paths[0]
	if !filepath.IsAbs(full) {
		full = filepath.Join(l.from, full)
	}
	if !isDir(full) {
		return "", false
	}
	rel, err := filepath.Rel(l.to, full)
	if err != nil {
		return full, true
	}
	return filepath.ToSlash(rel), true
}

// agents turns planning and coding backends into agents and roles.
func (l *loreley) agents() {
	list := []*yaml.Node{l.coder()}
	if backend := l.take("WORKER_PLANNING_BACKEND"); backend != "" {
		l.note("Plans are made by chat agents here: the planning backend %s is left out, and the coder plans by itself; name a chat agent in roles.planner.", backend)
	}
	base := l.take("OPENAI_BASE_URL")
	if model := l.take("WORKER_EVOLUTION_COMMIT_MODEL"); model != "" {
		list = append(list, section(pair{"name", "summariser"}, pair{"kind", "chat"}, pair{"weight", zero()}, pair{"model", model},
			pair{"base_url", cmp.Or(base, openAI)}, pair{"key_env", "OPENAI_API_KEY"}))
		l.set("roles.summariser", "summariser")
	}
	l.set("agents", &yaml.Node{Kind: yaml.SequenceNode, Content: list})
	if model := l.take("MAPELITES_CODE_EMBEDDING_MODEL"); model != "" {
		l.note("The map is learned with the built-in embedder, which needs no network: the embedding model %s is left out.", model)
	}
	l.take("OPENAI_API_KEY")
	l.note("No key is taken over: it is read from the environment when it is used.")
	l.note("The coder uses its own login (own_credentials), so its cost cannot be metered; see docs/agents.md for the gateway.")
}

// zero is a weight of 0 that section does not leave out.
func zero() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: "0"} }

// coder is the command agent that edits.
func (l *loreley) coder() *yaml.Node {
	const prefix = "WORKER_CODING_"
	preset, model := "codex", ""
	if backend := strings.ToLower(l.take(prefix + "BACKEND")); strings.Contains(backend, "cursor") {
		preset, model = "cursor-agent", l.take("WORKER_CURSOR_MODEL")
	} else if backend != "" && !strings.Contains(backend, "codex") {
		l.note("The coding backend %s is Python code of yours: the coder runs codex until you give it a command.", backend)
	}
	var timeout any
	if s := l.take(prefix + "TIMEOUT_SECONDS"); s != "" {
		if d, err := seconds(s, nil); err == nil {
			timeout = d
		}
	}
	var attempts any
	if n, err := strconv.Atoi(l.take(prefix + "MAX_ATTEMPTS")); err == nil {
		attempts = max(1, n)
	}
	return section(pair{"name", "coder"}, pair{"preset", preset}, pair{"model", model},
		pair{"timeout", timeout}, pair{"attempts", attempts}, pair{"env", l.object(prefix + "EXTRA_ENV")}, pair{"own_credentials", true})
}

// list reads a JSON list of texts.
func (l *loreley) list(name string) []string {
	var list []string
	if s := l.take(name); s != "" && json.Unmarshal([]byte(s), &list) != nil {
		l.note("%s is no JSON list and was left out.", name)
	}
	return list
}

// object reads a JSON object as NAME=value. What looks like a secret keeps only
// its name, and so is read from the environment.
func (l *loreley) object(name string) []string {
	var m map[string]string
	if s := l.take(name); s != "" && json.Unmarshal([]byte(s), &m) != nil {
		l.note("%s is no JSON object of texts and was left out.", name)
	}
	list := make([]string, 0, len(m))
	for k, v := range m {
		if secret(k) {
			l.note("The value of %s in %s is not taken over: it is read from the environment.", k, name)
			list = append(list, k)
			continue
		}
		list = append(list, k+"="+v)
	}
	sort.Strings(list)
	return list
}

func secret(name string) bool {
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"} {
		if strings.Contains(strings.ToUpper(name), word) {
			return true
		}
	}
	return false
}

// rest names what had no counterpart: services that atoll does not need, and
// settings that it does not have.
func (l *loreley) rest() {
	var services, others []string
	for _, name := range l.left.sorted() {
		switch {
		case strings.HasPrefix(name, "DB_"), strings.HasPrefix(name, "TASKS_"), name == "DATABASE_URL":
			services = append(services, name)
		default:
			others = append(others, name)
		}
	}
	if len(services) > 0 {
		l.note("Not needed, because there is no service to connect to: %s.", strings.Join(services, ", "))
	}
	if len(others) > 0 {
		l.note("Without a counterpart, left out: %s.", strings.Join(others, ", "))
	}
}

// parseEnvFile reads NAME=value lines: comments, export, and values in single
// or double quotes, which may span no lines.
func parseEnvFile(data []byte) (map[string]string, error) {
	values := map[string]string{}
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, maxFile)
	for n := 1; scanner.Scan(); n++ {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !ok || !variableName.MatchString(name) {
			return nil, fmt.Errorf("line %d is not NAME=value: %q", n, line)
		}
		value, err := envValue(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		values[name] = value
	}
	return values, scanner.Err()
}

func envValue(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if quote := text[0]; quote == '"' || quote == '\'' {
		end := 1
		for end < len(text) && text[end] != quote {
			if quote == '"' && text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			return "", fmt.Errorf("the quote in %s is not closed", text)
		}
		value := text[1:end]
		if quote == '"' {
			value = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(value)
		}
		return value, nil
	}
	value, _, _ := strings.Cut(text, " #")
	return strings.TrimSpace(value), nil
}
