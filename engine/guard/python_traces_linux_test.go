package guard_test

import "testing"

// stickers are made with options that a caller gives, or each with the standard ones.
const stickers = `
class Options:
    def __init__(self):
        self.wide = False


_STANDARD = Options()


class Label:
    def __init__(self, text, options=None, **more):
        if options is None:
            options = Options()
        self.text, self._options = text, options
        for k, v in more.items():
            setattr(self._options, k, v)

    def line(self):
        return self.text.center(9 if self._options.wide else 3)


def line(text, options=None):
    return Label(text, options).line()
`

const stickersTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.line("a"), " a ")
        self.assertEqual(kit.Label("b", kit.Options()).line(), " b ")
        self.assertEqual(len(kit.Label("c", None, wide=True).line()), 9)
`

func TestWhatAPythonObjectLeavesToTheNextIsFound(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, stickers, stickersTest, []edited{
		{"one object for all that give none", "            options = Options()", "            options = _STANDARD", "kit.Label.line"},
	})
}
