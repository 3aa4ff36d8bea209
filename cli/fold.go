package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
)

// width is that of the terminal a writer is; 0 for what is none.
func (a *App) width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !a.IsTTY(w) {
		return 0
	}
	columns, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return columns
}

// warn prints a line for people on standard error, broken between words at the width of a terminal.
func (a *App) warn(text string) {
	fmt.Fprintln(a.Err, folded("atoll: "+text, a.width(a.Err)))
}

// folded breaks the first line of a text between words so that it fits a width; below it begin those that go on, as far
// in as it does and two more. What stands between backquotes is one word, and a word that is too long stays whole. What
// follows in lines of its own stays as it is. A width of 0 or less breaks nothing.
func folded(text string, width int) string {
	first, rest, more := strings.Cut(text, "\n")
	if width <= 0 || utf8.RuneCountInString(first) <= width {
		return text
	}
	margin := first[:len(first)-len(strings.TrimLeft(first, " "))]
	out, line := "", margin
	for i, word := range wordsToFold(first[len(margin):]) {
		switch {
		case i == 0:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			out, line = out+line+"\n", margin+"  "+word
		default:
			line += " " + word
		}
	}
	if more {
		return out + line + "\n" + rest
	}
	return out + line
}

// wordsToFold are the words between the spaces of a line; one that opens a backquote goes on to where it is closed.
func wordsToFold(line string) []string {
	var out []string
	open := false
	for word := range strings.SplitSeq(line, " ") {
		if open {
			out[len(out)-1] += " " + word
		} else {
			out = append(out, word)
		}
		open = open != (strings.Count(word, "`")%2 == 1)
	}
	return out
}
