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
)

// runsTests finds scripts that run tests by their names, and inTests those beside tests.
var (
	runsTests = regexp.MustCompile(`(?i)^(?:[\w.-]*[_.-]|unit|run|all)?tests?(?:[_.-][\w.-]*)?\.sh$`)
	inTests   = regexp.MustCompile(`(?i)^(?:run|all|check)[\w.-]*\.sh$`)
	noTests   = regexp.MustCompile(`(?i)bench|perf|fuzz|install|deploy|release`)
)

// complains finds words of a script that went on although a command of it failed.
var complains = regexp.MustCompile(`(?i)no such file or directory|command not found|: not found`)

// mostScripts bounds the scripts that are tried.
const mostScripts = 4

// scripts is what a survey finds out of scripts that may run the tests.
type scripts struct{ *survey }

// testScripts makes a stage of the first script that looks like one that runs the tests and
// does: it ends well, reads what may change, and writes nothing that is committed.
func (s *scripts) testScripts(ctx context.Context) error {
	var failed []string
	found := s.Lab.testScripts()
	for _, f := range found[:min(len(found), mostScripts)] {
		ways := [][]string{{"./" + f}}
		if dir, base := path.Split(f); dir != "" {
			ways = append([][]string{{"sh", "-c", "cd " + inShell(path.Clean(dir)) + " && exec " + inShell("./"+base)}}, ways...)
		}
		reason := ""
		for _, command := range ways {
			why, err := s.tryScript(ctx, command)
			if err != nil {
				return err
			}
			if why == "" {
				s.protectFile(f)
				return nil
			}
			reason = orElse(reason, why)
		}
		failed = append(failed, f+" ("+reason+")")
	}
	if runs, err := s.testPrograms(ctx, &failed); runs || err != nil {
		return err
	}
	if len(failed) == 0 {
		s.Say("no tests were found: nothing but the evaluator will notice what a candidate breaks")
		if text := s.Lab.nested(); text != "" {
			s.Say("no project lies at the top of the repository, but " + text)
		}
		return nil
	}
	s.Say("no tests were found that notice what a candidate breaks. What may be a part of some: " + someOf(failed, mostScripts) +
		". Name a command that fails where something is broken: evaluator.stages: [{name: tests, command: [sh, -c, \"cd tests && ...\"], output: none}, {name: measure}]")
	return nil
}

// testScripts are executable scripts at the top and in folders of tests that look like ones
// that run them.
func (l *Lab) testScripts() []string {
	var list []string
	for _, f := range l.Files {
		dir, base := path.Dir(f), path.Base(f)
		beside := dir == "test" || dir == "tests"
		if dir != "." && !beside || noTests.MatchString(base) || !runsTests.MatchString(base) && !(beside && inTests.MatchString(base)) {
			continue
		}
		if info, err := os.Stat(filepath.Join(l.Base, filepath.FromSlash(f))); err == nil && info.Mode()&0o111 != 0 {
			list = append(list, f)
		}
	}
	return list
}

// protectFile sees to it that a file is taken from the root.
func (s *scripts) protectFile(f string) {
	if !covered(s.d.Protected, f) {
		s.d.Protected = append(slices.Clone(s.d.Protected), escape(f))
	}
}

// tryScript runs a script and makes a stage of it, or returns why it is no test.
func (s *scripts) tryScript(ctx context.Context, command []string) (why string, err error) {
	lender := &lender{s.survey}
	done := lender.lend()
	defer func() { done(why == "" && err == nil) }()
	s.doing(testPatience, "trying whether %s runs tests", oneLine(command))
	sample, err := lender.test(ctx, true, command...)
	text := func() string { return string(sample.Raw.Stderr) + string(sample.Raw.Stdout) }
	if said := refusals(text()); err == nil && len(said) > 0 && lender.loosen(said) { // it went on without what it could not write
		sample, err = lender.test(ctx, true, command...)
	}
	if err != nil {
		return "", err
	}
	free := func(f string) bool { return s.sources.has(f) && !covered(s.d.Protected, f) }
	switch {
	case sample.Raw.TimedOut:
		return "it did not end in " + testPatience.String(), nil
	case sample.Raw.Exit != 0:
		return orElse(sample.Reason, fmt.Sprintf("it ends with code %d", sample.Raw.Exit)), nil
	case len(s.lent.files) > 0 || len(refusals(text())) > 0:
		return "it writes over committed files and compares nothing", nil
	case complains.MatchString(text()):
		return "it ends well although it says: " + strings.TrimSpace(complains.FindString(text())), nil
	case sample.Watched && !slices.ContainsFunc(sample.Opened, free):
		return "it reads no source that may change", nil
	}
	s.stageTests(command, &sample)
	s.testCommand = command
	return "", nil
}
