package survey

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atoll/config"
)

func TestTestsWhoseScriptFailsAreRunByTheirProgramAlone(t *testing.T) {
	for name, c := range map[string]struct {
		scripts string
		want    string // what is tried beside npm; "" for nothing
	}{
		"npm runs them":                          {`"test": "vitest"`, ""},
		"a manager runs them":                    {`"test": "yarn unit", "unit": "jest"`, "npx jest"},
		"a linter stands before them":            {`"test": "eslint . && vitest run --typecheck"`, "npx vitest run --typecheck"},
		"a script of pnpm":                       {`"test": "pnpm run test:unit", "test:unit": "vitest --coverage"`, "npx vitest run --coverage"},
		"a script of a script":                   {`"test": "npm run all", "all": "pnpm lint && pnpm unit", "lint": "eslint .", "unit": "NODE_ENV=test jest --ci"`, "npx jest --ci"},
		"a program of pnpm":                      {`"test": "pnpm exec mocha test"`, "npx mocha test"},
		"the runner of node":                     {`"test": "pnpm build && pnpm unit", "build": "node build.js", "unit": "node --test"`, "node --test"},
		"a script that calls itself":             {`"test": "pnpm -r test"`, ""},
		"a program that nobody knows":            {`"test": "pnpm unit", "unit": "./run"`, ""},
		"words that only a shell can take apart": {`"test": "pnpm unit", "unit": "jest '$X'"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &survey{Options: Options{Lab: labOf(t, map[string]string{"package.json": `{"scripts": {` + c.scripts + `}}`}), Look: config.Detected{Language: "javascript", Test: []string{"npm", "test", "--silent"}}}}
			ways := s.waysToTest()[0]
			if got := strings.Join(slices.Concat(ways[1:]...), " "); got != c.want {
				t.Errorf("tried %q", ways)
			}
		})
	}
}

func TestSettingsOfToolsOutOfScopeAreNotProtected(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		scope   []string
		settled bool
	}{
		"out of scope":                        {".npmrc", []string{"**/*.js"}, true},
		"in a folder":                         {"lib/.gitignore", []string{"**/*.js"}, true},
		"where all may change":                {".npmrc", nil, false},
		"in scope":                            {".npmrc", []string{"**"}, false},
		"cases that the tests read":           {"cases.json", []string{"**/*.js"}, false},
		"settings of what transforms sources": {".babelrc", []string{"**/*.js"}, false},
	} {
		s := protection{&survey{d: config.Detected{Scope: c.scope}}}
		if got := s.settled(c.file); got != c.settled {
			t.Errorf("%s: %s is settled: %v", name, c.file, got)
		}
	}
}

func TestPackagesOfAFolderAreInstalledWhereCandidatesFindThem(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json": `{"devDependencies": {"tape": "^5.8.1"}}`, "benchmark/package.json": `{"dependencies": {"tinybench": "^5.0.0"}, "devDependencies": {"@x/uri": "~1.2.0"}}`,
		"node_modules/a/package.json": `{"dependencies": {"other": "1"}}`,
	}
	const failed = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '%s' imported from benchmark/benchmark.mjs"
	for _, c := range []struct {
		name, lacks string
		next, says  string // "": the advice is another one
	}{
		{"one of the folder", "tinybench", "`npm install --no-save '@x/uri@~1.2.0' tinybench@^5.0.0`, then `atoll init --force`", "benchmark/package.json names it: `npm install --no-save '@x/uri@~1.2.0' tinybench@^5.0.0` at the top, not in benchmark, brings"},
		{"a file of it", "@x/uri/lib/parse.js", "`npm install --no-save '@x/uri@~1.2.0' tinybench@^5.0.0`, then `atoll init --force`", "benchmark/package.json names it"},
		{"one of the top", "tape", "", ""},
		{"one of a package", "other", "", ""},
		{"a file", "./lib/x.js", "", ""},
	} {
		for _, bare := range []bool{true, false} {
			s := &survey{Options: Options{Lab: labOf(t, files)}, bare: bare}
			got := s.helpful(fmt.Sprintf(failed, c.lacks), []string{"node", "benchmark/benchmark.mjs"})
			if s.next != c.next || !strings.Contains(got, c.says) || strings.Contains(got, "--no-save") != (c.says != "") {
				t.Errorf("%s, bare %v: next %q\n%s", c.name, bare, s.next, got)
			}
		}
	}
}
