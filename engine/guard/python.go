package guard

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atoll/engine/guard/probe"
	"atoll/engine/sandbox"
	"atoll/gitops"
)

//go:embed pyprobe/*.py
var pythonProbe embed.FS

const (
	pythonSets    = "="            // behind the name of a property: what sets it
	pythonPrefix  = "atoll_guard_" // of the names of the probe's parts, beside those of a tree
	watchName     = "atoll_guard_watch.json"
	watchEnv      = "ATOLL_GUARD_WATCH"
	recordingName = "atoll_guard_recording"
	recordingEnv  = "ATOLL_GUARD_RECORDING"
	recordingWork = 5 * time.Minute // of the tests while calls are recorded
)

// python compares the functions of a Python tree that can reach the change.
func (c *check) python(ctx context.Context) error {
	p, err := c.pythonCheck(ctx)
	if err != nil || p == nil {
		return err
	}
	err = p.run(ctx)
	if errors.Is(err, errProbe) {
		c.report.fail("the Python code was not compared: %s", err)
		return nil
	}
	return err
}

// pythonCheck makes the comparison of the Python code ready; nil where none changed.
func (c *check) pythonCheck(ctx context.Context) (*pyCheck, error) {
	files := c.changedWith(func(f string) bool { return strings.HasSuffix(f, ".py") && !isPythonTest(f) })
	if len(files) == 0 {
		return nil, nil
	}
	p := &pyCheck{check: c, files: files, env: c.g.surround(ctx, c.g.o.Python), host: filepath.Join(c.scratch, "python"), reached: coverage{}}
	if err := os.MkdirAll(p.host, 0o755); err != nil {
		return nil, fmt.Errorf("make room for a recording: %w", err)
	}
	name := func(part string) string {
		if part == "probe.py" {
			return part
		}
		return pythonPrefix + part
	}
	if err := lay(pythonProbe, "pyprobe", p.host, name); err != nil {
		return nil, fmt.Errorf("lay the probe: %w", err)
	}
	if err := c.g.compiledPython.lay(p.host, func() error { return p.compile(ctx) }); err != nil {
		return nil, fmt.Errorf("compile the probe: %w", err)
	}
	return p, nil
}

// lay writes the parts of a probe where processes find them, by names made of those that they have.
func lay(parts embed.FS, dir, host string, name func(part string) string) error {
	list, err := parts.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, part := range list {
		text, err := parts.ReadFile(path.Join(dir, part.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(host, name(part.Name())), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compile has the interpreter compile the probe, which takes as long as all else that a process of it begins with. Where
// it does not, each process does: what is in the way is for those to tell.
func (p *pyCheck) compile(ctx context.Context) error {
	args := []string{p.g.o.Python, "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", binDir}
	spec := p.spec(p.root, p.env, args, "", nil, p.host, true)
	within(&spec, recordingWork)
	_, err := p.g.box.Run(ctx, spec)
	return err
}

// isPythonTest is the rule of the probe.
func isPythonTest(name string) bool {
	for _, dir := range strings.Split(path.Dir(name), "/") {
		if dir == "test" || dir == "tests" || dir == "testing" {
			return true
		}
	}
	base := path.Base(name)
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || slices.Contains([]string{"conftest.py", "setup.py", "test.py", "tests.py"}, base)
}

// pyCheck is the comparison of the Python code of two trees.
type pyCheck struct {
	*check
	env     surroundings
	files   []string
	host    string // the probe and the recording
	reached coverage
	added   map[string][]int // lines by file, which only the candidate has; nil: not read yet
}

// reach is what the probe says of a change.
type reach struct {
	Names    []string       `json:"names"`
	Whole    bool           `json:"whole"`
	Changed  []string       `json:"changed"`
	Literals probe.Literals `json:"literals"`
	Extra    []string       `json:"extra"`
	Readers  []string       `json:"readers"` // methods that tell what a changed one did
	// Watch says by file what the probe marks, for itself.
	Watch  map[string]json.RawMessage `json:"watch"`
	Beyond []struct {
		File string `json:"file"`
		What string `json:"what"`
	} `json:"beyond"`
}

// pyRequest is a request to the probe besides those that both probes know.
type pyRequest struct {
	Mode      string            `json:"mode"`
	Tests     []string          `json:"tests,omitempty"`
	Scripts   [][]string        `json:"scripts,omitempty"`
	Changed   []string          `json:"changed,omitempty"`
	Sources   map[string]string `json:"sources,omitempty"`
	Files     []string          `json:"files,omitempty"`
	TestFiles []string          `json:"testfiles,omitempty"`
	Seconds   int               `json:"seconds,omitempty"` // of the processor, in which what was recorded is kept
}

func (p *pyCheck) run(ctx context.Context) error {
	r, err := p.affected(ctx)
	if err != nil {
		return err
	}
	if len(r.Changed) == 0 {
		p.report.note("no Python code changed but its comments and layout")
		return nil
	}
	for _, b := range r.Beyond {
		p.report.beyond(b.File, b.What)
	}
	if err := p.record(ctx); err != nil {
		return err
	}
	watch, err := json.Marshal(r.Watch)
	if err == nil {
		err = os.WriteFile(filepath.Join(p.host, watchName), watch, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep what is watched: %w", err)
	}
	if box, ok := p.g.box.(interface{ LetGo(host string) }); ok {
		defer box.LetGo(p.host)
	}
	spec := func(v *view) sandbox.Spec {
		s := p.spec(v, p.env, p.command(), "", nil, p.host, false)
		s.Env = append(s.Env, recordingEnv+"="+binDir+"/"+recordingName, watchEnv+"="+binDir+"/"+watchName)
		s.Prepared = &sandbox.Prepared{All: true, Beside: true}
		return s
	}
	candidate := spec(p.candidate)
	candidate.Product = profileName
	relevant := func(group string) bool {
		if r.Whole {
			return true
		}
		parts := strings.FieldsFunc(strings.TrimSuffix(group, pythonSets), func(c rune) bool { return c == ':' || c == '.' })
		return slices.Contains(r.Names, parts[len(parts)-1]) || len(parts) > 1 && slices.Contains(r.Names, parts[len(parts)-2])
	}
	err = p.compare(ctx, pair{
		root:      &subject{box: p.budget, spec: spec(p.root), caseMS: rootCaseMS, hasty: interpretedHastyMS, deaths: rootDeaths, extra: r.Extra, hashes: true},
		candidate: &subject{box: p.budget, spec: candidate, caseMS: p.g.o.Patience.Milliseconds(), deaths: candidateDeaths, extra: r.Extra, changed: p.files, product: p.reached.add, settled: p.settled},
		literals:  r.Literals, relevant: relevant, public: true, watched: len(r.Watch) > 0, behind: true,
		further: func(group string) bool {
			_, name, _ := strings.Cut(strings.TrimSuffix(group, pythonSets), ":")
			return slices.Contains(r.Readers, name)
		},
		direct: func(group string) bool {
			_, name, _ := strings.Cut(strings.TrimSuffix(group, pythonSets), ":")
			return slices.Contains(r.Changed, name)
		},
	})
	if err == nil {
		p.later(p.lines)
	}
	return err
}

func (p *pyCheck) command() []string { return []string{p.g.o.Python, binDir + "/probe.py"} }

// ask puts one request that gives one answer.
func (p *pyCheck) ask(ctx context.Context, box Runner, v *view, q pyRequest, product string) (sandbox.Result, error) {
	data, err := json.Marshal(q)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("write a request: %w", err)
	}
	spec := p.spec(v, p.env, p.command(), "", nil, p.host, false)
	spec.Files = map[string][]byte{requestName: data}
	spec.ResultName, spec.Product = sandbox.ResultName, product
	spec.Env = append(spec.Env, "PYTHONHASHSEED=0", probe.RequestEnv+"="+sandbox.ControlDir+"/"+requestName,
		probe.ResultEnv+"="+sandbox.ResultPath, recordingEnv+"="+sandbox.TreeDir+"/"+recordingName)
	within(&spec, recordingWork)
	res, err := box.Run(ctx, spec)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// affected asks which names the change can reach.
func (p *pyCheck) affected(ctx context.Context) (reach, error) {
	q := pyRequest{Mode: "affected", Sources: map[string]string{}, Files: p.files}
	for _, f := range p.files {
		q.Sources[f] = string(p.candidate.read(f))
	}
	for _, f := range p.root.files {
		if strings.HasSuffix(f, ".py") && isPythonTest(f) && len(q.TestFiles) < 200 {
			q.TestFiles = append(q.TestFiles, f)
		}
	}
	res, err := p.ask(ctx, p.budget, p.root, q, "")
	if err != nil {
		return reach{}, err
	}
	var r reach
	if err := json.Unmarshal(res.Result, &r); err != nil {
		return r, fmt.Errorf("%w: %s", errProbe, lastWords(&res))
	}
	return r, nil
}

// record lays down the calls that the tests of the root make, and what measures it.
func (p *pyCheck) record(ctx context.Context) error {
	p.doing("recording the calls of the tests")
	calls, err := p.recorded(ctx, python, func() (sandbox.Result, error) {
		return p.ask(ctx, p.g.box, p.root, pyRequest{Mode: "record", Tests: p.g.o.PythonTests, Scripts: p.g.o.PythonScripts, Seconds: int(recordingWork.Seconds())}, recordingName)
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.host, recordingName), calls, 0o644); err != nil {
		return fmt.Errorf("keep the recording: %w", err)
	}
	return nil
}

// recorded are the calls that the tests of the root make in a language, once for all checks: it counts for none of them.
func (c *check) recorded(ctx context.Context, language string, record func() (sandbox.Result, error)) ([]byte, error) {
	tests := func() ([]byte, error) {
		res, err := record()
		if err != nil {
			return nil, err
		}
		if !res.HasProduct {
			return nil, fmt.Errorf("%w: the calls of the tests could not be recorded: %s", errProbe, unrecorded(&res))
		}
		return res.Product, nil
	}
	if id := c.root.tree.ID; id != "" {
		return c.g.recordings.of(ctx, id+" "+language, tests)
	}
	return tests()
}

// unrecorded is why tests left no recording.
func unrecorded(res *sandbox.Result) string {
	switch {
	case slices.Contains(res.Limits, "memory"):
		return "the tests took all memory"
	case res.TimedOut, slices.Contains(res.Limits, "cpu"):
		return fmt.Sprintf("the tests did not end in %s of processor time", recordingWork)
	case res.Signal != "":
		return fmt.Sprintf("it was ended by a signal (%s)", res.Signal)
	}
	return lastWords(res)
}

// lines names the changed lines that neither the probe nor a test ran.
func (p *pyCheck) lines(ctx context.Context) error {
	if p.left() != nil && !p.g.o.NoTests {
		p.doing("running the tests: which of the changed lines they run")
		res, err := p.ask(ctx, p.budget, p.candidate, pyRequest{Mode: "count", Tests: p.g.o.PythonTests, Scripts: p.g.o.PythonScripts, Changed: p.files}, profileName)
		if err != nil {
			return err
		}
		if res.HasProduct {
			p.reached.add(res.Product)
		}
	}
	if len(p.reached) > 0 {
		p.report.Measured = true
		p.report.Unreached = append(p.report.Unreached, p.left()...)
	}
	return nil
}

// left are the changed lines that were not seen to run.
func (p *pyCheck) left() []Lines {
	if p.added == nil {
		p.added = map[string][]int{}
		for _, f := range p.files {
			p.added[f] = gitops.AddedLines(p.root.read(f), p.candidate.read(f))
		}
	}
	var out []Lines
	for f, lines := range p.added {
		out = append(out, together(f, p.reached.missed(f, lines))...)
	}
	return out
}

// settled reports that all changed lines were seen to run.
func (p *pyCheck) settled() bool { return len(p.reached) > 0 && p.left() == nil }
