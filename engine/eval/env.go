package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// places are the names of things as processes inside the sandbox see them.
type places struct {
	tree, scratch, control string
	result, context        string
	run                    string // launcher of candidate code
	dir                    string // evaluator directory, "" = none
	candidate              string // the part of scratch that candidate code may write
	compares               bool   // another than the root is measured
}

// expand fills {dir} and {tree} in a word of a command.
func (p places) expand(word string) string {
	return strings.NewReplacer("{dir}", p.dir, "{tree}", p.tree).Replace(word)
}

// expandAll is expand for every word.
func (p places) expandAll(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = p.expand(w)
	}
	return list
}

// places names everything inside a sandbox.
func (e *Evaluator) places() places {
	p := places{
		tree: sandbox.TreeDir, scratch: sandbox.ScratchDir, control: sandbox.ControlDir,
		result: sandbox.ResultPath, context: sandbox.ContextPath, run: sandbox.RunPath, candidate: sandbox.CandidateDir,
	}
	if e.o.Dir != "" {
		p.dir = sandbox.EvaluatorDir
	}
	return p
}

// cache is one warm build cache.
type cache struct {
	kind  string // go-build, go-mod, npm, pip, cargo/registry, cargo/git or path
	mount sandbox.Mount
}

// cachesOf finds the caches by name. A cache that does not exist is left out
// when it was named by kind, and refused when it was named by path.
func cachesOf(o *Options) ([]cache, error) {
	get := func(name string) string { v, _ := o.LookupEnv(name); return v }
	home := get("HOME")
	first := func(list ...string) string {
		for _, l := range list {
			if l != "" && l != "off" && filepath.IsAbs(l) {
				return l
			}
		}
		return ""
	}
	under := func(base string, rest ...string) string {
		if base == "" {
			return ""
		}
		return filepath.Join(append([]string{base}, rest...)...)
	}
	cacheHome := first(get("XDG_CACHE_HOME"), under(home, ".cache"))
	var found []cache
	add := func(kind, host string) {
		if host != "" && isDir(host) {
			found = append(found, cache{kind, sandbox.Mount{Host: host, At: sandbox.CacheDir + "/" + kind, Write: true, Partial: kind == "go-build"}})
		}
	}
	for _, c := range o.Caches {
		switch c {
		case "go":
			goPath, _, _ := strings.Cut(get("GOPATH"), string(filepath.ListSeparator))
			add("go-build", first(get("GOCACHE"), under(cacheHome, "go-build")))
			add("go-mod", first(get("GOMODCACHE"), under(first(goPath, under(home, "go")), "pkg", "mod")))
		case "npm":
			add("npm", first(get("npm_config_cache"), under(home, ".npm")))
		case "pip":
			add("pip", first(get("PIP_CACHE_DIR"), under(cacheHome, "pip")))
		case "cargo":
			// The downloads alone: the folder above them may hold a login.
			cargo := first(get("CARGO_HOME"), under(home, ".cargo"))
			add("cargo/registry", under(cargo, "registry"))
			add("cargo/git", under(cargo, "git"))
		default:
			if !filepath.IsAbs(c) || !isDir(c) {
				return nil, fmt.Errorf("%w: evaluator.caches has %q, and there is no such folder: install what it holds, or name go, npm, pip, cargo or another folder", ErrOptions, c)
			}
			m := sandbox.Mount{Host: c, At: filepath.Clean(c), Write: true}
			found = append(found, cache{"path", m})
			if strings.HasPrefix(m.At, "/tmp/") { // candidate code has a /tmp of its own, so the variable tells another place
				m.At = sandbox.CacheDir + "/folders" + m.At
				found = append(found, cache{"path", m})
			}
		}
	}
	return found, nil
}

// Caches are the mounts of build caches by name, as evaluator.caches has them, with the
// variables that point tools at them and keep those off the network. Other programs than
// an evaluator find the same there. Errors wrap [ErrOptions].
func Caches(names []string, lookupEnv func(string) (string, bool)) (mounts []sandbox.Mount, env []string, err error) {
	found, err := cachesOf(&Options{Caches: names, LookupEnv: lookupEnv})
	vars := map[string]string{}
	for _, c := range found {
		mounts = append(mounts, c.mount)
		maps.Copy(vars, cacheEnv(c))
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return mounts, env, err
}

// userEnv resolves evaluator.env to NAME=value; names that are not set here are
// left out.
func (e *Evaluator) userEnv() []string {
	var list []string
	for _, v := range e.o.Env {
		name, _, set := strings.Cut(v, "=")
		if set {
			list = append(list, v)
		} else if value, ok := e.o.LookupEnv(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// env is the whole environment of an evaluator: an allow-list that takes nothing
// but PATH from this process, and what evaluator.env names.
func (e *Evaluator) env(in places) []string {
	vars := map[string]string{
		"HOME":           sandbox.HomeDir,
		"TMPDIR":         sandbox.TmpDir,
		"XDG_CACHE_HOME": sandbox.HomeDir + "/.cache",
		"LC_ALL":         "C.UTF-8",
		"LANG":           "C.UTF-8",
		"TZ":             "UTC",
		"TERM":           "dumb",
		"NO_COLOR":       "1",
		"ATOLL_CONTEXT":  in.context,
		"ATOLL_RESULT":   in.result,
		"ATOLL_RUN":      in.run,
		"ATOLL_RUN_DIR":  in.candidate,
		// A fixed hash seed makes the order of sets repeatable.
		"PYTHONDONTWRITEBYTECODE": "1",
		"PYTHONHASHSEED":          "0",
		"PYTHONUNBUFFERED":        "1",
		// In a home that is new each go command starts a child that looks for reports to send, and that outlives
		// a quick one; 2 stands for such a child (golang.org/x/telemetry, Start). GOTELEMETRY cannot be set.
		"GO_TELEMETRY_CHILD": "2",
	}
	if v, ok := e.o.LookupEnv("PATH"); ok && v != "" {
		vars["PATH"] = strings.Join(append(slices.Clone(e.found.path), v), string(filepath.ListSeparator))
	}
	if in.dir != "" {
		vars["ATOLL_EVAL_DIR"] = in.dir
	}
	for _, c := range e.caches {
		maps.Copy(vars, cacheEnv(c))
	}
	for _, v := range e.userEnv() {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = in.expand(value)
	}
	list := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		list = append(list, name+"="+vars[name])
	}
	return list
}

// cacheVariable is the variable that holds where a folder of evaluator.caches is:
// ATOLL_CACHE_NODE_MODULES of node_modules, ATOLL_CACHE_VENV of .venv.
func cacheVariable(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(filepath.Base(folder)))
	return "ATOLL_CACHE_" + strings.TrimLeft(name, "_")
}

// cacheEnv points a tool at its cache and keeps it off the network.
func cacheEnv(c cache) map[string]string {
	switch c.kind {
	case "go-build":
		return map[string]string{"GOCACHE": c.mount.At, "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local"}
	case "go-mod":
		return map[string]string{"GOMODCACHE": c.mount.At, "GOPROXY": "off", "GOSUMDB": "off", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local"}
	case "npm":
		return map[string]string{"npm_config_cache": c.mount.At, "npm_config_offline": "true"}
	case "pip":
		return map[string]string{"PIP_CACHE_DIR": c.mount.At, "PIP_NO_INDEX": "1"}
	case "path":
		return map[string]string{cacheVariable(c.mount.Host): c.mount.At}
	case "cargo/registry", "cargo/git":
		return map[string]string{"CARGO_HOME": sandbox.CacheDir + "/cargo", "CARGO_NET_OFFLINE": "true"}
	}
	return nil
}

// contextFile is what ATOLL_CONTEXT holds.
type contextFile struct {
	Version     int                `json:"version"`
	Experiment  string             `json:"experiment"`
	Job         record.JobID       `json:"job"`
	Candidate   record.CandidateID `json:"candidate"`
	BaseCommit  string             `json:"base_commit"` // "" for the root
	Commit      string             `json:"commit"`
	Goal        string             `json:"goal"`
	Stage       string             `json:"stage"`
	StageIndex  int                `json:"stage_index"`
	Repeat      int                `json:"repeat"`
	Seed        uint64             `json:"seed"`
	Root        bool               `json:"root"`
	Measures    string             `json:"measures"` // candidate, or root when it runs beside one
	Objective   string             `json:"objective"`
	Direction   string             `json:"direction"`
	Tree        string             `json:"tree"`
	Scratch     string             `json:"scratch"`
	RunScratch  string             `json:"run_scratch"` // what code started by ATOLL_RUN may write
	Result      string             `json:"result"`
	EvalDir     string             `json:"eval_dir,omitempty"`
	TimeoutSecs float64            `json:"timeout_seconds"`
}

// spec is everything the sandbox needs for one run of a stage.
func (r *run) spec(st *stage, base string, delta []record.Change, who string) (sandbox.Spec, error) {
	e, in := r.e, r.e.places()
	in.compares = !r.q.Root
	c := contextFile{
		Version: 1, Experiment: r.q.Experiment, Job: r.q.Job, Candidate: r.q.Candidate,
		BaseCommit: hashText(r.q.BaseCommit), Commit: hashText(r.q.Commit), Goal: r.q.Goal,
		Stage: st.Name, StageIndex: st.index, Repeat: r.q.Repeat, Seed: r.q.Seed, Root: r.q.Root,
		Measures: who, Objective: e.Objective(), Direction: e.o.Direction,
		Tree: in.tree, Scratch: in.scratch, RunScratch: in.candidate, Result: in.result, EvalDir: in.dir,
		TimeoutSecs: st.Timeout.Seconds(),
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return sandbox.Spec{}, fmt.Errorf("write the context of job %s: %w", r.q.Job, err)
	}
	files := map[string][]byte{sandbox.ContextName: append(text, '\n')}
	if st.adapter != nil && st.adapter.shim {
		more, err := shimFiles()
		if err != nil {
			return sandbox.Spec{}, err
		}
		maps.Copy(files, more)
	}
	caches := e.caches
	if st.adapter != nil && st.adapter.turns != nil {
		files[layoutName] = []byte(e.o.layout(r.q))
		caches = append(slices.Clone(caches), cache{"root", sandbox.Mount{Host: r.q.Trusted, At: besideDir, Write: true}})
	}
	limits := e.o.Limits
	if st.Limits != nil {
		limits = *st.Limits
	}
	limits.Wall = st.Timeout
	var stdin []byte
	if st.adapter != nil && st.adapter.plugin != nil {
		limits = st.adapter.plugin.p.Limits.Of(limits)
		if stdin, err = st.adapter.plugin.asks(&c); err != nil {
			return sandbox.Spec{}, err
		}
	}
	spec := sandbox.Spec{
		Args: e.args(st, in), Env: append(e.env(in), "ATOLL_LAYOUT="+drawnLayout(r.q)), Base: base, Delta: delta, Seal: r.seals,
		Hidden: r.hidden, Limits: limits, Files: files, ResultName: sandbox.ResultName, RunHelper: true, Stdin: stdin,
	}
	spec.Prepared = e.prepared(spec.Args)
	if who == candidate && !st.last {
		spec.Product = e.o.Artifact
	}
	if e.o.Dir != "" {
		spec.Mounts = append(spec.Mounts, sandbox.Mount{Host: e.o.Dir, At: in.dir, Private: true})
	}
	spec.Mounts = append(spec.Mounts, e.found.mounts...)
	if st.adapter != nil && st.adapter.plugin != nil {
		spec.Mounts = append(spec.Mounts, st.adapter.plugin.p.Mounts()...)
	}
	for _, c := range caches {
		spec.Caches = append(spec.Caches, c.mount)
	}
	if live := r.q.Live; live != nil {
		name := st.Name
		var mu sync.Mutex // the two streams come from two goroutines
		spec.OnLine = func(_ int, line string) {
			mu.Lock()
			defer mu.Unlock()
			live(name, output.OneLine(e.neutral(line), 400))
		}
	}
	return spec, nil
}

// args is the command line of a stage.
func (e *Evaluator) args(st *stage, in places) []string {
	if st.adapter != nil {
		return st.adapter.command(in)
	}
	if len(st.Command) == 1 {
		return []string{"sh", "-c", in.expand(st.Command[0])}
	}
	args := make([]string, len(st.Command))
	for i, w := range st.Command {
		args[i] = in.expand(w)
	}
	return args
}

func hashText(h record.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
