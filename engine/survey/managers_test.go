package survey

import (
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
