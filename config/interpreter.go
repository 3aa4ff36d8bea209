package config

import (
	"path/filepath"
	"regexp"
	"slices"
)

// venvPython finds the interpreter of a virtual environment of Python in the folder of the file,
// which no commit holds, and so no candidate.
var venvPython = regexp.MustCompile(`^(?:\./)?(?:\.venv|venv|env)/bin/python[0-9.]*$`)

// IsVenvPython reports whether a word of a command stands for the interpreter of a virtual
// environment beside atoll.yaml, wherever that lies: .venv/bin/python3.
func IsVenvPython(word string) bool { return venvPython.MatchString(word) }

// findInterpreters makes the paths of such interpreters absolute.
func (l *Loaded) findInterpreters() {
	dir, err := filepath.Abs(l.Dir)
	if err != nil || l.Dir == "" {
		return
	}
	found := func(command []string) []string {
		if !slices.ContainsFunc(command, IsVenvPython) {
			return command
		}
		command = slices.Clone(command)
		for i, word := range command {
			if IsVenvPython(word) {
				command[i] = filepath.Join(dir, word)
			}
		}
		return command
	}
	e := &l.Evaluator
	e.Command, e.Stages, l.GuardCommands = found(e.Command), slices.Clone(e.Stages), slices.Clone(l.GuardCommands)
	for i := range e.Stages {
		e.Stages[i].Command = found(e.Stages[i].Command)
	}
	for i := range l.GuardCommands {
		l.GuardCommands[i].Command = found(l.GuardCommands[i].Command)
	}
}
