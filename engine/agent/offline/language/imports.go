package language

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// MendImports makes the imports of a Go file fit its text after parts of another
// version came into it: packages that the text names and that the other version
// imports are added, and those that nothing names any more are removed. Text that
// does not parse comes back as it is.
func MendImports(src, other []byte) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return src
	}
	theirs, err := parser.ParseFile(token.NewFileSet(), "", other, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	used := packagesNamed(f)
	have := map[string]bool{}
	var cuts [][2]int
	for _, spec := range f.Imports {
		name := importName(spec)
		have[name] = true
		if name == "" || used[name] {
			continue
		}
		cuts = append(cuts, WholeLines(src, fset.Position(declOf(f, spec).Pos()).Offset, fset.Position(declOf(f, spec).End()).Offset))
	}
	var specs []string
	for _, spec := range theirs.Imports {
		if name := importName(spec); name != "" && used[name] && !have[name] {
			have[name] = true
			text := spec.Path.Value
			if spec.Name != nil {
				text = spec.Name.Name + " " + text
			}
			specs = append(specs, text)
		}
	}
	return AddImports(cutOut(src, cuts), specs...)
}

// cutOut removes stretches that lie in order.
func cutOut(src []byte, cuts [][2]int) []byte {
	var out bytes.Buffer
	at := 0
	for _, c := range cuts {
		out.Write(src[at:c[0]])
		at = c[1]
	}
	out.Write(src[at:])
	return out.Bytes()
}

// AddImports puts imports where a person would: in the order of their paths among those
// of the first group that are of the standard library as they are, or not; a group is made
// where one import stands alone. A spec is written as in the file ("strconv", or s
// "strconv"). A text that does not parse comes back as it is.
func AddImports(src []byte, specs ...string) []byte {
	for _, spec := range specs {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution|parser.ImportsOnly)
		if err != nil {
			return src
		}
		at, text := placeOf(fset, f, src, spec)
		src = bytes.Join([][]byte{src[:at.from], src[at.to:]}, []byte(text))
	}
	return src
}

// stretch is bytes that are replaced.
type stretch struct{ from, to int }

// placeOf is what is written where for one more import.
func placeOf(fset *token.FileSet, f *ast.File, src []byte, spec string) (stretch, string) {
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		switch {
		case g.Lparen.IsValid() && len(g.Specs) > 0 && fset.Position(g.Lparen).Line < fset.Position(g.Specs[0].Pos()).Line:
			return inGroup(fset, g, src, spec)
		case g.Lparen.IsValid():
			at := offset(g.Lparen) + 1
			return stretch{at, at}, "\n\t" + spec + "\n"
		case g.Doc == nil && pathOf(g.Specs[0]) != "C":
			only := g.Specs[0].(*ast.ImportSpec)
			lines := []string{string(src[offset(only.Pos()):offset(only.End())]), spec}
			ours, theirs, between := standard(pathIn(spec)), standard(pathOf(only)), "\n\t"
			if ours != theirs {
				between = "\n\n\t"
			}
			if ours && !theirs || ours == theirs && pathIn(spec) < pathOf(only) {
				lines[0], lines[1] = lines[1], lines[0]
			}
			return stretch{offset(g.Pos()), offset(g.End())}, "import (\n\t" + lines[0] + between + lines[1] + "\n)"
		}
	}
	at := offset(f.Name.End())
	return stretch{at, at}, "\n\nimport " + spec
}

// inGroup is the place of an import in a group: a paragraph of its kind, the first or
// last line for a kind that has none.
func inGroup(fset *token.FileSet, g *ast.GenDecl, src []byte, spec string) (stretch, string) {
	kind, path := standard(pathIn(spec)), pathIn(spec)
	line := func(p token.Pos) [2]int { return LineAt(src, fset.Position(p).Offset) }
	after := -1 // the end of the last line of the paragraph
	for i, s := range g.Specs {
		is := s.(*ast.ImportSpec)
		if i > 0 && after >= 0 && fset.Position(is.Pos()).Line > fset.Position(g.Specs[i-1].End()).Line+1 && is.Doc == nil {
			break // the paragraph ends
		}
		if standard(pathOf(is)) != kind {
			continue
		}
		first := is.Pos()
		if is.Doc != nil {
			first = is.Doc.Pos()
		}
		if pathOf(is) > path {
			at := line(first)[0]
			return stretch{at, at}, "\t" + spec + "\n"
		}
		after = line(is.End())[1]
	}
	switch {
	case after >= 0:
		return stretch{after, after}, "\t" + spec + "\n"
	case kind:
		at := fset.Position(g.Lparen).Offset + 1
		return stretch{at, at}, "\n\t" + spec + "\n"
	}
	at := line(g.Rparen)[0]
	return stretch{at, at}, "\n\t" + spec + "\n"
}

// pathIn is the path of an import as it is written.
func pathIn(spec string) string {
	_, quoted, ok := strings.Cut(spec, " ")
	if !ok {
		quoted = spec
	}
	p, _ := strconv.Unquote(quoted)
	return p
}

func pathOf(spec ast.Spec) string {
	p, _ := strconv.Unquote(spec.(*ast.ImportSpec).Path.Value)
	return p
}

// standard reports a path of the standard library: its first element has no dot.
func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// packagesNamed are the names before a dot that no declaration of the file explains:
// those of packages, among others of the same package.
func packagesNamed(f *ast.File) map[string]bool {
	free := map[*ast.Ident]bool{}
	for _, id := range f.Unresolved {
		free[id] = true
	}
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && free[id] {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

var version = regexp.MustCompile(`^v\d+$`)

// importName is the name by which a file knows what it imports, as far as the path
// tells; "" where an import is for its effects or for all of its names.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		if spec.Name.Name == "_" || spec.Name.Name == "." {
			return ""
		}
		return spec.Name.Name
	}
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil || p == "C" {
		return ""
	}
	if version.MatchString(path.Base(p)) {
		p = path.Dir(p)
	}
	name, _, _ := strings.Cut(path.Base(p), ".v") // gopkg.in/yaml.v3
	return strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
}

// declOf is what has to go with an import: its whole declaration where it is alone.
func declOf(f *ast.File, spec *ast.ImportSpec) ast.Node {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && len(g.Specs) == 1 && g.Specs[0] == ast.Spec(spec) {
			return g
		}
	}
	return spec
}

// WholeLines widens a stretch to whole lines where nothing else stands in them.
func WholeLines(src []byte, from, to int) [2]int {
	start, end := LineAt(src, from)[0], LineAt(src, to)[1]
	if len(bytes.TrimSpace(src[start:from])) == 0 && len(bytes.TrimSpace(src[to:end])) == 0 {
		return [2]int{start, end}
	}
	return [2]int{from, to}
}
