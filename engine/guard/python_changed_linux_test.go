package guard_test

import "testing"

// turning gives what it is given in another order, and leaves that as it is.
const turning = `
import array
import collections


def turned(items, n):
    out = collections.deque(items)
    out.rotate(n)
    return list(out)


def backward(values):
    out = array.array(values.typecode, values)
    out.reverse()
    return out.tolist()
`

const turningTest = `
import array
import collections
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.turned(collections.deque([1, 2, 3]), 1), [3, 1, 2])
        self.assertEqual(kit.backward(array.array("i", [1, 2, 3])), [3, 2, 1])
`

func TestOtherListsThatAPythonFunctionChangesAreArguments(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 100, turning, turningTest, []edited{
		{"a deque of the caller is turned", "    out = collections.deque(items)\n    out.rotate(n)", "    out = items\n    out.rotate(n)", "kit.turned"},
		{"an array of the caller is turned", "    out = array.array(values.typecode, values)\n    out.reverse()", "    out = values\n    out.reverse()", "kit.backward"},
		{"it is read from its end", "    out = array.array(values.typecode, values)\n    out.reverse()\n    return out.tolist()", "    return values.tolist()[::-1]", ""},
	})
}
