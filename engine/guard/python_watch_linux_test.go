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

// settings holds what its tests leave alone: objects that a call asks for by their identity, texts that only calls before
// the one that shows something were given, what a class has of a private one, and an object that
// had a call that ends the program.
const settings = `
import datetime

_UNSET = object()


class _Sized:
    def at_least(self, n):
        return len(self._values) >= n


class Settings(_Sized):
    def __init__(self, marks=("#", ";"), fallback=_UNSET):
        if fallback is not _UNSET and not isinstance(fallback, str):
            raise TypeError("the fallback must be a text")
        self._marks, self._fallback, self._values = marks, fallback, {}

    def read(self, text):
        for line in text.splitlines():
            for mark in self._marks:
                at = line.find(mark)
                if at == 0 or at > 0 and line[at - 1].isspace():
                    line = line[:at]
            name, found, value = line.partition("=")
            if found:
                self._values[name.strip().lower()] = value.strip()

    def get(self, name):
        if name not in self._values and self._fallback is not _UNSET:
            return self._fallback
        return self._values[name]


class Tool:
    def __init__(self):
        self._seen = []

    def run(self, words):
        for word in words:
            if word == "quit":
                raise SystemExit(2)
            self._seen.append(word)

    def count(self):
        return len(self._seen)


def banner(title, note, width):
    line = title.strip()
    if len(line) + len(note) + 3 <= width:
        return line + " - " + note
    return line[:width]


def label(day):
    days = abs(day - datetime.date.today()).days
    if days >= 5 * 365 / 12:
        return day.strftime("%b %d %Y")
    return day.strftime("%b %d")
`

const settingsTest = `
import datetime
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        s = kit.Settings()
        s.read("Colour = blue # or green\nsize=3\n")
        self.assertEqual(s.get("colour"), "blue")
        self.assertEqual(s.get("size"), "3")
        self.assertTrue(s.at_least(0))
        self.assertEqual(kit.Settings(fallback="none").get("x"), "none")
        tool = kit.Tool()
        with self.assertRaises(SystemExit):
            tool.run(["a", "quit"])
        self.assertEqual(tool.count(), 1)
        self.assertEqual(kit.banner("Report", "of the year", 40), "Report - of the year")
        self.assertEqual(kit.banner("Report", "of the year", 10), "Report")
        tomorrow = datetime.date.today() + datetime.timedelta(days=1)
        self.assertEqual(kit.label(tomorrow), tomorrow.strftime("%b %d"))
`

func TestWhatOnlyTheSidesOfPythonComparisonsAndCallsBeforeShowIsFound(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound and the tests of the probe alone stand for it")
	root := mustPythonTable(t, guard.Options{Cases: 120}, settings, settingsTest)
	for _, c := range fewer([]edited{
		{"a text of a call before, and a mark of no argument", "if at == 0 or at > 0 and line[at - 1].isspace():", "if at >= 0:", "kit.Settings.get"},
		{"a method of a private class that a public one has", "len(self._values) >= n", "len(self._values) > n", "kit.Settings.at_least"},
		{"a day that is so far away", "days >= 5 * 365 / 12", "days >= 5 * 365 // 12", "kit.label"},
		{"a call before that ends the program", "return len(self._seen)", "return min(1, len(self._seen))", "kit.Tool.count"},
	}, edited.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantWhere(t, root.mustCheck(t, "kit.py", c.was, c.is), c.where)
		})
	}
}

func TestRefactoringsOfWatchedPythonCodeRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestFilesThatOnlyPythonTestsWriteAreMadeAndVaried stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 120}, settings, settingsTest,
		"if at == 0 or at > 0 and line[at - 1].isspace():", "if at >= 0 and (not at or line[at - 1].isspace()):",
		"    if len(line) + len(note) + 3 <= width:\n        return line + \" - \" + note\n    return line[:width]", "    whole = \" - \".join((line, note))\n    return line[:width] if len(whole) > width else whole",
		"    if days >= 5 * 365 / 12:\n        return day.strftime(\"%b %d %Y\")\n    return day.strftime(\"%b %d\")", "    return day.strftime(\"%b %d\" if days < 5 * 365 / 12 else \"%b %d %Y\")",
		"        return self._values[name]", "        values = self._values\n        return values[name]",
	))
}

// TestMarksInPythonCode asks the probe's parts for marks and for places alone.
func TestMarksInPythonCode(t *testing.T) {
	t.Parallel()
	mustHave(t, "python3")
	const begin = `
import ast, os, sys, types
sys.path.insert(0, sys.argv[1])
import moments, records
sys.modules.update(atoll_guard_moments=moments, atoll_guard_records=records)
import places, watch

SOURCE = '''
class Box:
    def find(self, items, low, high=9):
        "Looks."
        if not items or low > high:
            raise KeyError(low)
        for at, item in enumerate(items):
            if low <= item < high and (item not in (3, 4) or at):
                return [x for x in items[at:] if x != item], min(low, at, 2)
        else:
            return {"a": 1}.get(high, low), "abc".startswith("b"), items[-1], str(low).splitlines()

def beside(box):
    return box.find([], 1)

def untouched(a, b):
    return a < b
'''

def want(got, wanted):
    if got != wanted:
        sys.exit("got %r, want %r" % (got, wanted))

def loaded(marks, sides=True):
    "The module with or without marks, and what they told."
    w = watch.Watch({})
    w.install(sides)
    made = types.ModuleType("box")
    file = {"direct": ["Box.find"], "near": ["beside"], "only": [ast.dump(n) for n in ast.walk(ast.parse(SOURCE)) if isinstance(n, ast.Compare)]}
    exec(watch.marked(SOURCE, file, "box.py") if marks else compile(SOURCE, "box.py", "exec"), vars(made))
    return made, w

def outcome(module, *args):
    try:
        return module.Box().find(*args)
    except Exception as e:
        tb = e.__traceback__
        while tb.tb_next:
            tb = tb.tb_next
        return type(e), e.args, tb.tb_lineno

CALLS = [([], 1), ([1, 2, 3], 0), ([3, 4, 5], 3), ([3], 3), ([9], 5), ([1], 5, 2), ([1], "a"), (5, 1), ([None], 1), ("ab", "a", "c"), ([2, 2], 2, 2.5)]
`
	for name, script := range map[string]string{
		"code with marks does what it does without":    `plain, marked = loaded(False)[0], loaded(True)[0]; want([outcome(marked, *c) for c in CALLS], [outcome(plain, *c) for c in CALLS])`,
		"sides are told, and which comparison changed": `m, w = loaded(True); outcome(m, [7], 5); want({(5, 9, True), (5, 7, True), (7, 9, True)} <= {(a, b, c) for _, c, a, b in w.pairs}, True)`,
		"what is next to the change runs on no way":    `m, w = loaded(True); m.untouched(1, 2); want((w.ran, w.pairs), (set(), [])); outcome(m, [7], 5); first = w.way(); w.begin(); outcome(m, [8], 5); want(w.way(), first); w.begin(); outcome(m, [3], 3); want(w.way() != first, True)`,
		"blocks alone where sides are not asked":       `m, w = loaded(True, False); outcome(m, [7], 5); want((bool(w.direct), w.pairs), (True, []))`,
		"a plan names what is asked in a statement that changed": `p = watch.plan(SOURCE, SOURCE.replace("min(low, at, 2)", "at"), [{"Box.find": set()}] * 2, {"Box.find"})
want([d for d in p["only"] if "NotEq" in d] != [], True); want([d for d in p["only"] if "NotIn" in d], [])`,
		"a plan names what one version alone asks": `p = watch.plan(SOURCE, SOURCE.replace("low > high", "low >= high"), [{"Box.find": set(), "beside": {"find"}, "untouched": set()}] * 2, {"Box.find"})
want((p["direct"], p["near"], len(p["only"])), (["Box.find"], ["beside"], 2))`,
		"values are spelled into choices": `put = {0: "a\n\ud800é", 3: -5, 4: 2.5, 7: b"\xff", 8: None, 9: [1, ("x",)]}; want([places.unspelled(places.spelled(p) + [1, 2]) for p in (put, {}, None)], [(p, [1, 2]) for p in (put, {}, None)])`,
		"choices that are spelled wrong":  `c = places.spelled({0: "abc"}); want([places.unspelled(x)[0] for x in (c[:2], c[:3], c[:-2], [places.MARK, 1 << 40, 0, 1 << 50, 65])], [{}] * 4)`,
		"one side in the place of the other": `met = lambda *a: [v for part in places.meet(*a, False) for v in part]
want(5 in met(3, 3, 5), True); want(7 in met(5, 3, 5), True); want("x-9" in met("x-3", 3, 9), True); want(len("abc" * 4) in map(len, met("abc", 3, 12)), True)
want("a b c d e f g h abc" in met("a b c d e f g h abcdef", 6, 3), True); want("1 2 3 4 5 6 7 9" in met("1 2 3 4 5 6 7 8", 8, 9), True)
want("one TWO" in met("one two", "two", "TWO"), True); want(b"ab" in met(b"b", "b", "ab"), True); want(places.meet("a", None, 3, False), ([], []))`,
		"comparisons that changed are told in any case": `w = watch.Watch({}); w.sides = True
for i in range(200): w.pair(i, False, 1, i)
w.pair(200, True, 1, 2); want((len(w.pairs), w.pairs[-1]), (watch.MOST_PAIRS + 1, (200, True, 1, 2)))`,
		"texts that changed code compares meet in other cases, too": `m = places.Meetings(); m.add([(1, True, "x", "True")], ["x"], places.spelled({}), False)
want({"True", "true", "TRUE"} <= {places.unspelled(c)[0][0] for c in m.queues[0]}, True)`,
		"what is looked for may stand anywhere": `m, w = loaded(True); outcome(m, [9], 5); want({("", "b"), ("", "\n")} <= {(a, b) for _, _, a, b in w.pairs}, True)
want(sorted(places.meet("ab", "", "\n", False)[1]), ["\nab", "a\nb", "ab\n"])`,
		"what is looked for may stand there more than once": `want(places.meet("x=1", "", "=", False)[0], ["x==1", "x=a=1", "x=1="]); want(places.meet("x", "", "=", False)[0], [])
def told(text):
    w = watch.Watch({}); w.sides = True; w.left(1, text); w.sought(1, True, "="); return w.ran
want(len({frozenset(told(t)) for t in ("x", "x=1", "x=1=2", "x=1=2=3", "=x")}), 4)`,
		"what is empty is put in the place of what a changed condition asks for": `w = watch.Watch({}); w.sides = True
for v in ("bar", 5, [1, 2], "", None): w.asked(1, True, v); w.asked(2, False, v)
want([p[1:] for p in w.pairs], [(True, "bar", ""), (True, 5, 0), (True, 2, 0)]); want(places.meet("bar", "bar", "", True)[0], [""])
was = "def f(a):\n    if a is None:\n        return 0\n"; want(len(watch.plan(was, was.replace("a is None", "not a"), [{}, {}], {"f"})["only"]), 2)`,
		"numbers meet in bytes": `met = places.meet(b"x\0\0\1\2", 258, 1 << 31, True)[0]; want({b"x\x80\0\0\0", b"x\x7f\xff\xff\xff"} <= set(met), True); want(b"x\0\0\0\x07" in places.meet(b"x\0\0\1\2", 258, 7, True)[0], True)
want(b"\xff\xfe\0" in places.meet(b"\0\5\0", 5, -2, True)[0], True); want({b"n=9", b"abcabc"} <= set(places.meet(b"n=3", 3, 9, True)[0] + places.meet(b"abc", 3, 6, True)[0]), True)`,
		"a value of another type stands in no place": `import files; p = places.Places({0: [], 1: 2.5, 2: "x", 3: None}, files.Files())
want((p.through(["a", 1, None, "b"]), p.values), (["a", 2.5, "x", None], ["a", 2.5, "x", None]))`,
		"what is quoted gets shorter between its quotes": `want('a; b=""; c' in places.meet('a; b="xyz"; c', 5, 2, False)[0], True)`,
		"guesses have their turn":                        `m = places.Meetings(); m.queues[0][:], m.queues[1][:] = [1, 2, 3, 4], [5, 6]; want([m.next() for _ in range(7)], [1, 2, 5, 3, 4, 6, None])`,
		"what did not change has its turn":               `m = places.Meetings(); m.queues[0][:], m.queues[2][:] = [1, 2, 3, 4, 5, 6], [8, 9]; want([m.next() for _ in range(8)], [1, 2, 3, 4, 8, 5, 6, 9])`,
		"arguments of any number are a list":             `import files; p = places.Places({1: [3]}, files.Files()); want((p.through(["a", 1, 2], 1), p.values), (["a", 3], ["a", [3]]))`,
		"values of a call in their places": `
import files
p = places.Places({1: "new", 3: 7}, files.Files())
want(p.through(["a", "b", (1, 2)]), ["a", "new", (7, 2)]); want(p.through({"k": None}), {"k": None}); want(p.values, ["a", "new", (1, 2), 7, 2, None])`,
		"days and times have places for whole numbers": `
import datetime, files
day, time, span = datetime.date(2024, 2, 28), datetime.datetime(2024, 2, 28, 12, 0, 0, 5), datetime.timedelta(days=-1, seconds=3)
plain = places.Places({}, files.Files())
want((plain.through([day, time, span]), plain.values), ([day, time, span], [738944, 738944, 63844718400, -1, -86397]))
put = places.Places({0: 738946, 2: plain.values[2] + 60, 4: 60}, files.Files())
want(put.through([day, time, span]), [datetime.date(2024, 3, 1), datetime.datetime(2024, 2, 28, 12, 1, 0, 5), datetime.timedelta(minutes=1)])
want(places.Places({0: 0}, files.Files()).through([day]), [day])`,
		"a character meets one of a code": `want(places.meet("ab", 97, 0xFFFF, True)[0], ["\uffffb", "\U00010000b", "\ufffeb"])`,
		"days and times are kept while another type stands in their place": `
import datetime, io, pickle
real, time = datetime.date, datetime.datetime
fake = type("Fake", (real,), {"__module__": "freezer"})
kept = [real(2024, 2, 28), fake(2024, 3, 1), time(2024, 2, 28, 3, tzinfo=datetime.timezone.utc, fold=1), None]
datetime.date = fake
out = io.BytesIO()
moments.dump(kept, out)
datetime.date = real
made = pickle.loads(out.getvalue())
want((made, [type(v) for v in made], made[2].fold), (kept, [real, real, time, type(None)], 1))`,
		"a whole number meets one that is none": `want(places.meet(7, 3, 10.5, True), ([], [14, 15]))`,
		"parts of a record have places": `
import collections, files
Row = collections.namedtuple("row", "name size")
p = places.Places({1: 9}, files.Files())
out = p.through([Row("a", 1)]); want((out, type(out[0]), p.values), ([("a", 9)], Row, ["a", 9]))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			probe, err := filepath.Abs("pyprobe")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "python3", "-B", "-c", begin+script, probe)
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, strings.TrimSpace(string(out)))
			}
		})
	}
}
