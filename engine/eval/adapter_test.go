package eval_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// example returns the evaluator folder and the repository of an example.
func example(t *testing.T, name string) (dir, repository string) {
	t.Helper()
	top, err := filepath.Abs(filepath.Join("..", "..", "examples", "adapters", name))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(top, "evaluator"), filepath.Join(top, "repository")
}

func TestOpenEvolveExampleRunsUnchanged(t *testing.T) {
	t.Parallel()
	python := needPython(t)
	dir, repo := example(t, "openevolve")
	e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{
		Adapter: "openevolve", Command: []string{"evaluator.py", "program.py"}, Dir: dir,
		AdapterOptions: map[string]string{"python": python},
	})
	root := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Root: true})
	if root.Failed() {
		t.Fatalf("%s: %s\n%s", root.Class, root.Reason, evidence(root, "stderr"))
	}
	if root.ObjectiveName != "combined_score" || root.Objective <= 0 || root.Objective > 1.01 {
		t.Errorf("%s = %g", root.ObjectiveName, root.Objective)
	}
	if _, ok := root.Artifacts["depths"]; !ok {
		t.Errorf("stage 2 did not run: artifacts %v", root.Artifacts)
	}
	again := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Root: true, Repeat: 1})
	if again.Objective != root.Objective {
		t.Errorf("two runs of one tree: %g and %g", root.Objective, again.Objective)
	}
	source, err := os.ReadFile(filepath.Join(repo, "program.py"))
	if err != nil {
		t.Fatal(err)
	}
	better := strings.Replace(string(source), "LOOKS = 200", "LOOKS = 400", 1)
	out := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Candidate: 1, Delta: []record.Change{{Path: "program.py", Mode: record.Regular, Data: []byte(better)}}})
	if out.Failed() || out.Objective <= root.Objective {
		t.Errorf("twice the looks: %g after %g (%s)", out.Objective, root.Objective, out.Reason)
	}
	cheat := strings.Replace(string(source), "LOOKS = 200", "LOOKS = 401", 1)
	out = mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Candidate: 2, Delta: []record.Change{{Path: "program.py", Mode: record.Regular, Data: []byte(cheat)}}})
	if out.Class != record.ClassCrash || !strings.Contains(out.Reason, "ValueError: looked more than 400 times") {
		t.Errorf("a program that looks too often: %s: %s", out.Class, out.Reason)
	}
}

func TestOpenEvolveForms(t *testing.T) {
	python := needPython(t)
	for _, tt := range []struct {
		name, evaluator string
		options         map[string]string
		class           record.Class
		want            map[string]float64
		reason          string
	}{
		{"a dict of numbers gets the mean as combined_score", "def evaluate(p):\n  return {'a': 1.0, 'b': 3, 'note': 'text'}", nil, "", map[string]float64{"combined_score": 2, "a": 1, "b": 3}, ""},
		{"combined_score of the evaluator stands", "def evaluate(p):\n  return {'x': 9, 'combined_score': 0.25}", nil, "", map[string]float64{"combined_score": 0.25, "x": 9}, ""},
		{"any object with metrics will do", "class R:\n  metrics={'s': 4}\n  artifacts={'log': b'hi'}\ndef evaluate(p):\n  return R()", nil, "", map[string]float64{"s": 4}, ""},
		{"the program's path is handed over", "def evaluate(p):\n  return {'len': len(open(p).read())}", nil, "", map[string]float64{"len": 4}, ""},
		{"modules beside the evaluator can be imported", "import helper\ndef evaluate(p):\n  return {'s': helper.value}", nil, "", map[string]float64{"s": 7}, ""},
		{"a missed threshold ends the cascade with what there is", "def evaluate_stage1(p):\n  return {'s': 0.4}\ndef evaluate_stage2(p):\n  return {'t': 1}\ndef evaluate(p):\n  return {'u': 1}", nil, "", map[string]float64{"combined_score": 0.4, "s": 0.4}, ""},
		{"own thresholds are used", "def evaluate_stage1(p):\n  return {'s': 0.4}\ndef evaluate_stage2(p):\n  return {'t': 1}\ndef evaluate_stage3(p):\n  return {'u': 2}", map[string]string{"thresholds": "0.3,0.6"}, "", map[string]float64{"s": 0.4, "t": 1, "u": 2}, ""},
		{"the cascade can be off", "def evaluate_stage1(p):\n  return {'s': 0.4}\ndef evaluate(p):\n  return {'u': 5}", map[string]string{"thresholds": "off"}, "", map[string]float64{"u": 5}, ""},
		{"a failing later stage keeps the earlier numbers", "def evaluate_stage1(p):\n  return {'s': 0.9}\ndef evaluate_stage2(p):\n  raise ValueError('x')", nil, "", map[string]float64{"s": 0.9, "stage2_passed": 0}, ""},
		{"a number that is not finite is refused", "def evaluate(p):\n  return {'combined_score': float('nan')}", nil, record.ClassMetric, nil, "not finite"},
		{"a program of several files is handed over as the text that a function makes of it", "def evaluate(p):\n  t = open(p).read()\n  return {'files': t.count('##'), 'len': len(t)}", map[string]string{"program": "parts", "bundle": "tools.pack:one_text"}, "", map[string]float64{"files": 2, "len": 10}, ""},
		{"an error beside a score of nothing is a failure", "def evaluate(p):\n  return {'combined_score': 0.0, 'error': 'no such function'}", nil, record.ClassTest, nil, "an error: no such function"},
		{"an error beside a score is told and scored", "class R:\n  metrics={'combined_score': 0.5}\n  artifacts={'error': 'one trial of two failed'}\ndef evaluate(p):\n  return R()", nil, "", map[string]float64{"combined_score": 0.5}, ""},
		{"an evaluator may be asynchronous", "import asyncio\nasync def evaluate(p):\n  await asyncio.sleep(0)\n  return {'s': 4}", nil, "", map[string]float64{"s": 4}, ""},
		{"no other loads what asynchronous ones need", "import sys\ndef evaluate(p):\n  return {'loaded': int('asyncio' in sys.modules)}", nil, "", map[string]float64{"loaded": 0}, ""},
		{"only an error is a failure", "def evaluate(p):\n  return {'error': 0.0}", nil, record.ClassTest, nil, "no number"},
		{"an exception is a failure with its line", "def evaluate(p):\n  raise RuntimeError('broken pipe dream')", nil, record.ClassCrash, nil, "RuntimeError: broken pipe dream (evaluator.py:2)"},
		{"no function evaluate", "x = 1", nil, record.ClassCrash, nil, "has no function evaluate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := mustTree(t, map[string]string{"evaluator.py": tt.evaluator, "helper.py": "value = 7", "tools/pack.py": "import os\ndef one_text(d):\n  return ''.join('##' + open(os.path.join(d, n)).read() for n in sorted(os.listdir(d)))\n"})
			repo := mustTree(t, map[string]string{"p.py": "x=1\n", "parts/a": "one", "parts/b": "two"})
			e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{
				Adapter: "openevolve", Dir: dir, AdapterOptions: merge(map[string]string{"program": "p.py", "python": python}, tt.options),
			})
			checkOutcome(t, mustRun(t, e, eval.Request{Base: repo, Trusted: repo}), tt.class, tt.want, tt.reason)
		})
	}
}

func merge(a, b map[string]string) map[string]string {
	for k, v := range b {
		a[k] = v
	}
	return a
}

func checkOutcome(t *testing.T, out eval.Outcome, class record.Class, want map[string]float64, reason string) {
	t.Helper()
	if out.Class != class {
		t.Fatalf("class %q (%s), want %q\n%s", out.Class, out.Reason, class, evidence(out, "stderr"))
	}
	if !strings.Contains(out.Reason, reason) {
		t.Errorf("reason %q, want it to hold %q", out.Reason, reason)
	}
	for name, v := range want {
		if got := value(t, out, name); math.Abs(got-v) > 1e-12 {
			t.Errorf("%s = %g, want %g", name, got, v)
		}
	}
}

func TestLoreleyExampleRunsUnchanged(t *testing.T) {
	t.Parallel()
	python := needPython(t)
	dir, repo := example(t, "loreley")
	e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{
		Adapter: "loreley", Command: []string{"evaluate:plugin", "."}, Dir: dir, Direction: eval.Minimize,
		AdapterOptions: map[string]string{"python": python},
	})
	root := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Root: true})
	if root.Failed() || root.ObjectiveName != "vans" {
		t.Fatalf("%s: %s: %s\n%s", root.ObjectiveName, root.Class, root.Reason, evidence(root, "stderr"))
	}
	if len(root.Tests) != 2 || !strings.Contains(evidence(root, "logs"), "worktree read") || len(root.Warnings) != 0 {
		t.Errorf("tests %v, logs %q, warnings %v", root.Tests, evidence(root, "logs"), root.Warnings)
	}
	decreasing := "def load(parcels, capacity):\n" +
		"    vans = []\n" +
		"    for i in sorted(range(len(parcels)), key=lambda i: -parcels[i]):\n" +
		"        for van in vans:\n" +
		"            if sum(parcels[j] for j in van) + parcels[i] <= capacity:\n" +
		"                van.append(i)\n" +
		"                break\n" +
		"        else:\n" +
		"            vans.append([i])\n" +
		"    return vans\n"
	out := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Candidate: 1, Delta: []record.Change{{Path: "solution.py", Mode: record.Regular, Data: []byte(decreasing)}}})
	if out.Failed() || out.Objective >= root.Objective {
		t.Errorf("largest parcel first: %g vans after %g (%s)", out.Objective, root.Objective, out.Reason)
	}
	out = mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Candidate: 2, Delta: []record.Change{{Path: "solution.py", Mode: record.Regular, Data: []byte("def load(p, c):\n    return []\n")}}})
	if out.Class != record.ClassCrash || !strings.Contains(out.Reason, "a parcel is missing") {
		t.Errorf("no vans at all: %s: %s", out.Class, out.Reason)
	}
	out = mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Candidate: 3, Delta: []record.Change{{Path: "solution.py", Mode: record.Regular, Data: []byte("def load(p, c)\n    return []\n")}}})
	if out.Class != record.ClassBuild || !strings.Contains(out.Reason, "SyntaxError") || !strings.Contains(out.Reason, "solution.py:1") {
		t.Errorf("a syntax error: %s: %s", out.Class, out.Reason)
	}
}

func TestLoreleyForms(t *testing.T) {
	python := needPython(t)
	const types = "from loreley.core.worker.evaluator import EvaluationResult, EvaluationMetric, EvalPass, EvalFail\n"
	one := map[string]float64{"m": 2}
	for _, tt := range []struct {
		name, plugin string
		class        record.Class
		want         map[string]float64
		reason       string
	}{
		{"a function that returns a mapping", "def plugin(c):\n  return {'summary': 's', 'metrics': [{'name': 'm', 'value': 2}]}", "", one, ""},
		{"a function that returns the result class", types + "def plugin(c):\n  return EvaluationResult(summary='s', metrics=(EvaluationMetric('m', 2.0),))", "", one, ""},
		{"a class with evaluate is made and called", "class plugin:\n  def evaluate(self, c):\n    return {'summary': 's', 'metrics': [{'name': 'm', 'value': 2}]}", "", one, ""},
		{"an object with evaluate", "class P:\n  def evaluate(self, c):\n    return {'summary': 's', 'metrics': {'name': 'm', 'value': 2}}\nplugin = P()", "", one, ""},
		{"a pass", types + "def plugin(c):\n  return EvalPass('s', EvaluationMetric('m', 2.0))", "", one, ""},
		{"a failure of kind compile is a build failure", types + "def plugin(c):\n  return EvalFail('compile', 'does not build')", record.ClassBuild, nil, "does not build"},
		{"a failure of kind test", types + "def plugin(c):\n  return EvalFail('test', 'two tests fail')", record.ClassTest, nil, "two tests fail"},
		{"the context has the documented attributes", "def plugin(c):\n  assert c.worktree.is_dir() and c.job_id == '5' and c.goal == 'go' and c.payload['job']['id'] == '5'\n  assert len(c.base_commit_hash) == 40 and len(c.candidate_commit_hash) == 40 and c.metadata is not None and c.plan_summary is None\n  return {'summary': 's', 'metrics': [{'name': 'm', 'value': 2}]}", "", one, ""},
		{"an empty summary is refused", "def plugin(c):\n  return {'summary': ' ', 'metrics': []}", record.ClassCrash, nil, "empty summary"},
		{"a boolean is refused", "def plugin(c):\n  return {'summary': 's', 'metrics': [{'name': 'm', 'value': True}]}", record.ClassCrash, nil, "not numeric"},
		{"infinity is refused", "def plugin(c):\n  return {'summary': 's', 'metrics': [{'name': 'm', 'value': float('inf')}]}", record.ClassMetric, nil, "not finite"},
		{"another type is refused", "def plugin(c):\n  return 3.5", record.ClassCrash, nil, "returned float"},
		{"a module that is not there", "import nowhere_at_all\n", record.ClassBuild, nil, "No module named 'nowhere_at_all'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := mustTree(t, map[string]string{"ev.py": tt.plugin})
			e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{Adapter: "loreley", Command: []string{"ev:plugin"}, Dir: dir, AdapterOptions: map[string]string{"python": python}})
			out := mustRun(t, e, eval.Request{Job: 5, Candidate: 5, Goal: "go", BaseCommit: record.Hash{1}, Commit: record.Hash{2}})
			checkOutcome(t, out, tt.class, tt.want, tt.reason)
		})
	}
}

func TestShinkaForms(t *testing.T) {
	python := needPython(t)
	const args = "import argparse, json, os\np = argparse.ArgumentParser()\np.add_argument('--program_path')\np.add_argument('--results_dir')\na = p.parse_args()\n" +
		"def put(n, v):\n  json.dump(v, open(os.path.join(a.results_dir, n), 'w'))\n"
	const wrapped = "from shinka.core import run_shinka_eval\n" + args +
		"run_shinka_eval(program_path=a.program_path, results_dir=a.results_dir, experiment_fn_name='run', num_runs=3,\n" +
		"  get_experiment_kwargs=lambda i: {'seed': i}, validate_fn=lambda r: (r < LIMIT, 'too large'),\n" +
		"  aggregate_metrics_fn=lambda rs: {'combined_score': sum(rs), 'public': {'n': len(rs)}, 'private': {'h': 9}})\n"
	for _, tt := range []struct {
		name, script string
		class        record.Class
		want         map[string]float64
		reason       string
	}{
		{"metrics and verdict are read from the files", args + "put('metrics.json', {'combined_score': 1.5, 'public': {'n': 3}, 'private': {'h': 9}, 'text_feedback': 'ok'})\nput('correct.json', {'correct': True, 'error': None})", "", map[string]float64{"combined_score": 1.5, "n": 3, "private.h": 9}, ""},
		{"a program that is not correct is a failure", args + "put('metrics.json', {'combined_score': 1.5})\nput('correct.json', {'correct': False, 'error': 'circles overlap'})", record.ClassTest, nil, "circles overlap"},
		{"a script that dies is a failure with its line", args + "raise KeyError('no such field')", record.ClassCrash, nil, "KeyError: 'no such field'"},
		{"a script that writes nothing", args, record.ClassMetric, nil, "wrote no metrics.json"},
		{"a metric that is not finite", args + "put('metrics.json', {'combined_score': float('nan')})\nput('correct.json', {'correct': True})", record.ClassMetric, nil, "not finite"},
		{"the wrapper of the package has a stand-in", strings.Replace(wrapped, "LIMIT", "9", 1), "", map[string]float64{"combined_score": 3, "n": 3, "private.h": 9, "num_valid_runs": 3}, ""},
		{"its validation counts", strings.Replace(wrapped, "LIMIT", "2", 1), record.ClassTest, nil, "too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := mustTree(t, map[string]string{"evaluate.py": tt.script})
			repo := mustTree(t, map[string]string{"initial.py": "def run(seed):\n  return seed\n"})
			e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{Adapter: "shinka", Dir: dir, AdapterOptions: map[string]string{"python": python}})
			checkOutcome(t, mustRun(t, e, eval.Request{Base: repo, Trusted: repo}), tt.class, tt.want, tt.reason)
		})
	}
}

func TestGoAdaptersRunTheGoTool(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the PATH")
	}
	repo := mustTree(t, map[string]string{
		"go.mod":    "module m\n\ngo 1.21\n",
		"a.go":      "package m\n\nfunc Add(a, b int) int { return a + b }\n",
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"Add = %d\", got)\n\t}\n}\n\nfunc BenchmarkAdd(b *testing.B) {\n\tfor b.Loop() {\n\t\tAdd(1, 2)\n\t}\n}\n",
	})
	tests := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{Adapter: "gotest", Caches: []string{"go"}, Env: []string{"GOCACHE=" + goCache(t)}})
	out := mustRun(t, tests, eval.Request{Base: repo, Trusted: repo})
	checkOutcome(t, out, "", map[string]float64{"pass_rate": 1, "tests_total": 1}, "")
	wrong := []record.Change{{Path: "a.go", Mode: record.Regular, Data: []byte("package m\n\nfunc Add(a, b int) int { return a - b }\n")}}
	out = mustRun(t, tests, eval.Request{Base: repo, Trusted: repo, Delta: wrong})
	checkOutcome(t, out, "", map[string]float64{"pass_rate": 0, "tests_failed": 1}, "")
	if !strings.Contains(evidence(out, "artifact m TestAdd"), "Add = -1") {
		t.Errorf("evidence %v", out.Artifacts)
	}
	broken := []record.Change{{Path: "a.go", Mode: record.Regular, Data: []byte("package m\n\nfunc Add(a, b int) int { return a + c }\n")}}
	out = mustRun(t, tests, eval.Request{Base: repo, Trusted: repo, Delta: broken})
	checkOutcome(t, out, record.ClassBuild, nil, "a.go:3: undefined: c")
	bench := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{
		Adapter: "gobench", Direction: eval.Minimize, Env: []string{"GOCACHE=" + goCache(t)},
		Command: []string{"go", "test", "-run=^$", "-bench=.", "-benchtime=100x", "-count=2"},
	})
	out = mustRun(t, bench, eval.Request{Base: repo, Trusted: repo, Root: true})
	if out.Failed() || out.ObjectiveName != "ns/op" || out.Objective <= 0 {
		t.Errorf("%s = %g (%s)", out.ObjectiveName, out.Objective, out.Reason)
	}
	value(t, out, "Add ns/op")
	out = mustRun(t, bench, eval.Request{Base: repo, Trusted: repo, Delta: broken})
	checkOutcome(t, out, record.ClassBuild, nil, "undefined: c")
}

// goCache is the build cache of this machine: an empty one would cost seconds.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
