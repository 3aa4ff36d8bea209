package survey

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// mostTexts bounds what is taken from the tests for all functions.
const mostTexts = 24

// readTests gathers the texts and numbers of the tests, and their calls.
func (p *goPackage) readTests() {
	r := readCalls(p.tests)
	p.calls = r.calls
	for _, file := range p.tests {
		p.literals(file)
	}
	names := r.onlyNames()
	p.texts = slices.DeleteFunc(p.texts, func(t string) bool { return names[t] })
	p.texts = withoutLong(p.texts[:min(len(p.texts), mostTexts)], func(t string) int { return len(t) })
}

// literals gathers texts and numbers of a test, but for those of messages.
func (p *goPackage) literals(file *ast.File) {
	told := messages(file)
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			switch {
			case told[x]:
			case x.Kind == token.STRING:
				if text, err := strconv.Unquote(x.Value); err == nil && len(text) > 2 && len(text) < 400 && !strings.Contains(text, "%") && !slices.Contains(p.texts, text) {
					p.texts = append(p.texts, text)
				}
			case x.Kind == token.FLOAT:
				if len(p.numbers) < mostTexts && !slices.Contains(p.numbers, x.Value) {
					p.numbers = append(p.numbers, x.Value)
				}
			}
		}
		return true
	})
}

// reporting are methods of what a test reports to whose texts only a person reads.
var reporting = []string{"Error", "Errorf", "Fatal", "Fatalf", "Log", "Logf", "Skip", "Skipf", "Run", "Check", "Assert"}

// messages are the literals of a test that only a person reads: what it reports, names of tests within it, formats and tags.
func messages(file *ast.File) map[*ast.BasicLit]bool {
	testers, told := testersOf(file), map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && f.Tag != nil {
			told[f.Tag] = true
		}
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		on, name := "", ""
		switch f := c.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			if id, ok := f.X.(*ast.Ident); ok {
				on, name = id.Name, f.Sel.Name
			}
		}
		args := c.Args
		switch {
		case testers[on] && slices.Contains(reporting, name), on == "" && name == "panic", on == "errors" && name == "New", on == "log", on == "fmt" && !strings.HasPrefix(name, "S"):
		case on == "fmt" && name == "Sprintf":
			args = args[:min(1, len(args))]
		default:
			return true
		}
		for _, a := range args {
			literalsIn(a, told)
		}
		return true
	})
	return told
}

// literalsIn notes a literal, or those that are put together; not what is within a call.
func literalsIn(e ast.Expr, told map[*ast.BasicLit]bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		told[e] = true
	case *ast.ParenExpr:
		literalsIn(e.X, told)
	case *ast.BinaryExpr:
		literalsIn(e.X, told)
		literalsIn(e.Y, told)
	}
}

// testersOf are the names that a file has for what a test reports to.
func testersOf(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncType); ok {
			for _, p := range flatParams(f.Params) {
				if isTester(p.Type) {
					names[p.Names[0].Name] = true
				}
			}
		}
		return true
	})
	return names
}

// forgetCalls takes the texts of all tests for each function. It reports false where that is so already.
func (p *goPackage) forgetCalls() bool {
	had := len(p.calls) > 0
	p.calls = nil
	return had
}

// source is the benchmark file: one operation calls a function with each of its inputs once, or with every text
// or number of the tests.
func (p *goPackage) source(names []string) string {
	var b strings.Builder
	listed := map[string]string{} // the name of a list by what it holds
	list := func(in *inputs) {
		if in == nil {
			return
		}
		text := in.list()
		if listed[text] == "" {
			listed[text] = in.name
			b.WriteString("\nvar " + in.name + " = " + text)
		}
		in.name = listed[text]
	}
	for _, f := range p.funcs {
		if !slices.Contains(names, f.name) {
			continue
		}
		if len(f.maker.params) > 0 {
			in := p.inputsOf(f.maker.name, f.maker.name, f.maker.params, f.maker.takes, f.maker.fails)
			list(in)
			f.setup = f.maker.receivers(in)
		}
		in := p.inputsOf(f.name, strings.TrimPrefix(f.call, "x"), f.params, f.takes, f.fails)
		list(in)
		b.WriteString(f.benchmark(in))
	}
	text := "// Benchmarks that atoll init made of the exported functions in which the tests\n// spend their time. measure.sh lays them beside the package. Edit them freely.\n\npackage " + p.name + "\n\nimport \"testing\"\n\n" + p.lists(b.String()) + b.String()
	if formed, err := format.Source([]byte(text)); err == nil {
		text = string(formed)
	}
	return text
}

// benchmark is that of a function, with inputs of its own or nil.
func (f goFunc) benchmark(in *inputs) string {
	head, args := "for i := range atollTexts {\n\t\t\t_ = i\n", arguments(f.params)
	if in != nil {
		head, args = in.loop(f.many()), in.arguments(f.params)
	}
	receiver := ""
	switch {
	case f.many() && len(f.params) == 0:
		head = "for _, x := range xs {\n"
	case f.many():
		receiver = "\t\t\tx := xs[i%len(xs)]\n"
	}
	if f.many() {
		f.setup += "\tif len(xs) == 0 {\n\t\tb.Skip(\"nothing was made\")\n\t}\n"
	}
	turn := head + receiver + "\t\t\t" + f.call + "(" + args + ")\n\t\t}\n"
	if f.receiving == making {
		turn = "_ = x\n"
		if f.many() {
			turn = "_ = xs\n"
		}
	}
	loop := "\tfor b.Loop() {\n"
	if f.receiving == kept {
		loop = f.setup + loop
	} else {
		loop += f.setup
	}
	return fmt.Sprintf("\nfunc BenchmarkAtoll%s(b *testing.B) {\n%s\t\t%s\t}\n}\n", f.name, loop, turn)
}

// lists are those of the texts and numbers that benchmarks name.
func (p *goPackage) lists(benchmarks string) string {
	texts := p.texts
	if len(texts) < 4 {
		texts = append(texts, "the quick brown fox", "jumps over", "the lazy dog", "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich")
	}
	numbers := p.numbers
	if len(numbers) < 4 {
		numbers = append(numbers, "1.5", "2.25", "3.125", "40.0", "512.5", "0.75", "9.0", "17.3")
	}
	var b strings.Builder
	anything := ""
	if strings.Contains(benchmarks, "atollAny[") {
		anything = anyValues
	}
	for _, l := range []struct{ name, text string }{
		{"atollTexts", "[]string{\n\t" + strings.Join(quotedAll(texts), ",\n\t") + ",\n}"},
		{"atollNumbers", "[]float64{" + strings.Join(numbers, ", ") + "}"},
		{"atollInts", "[]int{3, 1, 4, 15, 9, 2, 65, 35, 8, 97, 93, 23}"},
		{"atollWhole", "[]int{0, 1, 7, 42, 100, 999, 1024, 4096, 65537, 1048576, 12345678, 1073741824}"},
	} {
		if strings.Contains(anything+benchmarks, l.name) {
			b.WriteString("var " + l.name + " = " + l.text + "\n\n")
		}
	}
	return b.String() + anything
}

func quotedAll(texts []string) (list []string) {
	for _, t := range texts {
		list = append(list, strconv.Quote(t))
	}
	return list
}

// arguments are those of a call with texts and numbers of all tests.
func arguments(kinds []string) string {
	var args []string
	for i, k := range kinds {
		args = append(args, argument(k, i))
	}
	return strings.Join(args, ", ")
}
