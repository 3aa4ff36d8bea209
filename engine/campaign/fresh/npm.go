package fresh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// packageJSON takes in a package.json: what it asks for by name. A range such as ^1.2.0 fixes
// nothing; the lock file beside it, or above, does.
func (r *reading) packageJSON(s Source) error {
	var p struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal(s.Data, &p); err != nil {
		return fmt.Errorf("it cannot be read as JSON: %w", err)
	}
	for _, list := range []map[string]string{p.Dependencies, p.DevDependencies} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			d := Dependency{Manifest: s.Path, Line: lineOf(s.Data, `"`+name+`"`), Ecosystem: Node, Name: name}
			if exact := strings.TrimPrefix(list[name], "="); len(numbers(exact)) == 3 {
				d.Version = exact
				r.pin(Node, name, exact, s.Path)
			}
			r.list = append(r.list, d)
		}
	}
	return nil
}

// packageLock takes in a lock file of npm, of any of its three versions.
func (r *reading) packageLock(s Source) error {
	type entry struct {
		Version      string           `json:"version"`
		Dependencies map[string]entry `json:"dependencies"`
	}
	var p struct {
		Packages     map[string]json.RawMessage `json:"packages"`
		Dependencies map[string]json.RawMessage `json:"dependencies"`
	}
	if err := json.Unmarshal(s.Data, &p); err != nil {
		return fmt.Errorf("it cannot be read as JSON: %w", err)
	}
	for at, raw := range p.Packages {
		i := strings.LastIndex(at, "node_modules/")
		if i < 0 {
			continue // the project itself, or a folder of it
		}
		var e struct{ Version string }
		if json.Unmarshal(raw, &e) != nil || e.Version == "" {
			continue
		}
		name := at[i+len("node_modules/"):]
		if folder := at[:i]; !strings.Contains(folder, "node_modules/") { // the top, or a workspace
			r.lock(Node, name, e.Version, s.Path, folder)
		} else {
			r.pin(Node, name, e.Version, s.Path)
		}
	}
	if len(p.Packages) > 0 {
		return nil
	}
	var nested func(name string, e entry)
	nested = func(name string, e entry) {
		r.pin(Node, name, e.Version, s.Path)
		for n, inner := range e.Dependencies {
			nested(n, inner)
		}
	}
	for name, raw := range p.Dependencies {
		var e entry
		if json.Unmarshal(raw, &e) != nil {
			continue
		}
		r.lock(Node, name, e.Version, s.Path, "")
		nested(name, e)
	}
	return nil
}

// lineOf is the first line that holds a text, from 1; 0 = none.
func lineOf(data []byte, text string) int {
	i := bytes.Index(data, []byte(text))
	if i < 0 {
		return 0
	}
	return 1 + bytes.Count(data[:i], []byte("\n"))
}
