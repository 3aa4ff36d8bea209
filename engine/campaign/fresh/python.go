package fresh

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// requirement is a line of requirements.txt or an entry of pyproject.toml (PEP 508): a name,
// perhaps extras, perhaps bounds of its version.
var requirement = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$`)

// pinned is a single bound that fixes a version.
var pinned = regexp.MustCompile(`^={2,3}\s*([0-9A-Za-z.+!-]+)$`)

// pythonName is the form of a name in which two that mean the same are equal (PEP 503).
func pythonName(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c == '-' || c == '_' || c == '.' }), "-"))
}

// require takes in one requirement.
func (r *reading) require(s Source, line int, text string) {
	text, _, _ = strings.Cut(text, ";") // markers of an environment
	m := requirement.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || strings.HasPrefix(m[2], "@") { // an address
		return
	}
	bounds := strings.Trim(strings.TrimSpace(m[2]), "()")
	if bounds != "" && !strings.ContainsAny(bounds[:1], "=<>!~") {
		return
	}
	d := Dependency{Manifest: s.Path, Line: line, Ecosystem: Python, Name: pythonName(m[1])}
	if p := pinned.FindStringSubmatch(strings.TrimSpace(bounds)); p != nil {
		d.Version = p[1]
		r.pin(Python, d.Name, d.Version, s.Path)
	}
	r.list = append(r.list, d)
}

// requirements takes in a requirements.txt. Options (-r, --hash, -e), addresses and comments
// name no version.
func (r *reading) requirements(s Source) error {
	for i, line := range strings.Split(string(s.Data), "\n") {
		line, _, _ = strings.Cut(line, " #")
		line, _, _ = strings.Cut(line, " --")
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), `\`))
		if line == "" || line[0] == '#' || line[0] == '-' || strings.Contains(line, "://") {
			continue
		}
		r.require(s, i+1, line)
	}
	return nil
}

// pyproject takes in what a pyproject.toml asks for: by PEP 621, and in the table of Poetry.
func (r *reading) pyproject(s Source) error {
	var p struct {
		Project struct {
			Dependencies []string            `toml:"dependencies"`
			Optional     map[string][]string `toml:"optional-dependencies"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if err := toml.Unmarshal(s.Data, &p); err != nil {
		return fmt.Errorf("it cannot be read as TOML: %w", err)
	}
	list := slices.Clone(p.Project.Dependencies)
	for _, more := range p.Project.Optional {
		list = append(list, more...)
	}
	for name, v := range p.Tool.Poetry.Dependencies {
		text, _ := v.(string)
		if table, ok := v.(map[string]any); ok {
			text, _ = table["version"].(string)
		}
		if name == "python" {
			continue
		}
		if len(numbers(text)) > 0 { // Poetry's own way to fix a version
			text = "==" + text
		} else {
			text = ""
		}
		list = append(list, name+text)
	}
	slices.Sort(list)
	for _, text := range list {
		name := requirement.FindStringSubmatch(strings.TrimSpace(text))
		if name == nil {
			continue
		}
		r.require(s, lineOf(s.Data, name[1]), text)
	}
	return nil
}

// pythonLock takes in a lock file of Poetry, uv or PDM: a list of packages, each with its
// name and version.
func (r *reading) pythonLock(s Source) error {
	var p struct {
		Package []struct {
			Name    string `toml:"name"`
			Version string `toml:"version"`
		} `toml:"package"`
	}
	if err := toml.Unmarshal(s.Data, &p); err != nil {
		return fmt.Errorf("it cannot be read as TOML: %w", err)
	}
	for _, k := range p.Package {
		r.lock(Python, pythonName(k.Name), k.Version, s.Path, "")
	}
	return nil
}
