package examples_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config"
	"atoll/examples"
)

// result is what an evaluator wrote.
type result struct {
	Summary string
	Metrics []struct {
		Name  string
		Value float64
	}
}

func (r result) value(t *testing.T, name string) float64 {
	t.Helper()
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatalf("no metric %s in %+v", name, r)
	return 0
}

// copyOf copies an example into a new folder and loads its configuration. It
// skips when the interpreter or compiler that it needs is absent.
func copyOf(t *testing.T, name string) (string, config.Loaded) {
	t.Helper()
	e, err := examples.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	for program, needed := range map[string]bool{"python3": e.NeedsPython, "go": e.NeedsGo} {
		if _, err := exec.LookPath(program); needed && err != nil {
			t.Skipf("the example %s needs %s, which is not on the PATH", name, program)
		}
	}
	dir := filepath.Join(t.TempDir(), name)
	if err := examples.Copy(name, dir); err != nil {
		t.Fatal(err)
	}
	l, err := config.Load(config.LoadOptions{Dir: dir})
	if err != nil {
		t.Fatalf("the configuration of %s has problems:\n%v", name, err)
	}
	return dir, l
}

// measure runs all stages of the evaluator in dir, as the configuration says,
// and returns the result or what the evaluator complained.
func measure(t *testing.T, dir string, l config.Loaded) (result, string) {
	t.Helper()
	stages := l.Evaluator.Stages
	if len(stages) == 0 {
		stages = []config.Stage{{}}
	}
	file := filepath.Join(t.TempDir(), "result.json")
	for _, s := range stages {
		words := s.Command
		if len(words) == 0 {
			words = l.Evaluator.Command
		}
		args := make([]string, len(words))
		for i, w := range words {
			args[i] = strings.ReplaceAll(w, "{dir}", filepath.Join(dir, l.Evaluator.Dir))
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ATOLL_RESULT="+file, "ATOLL_RUN=")
		for _, e := range l.Evaluator.Env {
			if strings.Contains(e, "=") {
				cmd.Env = append(cmd.Env, e)
			}
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			if _, err := os.Stat(file); err == nil {
				t.Errorf("the evaluator failed and yet wrote a result")
			}
			return result{}, string(out)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("the evaluator ended well without a result: %v", err)
	}
	var r result
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("result %s: %v", data, err)
	}
	return r, ""
}

func TestEveryExampleRunsAndGivesTheStatedStart(t *testing.T) {
	for _, e := range examples.List() {
		t.Run(e.Name, func(t *testing.T) {
			dir, l := copyOf(t, e.Name)
			if p := l.Complete(); len(p) > 0 {
				t.Errorf("the configuration is not complete: %v", p)
			}
			if l.Name != e.Name || l.Evaluator.Objective != e.Objective {
				t.Errorf("name %q objective %q, want %q %q", l.Name, l.Evaluator.Objective, e.Name, e.Objective)
			}
			r, complaint := measure(t, dir, l)
			if complaint != "" {
				t.Fatalf("the start is refused: %s", complaint)
			}
			if got := r.value(t, e.Objective); math.Abs(got-e.Start) > 1e-9 {
				t.Errorf("start = %v, want %v", got, e.Start)
			}
			for _, a := range l.Map.Axes {
				r.value(t, a.Metric) // every axis is a metric that exists
			}
			for _, name := range l.Evaluator.Private {
				r.value(t, name)
			}
			if readme, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || len(readme) < 500 {
				t.Errorf("the README is missing or says too little: %v", err)
			}
			left, _ := filepath.Glob(filepath.Join(dir, ".*"))
			if len(left) > 0 {
				t.Errorf("the evaluator left %v behind", left)
			}
		})
	}
}

func TestCopyReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "atoll.yaml"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := examples.Copy("deceptive", dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("copy over a file: %v, want ErrExist", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("a refused copy wrote %d files", len(entries)-1)
	}
	if err := examples.Copy("nothing", dir); !errors.Is(err, examples.ErrUnknown) || !strings.Contains(err.Error(), "circle-packing") {
		t.Errorf("copy of an unknown example: %v", err)
	}
}

func TestACopyHasItsOwnNamesAndNothingThatDoesNotBelong(t *testing.T) {
	for name, want := range map[string]string{"bin-packing": "go.mod", "circle-packing": "solution.py", "deceptive": "modules/valve.conf"} {
		dir := t.TempDir()
		if err := examples.Copy(name, dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
		err := fs.WalkDir(os.DirFS(dir), ".", func(p string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(p, ".txt") || strings.HasSuffix(p, ".pyc") || strings.HasPrefix(p, "_") {
				t.Errorf("%s: the copy has %s", name, p)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
