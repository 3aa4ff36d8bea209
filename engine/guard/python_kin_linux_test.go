package guard_test

import "testing"

const pySpans = `
class Span:
    def __init__(self, lower=None, upper=None, closed=True):
        if lower is not None and upper is not None and upper < lower:
            raise ValueError("it ends before it begins")
        self.lower, self.upper, self.closed = lower, upper, closed

    def holds(self, n):
        return (self.lower is None or self.lower <= n) and (self.upper is None or n < self.upper)

    def after(self, n):
        return not self.holds(n) and (self.lower is None or self.lower > n)

    def halves(self):
        return [Span(self.lower, None), Span(None, self.upper)]


class Spans:
    def __init__(self, spans):
        self.spans = sorted(spans, key=lambda s: -1000 if s.lower is None else s.lower)

    def holds(self, n):
        for s in self.spans:
            if s.holds(n):
                return True
        return False

    def cut(self, n):
        out = []
        for s in self.spans:
            if s.holds(n):
                out.append(Span(s.lower, n, s.closed))
                out.append(Span(n, s.upper, s.closed))
            else:
                out.append(s)
        self.spans = out
`

const pySpansTest = `
import unittest
from kit import Span, Spans


class Test(unittest.TestCase):
    def test_one(self):
        self.assertTrue(Span(1, 5).holds(3))
        self.assertTrue(Span(upper=5).holds(-3))
        self.assertFalse(Span(8, 9, closed=False).after(3) is False)
        self.assertEqual(len(Span(1, 5).halves()), 2)

    def test_all(self):
        s = Spans([Span(n, n + 4) for n in (1, 10)])
        self.assertTrue(s.holds(3))
        self.assertTrue(s.holds(12))
        self.assertFalse(s.holds(7))
        s.cut(12)
        self.assertEqual(len(s.spans), 3)
`

func TestItemsOfAListAreOtherObjectsOfTheirClassInPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 0, pySpans, pySpansTest, []edited{
		{"a search that ends too early behind one without a bound", "            if s.holds(n):\n                return True\n", "            if s.holds(n):\n                return True\n            if s.lower is None or s.lower > n:\n                break\n", "kit.Spans.holds"},
		{"a part of an item is lost where it is cut", "Span(s.lower, n, s.closed)", "Span(s.lower, n)", "kit.Spans.cut"},
	})
}

const pyEntries = `
class Entry:
    def __init__(self, name, marks=(), places=()):
        self.name, self.marks, self.places = name, list(marks), list(places)

    def take(self, other):
        self.name = other.name
        self.places = other.places
        self.marks = other.marks[:]
`

const pyEntriesTest = `
import unittest
from kit import Entry


class Test(unittest.TestCase):
    def test(self):
        a, b = Entry("a", ["x"]), Entry("b", ["y"], [1, 2])
        a.take(b)
        self.assertEqual((a.name, a.marks, a.places), ("b", ["y"], [1, 2]))
`

func TestEachPartThatAnObjectSharesWithAnArgumentIsToldInPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 100, pyEntries, pyEntriesTest, []edited{
		{"one more list is the caller's", "other.marks[:]", "other.marks", "kit.Entry.take"},
		{"one fewer is", "self.places = other.places", "self.places = list(other.places)", ""},
	})
}
