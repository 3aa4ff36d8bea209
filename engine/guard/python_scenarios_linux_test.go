package guard_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// scenario plays the tests of a file as the probe does: each as it is written, or with others of its values.
const scenario = `
import importlib.util, json, os, pickle, sys

class Parts:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("atoll_guard_"):
            return importlib.util.spec_from_file_location(name, os.path.join(sys.argv[1], name[12:] + ".py"))

sys.meta_path.insert(0, Parts())
sys.path.insert(0, os.getcwd())
from atoll_guard_making import decode
from atoll_guard_playing import Plays
from atoll_guard_scenarios import Module, calls_of

source, put = open("test_kit.py").read(), {int(k): v for k, v in (json.loads(sys.argv[2]) or {}).items()}
module = Module(source)
tests = {"test_kit:" + name: {"file": "test_kit.py", "name": name, "calls": calls_of(module, t), "reach": {"kit:f"}, "took": 0} for name, t in module.tests.items()}
plays = Plays({"sources": {"test_kit.py": [source]}, "tests": tests}, {"kit.py": {"direct": ["f"]}})
for group, test in plays.chosen.items():
    for row, data in enumerate(test["calls"]):
        values = [decode(v) for v in pickle.loads(data)[2]]
        if values[0] is not bool(put.get(-1)):
            continue
        values[1:] = [put.get(i, v) for i, v in enumerate(values[1:])]
        shown, told = plays.play(group, row, values)
        print(shown + " | " + " | ".join(told.replace("\x01", "").replace("\x03", "").split("\x04")))
`

func TestATestOfPythonTellsWhatItLooksAtInThePlaceOfWhatItExpects(t *testing.T) {
	t.Parallel()
	mustHave(t, "python3")
	const module = "class Box:\n    def __init__(self, *held):\n        self.held = list(held)\n\n    def put(self, v):\n        self.held.append(v)\n        return self\n\n\ndef f(v):\n    if v == 'bad':\n        raise ValueError('no ' + v)\n    return v * 2\n\n\nSAME = {'a': []}\n\n\ndef same():\n    return dict(SAME)\n\n\nclass Table:\n    def __init__(self, **held):\n        self._held = held\n\n    def keys(self):\n        return self._held.keys()\n\n    def __getitem__(self, k):\n        return self._held[k]\n\n    def __setitem__(self, k, v):\n        self._held[k] = v\n\n    def line(self):\n        return ' '.join(map(str, self._held.values()))\n\n\ndef assert_two(v):\n    assert f(v) == 'dd'\n\n\ndef case():\n    import unittest\n\n    class Case(unittest.TestCase):\n        def assertDoubled(self, v, want):\n            self.assertMultiLineEqual(f(v), want)\n            with self.assertRaises(ValueError):\n                f('bad')\n\n    return Case\n\n\nclass Slow:\n    asked = []\n\n    def __getattr__(self, name):\n        self.asked.append(name)\n        raise AttributeError(name)\n\n\ndef slow():\n    return Slow()\n"
	class := func(body string) string {
		return "import unittest\nfrom kit import Box, f\n\n\nclass Test(unittest.TestCase):\n" + body
	}
	for _, c := range []struct {
		name, test string
		put        map[int]any // other values, by their number
		want       []string
	}{
		{"as it is written", "from kit import f\n\ndef test_f():\n    assert f('a') == 'aa'\n", nil, []string{"test_f of test_kit.py | f('a'): 'aa'"}},
		{"with another value", "from kit import f\n\ndef test_f():\n    assert f('a') == 'aa'\n", map[int]any{0: "b"}, []string{"test_f of test_kit.py with 'b' for 'a' | f('a'): 'bb'"}},
		{
			"an assertion that fails is no end", "from kit import f\n\ndef test_f():\n    assert f('a') == 'aa'\n    assert 'x' in f('x'), 'why'\n",
			map[int]any{0: "b"},
			[]string{"test_f of test_kit.py with 'b' for 'a' | f('a'): 'bb' | f('x'): 'xx'"},
		},
		{
			"an iterator is told by what it gives, whatever it is", "from kit import f\n\ndef test_f():\n    it = (f(x) for x in 'ab')\n    later = map(f, 'a')\n    assert list(it) == ['aa', 'bb']\n    assert next(later)\n",
			map[int]any{0: "c"},
			[]string{"test_f of test_kit.py with 'c' for 'ab' | (f(x) for x in 'ab'): an iterator | map(f, 'a'): an iterator | list(it): ['cc'] | next(later): 'aa'"},
		},
		{
			"an object of the tree is not asked whether it is an iterator: it may answer for what it has not, and take long", "from kit import f, slow\n\ndef test_f():\n    v = slow()\n    assert f('a') == 'aa'\n    assert v.asked.count('__next__') == f(0)\n",
			map[int]any{0: "b"},
			[]string{"test_f of test_kit.py with 'b' for 'a' | slow(): Slow{} | f('a'): 'bb' | v.asked.count('__next__'): 0 | f(0): 0 | v.asked.count('__next__') == f(0): True"},
		},
		{
			"a function of the test gives a list where it gives a tuple", "from kit import f\n\ndef test_f():\n    assert [make(1) for make in [lambda v: (v, f(v))]] == f(1)\n",
			map[int]any{1: true},
			[]string{"test_f of test_kit.py with a list for a tuple, or the other way | [make(1) for make in [lambda v: (v, f(v))]]: [[1, 2]] | f(1): 2 | [make(1) for make in [lambda v: (v, f(v))]] == f(1): False"},
		},
		{
			"two sides that ask are told, and how they compare", "from kit import f\n\ndef test_f():\n    assert f('a') != f('b')\n",
			map[int]any{0: "b"},
			[]string{"test_f of test_kit.py with 'b' for 'a' | f('a'): 'bb' | f('b'): 'bb' | f('a') != f('b'): False"},
		},
		{
			"numbers that are not whole are not compared to their last digit", "from kit import f\n\ndef test_f():\n    assert f(0.5) == f(1.5)\n", nil,
			[]string{"test_f of test_kit.py | f(0.5): 1.0 | f(1.5): 3.0"},
		},
		{
			"a test case with what sets it up", class("    def setUp(self):\n        self.box = Box(1)\n\n    def test_put(self):\n        self.box.put('x')\n        self.assertEqual(self.box.held, [1, 'x'], 'msg')\n        self.assertTrue(self.box)\n"),
			map[int]any{0: "y", 1: 7},
			[]string{"Test.test_put of test_kit.py with 'y' for 'x', 7 for 1 | Box(1): Box{held=[7]} | self.box.put('x'): Box{held=[7, 'y']} | self.box.held: [7, 'y'] | self.box: Box{held=[7, 'y']}"},
		},
		{
			"exceptions, in each form of expecting them", class("    def test_bad(self):\n        with self.assertRaises(ValueError) as e:\n            f('bad')\n        self.assertEqual(str(e.exception), 'no bad')\n        self.assertRaises(ValueError, f, 'bad')\n        self.assertRaisesRegex(ValueError, 'no', f, 'bad')\n"),
			map[int]any{1: "good"},
			[]string{"Test.test_bad of test_kit.py with 'good' for 'bad' | it: raises ValueError: no bad | str(e.exception): 'no bad' | it: raises nothing | it: raises ValueError: no bad"},
		},
		{
			"rows, of which each is given other values", "import pytest\nfrom kit import f\n\n@pytest.mark.parametrize('v, want', [(1, 2), ('a', 'aa')])\ndef test_f(v, want):\n    assert f(v) == want\n",
			map[int]any{0: []any{1}},
			[]string{"test_f of test_kit.py with [1] for 1 | f(v): [1, 1] | want: 2 | f(v) == want: False", "test_f of test_kit.py with [1] for 'a' | f(v): [1, 1] | want: 'aa' | f(v) == want: False"},
		},
		{
			"a fixture of the file and a constant", "import pytest\nfrom kit import Box, f\n\nNAMES = ['a', 'b']\n\n@pytest.fixture\ndef box():\n    yield Box(3)\n\ndef test_f(box):\n    for name in NAMES:\n        assert f(name)\n    assert box.held == [3]\n",
			map[int]any{0: []any{"c"}, 1: 4},
			[]string{"test_f of test_kit.py with ['c'] for ['a', 'b'], 4 for 3 | f(name): 'cc' | box.held: [4]"},
		},
		{
			"fixtures that end what they began, with parameters and a folder", "import pytest\nfrom kit import Box, f\n\nopen_ = []\n\n@pytest.fixture(params=['a', 'b'])\ndef name(request, tmp_path):\n    open_.append(1)\n    (tmp_path / request.param).write_text('')\n    yield request.param\n    open_.pop()\n\n@pytest.fixture(autouse=True)\ndef box():\n    open_.append(Box(3))\n\ndef test_f(name, tmp_path):\n    assert f(len(open_)) == 4\n    assert [f(p.name) for p in tmp_path.iterdir()]\n",
			map[int]any{0: "c"},
			[]string{"test_f of test_kit.py with 'c' for 'a' | open_.append(1): None | (tmp_path / request.param).write_text(''): 0 | open_.append(Box(3)): None | f(len(open_)): 4 | [f(p.name) for p in tmp_path.iterdir()]: ['cc']", "test_f of test_kit.py with 'c' for 'b' | open_.append(1): None | (tmp_path / request.param).write_text(''): 0 | open_.append(Box(3)): None | f(len(open_)): 6 | [f(p.name) for p in tmp_path.iterdir()]: ['cc']"},
		},
		{
			"what it is given and written to, where the next call gives that", "from kit import f, same\n\ndef test_f():\n    assert f([1]) == [1, 1]\n    assert same() == {'a': []}\n    assert f(2) == 4\n",
			map[int]any{-1: true},
			[]string{"test_f of test_kit.py | same() gives what a caller wrote to what it gave before"},
		},
		{
			"variables that hold the same", "from kit import Box, f\n\ndef test_f():\n    parts = [1]\n    box = Box(parts)\n    other = f(parts)\n    assert box.held == other\n",
			map[int]any{-1: true},
			[]string{"test_f of test_kit.py | box and parts hold the same, and not a copy"},
		},
		{
			"tables that are written to, and what is asked then", "from kit import Table\n\ndef test_f():\n    t = Table(a='x', b=2)\n    assert t['a'] == 'x'\n    assert t.line() == 'x 2'\n",
			map[int]any{-1: true},
			[]string{"test_f of test_kit.py | t['a'] is written to, and then t['a']: 'written by a caller' | t['a'] is written to, and then t.line(): 'written by a caller 2' | t['b'] is written to, and then t['a']: 'written by a caller' | t['b'] is written to, and then t.line(): 'written by a caller 3'"},
		},
		{
			"what another class sets up", class("    def setUp(self):\n        self.box = Box(7)\n\n    def test_a(self):\n        self.assertTrue(self.box._held or f(1))\n\n    def test_b(self):\n        self.assertEqual(f(1), 2)\n") + "\n\nclass More(Test):\n    def test_more(self):\n        self.assertEqual(f(self.box.held), [7, 7])\n", nil,
			[]string{"More.test_more of test_kit.py | Box(7): Box{held=[7]} | f(self.box.held): [7, 7]", "Test.test_b of test_kit.py | Box(7): Box{held=[7]} | f(1): 2"},
		},
		{
			"helpers whose names begin as those of unittest, of the class, its base, the file and another one", "from kit import assert_two, case, f\n\ndef assert_same(v, want):\n    assert f(v) == want\n\nclass Test(case()):\n    def assertMine(self, v, want):\n        self.assertEqual(f(v), want)\n\n    def test_f(self):\n        self.assertMine('a', 'aa')\n        assert_same('b', want='bb')\n        self.assertDoubled('c', 'cc')\n        assert_two('d')\n        self.assertEqual(f('e'), 'ee')\n",
			map[int]any{0: "x", 2: "y", 4: "z", 6: 5},
			[]string{"Test.test_f of test_kit.py with 'x' for 'a', 'y' for 'b', 'z' for 'c', 5 for 'd' | f(v): 'xx' | want: 'aa' | self.assertEqual(f(v), want): False | f(v): 'yy' | want: 'bb' | f(v) == want: False | assertMultiLineEqual: 'zz' | assertMultiLineEqual: 'cc' | it: raises ValueError: no bad | it: raises AssertionError | f('e'): 'ee'"},
		},
		{"what looks as a helper and is none of the tree's is not called", "from operator import truth as assert_true\nfrom kit import f\n\ndef test_f():\n    assert_true(f('a'))\n", nil, []string{"test_f of test_kit.py | f('a'): 'aa'"}},
		{"what ends it", "from kit import f\n\ndef test_f():\n    assert f('a') == 'aa'\n    f('b')[0].none\n    f('c')\n", nil, []string{"test_f of test_kit.py | f('a'): 'aa' | raises AttributeError or TypeError"}},
		{"what looks at more than callers see is not played", "from unittest import mock\nfrom kit import Box, f\n\ndef test_a():\n    assert Box(1)._held == f(1)\n\ndef test_b():\n    with mock.patch('kit.f'):\n        f(2)\n\ndef test_c(tmpdir):\n    f(3)\n", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(c.test, "pytest") {
				if err := exec.CommandContext(t.Context(), "python3", "-c", "import pytest").Run(); err != nil {
					c.test = strings.Replace(c.test, "import pytest\n", "class pytest:\n    class mark:\n        parametrize = staticmethod(lambda *_: lambda f: f)\n    fixture = staticmethod(lambda f: f)\n\n", 1)
				}
			}
			put, err := json.Marshal(c.put)
			if err != nil {
				t.Fatal(err)
			}
			probe, err := filepath.Abs("pyprobe")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "python3", "-B", "-c", scenario, probe, string(put))
			cmd.Dir = mustFiles(t, map[string]string{"kit.py": module, "test_kit.py": c.test})
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			out, err := cmd.CombinedOutput()
			if got, want := strings.TrimSpace(string(out)), strings.Join(c.want, "\n"); err != nil || got != want {
				t.Errorf("%v, it tells\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// orders has a state that several calls make, and of which one test alone sees a part.
const orders = `
class Orders:
    def __init__(self):
        self.__lines = []
        self.__closed = False

    def line(self, what, many=1):
        self.__lines.append([what, many])

    def close(self):
        self.__closed = True

    def report(self, width):
        out = []
        for what, many in self.__lines:
            if many > 1:
                what = what + " x%d" % many
            out.append(what[:width].ljust(width, "."))
        return "|".join(out) + ("!" if self.__closed else "")
`

const ordersTest = `
import unittest
from kit import Orders


def order(*names):
    o = Orders()
    for n in names:
        o.line(*n)
    return o


class Test(unittest.TestCase):
    def test_report(self):
        o = order(("tea", 2), ("milk",))
        o.close()
        self.assertEqual(o.report(8), "tea x2..|milk....!")
`

func TestWhatATestDoesIsComparedWithOtherValues(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "plays tests of Python for each edit; TestATestOfPythonTellsWhatItLooksAtInThePlaceOfWhatItExpects stands for them")
	root := mustPythonTable(t, guard.Options{Cases: 200}, orders, ordersTest)
	for i, c := range []struct {
		name, was, is string
		differs       bool
	}{
		{"a line that is there already", "self.__lines.append([what, many])", "if [what, many] not in self.__lines:\n            self.__lines.append([what, many])", true},
		{"a text that is as wide as there is room", "what[:width].ljust(width, \".\")", "what[:width].ljust(width, \".\") if len(what) != width else what[:-1] + \"~\"", true},
		{"a refactoring", "        self.__closed = False\n", "        self.__closed = False\n        self.__count = 0\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if i > 0 {
				suitetest.Full(t, "compares a Python module; the case before it stands for it")
			}
			report := root.mustCheck(t, "kit.py", c.was, c.is)
			if report.Same() == c.differs || report.Same() && report.Tests != 1 {
				t.Errorf("%d tests were played: %v", report.Tests, report.Differences)
			}
			t.Log(report.Summary())
		})
	}
}
