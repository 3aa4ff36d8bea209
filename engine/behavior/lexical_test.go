package behavior_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"atoll/engine/behavior"
)

func embed(path, text string) []float32 { return behavior.NewLexical().Embed(path, []byte(text)) }

func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

func TestWhatCountsInAFile(t *testing.T) {
	base := "x := alpha*0.5 + run(3)\nif x < limit { return x }\n"
	for _, tt := range []struct {
		name, path, a, b string
		same             bool
	}{
		{"white space does not", "a.go", base, "x  :=\talpha * 0.5 +\n\n run( 3 )\nif x < limit {\n return x\n}", true},
		{"a comment does not", "a.go", base, "// alpha beta\n" + base + "/* gamma\n delta */", true},
		{"a comment of another language does", "a.py", "x = 1\n", "x = 1 // 7\n", false},
		{"a hash comment does not in Python", "a.py", "x = 1\n", "# why\nx = 1 # because\n", true},
		{"documentation does not in Python", "a.py", "def f():\n  return 1\n", "def f():\n  \"\"\"Say it's so.\"\"\"\n  return 1\n", true},
		{"a text does in Python", "a.py", "x = f('a')\n", "x = f(\"\"\"b\"\"\")\n", false},
		{"a preprocessor line does in C", "a.c", "int x;\n", "#define y\nint x;\n", false},
		{"// within a string is no comment", "a.go", "s := \"http://\" + alpha", "s := \"http://\" + beta", false},
		{"an apostrophe in Rust opens nothing", "a.rs", "fn f<'a>(x: &'a str) { g(1) }", "fn f<'a>(x: &'a str) { g(1) } // 'tis", true},
		{"an operator does", "a.go", base, strings.Replace(base, "<", "<=", 1), false},
		{"a name does", "a.go", base, strings.Replace(base, "limit", "bound", 1), false},
		{"the way a name is written does not", "a.go", "parseHTTPRequest()", "parse_http_request()", true},
		{"a number does", "a.go", base, strings.Replace(base, "0.5", "0.52", 1), false},
		{"the sign of a number does", "a.go", "x = f(-3)", "x = f(3)", false},
		{"how a number is written does not", "a.go", "x = 1000", "x = 1_000.0", true},
		{"a hexadecimal number is one", "a.go", "x = 0xff", "x = 255", true},
		{"an exponent is part of a number", "a.go", "x = 1.5e-3", "x = 0.0015", true},
		{"order does a little", "a.go", "aa bb cc", "cc bb aa", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := distance(embed(tt.path, tt.a), embed(tt.path, tt.b))
			if (d == 0) != tt.same {
				t.Errorf("distance %v", d)
			}
		})
	}
}

func TestSmallChangesOfANumberMoveALittle(t *testing.T) {
	at := func(f float64) []float32 { return embed("a.go", fmt.Sprintf("rate := %g\nsteps := 40\n", f)) }
	base := at(0.60)
	last := 0.0
	for _, f := range []float64{0.606, 0.63, 0.70, 0.9, 3, 300} {
		d := distance(base, at(f))
		if d <= last {
			t.Errorf("0.6 to %v lies %v away, no more than a smaller change (%v)", f, d, last)
		}
		last = d
	}
	if small, word := distance(base, at(0.606)), distance(base, embed("a.go", "speed := 0.6\nsteps := 40\n")); small > word/4 {
		t.Errorf("a hundredth of a number (%v) weighs as much as a name (%v)", small, word)
	}
}

func TestSumsOfVectorsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	l := behavior.NewLexical()
	file := func() []float32 {
		var b strings.Builder
		for range 50 {
			fmt.Fprintf(&b, "name%d = %g\n", rng.IntN(99), rng.Float64())
		}
		return l.Embed("a.py", []byte(b.String()))
	}
	var files [][]float32
	for range 300 {
		files = append(files, file())
	}
	root := behavior.Combine(nil, nil, files)
	v, live := root, append([][]float32{}, files...)
	for range 500 { // a lineage
		i, f := rng.IntN(len(live)), file()
		v = behavior.Combine(v, [][]float32{live[i]}, [][]float32{f})
		live[i] = f
	}
	if fresh := behavior.Combine(nil, nil, live); !reflect.DeepEqual(fresh, v) {
		t.Errorf("the vector of a lineage drifted by %v", distance(fresh, v))
	}
	if got := behavior.Combine(nil, nil, nil); len(got) != 0 {
		t.Errorf("nothing gave %d dimensions", len(got))
	}
}

func TestVectorsDoNotDependOnWhatElseIsEmbedded(t *testing.T) {
	l := behavior.NewLexical()
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = strings.Repeat(fmt.Sprintf("f%d(x, %d) + ", i, i), i+1)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, s := range texts {
				if got := l.Embed("a.go", []byte(s)); !reflect.DeepEqual(got, embed("a.go", s)) {
					t.Errorf("text %d differs", i)
				}
			}
		})
	}
	wg.Wait()
	if l.Dims() != len(embed("a.go", "")) || l.ID() == "" {
		t.Error("the vectors have another length than it says")
	}
	if l.Key("a/b.go") != l.Key("x.rs") || l.Key("a.go") == l.Key("a.py") {
		t.Error("keys do not follow the comment style")
	}
}

// A repository of many files of which candidates change two literals of one
// file: the map must still spread them, by those literals.
func TestLiteralsOfOneFileSpreadInALargeRepository(t *testing.T) {
	l := behavior.NewLexical()
	rng := rand.New(rand.NewPCG(5, 5))
	var rest [][]float32
	for i := range 400 {
		var b strings.Builder
		for j := range 60 {
			fmt.Fprintf(&b, "func f%d_%d(a int) int { return a*%d + other%d(a) }\n", i, j, rng.IntN(100), rng.IntN(500))
		}
		v := l.Embed("x.go", []byte(b.String()))
		for range 50 { // as large as 20,000 files
			rest = append(rest, v)
		}
	}
	source := func(cooling, moves float64) string {
		return fmt.Sprintf("func anneal() {\n\ttemperature := 100.0\n\tfor i := 0; i < 1000; i++ {\n\t\ttemperature *= cooling(%g)\n\t\tmove(%g)\n\t}\n}\n", cooling, moves)
	}
	old := l.Embed("anneal.go", []byte(source(0.5, 8)))
	root := behavior.Combine(nil, nil, append(rest, old))
	var vectors [][]float32
	var params [][2]float64
	var words behavior.Vocabulary
	for i := range 200 {
		p := [2]float64{0.5 * math.Exp(0.3*rng.NormFloat64()), 8 * math.Exp(0.2*rng.NormFloat64())}
		if i == 0 {
			p = [2]float64{0.5, 8}
		}
		text := source(p[0], p[1])
		v := behavior.Combine(root, [][]float32{old}, [][]float32{l.Embed("anneal.go", []byte(text))})
		vectors, params = append(vectors, v), append(params, p)
		words.Add(v, []behavior.Document{{Path: "anneal.go", Data: []byte(text)}})
	}
	s, err := behavior.Fit(context.Background(), vectors, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[[2]int]bool{}
	for _, v := range vectors {
		p := s.Project(v)
		cells[[2]int{int(p[0] * 15.999), int(p[1] * 15.999)}] = true
	}
	if len(cells) < 80 {
		t.Errorf("200 candidates share %d of 256 cells", len(cells))
	}
	names := behavior.AxisNames(s, &words)
	t.Logf("%d cells; axes %q", len(cells), names)
	if all := strings.Join(names, " "); !strings.Contains(all, "cooling") || !strings.Contains(all, "move") {
		t.Errorf("the axes %q do not name what varies", names)
	}
	var sum, n [2]float64 // pairs with parameters near each other, and far apart
	for range 5000 {
		i, j := rng.IntN(200), rng.IntN(200)
		a, b := s.Raw(vectors[i]), s.Raw(vectors[j])
		q := math.Hypot(math.Log(params[i][0]/params[j][0])/0.3, math.Log(params[i][1]/params[j][1])/0.2)
		if k := 0; q < 0.5 || q > 2.5 {
			if q > 2.5 {
				k = 1
			}
			sum[k] += math.Hypot(a[0]-b[0], a[1]-b[1])
			n[k]++
		}
	}
	if near, far := sum[0]/n[0], sum[1]/n[1]; !(near*3 < far) {
		t.Errorf("near ones lie %v apart, far ones %v", near, far)
	}
}

func TestAxesAreNamedByTheWordsThatGoWithThem(t *testing.T) {
	l := behavior.NewLexical()
	rng := rand.New(rand.NewPCG(6, 6))
	var vectors [][]float32
	var words behavior.Vocabulary
	for i := range 120 {
		var b strings.Builder
		b.WriteString("def solve(items):\n    total = 0\n")
		if i%2 == 0 {
			b.WriteString(strings.Repeat("    heapSort(items)\n", 3))
		} else {
			b.WriteString(strings.Repeat("    linear_scan(items)\n", 3))
		}
		for range rng.IntN(4) {
			b.WriteString("    cache.lookup(key)\n")
		}
		fmt.Fprintf(&b, "    return total * %d\n", rng.IntN(3))
		v := l.Embed("solve.py", []byte(b.String()))
		vectors = append(vectors, v)
		words.Add(v, []behavior.Document{{Path: "solve.py", Data: []byte(b.String())}})
	}
	s, err := behavior.Fit(context.Background(), vectors, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	names := behavior.AxisNames(s, &words)
	t.Logf("%q", names)
	first, second := names[0], names[1]
	// The root, which sorts, lies at negative x.
	if plus, minus, ok := strings.Cut(first, " -"); !ok || !strings.Contains(plus, "scan") && !strings.Contains(plus, "linear") ||
		!strings.Contains(minus, "sort") && !strings.Contains(minus, "heap") {
		t.Errorf("the first axis is called %q", first)
	}
	if !strings.Contains(second, "cache") && !strings.Contains(second, "lookup") && !strings.Contains(second, "key") {
		t.Errorf("the second axis is called %q", second)
	}
	if got := behavior.AxisNames(s, nil); !reflect.DeepEqual(got, []string{"axis 1", "axis 2"}) {
		t.Errorf("without words: %q", got)
	}
}

func FuzzLexical(f *testing.F) {
	for _, s := range []string{"", "a", "'", "\"\\", "`", "/*", "0x", "1e", "1e+", "-", "-.5.", "\"\"\"", "x = 1.e5", "\xff\xfe", "#", "--", "1..2"} {
		f.Add("a.go", []byte(s))
		f.Add("a.py", []byte(s))
	}
	l := behavior.NewLexical()
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		a := l.Embed(path, content)
		for _, x := range a {
			if x != x || math.IsInf(float64(x), 0) {
				t.Fatalf("not finite: %v", x)
			}
		}
		if b := l.Embed(path, content); !reflect.DeepEqual(a, b) {
			t.Fatal("embedded again it is another vector")
		}
		var v behavior.Vocabulary
		v.Add(a, []behavior.Document{{Path: path, Data: content}})
	})
}

func BenchmarkLexical(b *testing.B) {
	text := []byte(strings.Repeat("func (s *scanner) number() token { from := s.pos + 0x1f; return parseNumber(s.src[from:], 10) }\n", 100))
	l := behavior.NewLexical()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		l.Embed("a.go", text)
	}
}

func TestANumberIsNamedAfterItsTableAndNotAfterATypeOrAKeyword(t *testing.T) {
	l := behavior.NewLexical()
	rng := rand.New(rand.NewPCG(7, 7))
	var vectors [][]float32
	var words behavior.Vocabulary
	for range 120 {
		text := fmt.Sprintf("package p\n\nvar worth = [3]float64{0, %d, 7}\n\nfunc of() int {\n\treturn %d\n}\n", 1<<rng.IntN(12), 1<<rng.IntN(5))
		v := l.Embed("p.go", []byte(text))
		vectors = append(vectors, v)
		words.Add(v, []behavior.Document{{Path: "p.go", Data: []byte(text)}})
	}
	s, err := behavior.Fit(context.Background(), vectors, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Join(behavior.AxisNames(s, &words), " | ")
	if !strings.Contains(names, "worth") || strings.Contains(names, "float") || strings.Contains(names, "return") {
		t.Errorf("the axes are called %s", names)
	}
}
