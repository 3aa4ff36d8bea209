package survey

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/eval/output"
)

// otherTests makes a stage of the tests of other languages, if they pass. Where the
// tests of Python import what is not installed for one interpreter, those that have it
// are tried.
func (s *survey) otherTests(ctx context.Context) error {
	lacks := ""
	for i, tries := range s.waysToTest() {
		instead := "" // why the first of these does not run the tests
		if i > 0 && (lacks == "" || !imports(ctx, tries[0][0], lacks)) {
			continue
		}
		for _, command := range tries {
			done := (&lender{s}).lend()
			why, err := s.try(ctx, command)
			done(why == "" && err == nil)
			if err != nil {
				return err
			}
			if why == "" {
				s.testCommand = s.m.Stages[0].Command
				if i > 0 {
					s.Say(fmt.Sprintf("%s has no %s, so %s runs the tests and what measures", portable(s.Tree, s.Pythons[0])[0], lacks, portable(s.Tree, tries[0][0])[0]))
				}
				if instead != "" {
					s.Say(instead)
				}
				return nil
			}
			instead = orElse(instead, fmt.Sprintf("%s does not run the tests: %s", inShell(portable(s.Tree, prepared(command)...)...), why))
			lacks = orElse(lacks, lackedModule(why))
		}
	}
	best := furthest(s.tried)
	s.testCommand = best.command
	why := best.reason
	if len(s.tried) > 1 {
		why = inShell(portable(s.Tree, prepared(best.command)...)...) + ": " + why
	}
	unstaged(s, "the tests do not pass on the root in the sandbox, so they are no stage: "+why+quicker(s.Look.Language, best.timedOut))
	return nil
}

// quicker says what to do where the tests take too long; "" where they do not.
func quicker(language string, timedOut bool) string {
	if !timedOut {
		return ""
	}
	return "; name those that are quick in evaluator.stages, such as " + quickStage(language) + ", or all of them with a longer timeout there"
}

// quickStage is a stage of some of the tests, to be completed by hand.
func quickStage(language string) string {
	words := "npm, test, --, NAME"
	switch language {
	case "go":
		words = "go, test, -run, NAME, ./..."
	case "python":
		words = "python3, -m, pytest, -k, NAME"
	case "javascript":
	default:
		words = "sh, -c, \"...\""
	}
	return "[{name: tests, command: [" + words + "], output: none}, {name: measure}]"
}

// note says something and writes it into the file.
func note(s *survey, text string) {
	s.Say(text)
	s.m.Notes = append(s.m.Notes, text+".")
}

// unstaged says why no stage runs the tests, and marks it in the file.
func unstaged(s *survey, why string) {
	s.Say(why)
	s.m.Notes = append(s.m.Notes, "CHECK the tests: "+why+".")
}

// Why tests are no stage, of themselves.
var (
	noTest    = "no test ran"
	slowSuite = "they did not end in " + roundTime(testPatience).String()
)

// waysToTest are the commands to try; in Python a list for each interpreter.
func (s *survey) waysToTest() [][][]string {
	if s.Look.Language != "python" || !isPython(s.Look.Test[0]) {
		tries := [][]string{s.Look.Test}
		if s.Look.Language == "javascript" {
			if command := s.Lab.runnerAlone(prepared(s.Look.Test)); command != nil {
				tries = append(tries, withModules(s.linked, command))
			}
		}
		if s.Look.Language == "javascript" && slices.Contains(s.Look.Test, "npm") && s.Lab.manifest(".").Scripts["pretest"] != "" {
			tries = append(tries, append(slices.Clip(s.Look.Test), "--ignore-scripts")) // without what npm runs before, such as a linter
		}
		return [][][]string{tries}
	}
	var ways [][][]string
	for _, python := range s.Pythons {
		ways = append(ways, pythonTests(s.Look.Test, s.Lab.Files, python))
	}
	return ways
}

// noModule finds the name of a module of Python that is not installed.
var noModule = regexp.MustCompile(`No module named '?([A-Za-z_]\w*)`)

// lackedModule is the module that is not installed, as a reason says; "" for none.
func lackedModule(reason string) string {
	if m := noModule.FindStringSubmatch(reason); m != nil {
		return m[1]
	}
	return ""
}

// imports reports whether an interpreter has a module installed. It runs outside of the
// sandbox, and nothing of the repository.
func imports(ctx context.Context, python, module string) bool {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-I", "-c", "import "+module)
	cmd.Dir = "/"
	return cmd.Run() == nil
}

// pythonTests are the ways to run the tests of Python: the command that was found, then
// those of the standard library.
func pythonTests(found, files []string, python string) [][]string {
	tries := [][]string{slices.Clone(found), {"python3", "-m", "unittest", "discover"}}
	for _, dir := range testFolders() {
		if slices.ContainsFunc(files, func(f string) bool { return path.Dir(f) == dir && strings.HasPrefix(path.Base(f), "test") }) {
			tries = append(tries, []string{"python3", "-m", "unittest", "discover", "-s", dir, "-t", "."})
		}
	}
	for _, t := range tries {
		if isPython(t[0]) {
			t[0] = python
		}
	}
	return tries
}

// testFolders are where tests of Python usually are.
func testFolders() []string { return []string{"tests", "test"} }

// portable is a command as another machine knows it, too: the interpreter of a virtual
// environment of the tree lies beside the file.
func portable(tree string, command ...string) []string {
	list := slices.Clone(command)
	for i, word := range list {
		if rest, ok := strings.CutPrefix(word, tree+"/"); ok && tree != "" && config.IsVenvPython(rest) {
			list[i] = rest
		}
	}
	return list
}

func isPython(word string) bool { return strings.HasPrefix(path.Base(word), "python") }

// python is the interpreter that runs the tests, or the first of those to try.
func (s *survey) python() string {
	if len(s.testCommand) > 0 && isPython(s.testCommand[0]) {
		return s.testCommand[0]
	}
	return s.Pythons[0]
}

// try runs the tests by one command and makes a stage of them if they pass, else it
// returns why they do not, and notes how far they got. Single tests of pytest that fail are
// left out.
func (s *survey) try(ctx context.Context, command []string) (string, error) {
	s.doing(testPatience, "running the tests: %s", oneLine(command))
	sample, err := (&lender{s}).test(ctx, true, command...)
	if err != nil {
		return "", err
	}
	if command, sample, err = (&lender{s}).withoutFailing(ctx, command, sample); err != nil {
		return "", err
	}
	text := string(sample.Raw.Stderr) + string(sample.Raw.Stdout)
	if sample.Raw.Exit == 4 && strings.Contains(text, "unrecognized arguments") && !slices.Contains(command, "addopts=") {
		return s.try(ctx, append(slices.Clip(command), "-o", "addopts=")) // of a plug-in that is not installed
	}
	if sample.Raw.Exit == 2 && duringCollection.MatchString(text) {
		if ran, err := s.tryFolders(ctx, command, s.helpful(sample.Reason, command)); err != nil || ran {
			return "", err
		}
	}
	if sample.Raw.Exit == 2 && strings.Contains(text, "conftest") && slices.Contains(command, "pytest") && !slices.Contains(command, "--noconftest") {
		if why, err := s.try(ctx, append(slices.Clip(command), "--noconftest")); err != nil || why == "" {
			return why, err
		}
	}
	why := noTest
	switch {
	case sample.Raw.TimedOut:
		why = slowSuite
	case sample.Raw.Exit != 0:
		if why, err = s.tryBuilt(ctx, command, &sample); err != nil || why == "" {
			return why, err
		}
	case strings.Contains(text, "Ran 0 tests") || strings.Contains(text, "no tests ran"):
	default:
		s.stageTests(command, &sample)
		return "", nil
	}
	n := countTests(text)
	s.tried = append(s.tried, attempt{command: command, reason: n.told(why, failedTests(sample.Raw.Stdout)), passed: n.passed, timedOut: sample.Raw.TimedOut, unknown: sample.Raw.Exit == 127})
	return why, nil
}

// duringCollection finds what pytest says where it cannot load files that look like tests.
var duringCollection = regexp.MustCompile(`\d+ errors? during collection`)

// tryFolders has pytest run the tests of the usual folders alone, where it cannot load what
// lies elsewhere, which why says. It reports whether they pass.
func (s *survey) tryFolders(ctx context.Context, command []string, why string) (bool, error) {
	folders := testFolders()
	if !slices.Contains(command, "pytest") || slices.ContainsFunc(folders, func(dir string) bool { return slices.Contains(command, dir) }) {
		return false, nil
	}
	for _, dir := range folders {
		if !s.Lab.hasTests(dir) {
			continue
		}
		failed, err := s.try(ctx, append(slices.Clip(command), dir))
		if err != nil {
			return false, err
		}
		if failed == "" {
			s.Say(fmt.Sprintf("%s cannot load all tests, so those of %s run alone: %s", oneLine(command), dir, why))
			return true, nil
		}
	}
	return false, nil
}

// hasTests reports whether a folder holds tests of pytest.
func (l *Lab) hasTests(dir string) bool {
	return slices.ContainsFunc(l.Files, func(f string) bool { return strings.HasPrefix(f, dir+"/") && config.IsPythonTest(f) })
}

// stageTests makes a stage of a command of the tests that passed.
func (s *survey) stageTests(command []string, sample *Sample) {
	s.tests, s.testsOpened = sample.Raw.Wall, sample.Opened
	if sample.Watched && s.testsOpened == nil {
		s.testsOpened = []string{}
	}
	s.m.Stages = append(s.m.Stages, config.Stage{Name: "tests", Command: command, Output: output.OutputNone, Timeout: patience(s.d.Language, sample.Raw.Wall)})
	s.Say(fmt.Sprintf("the tests pass in %s: %s", roundTime(sample.Raw.Wall), inShell(portable(s.Tree, prepared(command)...)...)))
}

// tryBuilt tries tests that failed once more behind the project's own build, where they lack
// what that makes.
func (s *survey) tryBuilt(ctx context.Context, command []string, failed *Sample) (string, error) {
	file := s.Lab.missing(&failed.Raw)
	if file == "" {
		return s.helpful(failed.Reason, command), nil
	}
	line := s.buildOf(file)
	if line == "" || isPython(command[0]) || slices.Equal(command[:min(2, len(command))], []string{"sh", "-c"}) && strings.Contains(command[2], line) {
		return because(s.helpful(failed.Reason, command), file, lacks(s.Tree, file)), nil
	}
	return s.try(ctx, after(line, command))
}
