package guard_test

import "testing"

// taker takes texts out of others until there are none left.
const taker = `
def uncommented(text):
    while (at := text.find("<!--")) >= 0:
        end = text.find("-->", at)
        if end < 0:
            break
        text = text[:at] + text[end + 3:]
    return text


class Text(str):
    def bare(self):
        text = str(self)
        while "{}" in text:
            text = text.replace("{}", "")
        return text


def within(path):
    while "../" in path:
        path = path.replace("../", "")
    return path
`

const takerTest = `
import unittest
from kit import Text, uncommented, within


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(uncommented("a <!-- b --> c"), "a  c")
        self.assertEqual(Text("a {} b").bare(), "a  b")
        self.assertEqual(within("../etc/../passwd"), "etc/passwd")
`

func TestTextsThatStandWithinThemselvesAreGivenToPythonCode(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, taker, takerTest, []edited{
		{"what ends is taken out once", `    while (at := text.find("<!--")) >= 0:
        end = text.find("-->", at)
        if end < 0:
            break
        text = text[:at] + text[end + 3:]
    return text
`, `    out, begin = [], 0
    while (at := text.find("<!--", begin)) >= 0:
        end = text.find("-->", at)
        if end < 0:
            break
        out.append(text[begin:at])
        begin = end + 3
    return "".join(out) + text[begin:]
`, "kit.uncommented"},
		{"a text that an object is", `        while "{}" in text:
            text = text.replace("{}", "")
        return text
`, `        return text.replace("{}", "")
`, "kit.Text.bare"},
		{"a text is taken out once", `    while "../" in path:
        path = path.replace("../", "")
    return path
`, `    return path.replace("../", "")
`, "kit.within"},
	})
}
