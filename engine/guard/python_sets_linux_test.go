package guard_test

import (
	"testing"
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
