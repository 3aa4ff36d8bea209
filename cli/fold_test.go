package cli

import "testing"

func TestALongLineIsBrokenBetweenWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"it fits", "  one two three", 15, "  one two three"},
		{"nothing is a terminal", "one two three", 0, "one two three"},
		{"between words", "one two three", 9, "one two\n  three"},
		{"as far in as it begins", "  one two three four", 11, "  one two\n    three\n    four"},
		{"a word that is too long", "see /a/path/that/is/long now", 10, "see\n  /a/path/that/is/long\n  now"},
		{"a command stays whole", "next `atoll init --force` lets it", 24, "next\n  `atoll init --force`\n  lets it"},
		{"a backquote that nothing closes", "one ` two three", 6, "one\n  ` two three"},
		{"two spaces stay", "next  read it, then go", 14, "next  read it,\n  then go"},
		{"lines of their own stay", "one two three:\n  command: [sh, -c, 'a long line']", 9, "one two\n  three:\n  command: [sh, -c, 'a long line']"},
		{"characters count, not bytes", "ä ö ü ß", 7, "ä ö ü ß"},
	} {
		if got := folded(c.text, c.width); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
