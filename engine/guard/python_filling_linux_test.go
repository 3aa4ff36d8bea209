package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// spans has objects that a second constructor and a function fill, and a table of items in which the first and the last of one value count.
const spans = `
class Span:
    def __init__(self):
        self._parts = []

    @classmethod
    def of(cls, low, high):
        made = cls()
        if low < high:
            made._parts = [(low, high)]
        return made

    def width(self):
        return sum(high - low for low, high in self._parts)

    def __iter__(self):
        return iter(self._parts)

    def each(self, change):
        out = []
        for part in self._parts:
            changed = change(part)
            if isinstance(changed, tuple):
                out.append(Span.of(*changed))
        return out


def parsed(text):
    span = Span()
    for part in text.split(","):
        low, _, high = part.partition("-")
        span._parts.append((int(low), int(high)))
    return span


class Shop:
    def __init__(self, spans):
        self._spans = spans

    def widest(self):
        return max((s.width() for s in self._spans), default=0)


def owners(items):
    out = {}
    for place, owner in items:
        out.setdefault(owner, []).append(place)
    return sorted({place: owner for owner, places in out.items() for place in places}.items())
`

// spansTest looks at what it asks for in a way that no play of it shows the width of another span.
const spansTest = `
import kit
import unittest


class Test(unittest.TestCase):
    def test_width(self):
        import threading
        self.assertEqual(kit.Span.of(1, 3).width(), 2)
        self.assertEqual(kit.parsed("1-3,5-9").width(), 6)
        self.assertEqual(kit.Shop([kit.Span.of(2, 4)]).widest(), 2)
        self.assertIsNotNone(threading.current_thread())

    def test_each(self):
        self.assertEqual([list(s) for s in kit.Span.of(1, 3).each(lambda part: (part[0], part[1] + 1))], [[(1, 4)]])

    def test_owners(self):
        import threading
        self.assertEqual(kit.owners([("a", "Ann"), ("b", "Bo")]), [("a", "Ann"), ("b", "Bo")])
        self.assertIsNotNone(threading.current_thread())
`

func TestPythonObjectsThatASecondConstructorFillsAreMadeByIt(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, spans, spansTest, []edited{
		{"a method", "        return sum(high - low for low, high in self._parts)", "        return sum(high - low for low, high in self._parts if low != 2)", "kit.Span.width"},
		{"what is given such objects", "max((s.width() for s in self._spans), default=0)", "max((s.width() for s in self._spans if s.width() != 2), default=0)", "kit.Shop.widest"},
		{"what a function of the caller gives", "if isinstance(changed, tuple):", "if isinstance(changed, (tuple, list)) and len(changed) == 2:", "test_kit.Test.test_each"},
		{"the first and the last of an item", "    out = {}\n    for place, owner in items:\n        out.setdefault(owner, []).append(place)\n    return sorted({place: owner for owner, places in out.items() for place in places}.items())", "    return sorted({place: owner for place, owner in items}.items())", "kit.owners"},
	})
}

func TestRefactoringsOfASecondPythonConstructorRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestPythonObjectsThatASecondConstructorFillsAreMadeByIt stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 200}, spans, spansTest,
		"            made._parts = [(low, high)]", "            made._parts.append((low, high))",
		"        span._parts.append((int(low), int(high)))", "        span._parts = [*span._parts, (int(low), int(high))]",
		"        return max((s.width() for s in self._spans), default=0)", "        widths = [s.width() for s in self._spans]\n        return max(widths) if widths else 0",
	))
}
