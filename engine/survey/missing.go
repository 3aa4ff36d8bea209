package survey

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/sandbox"
)

// notFound are the ways in which programs say that a file is not there.
var notFound = []*regexp.Regexp{
	regexp.MustCompile(`No rule to make target '([^']+)'`),
	regexp.MustCompile(`Cannot find module '(\.{0,2}/[^']+)'`), // of node; a name without a slash is a package's
	regexp.MustCompile(`(?i)no such file or directory(?:, \w+|:) '([^']+)'`),
	regexp.MustCompile(`spawn (\S+/\S+) ENOENT`),
	regexp.MustCompile(`(?m)([^\s:'"()]+): (?:No such file or directory|not found)\s*$`),
}

// missing is the file of the project that a run said it did not find, relative to the top of
// the tree; "" for none, and for what could as well be a program or a header of the machine.
func (l *Lab) missing(r *sandbox.Result) string {
	text := string(r.Stderr) + "\n" + string(r.Stdout)
	for i, re := range notFound {
		for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
			if strings.HasSuffix(text[:at[2]], "fatal error: ") { // of a compiler
				continue
			}
			name := text[at[2]:at[3]]
			if i > 0 && !strings.ContainsAny(name, "/.") { // a program of PATH has such a name, too
				continue
			}
			if file := l.inTree(name); file != "" {
				return file
			}
		}
	}
	return ""
}

// inTree is a name as programs write it, relative to the top; "" for what is committed or
// lies elsewhere.
func (l *Lab) inTree(name string) string {
	name = path.Clean(strings.TrimPrefix(name, sandbox.TreeDir+"/"))
	for strings.HasPrefix(name, "../") { // from a folder of the tree
		name = name[len("../"):]
	}
	if path.IsAbs(name) || name == "." || name == ".." {
		return ""
	}
	for _, f := range l.Files {
		if f == name || strings.HasPrefix(f, name+"/") {
			return ""
		}
	}
	return name
}

// noBuild are targets that people make for another reason than to build.
var noBuild = regexp.MustCompile(`^(?:\.|test|check|bench|perf|eval|run|clean|help|install|lint|format|fmt)`)

// builder is the command of the project that makes a file, as far as its name or the
// project's habits tell; "" for none.
func (l *Lab) builder(file string) string {
	targets := l.makeTargets()
	for _, t := range []string{file, path.Base(file)} {
		if slices.Contains(targets, t) {
			return "make -s " + t
		}
	}
	if text, err := l.Read("package.json"); err == nil && regexp.MustCompile(`"build"\s*:\s*"`).Match(text) {
		return "npm run --silent build"
	}
	for _, t := range []string{"all", "build"} {
		if slices.Contains(targets, t) {
			return "make -s " + t
		}
	}
	if i := slices.IndexFunc(targets, func(t string) bool { return !strings.HasPrefix(t, ".") }); i >= 0 && !noBuild.MatchString(targets[i]) {
		return "make -s" // its first target
	}
	return ""
}

// makeTargets are those of the Makefile at the top, none where there is none.
func (l *Lab) makeTargets() []string {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if text, err := l.Read(name); err == nil {
			return config.MakeTargets(string(text))
		}
	}
	return nil
}

// after runs a command when a line of shell has ended well.
func after(line string, command []string) []string {
	if line == "" {
		return command
	}
	return append([]string{"sh", "-c", line + toStderr + andRun}, command...)
}

// toStderr keeps what a build says apart from what a program prints.
const toStderr = ` >&2`

// buildOf is the line of shell that makes a file of the project, "" for none.
func (s *survey) buildOf(file string) string {
	line := s.Lab.builder(file)
	if line != "" && s.linked {
		line = linkModules + " && " + line
	}
	return line
}

// lacks says that a file is missing, and whether the work tree has it, where there is one.
func lacks(tree, file string) string {
	text := "it needs " + file + ", which is not committed"
	if tree == "" {
		return text
	}
	if _, err := os.Stat(filepath.Join(tree, filepath.FromSlash(file))); err == nil {
		return text + fmt.Sprintf("; your work tree has it: `git add -f %s`, commit it, and `atoll init --force`", inShell(file))
	}
	return text + ", nor in your work tree"
}

// because is why a run failed that lacked a file: that, where the failure speaks of it, else both.
func because(reason, file, lacks string) string {
	if strings.Contains(reason, path.Base(file)) {
		return lacks
	}
	return orElse(reason, "it failed") + "; " + lacks
}

// built has the project's own build make what a run of the evaluator lacked, before every
// measurement. It returns the run behind the build, and why there is none, "" when there is.
func (s *survey) built(ctx context.Context, file string, run func() (Sample, error)) (Sample, string, error) {
	line := s.buildOf(file)
	if line == "" {
		return Sample{}, lacks(s.Tree, file) + "; nothing here says what makes it", nil
	}
	s.before = line
	sample, err := run()
	if err != nil {
		return Sample{}, "", err
	}
	shown := s.Lab.builder(file)
	if sample.Raw.Exit == 0 && !sample.Raw.TimedOut && s.Lab.missing(&sample.Raw) != file {
		s.Say(fmt.Sprintf("%s is not committed: `%s` makes it before each measurement", file, shown))
		s.m.Notes = append(s.m.Notes, fmt.Sprintf("%s is not committed, so `%s` runs before each measurement.", file, shown))
		return sample, "", nil
	}
	s.before = ""
	if s.Lab.missing(&sample.Raw) == file {
		return Sample{}, lacks(s.Tree, file) + fmt.Sprintf("; `%s` does not make it", shown), nil
	}
	return Sample{}, fmt.Sprintf("%s; behind `%s`, which should make it: %s", lacks(s.Tree, file), shown, orElse(sample.Reason, "it does not end well")), nil
}
