package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// lexer is a module of which its tests call little: options that only attributes set, a method that no test calls, an iterator that is
// consumed by reading it, a parameter that may be of another type and keywords that are passed on.
const lexer = `
class Lexer:
    def __init__(self, text, strict=False):
        self.words = iter(text.split())
        self.strict = strict
        self.trace = 0
        self.comment = "#"
        self.read = 0

    def __iter__(self):
        return self

    def __next__(self):
        word = self.take()
        if word is None:
            raise StopIteration
        return word

    def take(self):
        for word in self.words:
            self.read += 1
            if word.startswith(self.comment):
                continue
            if self.trace:
                print("word", word)
            if self.strict and word.endswith("."):
                return word[:-1]
            return word
        return None

    def leader(self, name=None):
        if name is None:
            name = "<text>"
        return "%s:%d: " % (name, self.read)


def wanted(word, options):
    if isinstance(options, str):
        options = [options]
    for option in options:
        if option == word:
            return True
    return False


def lines(text, first):
    try:
        text = text.splitlines()
    except AttributeError:
        text = list(text)
    return text[first:]


def words(text, **kwargs):
    return list(Lexer(text, **kwargs))


def filled(text, table):
    """A text with what a table has for each name in braces; a name that it lacks is one of its own."""
    out = []
    for part in text.split("{"):
        name, brace, rest = part.partition("}")
        out.append(str(_found(table, name)) + rest if brace else part)
    return "".join(out)


def _found(table, name):
    item = getattr(table, name, None)
    return table.get(name, "?") if item is None else "its own " + name


def union(text):
    return " | ".join(part.strip() for part in text.split(","))


def is_word(value):
    try:
        return value.isalpha()
    except AttributeError:
        raise TypeError("a word is a text") from None


class Span:
    def __init__(self, days=0, months=0):
        self.days, self.months = days, months


def sign(span):
    if span.days < 0 or span.months < 0:
        return "-"
    return "+"


_patterns = {}


def pattern(width, signed=False):
    key = (width, signed)
    if key not in _patterns:
        _patterns[key] = "%s[0-9]{%d}" % ("[+-]" if signed else "", width)
    return _patterns[key]


class Form:
    def __init__(self, table=None):
        self.table = table or {}

    def fill(self, text):
        return filled(text, self.table)


NOT_GIVEN = object()


def meaning(table, word, fallback):
    if word in table:
        return table[word]
    if fallback is NOT_GIVEN:
        raise KeyError(word.strip())
    return fallback
`

const lexerTest = `
import unittest
import lexer


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(lexer.words("a # b."), ["a", "b."])
        made = lexer.Lexer("one two. three", True)
        self.assertEqual(made.take(), "one")
        self.assertEqual(made.take(), "two")
        self.assertTrue(lexer.wanted("help", ["help", "all"]))
        self.assertFalse(lexer.wanted("he", ["help"]))
        self.assertEqual(lexer.meaning({"one": 1}, "one", lexer.NOT_GIVEN), 1)
        self.assertEqual(lexer.filled("a {first}, {last}", {"first": 1}), "a 1, ?")
        self.assertEqual(lexer.union("a, b"), "a | b")
        self.assertTrue(lexer.is_word("a"))
        self.assertEqual(lexer.sign(lexer.Span(1)), "+")
        self.assertEqual(lexer.sign(lexer.Span(days=-1)), "-")
        self.assertEqual(lexer.pattern(4), "[0-9]{4}")
        self.assertEqual(lexer.pattern(2), "[0-9]{2}")
        self.assertEqual(lexer.pattern(3, True), "[+-][0-9]{3}")
        form = lexer.Form()
        form.table = {"first": {"size": 1}, "last": 2}
        self.assertEqual(form.fill("a {last}"), "a 2")
        self.assertEqual(lexer.lines(["a b", "c"], 0), ["a b", "c"])
        self.assertEqual(lexer.lines(["a b", "c"], 1), ["c"])
`

func mustCheckLexer(t *testing.T, seed uint64, edits ...string) guard.Report {
	t.Helper()
	mustHave(t, "python3")
	root := mustFiles(t, map[string]string{"lexer.py": lexer, "test_lexer.py": lexerTest})
	o := guard.Options{Cases: 60, NoTests: true, Seed: seed, PythonTests: []string{"-m", "unittest", "-q"}}
	return mustCheckEdited(t, o, root, "lexer.py", edits...)
}

func TestWhatNoPythonTestCallsOrTurnsIsFound(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	for _, c := range fewer([]edited{
		{"a method that no test calls", `"%s:%d: "`, `"%s:%d:"`, "lexer.Lexer.leader"},
		{"a mark of an argument that is not given", `raise KeyError(word.strip())`, `raise KeyError(word)`, "lexer.meaning"},
		{"an attribute that works as a switch", `            if self.trace:`, `            if not self.trace and self.strict or self.trace > 9:`, "lexer.Lexer.take"},
		{"an iterator that is still to be read", "self.read += 1\n            if word.startswith(self.comment)", "self.read += 2\n            if word.startswith(self.comment)", "lexer.Lexer.take"},
		{"a text for a list", `        options = [options]`, `        pass`, "lexer.wanted"},
		{"one text for lines, by the method that asks for it", "text = text.splitlines()", "text = text.split(\"\\n\")", "lexer.lines"},
		{"a key that is named as what its table has, and a text that asks for it", "item = getattr(table, name, None)", "item = getattr(table, name, None) if name not in table else None", "lexer.filled"},
		{"a table that is an option of an object, and a text that asks for its key", "return filled(text, self.table)", "return filled(text.replace(\"{keys}\", \"{key}\"), self.table)", "lexer.Form.fill"},
		{"an item twice in a list that a text is", "\" | \".join(part.strip() for part in text.split(\",\"))", "\" | \".join(dict.fromkeys(part.strip() for part in text.split(\",\")))", "lexer.union"},
		{"a value of none of the types that one version alone asks for", "    try:\n        return value.isalpha()\n    except AttributeError:\n        raise TypeError(\"a word is a text\") from None", "    return isinstance(value, str) and value.isalpha()", "lexer.is_word"},
		{"a part of what an argument is made of", "if span.days < 0 or span.months < 0:", "if span.days < 0:", "lexer.sign"},
		{"a cache whose key lacks a part", "key = (width, signed)", "key = width", "lexer.pattern"},
		{"a keyword that is passed on", `    return list(Lexer(text, **kwargs))`, `    return list(Lexer(text))`, "lexer.words"},
	}, edited.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantWhere(t, mustCheckLexer(t, 0, c.was, c.is), c.where)
		})
	}
}

func TestRefactoringsOfPythonCodeThatIsOfferedMoreThanItsTestsCallRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module three times; TestAChangeOfAPythonFunctionIsFound stands for it")
	for seed := range suitetest.Pick(1, 1, uint64(3)) {
		wantWhere(t, mustCheckLexer(t, seed,
			"            if word.startswith(self.comment):\n                continue\n            if self.trace:", "            if word[:len(self.comment)] == self.comment:\n                continue\n            elif self.trace:",
			"        word = self.take()\n        if word is None:\n            raise StopIteration\n        return word", "        found = self.take()\n        if found is not None:\n            return found\n        raise StopIteration",
			"        if name is None:\n            name = \"<text>\"\n        return \"%s:%d: \" % (name, self.read)", "        return \"%s:%d: \" % (\"<text>\" if name is None else name, self.read)",
			"    for option in options:\n        if option == word:\n            return True\n    return False", "    return any(option == word for option in options)",
			"    try:\n        text = text.splitlines()\n    except AttributeError:\n        text = list(text)\n    return text[first:]", "    return (text.splitlines() if hasattr(text, \"splitlines\") else list(text))[first:]",
			"    item = getattr(table, name, None)\n    return table.get(name, \"?\") if item is None else \"its own \" + name", "    if getattr(table, name, None) is not None:\n        return \"its own \" + name\n    return table.get(name, \"?\")",
			"    if span.days < 0 or span.months < 0:\n        return \"-\"\n    return \"+\"", "    return \"-\" if min(span.days, span.months) < 0 else \"+\"",
			"    return \" | \".join(part.strip() for part in text.split(\",\"))", "    parts = map(str.strip, text.split(\",\"))\n    return \" | \".join(parts)",
			"    try:\n        return value.isalpha()\n    except AttributeError:\n        raise TypeError(\"a word is a text\") from None", "    if not hasattr(value, \"isalpha\"):\n        raise TypeError(\"a word is a text\")\n    return value.isalpha()",
			"    key = (width, signed)\n    if key not in _patterns:\n", "    key = (signed, width)\n    if _patterns.get(key) is None:\n",
			"    return list(Lexer(text, **kwargs))", "    out = []\n    for word in Lexer(text, **kwargs):\n        out.append(word)\n    return out",
		))
	}
}

func TestWhichErrorAValueOfAWrongTypeMeetsIsNoDifference(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares Python modules three times; TestAChangeOfAPythonFunctionIsFound stands for it")
	mustHave(t, "python3")
	root := mustFiles(t, map[string]string{
		"options.py":      "def beginning(words, start):\n    return [w for w in words if w.startswith(start)]\n",
		"test_options.py": "import unittest\nimport options\n\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(options.beginning(['all', 'alpha', 'b'], 'al'), ['all', 'alpha'])\n        with self.assertRaises((AttributeError, TypeError)):\n            options.beginning([0], 'al')\n",
	})
	o := guard.Options{Cases: 200, NoTests: true, PythonTests: []string{"-m", "unittest", "-q"}}
	report := mustCheckEdited(t, o, root, "options.py", "w.startswith(start)", "w[:len(start)] == start")
	wantWhere(t, report)
	if report.Cases < 50 {
		t.Errorf("%d inputs were compared", report.Cases)
	}
	wantWhere(t, mustCheckEdited(t, o, root, "options.py", "w.startswith(start)", "(w.startswith(start) if isinstance(w, str) else False)"), "options.beginning")
	root = mustFiles(t, map[string]string{
		"dates.py":      "import re\n\n\ndef parts(text):\n    return re.split(r'[-/]', text)\n",
		"test_dates.py": "import unittest\nimport dates\n\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(dates.parts('1-2/3'), ['1', '2', '3'])\n        with self.assertRaises(TypeError):\n            dates.parts(None)\n",
	})
	wantWhere(t, mustCheckEdited(t, o, root, "dates.py", "def parts", "_AT = re.compile(r'[-/]')\n\n\ndef parts", "re.split(r'[-/]', text)", "_AT.split(text)"))
}

// What a private module has and no other gives is called by the package alone, which never
// gives it a place before the text.
func TestFunctionsOfAPrivateModuleAreSeenThroughThoseThatAreGiven(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python package three times; TestAChangeOfAPythonFunctionIsFound stands for it")
	mustHave(t, "python3")
	root := mustFiles(t, map[string]string{
		"kit/__init__.py": "from ._scan import words\n",
		"kit/_scan.py": "def skip(text, at, what):\n    try:\n        while text[at] in what:\n            at += 1\n    except IndexError:\n        pass\n    return at\n\n\n" +
			"def words(text):\n    out, at = [], 0\n    while True:\n        at = skip(text, at, ' ')\n        end = at\n        while end < len(text) and text[end] != ' ':\n            end += 1\n        if end == at:\n            return out\n        out.append(text[at:end])\n        at = end\n",
		"test_kit.py": "import unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(kit.words('one  two'), ['one', 'two'])\n        self.assertEqual(kit.words(''), [])\n",
	})
	const was = "    try:\n        while text[at] in what:\n            at += 1\n    except IndexError:\n        pass\n    return at\n"
	o := guard.Options{Cases: 200, NoTests: true, PythonTests: []string{"-m", "unittest", "-q"}}
	report := mustCheckEdited(t, o, root, "kit/_scan.py", was, "    while at < len(text) and text[at] in what:\n        at += 1\n    return at\n")
	wantWhere(t, report)
	if report.Cases < 50 {
		t.Errorf("%d inputs were compared", report.Cases)
	}
	wantWhere(t, mustCheckEdited(t, o, root, "kit/_scan.py", was, "    for _ in range(2):\n        if at < len(text) and text[at] in what:\n            at += 1\n    return at\n"), "kit._scan.words")
}
