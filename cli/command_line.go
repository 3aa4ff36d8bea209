package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// says is a command line of atoll as a person can type it here: by the name this
// program was started with, and for the repository and state that its flags name.
func (a *App) says(verb string) string {
	words := []string{a.called()}
	if a.flags.repo != "" {
		words = append(words, "-C", shellWord(a.flags.repo))
	}
	if a.flags.state != "" {
		words = append(words, "--state", shellWord(a.flags.state))
	}
	if a.flags.experiment != "" {
		words = append(words, "--experiment", shellWord(a.flags.experiment))
	}
	return strings.Join(append(words, verb), " ")
}

// nameExperiment has the command lines from here on name an experiment where verbs would take
// another one without that.
func (a *App) nameExperiment(ctx context.Context, ses *engine.Session, id record.ExperimentID) error {
	if a.flags.experiment != "" {
		return nil // they do
	}
	latest, err := ses.Find(ctx, "")
	if err == nil && latest.ID != id {
		a.flags.experiment = strconv.FormatInt(int64(id), 10)
	}
	return err
}

// spell writes the command lines of a text, "`atoll run`", as they can be typed
// here.
func (a *App) spell(text string) string {
	prefix := a.says("")
	return strings.NewReplacer("`atoll ", "`"+prefix, "`atoll`", "`"+strings.TrimSpace(prefix)+"`").Replace(text)
}

// called is how this program was started: "atoll" where the PATH finds it, "go
// run ." where the go command built it for one run, else its path.
func (a *App) called() string {
	switch {
	case a.Called == "":
		return "atoll"
	case strings.Contains(filepath.ToSlash(a.Called), "/go-build"):
		return "go run ."
	case !strings.ContainsRune(a.Called, filepath.Separator):
		return a.Called
	}
	return shellWord(a.Called)
}

// cleanLines makes every line of a text harmless, as [view.CleanLine] does one.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = view.CleanLine(l)
	}
	return strings.Join(lines, "\n")
}

// shellWord makes one word for a shell. What a terminal would take for more than
// a letter is escaped, in the form that bash, zsh and POSIX of 2024 read.
func shellWord(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		var b strings.Builder
		for i := range len(s) {
			switch c := s[i]; {
			case c < 0x20 || c >= 0x7f:
				fmt.Fprintf(&b, `\%03o`, c)
			case c == '\'' || c == '\\':
				b.WriteString(`\` + string(c))
			default:
				b.WriteByte(c)
			}
		}
		return "$'" + b.String() + "'"
	}
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%", r) {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	if s == "" {
		return "''"
	}
	return s
}
