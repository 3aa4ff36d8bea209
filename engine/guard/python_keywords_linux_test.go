package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// labels makes keys and lines of the keywords that it is given.
const labels = `
def key(*args, **kwargs):
    return args + tuple(sorted(kwargs.items()))


def line(*args, **kwargs):
    return " ".join(k + "=" + str(v) for k, v in kwargs.items())
`

const labelsTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.key(1, 2), (1, 2))
        self.assertEqual(kit.key(1, size=2), (1, ("size", 2)))
        self.assertEqual(kit.line(x=1, y=2), "x=1 y=2")
        self.assertEqual(kit.line(), "")
`

func TestKeywordsOfPythonAreGivenInAnotherOrder(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	eachIsFound(t, 100, labels, labelsTest, []edited{
		{"a key that depends on their order", "tuple(sorted(kwargs.items()))", "tuple(kwargs.items())", "kit.key"},
		{"a line that does not", "str(v) for k, v in kwargs.items())", "str(v) for k, v in sorted(kwargs.items()))", "kit.line"},
	})
	t.Run("a line of the same", func(t *testing.T) {
		t.Parallel()
		report := mustCheckPython(t, guard.Options{Cases: 100}, labels, labelsTest, `k + "=" + str(v) for`, `f"{k}={v}" for`)
		if !report.Same() {
			t.Error(report.Summary())
		}
	})
}

// answers are given by functions whose wrapper takes keywords that none of them names.
const answers = `
import functools


def asking(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        loud = False
        if "loud" in kwargs:
            loud = True
            del kwargs["loud"]
        limit = kwargs.pop("limit", 3)
        answer = function(*args, **kwargs)[:limit]
        return answer.upper() if loud else answer

    return wrapper


@asking
def spell(word, mark="-"):
    return mark.join(word)


@asking
def turned(word):
    return word[::-1]
`

const answersTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.spell("ab"), "a-b")
        self.assertEqual(kit.turned("abcd"), "dcb")
`

func TestKeywordsThatAWrapperOfPythonTakesAreGiven(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	eachIsFound(t, 200, answers, answersTest, []edited{
		{"what is given as false is no more", `        loud = False
        if "loud" in kwargs:
            loud = True
            del kwargs["loud"]
`, `        loud = kwargs.pop("loud", False)
`, "kit.spell"},
		{"a limit of nothing", `function(*args, **kwargs)[:limit]`, `function(*args, **kwargs)[: limit or 3]`, "kit.spell"},
	})
	t.Run("a refactoring", func(t *testing.T) {
		t.Parallel()
		report := mustCheckPython(t, guard.Options{Cases: 200}, answers, answersTest, `            loud = True
            del kwargs["loud"]
`, `            kwargs.pop("loud")
            loud = True
`)
		if !report.Same() {
			t.Error(report.Summary())
		}
	})
}
