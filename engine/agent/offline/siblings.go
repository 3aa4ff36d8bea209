package offline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"

	"atoll/engine/agent/offline/language"
)

// siblings reads the other files of a Go file's package. A package that is too
// large, or cannot be read, is checked one file at a time.
func (e *editing) siblings(s *language.Source) *language.GoSiblings {
	out := &language.GoSiblings{Fset: token.NewFileSet(), Elsewhere: func(name string) bool { return e.elsewhere(s, name) }}
	dir, files := path.Dir(s.Path()), e.base.Files()
	var names []string
	total := int64(0)
	for _, f := range inDir(files, dir) {
		if f.Path == s.Path() || path.Ext(f.Path) != ".go" || strings.HasSuffix(f.Path, "_test.go") || path.Dir(f.Path) != dir {
			continue
		}
		total += max(f.Size, 0)
		names = append(names, f.Path)
	}
	if len(names) > maxSiblings || total > maxSiblingBytes {
		out.Partial = true
		return out
	}
	for _, name := range names {
		data, err := e.base.Read(e.ctx, name)
		if err != nil {
			out.Partial = true
			continue
		}
		if total += int64(len(data)); total > 2*maxSiblingBytes {
			out.Partial = true
			break
		}
		f, err := parser.ParseFile(out.Fset, "", data, parser.SkipObjectResolution)
		if err != nil || f.Name.Name == "main" != (language.PackageName(s.Data) == "main") {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
		out.Files = append(out.Files, f)
	}
	return out
}

// elsewhere reports whether another file in the folder of a Go file holds a word, or may:
// one that is large or cannot be read.
func (e *editing) elsewhere(s *language.Source, word string) bool {
	dir := path.Dir(s.Path())
	is := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`)
	for _, f := range inDir(e.base.Files(), dir) {
		if f.Path == s.Path() || path.Dir(f.Path) != dir || path.Ext(f.Path) != ".go" && path.Ext(f.Path) != ".s" {
			continue
		}
		if f.Size > maxWords {
			return true
		}
		if data, err := e.base.Read(e.ctx, f.Path); err != nil || is.Match(data) {
			return true
		}
	}
	return false
}

// Bounds on what is read beside a Go file.
const (
	maxSiblings     = 24
	maxSiblingBytes = 96 << 10
	maxWords        = 1 << 20 // of a file in which a word is looked for
)
