package survey

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/eval/output"
)

// definesTask finds files that say what is to be solved rather than how: cases,
// settings, scorers, fixtures.
var definesTask = regexp.MustCompile(`(?i)^(?:.*[_-])?(?:config|conf|configs|settings|constants|params|scorer|scoring|score|metrics?|evaluate|evaluator|evaluation|eval|bench|benchmarks?|test|tests|conftest|fixtures?|data|dataset|datasets|cases|inputs?|expected|golden|oracle|baseline|reference|verify|verifier|check|checker|judge|task|problem|generate|generator|harness|validator|validate)(?:[_-].*)?$`)

// ofProduct finds names of settings. Where what the tests do is measured, such a source is code of the
// product as any other: the task is what the tests ask.
var ofProduct = regexp.MustCompile(`(?i)^(?:.*[_-])?(?:config|conf|configs|settings|constants|params)$`)

// tooling finds scripts of JavaScript that build, check and set up.
var tooling = regexp.MustCompile(`(?i)^(?:(?:grunt|gulp|jake|cake)file|\.[a-z]+rc|.*\.conf(?:ig)?|(?:build|make|rollup|webpack)(?:[_.-].*)?)\.[cm]?[jt]s$`)

// tasksFolder finds folders of what measures, of what is compared with and of what documents,
// whatever the names of their files.
var tasksFolder = regexp.MustCompile(`(?i)^(?:docs?|bench|benches|benchmarks?|perf|eval|evaluation|evaluators?|tests?|specs?|fixtures?|testdata|harness)$`)

// measuresFolder finds those whose name leaves no doubt.
var measuresFolder = regexp.MustCompile(`(?i)^(?:bench|benches|benchmarks?|perf|tests?|specs?)$`)

// testsFolder finds folders of what is compared with.
var testsFolder = regexp.MustCompile(`(?i)^(?:tests?|specs?|fixtures?|testdata)$`)

// readsClock and prints find code that times something and tells how long it took.
var (
	readsClock = regexp.MustCompile(`\b(?:clock\(\)|clock_gettime|gettimeofday|getrusage|QueryPerformanceCounter|steady_clock|high_resolution_clock|Instant::now|System\.nanoTime|perf_counter|process_time|time\.time\(\)|timeit|hrtime|performance\.now)`)
	prints     = regexp.MustCompile(`\b(?:print\w*|puts|cout|println!|console\.log|System\.out|stdout\.write|write_text|fwrite)`)
)

// makesInput finds code that makes the input of a task beside the code that
// solves it.
var makesInput = regexp.MustCompile(`(?m)^\s*(?:def|func|function|static \w+|const)\s+(?:generate|make|create|build|random|gen)_?(?:input|data|cases|cities|points|items|instance|problem|dataset|graph|matrix|workload)`)

// protection is what a survey finds out of which files may change: none that define the task
// or measure.
type protection struct{ *survey }

// protect adds to the protected files what was opened while the root was
// measured and defines the task.
func (s *protection) protect() {
	var ask, added, tests []string
	for _, f := range s.opened {
		if s.settled(f) {
			continue
		}
		switch s.role(f) {
		case roleTask:
			added = append(added, f)
		case roleUnclear:
			ask = append(ask, f)
		case roleSource:
		}
	}
	for _, f := range s.testsOpened { // what the tests compare with
		if !s.settled(f) && !slices.Contains(added, f) && !slices.Contains(ask, f) && s.role(f) == roleTask {
			tests = append(tests, f)
		}
	}
	for _, f := range ask {
		if s.Ask(fmt.Sprintf("%s is read while the root is measured. Does it define the task (and so must not change)?", f), true) {
			added = append(added, f)
		}
	}
	if s.added = gather(slices.Concat(added, tests)); len(added) > 0 {
		s.Say("protected, because the evaluator opens them and they define the task: " + someOf(added, 8))
	}
	if len(tests) > 0 {
		s.Say("protected, because the tests open them and may compare with them: " + someOf(tests, 8))
	}
	s.d.Protected = append(s.d.Protected, s.added...)
	s.warnOfInput()
	s.warnOfClock()
	s.scope()
	s.leaveSomething()
}

// settled reports whether it is known of a file whether it is protected.
func (s *protection) settled(f string) bool {
	return covered(s.d.Protected, f) || f == config.FileName || slices.Contains(s.written, f) ||
		ofTools.MatchString(path.Base(f)) && len(s.d.Scope) > 0 && !covered(s.d.Scope, f)
}

// ofTools finds settings of git, npm and editors: they define no task, and where they are out of scope
// nobody changes them.
var ofTools = regexp.MustCompile(`^\.(?:git(?:ignore|attributes)|npm(?:rc|ignore)|nvmrc|editorconfig)$`)

// subjects are names of files that are tuned where no code may change.
var subjects = regexp.MustCompile(`(?i)param|config|conf|setting|weight|tune|tuning|numbers|values|coeff|hyper`)

// leaveSomething sees to it that a candidate may change at all: where the sources are the
// evaluator's own, the data it reads is what is tuned, else what data there is.
func (s *protection) leaveSomething() {
	scope := s.d.Scope
	if len(scope) == 0 {
		scope = []string{"**"}
	}
	free := func(f string) bool { return s.sources.has(f) && !covered(s.d.Protected, f) && covered(scope, f) }
	if s.d.Language == "go" || slices.ContainsFunc(s.Lab.Files, free) {
		return
	}
	other := func(f string) bool {
		return s.sources.has(f) || slices.Contains(s.d.Evaluator, f) || inFolder(f, testsFolder)
	}
	files := dataOf(s.opened, other)
	if len(files) == 0 {
		files = dataOf(slices.DeleteFunc(slices.Clone(s.Lab.Files), func(f string) bool { return covered(s.d.Protected, f) }), other)
	}
	if len(files) == 0 {
		note(s.survey, "CHECK gate.scope: nothing may change, for every source is the evaluator's own: name what may, and take it out of evaluator.protected, before a run")
		return
	}
	s.d.Scope = gather(files)
	s.release(files)
	note(s.survey, "CHECK gate.scope: every source is the evaluator's own, so no code can be improved; candidates may change "+someOf(files, 8)+" instead: look whether it is what you want tuned, and does not define the task")
}

// releaseSources leaves code in scope that was protected only because it is of another language than the
// project was taken for. What is named as a part of the task stays protected.
func (s *protection) releaseSources() {
	var free []string
	for _, f := range s.opened {
		if (sources{}).has(f) && !s.sources.has(f) && covered(s.added, f) && !s.ofTask(f) && f != s.d.Found && !slices.Contains(s.d.Evaluator, f) {
			free = append(free, f)
		}
	}
	if len(free) == 0 {
		note(s.survey, "CHECK gate.scope: the evaluator opens no source that a candidate may change: name in gate.scope what it measures")
		return
	}
	s.release(free)
	s.d.Scope = s.around(free)
	note(s.survey, "CHECK gate.scope: no source of "+s.d.Language+" is measured, so candidates may change what is: "+someOf(free, 8))
}

// release takes back the protection of files.
func (s *protection) release(files []string) {
	s.d.Protected = slices.DeleteFunc(slices.Clone(s.d.Protected), func(g string) bool {
		return slices.ContainsFunc(files, func(f string) bool { return covered([]string{g}, f) })
	})
	s.added = slices.DeleteFunc(s.added, func(g string) bool { return !slices.Contains(s.d.Protected, g) })
}

// dataOf are the files of data among some, but for others: those with a name that
// says that they are tuned, or else all.
func dataOf(of []string, other func(string) bool) []string {
	var all, named []string
	for _, f := range of {
		if other(f) || !tunable[strings.ToLower(path.Ext(f))] || f == config.FileName || strings.HasPrefix(path.Base(f), ".") {
			continue
		}
		if all = append(all, f); subjects.MatchString(path.Base(f)) {
			named = append(named, f)
		}
	}
	if len(named) > 0 {
		return named
	}
	return all
}

// tunable are the endings of files of data that an edit of numbers and words makes sense in.
var tunable = map[string]bool{".json": true, ".yaml": true, ".yml": true, ".toml": true, ".ini": true, ".cfg": true, ".conf": true, ".txt": true, ".csv": true, ".properties": true}

// readOnly finds a refused write in what a program says.
var readOnly = regexp.MustCompile(`(?i)read-only file system|EROFS|permission denied|EACCES|device or resource busy|EBUSY`)

// releaseWritten takes back the protection of files that the evaluator or the tests
// write, as a build may: they could not run with them protected.
func (s *protection) releaseWritten(ctx context.Context) error {
	for range len(s.added) {
		said, err := s.refused(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(s.added, func(g string) bool {
			return said != "" && strings.Contains(said, strings.TrimSuffix(path.Base(g), "*"))
		})
		if i < 0 {
			return nil
		}
		g := s.added[i]
		s.added = slices.Delete(s.added, i, i+1)
		s.d.Protected = slices.DeleteFunc(slices.Clone(s.d.Protected), func(o string) bool { return o == g })
		s.Say(g + " is written while the root is measured, so it cannot be protected: look at what a candidate does to it")
		s.m.Notes = append(s.m.Notes, "CHECK "+g+": it is written while the root is measured, so it is not protected.")
	}
	return nil
}

// refused runs the evaluator and the tests with everything protected, and returns what
// was said where a write was refused; "" where none was.
func (s *protection) refused(ctx context.Context) (string, error) {
	all := []eval.Options{s.evalOptions()}
	for _, st := range s.m.Stages {
		all = append(all, eval.Options{Command: wordy(st.Command), Caches: s.d.Caches, Env: s.d.Env, Timeout: testPatience, Output: output.OutputFile, Protected: s.d.Protected})
	}
	for i, o := range all {
		if i == 0 && s.once { // it takes too long to look
			continue
		}
		s.doing(o.Timeout, "looking whether %s runs with its files protected", oneLine(o.Command))
		sample, err := s.Lab.Run(ctx, o, false)
		if err != nil {
			return "", err
		}
		if text := string(sample.Raw.Stderr) + string(sample.Raw.Stdout); sample.Raw.Exit != 0 && readOnly.MatchString(text) {
			return text, nil
		}
		if i > 0 && sample.Raw.Exit == 0 {
			st := &s.m.Stages[i-1]
			st.Timeout = max(st.Timeout, patience(s.d.Language, sample.Raw.Wall))
		}
	}
	return "", nil
}

type role int

const (
	roleSource role = iota
	roleTask
	roleUnclear
)

// role says what an opened file is: code that may be improved, part of the task,
// or a module beside the evaluator that could be either.
func (s *protection) role(f string) role {
	if s.d.Language == "go" && path.Ext(f) == ".s" { // out of scope, and a part of the code
		return roleSource
	}
	if !s.sources.has(f) {
		return roleTask
	}
	if s.d.Language == "go" && strings.HasSuffix(f, ".go") { // settings of a Go library are code; _test.go is protected as a whole
		return roleSource
	}
	program := ""
	if s.d.Adapter == "openevolve" || s.d.Adapter == "shinka" {
		if len(s.d.Evaluator) > 1 {
			program = s.d.Evaluator[1]
		}
		if f == program {
			return roleSource
		}
		return roleUnclear
	}
	if s.d.Language == "javascript" && tooling.MatchString(path.Base(f)) {
		return roleTask
	}
	base := strings.TrimSuffix(path.Base(f), path.Ext(f))
	// In a package of Python a part of a name, such as in task_lists, is about its own subject.
	own := s.d.Language == "python" && strings.ContainsAny(base, "_-") && slices.Contains(s.Lab.Files, path.Join(path.Dir(f), "__init__.py")) && path.Dir(s.d.Found) != path.Dir(f)
	if s.ofTask(f) && !own {
		return roleTask
	}
	if s.times(f) && !s.onlySource(f) {
		return roleUnclear
	}
	if base == "__init__" || base == "main" || base == "index" {
		return roleSource
	}
	// A folder of the evaluator's own holds helpers of it.
	if dir := path.Dir(s.d.Found); dir != "." && path.Dir(f) == dir && !s.sources.mostlyIn(dir) {
		return roleUnclear
	}
	return roleSource
}

// ofTask reports whether the name of a file, or of a folder that it is in, says that it
// measures or is compared with.
func (s *protection) ofTask(f string) bool {
	base := strings.TrimSuffix(path.Base(f), path.Ext(f))
	if s.testsCount && ofProduct.MatchString(base) && s.sources.has(f) && path.Dir(f) != "." {
		base = ""
	}
	return definesTask.MatchString(base) || inFolder(f, tasksFolder) && (!s.sources.mostlyIn(path.Dir(f)) || inFolder(f, measuresFolder) && s.measuresOthers())
}

// measuresOthers reports whether a source was opened that lies in no folder of what measures: that is what is measured,
// however many files such a folder holds.
func (s *protection) measuresOthers() bool {
	return slices.ContainsFunc(s.opened, func(f string) bool {
		base := strings.TrimSuffix(path.Base(f), path.Ext(f))
		return s.sources.has(f) && f != s.d.Found && !slices.Contains(s.d.Evaluator, f) && !inFolder(f, tasksFolder) && !definesTask.MatchString(base)
	})
}

// inFolder reports whether a file lies in a folder of some name.
func inFolder(f string, name *regexp.Regexp) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(f), "/"), name.MatchString)
}

// times reports whether a source reads a clock and prints: who may change it changes what
// is measured, unless the evaluator has a clock of its own.
func (s *protection) times(f string) bool {
	if f != s.d.Found && (s.scaffold != nil || s.times(s.d.Found)) { // what init writes has its own
		return false
	}
	data, err := s.Lab.Read(f)
	return err == nil && readsClock.Match(data) && prints.Match(data)
}

// onlySource reports whether nothing that was opened may change but this file.
func (s *protection) onlySource(f string) bool {
	return !slices.ContainsFunc(s.opened, func(o string) bool {
		return o != f && o != s.d.Found && s.sources.has(o) && !covered(s.d.Protected, o) && !s.ofTask(o) && !s.times(o)
	})
}

// warnOfClock names sources in scope that time themselves.
func (s *protection) warnOfClock() {
	for _, f := range s.opened {
		if s.d.Language == "go" || !s.sources.has(f) || covered(s.d.Protected, f) || !s.times(f) {
			continue
		}
		note(s.survey, "CHECK "+f+": it reads the clock and prints, and may change: a candidate that changes how it is timed looks like a gain; time it from a protected file")
	}
}

// gather turns many files of one folder into its glob.
func gather(files []string) []string {
	byDir := map[string][]string{}
	var globs, dirs []string
	for _, f := range files {
		dir := path.Dir(f)
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		byDir[dir] = append(byDir[dir], f)
	}
	for _, dir := range dirs {
		if ext := path.Ext(byDir[dir][0]); len(byDir[dir]) > 5 && dir != "." && ext != "" && !slices.ContainsFunc(byDir[dir], func(f string) bool { return path.Ext(f) != ext }) {
			globs = append(globs, escape(dir)+"/*"+ext)
			continue
		}
		for _, f := range byDir[dir] {
			globs = append(globs, escape(f))
		}
	}
	return globs
}

// escape writes a path as a glob.
func escape(p string) string {
	return regexp.MustCompile(`[*?\[\]{}\\]`).ReplaceAllString(p, `\$0`)
}

func covered(globs []string, name string) bool {
	for _, g := range globs {
		if ok, err := doublestar.Match(g, name); err == nil && ok {
			return true
		}
		if ok, err := doublestar.Match(strings.TrimSuffix(g, "/")+"/**", name); err == nil && ok {
			return true
		}
	}
	return false
}

// blind says why a program cannot show what a candidate changes: of the sources that may change it opened
// none. It is "" where it opened one, or data that is tuned, and where there is none.
func (s *protection) blind(opened []string) string {
	own := func(f string) bool {
		return f == s.d.Found || slices.Contains(s.d.Evaluator, f) || covered(s.d.Protected, f) || s.ofTask(f)
	}
	source := func(f string) bool { return (s.sources.has(f) || (sources{}).has(f)) && !own(f) }
	if s.d.Language == "go" || slices.ContainsFunc(opened, source) || !slices.ContainsFunc(s.Lab.Files, source) {
		return ""
	}
	if len(dataOf(opened, func(f string) bool { return own(f) || !subjects.MatchString(path.Base(f)) })) > 0 {
		return ""
	}
	return "it opens no source of this repository that a candidate may change, so nothing that it measures could get better"
}

// scope narrows what may change to the folders of sources that were opened, and
// for adapters of one program to that program.
func (s *protection) scope() {
	if s.d.Language == "go" || len(s.opened) == 0 {
		return
	}
	if (s.d.Adapter == "openevolve" || s.d.Adapter == "shinka") && len(s.d.Evaluator) > 1 {
		s.d.Scope = []string{s.d.Evaluator[1]}
		return
	}
	loaded := slices.DeleteFunc(slices.Clone(s.opened), func(f string) bool { return !s.sources.has(f) || covered(s.d.Protected, f) })
	if len(loaded) == 0 {
		s.releaseSources()
		return
	}
	if globs := s.around(loaded); len(globs) <= mostScope {
		s.d.Scope = globs
	}
}

// mostScope bounds the globs of a scope that is proposed.
const mostScope = 20

// around turns the sources that the evaluator loads into globs of their folders, so that new
// files may stand beside them. Where a folder holds others, such as tooling, which nothing
// measures, they stand by name.
func (s *protection) around(loaded []string) []string {
	var globs []string
	for _, f := range loaded {
		g := "*" + path.Ext(f)
		if dir := path.Dir(f); dir != "." {
			g = escape(dir) + "/" + g
		}
		other := func(o string) bool {
			return covered([]string{g}, o) && !covered(s.d.Protected, o) && !slices.Contains(loaded, o)
		}
		if slices.ContainsFunc(s.Lab.Files, other) {
			g = escape(f)
		}
		globs = union(globs, []string{g})
	}
	return globs
}

// warnOfInput names sources in scope that also make the input of the task: a
// smaller input would look like a gain.
func (s *protection) warnOfInput() {
	for _, f := range s.opened {
		if !s.sources.has(f) || covered(s.d.Protected, f) {
			continue
		}
		data, err := s.Lab.Read(f)
		if err != nil {
			continue
		}
		if m := makesInput.Find(data); m != nil {
			note(s.survey, fmt.Sprintf("CHECK %s: it also makes the input (%s): a smaller input would look like a gain; move that into a protected file", f, strings.TrimSpace(string(m))))
		}
	}
}
