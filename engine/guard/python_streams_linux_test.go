package guard_test

import "testing"

// numbered reads a number of each line of a stream.
const numbered = `
def numbered(f):
    out = []
    for line in f:
        if not line.startswith("#"):
            out.append(int(line))
    return out
`

const numberedTest = `
import io
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.numbered(io.StringIO("1\n2\n30\n")), [1, 2, 30])
        self.assertEqual(kit.numbered(io.StringIO("# first\n4\n")), [4])
`

func TestStreamsInMemoryHaveOtherContentsInPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 100, numbered, numberedTest, []edited{
		{"a blank before a comment", `if not line.startswith("#")`, `if not line.lstrip().startswith("#")`, "kit.numbered"},
		{"all lines at once", "for line in f:", "for line in f.readlines():", ""},
	})
}
