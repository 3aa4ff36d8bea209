package guard

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// A function that changed is often long, and all inputs run it: of its blocks those are the change whose own text is another,
// or what leads into them. Blocks are counted as [watcher.function] counts them.

// ownTexts are, of each block of a function in the order of its marks, the nodes that are in no block within it, behind those
// that lead into it: a condition, the head of a loop, the values of a case.
func ownTexts(fn *ast.FuncDecl) []string {
	var b blocks
	b.block(fn.Body, "")
	out := make([]string, len(b.all))
	for i, text := range b.all {
		out[i] = text.String()
	}
	return out
}

// blocks writes down what nodes are in the block that they belong to.
type blocks struct {
	all []*strings.Builder
	now *strings.Builder // of the block, or of what leads into one
}

// within walks what begins a block of its own.
func (b *blocks) within(lead string, walk func()) {
	outer := b.now
	b.now = new(strings.Builder)
	b.now.WriteString(lead)
	b.all = append(b.all, b.now)
	walk()
	b.now = outer
}

// lead is what some nodes are that lead into a block; blocks within them are their own.
func (b *blocks) lead(nodes ...ast.Node) string {
	outer := b.now
	b.now = new(strings.Builder)
	for _, n := range nodes {
		b.walk(n)
	}
	text := b.now.String()
	b.now = outer
	return text
}

func (b *blocks) block(n *ast.BlockStmt, lead string) {
	if len(n.List) == 0 || !isClause(n.List[0]) {
		b.within(lead, func() { b.list(n.List) })
		return
	}
	for _, c := range n.List { // marks stand in the clauses
		switch c := c.(type) {
		case *ast.CaseClause:
			b.within(lead, func() {
				for _, x := range c.List {
					b.walk(x)
				}
				b.list(c.Body)
			})
		case *ast.CommClause:
			b.within(lead, func() {
				if c.Comm != nil {
					b.walk(c.Comm)
				}
				b.list(c.Body)
			})
		}
	}
}

func (b *blocks) list(stmts []ast.Stmt) {
	for _, s := range stmts {
		b.walk(s)
	}
}

// branch is a condition with what it leads to, behind the conditions before it.
func (b *blocks) branch(n *ast.IfStmt, lead string) {
	lead += " if " + b.lead(some(n.Init), n.Cond)
	b.block(n.Body, lead)
	switch other := n.Else.(type) {
	case *ast.IfStmt:
		b.branch(other, lead+" else")
	case *ast.BlockStmt:
		b.block(other, lead+" else")
	}
}

// some is a statement that may be none.
func some(s ast.Stmt) ast.Node {
	if s == nil {
		return &ast.EmptyStmt{}
	}
	return s
}

func (b *blocks) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return true
		case *ast.BlockStmt:
			b.block(n, "")
		case *ast.IfStmt:
			b.branch(n, "")
		case *ast.ForStmt:
			cond := ast.Node(&ast.EmptyStmt{})
			if n.Cond != nil {
				cond = n.Cond
			}
			b.block(n.Body, " for "+b.lead(some(n.Init), cond, some(n.Post)))
		case *ast.RangeStmt:
			lead := " range " + n.Tok.String()
			for _, x := range []ast.Expr{n.Key, n.Value, n.X} {
				if x != nil {
					lead += b.lead(x)
				}
			}
			b.block(n.Body, lead)
		case *ast.SwitchStmt:
			lead := b.lead(some(n.Init))
			if n.Tag != nil {
				lead += b.lead(n.Tag)
			}
			b.block(n.Body, " switch "+lead)
		case *ast.TypeSwitchStmt:
			b.block(n.Body, " switch "+b.lead(some(n.Init), n.Assign))
		case *ast.SelectStmt:
			b.block(n.Body, " select")
		default:
			b.now.WriteString(" " + nodeText(n))
			return true
		}
		return false
	})
}

// nodeText is a node without what is below it.
func nodeText(n ast.Node) string {
	said := ""
	switch n := n.(type) {
	case *ast.Ident:
		said = n.Name
	case *ast.BasicLit:
		said = n.Value
	case *ast.BinaryExpr:
		said = n.Op.String()
	case *ast.UnaryExpr:
		said = n.Op.String()
	case *ast.AssignStmt:
		said = n.Tok.String()
	case *ast.IncDecStmt:
		said = n.Tok.String()
	case *ast.BranchStmt:
		said = n.Tok.String()
	case *ast.GenDecl:
		said = n.Tok.String()
	case *ast.CallExpr:
		said = strconv.FormatBool(n.Ellipsis.IsValid())
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast.") + " " + said
}

// editedBlocks are the blocks of a function, by their place among its marks, that one of two versions alone has; a version that is
// not there is nil.
func editedBlocks(was, is *ast.FuncDecl) []int {
	var texts [2][]string
	for i, fn := range []*ast.FuncDecl{was, is} {
		if fn != nil && fn.Body != nil {
			texts[i] = ownTexts(fn)
		}
	}
	var out []int
	for i := range texts {
		left := slices.Clone(texts[1-i])
		for at, text := range texts[i] {
			if other := slices.Index(left, text); other >= 0 {
				left = slices.Delete(left, other, other+1)
				continue
			}
			if !slices.Contains(out, at+1) {
				out = append(out, at+1)
			}
		}
	}
	slices.Sort(out)
	return out
}

// edited are the marks of the blocks that changed; none where more than functions did, as then all that use it is the change.
func (m *goCheck) edited() []int {
	var out []int
	for _, dir := range sortedDirs(m.was) {
		was, is := m.was.packages[dir], m.is.packages[dir]
		for key := range m.direct {
			a, known := functionOf(was, key)
			b, knownNow := functionOf(is, key)
			if !known || !knownNow {
				return nil
			}
			for _, at := range editedBlocks(a, b) {
				if n, marked := m.numbers.blocks[key+" "+strconv.Itoa(at)]; marked {
					out = append(out, n)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// functionOf is a function of a package, nil where it has no such declaration; ok is false where that is none of a function.
func functionOf(p *goPackage, key string) (fn *ast.FuncDecl, ok bool) {
	if p == nil || p.decls[key] == nil {
		return nil, true
	}
	fn, ok = p.decls[key].node.(*ast.FuncDecl)
	return fn, ok
}
