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

	"atoll/engine/guard/probe"
	"atoll/engine/jsload"
	"atoll/engine/sandbox"
	"atoll/gitops"
	"atoll/store/record"
)

//go:embed jsprobe/*.cjs
var jsProbe embed.FS

// The languages whose tests are recorded.
const (
	python     = "python"
	javascript = "javascript"
)

// jsParser gives the probe the parser that is part of node.
const jsParser = "--expose-internals"

// javascript compares the functions and classes of a JavaScript tree that can reach the change.
func (c *check) javascript(ctx context.Context) error {
	j, err := c.javascriptCheck(ctx)
	if err != nil || j == nil {
		return err
	}
	err = j.run(ctx)
	if errors.Is(err, errProbe) {
		c.report.fail("the JavaScript code was not compared: %s", err)
		return nil
	}
	return err
}

// javascriptCheck makes the comparison of the JavaScript code ready; nil where none changed.
func (c *check) javascriptCheck(ctx context.Context) (*jsCheck, error) {
	files := c.changedWith(func(f string) bool { return jsload.Source(f) && !isJavaScriptTest(f) })
	if len(files) == 0 {
		return nil, nil
	}
	j := &jsCheck{check: c, files: files, env: c.g.surround(ctx, "node", "npm"), host: filepath.Join(c.scratch, "javascript"), reached: coverage{}}
	if err := os.MkdirAll(j.host, 0o755); err != nil {
		return nil, fmt.Errorf("make room for a recording: %w", err)
	}
	asIs := func(name string) string { return name }
	if err := errors.Join(lay(jsload.Files, ".", j.host, asIs), lay(jsProbe, "jsprobe", j.host, asIs)); err != nil {
		return nil, fmt.Errorf("lay the probe: %w", err)
	}
	return j, nil
}

// isJavaScriptTest is the rule of the probe.
func isJavaScriptTest(name string) bool {
	outside := []string{"__tests__", "test", "tests", "spec", "specs", "bench", "benchmark", "benchmarks", "example", "examples"}
	for _, dir := range strings.Split(path.Dir(name), "/") {
		if slices.Contains(outside, dir) {
			return true
		}
	}
	stem := strings.FieldsFunc(strings.TrimSuffix(path.Base(name), path.Ext(name)), func(r rune) bool { return strings.ContainsRune(".-_", r) })
	if len(stem) == 0 {
		return false
	}
	return slices.Contains([]string{"test", "tests", "spec", "bench", "benchmark"}, stem[0]) || slices.Contains([]string{"test", "spec", "bench"}, stem[len(stem)-1]) || strings.Contains(path.Base(name), ".test-d.")
}

// jsCheck is the comparison of the JavaScript code of two trees.
type jsCheck struct {
	*check
	env     surroundings
	files   []string
	host    string // the probe and the recording
	reached coverage
}

// jsReach is what the probe says of a change.
type jsReach struct {
	Layout  bool            `json:"layout"`
	Missing string          `json:"missing"` // what is to be installed first; "" for nothing
	Modules []string        `json:"modules"` // those that load what changed
	Direct  []string        `json:"direct"`  // those that changed
	Changed []string        `json:"changed"` // functions and methods
	Own     []string        `json:"own"`     // groups that are functions of what changed, whatever hands them out
	Apart   []string        `json:"apart"`   // groups that are functions of modules which cannot reach it
	Extra   []string        `json:"extra"`   // what no test need call
	Notes   []string        `json:"notes"`
	Watch   json.RawMessage `json:"watch"` // for the probe itself
	Beyond  []struct {
		File string `json:"file"`
		What string `json:"what"`
		Kept bool   `json:"kept"`
	} `json:"beyond"`
}

// jsRequest is a request to the probe besides those that all probes know.
type jsRequest struct {
	Mode    string            `json:"mode"`
	Tests   []string          `json:"tests,omitempty"`
	Changed []string          `json:"changed,omitempty"`
	Sources map[string]string `json:"sources,omitempty"`
}

func (j *jsCheck) run(ctx context.Context) error {
	r, err := j.affected(ctx)
	if err != nil {
		return err
	}
	if r.Missing != "" {
		j.report.fail("the TypeScript code was not compared: %s", r.Missing)
		return nil
	}
	if r.Layout {
		j.report.note("no JavaScript code changed but its comments and layout")
		return nil
	}
	for _, note := range r.Notes {
		j.report.note("%s", note)
	}
	for _, b := range r.Beyond {
		if b.Kept {
			j.report.keeps(b.File, b.What)
			continue
		}
		j.report.beyond(b.File, b.What)
	}
	if err := j.record(ctx); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(j.host, watchName), r.Watch, 0o644); err != nil {
		return fmt.Errorf("keep what is watched: %w", err)
	}
	spec := func(v *view) sandbox.Spec {
		s := j.spec(v, j.command())
		s.Env = append(s.Env, recordingEnv+"="+binDir+"/"+recordingName, watchEnv+"="+binDir+"/"+watchName)
		return s
	}
	candidate := spec(j.candidate)
	candidate.Product = profileName
	module := func(group string) string { name, _, _ := strings.Cut(group, ":"); return name }
	err = j.compare(ctx, pair{
		root:      &subject{box: j.budget, spec: spec(j.root), caseMS: rootCaseMS, hasty: interpretedHastyMS, tames: true, deaths: rootDeaths, extra: r.Extra},
		candidate: &subject{box: j.budget, spec: candidate, caseMS: j.g.o.Patience.Milliseconds(), deaths: candidateDeaths, extra: r.Extra, changed: j.files, product: j.reached.add, settled: j.settled},
		relevant: func(group string) bool {
			return slices.Contains(r.Modules, module(group)) && !slices.Contains(r.Apart, group)
		},
		direct: func(group string) bool { return r.direct(module(group), group) },
		public: true, watched: true, behind: true,
	})
	if err == nil {
		j.later(j.lines)
	}
	return err
}

// direct reports that a group is a function of what changed, or that it is of a module that changed, and a function of
// its name did, where that is known by names.
func (r *jsReach) direct(module, group string) bool {
	if slices.Contains(r.Own, group) || !slices.Contains(r.Direct, module) {
		return slices.Contains(r.Own, group)
	}
	parts := strings.FieldsFunc(group, func(c rune) bool { return c == ':' || c == '.' || c == '/' })
	return len(r.Changed) == 0 || !slices.ContainsFunc(r.Changed, func(name string) bool { return name != "" }) ||
		slices.ContainsFunc(r.Changed, func(name string) bool { own, _, _ := strings.Cut(name, "."); return slices.Contains(parts, own) }) ||
		strings.HasSuffix(group, ":"+path.Base(module))
}

// modulesAt is where the folder of packages is inside the sandbox.
const modulesAt = sandbox.CacheDir + "/node_modules"

// spec is a command in a tree that has the packages of the project: its own ones, or those that git does not keep.
func (j *jsCheck) spec(v *view, args []string) sandbox.Spec {
	const name = "node_modules"
	if _, err := os.Lstat(filepath.Join(v.tree.Base, name)); err == nil || j.g.o.Modules == "" {
		return j.check.spec(v, j.env, args, "", nil, j.host, false)
	}
	spec := j.check.spec(v, j.env, args, "", []record.Change{{Path: name, Mode: record.Symlink, Data: []byte(modulesAt)}}, j.host, false)
	spec.Caches = append(slices.Clone(spec.Caches), sandbox.Mount{Host: j.g.o.Modules, At: modulesAt, Optional: true})
	return spec
}

func (j *jsCheck) command(flags ...string) []string {
	return slices.Concat([]string{"node"}, flags, []string{fmt.Sprintf("--max-old-space-size=%d", heapMiB), "--no-warnings", binDir + "/probe.cjs"})
}

// ask puts one request that gives one answer.
func (j *jsCheck) ask(ctx context.Context, box Runner, v *view, q jsRequest, product string) (sandbox.Result, error) {
	data, err := json.Marshal(q)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("write a request: %w", err)
	}
	spec := j.spec(v, j.command(jsParser))
	spec.Files = map[string][]byte{requestName: data}
	spec.ResultName, spec.Product = sandbox.ResultName, product
	spec.Env = append(spec.Env, probe.RequestEnv+"="+sandbox.ControlDir+"/"+requestName,
		probe.ResultEnv+"="+sandbox.ResultPath, recordingEnv+"="+sandbox.TreeDir+"/"+recordingName)
	within(&spec, recordingWork)
	res, err := box.Run(ctx, spec)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// affected asks which modules the change can reach.
func (j *jsCheck) affected(ctx context.Context) (jsReach, error) {
	q := jsRequest{Mode: "affected", Sources: map[string]string{}}
	for _, f := range j.files {
		q.Sources[f] = string(j.candidate.read(f))
	}
	res, err := j.ask(ctx, j.budget, j.root, q, "")
	if err != nil {
		return jsReach{}, err
	}
	var r jsReach
	if err := json.Unmarshal(res.Result, &r); err != nil {
		return r, fmt.Errorf("%w: %s", errProbe, lastWords(&res))
	}
	return r, nil
}

// record lays down the calls that the tests of the root make.
func (j *jsCheck) record(ctx context.Context) error {
	j.doing("recording the calls of the tests")
	calls, err := j.recorded(ctx, javascript, func() (sandbox.Result, error) {
		return j.ask(ctx, j.g.box, j.root, jsRequest{Mode: "record", Tests: j.g.o.JavaScriptTests}, recordingName)
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(j.host, recordingName), calls, 0o644); err != nil {
		return fmt.Errorf("keep the recording: %w", err)
	}
	return nil
}

// lines names the changed lines that neither the probe nor a test ran.
func (j *jsCheck) lines(ctx context.Context) error {
	if j.left() != nil && !j.g.o.NoTests {
		j.doing("running the tests: which of the changed lines they run")
		res, err := j.ask(ctx, j.budget, j.candidate, jsRequest{Mode: "count", Tests: j.g.o.JavaScriptTests, Changed: j.files}, profileName)
		if err != nil {
			return err
		}
		if res.HasProduct {
			j.reached.add(res.Product)
		}
	}
	if len(j.reached) > 0 {
		j.report.Measured = true
		j.report.Unreached = append(j.report.Unreached, j.left()...)
	}
	return nil
}

// left are the changed lines that were not seen to run.
func (j *jsCheck) left() []Lines {
	var out []Lines
	for _, f := range j.files {
		out = append(out, together(f, j.reached.missed(f, gitops.AddedLines(j.root.read(f), j.candidate.read(f))))...)
	}
	return out
}

// settled reports that all changed lines were seen to run.
func (j *jsCheck) settled() bool { return len(j.reached) > 0 && j.left() == nil }
