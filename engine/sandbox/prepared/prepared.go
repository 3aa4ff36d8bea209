// Package prepared has the script that makes a Python interpreter one that loads its
// modules once and is copied for each run, and says which commands it can stand in for.
package prepared

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Script is what the interpreter runs until it is copied.
//
//go:embed prepared.py
var Script []byte

// ScriptName is the name that the script has in the control folder.
const ScriptName = ".atoll-prepared.py"

var (
	python = regexp.MustCompile(`^python(3(\.\d+)?)?$`)
	// flags have no value; what they set is set in a copy as well.
	flags = regexp.MustCompile(`^-[BEIOSPdqsu]+$`)
)

// Command is a command line of Python.
type Command struct {
	Options []string // the program and its flags
	Script  string
}

// Parse reads a command line: the program, flags without values, and an absolute path of a
// script. Anything else is no command that a copy could stand in for.
func Parse(args []string) (Command, bool) {
	if len(args) < 2 || !python.MatchString(path.Base(args[0])) {
		return Command{}, false
	}
	at := 1
	for at < len(args) && flags.MatchString(args[at]) {
		at++
	}
	if at == len(args) || !path.IsAbs(args[at]) || !strings.HasSuffix(args[at], ".py") || path.Clean(args[at]) != args[at] ||
		slices.Index(args, args[at]) != at {
		return Command{}, false
	}
	return Command{Options: args[:at], Script: args[at]}, true
}

// shaping are variables that shape an interpreter beyond what a copy can be told apart by,
// or where it looks for modules.
var shaping = []string{"PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPLATLIBDIR"}

// Shaped returns what of the command or its environment, NAME=value, keeps a copy from being
// as good as an interpreter of its own; "" for nothing.
func (c *Command) Shaped(env []string) string {
	seed := ""
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if slices.Contains(shaping, name) && value != "" {
			return name + " is set"
		}
		if name == "PYTHONHASHSEED" {
			seed = value
		}
	}
	for _, o := range c.Options[1:] {
		if strings.ContainsAny(o, "IE") {
			return "with " + o + " Python draws another hash seed for each run"
		}
	}
	if seed == "" || seed == "random" {
		return "Python draws another hash seed for each run"
	}
	return ""
}
