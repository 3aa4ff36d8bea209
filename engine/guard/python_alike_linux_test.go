package guard_test

import "testing"

// bags are compared, and what they are told to be is never that they are equal.
const bags = `
class Bag:
    def __init__(self, *items):
        self._items = list(items)

    def items(self):
        return list(self._items)


def differences(one, other, out):
    lines = ["- %s" % x for x in one.items() if x not in other.items()] + ["+ %s" % x for x in other.items() if x not in one.items()]
    out.append("\n".join(lines) + "\n")
`

const bagsTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        out = []
        kit.differences(kit.Bag("ash", "oak", 12), kit.Bag("elm", "fir", 31), out)
        self.assertEqual(len(out), 1)
        kit.differences(kit.Bag("ivy", "yew", 47), kit.Bag("box", "bay", 58), out)
        self.assertEqual(len(out), 2)
`

func TestTwoArgumentsOfAPythonFunctionAreEqual(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 100, bags, bagsTest, []edited{
		{"nothing is written where there is no difference", `    out.append("\n".join(lines) + "\n")`, `    for n, line in enumerate(lines):
        out.append(line + "\n") if n == 0 else out.append(out.pop() + line + "\n")`, "kit.differences"},
		{"the lines one after the other", `    out.append("\n".join(lines) + "\n")`, `    text = ""
    for line in lines:
        text += line + "\n"
    out.append(text or "\n")`, ""},
	})
}
