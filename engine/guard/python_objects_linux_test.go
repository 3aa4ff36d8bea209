package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// diary has objects that others fill, the time, types of its own, and answers that its callers may write to.
const diary = `
import collections
import datetime


class Stop:
    pass


class Note(dict):
    def __missing__(self, key):
        return Note()

    def plain(self):
        out = {}
        for key, value in self.items():
            out[key] = [v for v in value] if isinstance(value, list) else value
        return out


class Entry:
    def __init__(self, hours, diary=None):
        self.hours, self.diary, self.action, self.due, self.tags = hours, diary, None, None, set()

    def do(self, action):
        self.action = action
        self.due = datetime.datetime.now() + datetime.timedelta(hours=self.hours)
        self.diary.entries.append(self)
        return self

    def tag(self, *tags):
        self.tags.update(tags)
        return self


class Diary:
    def __init__(self):
        self.entries = []

    def each(self, hours):
        return Entry(hours, self)

    def of(self, tag=None):
        if tag is None:
            return self.entries[:]
        return [e for e in self.entries if tag in e.tags]

    def run(self):
        for e in self.entries[:]:
            got = e.action()
            if isinstance(got, Stop) or got is Stop:
                self.entries.remove(e)
        return len(self.entries)


class Grades:
    def __init__(self):
        self._of = {}

    def give(self, name, grade):
        self._of[name] = grade

    def first(self, name, grade):
        if name not in self._of:
            self._of[name] = grade
        return self._of[name]

    def __getitem__(self, at):
        if isinstance(at, slice) and at.step is not None:
            raise ValueError("no step")
        return sorted(self._of)[at]


Mark = collections.namedtuple("mark", "name grade")


def raised(mark, by):
    return mark._replace(grade=mark.grade + by)


class Span(collections.namedtuple("SpanOf", "first last note")):
    def __new__(cls, first, last, note=None):
        return super().__new__(cls, first, last, note)

    def _parts(self):
        return (self.first, self.last) if self.note is None else tuple(self)

    def __reduce__(self):
        return Span, self._parts()

    def size(self):
        return self.last - self.first


def level(n):
    if not isinstance(n, int):
        raise TypeError("a level is a whole number")
    return n * 2


def taken(table, name, otherwise):
    got = table.get(name, otherwise)
    return got


def named(values):
    return [name for name in values if name]


def rows(tables):
    for name, row in tables.items():
        yield name, list(row)


class Sheet:
    def __init__(self):
        self._cells = []

    def add(self, value):
        self._cells.append(self._cell(value))

    def _cell(self, value):
        return value if isinstance(value, str) else self._whole(value)

    def _whole(self, value):
        return str(round(value))

    def text(self):
        return "|".join(self._cells)


class Label:
    def __init__(self, text):
        self.text = text


class Frame:
    def __init__(self, label):
        self.label = label

    def lines(self):
        return self.label.text.splitlines()


def parted(text):
    if "=" not in text:
        return {"name": text, "value": None}
    name, value = text.split("=", 1)
    return {"name": name, "value": value}


BARE = {}


def counted(values, start):
    for value in values:
        yield start, value
        start += 1
`

const diaryTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test_diary(self):
        d = kit.Diary()
        d.each(2).do(lambda: None).tag("home")
        self.assertEqual(len(d.of("home")), 1)
        self.assertEqual(d.of("work"), [])
        self.assertEqual(len(d.of()), 1)
        self.assertEqual(d.run(), 1)
        d.each(1).do(lambda: kit.Stop)
        self.assertEqual(d.run(), 1)

    def test_note(self):
        self.assertEqual(kit.Note()["x"], {})
        self.assertEqual(kit.Note({"a": [1], "b": 2}).plain(), {"a": [1], "b": 2})

    def test_grades(self):
        g = kit.Grades()
        g.give("ann", 3)
        g.give("bob", 2)
        self.assertEqual(g.first("ann", 1), 3)
        self.assertEqual(g.first("cyd", 1), 1)
        self.assertEqual(g[0:2], ["ann", "bob"])

    def test_rest(self):
        self.assertEqual(kit.level(2), 4)
        self.assertEqual(kit.taken({"a": 1}, "a", 5), 1)
        self.assertEqual(kit.named(["a", ""]), ["a"])
        self.assertEqual(list(kit.rows({"a": [1]})), [("a", [1])])
        sheet = kit.Sheet()
        sheet.add("a")
        sheet.add(2.6)
        self.assertEqual(sheet.text(), "a|3")
        self.assertEqual(kit.Frame(kit.Label("a b")).lines(), ["a b"])
        self.assertEqual(kit.parted("a=1"), {"name": "a", "value": "1"})
        self.assertEqual(kit.parted("a"), {"name": "a", "value": None})
        self.assertEqual(list(kit.counted(["a", "b"], 1)), [(1, "a"), (2, "b")])
        self.assertEqual(kit.raised(kit.Mark("ann", 2), 1), ("ann", 3))
        self.assertEqual(kit.Span(1, 3, "x").size(), 2)
`

func TestWhatOnlyObjectsAndWhatTheyShareShowOfPythonCodeIsFound(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, diary, diaryTest, []edited{
		{"a bool for a whole number", "not isinstance(n, int)", "type(n) is not int", "kit.level"},
		{"what was made with what the object gave, and is due at a time", "if tag is None:", "if not tag:", "kit.Diary.of"},
		{"a function that gives an object of a class that the code asks for", "isinstance(got, Stop) or got is Stop", "got is Stop", "kit.Diary.run"},
		{"a type of the tree", "return Note()", "return {}", "kit.Note.__missing__"},
		{"a result that is a part of the object", "[v for v in value] if isinstance(value, list) else value", "value", "kit.Note.plain"},
		{"a result that is the argument", "return [name for name in values if name]", "return values if all(values) else [name for name in values if name]", "kit.named"},
		{"a part of what an iterator yields that is a part of the argument", "yield name, list(row)", "yield name, row if isinstance(row, list) else list(row)", "kit.rows"},
		{"an argument that is read to its end before the first item is given", "for value in values:", "for value in list(values):", "kit.counted"},
		{"a result that the next call gives as well", "return {\"name\": text, \"value\": None}", "return BARE.setdefault(text, {\"name\": text, \"value\": None})", "kit.parted"},
		{"what only others tell, of what private methods of the object handed on", "str(round(value))", "str(int(value + 0.5))", "kit.Sheet.text"},
		{"what an object was made of that another was made of", "self.label.text.splitlines()", "self.label.text.split(\"\\n\")", "kit.Frame.lines"},
		{"a record whose type has another name than its module gives it", "grade=mark.grade + by", "grade=max(mark.grade + by, 0)", "kit.raised"},
		{"a copy of what has an empty part", "if self.note is None else", "if not self.note else", "kit.Span.__reduce__"},
		{"None where a call before put something", "if name not in self._of:", "if self._of.get(name) is None:", "kit.Grades.first"},
		{"a slice", "if isinstance(at, slice) and at.step is not None:", "if False:", "kit.Grades.__getitem__"},
		{"a type that one version alone asks for, of no parameter", "return got", "return got[0] if isinstance(got, list) and got else got", "kit.taken"},
	})
}

func TestRefactoringsOfPythonCodeWithObjectsThatShareRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestFilesThatOnlyPythonTestsWriteAreMadeAndVaried stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 200}, diary, diaryTest,
		"return self.entries[:]\n", "return list(self.entries)\n",
		"return [e for e in self.entries if tag in e.tags]", "return list(filter(lambda e: tag in e.tags, self.entries))",
		"            if isinstance(got, Stop) or got is Stop:", "            if got is Stop or isinstance(got, Stop):",
		"        self.due = datetime.datetime.now() + datetime.timedelta(hours=self.hours)", "        now, begun = datetime.datetime.now(), datetime.datetime.now()\n        self.due = max(now, begun) + datetime.timedelta(hours=self.hours)",
		`        out = {}
        for key, value in self.items():
            out[key] = [v for v in value] if isinstance(value, list) else value
        return out`, "        return {key: list(value) if isinstance(value, list) else value for key, value in self.items()}",
		`        if name not in self._of:
            self._of[name] = grade
        return self._of[name]`, "        return self._of.setdefault(name, grade)",
		"    return n * 2", "    return n + n",
		"    got = table.get(name, otherwise)\n    return got", "    if name in table:\n        return table[name]\n    return otherwise",
		"return [name for name in values if name]", "return list(filter(None, values))",
		"(self.first, self.last) if self.note is None else tuple(self)", "(self.first, self.last) + (() if self.note is None else (self.note,))",
		"return Span, self._parts()", "return Span, (*self._parts(),)",
		"return mark._replace(grade=mark.grade + by)", "return Mark(mark.name, mark.grade + by)",
		"    for name, row in tables.items():\n        yield name, list(row)", "    return ((name, [*row]) for name, row in tables.items())",
		"    for value in values:\n        yield start, value\n        start += 1", "    return enumerate(values, start)",
		"    name, value = text.split(\"=\", 1)\n    return {\"name\": name, \"value\": value}", "    name, _, value = text.partition(\"=\")\n    return dict(name=name, value=value)",
		"return value if isinstance(value, str) else self._whole(value)", "return self._whole(value) if not isinstance(value, str) else value",
		"        return self.label.text.splitlines()", "        text = self.label.text\n        return text.splitlines(False)",
	))
}

// The tests of many projects lie in a folder that is no package, and give what their own modules have.
func TestWhatTestsInAFolderOfTheirOwnGavePythonCodeIsGivenAgain(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	mustHave(t, "python3")
	root := mustFiles(t, map[string]string{
		"kit.py": "def total(items):\n    return sum(item.weight for item in items)\n",
		"checks/test_kit.py": `
import unittest
import kit

class Item:
    def __init__(self, weight):
        self.weight = weight

class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.total([Item(1), Item(2)]), 3)
`,
	})
	o := guard.Options{Cases: 40, NoTests: true, PythonTests: []string{"-m", "unittest", "discover", "-q", "-s", "checks"}}
	wantWhere(t, mustCheckEdited(t, o, root, "kit.py", "return sum(item.weight for item in items)", "return max(3, sum(item.weight for item in items))"), "kit.total")
}
