package survey

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// majorVersion is the last element of the path of a module from its second version on.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// Signs of the path of a module in its own files, the surest last.
const (
	noSign    = iota
	likeSign  // an import of what is called like the package at the top, but for "go" before or behind it
	belowSign // an import of a folder of the tree
	saidSign  // the comment behind the package clause at the top
	ownSign   // what the tests of the package at the top import by its very name
)

// ownPath is the path by which the code imports its own packages: of another one the go command
// would fetch them, and tests would run what was fetched. Where no file tells it, it is the address of
// origin; "" where that tells nothing either.
func (m *goModule) ownPath() string {
	dirs := m.folders()
	files := m.parsed()
	top := packageAtTop(files)
	own, best := m.origin, noSign
	for _, f := range files {
		if f.said != "" && f.atTop() && best < saidSign {
			own, best = f.said, saidSign
		}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil || strings.Count(p, "/") < 2 { // host/owner/name
				continue
			}
			if module, sign := f.sign(p, top, dirs); sign > best {
				own, best = module, sign
			}
		}
	}
	return own
}

// sign is what an import of a file tells of the path of its module: which it is, and how sure that is. Top is
// the package at the top, dirs the folders below it.
func (f goSource) sign(imported, top string, dirs []string) (module string, sign int) {
	last := path.Base(imported)
	if majorVersion.MatchString(last) {
		last = path.Base(path.Dir(imported))
	}
	tested, external := strings.CutSuffix(f.Name.Name, "_test")
	if external && last == tested && f.atTop() {
		return imported, ownSign
	}
	for _, d := range dirs {
		if above, ok := strings.CutSuffix(imported, "/"+d); ok && strings.Count(above, "/") >= 2 {
			return above, belowSign
		}
	}
	if (external || !f.atTop()) && top != "" && plainName(last) == plainName(top) {
		return imported, likeSign
	}
	return "", noSign
}

// goSource is a file of Go with its path in the tree.
type goSource struct {
	*ast.File
	at   string
	said string // the path that its package says it is imported by, in a comment behind its clause
}

// atTop reports whether a file lies at the top of the tree.
func (f goSource) atTop() bool { return path.Dir(f.at) == "." }

// parsed are the files of Go of the tree, up to their imports.
func (m *goModule) parsed() (list []goSource) {
	for _, f := range m.lab.Files {
		if path.Ext(f) != ".go" || elsewhere(f) {
			continue
		}
		data, err := m.lab.Read(f)
		if err != nil {
			continue
		}
		set := token.NewFileSet()
		if file, err := parser.ParseFile(set, f, data, parser.ImportsOnly|parser.ParseComments); err == nil {
			list = append(list, goSource{file, f, importComment(set, file)})
		}
	}
	return list
}

// packageAtTop is the name of the package at the top, "" for none or a program.
func packageAtTop(files []goSource) string {
	for _, f := range files {
		if name := f.Name.Name; f.atTop() && name != "main" && !strings.HasSuffix(f.at, "_test.go") {
			return name
		}
	}
	return ""
}

// saysImport finds the path in a comment behind a package clause.
var saysImport = regexp.MustCompile(`^//\s*import\s+"([^"\s]+)"|^/\*\s*import\s+"([^"\s]+)"\s*\*/`)

// importComment is the path that a file says its package is imported by, "" for none.
func importComment(set *token.FileSet, f *ast.File) string {
	clause := set.Position(f.Name.End()).Line
	for _, group := range f.Comments {
		for _, c := range group.List {
			if found := saysImport.FindStringSubmatch(c.Text); found != nil && set.Position(c.Pos()).Line == clause {
				return found[1] + found[2]
			}
		}
	}
	return ""
}

// plainName is the name of a package as repositories are called after it: go-x, x-go and x.go hold x.
func plainName(name string) string {
	name = strings.ToLower(name)
	for _, mark := range []string{"-", ".", "_"} {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "go"+mark), mark+"go")
	}
	return strings.NewReplacer("-", "", ".", "", "_", "").Replace(name)
}
