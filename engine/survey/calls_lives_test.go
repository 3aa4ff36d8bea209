package survey

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lives records what tests of a module kit of Python do, and makes it again.
func lives(t *testing.T, kit string, tests []string) []string {
	t.Helper()
	suite := "import unittest\n\nimport kit\n\n\nclass Tests(unittest.TestCase):\n    def test_all(self):\n        " + strings.Join(tests, "\n        ") + "\n"
	return livesOf(t, pythonCalls, "python3", map[string]string{"kit.py": kit, "test_kit.py": suite}, "-m", "unittest", "-q", "test_kit")
}

// livesOf records what a command of the tests does in a tree, and makes it again. It tells each call as a line: how it is
// made, the methods that are called, and what they answer or what keeps them from being made again.
func livesOf(t *testing.T, kit callKit, program string, files map[string]string, tests ...string) (lines []string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not on the PATH", program)
	}
	tree, evaluator := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		write(tree, name, text)
	}
	bench := &callBench{survey: &survey{Options: Options{Lab: &Lab{Files: slices.Collect(maps.Keys(files))}}}, kit: kit}
	for name, text := range bench.with(map[string]string{"record" + kit.ending: kit.record, "measure" + kit.ending: kit.measure}) {
		write(evaluator, name, text)
	}
	run := func(args ...string) []byte {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = tree, append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "ATOLL_RUN=", "ATOLL_RESULT="+filepath.Join(evaluator, "result.json"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return out
	}
	_, text, _ := strings.Cut(string(run(append([]string{filepath.Join(evaluator, "record"+kit.ending)}, tests...)...)), "ATOLL_CALLS ")
	var r recorded
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for name, text := range files { // as a candidate has them
		write(tree, name, text)
	}
	write(evaluator, "calls.json", text)
	var answers [][]answer
	if err := json.Unmarshal(run(filepath.Join(evaluator, "measure"+kit.ending), "answers"), &answers); err != nil {
		t.Fatal(err)
	}
	for i, f := range r.Functions {
		for j, c := range f.Calls {
			line, a := f.called()+c.Args, answers[i][j]
			for k, s := range c.Then[:min(len(a.Steps), len(c.Then))] {
				line += "." + s.Method + s.Args
				if a.Steps[k] {
					line += "*"
				}
			}
			if a.Answer != nil {
				line += " = " + strings.ReplaceAll(*a.Answer, "\n", ", ")
			}
			if a.Failed != "" {
				line += " fails: " + a.Failed
			}
			lines = append(lines, line)
		}
		lines = append(lines, fmt.Sprintf("%d x %s", f.Count, f.called()))
	}
	return lines
}

func TestObjectsAreMadeAnewAndUsedAsTheTestsDo(t *testing.T) {
	t.Parallel()
	const stack = "class Stack:\n    made = 0\n\n    def __init__(self, items=()):\n        self.items = items if type(items) is list else list(items)\n        Stack.made += 1\n\n    def push(self, item):\n        self.items.append(item)\n\n" +
		"    def pop(self):\n        return self.items.pop()\n\n    def __len__(self):\n        return len(self.items)\n\n    def each(self):\n        yield from self.items\n\n    def _clear(self):\n        self.items = []\n\n    def number(self):\n        return Stack.made\n\n\n" +
		"def filled(n):\n    return Stack(tuple(range(n)))\n\n\nclass Bare:\n    def double(self, n):\n        return 2 * n\n\n    def keep(self, n):\n        self.n = n\n\n    def kept(self):\n        return self.n\n"
	for name, c := range map[string]struct {
		tests []string
		want  []string
	}{
		"methods are called in the order of the tests": {
			[]string{"s = kit.Stack((1,))", "s.push(2)", "s.push(item=3)", "self.assertEqual((s.pop(), len(s)), (3, 2))"},
			[]string{"kit.Stack((1,),).push(2,).push(3,).pop().__len__() = None, None, 3, 2", "1 x kit.Stack"},
		},
		"an object of its own for each call where it keeps nothing": {
			[]string{"b = kit.Bare()", "for n in (1, 2, 2):", "    b.double(n)", "b.keep(1)", "b.kept()"},
			[]string{"kit.Bare().double(1,) = 2", "kit.Bare().double(2,) = 4", "kit.Bare().keep(1,).kept() = None, 1", "4 x kit.Bare"},
		},
		"objects that the project itself makes for the tests": {
			[]string{"kit.filled(3).pop()"},
			[]string{"kit.filled(3,)", "1 x kit.filled", "kit.Stack((0, 1, 2),).pop() = 2", "1 x kit.Stack"},
		},
		"an iterator is exhausted": {
			[]string{"list(kit.Stack((1, 2)).each())"},
			[]string{"kit.Stack((1, 2),).each()* = [1, 2]", "1 x kit.Stack"},
		},
		"nothing behind a call that cannot be written down, or that is private": {
			[]string{"s = kit.Stack()", "s.push(1)", "s.push(object())", "s.pop()", "s = kit.Stack((7,))", "s._clear()", "len(s)"},
			[]string{"kit.Stack((),).push(1,) = None", "kit.Stack((7,),)", "2 x kit.Stack"},
		},
		"nothing behind a call that fails": {
			[]string{"s = kit.Stack((5,))", "s.pop()", "self.assertRaises(IndexError, s.pop)", "s.push(1)"},
			[]string{"kit.Stack((5,),).pop() = 5", "1 x kit.Stack"},
		},
		"what is kept for the next object answers otherwise": {
			[]string{"kit.Stack().number()"},
			[]string{"kit.Stack((),).number() = 1 fails: it answers otherwise the second time", "1 x kit.Stack"},
		},
		"an argument that the object keeps and changes": {
			[]string{"s = kit.Stack([1])", "s.push(2)"},
			[]string{"kit.Stack([1],).push(2,) fails: it changes its arguments", "1 x kit.Stack"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := lives(t, stack, c.tests); !slices.Equal(got, c.want) {
				t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestAFunctionBehindADecoratorIsCalledByItsName(t *testing.T) {
	t.Parallel()
	const checks = "import functools\n\n\ndef check(f):\n    @functools.wraps(f)\n    def wrapper(*args, **kwargs):\n        return bool(f(*args, **kwargs))\n\n    return wrapper\n\n\n" +
		"@check\ndef even(n):\n    return n % 2 == 0\n\n\n@check\ndef long(text, least=3):\n    return len(text) >= least\n"
	got := lives(t, checks, []string{"kit.even(2)", "kit.even(3)", "kit.long(\"abc\", least=2)"})
	want := []string{"kit.even(2,) = True", "kit.even(3,) = False", "2 x kit.even", "kit.long('abc',) = True", "1 x kit.long"}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestACallIsKeptWithTheMethodsThatWorked(t *testing.T) {
	t.Parallel()
	text := "1, 2"
	for _, c := range []struct {
		name          string
		first, second []bool
		want          int // -1: not kept
	}{
		{"all", []bool{false, true}, []bool{false, true}, 2},
		{"those before one that fails", []bool{true}, []bool{true}, 1},
		{"none that works once", []bool{false, false}, []bool{false}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &calledOften{Count: 1, Calls: []call{{Then: make([]step, 2)}}}
			f.keep([]answer{{Answer: &text, Steps: c.first, Micros: 1}}, []answer{{Answer: &text, Steps: c.second, Micros: 1}})
			got := -1
			if len(f.Calls) == 1 {
				if got = len(f.Calls[0].Then); f.Calls[0].Then[got-1].Iterates != c.first[got-1] {
					t.Errorf("whether %+v gives an iterator is not kept", f.Calls[0].Then)
				}
			}
			if got != c.want {
				t.Errorf("kept with %d methods, want %d", got, c.want)
			}
		})
	}
}

func TestWhatACallOfACandidateGivesOtherwiseIsNamed(t *testing.T) {
	t.Parallel()
	needsPython3(t)
	const calls = `{"functions": [{"name": "kit:Stack", "calls": [{"args": "(1,)", "kwargs": "{}", "answer": %s, "then": [%s]}]}]}`
	const pops = `{"method": "pop", "args": "()"}, {"method": "pop", "args": "(2,)"}`
	for _, c := range []struct{ name, wanted, then, now, want string }{
		{"the same", `"3\n4"`, pops, `{"answer": "3\n4", "failed": "", "steps": [false, false]}`, ""},
		{"one method", `"3\n4"`, pops, `{"answer": "3\n5", "failed": "", "steps": [false, false]}`, "kit:Stack, called with (1,) and {}, then pop(2,) gave 5 instead of 4"},
		{"a method that fails", `"3\n4"`, pops, `{"answer": "3", "failed": "", "steps": [false], "broken": "pop: KeyError: 2"}`, "kit:Stack, called with (1,) and {}, failed then: pop: KeyError: 2"},
		{"objects for all", `"3\n4"`, pops, `{"answer": null, "failed": "", "steps": [false, false]}`, "kit:Stack, called with (1,) and {}, gave None instead of 3\n4"},
		{"a function", `"3"`, "", `{"answer": "4", "failed": "", "steps": []}`, "kit:Stack, called with (1,) and {}, gave 4 instead of 3"},
		{"one that fails", `"3"`, "", `{"failed": "ImportError: x"}`, "kit:Stack, called with (1,) and {}, failed: ImportError: x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := inMeasure(t, "try:\n    measure.compare(json.loads(sys.argv[1]), json.loads(sys.argv[2]))\nexcept measure.Failure as e:\n    print(e, end='')", fmt.Sprintf(calls, c.wanted, c.then), "[["+c.now+"]]")
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestAProcessThatEndsBetweenTwoQuestionsIsAFailureOfTheCandidate(t *testing.T) {
	t.Parallel()
	needsPython3(t)
	got := inMeasure(t, "w = measure.Worker.__new__(measure.Worker)\nw.process = subprocess.Popen(['true'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding='utf-8')\nw.process.wait()\n"+
		"try:\n    w.ask('answers')\nexcept measure.Failure as e:\n    print(e, end='')\nw.close()")
	if !strings.Contains(got, "ended by itself") {
		t.Errorf("it says %q", got)
	}
}

func needsPython3(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on the PATH")
	}
}

// inMeasure runs code beside measure.py.
func inMeasure(t *testing.T, code string, args ...string) string {
	t.Helper()
	cmd := exec.Command("python3", append([]string{"-c", "import json, subprocess, sys\n\nimport measure\n\n" + code}, args...)...)
	cmd.Dir, cmd.Env = "calls", append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
