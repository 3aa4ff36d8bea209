package survey_test

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine/sandbox"
	"atoll/engine/survey"
)

// surveyed measures a repository of some files and returns what was found and said.
func surveyed(t *testing.T, files map[string]string) (survey.Result, string, error) {
	t.Helper()
	l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, files))
	var said []string
	r, err := survey.Run(t.Context(), survey.Options{Lab: l, Look: config.Detect(l.Files, l.Read), Env: os.Environ(), Say: func(s string) { said = append(said, s) }})
	if err != nil && !errors.Is(err, survey.ErrNothing) {
		t.Fatal(err)
	}
	text := strings.Join(said, "\n")
	if err == nil {
		loaded, loadErr := config.Load(config.LoadOptions{Data: config.Template(r.Detected)})
		if loadErr != nil {
			t.Fatalf("the file does not load: %v\n%s", loadErr, config.Template(r.Detected))
		}
		if problems := loaded.Complete(); len(problems) > 0 {
			t.Fatalf("the file is not complete: %v", problems)
		}
	}
	return r, text, err
}

const goSource = "package x\n\nfunc Sum(n int) (s int) {\n\tfor i := range n {\n\t\ts += i * i\n\t}\n\treturn s\n}\n"

func TestGoBenchmarksAreMeasuredAndChosen(t *testing.T) {
	suitetest.Full(t, "the go command builds in sandboxes again and again; calls of Python tests stand for it")
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.22\n", "x.go": goSource, "cmd/tool/main.go": "package main\n\nfunc main() {}\n", "bad/bad.go": "package bad\n\nfunc broken( {\n",
		"data/cases.txt": "7\n", "data/unused.txt": "7\n",
		"x_test.go": "package x\n\nimport (\n\t\"net\"\n\t\"os\"\n\t\"strconv\"\n\t\"testing\"\n\t\"time\"\n)\n\n" +
			"func BenchmarkItoa(b *testing.B) {\n\tSum(time.Now().Nanosecond() % 50)\n\tfor i := range b.N {\n\t\tstrconv.Itoa(i)\n\t}\n}\n\n" +
			"func TestSum(t *testing.T) {\n\tif Sum(3) != 5 {\n\t\tt.Fatal()\n\t}\n}\n\n" +
			"func TestNet(t *testing.T) {\n\tif _, err := net.LookupHost(\"example.com\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n\n" +
			"func BenchmarkSum(b *testing.B) {\n\tif _, err := os.ReadFile(\"data/cases.txt\"); err != nil {\n\t\tb.Fatal(err)\n\t}\n\tfor range b.N {\n\t\tSum(1000)\n\t}\n}\n\n" +
			"func BenchmarkSlow(b *testing.B) {\n\tfor range b.N {\n\t\ttime.Sleep(900 * time.Millisecond)\n\t}\n}\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	m := r.Measured
	if m.Objective != "ns/op" || m.Direction != config.Minimize || m.Unsure || !m.Paired || m.Timeout < 10e9 || m.Jobs < 20 {
		t.Errorf("measured %+v\n%s", m, said)
	}
	command := strings.Join(r.Evaluator, " ")
	if !strings.Contains(command, "Benchmark(Sum)$") || strings.Contains(command, "Slow") {
		t.Errorf("command %s", command)
	}
	if len(m.Stages) != 1 || !slices.Contains(m.Stages[0].Command, "-skip=^(TestNet)$") {
		t.Errorf("stages %+v", m.Stages)
	}
	if !slices.Contains(r.Protected, "data/cases.txt") || slices.Contains(r.Protected, "data/unused.txt") || !slices.Contains(r.Protected, "**/*_test.go") {
		t.Errorf("protected %q", r.Protected)
	}
	if !slices.Equal(r.Scope, []string{"*.go"}) {
		t.Errorf("scope %q: the tool is not measured", r.Scope)
	}
	for _, want := range []string{"slow benchmarks are left out: Slow", "benchmarks that run no code of this module are left out: Itoa", "1 tests fail on the root in the sandbox and are left out: TestNet"} {
		if !strings.Contains(said, want) {
			t.Errorf("not said: %s\n%s", want, said)
		}
	}
}

func TestWhereAMeasurementTakesLongLessIsMeasured(t *testing.T) {
	suitetest.Full(t, "the go command builds in sandboxes again and again; TestWhatIsLeftOutOfALongMeasurement stands for it")
	t.Parallel()
	tests := "package x\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n"
	for name, prepares := range map[string]string{"Most": "", "Little": "\ttime.Sleep(600 * time.Millisecond)\n"} {
		tests += "\nfunc Benchmark" + name + "(b *testing.B) {\n" + prepares + "\tfor range b.N {\n\t\tSum(1000)\n\t}\n}\n"
	}
	l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.22\n", "x.go": goSource, "x_test.go": tests}))
	said := ""
	r, err := survey.Run(t.Context(), survey.Options{Lab: l, Look: config.Detect(l.Files, l.Read), Env: os.Environ(), Long: time.Second, Say: func(s string) { said += s + "\n" }})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(r.Measured.Notes, "\n")
	if command := strings.Join(r.Evaluator, " "); !strings.Contains(command, "Benchmark(Most)$") || strings.Count(said, "left out: Little (") != 1 || !strings.Contains(notes, "Little the most of them with ") || !strings.Contains(notes, "left out: Little (") || r.Measured.Objective != "ns/op" {
		t.Errorf("command %s\n%s", command, said)
	}
}

func TestScriptsAreReadAsTheyReport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                         string
		files                        map[string]string
		output, objective, direction string
		unsure                       bool
		protected                    []string
	}{
		{
			"pairs with a time fall",
			map[string]string{"bench.sh": "cat src/a.c settings.ini > /dev/null; echo cases: 3; echo time_ms = 12.5\n", "src/a.c": "", "settings.ini": ""},
			"name=value", "time_ms", config.Minimize, false,
			[]string{"bench.sh", "settings.ini"},
		},
		{
			"a result file says itself which way is better",
			map[string]string{"evaluate.sh": `echo '{"metrics": [{"name": "q", "value": 2, "higher_is_better": false}]}' > "$ATOLL_RESULT"`},
			"result-file", "q", config.Minimize, false,
			[]string{"evaluate.sh"},
		},
		{"the last JSON line", map[string]string{"eval.sh": `echo start; echo '{"accuracy": 0.5, "n": 10}'`}, "last-json-line", "accuracy", config.Maximize, false, []string{"eval.sh"}},
		{"a bare number by the words of the script", map[string]string{"bench.sh": "# elapsed seconds\necho 1.25\n"}, "last-number", "time", config.Minimize, false, []string{"bench.sh"}},
		{"a bare number without words is marked", map[string]string{"bench.sh": "echo 1.25\n"}, "last-number", "result", config.Maximize, true, []string{"bench.sh"}},
		{
			"a bare number by the words of a source that is built first",
			map[string]string{
				"Makefile": "bench:\n\tcat bench.c bench.conf main.c > /dev/null\n\techo 0.5\ntest:\n\tcat check.c > /dev/null\n", "bench.c": "/* clock_gettime */", "bench.conf": "3", "main.c": "int x;", "check.c": "int y;",
			},
			"last-number", "time", config.Minimize, false,
			[]string{"Makefile", "bench.c", "bench.conf", "check.c"},
		},
		{"no number at all is timed", map[string]string{"bench.sh": "echo done well\n"}, "result-file", "time_ms", config.Minimize, false, []string{"bench.sh"}},
		{"a second way is tried when the first fails", map[string]string{"evaluate.sh": "exit 3\n", "bench.sh": "echo score = 1\n"}, "name=value", "score", config.Maximize, false, []string{"bench.sh"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, said, err := surveyed(t, c.files)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if r.Output != c.output || r.Measured.Objective != c.objective || r.Measured.Direction != c.direction || r.Measured.Unsure != c.unsure {
				t.Errorf("output %s, objective %s, direction %s, unsure %v\n%s", r.Output, r.Measured.Objective, r.Measured.Direction, r.Measured.Unsure, said)
			}
			if !slices.Equal(r.Protected, c.protected) {
				t.Errorf("protected %q, want %q\n%s", r.Protected, c.protected, said)
			}
		})
	}
}

func TestAScorersOwnSettingsAreOutOfScope(t *testing.T) {
	t.Parallel()
	needsPython(t)
	r, said, err := surveyed(t, map[string]string{
		"evaluator.py":       "import importlib.util, config\ndef evaluate(program_path):\n    spec = importlib.util.spec_from_file_location('p', program_path)\n    m = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(m)\n    return {'combined_score': m.run(config.N)}\n",
		"config.py":          "N = 20\n",
		"initial_program.py": "def run(n):\n    return n / 2\n",
		"other.py":           "x = 1\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !slices.Contains(r.Protected, "config.py") || !slices.Equal(r.Scope, []string{"initial_program.py"}) || r.Measured.Objective != "combined_score" {
		t.Errorf("protected %q, scope %q, objective %s\n%s", r.Protected, r.Scope, r.Measured.Objective, said)
	}
}

func needsPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3, which is not on PATH")
	}
}

func TestInputThatIsMadeBesideTheProgramIsNamed(t *testing.T) {
	t.Parallel()
	needsPython(t)
	r, said, err := surveyed(t, map[string]string{
		"bench.sh": ". ./tour.sh\necho tour_length = $(tour)\n",
		"tour.sh":  "generate_cities() { echo 20; }\ntour() { echo 7; }\n",
		"route.py": "def generate_cities(n=20):\n    return n\n", "evaluate.py": "import route\nprint('cost =', route.generate_cities())\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !strings.Contains(said, "CHECK route.py: it also makes the input") {
		t.Errorf("not said: %s", said)
	}
	if r.Measured.Direction != config.Minimize {
		t.Errorf("a cost rises")
	}
}

func TestNothingToMeasureIsSaid(t *testing.T) {
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{"README.md": "hello\n", "bench.sh": "echo no table >&2\nexit 3\n"})
	if !errors.Is(err, survey.ErrNothing) || r.Measured != nil {
		t.Errorf("%v %+v\n%s", err, r.Measured, said)
	}
	r.Evaluator = nil
	if file := string(config.Template(r.Detected)); !strings.Contains(file, "  # CHECK evaluator.command: sh bench.sh does not measure: no table") {
		t.Errorf("the file does not say what was found:\n%s\n%s", file, said)
	}
}

func TestTestsAloneGetABenchmarkOfTheHottestFunctions(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "it compiles Go with benchmarks of its own many times; TestCallsOfPythonTestsBecomeABenchmark makes benchmarks")
	r, said, err := surveyed(t, map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.22\n",
		"x.go": "package x\n\nimport \"os\"\n\ntype Options struct{ N int }\n\ntype Values []float64\n\n" +
			"// Hot is where the tests spend their time.\nfunc Hot(s string, o *Options) (n int) {\n\tfor i := range 20000 {\n\t\tn += i ^ len(s)\n\t}\n\treturn n\n}\n\n" +
			"func Mean(v Values) float64 {\n\ts := 0.0\n\tfor _, x := range v {\n\t\ts += x\n\t}\n\treturn s / float64(len(v))\n}\n\n" +
			"func NeedsOptions(s string, o *Options) int { return len(s) + o.N }\n\nfunc Exotic(c chan int) int { return <-c }\n\nfunc hidden(s string) int { return len(s) }\n\n" +
			"type Size uint16\n\nfunc (s Size) String() string {\n\tout := \"\"\n\tfor range int(s) % 99 {\n\t\tout += \"x\"\n\t}\n\treturn out\n}\n\n" +
			"type Word struct{ s string }\n\nfunc ParseWord(s string) (*Word, error) {\n\tif s == \"\" {\n\t\treturn nil, os.ErrInvalid\n\t}\n\treturn &Word{s}, nil\n}\n\nfunc (w *Word) Text() string { return string(w.s) }\n\nfunc (w *Word) Len() (n int) {\n\tfor range w.s {\n\t\tn++\n\t}\n\treturn n\n}\n\n" +
			"type Words struct{ n int }\n\nfunc NewWords() *Words { return &Words{n: 2000} }\n\nfunc (w *Words) Count(s string) (n int) {\n\tfor i := range w.n {\n\t\tn += i ^ len(s)\n\t}\n\treturn n\n}\n\n" +
			"type Form uint8\n\nconst (\n\tnoForm Form = iota\n\tFormOne\n\tFormTwo\n)\n\nfunc Weigh(v interface{}, f Form) (n int, err error) {\n\tif f == noForm || f > FormTwo {\n\t\treturn 0, os.ErrInvalid\n\t}\n\tfor i := range 20000 {\n\t\tn += i ^ int(f)\n\t}\n\treturn n, nil\n}\n\nfunc Fill(s string, v any) error { return nil }\n\n" +
			"type Lone struct{}\n\nfunc (Lone) Never(s string) int { return len(s) }\n",
		"x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestHot(t *testing.T) {\n\tfor range 20000 {\n\t\tif Hot(\"a text of the tests\", nil) == 0 || NewWords().Count(\"a\") == 0 {\n\t\t\tt.Fatal()\n\t\t}\n\t}\n\t_ = hidden(\"\")\n}\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !strings.Contains(said, "an objective is missing") || !strings.Contains(said, "benchmarks of Hot, WordsCount, ") {
		t.Errorf("said\n%s", said)
	}
	source := r.Scaffold["bench_test.go.txt"]
	if !strings.Contains(source, "BenchmarkAtollHot") || !strings.Contains(source, "a text of the tests") || !strings.Contains(source, "x := NewWords()") || !strings.Contains(source, "xs = append(xs, Size(n))") || !strings.Contains(source, "if x, err := ParseWord(atollTexts[") || !strings.Contains(source, "BenchmarkAtollWordLen") || !strings.Contains(source, "Weigh(atollAny[(i*1+0)%len(atollAny)], FormOne)") || strings.Contains(source, "Fill(") || strings.Contains(source, "BenchmarkAtollWordText") || strings.Contains(source, "NeedsOptions") || strings.Contains(source, "Never") || strings.Contains(source, "Exotic") {
		t.Errorf("source\n%s", source)
	}
	if hot := r.Measured.Targets; len(hot) < 2 || !slices.ContainsFunc(hot, func(t config.Target) bool { return t.Symbol == "Hot" && slices.Equal(t.Files, []string{"x.go"}) }) || hot[len(hot)-1].Symbol != "" {
		t.Errorf("the functions that scaffolded benchmarks spend their time in are no targets: %+v\n%s", hot, said)
	}
	if r.Dir != survey.EvaluatorDir || r.Measured.Objective != "ns/op" || r.Measured.Direction != config.Minimize || !r.Measured.Paired {
		t.Errorf("%+v", r.Measured)
	}
}

func TestWhatACallUsesUpIsMadeAnewForEachTurn(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "it compiles Go with benchmarks of its own many times; TestCallsOfPythonTestsBecomeABenchmark makes benchmarks")
	const tests = "package x\n\nimport \"testing\"\n\nfunc TestAll(t *testing.T) {\n\tfor _, s := range []string{\"a text\", \"another text\", \"a third text\"} {\n\t\tif NewFeed(s).Rest() == 0 || NewPattern(s).Match(s+s) == 0 {\n\t\t\tt.Fatal()\n\t\t}\n\t\tNewHeap().Push(s)\n\t}\n}\n"
	r, said, err := surveyed(t, map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.22\n",
		"x.go": "package x\n\ntype Feed struct{ s string }\n\nfunc NewFeed(s string) *Feed { return &Feed{s} }\n\nfunc (f *Feed) Rest() (n int) {\n\tfor len(f.s) > 0 {\n\t\tn += int(f.s[0])\n\t\tf.s = f.s[1:]\n\t}\n\treturn n\n}\n\n" +
			"type Pattern struct{ s string }\n\nfunc NewPattern(s string) *Pattern { return &Pattern{s} }\n\nfunc (p *Pattern) Match(in string) (n int) {\n\tfor i := range in {\n\t\tn += int(in[i] ^ p.s[i%len(p.s)])\n\t}\n\treturn n\n}\n\n" +
			"type Heap struct{ all []string }\n\nfunc NewHeap() *Heap { return &Heap{} }\n\nfunc (h *Heap) Push(s string) (n int) {\n\th.all = append(h.all, s)\n\tfor _, o := range h.all {\n\t\tif o < s {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}\n",
		"x_test.go": tests,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	source := r.Scaffold["bench_test.go.txt"]
	for _, want := range []string{
		"func BenchmarkAtollFeedRest(b *testing.B) {\n\tfor b.Loop() {\n\t\tvar xs []*Feed\n",
		"func BenchmarkAtollHeapPush(b *testing.B) {\n\tfor b.Loop() {\n\t\tx := NewHeap()\n",
		"func BenchmarkAtollPatternMatch(b *testing.B) {\n\tvar xs []*Pattern\n", "BenchmarkAtollNewPattern(",
	} {
		if !strings.Contains(source, want) {
			t.Errorf("it lacks %s\n%s", want, source)
		}
	}
	if strings.Contains(source, "BenchmarkAtollNewFeed") || !strings.Contains(said, "made anew for each turn: ") || !strings.Contains(said, "measured with them: NewFeed") {
		t.Errorf("said\n%s\n%s", said, source)
	}
}

func TestTestsWithoutCallableFunctionsAreTimed(t *testing.T) {
	suitetest.Full(t, "surveys a project; TestCallsOfPythonTestsBecomeABenchmark stands for it")
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{
		"Makefile": "test:\n\tsh check.sh\n", "check.sh": "grep -q main main.c\n", "main.c": "int main(void) { return 0; }\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if r.Measured.Objective != "time_ms" || r.Measured.Direction != config.Minimize || len(r.Measured.Stages) != 0 || !strings.Contains(said, "stands in for the objective that is missing") {
		t.Errorf("%+v\n%s", r.Measured, said)
	}
}

func TestPythonCodeFindsThePackagesOfItsRepository(t *testing.T) {
	t.Parallel()
	needsPython(t)
	r, said, err := surveyed(t, map[string]string{
		"pyproject.toml": "[project]\nname = \"x\"\n", "src/x/__init__.py": "from x.task_lists import f\n", "src/x/task_lists.py": "def f(n):\n    return sum(range(n))\n",
		"tests/__init__.py": "", "tests/test_x.py": "import unittest\nimport x\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(x.f(3), 3)\n",
		"benchmark/bench.py": "import x\nprint('sum_ms=%d' % x.f(4))\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !slices.Equal(r.Env, []string{"PYTHONPATH={tree}/src"}) || r.Measured.Objective != "sum_ms" || len(r.Measured.Stages) != 1 {
		t.Errorf("env %q, objective %s, stages %v\n%s", r.Env, r.Measured.Objective, r.Measured.Stages, said)
	}
	if slices.Contains(r.Protected, "src/x/task_lists.py") {
		t.Errorf("a module of the package is protected for a part of its name: %q\n%s", r.Protected, said)
	}
	if text := string(config.Template(r.Detected)); !strings.Contains(text, `env: ["PYTHONPATH={tree}/src"]`) {
		t.Errorf("the file does not say it:\n%s", text)
	}
}

func TestABenchmarkThatRunsForAWhileIsNotTimed(t *testing.T) {
	t.Parallel()
	_, said, err := surveyed(t, map[string]string{"bench.sh": "echo leven; echo ' 1,234,567 ops/sec +-1.2%'\n"})
	if !errors.Is(err, survey.ErrNothing) || !strings.Contains(said, "words that cannot be read") {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestRatesThatASuitePrintsAreTheObjective(t *testing.T) {
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{
		"bench.sh": "n=$(wc -c < size.txt)\necho \"leven x 1,234,$n.5 ops/sec +-1.2% (90 runs sampled)\"\necho 'near x 400 ops/sec +-0.1% (80 runs sampled)'\necho Fastest is leven\n", "size.txt": strings.Repeat("a", 567),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if r.Detected.Output != "suite" || r.Measured.Objective != "ops/s of 2 cases" || r.Measured.Direction != config.Maximize {
		t.Errorf("output %s, objective %s, %s\n%s", r.Detected.Output, r.Measured.Objective, r.Measured.Direction, said)
	}
}

func TestCallsOfPythonTestsBecomeABenchmark(t *testing.T) {
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{
		"pyproject.toml": "[project]\nname = \"words\"\n", "words/__init__.py": "from words.count import count, shuffled, spell\n",
		"words/count.py": "import random\n\n\ndef _split(text):\n    return list(map(lambda w: w.lower(), text.split()))\n\n\ndef count(text, *, least=1):\n    seen = {}\n    for w in _split(text):\n        seen[w] = seen.get(w, 0) + 1\n    return {w: n for w, n in seen.items() if n >= least}\n\n\n" +
			"def shuffled(words):\n    return random.sample(words, len(words))\n\n\ndef first(word):\n    return word[:1]\n\n\ndef spell(word):\n    for c in word:\n        yield c\n\n\ndef clear(words):\n    words.clear()\n",
		"tests/__init__.py": "",
		"tests/test_words.py": "import unittest\n\nfrom words import count, shuffled, spell\nfrom words.count import clear, first\n\n\nclass Tests(unittest.TestCase):\n    def test_count(self):\n        for _ in range(20):\n            self.assertEqual(count(\"a b A \" * 50, least=60), {\"a\": 100})\n        self.assertRaises(AttributeError, count, 3)\n\n" +
			"    def test_others(self):\n        for _ in range(20):\n            self.assertEqual(\"\".join(spell(\"abc\" * 100)), \"abc\" * 100)\n        first(\"word\")\n        shuffled(list(range(50)))\n        clear([1])\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if m := r.Measured; m.Objective != "time_us" || m.Direction != config.Minimize || !m.Paired || len(m.Stages) != 1 {
		t.Errorf("measured %+v\n%s", m, said)
	}
	for _, want := range []string{`"words.count:count"`, `"{'least': 60}"`, `"{'a': 100}"`, `"words.count:spell"`, `"iterates": true`} {
		if !strings.Contains(r.Scaffold["calls.json"], want) {
			t.Errorf("no %s in\n%s", want, r.Scaffold["calls.json"])
		}
	}
	for _, other := range []string{"shuffled", "clear", "(3,)"} { // gives another answer each time, changes what it is given, fails
		if strings.Contains(r.Scaffold["calls.json"], other) {
			t.Errorf("%s cannot be called again and again:\n%s", other, r.Scaffold["calls.json"])
		}
	}
	if strings.Contains(r.Scaffold["calls.json"], "first") || !strings.Contains(said, "left out of time_us") || !strings.Contains(said, ": words.count.first\n") || !strings.Contains(r.Scaffold["calls.json"], `"share": 0.`) {
		t.Errorf("a function in which the tests spend next to no time is not left out:\n%s\n%s", said, r.Scaffold["calls.json"])
	}
	if !slices.IsSortedFunc(r.Measured.Targets[:len(r.Measured.Targets)-1], func(a, b config.Target) int { return cmp.Compare(b.Weight, a.Weight) }) {
		t.Errorf("the hottest target is not the first: %+v", r.Measured.Targets)
	}
	if !slices.ContainsFunc(r.Measured.Targets, func(t config.Target) bool {
		return t.Symbol == "_split" && slices.Equal(t.Files, []string{"words/count.py"})
	}) {
		t.Errorf("targets %+v\n%s", r.Measured.Targets, said)
	}
	if !slices.Contains(r.Scope, "words/*.py") || slices.Contains(r.Scope, "tests/*.py") {
		t.Errorf("scope %q", r.Scope)
	}
	seen := map[string]bool{}
	for _, t1 := range r.Measured.Targets {
		if t1.Symbol == "" && !slices.Equal(t1.Files, r.Scope) {
			t.Errorf("%s is %q, and the scope %q", t1.Name, t1.Files, r.Scope)
		}
		if at := t1.Files[0] + ":" + t1.Symbol; t1.Symbol != "" && seen[at] {
			t.Errorf("%s is named twice: %+v", at, r.Measured.Targets)
		} else {
			seen[at] = true
		}
	}
}

func TestCallsOfJavaScriptTestsBecomeABenchmark(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on the PATH")
	}
	module := "exports.snake = function snake(text, options) {\n  return split(text).map((w) => w.toLowerCase()).join((options || {}).by || '_');\n};\n\nfunction split(text) {\n  return text.split(require('./constants').BETWEEN);\n}\n\n" +
		"exports.random = () => Math.random();\n\nexports.letters = function* letters(text) {\n  yield* text;\n};\n\nexports.clear = (list) => {\n  list.length = 0;\n};\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		calls []string
	}{
		{"modules that are required", map[string]string{
			"package.json": `{"name": "words", "main": "lib/words.js", "scripts": {"test": "node test/all.js"}}`, "lib/words.js": module, "lib/constants.js": "exports.BETWEEN = /[^A-Za-z0-9]+/;\n",
			"test/all.js": "const assert = require('assert');\nconst words = require('..');\nassert.equal(words.snake('Hello World', { by: '-' }), 'hello-world');\nassert.throws(() => words.snake(3));\nfor (let i = 0; i < 20; i++) assert.deepEqual([...words.letters('abc')], ['a', 'b', 'c']);\nwords.random();\nwords.clear([1]);\n",
		}, []string{`"lib/words.js:snake"`, `[\"Hello World\", {\"by\": \"-\"}]`, `"lib/words.js:letters"`, `"iterates": true`}},
		{"modules that are imported", map[string]string{
			"package.json": `{"name": "words", "type": "module", "exports": "./index.js", "scripts": {"test": "node test.js"}}`,
			"index.js":     "export default function split(text) {\n  return text.split('-');\n}\n\nexport class Box {}\n",
			"test.js":      "import assert from 'node:assert';\nimport split, { Box } from './index.js';\nassert.deepEqual(split('a-b-c'), ['a', 'b', 'c']);\nnew Box();\n",
		}, []string{`"index.js:default"`, `[\"a-b-c\"]`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "modules that are imported" {
				suitetest.Full(t, "modules that are required stand for it")
			}
			t.Parallel()
			r, said, err := surveyed(t, tt.files)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if m := r.Measured; m.Objective != "time_us" || m.Direction != config.Minimize || !m.Paired || len(m.Stages) != 1 {
				t.Errorf("measured %+v\n%s", m, said)
			}
			if slices.Contains(r.Protected, "lib/constants.js") {
				t.Errorf("constants of the product are protected: %q", r.Protected)
			}
			for _, want := range tt.calls {
				if !strings.Contains(r.Scaffold["calls.json"], want) {
					t.Errorf("no %s in\n%s", want, r.Scaffold["calls.json"])
				}
			}
			for _, other := range []string{"random", "[3]"} { // gives another answer each time, fails
				if strings.Contains(r.Scaffold["calls.json"], other) {
					t.Errorf("%s cannot be called again and again:\n%s", other, r.Scaffold["calls.json"])
				}
			}
			if !slices.ContainsFunc(r.Measured.Targets, func(t config.Target) bool { return t.Symbol == "split" }) {
				t.Errorf("targets %+v\n%s", r.Measured.Targets, said)
			}
		})
	}
}

func TestWhatTheEvaluatorWritesIsNotProtected(t *testing.T) {
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{
		"bench.sh": "cat src/a.c data.txt cases.txt > /dev/null\necho new > data.txt || exit 3\necho time_ms = 12.5\n", "src/a.c": "", "data.txt": "old\n", "cases.txt": "7\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if slices.Contains(r.Protected, "data.txt") || !slices.Contains(r.Protected, "cases.txt") {
		t.Errorf("protected %q\n%s", r.Protected, said)
	}
}

func TestWhereEverySourceIsTheEvaluatorsItsDataMayChange(t *testing.T) {
	t.Parallel()
	needsPython(t)
	for name, c := range map[string]struct {
		files map[string]string
		scope string
	}{
		"it reads them": {map[string]string{
			"evaluate.py": "import json\np = json.load(open('params.json'))\nprint('loss:', (p['lr'] - 3) ** 2)\n", "params.json": "{\"lr\": 1}\n", "README.md": "tune params.json\n",
		}, "params.json"},
		"it reads nothing": {map[string]string{"eval.py": "print('time =', 3)\n", "conf.txt": "a = 1\n"}, "conf.txt"},
	} {
		r, said, err := surveyed(t, c.files)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
			continue
		}
		if !slices.Equal(r.Scope, []string{c.scope}) || slices.Contains(r.Protected, c.scope) || !strings.Contains(said, "may change "+c.scope) {
			t.Errorf("%s: protected %q, scope %q\n%s", name, r.Protected, r.Scope, said)
		}
	}
}

func TestACallOfAModuleThatIsAFunctionIsNamed(t *testing.T) {
	suitetest.Full(t, "another survey of a JavaScript module for one name; modules that are required stand for it")
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on the PATH")
	}
	files := map[string]string{
		"package.json": `{"name": "slug", "main": "slug.js", "scripts": {"test": "node test.js"}}`,
		"slug.js":      "module.exports = function (text) {\n  return text.toLowerCase().split(' ').join('-');\n};\n",
		"test.js":      "const assert = require('assert');\nassert.equal(require('.')('Hello World'), 'hello-world');\n",
	}
	r, said, err := surveyed(t, files)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	dir := t.TempDir()
	write := func(folder, name, text string) {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range r.Scaffold {
		write("evaluator", name, text)
	}
	write("tree", "slug.js", strings.ReplaceAll(files["slug.js"], "'-'", "'_'"))
	cmd := exec.Command("node", filepath.Join(dir, "evaluator", "measure.cjs"))
	cmd.Dir = filepath.Join(dir, "tree")
	cmd.Env = append(os.Environ(), "ATOLL_RESULT="+filepath.Join(dir, "result.json"), "ATOLL_RUN=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "result.json")); err != nil || !strings.Contains(string(got), "slug.js (module.exports), called with") {
		t.Errorf("%v: the failure is %s", err, got)
	}
}

func TestATimeThatIsMostlyBuildingIsMarked(t *testing.T) {
	suitetest.Full(t, "builds a project again and again; TestWhatMakeOnlyBuildsIsRun surveys one with make")
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("cc is not on the PATH")
	}
	const main = "int main(void) { return 0; }\n"
	r, said, err := surveyed(t, map[string]string{
		"Makefile": "test:\n\tcc -O2 -o /dev/null tests.c\n", "tests.c": "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n" + main,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if notes := strings.Join(r.Measured.Notes, "\n"); !strings.Contains(notes, "CHECK evaluator.command: compilers take ") || !strings.Contains(said, "it is building, not running") || len(r.Scaffold) != 1 {
		t.Errorf("%s\n%s\n%d files", notes, said, len(r.Scaffold))
	}
	r, said, err = surveyed(t, map[string]string{"Makefile": "test:\n\ti=0; while [ $$i -lt 20000 ]; do i=$$((i+1)); done\n", "tests.c": main})
	if err != nil || strings.Contains(strings.Join(r.Measured.Notes, "\n"), "compilers") {
		t.Errorf("nothing is built: %v\n%s", err, said)
	}
}

func TestTestsThatFailAreMarked(t *testing.T) {
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{"bench.sh": "cat a.c\necho score = 1\n", "Makefile": "test:\n\t@echo three is odd; exit 1\n", "a.c": ""})
	if err != nil || !strings.Contains(strings.Join(r.Measured.Notes, "\n"), "CHECK the tests: the tests do not pass on the root in the sandbox, so they are no stage: ") {
		t.Errorf("noted %q: %v\n%s", r.Measured.Notes, err, said)
	}
}
