package idiom

import (
	"go/ast"
	"go/token"
	"go/types"
)

// lookup changes a value of a map in one look into it, where the function reads the value
// into a variable and writes the sum of it and something else, and nothing between: n,
// _ := m[k] and m[k] = n + 1 become m[k] += 1.
func (x *finder) lookup(n ast.Node) {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return
	}
	for i := 0; i+1 < len(block.List); i++ {
		read, write := pairOf(block.List[i], block.List[i+1])
		if read == nil {
			continue
		}
		from, to := read.Rhs[0].(*ast.IndexExpr), write.Lhs[0].(*ast.IndexExpr)
		held, id := x.held(read.Lhs[0])
		sum, ok := write.Rhs[0].(*ast.BinaryExpr)
		if !ok || held == nil || !x.isMap(from) || x.text(from) != x.text(to) || !simple(from.X) || !simple(from.Index) {
			continue
		}
		first, ok := sum.X.(*ast.Ident)
		if !ok || x.f.Info.Uses[first] != held || x.mentioned(sum.Y, held) || !simple(sum.Y) || x.mentioned(from, held) || !opOf(sum.Op) {
			continue
		}
		if x.usedBehind(held, write) || read.Tok == token.ASSIGN && x.loopsOver(held, id) {
			continue
		}
		x.offer("one look into a map for two", read, nil, Edit{x.f.Offset(read.Pos()), x.f.Offset(write.End()), x.text(to) + " " + sum.Op.String() + "= " + x.text(sum.Y)})
	}
}

// pairOf reads two statements as one that reads a value by a key and one that writes one.
func pairOf(a, b ast.Stmt) (read, write *ast.AssignStmt) {
	read, ok := a.(*ast.AssignStmt)
	if !ok || len(read.Rhs) != 1 || read.Tok != token.DEFINE && read.Tok != token.ASSIGN || len(read.Lhs) > 2 {
		return nil, nil
	}
	if len(read.Lhs) == 2 {
		if id, ok := read.Lhs[1].(*ast.Ident); !ok || id.Name != "_" {
			return nil, nil
		}
	}
	write, ok = b.(*ast.AssignStmt)
	if !ok || len(write.Lhs) != 1 || len(write.Rhs) != 1 || write.Tok != token.ASSIGN {
		return nil, nil
	}
	if _, ok := read.Rhs[0].(*ast.IndexExpr); !ok {
		return nil, nil
	}
	if _, ok := write.Lhs[0].(*ast.IndexExpr); !ok {
		return nil, nil
	}
	return read, write
}

// opOf reports whether an operator has a form that assigns.
func opOf(op token.Token) bool {
	switch op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.SHL, token.SHR, token.AND_NOT:
		return true
	}
	return false
}

// held is the local variable that an assignment gives a value to.
func (x *function) held(e ast.Expr) (types.Object, *ast.Ident) {
	id, ok := e.(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil, nil
	}
	obj := x.f.Info.Defs[id]
	if obj == nil {
		obj = x.f.Info.Uses[id]
	}
	if v, ok := obj.(*types.Var); !ok || v.Pos() < x.fn.Body.Pos() || v.Pos() > x.fn.Body.End() {
		return nil, nil
	}
	return obj, id
}

func (x *function) isMap(e *ast.IndexExpr) bool {
	tv, ok := x.f.Info.Types[e.X]
	if !ok || tv.Type == nil {
		return false
	}
	_, ok = tv.Type.Underlying().(*types.Map)
	return ok
}

// mentioned reports whether code has a variable.
func (x *function) mentioned(e ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && x.f.Info.Uses[id] == obj
		return !found
	})
	return found
}

// usedBehind reports whether a variable is used behind a statement, or by a function in
// the function, which may run at any time.
func (x *function) usedBehind(obj types.Object, s ast.Stmt) bool {
	found := false
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || x.f.Info.Uses[n] == obj && n.Pos() > s.End()
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(in ast.Node) bool {
				id, ok := in.(*ast.Ident)
				found = found || ok && x.f.Info.Uses[id] == obj
				return !found
			})
		}
		return !found
	})
	return found
}

// loopsOver reports whether a loop around a use of a variable begins behind its
// declaration: another turn could see what it held.
func (x *function) loopsOver(obj types.Object, at *ast.Ident) bool {
	found := false
	ast.Inspect(x.fn.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = found || n.Pos() > obj.Pos() && n.Pos() < at.Pos() && at.Pos() < n.End()
		case *ast.LabeledStmt: // a goto may go anywhere
			found = true
		}
		return !found
	})
	return found
}
