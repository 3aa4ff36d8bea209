package guard_test

import "testing"

// nicknames are what stands between brackets or quotes in a text.
const nicknames = `
def nicknames(text):
    found, rest = [], text
    while "(" in rest and ")" in rest.partition("(")[2]:
        word, _, rest = rest.partition("(")[2].partition(")")
        if word.istitle() and len(word) > 2 and word not in found:
            found.append(word)
    return found


def quoted(text):
    parts = text.split("'")
    words = [p for p in parts[1::2] if p.isalpha() and p.lower() not in ("none", "nil") and len(p) > 2]
    return ",".join(sorted(set(words)))
`

const nicknamesTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.nicknames("Benjamin (Ben) Lee"), ["Ben"])
        self.assertEqual(kit.quoted("Rose 'Rosie' Tyler"), "Rosie")
`

func TestASecondPartOfATextBetweenBracketsIsTriedInPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 120, nicknames, nicknamesTest, []edited{
		{"brackets", "    return found\n", "    return found[:1]\n", "kit.nicknames"},
		{"quotes", "    return \",\".join(sorted(set(words)))", "    return \",\".join(sorted(set(words[:1])))", "kit.quoted"},
	})
}
