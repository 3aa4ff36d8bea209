package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// skipping has objects that hold a set of a type of their own, which keeps one of the language.
const skipping = `
import collections.abc


class Words(collections.abc.Set):
    def __init__(self, words):
        self.words = set(words)

    def __contains__(self, word):
        return word in self.words

    def __iter__(self):
        return iter(self.words)

    def __len__(self):
        return len(self.words)


class Name:
    def __init__(self, text):
        self.text = text
        self.skipped = Words(["van", "de", "la", "von", "zu", "der", "den", "af"] + ["x%d" % n for n in range(300)])

    def parts(self):
        return [p for p in self.text.split() if p not in self.skipped]
`

const skippingTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.Name("Ann de Ville").parts(), ["Ann", "Ville"])
        self.assertEqual(kit.Name("Bo").parts(), ["Bo"])
`

func TestAPythonObjectThatHoldsASetInNoOrderIsCompared(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, skipping, skippingTest, []edited{{"blanks one by one", "self.text.split()", "self.text.split(\" \")", "kit.Name.parts"}})
}

// arranging has objects and functions that make lists and tables of a set, in the order that the set has in a process.
const arranging = `
WORDS = {"van", "de", "la", "von", "zu", "der", "den", "af"}
KINDS = {(word, len(word)) for word in WORDS}


class Rules(dict):
    def __getattr__(self, name):
        return self.get(name)


class Setting:
    def __init__(self):
        self.kinds = Rules(KINDS)
        self.words = list(WORDS)
        self.groups = {"small": [w for w in WORDS if w.islower()]}


class Name:
    def __init__(self, text):
        self.text = text
        self.setting = Setting()
        self.parts = []

    def split(self):
        self.parts = [p for p in self.text.split() if p not in self.setting.kinds]
        return len(self.parts)


def lengths(limit):
    return {word: len(word) for word in WORDS if len(word) <= limit}


def longer(limit):
    for word in WORDS:
        if len(word) > limit:
            yield word


def first(limit):
    return next(word for word in WORDS if len(word) == limit)
`

const arrangingTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.Name("Ann de Ville").split(), 2)
        self.assertEqual(kit.Name("Bo").split(), 1)
        self.assertEqual(len(kit.lengths(3)), 8)
        self.assertEqual(len(list(kit.longer(2))), 4)
        self.assertIn(kit.first(2), kit.WORDS)
`

func TestWhatIsMadeOfAPythonSetIsComparedWithoutItsOrder(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, arranging, arrangingTest, []edited{
		{"an object that holds some", "self.text.split()", "self.text.split(\" \")", "kit.Name.split"},
		{"a table", "len(word) <= limit", "len(word) < limit", "kit.lengths"},
		{"what is yielded", "len(word) > limit", "len(word) >= limit", "kit.longer"},
	})
}

func TestPythonSetsInAnotherOrderRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestWhatIsMadeOfAPythonSetIsComparedWithoutItsOrder stands for it")
	report := mustCheckPython(t, guard.Options{Cases: 200}, arranging, arrangingTest,
		"self.words = list(WORDS)", "self.words = sorted(WORDS)", "Rules(KINDS)", "Rules(sorted(KINDS))", "for word in WORDS:\n", "for word in sorted(WORDS):\n")
	wantWhere(t, report)
}
