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

func TestOfSeveralWaysToMeasureAPersonChoosesTheFirst(t *testing.T) {
	t.Parallel()
	look := config.Detected{Evaluator: []string{"make", "bench"}, Found: "make bench", Others: []config.Choice{{Command: []string{"./a.sh"}, Found: "a.sh"}, {Command: []string{"./b.sh"}, Found: "b.sh"}}}
	for _, c := range []struct {
		name    string
		answers []bool
		asked   int
		first   string // and the order of the others
		others  string
	}{
		{"what is proposed", []bool{true}, 1, "make bench", "a.sh b.sh"},
		{"another one", []bool{false, true}, 2, "a.sh", "make bench b.sh"},
		{"the last one, which nobody is asked of", []bool{false, false}, 2, "b.sh", "make bench a.sh"},
	} {
		asked := 0
		s := &survey{Options: Options{Look: look, Ask: func(question string, proposed bool) bool {
			asked++
			if !proposed || !strings.HasPrefix(question, "3 ways to measure were found. Try ") {
				t.Errorf("%s: asked %q, %v", c.name, question, proposed)
			}
			return c.answers[asked-1]
		}}}
		prefer(s)
		var others []string
		for _, o := range s.Look.Others {
			others = append(others, o.Found)
		}
		if asked != c.asked || s.Look.Found != c.first || strings.Join(others, " ") != c.others {
			t.Errorf("%s: asked %d times, %q, then %q", c.name, asked, s.Look.Found, others)
		}
	}
	one := &survey{Options: Options{Look: config.Detected{Evaluator: []string{"./a.sh"}}, Ask: func(string, bool) bool { t.Error("it asks of one way"); return true }}}
	prefer(one)
	prefer(&survey{Options: Options{Ask: one.Ask}})
}

func TestWhatStandsInForAMissingObjectiveIsAskedOfWhoeverIsThere(t *testing.T) {
	for _, c := range []struct {
		name         string
		asks, answer bool
		wanted       bool
		mark         string
	}{
		{"nobody is there", false, true, true, "CHECK evaluator.command: an objective was missing: tests stand in; look whether that is what you care about"},
		{"a person agrees", true, true, true, "an objective was missing: tests stand in"},
		{"a person does not", true, false, false, ""},
	} {
		var said []string
		s := &survey{Options: Options{asks: c.asks, Say: func(line string) { said = append(said, line) }, Ask: func(question string, proposed bool) bool {
			if question != "No benchmark was found. Measure the time of the tests in its place?" || !proposed {
				t.Errorf("asked %q, %v", question, proposed)
			}
			return c.answer
		}}}
		if got := standIn(s, "the time of the tests"); got != c.wanted {
			t.Errorf("%s: it stands in: %v", c.name, got)
		}
		if !c.wanted {
			continue
		}
		if checkStandIn(s, "tests stand in"); len(said) != 1 || said[0] != c.mark {
			t.Errorf("%s: it says %q, want %q", c.name, said, c.mark)
		}
	}
}

func TestACommandOfTheScaffoldIsToldWithItsFolder(t *testing.T) {
	if got := oneLine([]string{"python3", "{dir}/measure.py"}); got != "python3 atoll-evaluator/measure.py" {
		t.Error(got)
	}
}
