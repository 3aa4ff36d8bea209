package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"github.com/bmatcuk/doublestar/v4"
)

// The directions of an objective.
const (
	Maximize = "maximize"
	Minimize = "minimize"
)

// DefaultTimeout is the wall time of one run when none is set.
const DefaultTimeout = 5 * time.Minute

// The errors of this package that callers tell apart.
var (
	// ErrOptions reports settings under which nothing can be measured.
	ErrOptions = errors.New("evaluator settings")
	// ErrChanged reports that the evaluator's files are not those that were
	// sealed when it was made: values before and after would not compare.
	ErrChanged = errors.New("the evaluator changed")
)

// Options describe one evaluator. The zero value of every field but Command
// (or Adapter) has a meaning.
type Options struct {
	// Command is program and arguments, run in the candidate's tree; a single
	// element is run by sh -c. {dir} stands for the evaluator directory as the
	// evaluator sees it, {tree} for the tree. With an Adapter it holds that
	// adapter's arguments (see docs/evaluators.md).
	Command []string
	// Dir is a trusted folder outside the tree, absolute; empty: none.
	Dir string
	// Adapter runs an evaluator written for another system; AdapterOptions are
	// its further settings, by name.
	Adapter        string
	AdapterOptions map[string]string
	Output         string // default: result-file
	Objective      string // metric searched on; empty: the first of the root's result
	Direction      string // default: maximize
	Stages         []Stage
	Timeout        time.Duration // wall time of one run; 0: DefaultTimeout
	Protected      []string      // globs of files always taken from the root
	Hidden         []string      // globs of files candidate code cannot read; they are protected, too
	Env            []string      // NAME or NAME=value
	Caches         []string      // go, npm, pip, cargo or an absolute path, which $ATOLL_CACHE_NAME tells the command
	Limits         sandbox.Limits
	Paired         bool // measure the root beside each candidate, report the ratio
	Repeats        int  // part of the key only; the caller repeats
	// Artifact is the path of a build product in the tree, as a stage before the
	// last leaves it; candidates with the same product count as the same.
	Artifact string

	// Warm has runs of a script in Python be copies of an interpreter that has loaded
	// modules before: "auto" those of which it is known that nothing differs, "on" all that
	// the script imports, else none. It is no part of the key.
	Warm string

	// LookupEnv reads this process's environment for PATH, for names in Env and
	// for the places of caches; default os.LookupEnv.
	LookupEnv func(string) (string, bool)
}

// Stage is one step of an evaluation. Empty fields take those of Options.
type Stage struct {
	Name      string
	Command   []string
	Timeout   time.Duration
	Metric    string   // must reach Threshold; empty: exit code 0 is enough
	Threshold *float64 // least value to go on (largest, when minimizing)
	Output    string
	Limits    *sandbox.Limits
}

// stage is a Stage made ready to run.
type stage struct {
	Stage
	index   int
	last    bool
	adapter *adapter // nil: a plain command
}

func (s *stage) argv0() string {
	if len(s.Command) == 0 {
		return ""
	}
	return s.Command[0]
}

// tests reports whether the stage by its name or command runs tests, which make, too, ends
// with an error of its own.
func (s *stage) tests() bool {
	words := strings.ToLower(s.Name + " " + strings.Join(s.Command, " "))
	return strings.Contains(words, "test") || strings.Contains(words, "check")
}

// builds reports whether the stage by its name or command compiles.
func (s *stage) builds() bool {
	for _, word := range []string{"build", "compile", "vet", "lint", "typecheck"} {
		if strings.Contains(strings.ToLower(s.Name), word) {
			return true
		}
	}
	c := strings.Join(s.Command, " ")
	for _, start := range []string{"go build", "go vet", "make build", "cargo build", "cargo check", "gcc ", "cc ", "g++ ", "clang", "rustc ", "javac ", "tsc"} {
		if strings.HasPrefix(c, start) {
			return true
		}
	}
	return false
}

// prepare checks the options and fills in defaults. It changes its copy only.
func (o Options) prepare() (Options, []*stage, error) {
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Output == "" {
		o.Output = output.OutputFile
	}
	if o.Direction == "" {
		o.Direction = Maximize
	}
	o.Command = slices.Clone(o.Command)
	o.Protected = slices.Clone(o.Protected)
	if err := o.check(); err != nil {
		return o, nil, err
	}
	a, err := adapterOf(&o)
	if err != nil {
		return o, nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if a == nil && len(o.Command) == 0 && !o.stagesHaveCommands() {
		return o, nil, fmt.Errorf("%w: evaluator.command is missing: name the program that measures a candidate", ErrOptions)
	}
	stages, err := o.stages(a)
	return o, stages, err
}

func (o *Options) stagesHaveCommands() bool {
	for _, s := range o.Stages {
		if len(s.Command) == 0 {
			return false
		}
	}
	return len(o.Stages) > 0
}

func (o *Options) check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...)
	}
	if o.Direction != Maximize && o.Direction != Minimize {
		return fail("evaluator.direction is %q: use maximize or minimize", o.Direction)
	}
	if !knownOutput(o.Output, false) {
		return fail("evaluator.output is %q: use result-file, last-json-line, last-number, name=value or suite", o.Output)
	}
	if o.Objective != "" {
		if err := output.CheckName(o.Objective); err != nil {
			return fail("evaluator.objective: %v", err)
		}
	}
	if o.Dir != "" {
		if !filepath.IsAbs(o.Dir) {
			return fail("evaluator.dir %q must be made absolute before it comes here", o.Dir)
		}
		info, err := os.Stat(o.Dir)
		if err != nil {
			return fail("evaluator.dir cannot be read: %v", err)
		}
		if !info.IsDir() {
			return fail("evaluator.dir %s is no folder", o.Dir)
		}
	}
	for _, l := range []struct {
		key  string
		list []string
	}{{"evaluator.protected", o.Protected}, {"evaluator.hidden", o.Hidden}} {
		for _, g := range l.list {
			if tidyGlob(g) == "" || !doublestar.ValidatePattern(tidyGlob(g)) {
				return fail("%s has the malformed glob %q", l.key, g)
			}
		}
	}
	if a := o.Artifact; a != "" {
		if !filepath.IsLocal(a) || filepath.Clean(a) != a || a == "." {
			return fail("evaluator.artifact %q is no path of a file in the tree, such as build/program", a)
		}
		if len(o.Stages) < 2 {
			return fail("evaluator.artifact needs a stage before the last one that leaves %s: with one stage alone everything is measured before it is known", a)
		}
	}
	for _, e := range o.Env {
		name, _, _ := strings.Cut(e, "=")
		if name == "" || strings.HasPrefix(name, "ATOLL_") || strings.ContainsAny(name, " \t\n\x00") {
			return fail("evaluator.env has %q: write NAME or NAME=value, and leave ATOLL_ names to atoll", e)
		}
	}
	return nil
}

func (o *Options) stages(a *adapter) ([]*stage, error) {
	list := o.Stages
	if len(list) == 0 {
		list = []Stage{{Name: "measure"}}
	}
	seen := map[string]bool{}
	stages := make([]*stage, len(list))
	for i, s := range list {
		st := &stage{Stage: s, index: i, last: i == len(list)-1}
		if st.Name == "" {
			st.Name = fmt.Sprintf("stage %d", i+1)
		}
		if seen[st.Name] {
			return nil, fmt.Errorf("%w: two stages are called %q", ErrOptions, st.Name)
		}
		seen[st.Name] = true
		if len(st.Command) == 0 {
			st.Command, st.adapter = o.Command, a
		}
		if st.Timeout <= 0 {
			st.Timeout = o.Timeout
		}
		if st.Output == "" {
			st.Output = o.Output
		}
		if err := st.check(); err != nil {
			return nil, fmt.Errorf("%w: stage %q: %w", ErrOptions, st.Name, err)
		}
		stages[i] = st
	}
	return stages, nil
}

func (s *stage) check() error {
	switch {
	case len(s.Command) == 0 && s.adapter == nil:
		return errors.New("it has no command, and evaluator.command is empty")
	case !knownOutput(s.Output, true):
		return fmt.Errorf("its output is %q: use none, result-file, last-json-line, last-number, name=value or suite", s.Output)
	case s.last && s.Output == output.OutputNone:
		return errors.New("the last stage must report metrics, its output cannot be none")
	case s.Metric != "" && s.Threshold == nil:
		return fmt.Errorf("metric %q has no threshold", s.Metric)
	case s.Metric != "" && s.Output == output.OutputNone:
		return errors.New("a threshold needs an output")
	case s.Threshold != nil && s.Metric == "":
		return errors.New("a threshold needs the name of a metric")
	case s.Threshold != nil && *s.Threshold-*s.Threshold != 0:
		return errors.New("its threshold is not finite")
	}
	return nil
}

func knownOutput(s string, none bool) bool {
	switch s {
	case output.OutputFile, output.OutputJSON, output.OutputNumber, output.OutputPairs, output.OutputSuite:
		return true
	case output.OutputNone:
		return none
	}
	return false
}

// better reports whether a is better than b in the given direction, "minimize"
// or "maximize" (the default).
func better(a, b float64, direction string) bool {
	if direction == Minimize {
		return a < b
	}
	return a > b
}
