package config

import (
	"path"
	"regexp"
	"strings"
)

// pythonPath lets scripts and tests that lie in a folder of their own import the
// packages of the repository, as an installation would.
func (l look) pythonPath() []string {
	src, top := false, false
	for _, f := range l.sorted {
		dir := path.Dir(f)
		switch {
		case path.Ext(f) != ".py":
		case dir == "src", path.Base(f) == "__init__.py" && path.Dir(dir) == "src":
			src = true
		case path.Base(f) == "__init__.py" && !strings.Contains(dir, "/") && !strings.HasPrefix(dir, "test"):
			top = true
		}
	}
	switch {
	case src:
		return []string{"PYTHONPATH={tree}/src"}
	case top:
		return []string{"PYTHONPATH={tree}"}
	}
	return nil
}

// modulePath is one whose parts can be imported by name.
var modulePath = regexp.MustCompile(`^(?:[A-Za-z_]\w*/)*[A-Za-z_]\w*\.py$`)

// IsPythonTest reports whether pytest takes a file for one of tests, by its name.
func IsPythonTest(file string) bool {
	base := path.Base(file)
	return path.Ext(base) == ".py" && (strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py"))
}

// What a module has that holds tests of the standard library, whatever its name.
var (
	importsUnittest = regexp.MustCompile(`(?m)^(?:import|from) unittest\b`)
	testCase        = regexp.MustCompile(`(?m)^class \w+\([^)]*\bTestCase\b`)
)

// unittest reports whether a file of Python holds tests by what it says.
func (l look) unittest(f string) bool {
	const deepest = 3
	if path.Ext(f) != ".py" || strings.Count(f, "/") > deepest {
		return false
	}
	text := l.text(f)
	return importsUnittest.MatchString(text) && testCase.MatchString(text)
}
