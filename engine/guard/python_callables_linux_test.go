package guard_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// ranking is given functions that have no name, and an object of which only some have had one of its calls.
const ranking = `
class Tally:
    def __init__(self):
        self._seen = []

    def add(self, n):
        self._seen.append(n)

    def drop(self):
        del self._seen[:]

    def largest(self):
        return max(self._seen, default=0)


def ranked(items, key):
    return [item for _, item in sorted(((key(item), item) for item in items), key=lambda pair: pair[0])]


def grouped(items, by=None):
    out = {}
    for item in items:
        out.setdefault(by(item) if by else item, []).append(item)
    return out
`

const rankingTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.ranked(["b", "a", "c"], lambda word: word), ["a", "b", "c"])
        self.assertEqual(kit.grouped(["b", "a"]), {"a": ["a"], "b": ["b"]})
        one, other = kit.Tally(), kit.Tally()
        one.add(2)
        self.assertEqual(one.largest(), 2)
        other.add(1)
        other.drop()
`

func TestCallsOfPythonWithFunctionsThatHaveNoNameAreMade(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 120, ranking, rankingTest, []edited{
		{"a lambda of a test", "key=lambda pair: pair[0]", "key=lambda pair: pair", "kit.ranked"},
		{"a parameter that the code calls and no test gives", "by(item) if by else item", "item", "kit.grouped"},
		{"a call before that only another object had", "del self._seen[:]", "del self._seen[1:]", "kit.Tally.largest"},
	})
}

func TestRefactoringsOfPythonCodeThatCallsFunctionsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 120}, ranking, rankingTest,
		"return [item for _, item in sorted(((key(item), item) for item in items), key=lambda pair: pair[0])]", "return sorted(items, key=key)",
		"        out.setdefault(by(item) if by else item, []).append(item)", "        group = item if not by else by(item)\n        if group not in out:\n            out[group] = []\n        out[group] += [item]",
		"        del self._seen[:]", "        self._seen.clear()",
	))
}

// TestValuesInThePlaceOfRecordedPythonValues asks the probe for them alone.
func TestValuesInThePlaceOfRecordedPythonValues(t *testing.T) {
	t.Parallel()
	mustHave(t, "python3")
	dir := t.TempDir()
	parts, err := filepath.Glob("pyprobe/*.py")
	if err != nil || len(parts) == 0 {
		t.Fatal("no probe", err)
	}
	for _, part := range parts {
		text, err := os.ReadFile(part)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, strings.ReplaceAll("atoll_guard_"+filepath.Base(part), "atoll_guard_probe.py", "probe.py")), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const begin = `
import sys
sys.path.insert(0, sys.argv[1])
from atoll_guard_draws import Draws
from atoll_guard_edges import Edges
from atoll_guard_outcomes import failure
from atoll_guard_session import Session
from atoll_guard_vary import Vary
from atoll_guard_callables import *

LITERALS, EDGES = {"strings": [], "ints": [], "floats": []}, Edges([], [])

def others(v, n=4000):
    return [Vary(Draws(seed=i), LITERALS, EDGES).other(v) for i in range(n)]

def want(got, wanted):
    if got != wanted:
        sys.exit("got %r, want %r" % (got, wanted))
`
	for name, script := range map[string]string{
		"a character becomes its neighbour or one of its kind": `want({"0x02", "0x13", "0y12", "0xa2"} <= set(others("0x12")), True)`,
		"a number is written in another way":                   `want({"x 12E5", "x 0xc", "x .12", "x NaN"} <= set(others("x 12")), True); want(any(v.endswith("E+2") for v in others("no number", 20000)), True)`,
		"an expression of the code is matched": `from atoll_guard_patterns import matched
want(matched([r"\\[0-3][0-7]", "plain (text)", r"[a-c]+x|\d{2,}", "[open", r"(?i)(b)\1"]), ["\\00", "\\37", "\\24", "\\20", "\\34", "\\07", "\\04", "ax", "77777", "77", "abbax", "bcaax", "70", "bb"])
near = Edges([{"s": r"\\[0-3][0-7]"}], []).near("abcd"); want({"ab\\37cd", "abcd\\00"} <= set(near), True)`,
		"what a case draws is the same each time": `import os, random, secrets, uuid
from atoll_guard_chance import Chance
c = Chance(); c.install()
def drawn(): c.begin(); return uuid.uuid1(), uuid.uuid4(), os.urandom(4), secrets.token_hex(3), random.random(), random.Random().random(), random.SystemRandom().random(), random.Random(3).random()
from atoll_guard_clock import Clock
clock = Clock(1e9); clock.install(); clock.begin(); first = drawn(); clock.begin()
want(drawn(), first); want(len({str(uuid.uuid4()) for _ in range(9)}), 9); want(len({str(uuid.uuid1()) for _ in range(9)}), 9); want(type(random.Random()).__name__, "Random")`,
		"an expression becomes one that is near": `want({r"\d*", r"\d+*", r"\d+$", r"\d+|a", r"(?i)\d+"} <= set(others(r"\d+")), True); want("(?i)plain" in others("plain"), False)`,
		"what tables of two tests have stands in one": `import pickle
from atoll_guard_tables import Tables, tables_of
value = lambda v: ("value", pickle.dumps(v))
calls = [("call", ("made", "kit", "Kit", ([value({"a": {"empty": True, "kind": "x"}})], {}), [("ask", [value({"b": 1})], {})], {}), [value([{"c": 2}])], {}),
         ("call", None, [("dict", [(value("a"), ("dict", [(value("kind"), value("y")), (value("with"), ("function", 0))]))])], {"d": value({1: 2})})]
broken = ("value", b"no pickle")
tables = Tables(tables_of([("call", broken, [broken], {})] + calls)); want(sorted(tables.at), [0, 1])
made = [Vary(Draws(seed=i), LITERALS, EDGES, tables=tables).other({"a": {"empty": True}}) for i in range(4000)]
want(any(v.get("a") == {"empty": True, "with": FUNCTIONS[0]} for v in made), True); want(any(v == {"a": {"empty": True}, "b": 1} for v in made), True)`,
		"bytes stay what they are where they are not changed": `near = others(b"\xff\x80ab"); want(sum(b"\xff\x80" in v for v in near) > len(near) // 2, True); want("世界".encode() in Edges([], []).near(b"a"), True)`,
		"a function becomes another":                          `want({f.__name__ for f in others(len, 400)}, {f.__name__ for f in FUNCTIONS})`,
		"a function stands for one that takes as many":        `want([place_of(f) for f in (lambda: 1, lambda a: 1, lambda *a: 1, lambda a, b: 1, lambda a, b=1: 1)], [OF_NONE, OF_ONE, OF_ONE, OF_MORE, OF_ONE])`,
		"where an object lies orders nothing": `class Thing: pass
want((as_text(Thing()), order(Thing(), Thing())), (as_text(Thing()), 0))`,
		"days, times and slices have others beside them": `import datetime
day = datetime.date(2024, 2, 29); want({day.replace(day=28), day + datetime.timedelta(days=1)} <= set(others(day)), True)
want(any(v.tzinfo for v in others(datetime.datetime(2024, 1, 1))), True)
want({(1, 2, 2), (None, 2, None)} <= {(s.start, s.stop, s.step) for s in others(slice(1, 2, None))}, True)`,
		"calls on what a call gave stay on it": `from atoll_guard_chains import flat, inserted
every, gone = ("every", (), {}), ("gone", (), {})
history = flat([("clear", (), {}), every, ("do", (), {}, every), ("tag", (), {}, gone)])
want([s[3:] for s in history], [(), (), (1,)]); want([s[3:] for s in inserted(history, 1, gone)], [(), (), (), (2,)]); want([s[3:] for s in inserted(history, 2, gone)], [(), (), (), (1,)])`,
		"the time stands still until it was asked for often": `import datetime, time
from atoll_guard_clock import Clock, PATIENCE
c = Clock(1e9); c.install()
want((time.time(), time.gmtime().tm_year, datetime.datetime.utcnow().year, datetime.date.today().year, type(datetime.datetime.now()) is datetime.datetime), (1e9, 2001, 2001, 2001, True))
time.sleep(60); want(time.time(), 1e9 + 60); c.begin(); want(time.time(), 1e9)
for _ in range(PATIENCE): last = time.time()
want(last > 1e9, True)`,
		"what can be written to is shared, and no number": `from atoll_guard_sharing import told
a = [1]; want([bool(told(r, None, [a], lambda c: False)) for r in (a, [a], [1], (1, a), 1)], [True, True, False, True, False])
class Keeps: pass
k = Keeps(); k._a = a; want([bool(told(None, k, [given], lambda c: c is Keeps)) for given in (a, [1])], [True, False])`,
		"where an object lies is no answer, whoever writes it": `from atoll_guard_outcomes import settled
want(settled("<X object at 0x7f0011223344> and X @ 0x55aa11223344 of 0xff0011223344"), "<X object> and X @  of 0xff0011223344")`,
		"objects that give more of them are asked so often": `class Maker:
    def __init__(self, of): self.of, self.wrapped = of, len
    def __call__(self, a): Maker.n += 1; return Maker([self])
for i in range(8): setattr(Maker, "give%d" % i, lambda self: (setattr(Maker, "n", Maker.n + 1), Maker([self]))[1])
Maker.n = 0; answers(Maker([]), lambda file: True, str, str); want((made_by(Maker([]), lambda file: True), Maker.n), (True, MOST_CALLED))`,
		"where the stack ends is no answer": `want([failure(RecursionError("maximum recursion depth exceeded" + w)) for w in ("", " in comparison")], ["raises RecursionError"] * 2)`,
		"there are no more cases than an answer can tell of": `s = Session.__new__(Session)
def cases(count, groups):
    s.q = {"count": count, "groups": groups}
    return s.cases()
many = ["module.of.the.tree:Class.method%d" % i for i in range(70)]
want((cases(100, ["m:f"]), cases(1500, ["m:f"])), (150, 2250)); want(500 < cases(1500, many) < 700, True)`,
		"code that calls without an end is ended": `Calls.begin()
try:
    while not nothing(1): pass
except ValueError: sys.exit(0)
sys.exit("it went on")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := exec.CommandContext(t.Context(), "python3", "-B", "-c", begin+script, dir).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, strings.TrimSpace(string(out)))
			}
		})
	}
}
