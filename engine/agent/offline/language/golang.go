package language

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// GoFile is a parsed and, as far as it goes without the imports, type-checked
// Go file.
type GoFile struct {
	Fset *token.FileSet
	File *ast.File
	Pkg  *types.Package
	Info *types.Info

	Partial bool // files of the package were left out: types may have methods that are not known
	// Elsewhere reports whether another file of the package names something, tests among
	// them; nil where that is not known.
	Elsewhere func(name string) bool

	errs map[string]int // type errors by message, without positions
}

// Offset returns the byte offset of a position.
func (g *GoFile) Offset(p token.Pos) int { return g.Fset.PositionFor(p, false).Offset }

// ParseGo parses and type-checks a file among its siblings (other files of the
// package, whose function bodies were dropped). Imports are unknown, save for
// math; what they declare has no type and raises no error. parsed is called
// before the types are checked and may drop what shall not be.
func ParseGo(src []byte, siblings *GoSiblings, parsed func(*GoFile)) (*GoFile, error) {
	g := &GoFile{Fset: siblings.Fset, Partial: siblings.Partial, Elsewhere: siblings.Elsewhere, errs: map[string]int{}}
	f, err := parser.ParseFile(g.Fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	g.File = f
	parsed(g)
	g.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
	}
	conf := types.Config{
		Importer: siblings, FakeImportC: true,
		Error: func(err error) {
			var te types.Error
			if errors.As(err, &te) && !strings.HasPrefix(te.Msg, "could not import ") {
				g.errs[te.Msg]++
			}
		},
	}
	files := append([]*ast.File{f}, siblings.Files...)
	g.Pkg, _ = conf.Check("p", g.Fset, files, g.Info)
	if g.Pkg == nil {
		g.Pkg = types.NewPackage("p", f.Name.Name)
	}
	return g, nil
}

// Keep drops the bodies of all functions but one.
func (g *GoFile) Keep(fn *ast.FuncDecl) {
	for _, d := range g.File.Decls {
		if other, ok := d.(*ast.FuncDecl); ok && other != fn {
			other.Body = nil
		}
	}
}

// Worse reports a type error that g has more often than the file it came from.
func (g *GoFile) Worse(than *GoFile) bool {
	for msg, n := range g.errs {
		if n > than.errs[msg] {
			return true
		}
	}
	return false
}

// GoSiblings holds the other files of a package and what little is known of
// its imports.
type GoSiblings struct {
	Fset    *token.FileSet
	Files   []*ast.File
	Partial bool // some were not read
	// Elsewhere is that of [GoFile].
	Elsewhere func(name string) bool
	math      *types.Package
}

var errUnknownImport = errors.New("imports are not read")

// Import knows package math.
func (s *GoSiblings) Import(name string) (*types.Package, error) {
	if name != "math" {
		return nil, errUnknownImport
	}
	if s.math == nil {
		s.math = mathPackage()
	}
	return s.math, nil
}

// Functions of package math from one float64 to another, and from two.
const (
	mathOne = "Abs Acos Acosh Asin Asinh Atan Atanh Cbrt Ceil Cos Cosh Erf Erfc Exp Exp2 Expm1 Floor Gamma J0 J1 " +
		"Log Log10 Log1p Log2 Logb Round RoundToEven Sin Sinh Sqrt Tan Tanh Trunc Y0 Y1"
	mathTwo    = "Atan2 Copysign Dim Hypot Max Min Mod Nextafter Pow Remainder"
	mathConsts = "E Pi Phi Sqrt2 SqrtE SqrtPi SqrtPhi Ln2 Log2E Ln10 Log10E MaxFloat32 SmallestNonzeroFloat32 MaxFloat64 SmallestNonzeroFloat64"
)

// mathPackage declares the common part of package math.
func mathPackage() *types.Package {
	pkg := types.NewPackage("math", "math")
	f64 := types.Typ[types.Float64]
	declare := func(name string, in []types.Type, out ...types.Type) {
		tuple := func(ts []types.Type) *types.Tuple {
			vars := make([]*types.Var, len(ts))
			for i, t := range ts {
				vars[i] = types.NewParam(token.NoPos, pkg, "", t)
			}
			return types.NewTuple(vars...)
		}
		pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, name, types.NewSignatureType(nil, nil, nil, tuple(in), tuple(out), false)))
	}
	for _, n := range strings.Fields(mathOne) {
		declare(n, []types.Type{f64}, f64)
	}
	for _, n := range strings.Fields(mathTwo) {
		declare(n, []types.Type{f64, f64}, f64)
	}
	declare("FMA", []types.Type{f64, f64, f64}, f64)
	declare("Inf", []types.Type{types.Typ[types.Int]}, f64)
	declare("IsInf", []types.Type{f64, types.Typ[types.Int]}, types.Typ[types.Bool])
	declare("IsNaN", []types.Type{f64}, types.Typ[types.Bool])
	declare("NaN", nil, f64)
	declare("Signbit", []types.Type{f64}, types.Typ[types.Bool])
	declare("Modf", []types.Type{f64}, f64, f64)
	declare("Float64bits", []types.Type{f64}, types.Typ[types.Uint64])
	declare("Float64frombits", []types.Type{types.Typ[types.Uint64]}, f64)
	for _, n := range strings.Fields(mathConsts) {
		pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, n, f64))
	}
	for _, n := range strings.Fields("MaxInt MinInt MaxInt64 MinInt64 MaxInt32 MinInt32 MaxInt16 MaxInt8 MaxUint8 MaxUint16 MaxUint32") {
		pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, n, types.Typ[types.Int]))
	}
	pkg.MarkComplete()
	return pkg
}

// PackageName reads the package clause.
func PackageName(src []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

// goUnits lists the declarations of a Go file that can be exchanged.
func goUnits(src []byte) []Unit {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []Unit
	add := func(name, full string, n ast.Node) {
		out = append(out, Unit{name, full, fset.PositionFor(n.Pos(), false).Offset, fset.PositionFor(n.End(), false).Offset})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			full := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				full = receiverName(d.Recv.List[0].Type) + "." + full
			}
			add(d.Name.Name, full, d)
		case *ast.GenDecl:
			if len(d.Specs) != 1 {
				continue
			}
			switch spec := d.Specs[0].(type) {
			case *ast.TypeSpec:
				add(spec.Name.Name, spec.Name.Name, d)
			case *ast.ValueSpec:
				add(spec.Names[0].Name, spec.Names[0].Name, d)
			}
		}
	}
	return out
}

func receiverName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.IndexListExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
