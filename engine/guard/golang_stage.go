package guard

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atoll/store/record"
)

// A test of Go is played as it is written, but for what is put in on its own lines: literals go through
// probe.Literal, which may give another value, and what calls of the module give goes through probe.Seen.

// stager rewrites the tests of a package.
type stager struct {
	*typing
	probe   string // import path
	files   []*testFile
	decls   map[string]*testDecl
	blind   map[string]bool     // lines, "kit_test.go:12", that do not compile with what is put in
	count   int                 // of literals
	laid    map[string][]string // lines of the files as they were rewritten last, by their names
	fixed   map[string]bool     // files whose variables stay as they are
	program bool                // its callers are its tests
	chosen  []script            // that are played
}

// testFile is a file of tests.
type testFile struct {
	name  string
	data  []byte
	file  *ast.File
	wraps []wrap
	names map[string]string // of packages that it imports, by path
}

// testDecl is a declaration of the tests: a function with its methods under one name, or a variable.
type testDecl struct {
	mentions map[string]bool
	literals []int
}

// wrap puts something before and behind a part of a file. A number above 0 is that of a literal.
type wrap struct {
	from, to    int // offsets
	line        int
	open, close string
	literal     int
	register    string // what tells the probe of it: "Literal"
	value       string // how it is told, as it is written
}

// newStager reads the tests of a package; nil where there are none.
func newStager(m *goModule, p *goPackage, read func(string) []byte) *stager {
	s := &stager{typing: newTyping(m, read), probe: p.path + "/" + probeDir, program: p.name == "main", decls: map[string]*testDecl{}, blind: map[string]bool{}, laid: map[string][]string{}, fixed: map[string]bool{}}
	var outside []*ast.File
	inside := s.sources(p)
	for _, name := range p.builtTests {
		f := s.parse(name)
		if f == nil {
			continue
		}
		s.files = append(s.files, &testFile{name: name, data: read(name), file: f, names: map[string]string{}})
		if strings.HasSuffix(f.Name.Name, "_test") {
			outside = append(outside, f)
		} else {
			inside = append(inside, f)
		}
	}
	if len(s.files) == 0 {
		return nil
	}
	s.check(p.path, inside)
	if len(outside) > 0 {
		s.check(p.path+"_test", outside)
	}
	for _, f := range s.files {
		s.imports(f)
		f.names[s.pathOf(f, p)] = ""
		for _, d := range f.file.Decls {
			s.stage(f, d)
		}
	}
	return s
}

// pathOf is the import path of the package of a file of tests.
func (s *stager) pathOf(f *testFile, p *goPackage) string {
	if strings.HasSuffix(f.file.Name.Name, "_test") {
		return p.path + "_test"
	}
	return p.path
}

// imports notes the names that a file has for packages; those of packages whose names it has without a dot are empty.
func (s *stager) imports(f *testFile) {
	for _, im := range f.file.Imports {
		importPath := strings.Trim(im.Path.Value, "`\"")
		switch pkg := s.done[importPath]; {
		case im.Name != nil && im.Name.Name == ".":
			f.names[importPath] = ""
		case im.Name != nil && im.Name.Name != "_":
			f.names[importPath] = im.Name.Name + "."
		case im.Name == nil && pkg != nil:
			f.names[importPath] = pkg.Name() + "."
		}
	}
}

// stage puts into a declaration what lets it be played.
func (s *stager) stage(f *testFile, d ast.Decl) {
	note := func(name string, n ast.Node, literals []int) {
		t := s.decls[name]
		if t == nil {
			t = &testDecl{mentions: map[string]bool{}}
			s.decls[name] = t
		}
		for m := range mentions(n) {
			t.mentions[m] = true
		}
		t.literals = append(t.literals, literals...)
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if of := receiverName(d); of != "" {
			name = of
		}
		if d.Name.Name == "TestMain" && d.Recv == nil {
			f.wraps = append(f.wraps, wrap{from: s.offset(d.Name.Pos()), to: s.offset(d.Name.Pos()), open: "atollGuard"})
		}
		note(name, d, s.put(f, d))
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				note(spec.Name.Name, spec, nil)
			case *ast.ValueSpec:
				var literals []int
				if d.Tok == token.VAR {
					literals = s.put(f, spec)
				}
				for _, name := range spec.Names {
					note(name.Name, spec, literals)
				}
			}
		}
	}
}

func (s *stager) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// put wraps literals and calls in a part of a file, and gives the numbers of the literals.
func (s *stager) put(f *testFile, n ast.Node) []int {
	w := &staging{stager: s, f: f, still: map[ast.Node]bool{}}
	ast.Inspect(n, w.visit)
	return w.literals
}

// changes are the rewritten files, with what registers them and the chosen tests.
func (s *stager) changes() []record.Change {
	var out []record.Change
	for _, f := range s.files {
		text := slices.Concat(s.rendered(f, 0, len(f.data)), []byte("\n\n"), s.registered(f))
		s.laid[path.Base(f.name)] = strings.Split(string(text), "\n")
		header := fmt.Sprintf("//go:build go1.%d\n\n//line %s:1\n", s.language(f), path.Base(f.name))
		out = append(out, record.Change{Path: f.name, Mode: record.Regular, Data: append([]byte(header), text...)})
	}
	return out
}

// language is the version of Go that a rewritten file is written in: that of the module or of its own constraint, or the first one that has all
// that is put in.
func (s *stager) language(f *testFile) int {
	const first = 22
	header := f.data[:s.offset(f.file.Package)]
	return max(first, minorOf(languageOfModule, s.read(path.Join(s.m.dir, "go.mod"))), minorOf(languageOfFile, header))
}

// minorOf is the version that an expression finds in a text; 0 where it finds none.
func minorOf(re *regexp.Regexp, text []byte) int {
	if m := re.FindSubmatch(text); m != nil {
		if n, err := strconv.Atoi(string(m[1])); err == nil {
			return n
		}
	}
	return 0
}

var (
	languageOfModule = regexp.MustCompile(`(?m)^go 1\.(\d+)`)
	languageOfFile   = regexp.MustCompile(`(?m)^//go:build .*\bgo1\.(\d+)`)
)

// rendered is a part of a file with what is put in.
func (s *stager) rendered(f *testFile, from, to int) []byte {
	type piece struct {
		at, order int
		text      string
	}
	var pieces []piece
	for i, w := range f.wraps {
		if w.from < from || w.to > to || s.blind[f.line(w)] {
			continue
		}
		pieces = append(pieces, piece{w.from, i + 1, w.open})
		if w.close != "" {
			pieces = append(pieces, piece{w.to, -i - 1, w.close}) // what was begun last ends first
		}
	}
	slices.SortStableFunc(pieces, func(a, b piece) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return a.order - b.order
	})
	data := withoutConstraints(f.data, s.offset(f.file.Package))
	var b bytes.Buffer
	at := from
	put := func(to int) {
		if end := s.offset(f.file.Name.End()); at <= end && end < to {
			b.Write(data[at:end])
			fmt.Fprintf(&b, "; import atollguard %q", s.probe)
			at = end
		}
		b.Write(data[at:to])
		at = to
	}
	for _, p := range pieces {
		put(p.at)
		b.WriteString(p.text)
	}
	put(to)
	return b.Bytes()
}

// withoutConstraints has what stands before the package clause without its build constraints, which hold here.
func withoutConstraints(data []byte, end int) []byte {
	var out []byte
	for line := range bytes.Lines(data[:end]) {
		if bytes.HasPrefix(line, []byte("//go:build")) || bytes.HasPrefix(line, []byte("// +build")) || bytes.HasPrefix(line, []byte("//+build")) {
			line = append(append([]byte("//"), bytes.Repeat([]byte{' '}, len(line)-3)...), '\n')
		}
		out = append(out, line...)
	}
	return append(out, data[end:]...)
}

// registered is what tells the probe of the literals, variables and tests of a file.
func (s *stager) registered(f *testFile) []byte {
	var b bytes.Buffer
	b.WriteString("var _ = atollguard.Fell\n\nfunc init() {\n")
	for _, w := range f.wraps {
		if w.literal > 0 && !s.blind[f.line(w)] {
			fmt.Fprintf(&b, "\tatollguard.Register%s(%d, %q, %s)\n", w.register, w.literal, f.line(w), w.value)
		}
	}
	for _, d := range f.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || s.fixed[path.Base(f.name)] {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
				s.refilled(&b, f, v)
			}
		}
	}
	for _, t := range s.chosen {
		if t.file == f {
			fmt.Fprintf(&b, "\tatollguard.%s(%q, %s", t.register, t.name, t.name)
			for _, n := range t.literals {
				fmt.Fprintf(&b, ", %d", n)
			}
			b.WriteString(")\n")
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// lasting are packages of which a variable holds something that is there once.
var lasting = []string{"flag", "os", "net", "httptest", "exec", "sql", "sync"}

// begins reports a value that must not be made twice, or is a function.
func begins(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || n == x
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				if id, ok := sel.X.(*ast.Ident); ok && slices.Contains(lasting, id.Name) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// refilled has variables of the tests, which are made of literals, made anew.
func (s *stager) refilled(b *bytes.Buffer, f *testFile, v *ast.ValueSpec) {
	for i, x := range v.Values {
		if v.Names[i].Name == "_" || begins(x) {
			continue
		}
		from, to := s.offset(x.Pos()), s.offset(x.End())
		if slices.ContainsFunc(f.wraps, func(w wrap) bool { return w.literal > 0 && w.from >= from && w.to <= to }) {
			fmt.Fprintf(b, "\tatollguard.RegisterVariable(func() { %s = %s })\n", v.Names[i].Name, s.rendered(f, from, to))
		}
	}
}

// registering is a line that tells the probe of a part.
var registering = regexp.MustCompile(`^\tatollguard\.Register\w+\(\d+, "([^"]+)", `)

// blame leaves out what was put in on lines that the compiler refused, and reports whether there was anything. Where none of them has
// something, the variables of their files stay as they are.
func (s *stager) blame(output string) bool {
	found := false
	files := map[string]bool{}
	for _, match := range sourceError.FindAllStringSubmatch(output, -1) {
		lines, n := s.laid[match[1]], 0
		if n, _ = strconv.Atoi(match[2]); n < 1 || n > len(lines) {
			continue
		}
		files[match[1]] = true
		at := match[1] + ":" + match[2]
		if m := registering.FindStringSubmatch(lines[n-1]); m != nil {
			at = m[1]
		}
		if !s.blind[at] && s.puts(at) {
			s.blind[at], found = true, true
		}
	}
	for name := range files {
		if !found && !s.fixed[name] {
			s.fixed[name], found = true, true
		}
	}
	return found
}

// puts reports a line on which something was put in.
func (s *stager) puts(at string) bool {
	return slices.ContainsFunc(s.files, func(f *testFile) bool {
		return slices.ContainsFunc(f.wraps, func(w wrap) bool { return f.line(w) == at })
	})
}

// line is where something is put in: "kit_test.go:12".
func (f *testFile) line(w wrap) string { return fmt.Sprintf("%s:%d", path.Base(f.name), w.line) }

// written is how a file writes a type; "" where it cannot.
func (f *testFile) written(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		switch {
		case t.Kind() == types.UntypedString:
			return "string"
		case t.Info()&types.IsUntyped == 0 && t.Info()&(types.IsInteger|types.IsFloat|types.IsString|types.IsBoolean) != 0:
			return t.Name()
		}
	case *types.Named:
		if t.TypeArgs().Len() > 0 || t.Obj().Pkg() == nil || t.Obj().Parent() != t.Obj().Pkg().Scope() {
			return ""
		}
		if name, ok := f.names[t.Obj().Pkg().Path()]; ok {
			return name + t.Obj().Name()
		}
	}
	return ""
}
