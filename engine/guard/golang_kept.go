package guard

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
)

// State that outlives a call: a variable of the package that its functions write while it is used.
// No answer of one call after the other shows it. Callers at the same time do, and memory; and what is
// measured by asking the same again looks quicker than it is.

// goKeeper says of a variable which functions write it, and in which file the first of them stands.
type goKeeper struct {
	file string
	by   []string
}

// says tells it in words.
func (k goKeeper) says(name string) string {
	by := slices.Compact(slices.Sorted(slices.Values(k.by)))
	if more := len(by) - 2; more > 1 {
		by = append(by[:2:2], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("keeps something between calls in %s (written by %s)", name, strings.Join(by, ", "))
}

// goFunction is what one function does with variables of its package and with its receiver.
type goFunction struct {
	name, file string
	receiver   *types.Var
	later      bool // it can be called once the package is ready
	writes     map[*types.Var]bool
	hands      map[*types.Var]bool          // room that others get hold of
	closes     bool                         // it makes functions which write its variables
	asks       map[*types.Var][]*types.Func // methods of the package, by what they are called on
	mentions   []*types.Func
}

// goKeeping reads the functions of one package.
type goKeeping struct {
	pkg       *types.Package
	info      *types.Info
	begins    map[*types.Var]*goBegin
	onces     map[*types.Var]bool // fields
	functions map[*types.Func]*goFunction
	others    []*goFunction              // init, what is called once, and what variables hold
	made      map[*types.Var]*types.Func // the function of the package that made the one which a variable holds
}

// goKept are the variables, by name, that functions of a package write while it is used. What is
// written at the start, behind a sync.Once and in a sync.Pool is none of it.
func goKept(names []string, read func(string) []byte) map[string]goKeeper {
	k := readKeeping(names, read)
	if k == nil {
		return nil
	}
	return k.keepers()
}

// readKeeping reads the files of a package; nil for a program, whose runs are compared, and where none can be read.
func readKeeping(names []string, read func(string) []byte) *goKeeping {
	k := &goKeeping{
		info:      &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
		begins:    map[*types.Var]*goBegin{},
		onces:     map[*types.Var]bool{},
		functions: map[*types.Func]*goFunction{}, made: map[*types.Var]*types.Func{},
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if f, err := parser.ParseFile(fset, name, read(name), parser.SkipObjectResolution); err == nil {
			files = append(files, f)
		}
	}
	if len(files) == 0 || files[0].Name.Name == "main" {
		return nil
	}
	// What other packages are is not known here, and need not be: each error is passed over.
	c := types.Config{Error: func(error) {}, FakeImportC: true, DisableUnusedImportCheck: true}
	k.pkg, _ = c.Check("p", fset, files, k.info)
	for _, f := range files {
		k.declared(f)
	}
	for _, f := range files {
		k.read(f, fset.Position(f.Pos()).Filename)
	}
	return k
}

// read notes what the functions of a file do; init runs before any call.
func (k *goKeeping) read(f *ast.File, file string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			fn, ok := k.info.Defs[d.Name].(*types.Func)
			if !ok || d.Body == nil {
				continue
			}
			out := newGoFunction(d.Name.Name, file)
			if d.Recv == nil && d.Name.Name == "init" {
				k.look(d.Body, out)
				k.others = append(k.others, out)
				continue
			}
			if r := fn.Signature().Recv(); r != nil {
				out.name, out.receiver = receiverName(d)+"."+d.Name.Name, r
			}
			out.later = out.receiver != nil || d.Name.IsExported()
			k.look(d.Body, out)
			k.functions[fn] = out
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ValueSpec); ok {
					k.held(s, file)
				}
			}
		}
	}
}

func newGoFunction(name, file string) *goFunction {
	return &goFunction{name: name, file: file, writes: map[*types.Var]bool{}, hands: map[*types.Var]bool{}, asks: map[*types.Var][]*types.Func{}}
}

// held notes what functions written in the value of a variable do. Those that are called at once run
// before anything else, and those of sync.OnceValue and its kin give one thing.
func (k *goKeeping) held(s *ast.ValueSpec, file string) {
	for i, value := range s.Values {
		name := s.Names[min(i, len(s.Names)-1)]
		v, _ := k.info.Defs[name].(*types.Var)
		once := map[ast.Node]bool{}
		ast.Inspect(value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				once[n.Fun] = true
				if id, ok := n.Fun.(*ast.Ident); ok && v != nil {
					if fn, ok := k.info.Uses[id].(*types.Func); ok && isFunction(v.Type()) {
						k.made[v] = fn.Origin()
					}
				}
				if strings.HasPrefix(k.imported(n.Fun), "sync.Once") {
					for _, a := range n.Args {
						once[a] = true
					}
				}
			case *ast.FuncLit:
				if !once[n] {
					out := newGoFunction(name.Name, file)
					out.later = true
					k.look(n.Body, out)
					k.others = append(k.others, out)
				}
				return false
			}
			return true
		})
	}
}

// keepers are the variables that functions write which can be called later.
func (k *goKeeping) keepers() map[string]goKeeper {
	all := append(slices.Collect(maps.Values(k.functions)), k.others...)
	for grown := true; grown; {
		grown = false
		for _, f := range all {
			grown = k.spread(f) || grown
		}
	}
	slices.SortFunc(all, func(a, b *goFunction) int { return strings.Compare(a.file+"\x00"+a.name, b.file+"\x00"+b.name) })
	filled := map[*types.Var]bool{} // at the start: who gets hold of it reads
	for _, f := range all {
		if !f.later {
			maps.Copy(filled, f.writes)
		}
	}
	out := map[string]goKeeper{}
	keeps := func(v *types.Var, f *goFunction) {
		if v.Parent() == k.pkg.Scope() {
			is, ok := out[v.Name()]
			if !ok {
				is.file = f.file
			}
			is.by = append(is.by, f.name)
			out[v.Name()] = is
		}
	}
	for _, f := range all {
		if !f.later {
			continue
		}
		for v := range f.writes {
			keeps(v, f)
		}
		for v := range f.hands {
			if !filled[v] {
				keeps(v, f)
			}
		}
	}
	for v, m := range k.made {
		if f := k.functions[m]; f != nil && f.closes {
			keeps(v, f)
		}
	}
	return out
}

// spread takes over from the functions that one asks; whether it told anything new.
func (k *goKeeping) spread(f *goFunction) (grown bool) {
	for v, methods := range f.asks {
		for _, m := range methods {
			if is := k.functions[m]; is != nil && is.writes[is.receiver] && !f.writes[v] {
				f.writes[v], grown = true, true
			}
		}
	}
	if !f.later {
		return grown
	}
	for _, m := range f.mentions {
		if is := k.functions[m]; is != nil && !is.later {
			is.later, grown = true, true
		}
	}
	return grown
}

// kept notes the variables that functions of changed packages write and those of the root do not.
func (m *goCheck) kept(files []string) {
	of := func(v *view, p *goPackage) map[string]goKeeper {
		if p == nil {
			return nil
		}
		return goKept(p.names, v.read)
	}
	var dirs []string
	for _, f := range files {
		dirs = append(dirs, path.Dir(f))
	}
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(dirs))) {
		was, is := of(m.root, m.was.packages[dir]), of(m.candidate, m.is.packages[dir])
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if _, ok := was[name]; !ok && !renamed(was, is, name) {
				m.report.beyond(is[name].file, is[name].says(name))
			}
		}
	}
}

// renamed reports whether a variable is one of the root by another name: the same functions wrote
// as many that are gone as they write new ones.
func renamed(was, is map[string]goKeeper, name string) bool {
	writers := func(k goKeeper) string {
		return strings.Join(slices.Compact(slices.Sorted(slices.Values(k.by))), " ")
	}
	count := func(of, besides map[string]goKeeper) (n int) {
		for other, k := range of {
			if _, ok := besides[other]; !ok && writers(k) == writers(is[name]) {
				n++
			}
		}
		return n
	}
	return count(was, is) >= count(is, was)
}
