package view_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"atoll/engine/view"
)

func TestForeignTextBecomesOneHarmlessLine(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain text stays": {"ok  \tatoll", "ok   atoll"},
		"colours go":       {"\x1b[1;31mred\x1b[0m", "red"},
		"the choice of a character set goes as a whole": {"a\x1b(B\x1b[mb", "ab"},
		"one with two bytes between goes as well":       {"a\x1b$(Db", "ab"},
		"a title goes up to its bell":                   {"\x1b]0;evil\x07text", "text"},
		"a title goes up to its terminator":             {"\x1b]0;evil\x1b\\text", "text"},
		"a title without an end takes the rest":         {"text\x1b]0;evil", "text"},
		"a short sequence goes":                         {"a\x1bcb", "ab"},
		"an escape before a letter of another script":   {"\x1bé", "é"},
		"an escape before an escape":                    {"\x1b\x1b[31mred", "red"},
		"an escape at the end":                          {"text\x1b", "text"},
		"several lines become one":                      {"a\nb", "a b"},
		"the bell, and controls of eight bits":          {"a\x07\u009bb", "ab"},
		"what turns the direction of text":              {"a\u202eb\u2066c", "abc"},
		"what has no width":                             {"a\u200bb\ufeff", "ab"},
		"separators of lines that are letters":          {"a\u2028b\u2029", "ab"},
		"bytes that are no text are marked":             {"a\xffb", "a\ufffdb"},
		"nothing":                                       {"", ""},
	} {
		if got := view.CleanLine(c.text); got != c.want {
			t.Errorf("%s: %q became %q, expected %q", name, c.text, got, c.want)
		}
	}
}

func TestALongLineIsCutBetweenCharacters(t *testing.T) {
	const most = 2000
	for name, c := range map[string]struct {
		text string
		want int // bytes
	}{
		"letters":                            {strings.Repeat("a", 3*most), most},
		"just as long as it may be":          {strings.Repeat("a", most), most},
		"a character that lies across":       {strings.Repeat("a", most-1) + strings.Repeat("é", 9), most - 1},
		"a character that ends at the bound": {strings.Repeat("a", most-2) + strings.Repeat("é", 9), most},
		"bad bytes, whose marks are longer":  {strings.Repeat("\xff", most), most / 3 * 3},
		"the rest of characters":             {strings.Repeat("\x80", 2*most), most / 3 * 3},
	} {
		got := view.CleanLine(c.text)
		if len(got) != c.want || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, valid %t; expected %d", name, len(got), utf8.ValidString(got), c.want)
		}
		if strings.Contains(got, "\ufffd") && utf8.ValidString(c.text) {
			t.Errorf("%s: a mark stands for a character that was whole", name)
		}
	}
}
