package survey

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
)

// mostFunctions bounds the functions that a scaffold measures.
const mostFunctions = 8

// goScaffold writes benchmarks for the hottest exported functions: those in
// which the tests spend their time, called with the texts and numbers of the
// tests. It returns why it cannot, "" when the benchmarks stand.
func (s *survey) goScaffold(ctx context.Context) (string, error) {
	p := s.Lab.busiestPackage()
	if p == nil {
		return "no exported function takes only texts, numbers, lists of them and what may be any value, so no benchmark can be scaffolded", nil
	}
	s.doing(testPatience, "profiling the tests of ./%s, for the functions that a benchmark is to measure", p.dir)
	hot, err := s.Lab.hottest(ctx, p, leavesOut(s.m.Stages))
	if err != nil {
		return "", err
	}
	p.order(hot)
	p.funcs = p.funcs[:min(len(p.funcs), mostFunctions)]
	for range mostFunctions {
		dropped, reason, err := s.tryScaffold(ctx, p)
		switch {
		case err != nil:
			return "", err
		case reason == "":
			return "", nil
		case !dropped || len(p.funcs) == 0:
			s.drop()
			return "no benchmark is scaffolded: " + reason, nil
		}
	}
	s.drop()
	return "no scaffolded benchmark runs", nil
}

// tryScaffold lays benchmarks of all functions of p out and measures. dropped
// tells that one that fails was taken out of p, so that another try is worth it.
func (s *survey) tryScaffold(ctx context.Context, p *goPackage) (dropped bool, reason string, err error) {
	if err := s.lay(p.scaffold(p.names(), "1x", 1)); err != nil {
		return false, "", err
	}
	s.d.Evaluator, s.d.Adapter, s.d.Output = []string{"sh", "{dir}/measure.sh"}, "gobench", output.OutputFile
	s.doing(firstPatience, "running a benchmark of %s once", someOf(p.names(), 6))
	sample, err := s.Lab.Run(ctx, s.evalOptions(), false)
	if err != nil {
		return false, "", err
	}
	if sample.Failed() {
		text := string(sample.Raw.Stdout) + string(sample.Raw.Stderr)
		return p.remove(culprit(text)) || p.forgetCalls(), sample.Reason, nil
	}
	chosen := s.chooseBenches(readBenches(sample.Raw.Stdout), nil, nil)
	var names []string
	for _, b := range chosen {
		names = append(names, strings.TrimPrefix(b.top, "Atoll"))
	}
	if names, err = findSpent(ctx, s, p, names); err != nil {
		return false, "", err
	}
	if what := "benchmarks of " + strings.Join(names, ", "); !standIn(s, what) {
		return false, what + ": " + unwanted, nil
	}
	each := min(100*time.Millisecond, max(10*time.Millisecond, benchTime/time.Duration(benchRuns*len(names))*2/3)).Truncate(10 * time.Millisecond)
	if err := s.lay(p.scaffold(names, each.String(), 1)); err != nil {
		return false, "", err
	}
	s.d.Found = "no benchmark, so " + EvaluatorDir + " holds one of " + strings.Join(names, ", ")
	if reason, err := s.settleBenches(ctx); err != nil || reason != "" {
		return false, reason, err
	}
	s.goScope(ctx, []string{"./" + p.dir})
	checkStandIn(s, "benchmarks of "+strings.Join(names, ", ")+" were scaffolded, in which the tests spend their time")
	return false, "", s.goTargets(ctx, p.laying(), p.command(names, each.String(), 1), []string{"./" + p.dir})
}

// culprit is the function whose benchmark panicked or failed, by what was
// printed; "" when nothing tells. A panic can lose the race with the end of the
// program: then a line with NaN is all that is left of it.
func culprit(text string) string {
	for _, sign := range []string{`\.BenchmarkAtoll(\w+)\(`, `--- FAIL: BenchmarkAtoll(\w+)`, `BenchmarkAtoll(\w+)(?:-\d+)?\s+0\s+NaN`} {
		if m := regexp.MustCompile(sign).FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}

// hottest returns the share of time of functions while the tests run, by name; without are words that leave out some of them.
func (l *Lab) hottest(ctx context.Context, p *goPackage, without []string) (map[string]float64, error) {
	script := `go test -trimpath -vet=off ` + shellWords(without) + ` -count=3 -cpuprofile="$TMPDIR/cpu" -o "$TMPDIR/tests" ./` + p.dir + ` >/dev/null 2>&1
go tool pprof -top -cum -nodecount=500 "$TMPDIR/tests" "$TMPDIR/cpu" 2>/dev/null`
	sample, err := l.Run(ctx, eval.Options{Command: []string{script}, Caches: []string{"go"}, Timeout: testPatience, Output: output.OutputFile}, false)
	if err != nil {
		return nil, err
	}
	return readTop(sample.Raw.Stdout), nil
}

// readTop reads the cumulative share of pprof -top by function name.
func readTop(stdout []byte) map[string]float64 {
	shares := map[string]float64{}
	eachShare(stdout, 4, func(name string, percent float64) {
		name = name[strings.LastIndexByte(name, '/')+1:]
		_, name, _ = strings.Cut(name, ".")
		shares[name] = max(shares[name], percent)
	})
	return shares
}

// goPackage is a package whose functions can be called with made-up arguments.
type goPackage struct {
	dir, name string
	funcs     []goFunc
	tests     []*ast.File
	texts     []string // of its tests
	numbers   []string
	calls     []testCall       // of its tests
	makers    map[string]maker // what makes a value of a type, by its name
}

// goFunc is a function, or a method of a type that has a maker.
type goFunc struct {
	name   string   // of its benchmark: that of a method begins with the type's
	call   string   // as it is called
	setup  string   // statements that make the receiver x, or receivers xs of which each call takes the next; "" = it has none
	hot    string   // as profiles name it
	params []string // kinds: string, []byte, []rune, int, float64, bool, nil, any, []string, []int, []float64
	takes  []parameter
	fails  bool  // it returns an error, too
	maker  maker // of the receivers; without a name where they are values of a list
	size   int   // of its body
	receiving
}

// busiestPackage is the package with the most functions that can be called; nil
// when no package has one.
func (l *Lab) busiestPackage() *goPackage {
	byDir := map[string]*goPackage{}
	types := map[string]map[string]string{}
	parsed := map[string]*ast.File{}
	for _, f := range l.Files {
		dir := path.Dir(f)
		if strings.Contains("/"+f, "/internal/") {
			continue
		}
		file := l.parsed(f, 0)
		if file == nil {
			continue
		}
		parsed[f] = file
		if byDir[dir] == nil {
			byDir[dir], types[dir] = &goPackage{dir: dir, makers: map[string]maker{}}, map[string]string{}
		}
		if strings.HasSuffix(f, "_test.go") {
			byDir[dir].tests = append(byDir[dir].tests, file)
			continue
		}
		byDir[dir].name = file.Name.Name
		namedTypes(file, types[dir])
	}
	for _, f := range l.Files {
		if parsed[f] != nil && !strings.HasSuffix(f, "_test.go") {
			byDir[path.Dir(f)].noteMakers(parsed[f], types[path.Dir(f)])
		}
	}
	var best *goPackage
	for _, f := range l.Files { // in order, so that the choice is the same every time
		file, dir := parsed[f], path.Dir(f)
		if file == nil || strings.HasSuffix(f, "_test.go") {
			continue
		}
		p := byDir[dir]
		p.functions(file, types[dir])
		if p.name != "main" && len(p.funcs) > 0 && (best == nil || len(p.funcs) > len(best.funcs)) {
			best = p
		}
	}
	if best != nil {
		best.readTests()
	}
	return best
}

// variableKind marks a kind that is a variable of the package, such as its
// default options.
const variableKind = "the variable "

// namedTypes notes what the names of a file stand for, where that is simple, and
// exported variables that hold a value of a type.
func namedTypes(file *ast.File, types map[string]string) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if ok && g.Tok == token.CONST {
			namedConstants(g, types)
		}
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if len(v.Names) != 1 || !v.Names[0].IsExported() || len(v.Values) != 1 {
				continue
			}
			t := v.Type
			if lit, ok := v.Values[0].(*ast.CompositeLit); ok && t == nil {
				t = lit.Type
			}
			if id, ok := t.(*ast.Ident); ok && types[id.Name] == "" {
				types[id.Name] = variableKind + v.Names[0].Name
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok && t.TypeParams == nil {
			if k := kindOf(t.Type, nil); k != "" && k != "nil" {
				types[t.Name.Name] = k
			}
		}
		return true
	})
}

// functions adds the exported functions and methods of a file that can be called.
func (p *goPackage) functions(file *ast.File, types map[string]string) {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !fn.Name.IsExported() || fn.Type.TypeParams != nil || fn.Type.Results.NumFields() == 0 {
			continue
		}
		f := goFunc{size: int(fn.Body.End() - fn.Body.Pos())}
		if !p.named(&f, fn, types) || fn.Recv != nil && accessor(fn.Body) {
			continue
		}
		params, data := kindsOf(fn, types)
		f.params, f.takes, f.fails = params, parametersOf(fn), returnsError(fn)
		if data || f.many() && len(params) == 0 {
			p.funcs = append(p.funcs, f)
		}
	}
}

// kindOf is what an argument of a type can be made of, "" when nothing.
func kindOf(e ast.Expr, types map[string]string) string {
	switch t := e.(type) {
	case *ast.Ident:
		switch t.Name {
		case "string", "bool":
			return t.Name
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune":
			return "int"
		case "float64", "float32":
			return "float64"
		case "any":
			return orElse(types[t.Name], anyKind)
		}
		return orElse(types[constantOf+t.Name], types[t.Name])
	case *ast.InterfaceType:
		if t.Methods.NumFields() == 0 {
			return anyKind
		}
	case *ast.StarExpr:
		return "nil"
	case *ast.Ellipsis:
		if k := kindOf(t.Elt, types); k == "string" || k == "int" || k == "float64" {
			return k
		}
	case *ast.ArrayType:
		if id, ok := t.Elt.(*ast.Ident); ok && t.Len == nil {
			switch id.Name {
			case "byte", "rune", "string", "int", "float64":
				return "[]" + id.Name
			}
		}
	}
	return ""
}

// order brings the hottest functions first, then the longest.
func (p *goPackage) order(shares map[string]float64) {
	sort.SliceStable(p.funcs, func(i, j int) bool {
		a, b := p.funcs[i], p.funcs[j]
		if shares[a.hot] != shares[b.hot] {
			return shares[a.hot] > shares[b.hot]
		}
		return a.size > b.size
	})
}

func (p *goPackage) names() []string {
	var list []string
	for _, f := range p.funcs {
		list = append(list, f.name)
	}
	return list
}

func (p *goPackage) remove(name string) bool {
	n := len(p.funcs)
	p.funcs = slices.DeleteFunc(p.funcs, func(f goFunc) bool { return f.name == name })
	return len(p.funcs) < n
}

// scaffold returns the files of the evaluator directory.
func (p *goPackage) scaffold(names []string, each string, runs int) map[string]string {
	words := p.command(names, each, runs)
	for i, w := range words {
		if strings.ContainsAny(w, "^$|()") {
			flag, value, _ := strings.Cut(w, "=")
			words[i] = flag + "='" + value + "'"
		}
	}
	return map[string]string{
		"bench_test.go.txt": p.source(names),
		"measure.sh": "# Lays the benchmarks of this folder into the candidate's tree and runs them.\nset -e\n" +
			p.laying() + "exec " + strings.Join(words, " ") + "\n",
	}
}

// laying is the line of shell that lays the benchmarks into a tree.
func (p *goPackage) laying() string {
	return fmt.Sprintf("cp \"$ATOLL_EVAL_DIR/bench_test.go.txt\" %q\n", path.Join(p.dir, "atoll_bench_test.go"))
}

// command runs the benchmarks that were laid.
func (p *goPackage) command(names []string, each string, runs int) []string {
	var all []string
	for _, n := range names {
		all = append(all, "Atoll"+n)
	}
	return []string{
		"go", "test", "-trimpath", "-vet=off", "-run=^$", "-bench=^Benchmark(" + strings.Join(all, "|") + ")$", "-benchmem", "-cpu=1",
		"-benchtime=" + each, fmt.Sprintf("-count=%d", runs), "./" + p.dir,
	}
}

// argument is an expression for the n-th parameter; i is the number of the call.
func argument(kind string, n int) string {
	if name, ok := strings.CutPrefix(kind, variableKind); ok {
		return name
	}
	at := func(list string) string { return fmt.Sprintf("%s[(i*%d+%d)%%len(%s)]", list, 2*n+1, n, list) }
	switch kind {
	case "string":
		return at("atollTexts")
	case "[]byte":
		return "[]byte(" + at("atollTexts") + ")"
	case "[]rune":
		return "[]rune(" + at("atollTexts") + ")"
	case "float64":
		return at("atollNumbers")
	case "int":
		return strconv.Itoa(3 + 4*n)
	case "bool":
		return "i%2 == 0"
	case anyKind:
		return at("atollAny")
	case "[]string":
		return "atollTexts"
	case "[]float64":
		return "atollNumbers"
	case "[]int":
		return "atollInts"
	}
	return "nil"
}
