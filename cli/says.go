package cli

import (
	"path/filepath"
	"strings"
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

// spell writes the command lines of a text, "`atoll run`", as they can be typed
// here.
func (a *App) spell(text string) string {
	prefix := a.says("")
	return strings.ReplaceAll(text, "`atoll ", "`"+prefix)
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

// shellWord makes one word for a shell.
func shellWord(s string) string {
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
