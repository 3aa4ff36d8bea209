package guard_test

import (
	"fmt"
	"strings"
	"testing"
)

// shortened writes some words of the inner lines of a text in another way.
const shortened = `
def shortened(text):
    first, *lines, last = text.split("\n")
    return "\n".join([first, *[line.replace("versus", "vs.").replace("approximately", "approx.") for line in lines], last])
`

// shortenedTest has many words of its own, among which those of the code are seldom.
func shortenedTest() string {
	var words []string
	for i := range 250 {
		words = append(words, fmt.Sprintf("%q", fmt.Sprintf("word %d", i)))
	}
	text := strings.Repeat(`the quick brown fox, and the dog\nwent (over) it; `, 4)
	return `
import unittest
import kit

WORDS = [` + strings.Join(words, ", ") + `]


class Test(unittest.TestCase):
    def test(self):
        for text in ["` + text + `", "one\ntwo lines of text, no more\n"]:
            self.assertEqual(kit.shortened(text), text)
`
}

func TestTextsOfTheCodeStandAmongTheWordsOfLongTextsOfPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, shortened, shortenedTest(), []edited{
		{"a word between blanks alone", `.replace("versus", "vs.")`, `.replace(" versus ", " vs. ")`, "kit.shortened"},
		{"the words in another order", `.replace("versus", "vs.").replace("approximately", "approx.")`, `.replace("approximately", "approx.").replace("versus", "vs.")`, ""},
	})
}
