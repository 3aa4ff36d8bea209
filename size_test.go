package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The bounds of what a reader can hold in the head; docs/decisions/0025-bounds-of-size.md
// says why these and no others.
const (
	mostMethods = 40  // of a type
	mostFields  = 25  // of a struct
	mostLines   = 500 // of a file
)

// large are types above a bound, each with its reason.
var large = map[string]string{
	"cli.App":          "the verbs: each is a method or two in a file of its own",
	"gitops.Repo":      "the object store, used as one thing; its files are named after its parts",
	"store.DB":         "the log in SQLite, used as one thing; its files are named after its tables",
	"store.tx":         "a transaction on that log",
	"tui.Options":      "configuration",
	"config.Config":    "configuration",
	"config.Agent":     "configuration",
	"client.Options":   "configuration",
	"door.Status":      "a line of JSON",
	"view.Snapshot":    "what every reader sees of an experiment at once",
	"record.Job":       "a row of the store",
	"record.Candidate": "a row of the store",
}

func TestNothingIsTooLargeToRead(t *testing.T) {
	methods, fields := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if ext := filepath.Ext(path); ext == ".py" || ext == ".js" {
			text, err := os.ReadFile(path)
			if n := bytes.Count(text, []byte("\n")); n > mostLines {
				t.Errorf("%s has %d lines, more than %d", path, n, mostLines)
			}
			return err
		} else if ext != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if n := set.File(file.Pos()).LineCount(); n > mostLines {
			t.Errorf("%s has %d lines, more than %d", path, n, mostLines)
		}
		count(file, filepath.Base(filepath.Dir(path)), methods, fields)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	above := []string{}
	for name, n := range methods {
		if n > mostMethods {
			above = append(above, fmt.Sprintf("%s has %d methods", name, n))
		}
	}
	for name, n := range fields {
		if n > mostFields {
			above = append(above, fmt.Sprintf("%s has %d fields", name, n))
		}
	}
	slices.Sort(above)
	for _, line := range above {
		if name, _, _ := strings.Cut(line, " "); large[name] == "" {
			t.Error(line)
		}
	}
	for name := range large {
		if methods[name] <= mostMethods && fields[name] <= mostFields {
			t.Errorf("%s is within the bounds, and needs no excuse", name)
		}
	}
}

// count adds up methods and fields of the types of a file.
func count(file *ast.File, pkg string, methods, fields map[string]int) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				continue
			}
			recv := d.Recv.List[0].Type
			if star, ok := recv.(*ast.StarExpr); ok {
				recv = star.X
			}
			if index, ok := recv.(*ast.IndexExpr); ok {
				recv = index.X
			}
			if id, ok := recv.(*ast.Ident); ok {
				methods[pkg+"."+id.Name]++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				spec, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if st, ok := spec.Type.(*ast.StructType); ok {
					n := 0
					for _, f := range st.Fields.List {
						n += max(1, len(f.Names))
					}
					fields[pkg+"."+spec.Name.Name] = n
				}
			}
		}
	}
}
