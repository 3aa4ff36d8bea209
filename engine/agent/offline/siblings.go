package offline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"atoll/engine/agent/offline/language"
)

// siblings reads the other files of a Go file's package. A package that is too
// large, or cannot be read, is checked one file at a time.
func (e *editing) siblings(s *language.Source) *language.GoSiblings {
	out := &language.GoSiblings{Fset: token.NewFileSet()}
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

// Bounds on what is read beside a Go file.
const (
	maxSiblings     = 24
	maxSiblingBytes = 96 << 10
)
