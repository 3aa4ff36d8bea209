package survey

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"atoll/engine/eval"
)

// managers run scripts of package.json as npm does, and runners the tests.
var (
	managers = []string{"pnpm", "yarn", "bun"}
	runners  = []string{"vitest", "jest", "mocha", "ava", "tap", "uvu", "jasmine"}
)

// runnerAlone is what runs the tests where the script that npm runs fails: the program at the end
// of the scripts. Another package manager that the script calls may not be installed, or not do in
// the sandbox, and what the script runs before, such as a linter, may fail. It is nil where that
// program is none that is known, or nothing stands before it.
func (l *Lab) runnerAlone(test []string) []string {
	if len(test) < 2 || test[0] != "npm" {
		return nil
	}
	scripts, name := l.manifest(".").Scripts, "test"
	if test[1] == "run" {
		name = test[len(test)-1]
	}
	command, more := behind(scripts, scripts[name], 0)
	if !more {
		return nil
	}
	return command
}

// behind follows scripts down to the program that runs the tests. more reports whether a
// manager or another program stands before it.
func behind(scripts map[string]string, text string, depth int) (command []string, more bool) {
	if depth > 4 { // they call each other
		return nil, false
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '&' || r == ';' || r == '|' }) {
		words := strings.Fields(part)
		for len(words) > 0 && (words[0] == "cross-env" || strings.Contains(words[0], "=")) { // NODE_ENV=test
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		managed := slices.Contains(managers, words[0])
		if managed || words[0] == "npm" || words[0] == "npx" {
			if words = words[1:]; len(words) > 0 && slices.Contains([]string{"run", "exec"}, words[0]) {
				words = words[1:]
			}
		}
		words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains([]string{"-s", "-r", "--silent", "--recursive"}, w) })
		found, below := ranBy(scripts, words, depth)
		if found != nil {
			return found, more || managed || below
		}
		more = true
	}
	return nil, false
}

// ranBy is what words of a script run: the tests, or another script that does.
func ranBy(scripts map[string]string, words []string, depth int) (command []string, more bool) {
	switch {
	case len(words) == 0 || strings.ContainsAny(strings.Join(words, " "), "'\"`$*?<>()"): // for a shell to read
		return nil, false
	case words[0] == "vitest" && !slices.Contains(words, "run"):
		return slices.Concat([]string{"npx", "vitest", "run"}, words[1:]), false
	case slices.Contains(runners, words[0]):
		return append([]string{"npx"}, words...), false
	case words[0] == "node" && strings.Contains(strings.Join(words, " "), "test"):
		return words, false
	}
	if text := scripts[words[0]]; text != "" {
		return behind(scripts, text, depth+1)
	}
	return nil, false
}

// noPackage finds the package that node did not find.
var noPackage = regexp.MustCompile(`Cannot find (?:package|module) '((?:@[\w.-]+/)?[\w][\w.-]*)`)

// ofFolder is the package.json of a folder below the top that names a package, and the packages that it names, with
// their versions; "" for none.
func (l *Lab) ofFolder(pkg string) (file string, packages []string) {
	for _, f := range l.Files {
		if path.Base(f) != "package.json" || f == "package.json" || strings.Contains(f, "node_modules/") {
			continue
		}
		m := l.manifest(path.Dir(f))
		all := map[string]string{}
		maps.Copy(all, m.DevDependencies)
		maps.Copy(all, m.Dependencies)
		if _, found := all[pkg]; !found {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			packages = append(packages, name+"@"+all[name])
		}
		return f, packages
	}
	return "", nil
}

// lacksOfFolder is a reason that names a package which a folder below the top wants installed, with what brings it, and
// what a person does next; "" for any other. Candidates find node_modules at the top alone, and so does what lies below it.
func (l *Lab) lacksOfFolder(reason string) (text, next string) {
	found := noPackage.FindStringSubmatch(reason)
	if found == nil {
		return "", ""
	}
	file, packages := l.ofFolder(found[1])
	if file == "" {
		return "", ""
	}
	command := "npm install --no-save " + inShell(packages...)
	next = "`" + command + "`, then `atoll init --force`"
	return fmt.Sprintf("%s; %s names it: `%s` at the top, not in %s, brings it to where candidates find packages", eval.WithoutAdvice(reason), file, command, path.Dir(file)), next
}
