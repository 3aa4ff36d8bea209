package survey

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"atoll/config"
)

// ofProject are files that make the folder they lie in a project.
func ofProject() []string {
	return []string{"go.mod", "pyproject.toml", "setup.py", "package.json", "Cargo.toml"}
}

// nested says, where no project lies at the top, which file makes one of a folder below, and the
// lines of atoll.yaml that measure it; "" where there is none.
func (l *Lab) nested() string {
	found := ""
	for _, f := range l.Files {
		if !slices.Contains(ofProject(), path.Base(f)) || elsewhere(f) || strings.Contains(f, "node_modules/") {
			continue
		}
		if path.Dir(f) == "." {
			return ""
		}
		if found == "" || strings.Count(f, "/") < strings.Count(found, "/") {
			found = f
		}
	}
	if found == "" {
		return ""
	}
	dir := path.Dir(found)
	var files []string
	for _, f := range l.Files {
		if name, ok := strings.CutPrefix(f, dir+"/"); ok {
			files = append(files, name)
		}
	}
	look := config.Detect(files, func(name string) ([]byte, error) { return l.Read(path.Join(dir, name)) })
	test, measure := inShell(look.Test...), inShell(look.Evaluator...)
	in := func(command, otherwise string) string {
		folder := inShell(dir)
		if !strings.ContainsAny(dir, "$`\\\"!") {
			folder = `"` + dir + `"`
		}
		text := fmt.Sprintf("cd %s && %s", folder, orElse(command, otherwise))
		return "[sh, -c, '" + strings.ReplaceAll(text, "'", "''") + "']"
	}
	var scope []string
	for _, g := range look.Scope {
		scope = append(scope, fmt.Sprintf("%q", escape(dir)+"/"+g))
	}
	if len(scope) == 0 {
		scope = []string{fmt.Sprintf("%q", escape(dir)+"/**")}
	}
	how := ""
	if look.Adapter != "" {
		how = "adapter: " + look.Adapter + ", "
	}
	return fmt.Sprintf("%s: a project in a folder is set up by hand, in atoll.yaml:\n"+
		"  evaluator: {%scommand: %s, stages: [{name: tests, command: %s, output: none}, {name: measure}]}\n"+
		"  gate: {scope: [%s]}", found, how, in(measure, "exec PROGRAM"), in(test, "exec TESTS"), strings.Join(scope, ", "))
}
