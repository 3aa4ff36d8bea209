package doctor_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/doctor"
	_ "atoll/engine/sandbox/boot" // this program is the first process of the sandboxes
	"atoll/engine/view"
	"atoll/gitops"
)

// whole is a configuration that a search could start from; its evaluator prints the
// number in value.txt.
const whole = `
goal: raise the value
evaluator: {command: ["cat value.txt"], output: last-number, objective: score, direction: maximize, protected: [none]}
map: {axes: [{metric: score, min: 0, max: 4, bins: 4}]}
agents: [{name: offline, kind: offline}]
sandbox: {mode: auto}
`

// place is a repository with one commit that an experiment could start from.
func place(t *testing.T, yaml string) doctor.Options {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "value.txt"), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	o := doctor.Options{Target: gitops.Target{Path: dir}, State: filepath.Join(dir, ".git", "atoll"), Now: time.Now, Env: os.Environ()}
	commit(t, &o)
	o.Config, o.ConfigErr = config.Load(config.LoadOptions{Dir: dir, File: config.FileName, Data: []byte(yaml)})
	return o
}

// commit makes a commit of all that is in the work tree, and looks at the repository again.
func commit(t *testing.T, o *doctor.Options) {
	t.Helper()
	git(t, o.Target.Path, "add", "-A")
	git(t, o.Target.Path, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "start")
	var err error
	if o.Target, err = gitops.Inspect(t.Context(), o.Target.Path); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// line finds what was said of one thing.
func line(lines []view.CheckLine, group, name string) (view.CheckLine, bool) {
	i := slices.IndexFunc(lines, func(l view.CheckLine) bool { return l.Group == group && l.Name == name })
	if i < 0 {
		return view.CheckLine{}, false
	}
	return lines[i], true
}

func verdict(l view.CheckLine) string {
	switch {
	case l.Warn:
		return "warns"
	case l.OK:
		return "fine"
	}
	return "wrong"
}

func TestDoctorSaysWhatKeepsASearchFromRunningAndWhatToDo(t *testing.T) {
	for name, tc := range map[string]struct {
		yaml        string
		change      func(*testing.T, *doctor.Options)
		group, item string
		want        string // fine, warns, wrong; "": nothing is said
		says, cure  string
	}{
		"a commit to start from": {whole, nil, "repository", "HEAD", "fine", "main at ", ""},
		"changes that are not committed": {whole, func(t *testing.T, o *doctor.Options) {
			o.Target.Dirty = true
		}, "repository", "work tree", "warns", "not committed", "commit them"},
		"large files": {whole, func(_ *testing.T, o *doctor.Options) { o.Target.LFS = true }, "repository", "LFS", "warns", "git-lfs", "install git-lfs"},
		"no repository": {whole, func(_ *testing.T, o *doctor.Options) {
			o.Target = gitops.Target{}
		}, "repository", "HEAD", "", "", ""},
		"a whole configuration":   {whole, nil, "configuration", config.FileName, "fine", "complete", ""},
		"a key that there is not": {whole + "gaol: x\n", nil, "configuration", config.FileName, "wrong", "gaol", "config explain"},
		"a direction against the name of the objective": {
			strings.Replace(whole, "objective: score, direction: maximize", "objective: parse_seconds", 1), nil, "configuration", "advice", "warns", "evaluator.direction: the name \"parse_seconds\" says that less is better", "",
		},
		"a direction against the name of another metric": {whole + "front: {objectives: [{metric: peak_mb}]}\n", nil, "configuration", "advice", "warns", "front.objectives[0].direction", ""},
		"a configuration of nothing":                     {"{}", nil, "configuration", config.FileName, "wrong", "evaluator.command", "name the program that measures in evaluator.command of atoll.yaml; where a thing is missing that keeps `atoll init --force` from finding one, that says which"},
		"no measurement by a command that is not named":  {"{}", func(_ *testing.T, o *doctor.Options) { o.Deep = true }, "evaluator", "measured root", "", "", ""},
		"no configuration": {"{}", func(t *testing.T, o *doctor.Options) {
			o.Config, o.ConfigErr = config.Load(config.LoadOptions{Dir: t.TempDir()})
		}, "configuration", config.FileName, "wrong", "evaluator.command", "write it with `atoll init`"},
		"an agent without its key": {
			strings.Replace(whole, "{name: offline, kind: offline}", "{name: m, kind: chat, model: x, base_url: 'http://127.0.0.1:1', key_env: NO_SUCH_KEY}", 1), nil,
			"configuration", "agents", "wrong", "NO_SUCH_KEY", "refuses to start",
		},
		"a script that compiles what candidates write": {
			strings.Replace(whole, "cat value.txt", "go test -bench=. ./...", 1), nil, "evaluator", "script", "warns", "evaluator.command", "",
		},
		"a stage that runs the tests, as init writes it": {
			strings.Replace(whole, "evaluator: {", "evaluator: {stages: [{name: tests, command: [python3, -m, unittest, discover]}], ", 1), nil, "evaluator", "script", "", "", "",
		},
		"a stage that does more than the tests": {
			strings.Replace(whole, "evaluator: {", "evaluator: {stages: [{name: tests, command: ['python3 -m unittest && ./more']}], ", 1), nil, "evaluator", "script", "warns", "stage tests", "",
		},
		"room for a run": {whole, nil, "system", "disk", "fine", "MiB free at", ""},
		"a state directory that does not exist yet": {whole, func(_ *testing.T, o *doctor.Options) {
			o.State = filepath.Join(o.State, "not", "made", "yet")
		}, "system", "disk", "fine", "MiB free at", ""},
		"a sandbox":                         {whole, nil, "sandbox", "rung", "", "", ""}, // of either kind
		"nothing was kept yet":              {whole, nil, "store", "open", "", "", ""},
		"no look deeper than was asked for": {whole, nil, "evaluator", "measured root", "", "", ""},
		"candidates without a database": {whole, func(t *testing.T, o *doctor.Options) {
			dir := filepath.Join(o.State, doctor.ObjectsName, "objects", "ab")
			if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, strings.Repeat("c", 38)), nil, 0o400)); err != nil {
				t.Fatal(err)
			}
		}, "store", "database", "wrong", "missing or empty", "atoll repair --from"},
		"a database that is none": {whole, func(t *testing.T, o *doctor.Options) {
			if err := os.MkdirAll(o.State, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(o.State, doctor.DatabaseName), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "store", "open", "wrong", "", "atoll repair --from"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := place(t, tc.yaml)
			if tc.change != nil {
				tc.change(t, &o)
			}
			lines := doctor.Check(t.Context(), o)
			l, ok := line(lines, tc.group, tc.item)
			if tc.item == "rung" { // what there is depends on the machine
				if !ok || verdict(l) == "wrong" {
					t.Fatalf("%+v", lines)
				}
				return
			}
			if ok != (tc.want != "") || ok && verdict(l) != tc.want || !strings.Contains(l.Detail, tc.says) || !strings.Contains(l.Cure, tc.cure) {
				t.Errorf("got %+v\nwant %s, %q, cure %q; all of it:\n%+v", l, tc.want, tc.says, tc.cure, lines)
			}
			for _, l := range lines {
				if !l.OK && !l.Warn && l.Cure == "" {
					t.Errorf("nothing is said of what to do about %+v", l)
				}
			}
		})
	}
}

func TestDeepDoctorMeasuresTheRootTwiceAndTriesEveryAgent(t *testing.T) {
	for name, tc := range map[string]struct {
		command string
		want    string
		says    string
	}{
		"the same twice":               {"cat value.txt", "fine", "score = 1 in "},
		"another value":                {"date +%N", "warns", "noisy"},
		"an evaluator that ends badly": {"echo no such table >&2; exit 3", "wrong", "no such table"},
		"no number":                    {"echo done", "wrong", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := place(t, strings.Replace(whole, `"cat value.txt"`, fmt.Sprintf("%q", tc.command), 1))
			o.Deep = true
			lines := doctor.Check(t.Context(), o)
			l, ok := line(lines, "evaluator", "measured root")
			if !ok || verdict(l) != tc.want || !strings.Contains(l.Detail, tc.says) {
				t.Errorf("got %+v, want %s, %q; all of it:\n%+v", l, tc.want, tc.says, lines)
			}
			if l, ok := line(lines, "agents", "offline"); !ok || verdict(l) != "fine" {
				t.Errorf("the agent: %+v", l)
			}
			if _, err := os.Stat(o.State); err == nil {
				t.Error("doctor wrote a state directory")
			}
		})
	}
}

func TestAnEvaluatorIsNotTriedWhereThereIsNothingToTry(t *testing.T) {
	for name, tc := range map[string]struct{ yaml, says string }{
		"a configuration that cannot be read": {whole + "gaol: x\n", "gaol"},
		"a configuration of nothing":          {"{}", "evaluator.command"},
		"no file in the scope":                {whole + "gate: {scope: [\"none/**\"]}\n", "nothing to break"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := doctor.Mutants(t.Context(), place(t, tc.yaml), 3, nil); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}
