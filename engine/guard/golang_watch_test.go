package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const watchedSource = `package p

func find(s string, max int) (at int) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == 'x':
			return i
		default:
			if next(s) > max && s != "" { // next may do something
				return -1
			}
		}
	}
	if box.Size() > i {
		return 0
	} else if max > 1<<64-1 {
		return 1
	}
	switch s[max] {
	case 'a', '\'':
		return 2
	case limit, -1, next(s):
		return 3
	}
	switch c := s[0]; c {
	case 'a':
		return 4
	}
again:
	switch max {
	case 5:
		break again
	}
	return len(s)
}

func untouched(a, b int) bool { return a < b }
`

func TestMarksStayOnTheirLinesAndInTheFunctionsThatAreWatched(t *testing.T) {
	w := &watcher{numbers: &numbers{}, blind: map[string]bool{"p.go:16": true}, getters: map[string]bool{"Size": true}, way: func(string) bool { return false }, changed: func(_ string, e *ast.BinaryExpr) bool { return e.Op == token.NEQ }}
	out := w.file("p.go", []byte(watchedSource), func(key string) bool { return key == "find" })
	if _, err := parser.ParseFile(token.NewFileSet(), "", out, parser.SkipObjectResolution); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	was, is := strings.Split(watchedSource, "\n"), strings.Split(string(out), "\n")
	if len(was) != len(is) {
		t.Fatalf("%d lines became %d", len(was), len(is))
	}
	for _, tt := range []struct {
		line int
		want string
	}{
		{3, "func find(s string, max int) (at int) { atollGuardRan(1); "},
		{4, "((atollGuardEnough(1) || atollGuardSides(1, false, i, len(s))) && i < len(s)); i++ { atollGuardRan(2);"},
		{6, "case ((atollGuardEnough(2) || atollGuardSides(2, false, s[i], 'x')) && s[i] == 'x'): atollGuardRan(3);"},
		{9, `if next(s) > max && ((atollGuardEnough(3) || atollGuardSides(3, true, s, "")) && s != "") {`},
		{14, "if ((atollGuardEnough(4) || atollGuardSides(4, false, box.Size(), i)) && box.Size() > i) {"},
		{16, "} else if max > 1<<64-1 {"},
		{19, "	_ = atollGuardEnough(5) || atollGuardSides(5, false, s[max], 'a'); _ = atollGuardEnough(6) || atollGuardSides(6, false, s[max], '\\''); _ = atollGuardEnough(7) || atollGuardSides(7, false, s[max], limit); _ = atollGuardEnough(8) || atollGuardSides(8, false, s[max], -1); switch s[max] {"},
		{20, "	case 'a', '\\'': atollGuardRan("},
		{25, "	switch c := s[0]; c {"},
		{29, "_ = atollGuardEnough(9) || atollGuardSides(9, false, max, 5); again:"},
		{37, "func untouched(a, b int) bool { return a < b }"},
	} {
		if got := is[tt.line-1]; !strings.Contains(got, tt.want) {
			t.Errorf("line %d is %q, want %q in it", tt.line, got, tt.want)
		}
	}
	if out := w.file("p.go", []byte(watchedSource), func(string) bool { return false }); out != nil {
		t.Errorf("nothing is watched, and yet there are marks:\n%s", out)
	}
}

func TestConstantsThatOneVersionHasCountMost(t *testing.T) {
	node := func(text string) ast.Node {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f.Decls[0]
	}
	g := &gathering{seen: map[string]bool{}}
	g.changed([][2]ast.Node{{node("func f(n int) bool { return n > 7 && n < 40 || n == '\\'' }"), node("func f(n int) bool { return n > 8 && n < 40 }")}, {nil, node("var x = \"new\"")}})
	count := map[int64]int{}
	for _, n := range g.out.NearInts {
		count[n]++
	}
	if count[7] != weightOfChanged || count['\''] != weightOfChanged || count[8] != weightOfChanged || count[40] != 0 || len(g.out.NearStrings) != weightOfChanged {
		t.Errorf("got %v and %q", count, g.out.NearStrings)
	}
}

func TestAnInitBesideAnotherHidesNothingOfIt(t *testing.T) {
	src := []byte("package p\n\nvar table map[string]func()\n\nfunc init() { table = map[string]func(){\"a\": first} }\n\nfunc init() { second() }\n")
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := &goPackage{decls: map[string]*goDecl{}}
	for _, d := range f.Decls {
		p.declare(fset, d, src)
	}
	if both := p.decls["init"]; !both.mentions["first"] || !both.mentions["second"] || len(both.variables) != 1 {
		t.Errorf("init mentions %v and assigns %v", both.mentions, both.variables)
	}
}
