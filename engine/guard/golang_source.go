package guard

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// goModule is a module of the tree with the packages that build here.
type goModule struct {
	dir      string // "." for the top
	path     string
	packages map[string]*goPackage // by folder
}

// goPackage is what the sources of one folder say.
type goPackage struct {
	dir, path, name string
	files           []*ast.File
	names           []string // of the files, as in files
	tests           []*ast.File
	testNames       []string // every _test.go file of the folder
	builtTests      []string // those that build here, as in tests
	imports         map[string]bool
	decls           map[string]*goDecl
}

// goDecl is one declaration: "F", "T.M", "T".
type goDecl struct {
	name, receiver string
	text           string          // its tokens
	mentions       map[string]bool // identifiers
	fields         []string        // that it assigns
	variables      []string        // that it assigns; its own ones too
	values         map[string]bool // functions that it may name without calling them
	results        []string        // types of its package that it gives, of a function
	node           ast.Node
}

// moduleOf finds the module that a file belongs to; nil for none.
func moduleOf(v *view, name string) (dir, modulePath string, ok bool) {
	for dir = path.Dir(name); ; dir = path.Dir(dir) {
		if data := v.read(path.Join(dir, "go.mod")); data != nil {
			for line := range strings.Lines(string(data)) {
				if rest, found := strings.CutPrefix(strings.TrimSpace(line), "module"); found {
					if fields := strings.Fields(rest); len(fields) > 0 {
						return dir, strings.Trim(fields[0], `"`), true
					}
				}
			}
		}
		if dir == "." || dir == "/" {
			return "", "", false
		}
	}
}

// readModule parses the packages of a module.
func readModule(v *view, dir, modulePath string) *goModule {
	m := &goModule{dir: dir, path: modulePath, packages: map[string]*goPackage{}}
	byDir := map[string][]string{}
	nested := map[string]bool{}
	for _, f := range v.files {
		if path.Base(f) == "go.mod" && path.Dir(f) != dir && under(f, dir) {
			nested[path.Dir(f)] = true
		}
	}
	for _, f := range v.files {
		if strings.HasSuffix(f, ".go") && under(f, dir) && !ignored(f, dir, nested) {
			byDir[path.Dir(f)] = append(byDir[path.Dir(f)], f)
		}
	}
	ctx := build.Default
	ctx.CgoEnabled = true
	ctx.OpenFile = func(name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(v.read(strings.TrimPrefix(name, "/")))), nil
	}
	ctx.JoinPath = path.Join
	for d, files := range byDir {
		p := &goPackage{dir: d, path: modulePath, imports: map[string]bool{}, decls: map[string]*goDecl{}}
		if rel := strings.TrimPrefix(strings.TrimPrefix(d, dir), "/"); dir == "." && d != "." {
			p.path = modulePath + "/" + d
		} else if d != dir {
			p.path = modulePath + "/" + rel
		}
		for _, f := range files {
			test := strings.HasSuffix(f, "_test.go")
			if test {
				p.testNames = append(p.testNames, f)
			}
			if ok, err := ctx.MatchFile("/"+d, path.Base(f)); err != nil || !ok {
				continue
			}
			p.parse(f, v.read(f), test)
		}
		if len(p.files) > 0 {
			m.packages[d] = p
		}
	}
	return m
}

// ignored reports files that the go command leaves out.
func ignored(f, dir string, nested map[string]bool) bool {
	for d := path.Dir(f); d != dir && d != "."; d = path.Dir(d) {
		base := path.Base(d)
		if base == "testdata" || base == "vendor" || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || nested[d] {
			return true
		}
	}
	base := path.Base(f)
	return strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".")
}

func (p *goPackage) parse(name string, data []byte, test bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	if test {
		p.tests, p.builtTests = append(p.tests, file), append(p.builtTests, name)
		return
	}
	p.name = file.Name.Name
	p.files, p.names = append(p.files, file), append(p.names, name)
	for _, im := range file.Imports {
		p.imports[strings.Trim(im.Path.Value, "`\"")] = true
	}
	for _, d := range file.Decls {
		p.declare(fset, d, data)
	}
}

// declare notes a declaration by its name and tokens.
func (p *goPackage) declare(fset *token.FileSet, d ast.Decl, data []byte) {
	add := func(name, receiver string, n ast.Node) {
		key := name
		if receiver != "" {
			key = receiver + "." + name
		}
		from, to := fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset
		text := tokens(data[from:min(to, len(data))])
		if old := p.decls[key]; old != nil { // init, _
			text = old.text + "\n" + text
		}
		decl := &goDecl{name: name, receiver: receiver, text: text, mentions: mentions(n), node: n}
		decl.fields, decl.variables = assigned(n)
		decl.values, decl.results = uncalled(n), given(n)
		if old := p.decls[key]; old != nil { // another init, or another build tag
			maps.Copy(decl.mentions, old.mentions)
			decl.fields, decl.variables = append(decl.fields, old.fields...), append(decl.variables, old.variables...)
		}
		p.decls[key] = decl
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		add(d.Name.Name, receiverName(d), d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add(s.Name.Name, "", s)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					var whole ast.Node = s
					if d.Tok == token.CONST { // iota: a line depends on those before it
						whole = d
					}
					add(name.Name, "", whole)
				}
			}
		}
	}
}

// receiverName is the type of a method, "" for a function.
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// tokens is a source without comments and layout.
func tokens(src []byte) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(src)), src, func(token.Position, string) {}, 0)
	var b strings.Builder
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return b.String()
		case tok == token.SEMICOLON:
			lit = ";"
		case lit == "":
			lit = tok.String()
		}
		b.WriteString(lit)
		b.WriteByte(' ')
	}
}

func mentions(n ast.Node) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out[id.Name] = true
		}
		return true
	})
	return out
}

// assigned are the names of fields and variables that a declaration assigns.
func assigned(n ast.Node) (fields, variables []string) {
	var target func(x ast.Expr)
	target = func(x ast.Expr) {
		switch x := x.(type) {
		case *ast.Ident:
			variables = append(variables, x.Name)
		case *ast.SelectorExpr:
			fields = append(fields, x.Sel.Name)
		case *ast.IndexExpr:
			target(x.X)
		case *ast.StarExpr:
			target(x.X)
		case *ast.ParenExpr:
			target(x.X)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				target(x)
			}
		case *ast.IncDecStmt:
			target(n.X)
		}
		return true
	})
	return fields, variables
}

// implicit are methods that are called without their name being written: by fmt,
// sort, encoding and the like.
var implicit = []string{
	"String", "GoString", "Format", "Error", "Is", "As", "Unwrap", "Len", "Less", "Swap", "Push", "Pop", "Read", "Write", "Close",
	"ReadByte", "WriteByte", "ReadRune", "WriteString", "ReadFrom", "WriteTo", "Seek", "Scan", "Value", "ServeHTTP", "RoundTrip",
	"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary", "MarshalXML", "UnmarshalXML",
	"MarshalYAML", "UnmarshalYAML", "GobEncode", "GobDecode", "Set", "Next", "Int63", "Uint64", "Seed", "Done", "Err", "Deadline",
}

// affected are the names whose behaviour may differ between two versions of a
// module: what was changed, and by name all that mentions it. It errs towards
// too many. direct are the declarations that changed themselves.
func affected(was, is *goModule) (names, direct map[string]bool) {
	names, direct = map[string]bool{}, map[string]bool{}
	mark := func(d *goDecl, p *goPackage) {
		names[d.name] = true
		if d.receiver != "" && slices.Contains(implicit, d.name) {
			names[d.receiver] = true
		}
		for _, field := range d.fields {
			names[field] = true
		}
		for _, v := range d.variables {
			if p.decls[v] != nil {
				names[v] = true
			}
		}
		if d.name == "init" || d.name == "_" {
			for _, other := range p.decls {
				names[other.name] = true
			}
		}
	}
	for dir, p := range is.packages {
		old := was.packages[dir]
		for key, d := range p.decls {
			if old == nil || old.decls[key] == nil || old.decls[key].text != d.text {
				direct[key] = true
				mark(d, p)
			}
		}
	}
	for dir, p := range was.packages {
		now := is.packages[dir]
		for key, d := range p.decls {
			if now == nil || now.decls[key] == nil {
				mark(d, p)
			}
		}
	}
	for grown := len(names) > 0; grown; {
		grown = false
		for _, m := range []*goModule{was, is} {
			for _, p := range m.packages {
				for _, d := range p.decls {
					if !names[d.name] && overlaps(d.mentions, names) {
						mark(d, p)
						grown = true
					}
				}
			}
		}
	}
	return names, direct
}

func overlaps(a, b map[string]bool) bool {
	for name := range a {
		if b[name] && name != "_" {
			return true
		}
	}
	return false
}
