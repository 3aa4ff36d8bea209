package doctor

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/eval/lint"
	"atoll/engine/gate"
)

// The bounds of a look at scripts: programs of this size are seldom written by hand.
const (
	scriptsMost = 64
	scriptSize  = 256 << 10
)

// scripts looks through the scripts of the evaluator for places that lend candidates its
// rights. Adapters load candidates on purpose; what that means is told by each run.
func (c *checkup) scripts() {
	ev := c.opt.Config.Evaluator
	if c.opt.ConfigErr != nil || ev.Adapter != "" {
		return
	}
	top := c.opt.Target.Path
	if c.opt.Target.Bare {
		top = ""
	}
	protected, scope := slices.Concat(ev.Protected, ev.Hidden), c.opt.Config.Gate.Scope
	tree := lint.Tree{
		Has: func(p string) bool {
			info, err := os.Lstat(filepath.Join(top, p))
			return top != "" && err == nil && info.Mode().IsRegular()
		},
		Protected: func(p string) bool { return gate.MatchExact(protected, p) },
		Fixed: func(p string) bool {
			return len(scope) > 0 && !gate.MatchExact(scope, p) || gate.MatchExact(c.opt.Config.Gate.Forbidden, p)
		},
		GoOnly: len(scope) > 0 && !slices.ContainsFunc(scope, func(glob string) bool { return !strings.HasSuffix(glob, ".go") }),
	}
	for _, f := range lint.Check(commandScripts(ev), tree) {
		c.warn("evaluator", "script", f.Script+": "+f.What, f.Cure)
	}
	for _, f := range lint.Check(c.evaluatorScripts(top, tree), tree) {
		c.warn("evaluator", "script", fmt.Sprintf("%s:%d: %s", f.Script, f.Line, f.What), f.Cure)
	}
}

// commandScripts are the commands of the evaluator and of its stages as a shell would
// be told them.
func commandScripts(ev config.Evaluator) (out []lint.Script) {
	add := func(name string, command []string) {
		text := ""
		switch {
		case len(command) == 0:
			return
		case len(command) == 1:
			text = command[0]
		case len(command) == 3 && command[0] == "sh" && command[1] == "-c":
			text = command[2]
		default:
			for _, w := range command {
				text += " '" + strings.ReplaceAll(w, "'", `'\''`) + "'"
			}
			text = strings.ReplaceAll(text, "{dir}", `'"$ATOLL_EVAL_DIR"'`)
		}
		text = strings.NewReplacer("{dir}", `"$ATOLL_EVAL_DIR"`, "{tree}", ".").Replace(text)
		out = append(out, lint.Script{Name: name, Text: "#!/bin/sh\n" + text + "\n"})
	}
	add("evaluator.command", ev.Command)
	for _, s := range ev.Stages {
		if !runsTests(s.Command) {
			add("the command of stage "+s.Name, s.Command)
		}
	}
	return out
}

// runsTests reports a stage that `init` may have written, and that does nothing but run the
// tests of the tree: tests load candidates on purpose, and each run tells what that means.
func runsTests(command []string) bool {
	if len(command) == 1 {
		command = strings.Fields(command[0])
	}
	if len(command) < 2 || slices.ContainsFunc(command, func(w string) bool { return strings.ContainsAny(w, "|&;<>$`") }) {
		return false
	}
	switch name := filepath.Base(command[0]); {
	case name == "go":
		return command[1] == "test"
	case strings.HasPrefix(name, "python"):
		return len(command) > 2 && command[1] == "-m" && (command[2] == "unittest" || command[2] == "pytest")
	}
	return false
}

// evaluatorScripts reads the files of the tree that the commands name and candidates
// cannot change, and the scripts of the evaluator directory.
func (c *checkup) evaluatorScripts(top string, tree lint.Tree) []lint.Script {
	ev := c.opt.Config.Evaluator
	var words []string
	for _, command := range append([][]string{ev.Command}, stageCommands(c)...) {
		for _, w := range command {
			words = append(words, strings.Fields(w)...) // one word is a line for the shell
		}
	}
	var out []lint.Script
	add := func(name, path string, outside bool) {
		if len(out) == scriptsMost || slices.ContainsFunc(out, func(s lint.Script) bool { return s.Name == name }) {
			return
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > scriptSize {
			return
		}
		if data, err := os.ReadFile(path); err == nil {
			out = append(out, lint.Script{Name: name, Text: string(data), Outside: outside})
		}
	}
	for _, w := range words {
		if p := filepath.Clean(w); tree.Has(p) && tree.Protected(p) {
			add(p, filepath.Join(top, p), false)
		}
	}
	if ev.Dir == "" {
		return out
	}
	dir := ev.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cmp.Or(c.opt.Config.Dir, top), dir)
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".sh") || strings.HasSuffix(path, ".py")) {
			add(filepath.Join(ev.Dir, strings.TrimPrefix(path, dir)), path, true)
		}
		return nil // what cannot be read is told when it is run
	})
	return slices.DeleteFunc(slices.Clone(out), func(s lint.Script) bool { return s.Outside && confined(s.Name, words, out) })
}

// confined reports a script of the evaluator directory that another one there starts, with the
// launcher: it has a candidate's rights, as what `init` writes has for the code that calls the
// candidate's. One that a command names, or a script imports, is none.
func confined(name string, commands []string, all []lint.Script) bool {
	base := filepath.Base(name)
	module := strings.TrimSuffix(base, ".py")
	imports := regexp.MustCompile(`(?m)^\s*(?:import|from)\s+` + regexp.QuoteMeta(module) + `\b`)
	started := false
	for _, s := range all {
		if s.Name == name {
			continue
		}
		if imports.MatchString(s.Text) {
			return false
		}
		started = started || s.Outside && strings.Contains(s.Text, base) && strings.Contains(s.Text, "ATOLL_RUN")
	}
	return started && !slices.ContainsFunc(commands, func(w string) bool { return filepath.Base(w) == base })
}

func stageCommands(c *checkup) (out [][]string) {
	for _, s := range c.opt.Config.Evaluator.Stages {
		out = append(out, s.Command)
	}
	return out
}
