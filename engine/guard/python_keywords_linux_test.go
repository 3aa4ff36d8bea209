package guard_test

import (
	"testing"

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
