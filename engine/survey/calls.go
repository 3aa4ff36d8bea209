package survey

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // what runs in the sandbox
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"atoll/engine/eval/output"
	"atoll/engine/jsload"
)

//go:embed calls/record.py
var recordPython string

//go:embed calls/work.py
var workPython string

//go:embed calls/measure.py
var measurePython string

//go:embed calls/record.cjs
var recordJavaScript string

//go:embed calls/work.cjs
var workJavaScript string

//go:embed calls/measure.cjs
var measureJavaScript string

// callKit is how a language records the calls of tests and makes them again.
type callKit struct {
	ending                string // of the programs: record, work and measure
	record, work, measure string
}

var (
	pythonCalls     = callKit{".py", recordPython, workPython, measurePython}
	javaScriptCalls = callKit{".cjs", recordJavaScript, workJavaScript, measureJavaScript}
)

// The bounds of a benchmark that is made of the calls of tests.
const (
	slowCall    = 20 * time.Millisecond // one that takes longer is left out
	slowCalls   = 20 * time.Millisecond // all of one function
	profileTime = "2"                   // seconds
	// negligible is the part of the time in the function that takes most below which one is
	// left out: in the mean it would count as much.
	negligible = 0.05
)

// recorded is what tests call.
type recorded struct {
	Files     []string       `json:"files"` // of the tree that were loaded
	Functions []*calledOften `json:"functions"`
	Paths     []string       `json:"paths"` // folders of the tree from which modules are imported, in this order; nil: the language has none
	// Spent is the time in s of what the tests call, whether its calls can be made again or not; nil: not known.
	Spent map[string]float64 `json:"spent"`
}

// calledOften is one function with calls that can be made again.
type calledOften struct {
	Name  string `json:"name"`  // module:function, or file:function; nothing behind the colon is what the file gives as a whole
	Count int    `json:"count"` // of calls while the tests ran
	Calls []call `json:"calls"`
	// Share is the part of the time that the tests spend in these functions; 0: not known.
	Share float64 `json:"share,omitempty"`

	seconds float64 // of all that the tests call, by what the calls take now
}

// called is the function as text names it.
func (f *calledOften) called() string { return calledName(f.Name) }

func calledName(name string) string {
	return strings.TrimSuffix(strings.ReplaceAll(name, ":", "."), ".")
}

// callBench is a benchmark of calls of tests in the making.
type callBench struct {
	*survey
	kit   callKit
	calls *recorded
	left  []string // functions that take next to no time
}

// call is one call: arguments and answer as expressions.
type call struct {
	Args     string  `json:"args"`
	Kwargs   string  `json:"kwargs"`
	Iterates bool    `json:"iterates"`
	Answer   *string `json:"answer"`         // nil: not compared
	New      bool    `json:"new,omitempty"`  // it makes an object of a class
	Anew     bool    `json:"anew,omitempty"` // it changes its arguments, which are made anew each time
	// Then are calls of methods of the object that it gives, which is made anew each time.
	Then []step `json:"then,omitempty"`
}

// step is one call of a method.
type step struct {
	Method   string `json:"method"`
	Args     string `json:"args"`
	Kwargs   string `json:"kwargs"`
	Iterates bool   `json:"iterates"`
}

// answer is what one call gave on the root.
type answer struct {
	Answer   *string `json:"answer"`
	Iterates bool    `json:"iterates"`
	Anew     bool    `json:"anew"`
	Failed   string  `json:"failed"`
	Micros   float64 `json:"us"`
	// Steps are the calls of methods that worked: whether each gives an iterator.
	Steps []bool `json:"steps"`
}

// callScaffold writes a benchmark of the functions that the tests call and in which they
// spend their time, with the very calls of the tests. It returns why it cannot, "" when
// the benchmark stands.
func (s *survey) callScaffold(ctx context.Context, kit callKit) (string, error) {
	reason, err := (&callBench{survey: s, kit: kit}).callBenchmark(ctx)
	if reason != "" || err != nil && !(ending{s}).cut(ctx, err) {
		s.drop()
	}
	return reason, err
}

func (s *callBench) callBenchmark(ctx context.Context) (string, error) {
	reason, err := s.record(ctx)
	if err != nil || reason != "" {
		return reason, err
	}
	if reason, err = s.keepSteady(ctx); err != nil || reason != "" {
		return reason, err
	}
	if why := s.few(); why != "" {
		return why, nil
	}
	if err := s.layCalls(); err != nil {
		return "", err
	}
	var names []string
	for _, f := range s.calls.Functions {
		names = append(names, f.called())
	}
	if what := "the time of " + someOf(names, 8) + " by calls of the tests"; !standIn(s.survey, what) {
		return what + ": " + unwanted, nil
	}
	s.d.Evaluator, s.d.Adapter, s.d.Output, s.m.Objective = s.callCommand(), "", output.OutputFile, "time_us"
	s.d.Found = "no benchmark, so " + EvaluatorDir + " times " + strings.Join(names, ", ") + " by calls of the tests"
	s.opened, s.testsCount = union(s.opened, s.calls.Files), true
	if reason, err = s.settle(ctx); err != nil || reason != "" {
		return reason, err
	}
	checkStandIn(s.survey, "the time of "+someOf(names, 8)+" by calls of the tests (calls.json) stands in")
	s.m.Notes = append(s.m.Notes, "The calls are made many times over: an answer that is kept for the next time looks like a gain.")
	if len(s.left) > 0 {
		why := fmt.Sprintf("left out of %s, because the tests spend there less than %.0f %% of the time that they spend in %s: ", s.m.Objective, 100*negligible, names[0])
		s.m.Notes = append(s.m.Notes, strings.ToUpper(why[:1])+why[1:]+someOf(s.left, 12)+".")
		s.Say(why + someOf(s.left, 6))
	}
	s.tellRest()
	if used := s.used(); len(used) > 0 {
		s.m.Notes = append(s.m.Notes, "Objects are made anew for each call, and used as the tests use them, of "+someOf(used, 8)+": the time to make them counts, too.")
	}
	if objects := s.uncompared(); len(objects) > 0 {
		s.m.Notes = append(s.m.Notes, "The evaluator does not compare answers, for they are objects, of "+someOf(objects, 8)+": what a candidate breaks there the tests notice, and the comparison of behaviour with the root's where that can be made.")
	}
	return "", s.callTargets(ctx)
}

// callCommand measures, or asks a question of a benchmark that is laid out.
func (s *callBench) callCommand(question ...string) []string {
	return s.run("measure", question...)
}

// with adds what makes the calls, and what it needs to load sources of TypeScript.
func (s *callBench) with(programs map[string]string) map[string]string {
	programs["work"+s.kit.ending] = s.kit.work
	if s.kit == javaScriptCalls && slices.ContainsFunc(s.Lab.Files, jsload.Typed) {
		maps.Copy(programs, jsload.Texts())
	}
	if s.kit == javaScriptCalls {
		off := unlinted(s.Modules)
		for name, text := range programs {
			if strings.HasSuffix(name, s.kit.ending) {
				programs[name] = off + text
			}
		}
	}
	return programs
}

// run runs one of the kit's programs.
func (s *callBench) run(program string, words ...string) []string {
	if s.kit == pythonCalls {
		return append([]string{s.python(), "{dir}/" + program + s.kit.ending}, words...)
	}
	return withModules(s.linked, append([]string{"node", "{dir}/" + program + s.kit.ending}, words...))
}

func (s *callBench) layCalls() error {
	calls := map[string]any{"functions": s.calls.Functions}
	if s.calls.Paths != nil {
		calls["paths"] = s.calls.Paths
	}
	text, err := json.MarshalIndent(calls, "", " ")
	if err != nil {
		return fmt.Errorf("write the calls of the tests: %w", err)
	}
	return s.lay(s.with(map[string]string{"calls.json": string(text) + "\n", "measure" + s.kit.ending: s.kit.measure}))
}

// record runs the tests, those that pass or those that were found, and notes their calls.
func (s *callBench) record(ctx context.Context) (string, error) {
	words := s.testCommand
	if len(words) < 2 || s.kit == pythonCalls && !isPython(words[0]) {
		return "no tests were found whose calls a benchmark could make", nil
	}
	if s.kit == pythonCalls { // runs them itself
		words = words[1:]
	}
	if err := s.lay(s.with(map[string]string{"record" + s.kit.ending: s.kit.record})); err != nil {
		return "", err
	}
	s.doing(testPatience, "recording the calls of the tests: %s", oneLine(s.testCommand))
	o := s.evalOptions()
	o.Command, o.Adapter, o.Output, o.Timeout = s.run("record", words...), "", output.OutputFile, testPatience
	sample, err := s.Lab.Run(ctx, o, false)
	if err != nil {
		return "", err
	}
	r := &recorded{}
	_, text, found := bytes.Cut(sample.Raw.Stdout, []byte("ATOLL_CALLS "))
	if !found || json.Unmarshal(bytes.TrimSpace(text), r) != nil {
		return "the calls of the tests could not be recorded: " + orElse(sample.Reason, "no reason given"), nil
	}
	if len(r.Functions) == 0 {
		return "no call was seen of the tests to a function of this repository with values that can be written down, so no benchmark can be scaffolded", nil
	}
	s.calls = r
	return "", nil
}

// ask puts a question to the benchmark as it is laid out.
func (s *callBench) ask(ctx context.Context, v any, question ...string) (string, error) {
	o := s.evalOptions()
	o.Command, o.Adapter, o.Output, o.Timeout = s.callCommand(question...), "", output.OutputFile, testPatience
	sample, err := s.Lab.Run(ctx, o, false)
	if err != nil {
		return "", err
	}
	if json.Unmarshal(bytes.TrimSpace(sample.Raw.Stdout), v) != nil {
		return "the calls of the tests cannot be made again: " + orElse(sample.Reason, "no reason given"), nil
	}
	return "", nil
}

// keepSteady keeps the calls that answer alike twice and change nothing, of the
// functions that take most of the time.
func (s *callBench) keepSteady(ctx context.Context) (string, error) {
	var answers [2][][]answer
	for i := range answers {
		if err := s.layCalls(); err != nil {
			return "", err
		}
		s.doing(testPatience, "making the calls of the tests again, %d of %d", i+1, len(answers))
		if reason, err := s.ask(ctx, &answers[i], "answers"); err != nil || reason != "" {
			return reason, err
		}
		if len(answers[i]) != len(s.calls.Functions) {
			return "the calls of the tests cannot be made again", nil
		}
	}
	var names []string
	for i, f := range s.calls.Functions {
		names = append(names, f.called())
		f.keep(answers[0][i], answers[1][i])
	}
	s.calls.Functions = slices.DeleteFunc(s.calls.Functions, func(f *calledOften) bool { return len(f.Calls) == 0 })
	if len(s.calls.Functions) == 0 {
		return "no call of the tests gives the same answer twice in a short time, so no benchmark can be scaffolded" + firstFailure(names, answers[0]), nil
	}
	s.left = s.calls.weigh()
	return "", nil
}

// firstFailure tells of the first function that cannot be called; "" where all can.
func firstFailure(names []string, answers [][]answer) string {
	for i, list := range answers {
		for _, a := range list {
			if a.Failed != "" {
				return ": " + names[i] + " failed: " + a.Failed
			}
		}
	}
	return ""
}

// weigh keeps the functions in which the tests spend their time, the one that takes most of
// it first, and says what part each takes. It names those that are negligible.
func (r *recorded) weigh() (left []string) {
	slices.SortStableFunc(r.Functions, func(a, b *calledOften) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), strings.Compare(a.Name, b.Name))
	})
	least := negligible * r.Functions[0].seconds
	r.Functions = slices.DeleteFunc(r.Functions, func(f *calledOften) bool {
		if f.seconds < least {
			left = append(left, f.called())
		}
		return f.seconds < least
	})
	r.Functions = r.Functions[:min(len(r.Functions), mostFunctions)]
	all := 0.0
	for _, f := range r.Functions {
		all += f.seconds
	}
	for _, f := range r.Functions {
		if all > 0 {
			f.Share = math.Round(1e4*f.seconds/all) / 1e4
		}
	}
	return left
}

// keep drops the calls that fail, vary or take long, and notes the answers of the others.
func (f *calledOften) keep(first, second []answer) {
	var kept []call
	whole, tried, n := 0.0, 0.0, 0
	for i, c := range f.Calls {
		if i >= len(first) || i >= len(second) {
			break
		}
		a, b := first[i], second[i]
		micros := min(a.Micros, b.Micros)
		same := (a.Answer == nil) == (b.Answer == nil) && (a.Answer == nil || *a.Answer == *b.Answer) && slices.Equal(a.Steps, b.Steps)
		if a.Failed != "" || b.Failed != "" || !same || micros > float64(slowCall.Microseconds()) {
			continue
		}
		tried, n = tried+micros, n+1
		if whole+micros > float64(slowCalls.Microseconds()) {
			continue
		}
		whole += micros
		c.Answer, c.Iterates, c.Anew, c.Then = a.Answer, a.Iterates, a.Anew, c.Then[:len(a.Steps)]
		for j, iterates := range a.Steps {
			c.Then[j].Iterates = iterates
		}
		kept = append(kept, c)
	}
	f.Calls = kept
	f.seconds = tried / float64(max(1, n)) * float64(f.Count) / 1e6
}

// callTargets makes targets of the functions in which the benchmark spends its time, when
// each function that it calls is given the share that it has in the tests.
func (s *callBench) callTargets(ctx context.Context) error {
	var shares []struct {
		File   string
		Symbol string
		Share  float64
	}
	s.doing(testPatience, "looking which code the calls run")
	if _, err := s.ask(ctx, &s.reach, "reach"); err != nil {
		return err
	}
	s.doing(testPatience, "profiling the benchmark")
	if reason, err := s.ask(ctx, &shares, "profile", profileTime); err != nil || reason != "" {
		return err // what cannot be profiled has no targets
	}
	var list []hot
	for _, h := range shares {
		if h.Share >= leastHot && !covered(s.d.Protected, h.File) {
			list = append(list, hot{h.File, h.Symbol, h.Share})
		}
	}
	s.targets(list[:min(len(list), mostHot)], "where the time goes")
	return nil
}
