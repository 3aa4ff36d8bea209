package survey

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/eval/output"
	"atoll/store/record"
)

// labOf is a lab of some files, without a repository.
func labOf(t *testing.T, files map[string]string) *Lab {
	t.Helper()
	l := &Lab{Base: t.TempDir()}
	for name, text := range files {
		path := filepath.Join(l.Base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l.Files = append(l.Files, name)
	}
	slices.Sort(l.Files)
	return l
}

func TestTheMeanOfASuiteCountsNoOtherPackages(t *testing.T) {
	const mean = "ops/s of 3 cases"
	for _, c := range []struct {
		name, given string
		cases       []string
		objective   string
		said        string
	}{
		{"the case of this package", "", []string{"words", "other", "third"}, "words ops/s", `"words ops/s" alone counts`},
		{"several of this one", "", []string{"words parse", "words print", "other parse"}, "", "counts cases of other packages, which no candidate makes faster: other parse ops/s"},
		{"no other packages", "", []string{"words", "parse", "print"}, "", ""},
		{"an objective that was named", "words ops/s", []string{"words", "other"}, "words ops/s", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := labOf(t, map[string]string{"package.json": `{"name": "words", "devDependencies": {"third": "1"}}`, "bench/package.json": `{"dependencies": {"other": "1"}}`})
			said := ""
			s := &survey{Options: Options{Lab: l, Say: func(text string) { said += text }}, d: config.Detected{Found: "bench/run.js"}}
			s.m.Objective, s.d.Output = c.given, output.OutputSuite
			metrics := []record.Metric{{Name: mean}}
			for _, name := range c.cases {
				metrics = append(metrics, record.Metric{Name: name + " ops/s", Unit: "ops/s"})
			}
			suiteObjective(s, metrics)
			if s.m.Objective != c.objective || !strings.Contains(said, c.said) || c.said == "" && said != "" {
				t.Errorf("%q, said %q", s.m.Objective, said)
			}
		})
	}
}

func TestCandidatesChangeTheTemplateThatSourcesAreMadeOf(t *testing.T) {
	const builds = `{"main": "index.js", "scripts": {"build": "node build"}}`
	for _, c := range []struct {
		name, manifest string
		files          []string
		scope          []string
	}{
		{"a template alone", builds, []string{"src/index.jst", "build.js", "index.d.ts", "benchmark/index.js"}, []string{"src/index.jst"}},
		{"a source of that name", `{"main": "dist/index.js", "scripts": {"build": "roll"}}`, []string{"src/index.js", "src/index.ejs"}, nil},
		{"a main file that is committed", builds, []string{"index.js", "src/index.jst"}, nil},
		{"nothing that builds", `{"main": "index.js"}`, []string{"src/index.jst"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"package.json": c.manifest}
			for _, f := range c.files {
				files[f] = ""
			}
			said := ""
			s := &survey{Options: Options{Lab: labOf(t, files), Say: func(text string) { said += text }}}
			fromTemplate(s)
			if !slices.Equal(s.d.Scope, c.scope) || (c.scope != nil) != strings.Contains(said, "CHECK gate.scope: index.js is not committed") {
				t.Errorf("scope %q, said %q", s.d.Scope, said)
			}
		})
	}
}

func TestTestsOfNpmAreTriedWithoutWhatRunsBefore(t *testing.T) {
	for name, c := range map[string]struct {
		scripts string
		want    int
	}{
		"a linter before":         {`{"pretest": "eslint .", "test": "node test.js"}`, 2},
		"the tests by themselves": {`{"test": "node test.js"}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &survey{Options: Options{Lab: labOf(t, map[string]string{"package.json": `{"scripts": ` + c.scripts + `}`}), Look: config.Detected{Language: "javascript", Test: []string{"npm", "test", "--silent"}}}}
			ways := s.waysToTest()
			if len(ways) != 1 || len(ways[0]) != c.want || c.want > 1 && !slices.Contains(ways[0][1], "--ignore-scripts") {
				t.Errorf("ways %q", ways)
			}
		})
	}
}
