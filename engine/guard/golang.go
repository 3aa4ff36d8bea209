package guard

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/engine/guard/probe"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Longest time of one case in the root. The candidate gets more, so that a slow
// machine is no difference: [Options.Patience].
const (
	rootCaseMS         = 1_000 // of the processor
	rootHastyMS        = 100   // where several took longer
	interpretedHastyMS = 250   // the same, in Python and JavaScript
	rootDeaths         = 25
	hastyDeaths        = 100
	candidateDeaths    = 5
	mostPackages       = 8
	mostBuilds         = 8 // of one probe, each without what did not compile in the one before
	buildWork          = 10 * time.Minute
)

func isGo(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// golang compares the Go packages that changed, and those that use them.
func (c *check) golang(ctx context.Context) error {
	files := c.changedWith(func(f string) bool { return isGo(f) || path.Base(f) == "go.mod" })
	modules := map[string][]string{}
	paths := map[string]string{}
	for _, f := range files {
		if dir, modulePath, ok := moduleOf(c.root, f); ok && isGo(f) {
			modules[dir] = append(modules[dir], f)
			paths[dir] = modulePath
		}
	}
	if len(modules) == 0 {
		return nil
	}
	env := c.g.surround(ctx, "go", "gcc")
	for _, dir := range slices.Sorted(maps.Keys(modules)) {
		m := &goCheck{check: c, env: env, was: readModule(c.root, dir, paths[dir]), is: readModule(c.candidate, dir, paths[dir]), files: modules[dir], reached: coverage{}, blind: map[string]bool{}}
		m.names, m.direct = affected(m.was, m.is)
		m.carriers = carriers(m.was, m.is, m.direct)
		if len(m.names) == 0 {
			c.report.Layout = true
			c.report.note("%s: no code changed but its comments and layout", paths[dir])
			continue
		}
		m.beyond(modules[dir])
		m.kept(modules[dir])
		if err := m.packages(ctx, modules[dir]); err != nil {
			return err
		}
		c.later(m.lines)
	}
	return nil
}

// goCheck is the comparison of one module.
type goCheck struct {
	*check
	env      surroundings
	was, is  *goModule
	names    map[string]bool // affected
	direct   map[string]bool // declarations that changed
	carriers map[string]bool // types that may hold functions which can reach them
	files    []string        // that changed
	reached  coverage
	numbers  numbers         // of marks, in both trees
	blind    map[string]bool // lines of sources, "file.go:12", that do not compile with marks
}

// packages compares the changed packages and, while there is room, those that
// import them.
func (m *goCheck) packages(ctx context.Context, files []string) error {
	dirs := m.targets(files)
	if len(dirs) > mostPackages {
		m.report.note("%d packages can reach the change; %d were compared", len(dirs), mostPackages)
		dirs = dirs[:mostPackages]
	}
	for _, dir := range dirs {
		p := m.was.packages[dir]
		api := apiOf(p)
		now := apiOf(m.is.packages[dir])
		if public(p) {
			m.removed(p, api, now)
		}
		api = goAPI{common(api.funcs, now.funcs), common(api.types, now.types), common(api.errors, now.errors), common(api.values, now.values), common(api.own, now.own), common(api.given, now.given), common(api.variables, now.variables)}
		api.given = append(api.given, askedTypes(p, m.is.packages[dir], m.direct)...)
		if len(api.funcs)+len(api.types)+len(api.values) == 0 || !m.relevantAPI(api) {
			continue
		}
		err := m.compareOne(ctx, p, api)
		if errors.Is(err, errBuild) || errors.Is(err, errProbe) {
			m.report.fail("%s was not compared: %s", p.path, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// targets are the folders to compare: changed ones first.
func (m *goCheck) targets(files []string) []string {
	var dirs []string
	for _, f := range files {
		if dir := path.Dir(f); m.was.packages[dir] != nil && m.is.packages[dir] != nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for i := 0; i < len(dirs); i++ {
		for _, dir := range sortedDirs(m.was) {
			if o := m.was.packages[dir]; o.imports[m.was.packages[dirs[i]].path] && m.is.packages[dir] != nil && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// public reports a package that others may import.
func public(p *goPackage) bool {
	return p.name != "main" && !slices.Contains(strings.Split(p.path, "/"), "internal")
}

func (m *goCheck) removed(p *goPackage, was, is goAPI) {
	for _, list := range [][2][]apiName{{was.funcs, is.funcs}, {was.types, is.types}, {was.errors, is.errors}, {was.values, is.values}} {
		for _, n := range list[0] {
			if token.IsExported(n.name) && !slices.Contains(list[1], n) {
				m.report.Differences = append(m.report.Differences, Difference{Where: p.name + "." + n.name, Kind: Removed, Input: p.name + "." + n.name, Root: "there", Candidate: "gone"})
			}
		}
	}
}

// relevant reports a function or a method that can reach the change.
func (m *goCheck) relevant(group string) bool {
	group = ungeneric(group)
	receiver, method, isMethod := strings.Cut(group, ".")
	return m.names[receiver] || isMethod && (m.names[method] || m.carriers[receiver])
}

// ungeneric is the name of a group without type arguments.
func ungeneric(group string) string {
	from, to := strings.IndexByte(group, '['), strings.LastIndexByte(group, ']')
	if from < 0 || to < from {
		return group
	}
	return group[:from] + group[to+1:]
}

func (m *goCheck) relevantAPI(api goAPI) bool {
	named := func(n apiName) bool { return m.names[n.name] }
	return len(api.types) > 0 || slices.ContainsFunc(api.funcs, named) || slices.ContainsFunc(api.values, named)
}

// compareOne builds and asks the probe of one package in both trees.
func (m *goCheck) compareOne(ctx context.Context, p *goPackage, api goAPI) error {
	m.doing("building what asks %s", p.path)
	both, err := m.probes(ctx, p, api, nil)
	if err != nil {
		return err
	}
	m.later(func(ctx context.Context) error { return m.play(ctx, p, api) })
	return m.compare(ctx, both)
}

// probes builds the probe of a package in both trees, with the tests of the root where they are to be played.
func (m *goCheck) probes(ctx context.Context, p *goPackage, api goAPI, tests *stager) (pair, error) {
	host, err := hostOf(m.scratch)
	if err != nil {
		return pair{}, err
	}
	if err := m.precompile(ctx, p, filepath.Join(host, "root"), filepath.Join(host, "candidate")); err != nil {
		return pair{}, err
	}
	watched, err := m.buildBoth(ctx, p, api, host, tests)
	if err != nil {
		return pair{}, err
	}
	return m.pairOf(p, api, host, watched), nil
}

// hostOf makes room for the binaries of both trees.
func hostOf(scratch string) (string, error) {
	host, err := os.MkdirTemp(scratch, "go-")
	if err != nil {
		return "", fmt.Errorf("make room for a binary: %w", err)
	}
	for _, side := range []string{"root", "candidate"} {
		if err := os.MkdirAll(filepath.Join(host, side), 0o755); err != nil {
			return "", fmt.Errorf("make room for a binary: %w", err)
		}
	}
	return host, nil
}

// buildBoth compiles the probe in both trees. What does not compile in either is left out in both: the candidate is built first. watched reports that it has marks.
func (m *goCheck) buildBoth(ctx context.Context, p *goPackage, api goAPI, host string, tests *stager) (watched bool, err error) {
	without := map[string]bool{}
	watched = true
	for range 3 {
		before := len(without) + tests.blinds()
		err := m.build(ctx, building{m.candidate, p, api, without, filepath.Join(host, "candidate"), true, watched, tests})
		if err != nil {
			err = fmt.Errorf("the candidate: %w", err)
		} else if err = m.build(ctx, building{m.root, p, api, without, filepath.Join(host, "root"), false, watched, tests}); err != nil {
			err = fmt.Errorf("the root: %w", err)
		}
		if errors.Is(err, errBuild) && watched && tests == nil {
			watched = false // what is put in to watch may be what does not compile
			continue
		}
		if err != nil {
			return false, err
		}
		if len(without)+tests.blinds() == before {
			break
		}
	}
	return watched, nil
}

// pairOf are the probes of a package as they were built into a folder.
func (m *goCheck) pairOf(p *goPackage, api goAPI, host string, watched bool) pair {
	args := []string{binDir + "/probe.test", "-test.run=^TestAtollGuard$", "-test.timeout=0"}
	profile := append(slices.Clone(args), "-test.coverprofile="+sandbox.TreeDir+"/"+profileName)
	root := m.spec(m.root, m.env, args, p.dir, nil, filepath.Join(host, "root"), false)
	candidate := m.spec(m.candidate, m.env, profile, p.dir, nil, filepath.Join(host, "candidate"), false)
	candidate.Product = profileName
	return pair{
		name:      p.name,
		root:      &subject{box: m.budget, spec: root, caseMS: rootCaseMS, hasty: rootHastyMS, tames: true, deaths: hastyDeaths},
		candidate: &subject{box: m.budget, spec: candidate, caseMS: m.g.o.Patience.Milliseconds(), deaths: candidateDeaths, product: m.cover, settled: m.settled},
		literals:  literals(m.root, callers(m.was, p), m.changedNodes(), m.namedNodes()), relevant: m.relevant, public: public(p),
		direct: func(group string) bool { return m.direct[ungeneric(group)] }, watched: watched && m.watches(p), marks: m.marks(),
		reads: m.settings(p, api.variables), habits: probe.Habits{Writers: goWriting(p.names, m.root.read)},
	}
}

// changedNodes are the declarations that changed, as they were and as they are;
// nil stands for one that was not there.
func (m *goCheck) changedNodes() [][2]ast.Node {
	var out [][2]ast.Node
	for _, dir := range sortedDirs(m.is) {
		for _, key := range slices.Sorted(maps.Keys(m.direct)) {
			var pair [2]ast.Node
			if old := m.was.packages[dir]; old != nil && old.decls[key] != nil {
				pair[0] = old.decls[key].node
			}
			if d := m.is.packages[dir].decls[key]; d != nil {
				pair[1] = d.node
			}
			if pair[0] != nil || pair[1] != nil {
				out = append(out, pair)
			}
		}
	}
	return out
}

// errBuild: a package does not compile with the probe.
var errBuild = errors.New("it does not build")

// building is the probe of a package in one tree that is compiled.
type building struct {
	v       *view
	p       *goPackage // of the root
	api     goAPI
	without map[string]bool // names whose lines do not compile; more are added
	host    string
	cover   bool
	watched bool
	tests   *stager // nil: none are played
}

// build compiles the probe of a package.
func (m *goCheck) build(ctx context.Context, b building) error {
	pkgs := m.was
	if b.v == m.candidate {
		pkgs = m.is
	}
	own := pkgs.packages[b.p.dir]
	for range mostBuilds {
		files, err := m.harness(b.v, own, b.api, b.without, b.watched, b.tests)
		if err != nil {
			return err
		}
		args := []string{"go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binDir + "/probe.test"}
		if b.tests != nil {
			args = append(args, "-gcflags=-e") // all that does not compile is said at once
		}
		if b.cover {
			args = append(args, "-cover", "-covermode=set", "-coverpkg="+m.coverPackages())
		}
		res, err := m.compiler(ctx, m.budget, b.v, b.p, append(args, "."), laying, files, b.host)
		if err != nil {
			return err
		}
		if res.Exit == 0 {
			return nil
		}
		output := string(res.Stdout) + string(res.Stderr)
		bad := badLines(output, files)
		if len(bad) == 0 && (b.watched && m.blame(output, b.p) || b.tests != nil && b.tests.blame(output)) {
			continue
		}
		if len(bad) == 0 {
			return fmt.Errorf("%w: %s", errBuild, lastWords(&res))
		}
		for _, name := range bad {
			b.without[name] = true
		}
	}
	return fmt.Errorf("%w: too many of its names cannot be called", errBuild)
}

// coverPackages are the packages whose lines are counted: those that changed
// and what lies between them and the probe.
func (m *goCheck) coverPackages() string {
	var out []string
	for _, f := range m.changed {
		if p := m.is.packages[path.Dir(f)]; p != nil && isGo(f) && !slices.Contains(out, p.path) {
			out = append(out, p.path)
		}
	}
	return strings.Join(out, ",")
}

// harness is the probe and what starts it as files beside a package, in the place of its own tests or with those of the root that are played.
func (m *goCheck) harness(v *view, p *goPackage, api goAPI, without map[string]bool, watched bool, tests *stager) ([]record.Change, error) {
	var out []record.Change
	if watched {
		out = m.watched(v, p)
	}
	marked := len(out) > 0
	for _, name := range p.testNames {
		out = append(out, record.Change{Path: name, Mode: record.Deleted})
	}
	if tests != nil {
		out = append(out, tests.changes()...)
	}
	files, err := probeFiles()
	if err != nil {
		return nil, fmt.Errorf("read the probe: %w", err)
	}
	files[bridgeName] = bridge(p.name, api, without)
	files["atoll_guard_start_test.go"] = starter(p.name, p.path, marked)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, record.Change{Path: path.Join(p.dir, name), Mode: record.Regular, Data: files[name]})
	}
	return out, nil
}

var sourceError = regexp.MustCompile(`([^\s/:]+\.go):(\d+):`)

// blame takes the marks of comparisons away from lines of a package that the compiler
// refused, and reports whether there were any.
func (m *goCheck) blame(output string, p *goPackage) bool {
	found := false
	for _, match := range sourceError.FindAllStringSubmatch(output, -1) {
		if name := path.Join(p.dir, match[1]); slices.Contains(p.names, name) && !m.blind[name+":"+match[2]] {
			m.blind[name+":"+match[2]], found = true, true
		}
	}
	return found
}

const bridgeName = "atoll_guard_bridge_test.go"

var bridgeError = regexp.MustCompile(regexp.QuoteMeta(bridgeName) + `:(\d+):`)

// badLines are the names on lines of the bridge that the compiler refused.
func badLines(output string, files []record.Change) []string {
	i := slices.IndexFunc(files, func(f record.Change) bool { return path.Base(f.Path) == bridgeName })
	lines := strings.Split(string(files[i].Data), "\n")
	var out []string
	for _, match := range bridgeError.FindAllStringSubmatch(output, -1) {
		n, err := strconv.Atoi(match[1])
		if err != nil || n < 1 || n > len(lines) {
			continue
		}
		if quoted, _, ok := strings.Cut(strings.TrimLeft(lines[n-1], "\t{/*"), `", `); ok {
			if name, err := strconv.Unquote(quoted + `"`); err == nil {
				out = append(out, name)
			}
		}
	}
	return out
}
