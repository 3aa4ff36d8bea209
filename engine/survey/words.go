package survey

import (
	"regexp"
	"strings"
)

// plainWord is a word that a shell takes as it stands.
var plainWord = regexp.MustCompile(`^[\w./=:,+@%{}^-]+\$?$`)

// inShell is a command as a line for a shell.
func inShell(words ...string) string {
	line := make([]string, len(words))
	for i, w := range words {
		if line[i] = w; !plainWord.MatchString(w) {
			line[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(line, " ")
}
