package survey

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/eval"
	"atoll/engine/eval/output"
)

// The bounds of the functions that are worth a target of their own.
const (
	mostHot  = 10
	leastHot = 0.02 // of the time of the benchmarks
	coldPart = 0.15 // weight of the rest of the scope
)

// hot is a function of the module with its share of the time of the benchmarks,
// what it calls outside of the module included.
type hot struct {
	file, symbol string
	share        float64
}

// goTargets profiles the chosen benchmarks and makes targets of the functions in
// which they spend their time. What cannot be profiled has no targets. Command is
// go test with the benchmarks; before, which may be empty, is a line of shell that
// lays down what they need.
func (s *survey) goTargets(ctx context.Context, before string, command, packages []string) error {
	module, err := s.module.importPath(ctx)
	if err != nil {
		return nil
	}
	shares, all := map[string]float64{}, time.Duration(0)
	for _, p := range packages {
		s.doing(profilePatience, "profiling the benchmarks of %s", p)
		found, sampled, err := s.profile(ctx, before, command, p, module)
		if err != nil {
			return err
		}
		all += sampled
		for name, share := range found {
			shares[name] += share / float64(len(packages))
		}
	}
	where := "where the time goes"
	if all < littleSampled {
		where += fmt.Sprintf(", roughly, as the profiler saw no more than %s of it", all)
	}
	s.targets(s.Lab.locate(shares, module), where)
	if names := s.Lab.hotAssembly(shares); len(names) > 0 {
		note(s, "time that is spent in assembly, which is out of gate.scope: "+someOf(names, 6))
	}
	return nil
}

// merged are functions by what they are called, the hottest first: two that have one name in
// one file are one.
func merged(list []hot) []hot {
	var out []hot
	for _, h := range list {
		i := slices.IndexFunc(out, func(o hot) bool { return o.file == h.file && o.symbol == h.symbol })
		if i < 0 {
			out = append(out, h)
			continue
		}
		out[i].share += h.share
	}
	slices.SortStableFunc(out, func(a, b hot) int { return cmp.Compare(b.share, a.share) })
	return out
}

// elsewhereName is the target for what is not hot.
const elsewhereName = "(elsewhere)"

// rescope gives the target for what is not hot the scope as it is in the end.
func rescope(targets []config.Target, scope []string) {
	for i := range targets {
		if t := &targets[i]; t.Name == elsewhereName {
			t.Files = scope
		}
	}
}

// targets proposes targets by the share of the time that is spent in them, and says where that goes in the words given.
func (s *survey) targets(list []hot, where string) {
	if len(list) == 0 {
		return
	}
	var told []string
	for _, h := range merged(list) {
		name := h.symbol
		if slices.ContainsFunc(s.m.Targets, func(t config.Target) bool { return t.Name == name }) {
			name += " in " + h.file
		}
		s.m.Targets = append(s.m.Targets, config.Target{
			Name: name, Files: []string{h.file}, Symbol: h.symbol, Weight: math.Round(100*h.share) / 100,
			Hint: fmt.Sprintf("%.0f %% of the time of the benchmarks is spent here.", 100*h.share),
		})
		told = append(told, fmt.Sprintf("%s %.0f %%", h.symbol, 100*h.share))
	}
	s.m.Targets = append(s.m.Targets, config.Target{Name: elsewhereName, Files: s.d.Scope, Weight: coldPart})
	s.Say(where + ": " + someOf(told, 6))
}

const (
	// profilePatience bounds a profile of the benchmarks of one package.
	profilePatience = time.Minute
	// littleSampled is a time in which the profiler of Go, which looks each 10 ms, sees a share of 20 % as one of 14 to 26 % at best.
	littleSampled = 400 * time.Millisecond
)

// profile returns the part of the time of a package's benchmarks that each function of the module takes, by its linker
// name, and how much time was sampled. A few benchmarks run for longer, as little is seen of them in a short time.
func (s *survey) profile(ctx context.Context, before string, command []string, pkg, module string) (shares map[string]float64, sampled time.Duration, err error) {
	for _, each := range []string{"200ms", "1s"} {
		shares, sampled, err = profileFor(ctx, s, each, before, command, pkg, module)
		if err != nil || sampled == 0 || sampled >= littleSampled {
			break
		}
	}
	return shares, sampled, err
}

// profileFor is profile with so much time for each benchmark.
func profileFor(ctx context.Context, s *survey, each, before string, command []string, pkg, module string) (map[string]float64, time.Duration, error) {
	var words []string
	for _, w := range command {
		if slices.Contains(packagesIn(command), w) || strings.HasPrefix(w, "-count") {
			continue
		}
		words = append(words, w)
	}
	script := before + shellWords(words) + ` -benchtime=` + each + ` -cpuprofile="$TMPDIR/cpu" -o "$TMPDIR/tests" '` + pkg + `' >/dev/null 2>&1
go tool pprof -top -flat -nodecount=200 -show='^` + regexp.QuoteMeta(module) + `[./]' "$TMPDIR/tests" "$TMPDIR/cpu" 2>/dev/null`
	sample, err := s.Lab.Run(ctx, eval.Options{Command: []string{script}, Caches: []string{"go"}, Dir: s.Lab.folderOf(s.scaffold), Timeout: profilePatience, Output: output.OutputFile}, false)
	if err != nil {
		return nil, 0, err
	}
	return readFlat(sample.Raw.Stdout), readSampled(sample.Raw.Stdout), nil
}

var totalSamples = regexp.MustCompile(`Total samples = ([0-9.]+(?:ms|s|mins))`)

// readSampled reads of pprof -top how much time was sampled; 0: nothing was, or it does not say.
func readSampled(stdout []byte) time.Duration {
	m := totalSamples.FindSubmatch(stdout)
	if m == nil {
		return 0
	}
	d, err := time.ParseDuration(strings.Replace(string(m[1]), "mins", "m", 1))
	if err != nil {
		return 0
	}
	return d
}

// shellWords are words of a command as a shell reads them again.
func shellWords(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(list, " ")
}

// packagesIn are the packages that a go test command names: its last words.
func packagesIn(command []string) []string {
	i := len(command)
	for i > 2 && !strings.HasPrefix(command[i-1], "-") {
		i--
	}
	return command[i:]
}

// readFlat reads the flat shares of pprof -top by the names of functions,
// closures counted to the function that they are in.
func readFlat(stdout []byte) map[string]float64 {
	shares := map[string]float64{}
	eachShare(stdout, 1, func(name string, percent float64) {
		shares[closure.ReplaceAllString(name, "")] += percent / 100
	})
	return shares
}

// generic is the name of a function in a profile without the types of an instance of it: pprof writes
// (*Set[go.shape.int,go.shape.struct { X int }]).Add of (*Set).Add.
func generic(name string) string {
	var b strings.Builder
	depth := 0
	for _, c := range name {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// eachShare tells the rows of pprof -top: the name of a function, that of a generic one once for each of its
// instances, and the percent that stand in a column.
func eachShare(stdout []byte, column int, fn func(name string, percent float64)) {
	for l := range strings.Lines(string(stdout)) {
		f := strings.Fields(l)
		if len(f) < 6 || !strings.HasSuffix(f[column], "%") {
			continue
		}
		if percent, err := strconv.ParseFloat(strings.TrimSuffix(f[column], "%"), 64); err == nil {
			fn(generic(strings.TrimSuffix(strings.Join(f[5:], " "), " (inline)")), percent)
		}
	}
}

var closure = regexp.MustCompile(`(\.func\d+|\.\d+|-range\d+)+$`)

// locate finds the functions of a profile in the files that may change.
func (l *Lab) locate(shares map[string]float64, module string) []hot {
	var list []hot
	for _, f := range l.Files {
		if path.Ext(f) != ".go" || strings.HasSuffix(f, "_test.go") {
			continue
		}
		pkg := module
		if dir := path.Dir(f); dir != "." {
			pkg += "/" + dir
		}
		if !anyPrefix(shares, pkg+".") {
			continue
		}
		file := l.parsed(f, 0)
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			linked, symbol := goNames(fn)
			if share := shares[pkg+"."+linked]; share >= leastHot {
				list = append(list, hot{f, symbol, share})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b hot) int { return int(1e6*b.share) - int(1e6*a.share) })
	return list[:min(len(list), mostHot)]
}

func anyPrefix(shares map[string]float64, prefix string) bool {
	for name := range shares {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// goNames are the names of a function for the linker and for a target: (*T).M and
// T.M of a method.
func goNames(fn *ast.FuncDecl) (linked, symbol string) {
	name := fn.Name.Name
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return name, name
	}
	t, star := fn.Recv.List[0].Type, false
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, star = x.X, true
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			if star {
				return "(*" + x.Name + ")." + name, x.Name + "." + name
			}
			return x.Name + "." + name, x.Name + "." + name
		default:
			return name, name
		}
	}
}
