package doctor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/engine/doctor"
)

func TestABeginningWarnsOfWhatIsHardlyMeant(t *testing.T) {
	timed := strings.Replace(whole, "objective: score, direction: maximize", "objective: parse_seconds, direction: minimize", 1)
	const (
		unseen = "no stage runs tests, and the guard "
		itself = ": unless evaluator.command looks at the answers itself (`atoll doctor --mutants 20` tells), nothing looks whether a candidate still does what it should; name tests in evaluator.stages, "
	)
	python := func(t *testing.T, o *doctor.Options) {
		if err := os.WriteFile(filepath.Join(o.Target.Path, "parse.py"), []byte("def parse(): return 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	module := func(paths ...string) func(*testing.T, *doctor.Options) {
		return func(t *testing.T, o *doctor.Options) {
			for _, path := range paths {
				dir := filepath.Join(o.Target.Path, path)
				git(t, o.Target.Path, "init", "-q", dir)
				git(t, dir, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "--allow-empty", "-m", "start")
			}
		}
	}
	for name, tc := range map[string]struct {
		yaml   string
		change func(*testing.T, *doctor.Options) // before a commit
		about  string
		want   string // "": nothing is said about it
	}{
		"neither tests nor a guard look":                     {timed, nil, unseen, "compares Go, Python, JavaScript, TypeScript and what command lines print" + itself + "or command lines in guard_commands (docs/verify.md"},
		"the guard is off where it knows the language":       {timed + "guard: off\n", python, unseen, "is off" + itself + "or take `guard: off` out (docs/verify.md"},
		"the guard is off and would not know the language":   {timed + "guard: off\n", nil, unseen, "is off" + itself + "or command lines in guard_commands and take `guard: off` out (docs/verify.md"},
		"the guard knows no language that candidates change": {timed + "gate: {scope: [value.txt]}\n", python, unseen, "compares Go"},
		"the guard knows a language of the root":             {timed, python, unseen, ""},
		"what command lines print is compared":               {timed + "guard_commands: [{command: [cat, value.txt]}]\n", nil, unseen, ""},
		"a stage is before the one that measures":            {strings.Replace(timed, "evaluator: {", "evaluator: {stages: [{command: [make test], output: none}, {name: measure}], ", 1), nil, unseen, ""},
		"a submodule":     {whole, module("libs/tree"), "the submodule", " libs/tree is empty where candidates are measured: commit what the evaluator needs of it as files, or put that into evaluator.dir or a folder that evaluator.caches names"},
		"two submodules":  {whole, module("a", "b"), "the submodule", "s a, b are empty where"},
		"four submodules": {whole, module("a", "b", "c", "d"), "the submodule", "s a, b, c and 1 more are empty where"},
		"no submodule":    {whole, python, "submodule", ""},
		"an evaluator that judges answers looks itself": {whole + "guard: off\n", nil, unseen, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := place(t, tc.yaml)
			if tc.change != nil {
				tc.change(t, &o)
				commit(t, &o)
			}
			problems, warnings, err := doctor.Start(t.Context(), o.Target, o.Config, func(string) string { return "" })
			if err != nil || len(problems) > 0 {
				t.Fatalf("%v %v", problems, err)
			}
			i := slices.IndexFunc(warnings, func(w string) bool { return strings.Contains(w, tc.about) })
			if said := i >= 0; said != (tc.want != "") || said && !strings.Contains(warnings[i], tc.about+tc.want) {
				t.Errorf("%q\nwant %q", warnings, tc.want)
			}
		})
	}
}
