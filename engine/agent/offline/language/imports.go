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
		cuts = append(cuts, lineOf(src, fset.Position(declOf(f, spec).Pos()).Offset, fset.Position(declOf(f, spec).End()).Offset))
	}
	text := ""
	for _, spec := range theirs.Imports {
		if name := importName(spec); name != "" && used[name] && !have[name] {
			have[name] = true
			text += "import "
			if spec.Name != nil {
				text += spec.Name.Name + " "
			}
			text += spec.Path.Value + "\n"
		}
	}
	if text == "" && len(cuts) == 0 {
		return src
	}
	return addImports(cutOut(src, cuts), text)
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

// addImports puts import declarations into the first group of imports, else
// behind the package clause.
func addImports(src []byte, text string) []byte {
	if text == "" {
		return src
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	at := fset.Position(f.Name.End()).Offset
	text = "\n\n" + strings.TrimSuffix(text, "\n")
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Lparen.IsValid() {
			at = fset.Position(g.Lparen).Offset + 1
			text = strings.ReplaceAll(text[1:], "import ", "\t")
			break
		}
	}
	return bytes.Join([][]byte{src[:at], src[at:]}, []byte(text))
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

// lineOf widens a stretch to its whole line where nothing else stands in it.
func lineOf(src []byte, from, to int) [2]int {
	start, end := LineAt(src, from)[0], LineAt(src, to)[1]
	if len(bytes.TrimSpace(src[start:from])) == 0 && len(bytes.TrimSpace(src[to:end])) == 0 {
		return [2]int{start, end}
	}
	return [2]int{from, to}
}
