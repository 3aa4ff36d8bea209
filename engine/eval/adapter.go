package eval

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
)

// shims are the small programs that run evaluators of other systems unchanged.
// They are laid read-only into the sandbox beside the context.
//
//go:embed shims
var shims embed.FS

// adapter runs one kind of foreign evaluator.
type adapter struct {
	name   string
	shared bool   // candidate code runs in the evaluator's process
	stdout bool   // the score is read from what the candidate's process prints
	why    string // for Guarantees, when shared or stdout
	shim   bool   // needs the embedded files
	// turns tells that the command measures the root in turns with the candidate,
	// and splits what it printed; nil: the root runs beside it, as with any command.
	turns func(stdout []byte) (root, candidate []byte)
	// needs are files of the tree that belong to the evaluator.
	needs []string
	// command returns program and arguments.
	command func(in places) []string
	// parse reads the result; nil: the contract's result file.
	parse func(r *sandbox.Result, objective string) (output.Report, error)
	// compare tells how the stdout of a candidate stands against that of the root
	// beside it; nil: there is nothing more to say than the ratio.
	compare func(root, candidate []byte) string
	// scores lists exit codes besides 0 that still carry a result.
	scores []int
	caches []string   // caches it wants when none are named
	plugin *pluginRun // nil: none
}

// adapters returns the names of the adapters.
func adapters() []string {
	return []string{"openevolve", "loreley", "shinka", "gobench", "hyperfine", "gotest", "pytest", "plugin"}
}

// option returns an adapter option or a default.
func (o *Options) option(name, otherwise string) string {
	if v, ok := o.AdapterOptions[name]; ok && v != "" {
		return v
	}
	return otherwise
}

// argument returns an adapter option, or the i-th word of the command.
func (o *Options) argument(i int, name, otherwise string) string {
	if v := o.option(name, ""); v != "" {
		return v
	}
	words := o.words()
	if i < len(words) {
		return words[i]
	}
	return otherwise
}

// words are the command as a list, a single string split at blanks.
func (o *Options) words() []string {
	if len(o.Command) == 1 {
		return strings.Fields(o.Command[0])
	}
	return o.Command
}

// adapterOf returns the adapter of the options, nil for a plain command.
func adapterOf(o *Options) (*adapter, error) {
	switch o.Adapter {
	case "":
		return nil, nil
	case "openevolve":
		return openEvolve(o)
	case "loreley":
		return loreley(o)
	case "shinka":
		return shinka(o)
	case "gobench":
		return goBench(o)
	case "gotest":
		return goTest(o), nil
	case "pytest":
		return pyTest(o), nil
	case "hyperfine":
		return hyperfine(o)
	case "plugin":
		return plugged(o)
	}
	return nil, fmt.Errorf("evaluator.adapter is %q: use one of %s", o.Adapter, strings.Join(adapters(), ", "))
}

func (o *Options) python() string { return o.option("python", "python3") }

// locate returns where a file of the evaluator is, and whether it lies in the
// tree and so has to be protected.
func (o *Options) locate(file string) (at func(in places) string, inTree bool) {
	if strings.HasPrefix(file, "{dir}/") || path.IsAbs(file) {
		return func(in places) string { return in.expand(file) }, false
	}
	if o.Dir != "" {
		return func(in places) string { return path.Join(in.dir, file) }, false
	}
	return func(in places) string { return path.Join(in.tree, file) }, true
}

func (o *Options) needs(files ...string) []string {
	var list []string
	for _, f := range files {
		if _, inTree := o.locate(f); inTree {
			list = append(list, path.Clean(f))
		}
	}
	return list
}

const sharedWhy = "the evaluator imports the candidate's code into its own process, so that code can change the score it reports"

// openEvolve runs evaluate(program_path), or evaluate_stage1 to 3 as a cascade.
// Arguments: evaluator file, program file. Options: evaluator, program, python,
// thresholds ("0.5,0.75,0.9", or "off" for no cascade), bundle (module:function
// that makes one text of a program that is a folder).
func openEvolve(o *Options) (*adapter, error) {
	file := o.argument(0, "evaluator", "evaluator.py")
	program := o.argument(1, "program", "initial_program.py")
	thresholds := o.option("thresholds", "0.5,0.75,0.9")
	if thresholds != "off" {
		for part := range strings.SplitSeq(thresholds, ",") {
			if _, err := output.StrictFloat(strings.TrimSpace(part)); err != nil {
				return nil, fmt.Errorf("the adapter option thresholds is %q: write numbers with commas, or off", thresholds)
			}
		}
	}
	at, _ := o.locate(file)
	bundle := o.option("bundle", "")
	if module, function, ok := strings.Cut(bundle, ":"); bundle != "" && (!ok || module == "" || function == "") {
		return nil, fmt.Errorf("the adapter option bundle is %q: write module:function", bundle)
	}
	return &adapter{
		name: "openevolve", shared: true, why: sharedWhy, shim: true, needs: o.needs(file),
		command: func(in places) []string {
			args := []string{o.python(), in.control + "/atoll_openevolve.py", at(in), path.Join(in.tree, program), thresholds}
			if bundle != "" {
				args = append(args, bundle)
			}
			return args
		},
	}, nil
}

// loreley runs a plug-in module:attribute. Arguments: plug-in, Python paths.
// Options: plugin, paths (separated by colons), python.
func loreley(o *Options) (*adapter, error) {
	plugin := o.argument(0, "plugin", "")
	if plugin == "" {
		return nil, errors.New(`the loreley adapter needs the plug-in: evaluator.command: ["evaluate:plugin"]`)
	}
	module, attr, ok := strings.Cut(plugin, ":")
	if !ok || module == "" || attr == "" {
		return nil, fmt.Errorf("the plug-in %q is not module:attribute", plugin)
	}
	var paths []string
	if listed := o.option("paths", ""); listed != "" {
		paths = strings.Split(listed, ":")
	} else if w := o.words(); len(w) > 1 {
		paths = w[1:]
	} else {
		paths = []string{"."}
	}
	first := path.Join(paths[0], strings.ReplaceAll(module, ".", "/")+".py")
	return &adapter{
		name: "loreley", shared: true, why: sharedWhy, shim: true, needs: o.needs(first),
		command: func(in places) []string {
			args := []string{o.python(), in.control + "/atoll_loreley.py", plugin}
			for _, p := range paths {
				at, _ := o.locate(p)
				args = append(args, at(in))
			}
			return args
		},
	}, nil
}

// shinka runs a script with --program_path and --results_dir and reads
// metrics.json and correct.json. Arguments: script, program, further arguments.
// Options: script, program, python.
func shinka(o *Options) (*adapter, error) {
	script := o.argument(0, "script", "evaluate.py")
	program := o.argument(1, "program", "initial.py")
	var more []string
	if w := o.words(); len(w) > 2 {
		more = w[2:]
	}
	at, _ := o.locate(script)
	return &adapter{
		name: "shinka", shared: true, why: sharedWhy, shim: true, needs: o.needs(script),
		command: func(in places) []string {
			args := []string{o.python(), in.control + "/atoll_shinka.py", at(in), path.Join(in.tree, program)}
			for _, m := range more {
				args = append(args, in.expand(m))
			}
			return args
		},
	}, nil
}

// goTest counts passing tests. Arguments: the whole command, which must print
// go test -json; default: go test -json ./...
func goTest(o *Options) *adapter {
	args := o.words()
	if len(args) == 0 {
		args = []string{"go", "test", "-json", "-count=1", o.option("packages", "./...")}
	}
	return &adapter{
		name: "gotest", stdout: true,
		why:     "test results are read from stdout of the process that runs the candidate's code, which can print lines of its own",
		command: func(places) []string { return args },
		caches:  []string{"go"},
		scores:  []int{1},
		parse: func(r *sandbox.Result, _ string) (output.Report, error) {
			if r.StdoutCut > 0 {
				return output.Report{}, errCut
			}
			return output.ParseGoTest(r.Stdout)
		},
	}
}

// pyTest counts passing tests from pytest's JUnit file. Arguments: further
// arguments of pytest. Options: python.
func pyTest(o *Options) *adapter {
	more := o.words()
	return &adapter{
		name: "pytest", shared: true,
		why: "pytest runs the candidate's code in the process that writes the test results",
		command: func(in places) []string {
			args := []string{o.python(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=" + in.result}
			for _, m := range more {
				args = append(args, in.expand(m))
			}
			return args
		},
		scores: []int{1},
		parse: func(r *sandbox.Result, _ string) (output.Report, error) {
			if !r.HasResult {
				return output.Report{}, errors.New("pytest wrote no results: is it installed for this python, and did it start?")
			}
			return output.ParseJUnit(r.Result)
		},
	}
}

// hyperfine times a command. Arguments: the command to time, or a whole
// hyperfine command. Options: warmup, runs, launcher ("off" times the command
// without the launcher of candidate code).
func hyperfine(o *Options) (*adapter, error) {
	words := o.words()
	if len(words) == 0 {
		return nil, errors.New("the hyperfine adapter needs the command to time in evaluator.command")
	}
	own := words[0] == "hyperfine"
	launch := !own && o.option("launcher", "on") != "off"
	a := &adapter{
		name: "hyperfine",
		parse: func(r *sandbox.Result, _ string) (output.Report, error) {
			if !r.HasResult {
				return output.Report{}, errors.New("hyperfine wrote no results")
			}
			return output.ParseHyperfine(r.Result)
		},
	}
	if !launch {
		a.shared = true
		a.why = "the timed command runs with the evaluator's own rights and could write the result itself"
	}
	for _, key := range []string{"warmup", "runs"} {
		if v := o.option(key, ""); v != "" {
			if _, err := strconv.ParseUint(v, 10, 16); err != nil {
				return nil, fmt.Errorf("the adapter option %s is %q: write a number", key, v)
			}
		}
	}
	a.command = func(in places) []string {
		if own {
			return append(slices.Clone(words), "--export-json", in.result)
		}
		args := []string{"hyperfine", "--style", "none", "--warmup", o.option("warmup", "3")}
		if runs := o.option("runs", ""); runs != "" {
			args = append(args, "--runs", runs)
		}
		timed := quoteWords(words)
		if len(o.Command) == 1 {
			timed = o.Command[0]
			if launch {
				timed = "sh -c " + quoteWord(timed)
			}
		}
		if launch {
			timed = quoteWord(in.run) + " " + timed
		}
		return append(args, "--export-json", in.result, in.expand(timed))
	}
	return a, nil
}

func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

// quoteWord makes one word for sh.
func quoteWord(w string) string {
	for _, r := range w {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%{}", r) {
			return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	if w == "" {
		return "''"
	}
	return w
}

var errCut = errors.New("stdout was cut at its limit, so results are missing: raise limits.output or print less")

// shimFiles returns the embedded files by name.
func shimFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, err := fs.ReadDir(shims, "shims")
	if err != nil {
		return nil, fmt.Errorf("read the embedded adapters: %w", err)
	}
	for _, e := range entries {
		data, err := shims.ReadFile("shims/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read the embedded adapter %s: %w", e.Name(), err)
		}
		files[e.Name()] = data
	}
	return files, nil
}

// shimDigest is part of the key: another shim may measure otherwise. Turns of Go
// benchmarks have shims of their own.
func shimDigest(turns bool) string {
	sum := sha256.New()
	files, err := shimFiles()
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(files))
	for n := range files {
		if strings.HasSuffix(n, ".py") != turns {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(sum, "%s %d\n", n, len(files[n]))
		sum.Write(files[n])
	}
	return hex.EncodeToString(sum.Sum(nil))
}
