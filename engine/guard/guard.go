package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"atoll/engine/jsload"
	"atoll/engine/sandbox"
)

// Runner runs one process in a sandbox; *sandbox.Box is one.
type Runner interface {
	Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error)
}

// Finder finds programs outside the system folders; *sandbox.Box is one. With a
// Runner that is none, programs must lie in the system folders.
type Finder interface {
	Interpreters(ctx context.Context, names ...string) ([]sandbox.Mount, []string)
}

// Options are what a Guard works with. The zero value of each is a default.
type Options struct {
	Seed  uint64
	Cases int           // most inputs of one function; 1500. Of JavaScript and Python, where it is no less, more follow while time is left
	Work  time.Duration // processor time of all processes of one check together; 5 minutes
	Wall  time.Duration // of one check by the clock, the last resort; four times Work
	// Thorough asks again with other draws while nine tenths of Work are left and no difference is known.
	Thorough bool
	// Patience is the longest processor time of one case in the candidate, whole milliseconds; 10
	// seconds. The root gets one second. One that does nothing for a quarter of it, or a second, is not waited for.
	Patience time.Duration
	// Memory bounds each process, in bytes; 2 GiB.
	Memory int64
	// Scratch is where binaries of the trees are kept during a check; the
	// system's temporary folder.
	Scratch string
	// LookupEnv finds PATH and the caches of Go; os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Commands are run in both trees besides what the guard finds by itself.
	Commands []Invocation
	// Accept names functions, methods and commands whose behaviour may differ, as
	// [Difference.Where] does.
	Accept []string
	// Python is the interpreter of Python trees; python3.
	Python string
	// PythonTests runs the tests of a Python tree, as words after the
	// interpreter; found by itself when empty.
	PythonTests []string
	// PythonScripts measure a Python tree: files of it with their arguments. Their calls are
	// recorded besides those of the tests.
	PythonScripts [][]string
	// JavaScriptTests runs the tests of a JavaScript tree; found by itself, in package.json, when empty.
	JavaScriptTests []string
	// Modules is the folder of packages (node_modules) that JavaScript trees find beside their sources where they have none of their own; "" for none.
	Modules string
	// NoTests leaves the tests of the candidate out when lines are counted that
	// nothing reached.
	NoTests bool
	// Doing is told what a check begins with. It may be nil.
	Doing func(Doing)
	// Found is told of the first difference that nobody accepted, once it is sure; others are looked for behind
	// it, and a simpler one may stand in its place in the report. It may be nil.
	Found func(first Difference)
}

// Doing is what a check begins with.
type Doing struct {
	What  string        // such as "recording the calls of the tests"
	Cases int           // inputs compared until then
	Used  time.Duration // processor time used until then
}

// Invocation is one run of a program with what it reads.
type Invocation struct {
	Args  []string // run in the top folder of the tree
	Stdin string
}

// The defaults of [Options].
const (
	DefaultCases    = 1500
	DefaultWork     = 5 * time.Minute
	DefaultPatience = 10 * time.Second
	DefaultMemory   = 2 << 30
)

var (
	// ErrOptions: settings that cannot be.
	ErrOptions = errors.New("bad settings of the guard")
	// ErrShare is the cause of a context that gives a check a part of the time that its caller
	// has: what was compared until then is the report.
	ErrShare = errors.New("the guard used its share of the time that the run has left")
)

// Guard compares the behaviour of trees.
type Guard struct {
	box        Runner
	o          Options
	recordings *recordings
	compiled   *recordings // what the compiler adds to the cache of Go, by tree and folder
	// the probe of Python, which every process of it begins with
	compiledPython *compiledParts
}

// New makes a Guard. Errors wrap [ErrOptions].
func New(box Runner, o Options) (*Guard, error) {
	if o.Cases < 0 || o.Work < 0 || o.Wall < 0 || o.Patience < 0 || o.Memory < 0 {
		return nil, fmt.Errorf("%w: a limit is below 0", ErrOptions)
	}
	for _, c := range o.Commands {
		if len(c.Args) == 0 {
			return nil, fmt.Errorf("%w: a command without words", ErrOptions)
		}
	}
	if o.Cases == 0 {
		o.Cases = DefaultCases
	}
	if o.Work == 0 {
		o.Work = DefaultWork
	}
	if o.Wall == 0 {
		o.Wall = Slack * o.Work
	}
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Scratch == "" {
		o.Scratch = os.TempDir()
	}
	if o.Python == "" {
		o.Python = "python3"
	}
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	return &Guard{box: box, o: o, recordings: new(recordings), compiled: new(recordings), compiledPython: new(compiledParts)}, nil
}

// Telling is a guard with which g shares what both learn of roots. Its checks tell doing what they begin with.
func (g *Guard) Telling(doing func(Doing)) *Guard {
	other := *g
	other.o.Doing = doing
	return &other
}

// Prepare learns of a root what all checks need, where candidates change code in Python or JavaScript: the calls that its
// tests make. It takes as long as those tests do, once for a [Guard]: who gives a check little time gives this more.
// What is in the way of it is left to Check to tell; the error is the context's or one of this machine.
func (g *Guard) Prepare(ctx context.Context, root Tree, changed []string) error {
	if root.ID == "" { // without a name nothing is kept for later
		return nil
	}
	scratch, err := os.MkdirTemp(g.o.Scratch, "atoll-guard-")
	if err != nil {
		return fmt.Errorf("make room for the guard: %w", err)
	}
	defer os.RemoveAll(scratch)
	c := &check{g: g, scratch: scratch, changed: changed}
	if c.root, err = open(root); err != nil {
		return fmt.Errorf("read the root: %w", err)
	}
	p, err := c.pythonCheck(ctx)
	if err == nil && p != nil && !g.recordings.has(root.ID+" "+python) {
		err = p.record(ctx)
	}
	if err != nil && !errors.Is(err, errProbe) {
		return err
	}
	j, err := c.javascriptCheck(ctx)
	if err == nil && j != nil && !g.recordings.has(root.ID+" "+javascript) {
		err = j.record(ctx)
	}
	if errors.Is(err, errProbe) {
		return nil
	}
	return err
}

// Check compares a candidate with the root. changed names the files that differ,
// slash separated and relative. The error is the context's or one of this
// machine; trees that cannot be compared are a [Report] that says so.
func (g *Guard) Check(ctx context.Context, root, candidate Tree, changed []string) (Report, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.o.Wall, errOutOfTime)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	scratch, err := os.MkdirTemp(g.o.Scratch, "atoll-guard-")
	if err != nil {
		return Report{}, fmt.Errorf("make room for the guard: %w", err)
	}
	defer os.RemoveAll(scratch)
	c := &check{g: g, scratch: scratch, changed: changed, budget: &budget{box: g.box, left: g.o.Work}}
	c.budget.over = func() { stop(c.over()) }
	if c.root, err = open(root); err != nil {
		return Report{}, fmt.Errorf("read the root: %w", err)
	}
	if c.candidate, err = open(candidate); err != nil {
		return Report{}, fmt.Errorf("read the candidate: %w", err)
	}
	if err := c.run(ctx); err != nil && !c.cut(ctx) {
		return c.report, err
	}
	c.unknown()
	c.report.settle()
	c.report.reduce()
	c.report.accept(c.g.o.Accept)
	c.report.sort()
	return c.report, nil
}

// run compares what there is to compare: a little of everything, and then each in depth, so that
// nothing that takes long is in the way of what takes little.
func (c *check) run(ctx context.Context) error {
	c.parts = []func(context.Context) error{c.golang, c.python, c.javascript, c.commands}
	for i := 0; i < len(c.parts); i++ {
		if err := c.parts[i](ctx); err != nil {
			return err
		}
		c.shorten()
	}
	return nil
}

// What goes into other differences once one is known: a part of a comparison's processor time and half a minute at most,
// or half of what was used until then, where that is more.
const (
	shareOfKnown = 10
	mostKnown    = 30 * time.Second
)

// shorten gives what is left to compare less time once a difference is known that nobody accepted: it
// decides, and others are told for those who look at it.
func (c *check) shorten() {
	tellFirst(c)
	if c.known == 0 && c.report.refused(c.g.o.Accept) >= 0 {
		c.known = max(min(c.g.o.Work/shareOfKnown, mostKnown), (c.g.o.Work-c.budget.rest())/2)
		c.budget.atMost(c.known)
	}
}

// over is what ended the check where its processor time is used up.
func (c *check) over() error {
	if c.known > 0 {
		return errKnown
	}
	return errOutOfWork
}

// tellFirst tells of the first difference that nobody accepted, once.
func tellFirst(c *check) {
	if i := c.report.refused(c.g.o.Accept); i >= 0 && !c.told && c.g.o.Found != nil {
		c.told = true
		c.g.o.Found(c.report.Differences[i])
	}
}

// doing tells what comes next, and of a difference that became known before.
func (c *check) doing(format string, args ...any) {
	tellFirst(c)
	c.now = fmt.Sprintf(format, args...)
	if c.g.o.Doing != nil {
		d := Doing{What: c.now, Cases: c.report.Cases}
		if c.budget != nil { // what is recorded ahead of a check counts for none
			d.Used = c.budget.spent()
		}
		c.g.o.Doing(d)
	}
}

// later has a part of the check run behind those that are known.
func (c *check) later(part func(context.Context) error) { c.parts = append(c.parts, part) }

// check is one comparison under way.
type check struct {
	g               *Guard
	root, candidate *view
	changed         []string
	scratch         string
	budget          *budget
	known           time.Duration                 // above 0: what was left to compare when a difference was known
	told            bool                          // of the first difference: [Options.Found]
	now             string                        // what it does; "": nothing yet
	traced          int                           // groups that were looked at for what their calls leave behind
	hashed          int                           // times that the root was asked what has no order
	parts           []func(context.Context) error // in their order
	report          Report
}

// Compares reports whether a file is of a language whose functions the guard calls in both trees.
func Compares(file string) bool {
	return isGo(file) || strings.HasSuffix(file, ".py") || jsload.Source(file)
}

// languages are those that the guard does not know, by the endings of their files.
var languages = map[string]string{
	".jsx": "JavaScript with elements (JSX)",
	".c":   "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".rs": "Rust", ".java": "Java", ".rb": "Ruby", ".php": "PHP",
	".cs": "C#", ".swift": "Swift", ".kt": "Kotlin", ".lua": "Lua", ".jl": "Julia", ".zig": "Zig", ".sh": "shell scripts",
}

// unknown notes changed files of languages that were not compared.
func (c *check) unknown() {
	if len(c.g.o.Commands) > 0 {
		return
	}
	for _, name := range c.changedWith(func(f string) bool { return languages[path.Ext(f)] != "" }) {
		c.report.note("there is no guard for %s; guard_commands compares command lines", languages[path.Ext(name)])
	}
}

// changedWith lists the changed files with one of the endings.
func (c *check) changedWith(ok func(name string) bool) []string {
	var out []string
	for _, name := range c.changed {
		if ok(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
