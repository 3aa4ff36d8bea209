package cli_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// task is a repository whose evaluator an adapter runs.
type task struct {
	name   string
	needs  string // program that has to be installed
	module string // Python module that has to be, for the Python beside it
	files  map[string]string
	yaml   string
	metric string  // the objective
	root   float64 // 0: above 0 will do
	says   string  // missing guarantee
	jobs   int     // 10 unless it says otherwise
	full   bool    // it compiles or measures for long; the adapter alone has its test in engine/eval
}

const dial = "# the dial\nturns = 40\n"

func tasks() []task {
	return []task{
		{
			name: "go benchmarks beside those of the root", full: true, needs: "go", metric: "ns/op.ratio", says: "stdout", jobs: 3, // each compiles twice
			files: map[string]string{
				"go.mod":       "module dial\n\ngo 1.21\n",
				"dial.go":      "package dial\n\nconst rounds = 4000\n\nfunc Turn() int {\n\tn := 0\n\tfor i := 0; i < rounds; i++ {\n\t\tn += i % 7\n\t}\n\treturn n\n}\n",
				"dial_test.go": "package dial\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkTurn(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink += Turn()\n\t}\n}\n",
			},
			yaml: "evaluator: {adapter: gobench, command: [go, test, -run=^$, -bench=., -benchtime=2000x, -count=6], paired: true, objective: ns/op, direction: minimize, protected: [dial_test.go], root_repeats: 2}\ngate: {scope: [dial.go]}\nguard: off # the dial is turned by doing something else\n",
		},
		{
			name: "go tests", full: true, needs: "go", metric: "tests_passed", root: 2, says: "stdout",
			files: map[string]string{
				"go.mod":       "module dial\n\ngo 1.21\n",
				"dial.go":      "package dial\n\nconst turns = 40\n",
				"dial_test.go": "package dial\n\nimport \"testing\"\n\nfunc TestBelow(t *testing.T) {}\n\nfunc TestAbove(t *testing.T) {\n\tif turns < 3 {\n\t\tt.Fatal(turns)\n\t}\n}\n\nfunc TestHigh(t *testing.T) {\n\tif turns < 41 {\n\t\tt.Fatal(turns)\n\t}\n}\n",
			},
			yaml: "evaluator: {adapter: gotest, objective: tests_passed, protected: [dial_test.go]}\ngate: {scope: [dial.go]}\n",
		},
		{
			name: "pytest", full: true, needs: "/usr/bin/python3", module: "pytest", metric: "pass_rate", root: 0.5, says: "Shared process",
			files: map[string]string{
				"dial.py":      dial,
				"test_dial.py": "import dial\n\n\ndef test_above():\n    assert dial.turns > 3\n\n\ndef test_high():\n    assert dial.turns > 40\n",
			},
			yaml: "evaluator: {adapter: pytest, adapter_options: {python: /usr/bin/python3}, objective: pass_rate, protected: [test_dial.py]}\ngate: {scope: [dial.py]}\n",
		},
		{
			name: "hyperfine", full: true, needs: "hyperfine", metric: "median",
			files: map[string]string{"dial.sh": "n=40\nwhile [ $n -gt 0 ]; do n=$((n-1)); done\n"},
			yaml:  "evaluator: {adapter: hyperfine, command: [sh, dial.sh], adapter_options: {runs: \"3\", warmup: \"1\"}, objective: median, direction: minimize}\n",
		},
		{
			name: "OpenEvolve", needs: "/usr/bin/python3", metric: "combined_score", root: 40, says: "Shared process",
			files: map[string]string{
				"initial_program.py": dial,
				"evaluator.py":       "from openevolve.evaluation_result import EvaluationResult\n\n\ndef evaluate(path):\n    scope = {}\n    exec(open(path).read(), scope)\n    return EvaluationResult(metrics={'combined_score': float(scope['turns'])}, artifacts={'seen': 'yes'})\n",
			},
			yaml: "evaluator: {adapter: openevolve, adapter_options: {python: /usr/bin/python3}, objective: combined_score, protected: [evaluator.py]}\ngate: {scope: [initial_program.py]}\n",
		},
		{
			name: "Loreley in phases", needs: "/usr/bin/python3", metric: "turns", root: 40, says: "Shared process",
			files: map[string]string{
				"dial.py": dial,
				"ev.py": "from loreley.core.worker.evaluator import EvalPass, EvaluationMeasurement, EvaluationPreparation\n\n\nclass Plugin:\n    evaluation_protocol = 'phased-v1'\n\n" +
					"    def prepare(self, context):\n        scope = {}\n        exec((context.worktree / 'dial.py').read_text(), scope)\n        return EvaluationPreparation('turns:%s' % scope['turns'], 'v1', state={'turns': scope['turns']})\n\n" +
					"    def measure(self, context, preparation):\n        return EvaluationMeasurement(data={'turns': preparation.state['turns']})\n\n" +
					"    def finalize(self, context, preparation, measurement, provenance):\n        return EvalPass('measured', metrics={'name': 'turns', 'value': measurement.data['turns']})\n",
			},
			yaml: "evaluator: {adapter: loreley, command: ['ev:Plugin', '.'], adapter_options: {python: /usr/bin/python3}, objective: turns, protected: [ev.py]}\ngate: {scope: [dial.py]}\n",
		},
		{
			name: "ShinkaEvolve", needs: "/usr/bin/python3", metric: "combined_score", root: 40, says: "Shared process",
			files: map[string]string{
				"initial.py": dial,
				"evaluate.py": "import argparse, json, os\np = argparse.ArgumentParser()\np.add_argument('--program_path')\np.add_argument('--results_dir')\na = p.parse_args()\nscope = {}\nexec(open(a.program_path).read(), scope)\n" +
					"json.dump({'combined_score': scope['turns'], 'public': {}, 'private': {'secret': 1}}, open(os.path.join(a.results_dir, 'metrics.json'), 'w'))\njson.dump({'correct': True, 'error': None}, open(os.path.join(a.results_dir, 'correct.json'), 'w'))\n",
			},
			yaml: "evaluator: {adapter: shinka, adapter_options: {python: /usr/bin/python3}, objective: combined_score, protected: [evaluate.py]}\ngate: {scope: [initial.py]}\n",
		},
	}
}

func (k task) ready(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(k.needs); err != nil {
		t.Skipf("%s is not installed", k.needs)
	}
	if k.module != "" {
		if err := exec.Command(k.needs, "-c", "import "+k.module).Run(); err != nil {
			t.Skipf("%s of %s is not installed", k.module, k.needs)
		}
	}
}

// Each adapter runs a whole experiment of the program: the root has its value,
// every job comes to an end, the search finds what one literal hides, and the
// guarantee that is missing is told.
func TestAdaptersThroughWholeRuns(t *testing.T) {
	suitetest.Full(t, "a run for each adapter; engine/eval has them measure one tree")
	for _, k := range tasks() {
		t.Run(k.name, func(t *testing.T) {
			if k.full {
				suitetest.Full(t, "a whole run of an adapter that takes long for each job")
			}
			k.ready(t)
			jobs := cmp.Or(k.jobs, 10)
			s := &site{t: t, dir: t.TempDir()}
			for name, text := range k.files {
				s.put(name, text)
			}
			s.put("atoll.yaml", "goal: turn the dial\nseed: 5\nworkers: 1\nsearch: {operators: {tune: 1}}\nbudget: {jobs: "+strconv.Itoa(jobs)+"}\n"+k.yaml)
			git(t, s.dir, "init", "-q", "-b", "main")
			git(t, s.dir, "add", "-A")
			git(t, s.dir, "commit", "-q", "-m", "start")
			must(t, s.dir, "run", "--headless")
			var status struct {
				Root, Best struct {
					ID        record.CandidateID
					Objective float64
				}
				Missing  []string `json:"missing_guarantees"`
				Failures map[string]int
				Jobs     struct{ Placed, Scored, Failed, Duplicate int }
			}
			if err := json.Unmarshal([]byte(must(t, s.dir, "status", "--json")), &status); err != nil {
				t.Fatal(err)
			}
			if r := status.Root.Objective; k.root > 0 && r != k.root || r <= 0 {
				t.Errorf("the root has %v, want %v", r, k.root)
			}
			if n := status.Jobs; n.Placed+n.Scored+n.Failed+n.Duplicate != jobs || n.Placed+n.Scored == 0 {
				t.Errorf("jobs %+v, failures %v", n, status.Failures)
			}
			if k.root > 0 && status.Best.Objective <= status.Root.Objective {
				t.Errorf("the best, %s, has %v after %v", status.Best.ID, status.Best.Objective, status.Root.Objective)
			}
			if told := strings.Join(status.Missing, "\n"); k.says != "" && !strings.Contains(told, k.says) {
				t.Errorf("no word of %q in %q", k.says, told)
			}
			shown := must(t, s.dir, "show", "best")
			if !strings.Contains(shown, k.metric+" ") {
				t.Errorf("no metric %s in\n%s", k.metric, shown)
			}
			if strings.HasSuffix(k.metric, ".ratio") {
				s.compared()
			}
			gone(t, "")
		})
	}
}

// compared fails unless a candidate that was measured has the comparison with the
// root beside it among its evidence. Which one is faster is for the noise to say.
func (s *site) compared() {
	s.t.Helper()
	for line := range strings.Lines(must(s.t, s.dir, "candidates", "--json")) {
		var c struct {
			ID     record.CandidateID
			Status record.Status
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			s.t.Fatal(err)
		}
		if c.ID == record.Root || c.Status != record.StatusScored && c.Status != record.StatusElite {
			continue
		}
		text := must(s.t, s.dir, "show", c.ID.String(), "--evidence")
		if !strings.Contains(text, "--- artifact comparison") || !strings.Contains(text, "n=6+6)") {
			s.t.Errorf("no comparison of 6 and 6 in\n%s", text)
		}
		return
	}
	s.t.Error("nothing but the root was measured")
}

func (s *site) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
