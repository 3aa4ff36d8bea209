package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/store/record"
)

// ErrNothing reports that no way to measure was found that works on the root.
var ErrNothing = errors.New("nothing that was found can measure this repository")

// EvaluatorDir is the folder beside atoll.yaml that a scaffolded evaluator is
// written to.
const EvaluatorDir = "atoll-evaluator"

// Options are what a survey is made with.
type Options struct {
	Lab  *Lab
	Look config.Detected // what a look at the files found
	Env  []string        // of this process, for the go command outside of the sandbox
	// Modules is the node_modules of the work tree, which no commit holds; "" for none.
	Modules string
	// Origin is where the repository was cloned from, as host/owner/name; "": not known.
	Origin string
	Tree   string // the work tree; "": what lies there and is not committed is not known
	// Pythons are interpreters to try in turn where one lacks what the tests import;
	// python3 of PATH alone when empty.
	Pythons []string
	Say     func(string)  // a finding, one sentence; nil: nobody listens
	Doing   func(string)  // what begins now, and how long it may take; nil: nobody listens
	Long    time.Duration // that one measurement may take where less can be measured; 0: 40 s
	Whole   time.Duration // that the survey may take; 0: 15 m
	// Ask asks a person a yes-or-no question; nil: the proposed answer counts.
	Ask  func(question string, proposed bool) bool
	asks bool // there is somebody to ask
}

// Result is what a survey found.
type Result struct {
	config.Detected
	// Scaffold are files to write into the folder [EvaluatorDir], by name; nil:
	// the repository has an evaluator of its own.
	Scaffold map[string]string
	// Each is what one candidate is thought to take; 0: nothing was measured.
	Each time.Duration
	// Cut is how the survey ended before it was through, so that the rest was derived from what was measured by then; "": it was.
	Cut string
	// Next is what a person does so that another survey finds more; "": nothing is known.
	Next string
}

// survey is one survey under way.
type survey struct {
	Options
	d           config.Detected
	m           config.Measured
	scaffold    map[string]string
	each        time.Duration // of one candidate
	value       float64       // of the objective on the root, the middle of its samples
	opened      []string
	added       []string      // globs that were protected because of what was opened
	tests       time.Duration // wall time of the tests, 0: none
	testsOpened []string      // nil: not known
	testCommand []string      // runs the tests, or came furthest with them
	tried       []attempt
	next        string   // what a person does first, where something is missing
	failed      []string // ways to measure that were found and do not, with why
	bare        bool     // package.json names packages, and none is installed
	linked      bool     // commands link node_modules into the tree
	before      string   // a line of shell that builds what the evaluator needs, before it runs; "" for none
	module      goModule
	sources     sources
	lasting
	cutting
	lent       lent
	testsCount bool     // what the tests call, or take, is what is measured
	written    []string // committed files that tests or the evaluator write
	reach      reach    // of what is measured; nil: not known
}

// lasting is how long measurements take.
type lasting struct {
	shrinks bool            // less may be measured, where one takes long
	tooLong bool            // the last one did
	once    bool            // the root is measured no more, for that takes long
	took    time.Duration   // by the last one
	late    bool            // the first run of a command did not end in the time that it had
	unread  []config.Choice // programs that take long and report no number
	lastly  bool            // nothing better was found than their time
	first   time.Duration   // that a first run of something unknown may take; 0: [firstPatience]
}

// longMeasure is how long one measurement may take where less can be measured: a
// search needs some dozens.
const longMeasure = 40 * time.Second

// Run measures the root by what was found, one way after another until one
// works, and derives the configuration. The error wraps [ErrNothing] when none
// does: Result then is the look alone, for a file to be completed by hand.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Doing == nil {
		o.Doing = func(string) {}
	}
	if o.asks = o.Ask != nil; !o.asks {
		o.Ask = func(_ string, proposed bool) bool { return proposed }
	}
	if len(o.Pythons) == 0 {
		o.Pythons = []string{"python3"}
	}
	o.Whole = cmp.Or(o.Whole, wholePatience)
	ctx, cancel := context.WithTimeoutCause(ctx, o.Whole, errSpent)
	defer cancel()
	s := &survey{Options: o, d: o.Look, sources: sources{scope: o.Look.Scope, files: o.Lab.Files}, module: goModule{lab: o.Lab, env: o.Env, say: o.Say, origin: o.Origin}}
	s.module.doing = s.doing
	s.Lab.Env = s.d.Env
	if s.d.Language == "javascript" {
		s.nodeModules()
		fromTemplate(s)
	}
	prefer(s)
	plan(s)
	if s.d.Language == "go" {
		s.next = s.module.warm(ctx)
	}
	err := s.findTests(ctx)
	if err == nil {
		o.Look.Protected, s.Look.Protected = s.d.Protected, s.d.Protected
		err = s.choose(ctx)
	}
	end := ending{s}
	if end.cut(ctx, err) {
		return end.finish(ctx, err)
	}
	if err != nil {
		err = end.unmeasured(ctx, err)
		o.Look.Scope, o.Look.Tried = s.Look.Scope, s.failed
		return Result{Detected: o.Look, Next: s.next}, err
	}
	return end.finish(ctx, nil)
}

// finish derives the rest from what was measured; cut is the error of a survey that ended before it was through.
func (s ending) finish(ctx context.Context, cut error) (Result, error) {
	p := protection(s)
	p.protect()
	rescope(s.m.Targets, s.d.Scope)
	if cut = cmp.Or(cut, ctx.Err()); cut == nil {
		cut = p.releaseWritten(ctx)
	}
	why := ""
	switch {
	case s.cut(ctx, cut):
		why = s.tellCut(ctx)
	case cut != nil:
		return Result{}, cut
	}
	p.tellReach()
	s.guarded()
	s.budget()
	s.d.Measured, s.d.Caches, s.d.Evaluator = &s.m, carried(s.d.Caches, s.Modules), portable(s.Tree, s.d.Evaluator...)
	for i, st := range s.m.Stages {
		s.m.Stages[i].Command = portable(s.Tree, st.Command...)
	}
	return Result{Detected: s.d, Scaffold: s.scaffold, Each: s.each, Cut: why}, nil
}

// guarded says where nothing will compare the behaviour of candidates.
func (s *survey) guarded() {
	if l := s.d.Language; l != "" && !slices.Contains([]string{"go", "python", "javascript"}, l) && config.TimeLike(s.m.Objective, "") {
		s.m.Notes = append(s.m.Notes, "No guard knows "+l+": name command lines in guard_commands whose output must stay, or what no test sees may change.")
		s.Say("behaviour is not compared in " + l + ": tests alone notice what a candidate breaks; guard_commands compares what command lines print (docs/guard.md)")
	}
}

// choicesOf are the ways to measure that a look found, what promises most first.
func choicesOf(look config.Detected) []config.Choice {
	if len(look.Evaluator) == 0 {
		return look.Others
	}
	return append([]config.Choice{{Command: look.Evaluator, Found: look.Found, Adapter: look.Adapter, Output: look.Output}}, look.Others...)
}

// mostAsked bounds the ways to measure of which a person is asked whether it is the one.
const mostAsked = 5

// prefer asks which of several ways to measure comes first: the one behind those that a person does not want. The others
// stay behind it, for where it does not measure.
func prefer(s *survey) {
	list := choicesOf(s.Look)
	if len(list) < 2 {
		return
	}
	i := 0
	for i < min(len(list)-1, mostAsked) && !s.Ask(fmt.Sprintf("%d ways to measure were found. Try %s first?", len(list), inShell(portable(s.Tree, prepared(list[i].Command)...)...)), true) {
		i++
	}
	first := list[i]
	s.Look.Evaluator, s.Look.Found, s.Look.Adapter, s.Look.Output = first.Command, first.Found, first.Adapter, first.Output
	s.Look.Others = slices.Concat(list[:i], list[i+1:])
}

// choose tries the ways to measure in turn: where there are several, those that end soon before the others.
func (s *survey) choose(ctx context.Context) error {
	choices := choicesOf(s.Look)
	measures, slow, err := s.oneOf(ctx, choices, len(choices) > 1)
	if !measures && err == nil {
		measures, _, err = s.oneOf(ctx, slow, false)
	}
	if measures || err != nil {
		return err
	}
	if len(choices) == 0 {
		s.Say("no benchmark and no evaluator was found: an objective is missing")
	}
	if files := benchmarksBeside(s.Lab, choices); len(files) > 0 && s.d.Language != "go" {
		s.Say("may be benchmarks, but nothing says how they are run: " + someOf(files, 5) + "; one of them can be evaluator.command")
	}
	s.d, s.opened, s.before = s.d.With(config.Choice{Output: output.OutputFile}), nil, ""
	reason, err := s.invent(ctx)
	switch {
	case err != nil:
		return err
	case reason == "":
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNothing, reason)
}

// oneOf tries ways to measure until one does. Where they shall end soon, it returns those that do not.
func (s *survey) oneOf(ctx context.Context, choices []config.Choice, soon bool) (measures bool, slow []config.Choice, err error) {
	for _, c := range choices {
		s.d, s.opened, s.before = s.d.With(c), nil, ""
		s.first, s.late = 0, false
		if soon {
			s.first = soonPatience
		}
		var reason string
		if c.Adapter == "gobench" {
			reason, err = s.goBenchmarks(ctx)
		} else {
			reason, err = byInterpreters(ctx, s, &c)
		}
		if err != nil || reason == "" {
			return err == nil, nil, err
		}
		command := inShell(portable(s.Tree, prepared(c.Command)...)...) + s.Lab.scriptOf(c.Command)
		if soon && s.late {
			s.Say(fmt.Sprintf("%s did not end in %s: the other ways to measure come first", command, roundTime(soonPatience)))
			slow = append(slow, c)
			continue
		}
		text := fmt.Sprintf("%s does not measure: %s", command, reason)
		s.Say(text)
		s.failed = append(s.failed, text)
	}
	return false, slow, nil
}

// soonPatience bounds a first run where there are other ways to measure.
const soonPatience = time.Minute

// invent scaffolds an evaluator where there is none. It returns why it cannot.
func (s *survey) invent(ctx context.Context) (string, error) {
	switch {
	case s.d.Language == "go" && s.module.found:
		reason, err := s.goScaffold(ctx)
		if err != nil || reason == "" {
			return reason, err
		}
		s.Say(reason)
	case s.d.Language == "python" || s.d.Language == "javascript":
		kit := pythonCalls
		if s.d.Language == "javascript" {
			kit = javaScriptCalls
		}
		reason, err := s.callScaffold(ctx, kit)
		if err != nil || reason == "" {
			return reason, err
		}
		if s.bare && len(s.m.Stages) == 0 { // whatever kept the tests from running
			reason = "packages that package.json names are not installed, so its tests do not run"
		}
		s.Say(reason)
	}
	if len(s.unread) > 0 {
		s.lastly = true
		if measures, _, err := s.oneOf(ctx, s.unread, false); measures || err != nil {
			return "", err
		}
	}
	switch {
	case len(s.m.Stages) > 0:
		return s.timedTests(ctx)
	case s.next != "":
		return "something that it needs is missing", nil
	}
	return "write a program that measures and name it in evaluator.command (docs/evaluators.md has the contract)", nil
}

// evalOptions are those of what was detected so far.
func (s *survey) evalOptions() eval.Options {
	return eval.Options{
		Command: s.d.Evaluator, Adapter: s.d.Adapter, AdapterOptions: s.m.Options, Paired: s.m.Options != nil, Output: s.d.Output, Objective: s.m.Objective, Direction: s.m.Direction, Timeout: firstPatience,
		Caches: s.d.Caches, Env: s.d.Env, Dir: s.Lab.folderOf(s.scaffold), Protected: s.d.Protected,
	}
}

// firstPatience bounds a first run of something unknown.
const firstPatience = 5 * time.Minute

// folderOf is where a scaffold is laid out, "" for none.
func (l *Lab) folderOf(scaffold map[string]string) string {
	if scaffold == nil {
		return ""
	}
	return filepath.Join(l.tmp, EvaluatorDir)
}

// lay writes the scaffold where a run finds it.
func (s *survey) lay(files map[string]string) error {
	s.scaffold = files
	s.d.Dir = EvaluatorDir
	dir := s.Lab.folderOf(s.scaffold)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// drop forgets a scaffold that does not serve.
func (s *survey) drop() { s.scaffold, s.d.Dir = nil, "" }

// rootSamples is how often the root is measured to see its noise.
const rootSamples = 3

// settle measures the root by the settings as they stand and derives the rest.
// It returns why the root cannot be measured, "" when it can.
func (s *survey) settle(ctx context.Context) (string, error) {
	return (&long{s}).settle(ctx, nil)
}

// doing says what begins, and how long it may take.
func (s *survey) doing(most time.Duration, format string, args ...any) {
	s.now = fmt.Sprintf(format, args...)
	s.Doing(s.now + fmt.Sprintf(", for up to %s", roundTime(most)))
}

// oneLine is a command as a line of text, cut where it is long, without the lines of shell
// that prepare it.
func oneLine(command []string) string {
	const most = 60
	line := []rune(strings.NewReplacer("\n", "; ", "{dir}", EvaluatorDir).Replace(strings.Join(prepared(command), " ")))
	if len(line) > most {
		return string(line[:most-3]) + "..."
	}
	return string(line)
}

// prepared is the command behind lines of shell that end by running it.
func prepared(command []string) []string {
	for i := 0; i+3 < len(command); i++ {
		if command[i] == "sh" && command[i+1] == "-c" && strings.HasSuffix(command[i+2], andRun) {
			return append(slices.Clone(command[:i]), prepared(command[i+3:])...)
		}
	}
	return command
}

// andRun ends a line of shell that runs the words behind it.
const andRun = ` && exec "$0" "$@"`

// derive takes objective, direction, timeout, repeats and axes from samples of
// the root.
func (s *survey) derive(samples []Sample) {
	first := samples[0]
	objective := s.objective(first.Metrics)
	s.m.Objective = objective.Name
	var values, ratios []float64
	var longest time.Duration
	for _, sample := range samples {
		longest = max(longest, sample.Wall)
		if v, ok := valueOf(sample.Metrics, objective.Name); ok {
			values = append(values, v)
		}
		if v, ok := valueOf(sample.Metrics, objective.Name+".ratio"); ok {
			ratios = append(ratios, v)
		}
	}
	spread := spreadOf(values)
	if len(ratios) > 0 { // what is compared
		spread = spreadOf(ratios)
	}
	s.value = output.Median(values)
	s.direct(objective, spread > 0)
	s.m.Repeats = 1
	timed := config.TimeLike(objective.Name, objective.Unit)
	s.m.Paired = timed && slices.Min(values) > 0
	if spread > 0.05 && !s.m.Paired {
		s.m.Repeats = 3
	}
	s.m.Timeout = patience(s.d.Language, longest)
	s.m.Wall = longest // of one run; budget turns it into that of the search
	s.m.Axes = axesOf(first.Metrics, objective.Name)
	told := fmt.Sprintf("%s, %s in %d runs of up to %s", figureText(objective, s.value), spreadText(spread), len(values), roundTime(longest))
	if s.samples = len(values); s.samples == 1 {
		told = fmt.Sprintf("%s in one run of %s", figureText(objective, s.value), roundTime(longest))
	}
	s.m.Notes = append(s.m.Notes, "Measured on the root: "+told+".")
	s.Say(fmt.Sprintf("root: %s; %s", told, s.m.Direction))
	if step := stepOf(values); timed && step > coarse*math.Abs(s.value) {
		note(s, fmt.Sprintf("CHECK evaluator.command: %s goes in steps of %s, which is %s %% of it: a smaller gain cannot be seen; measure something that takes longer", objective.Name, short(step), short2(100*step/math.Abs(s.value))))
	}
}

// coarse is the share of a measured time from which on the step of its clock is told.
const coarse = 0.03

// direct sets the direction, and asks where nothing tells it. What varies from
// run to run is more likely a time than a score.
func (s *survey) direct(m record.Metric, varies bool) {
	direction, sure := config.DirectionOf(m.Name, m.Unit)
	if m.Higher != nil {
		direction, sure = config.Minimize, true
		if *m.Higher {
			direction = config.Maximize
		}
	}
	switch {
	case sure:
	case s.m.Direction != "":
		direction = s.m.Direction // what the script's own words suggest
	case varies:
		direction = config.Minimize
	}
	s.m.Unsure = !sure
	if !sure && s.Ask(fmt.Sprintf("Is a larger %s better?", m.Name), direction == config.Maximize) != (direction == config.Maximize) {
		if direction == config.Maximize {
			direction = config.Minimize
		} else {
			direction = config.Maximize
		}
		s.m.Unsure = false
	}
	s.m.Direction = direction
	if s.m.Unsure {
		s.Say(fmt.Sprintf("CHECK evaluator.direction: nothing in the name %q says which way is better; %s is a guess", m.Name, direction))
	}
}

// objective chooses the metric that is searched on.
func (s *survey) objective(metrics []record.Metric) record.Metric {
	if s.m.Objective != "" {
		for _, m := range metrics {
			if m.Name == s.m.Objective {
				return m
			}
		}
	}
	for _, name := range []string{"combined_score", "score", "objective", "fitness", "total"} {
		for _, m := range metrics {
			if strings.EqualFold(m.Name, name) {
				return m
			}
		}
	}
	for _, m := range metrics {
		if _, sure := config.DirectionOf(m.Name, m.Unit); sure || m.Higher != nil {
			return m
		}
	}
	for _, m := range metrics {
		if !(&printed{s}).isSetting(m) {
			return m
		}
	}
	return metrics[0]
}
