package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
)

// Detected is what a look at a repository suggests. Everything in it is a
// guess that a person reads in atoll.yaml before anything runs.
type Detected struct {
	Name      string   // of the experiment; set by the caller
	Language  string   // go, python, rust, javascript, c++, ... or ""
	Test      []string // command of the tests, nil when none was found
	Evaluator []string // command that measures, nil when none was found
	Found     string   // the file that made us think so
	Adapter   string   // when that file was written for another system
	Output    string   // where its result is read from
	Protected []string // globs of tests, evaluators and build settings
	Scope     []string // globs of the sources
	Caches    []string
	Env       []string  // NAME=value for the evaluator
	Dir       string    // evaluator directory, relative to atoll.yaml
	Others    []Choice  // further ways to measure that were found, likeliest first
	Measured  *Measured // what a run on the root taught; nil: nothing was run
	Tried     []string  // where there is no evaluator: what was found, and why it measures nothing
}

// Choice is one way to measure that was found.
type Choice struct {
	Command []string
	Found   string // the file that made us think so
	Adapter string
	Output  string
}

// Measured is what runs of the evaluator on the root taught.
type Measured struct {
	Objective string
	Direction string // maximize or minimize
	Unsure    bool   // nothing told the direction: a person should look
	Timeout   time.Duration
	Repeats   int
	Paired    bool
	Stages    []Stage
	Axes      []Axis
	Jobs      int
	Wall      time.Duration
	Options   map[string]string // of the adapter
	Targets   []Target          // where the time goes
	Notes     []string          // one sentence each, for the file
}

// With returns what was detected with another way to measure.
func (d Detected) With(c Choice) Detected {
	own := evaluatorGlob(d.Found, d.Adapter)
	d.Protected = slices.DeleteFunc(slices.Clone(d.Protected), func(g string) bool { return g == own })
	d.Evaluator, d.Found, d.Adapter, d.Output, d.Others = c.Command, c.Found, c.Adapter, c.Output, nil
	if g := evaluatorGlob(c.Found, c.Adapter); g != "" && !slices.Contains(d.Protected, g) {
		d.Protected = append([]string{g}, d.Protected...)
	}
	return d
}

// Detect looks at the paths of a repository (slash separated, relative to its
// top) and reads the few files that decide. It never fails: what cannot be
// read is not there.
func Detect(files []string, read func(path string) ([]byte, error)) Detected {
	l := look{files: map[string]bool{}, read: read}
	for _, f := range files {
		if !foreign(f) {
			l.files[f] = true
			l.sorted = append(l.sorted, f)
		}
	}
	sort.Slice(l.sorted, func(i, j int) bool { // shallow first
		a, b := l.sorted[i], l.sorted[j]
		if n, m := strings.Count(a, "/"), strings.Count(b, "/"); n != m {
			return n < m
		}
		return a < b
	})
	d := Detected{Language: l.language()}
	d.Test = l.test(d.Language)
	l.evaluator(&d)
	l.globs(&d)
	if d.Language == "python" {
		d.Env = l.pythonPath()
	}
	return d
}

// look is one look at a repository.
type look struct {
	files  map[string]bool
	sorted []string
	read   func(string) ([]byte, error)
}

// foreign reports paths that hold other people's or generated code.
func foreign(p string) bool {
	for _, dir := range strings.Split(path.Dir(p), "/") {
		switch dir {
		case "vendor", "node_modules", "third_party", "testdata", "target", "dist", "build", ".venv", "venv", "__pycache__", ".git":
			return true
		}
	}
	return false
}

func (l look) text(p string) string {
	if !l.files[p] || l.read == nil {
		return ""
	}
	data, err := l.read(p)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	return string(data)
}

// languageOf returns the language of a file by its extension.
func languageOf(ext string) string {
	switch ext {
	case ".go":
		return "go"
	case ".rs":
		return "rust"
	case ".py":
		return "python"
	case ".js", ".mjs", ".cjs", ".ts", ".tsx":
		return "javascript"
	case ".c":
		return "c"
	case ".cc", ".cpp", ".cxx":
		return "c++"
	case ".java", ".kt", ".rb", ".jl", ".sh":
		return map[string]string{".java": "java", ".kt": "kotlin", ".rb": "ruby", ".jl": "julia", ".sh": "shell"}[ext]
	}
	return ""
}

func (l look) language() string {
	for _, m := range []struct{ file, language string }{
		{"go.mod", "go"}, {"Cargo.toml", "rust"}, {"pyproject.toml", "python"}, {"setup.py", "python"}, {"package.json", "javascript"},
	} {
		if l.files[m.file] && (m.file != npmFile || l.npmProject()) {
			return m.language
		}
	}
	count := map[string]int{}
	best := ""
	for _, f := range l.sorted {
		lang := languageOf(path.Ext(f))
		if lang == "" {
			continue
		}
		count[lang]++
		if best == "" || count[lang] > count[best] || count[lang] == count[best] && lang < best {
			best = lang
		}
	}
	return best
}

const npmFile = "package.json"

// byBuildTools finds scripts of package.json that leave all to make or a compiler.
var byBuildTools = regexp.MustCompile(`^\s*(?:(?:g?make|cc|gcc|clang|cmake|[cg]\+\+|clang\+\+)\b[^;&|]*(?:[;&|]+\s*|$))+$`)

// npmProject reports whether package.json is about code of JavaScript: package managers of other
// languages read such a file, too. Where its scripts do not tell, the sources do.
func (l look) npmProject() bool {
	if !slices.ContainsFunc(l.sorted, func(f string) bool { return languageOf(path.Ext(f)) == "javascript" }) {
		return false
	}
	for _, script := range l.npmScripts() {
		if !byBuildTools.MatchString(script) {
			return true
		}
	}
	return false
}

var makeTarget = regexp.MustCompile(`(?m)^([A-Za-z0-9_./-]+)\s*:([^=]|$)`)

// MakeTargets are the names before the rules of a Makefile, in order.
func MakeTargets(text string) []string {
	var targets []string
	for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
		targets = append(targets, m[1])
	}
	return targets
}

// shadowed reports a target that make takes for up to date, because a file or a folder
// has its name.
func (l look) shadowed(makefile, target string) bool {
	taken := slices.ContainsFunc(l.sorted, func(f string) bool { return f == target || strings.HasPrefix(f, target+"/") })
	return taken && !regexp.MustCompile(`(?m)^\.PHONY\s*:.*(?:\s|:)`+regexp.QuoteMeta(target)+`(?:\s|$)`).MatchString(l.text(makefile))
}

func (l look) makefileTargets() (string, []string) {
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		if text := l.text(name); text != "" {
			return name, MakeTargets(text)
		}
	}
	return "", nil
}

func (l look) test(language string) []string {
	switch language {
	case "go":
		return []string{"go", "test", "./..."}
	case "rust":
		return []string{"cargo", "test", "--quiet"}
	case "javascript", "": // none that is known
		if command := l.npmTest(); command != nil {
			return command
		}
	case "python":
		for _, f := range l.sorted {
			if IsPythonTest(f) {
				return []string{"python3", "-m", "pytest", "-q"}
			}
		}
		for _, f := range l.sorted {
			dir, base := path.Split(f)
			switch {
			case base != "test.py" && base != "tests.py" && !l.unittest(f):
			case modulePath.MatchString(f) && (dir == "" || l.files[dir+"__init__.py"]): // at the top, or in a package
				return []string{"python3", "-m", "unittest", strings.ReplaceAll(strings.TrimSuffix(f, ".py"), "/", ".")}
			default: // beside modules, such as those in src
				return []string{"python3", "-m", "unittest", "discover", "-s", path.Clean(dir), "-p", base}
			}
		}
	}
	makefile, targets := l.makefileTargets()
	for _, name := range []string{"test", "check", "tests", "unittest", "unittests", "runtests", "smoke"} {
		if slices.Contains(targets, name) && !l.shadowed(makefile, name) {
			return []string{"make", name}
		}
	}
	return nil
}

// npmTest runs the script of package.json that runs the tests and, where it has one for that,
// nothing else: by habit "test" also looks at style and at what the network knows.
func (l look) npmTest() []string {
	scripts := l.npmScripts()
	switch {
	case scripts["tests-only"] != "":
		return []string{"npm", "run", "--silent", "tests-only"}
	case scripts["test"] != "" && !strings.Contains(scripts["test"], "no test specified"): // what npm init writes
		return []string{"npm", "test", "--silent"}
	}
	return nil
}

// npmScripts are the scripts of package.json by name.
func (l look) npmScripts() map[string]string {
	var pkg struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(l.text("package.json")), &pkg) != nil {
		return nil
	}
	return pkg.Scripts
}

// scripts are what people call their evaluators, likeliest first.
func scripts() []string {
	return []string{
		"evaluate.py", "evaluator.py", "eval.py", "benchmark.py", "bench.py",
		"evaluate.sh", "eval.sh", "bench.sh", "benchmark.sh", "run_benchmark.sh",
		"evaluate.js", "eval.js", "benchmark.js", "bench.js", "evaluate.mjs", "benchmark.mjs", "bench.mjs",
	}
}

// likely are further names of scripts that measure.
var likely = regexp.MustCompile(`^(?:run[ _-])?(?:bench|benchmark|benchmarks|perf|score|scorer|measure)(?:[ _-]\w+)*\.(?:py|sh|js|mjs|cjs)$`)

func (l look) evaluator(d *Detected) {
	d.Output = "result-file"
	all := l.choices(d.Language)
	if len(all) == 0 {
		return
	}
	d.Evaluator, d.Found, d.Adapter, d.Output = all[0].Command, all[0].Found, all[0].Adapter, all[0].Output
	d.Others = all[1:len(all):len(all)]
	if len(d.Others) == 0 {
		d.Others = nil
	}
}

// maxChoices bounds the ways to measure that are offered.
const maxChoices = 6

// choices lists the ways to measure, likeliest first.
func (l look) choices(language string) []Choice {
	var all []Choice
	add := func(c Choice) {
		if len(all) < maxChoices && !slices.ContainsFunc(all, func(o Choice) bool { return slices.Equal(o.Command, c.Command) }) {
			all = append(all, c)
		}
	}
	for _, script := range scripts() {
		for _, f := range l.sorted {
			if path.Base(f) == script && strings.Count(f, "/") <= 1 {
				add(l.script(f))
			}
		}
	}
	targets := func(names ...string) {
		makefile, there := l.makefileTargets()
		for _, t := range names {
			if slices.Contains(there, t) && !l.shadowed(makefile, t) {
				add(Choice{Command: []string{"make", "-s", t}, Found: makefile, Output: l.output(l.text(makefile))})
			}
		}
	}
	targets("evaluate", "eval")
	if language == "go" { // before a target, which mostly runs the same benchmarks without choosing
		for _, f := range l.sorted {
			if strings.HasSuffix(f, "_test.go") && strings.Contains(l.text(f), "\nfunc Benchmark") {
				add(Choice{Command: []string{"go", "test", "-run=^$", "-bench=.", "-benchmem", "-count=5", "./..."}, Found: f, Adapter: "gobench", Output: "result-file"})
				break
			}
		}
	}
	targets("bench", "benchmark")
	npm := l.npmScripts()
	for _, name := range []string{"bench", "benchmark", "evaluate", "perf"} {
		if npm[name] != "" {
			add(npmRun(name))
		}
	}
	if npm["bench"] == "" && npm["benchmark"] == "" {
		for _, name := range slices.Sorted(maps.Keys(npm)) {
			if benchScript.MatchString(name) {
				add(npmRun(name))
			}
		}
	}
	for _, f := range l.sorted {
		if likely.MatchString(path.Base(f)) && strings.Count(f, "/") <= 2 {
			add(l.script(f))
		}
	}
	return all
}

// benchScript finds scripts of package.json that run benchmarks one way of several.
var benchScript = regexp.MustCompile(`^bench(?:mark)?s?(?:[:_-].+)?$`)

func npmRun(name string) Choice {
	return Choice{Command: []string{"npm", "run", "--silent", name}, Found: "package.json", Output: "last-number"}
}

func (l look) script(f string) Choice {
	text := l.text(f)
	c := Choice{Found: f, Output: "result-file"}
	switch {
	case strings.HasSuffix(f, ".sh"):
		c.Command, c.Output = []string{"sh", f}, l.output(text)
	case strings.HasSuffix(f, "js"):
		c.Command, c.Output = []string{"node", f}, l.output(text)
	case regexp.MustCompile(`(?m)^def evaluate\(\s*program_path`).MatchString(text):
		c.Command, c.Adapter = []string{f, l.program(path.Dir(f))}, "openevolve"
	case regexp.MustCompile(`(?m)^def plugin\(`).MatchString(text):
		module := strings.TrimSuffix(path.Base(f), ".py")
		c.Command, c.Adapter = []string{module + ":plugin", path.Dir(f)}, "loreley"
	default:
		c.Command, c.Output = []string{"python3", f}, l.output(text)
	}
	return c
}

// evaluatorGlob is what a way to measure protects of itself.
func evaluatorGlob(found, adapter string) string {
	if found == "" || adapter == "gobench" {
		return ""
	}
	if dir := path.Dir(found); strings.HasPrefix(dir, "eval") || strings.HasPrefix(dir, "bench") {
		return dir + "/**"
	}
	return found
}

// program is the file that OpenEvolve would change, beside its evaluator.
func (l look) program(dir string) string {
	for _, f := range l.sorted {
		if path.Dir(f) == dir && strings.HasPrefix(path.Base(f), "initial") && strings.HasSuffix(f, ".py") {
			return f
		}
	}
	return path.Join(dir, "initial_program.py")
}

// output guesses from the text of a script how it reports.
func (l look) output(text string) string {
	switch {
	case strings.Contains(text, "ATOLL_RESULT"):
		return "result-file"
	case strings.Contains(text, "json.dump") || strings.Contains(text, "JSON.stringify") || strings.Contains(text, `{"`) || strings.Contains(text, "--json"):
		return "last-json-line"
	}
	return "last-number"
}

// scriptTest finds tests and benchmarks of JavaScript that lie beside what they test.
var scriptTest = regexp.MustCompile(`^.*(\.(?:test|spec|bench)\.(?:js|mjs|cjs|ts|tsx))$`)

// metaOfGlobs are what means something else in a glob.
var metaOfGlobs = regexp.MustCompile(`[*?\[\]{}\\]`)

func (l look) globs(d *Detected) {
	add := func(glob string) {
		if !slices.Contains(d.Protected, glob) {
			d.Protected = append(d.Protected, glob)
		}
	}
	if g := evaluatorGlob(d.Found, d.Adapter); g != "" {
		add(g)
	}
	for _, f := range l.sorted {
		switch top, _, inDir := strings.Cut(f, "/"); {
		case inDir && (top == "tests" || top == "test"):
			add(top + "/**")
		case scriptTest.MatchString(f):
			add(scriptTest.ReplaceAllString(path.Base(f), "**/*$1"))
		case strings.HasSuffix(f, "_test.go"):
			add("**/*_test.go")
		case strings.HasPrefix(path.Base(f), "test_") && strings.HasSuffix(f, ".py"):
			add("**/test_*.py")
		case strings.HasSuffix(f, "_test.py"):
			add("**/*_test.py")
		case path.Base(f) == "test.py" || path.Base(f) == "tests.py" || path.Base(f) == "test.js" || path.Base(f) == "tests.js":
			add("**/" + path.Base(f))
		case d.Language == "python" && l.unittest(f):
			add(metaOfGlobs.ReplaceAllString(f, `\$0`))
		}
	}
	for _, build := range []string{"go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "pyproject.toml", "package.json", "package-lock.json", "Makefile"} {
		if l.files[build] {
			add(build)
		}
	}
	switch d.Language {
	case "go":
		d.Scope, d.Caches = []string{"**/*.go"}, []string{"go"}
	case "rust":
		d.Scope, d.Caches = []string{"**/*.rs"}, []string{"cargo"}
	case "python":
		d.Scope = []string{"**/*.py"}
	case "javascript":
		d.Scope, d.Caches = []string{"**/*.{js,mjs,ts,tsx}"}, []string{"npm"}
	case "c", "c++":
		d.Scope = []string{"**/*.{c,cc,cpp,cxx,h,hpp}"}
	}
}
