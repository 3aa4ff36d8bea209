package survey

import (
	"cmp"
	"context"
	_ "embed" // what runs in the sandbox
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/store/record"
)

// script runs a program that was found and reads how it reports from what it
// really reported. It returns why it cannot measure, "" when it can.
func (s *survey) script(ctx context.Context) (string, error) {
	if s.d.Adapter != "" {
		return s.settle(ctx)
	}
	plain, most := s.d.Evaluator, cmp.Or(s.first, firstPatience)
	run := func() (Sample, error) {
		o := s.evalOptions()
		o.Command, o.Output, o.Objective, o.Timeout = wordy(after(s.before, plain)), output.OutputFile, "", most
		s.doing(most, "running %s once, to see what it reports", oneLine(after(s.before, plain)))
		return s.Lab.Run(ctx, o, true)
	}
	lender := &lender{s}
	done := lender.lend()
	sample, err := lender.lending(run)
	done(sample.Raw.Exit == 0 && err == nil)
	if err != nil {
		return "", err
	}
	if file := s.Lab.missing(&sample.Raw); file != "" && !sample.Raw.TimedOut {
		behind, why, err := s.built(ctx, file, run)
		switch {
		case err != nil:
			return "", err
		case why == "":
			sample = behind
		case sample.Raw.Exit != 0:
			return because(sample.Reason, file, why), nil
		}
	}
	s.opened = union(s.opened, sample.Opened)
	raw := sample.Raw
	if s.late = raw.TimedOut; s.late {
		return "it did not end in " + roundTime(most).String() + "; " + (&long{s}).fewer(), nil
	}
	if raw.Exit != 0 {
		return s.helpful(sample.Reason, after(s.before, plain)), nil
	}
	s.d.Evaluator = after(s.before, plain)
	if why := (&protection{s}).blind(s.opened); why != "" && sample.Watched {
		return why, nil
	}
	switch {
	case raw.HasResult:
		s.d.Output = output.OutputFile
	case works(output.ParseGoBench(raw.Stdout)):
		s.d.Adapter, s.d.Output = "gobench", output.OutputFile
	case strings.Contains(string(raw.Stdout), "{") && works(output.ParseLastJSON(raw.Stdout)):
		s.d.Output = output.OutputJSON
	case isSuite(raw.Stdout):
		s.d.Output = output.OutputSuite
	case works(output.ParsePairs(raw.Stdout)):
		s.d.Output = output.OutputPairs
	case works(output.ParseLastNumber(raw.Stdout, "score")):
		s.d.Output = output.OutputNumber
		s.number(string(raw.Stdout))
	case ratesInWords.MatchString(output.Clean(string(raw.Stdout))) || ratesInWords.MatchString(output.Clean(string(raw.Stderr))):
		return "it tells how often things run in a second, in words that cannot be read, and takes as long whatever they are: have it print lines such as ops_per_s=1234", nil
	default:
		if runs, reason, err := runWhatIsBuilt(ctx, s, plain); runs || err != nil {
			return reason, err
		}
		if raw.Wall > (&long{s}).longest() && !s.lastly {
			s.unread = append(s.unread, config.Choice{Command: plain, Found: s.d.Found})
			return "it takes " + roundTime(raw.Wall).String() + " and reports no number that can be read: have it print what each case takes, in lines such as `parse: 12.5ms`", nil
		}
		s.Say(fmt.Sprintf("%s ends well but reports no number that can be read, so its time is measured", inShell(portable(s.Tree, prepared(plain)...)...)))
		return (&timer{s}).timedProgram(ctx, plain, raw.Wall)
	}
	if setting := (&printed{s}).settingAlone(raw.Stdout); setting != "" {
		if works(output.ParseSuite(raw.Stdout)) {
			s.d.Output = output.OutputSuite
			return (&long{s}).settle(ctx, &sample)
		}
		s.Say("what it prints, such as " + setting + ", is a setting that is written in it, so its time is measured")
		return (&timer{s}).timedProgram(ctx, plain, raw.Wall)
	}
	return (&long{s}).settle(ctx, &sample)
}

// byInterpreters runs a program of Python by the interpreter that runs the tests, then by
// others that have what it lacks; any other program as it is. It returns why the one that came furthest
// does not measure, and leaves that in the choice.
func byInterpreters(ctx context.Context, s *survey, c *config.Choice) (string, error) {
	if c.Adapter != "" || !isPython(c.Command[0]) {
		return s.script(ctx)
	}
	list := []string{c.Command[0]}
	if len(s.testCommand) > 0 && isPython(s.testCommand[0]) {
		list = union([]string{s.testCommand[0]}, list)
	}
	words, last := c.Command[1:], ""
	for i, python := range union(list, s.Pythons) {
		if lacks := lackedModule(last); i > 0 && (lacks == "" || !imports(ctx, python, lacks)) {
			continue
		}
		one := *c
		one.Command = append([]string{python}, words...)
		c.Command = one.Command
		s.d, s.opened, s.before = s.d.With(one), nil, ""
		reason, err := s.script(ctx)
		if err != nil || reason == "" {
			return "", err
		}
		last = reason
	}
	return last, nil
}

// ratesInWords finds what suites of benchmarks print that run each for a while.
var ratesInWords = regexp.MustCompile(`(?i)[0-9] *(?:ops?|runs|hz|iterations|calls) ?(?:/|per) ?s(?:ec|econd)?\b`)

// isSuite reports whether a suite of benchmarks tells what its cases take. A single one that has a plain name keeps
// that, and so do several times.
func isSuite(stdout []byte) bool {
	r, err := output.ParseSuite(stdout)
	if err != nil {
		return false
	}
	pairs, err := output.ParsePairs(stdout)
	if err != nil {
		return true
	}
	named := func(test string) bool {
		return slices.ContainsFunc(pairs.Metrics, func(m record.Metric) bool { return m.Name == test })
	}
	other := slices.ContainsFunc(r.Tests, func(test string) bool { return !named(test) })
	return len(r.Tests) > 1 && (other || r.Metrics[0].Unit == "ops/s")
}

func works(_ output.Report, err error) bool { return err == nil }

// speaksOfTime finds a script that measures time by its words.
var speaksOfTime = regexp.MustCompile(`(?i)perf_counter|process_time|time\.time|timeit|clock\(\)|clock_gettime|date \+%s|hrtime|performance\.now|elapsed|duration|seconds|\btime\b`)

// speaksOfRate finds one that counts what is done in a second.
var speaksOfRate = regexp.MustCompile(`(?i)per[ _]?sec|ops/s|throughput|/ *(?:elapsed|dt|seconds)\b`)

// number names the metric of a bare number by the words of the script and of
// the files of the task that it opened.
func (s *survey) number(stdout string) {
	text := stdout
	for _, f := range union([]string{s.d.Found}, s.opened) {
		if f != s.d.Found && (&protection{s}).role(f) != roleTask {
			continue
		}
		if data, err := s.Lab.Read(f); err == nil && len(data) < mostRead {
			text += string(data)
		}
	}
	switch {
	case speaksOfRate.MatchString(text):
		s.m.Objective, s.m.Direction = "rate", config.Maximize
	case speaksOfTime.MatchString(text):
		s.m.Objective, s.m.Direction = "time", config.Minimize
	default:
		s.m.Objective = "result"
	}
}

// helpful adds what to do to a reason, of a command that failed, that many people meet.
func (s *survey) helpful(reason string, command []string) string {
	lacks, next := s.Lab.lacksOfFolder(reason)
	switch {
	case ofNode.MatchString(reason):
		return reason + "; it needs another version of node than that of your PATH"
	case lacks != "":
		s.next = next
		return lacks
	case s.bare:
		return eval.WithoutAdvice(reason) // npm install, which brings packages and their programs, is advised
	case ownModule.MatchString(reason) && s.Lab.hasPackage(ownModule.FindStringSubmatch(reason)[1]):
		return reason + "; the build of the package makes that file and no commit holds it: make it, `git add -f` it, and commit it on a branch of your own"
	case s.Lab.isEntryPoint(lackedModule(reason)):
		return reason + "; it is an entry point of this project, which is not installed: `pip install -e .` with " + interpreter(portable(s.Tree, command...)) + " registers it"
	case strings.Contains(reason, "No module named"):
		return reason + "; install it for " + interpreter(portable(s.Tree, command...)) + ", or list its folder in evaluator.caches"
	case strings.Contains(reason, "Cannot find module") || strings.Contains(reason, "ERR_MODULE_NOT_FOUND"):
		return reason + "; node_modules is not part of the commit: list its folder in evaluator.caches and set NODE_PATH in evaluator.env"
	}
	return reason
}

// ofNode finds what an older node says of a program that is written for a newer one.
var ofNode = regexp.MustCompile(`node(?:\.exe)?: bad option: |ERR_UNKNOWN_FILE_EXTENSION|No such built-in module`)

// interpreter names the interpreter of Python that ran a command.
func interpreter(command []string) string {
	for _, word := range command {
		switch {
		case !isPython(word):
		case strings.Contains(word, "/"):
			return word
		default:
			return "the " + word + " of your PATH"
		}
	}
	return "the python3 of your PATH"
}

// ownModule finds a module of a package that is not there.
var ownModule = regexp.MustCompile(`No module named '(\w+)\.\w+`)

// isEntryPoint reports whether the project names something so for programs that look for it among what is
// installed, such as an extension.
func (l *Lab) isEntryPoint(name string) bool {
	if name == "" || l == nil {
		return false
	}
	entry := regexp.MustCompile(`(?m)^\s*["']?` + regexp.QuoteMeta(name) + `["']?\s*=\s*["']?[\w.]+:\w`)
	return slices.ContainsFunc([]string{"pyproject.toml", "setup.cfg", "setup.py"}, func(f string) bool {
		text, err := l.Read(f)
		return err == nil && entry.Match(text)
	})
}

// hasPackage reports whether the tree holds a package of Python.
func (l *Lab) hasPackage(pkg string) bool {
	return slices.ContainsFunc(l.Files, func(f string) bool { return f == pkg+"/__init__.py" || f == "src/"+pkg+"/__init__.py" })
}

// nodeModules lets node find the packages that are installed beside the sources: no
// commit holds them.
func (s *survey) nodeModules() {
	text, err := s.Lab.Read("package.json")
	if err != nil || !strings.Contains(string(text), "ependencies\"") {
		return
	}
	if s.Modules == "" {
		s.bare = true
		s.next = "`" + s.Lab.installs() + "`, then `atoll init --force`"
		s.Say("package.json names packages, and there is no node_modules: " + s.next + ", lets tests and benchmarks use them")
		return
	}
	s.d.Caches = append(s.d.Caches, s.Modules)
	s.linked = true
	s.Look.Test = besideModules(s.Look.Test)
	if s.Look.Adapter == "" {
		s.Look.Evaluator = besideModules(s.Look.Evaluator)
	}
	s.Look.Others = slices.Clone(s.Look.Others)
	for i, c := range s.Look.Others {
		if c.Adapter == "" {
			s.Look.Others[i].Command = besideModules(c.Command)
		}
	}
	s.m.Notes = append(s.m.Notes, "Packages are those of node_modules in the work tree, as they are when a candidate is measured.")
}

// installs is the command that installs what package.json names, by the program whose lock file is committed.
func (l *Lab) installs() string {
	for _, of := range [][2]string{{"package-lock.json", "npm ci"}, {"npm-shrinkwrap.json", "npm ci"}, {"yarn.lock", "yarn install"}, {"pnpm-lock.yaml", "pnpm install"}} {
		if slices.Contains(l.Files, of[0]) {
			return of[1]
		}
	}
	return "npm install"
}

// The folder of packages as evaluator.caches names it, relative to atoll.yaml, and a line of shell that
// links it into the tree, wherever it is on the machine that measures.
const (
	modulesCache = "./node_modules"
	linkModules  = `ln -sfn "$ATOLL_CACHE_NODE_MODULES" node_modules`
)

// besideModules is a command that finds node_modules in the tree.
func besideModules(command []string) []string {
	if len(command) == 0 {
		return command
	}
	return append([]string{"sh", "-c", linkModules + andRun}, command...)
}

// withModules is a command that finds node_modules, where they are linked into the tree.
func withModules(linked bool, command []string) []string {
	if linked {
		return besideModules(command)
	}
	return command
}

// carried are caches as another machine knows them, too; modules is the node_modules of this one.
func carried(caches []string, modules string) []string {
	list := slices.Clone(caches)
	for i, c := range list {
		if c == modules {
			list[i] = modulesCache
		}
	}
	return list
}

// timeScript times a command and reports the least of three runs. It is for bash, which tells
// processor time in thousandths of a second.
//
//go:embed time.sh
var timeScript string

// timed makes the time of a command the objective.
func (s *survey) timed(ctx context.Context, command []string) (string, error) {
	if err := s.lay(map[string]string{"time.sh": timeScript}); err != nil {
		return "", err
	}
	s.d.Evaluator = after(s.before, append([]string{"bash", "{dir}/time.sh"}, command...))
	s.d.Adapter, s.d.Output, s.m.Objective = "", output.OutputFile, ""
	reason, err := s.settle(ctx)
	switch {
	case err != nil:
		return "", err
	case reason != "":
		s.drop()
		return reason, nil
	}
	return "", warnOfBuilding(ctx, s, command)
}

// slowTests is what tests may take that stand in for a benchmark: they run three times
// in a sample, and as often on the root beside it.
const slowTests = 15 * time.Second

// timedTests is the last resort: the time of the tests.
func (s *survey) timedTests(ctx context.Context) (string, error) {
	if len(s.m.Stages) == 0 {
		return "there are no tests that pass either", nil
	}
	if s.testsOpened != nil && (&protection{s}).blind(s.testsOpened) != "" {
		return "the tests open no source of this repository that a candidate may change", nil
	}
	command := s.m.Stages[0].Command
	r, err := lookAtMake(ctx, s, command)
	if err != nil {
		return "", err
	}
	if s.tests > slowTests && r == nil { // what make builds is built once, and no part of what is timed
		return fmt.Sprintf("the tests take %s, too long to stand in for a benchmark", roundTime(s.tests)), nil
	}
	if !standIn(s, "the time of the tests") {
		return "the time of the tests: " + unwanted, nil
	}
	note(s, "CHECK evaluator.command: the time of the tests stands in for the objective that is missing: a program that measures what you care about finds more")
	s.d.Found, s.testsCount = "the tests", true
	stages := s.m.Stages
	s.m.Stages, s.tests = nil, 0 // they run anyway
	var reason string
	if t := (&timer{s}); s.d.Language == "go" {
		reason, err = t.timedGoTests(ctx, command)
	} else {
		reason, err = t.timedAsTests(ctx, command, r)
	}
	if reason != "" {
		s.m.Stages = stages
	}
	return reason, err
}

// timedAsTests times a command of the tests, or what make runs by it; r, which may be nil, is what was
// seen of that.
func (s *timer) timedAsTests(ctx context.Context, command []string, r *running) (string, error) {
	if r != nil {
		if reason, err := s.timedMake(ctx, command, r); err != nil || reason == "" {
			return "", err
		}
	}
	line, program := builtBefore(command)
	s.before = line
	reason, err := s.timed(ctx, program)
	if err != nil || reason != "" {
		s.before = ""
		return reason, err
	}
	s.warnOfMake(command, r)
	if s.d.Language == "javascript" || s.d.Language == "python" {
		return "", s.tellOwn(ctx, program)
	}
	return "", nil
}
