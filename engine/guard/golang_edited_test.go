package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// mustFunction is the function of a source.
func mustFunction(t *testing.T, body string) *ast.FuncDecl {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\nfunc f(xs []int, n int) int {\n"+body+"\n}\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	return f.Decls[0].(*ast.FuncDecl)
}

const sums = `	total := 0
	if n > 3 {
		for _, x := range xs {
			total += x
		}
	} else if n > 2 {
		total = 2
	} else {
		total = 1
	}
	switch n {
	case 1, 2:
		total++
	default:
		total--
	}
	g := func() int { return n }
	return total + g()`

func TestTheBlocksOfAFunctionThatWereEditedAreKnown(t *testing.T) {
	t.Parallel()
	// 1: the function, 2: n > 3, 3: the loop, 4: n > 2, 5: else, 6: case, 7: default, 8: g
	for _, tt := range []struct {
		name     string
		old, now string
		want     []int
	}{
		{"nothing but the layout", "total := 0", "total := 0 // the sum", nil},
		{"a statement of the function", "total := 0", "total := n", []int{1}},
		{"a statement within a loop", "total += x", "total -= x", []int{3}},
		{"the head of a loop", "range xs", "range xs[1:]", []int{3}},
		{"a condition is of what it leads to, and of all behind it", "n > 3", "n > 4", []int{2, 4, 5}},
		{"the last condition", "n > 2", "n >= 2", []int{4, 5}},
		{"a case", "case 1, 2:", "case 1:", []int{6}},
		{"what a switch looks at", "switch n {", "switch n + 1 {", []int{6, 7}},
		{"a function within it", "return n }", "return -n }", []int{8}},
		{"a block that was not there", "total = 2", "total = 2\n\t\tif n > 9 {\n\t\t\ttotal = 9\n\t\t}", []int{5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			was, is := mustFunction(t, sums), mustFunction(t, strings.Replace(sums, tt.old, tt.now, 1))
			if got := editedBlocks(was, is); !slices.Equal(got, tt.want) {
				t.Errorf("%v", got)
			}
		})
	}
	if got := editedBlocks(nil, mustFunction(t, sums)); len(got) != 8 {
		t.Errorf("of one that was not there: %v", got)
	}
}

// The two count the same blocks.
func TestBlocksAreEditedWhereMarksCountThem(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		sums,
		"	for i := func() int { return 0 }(); i < n; i++ {\n\t\tselect {\n\t\tdefault:\n\t\t\tn--\n\t\t}\n\t}\n	return 0",
		"	var v any = n\n	switch v.(type) {\n	case int:\n	case func():\n		{\n			n++\n		}\n	}\n	switch {\n	}\n	if func() bool { return n > 0 }() {\n		return 1\n	}\n	return 0",
	} {
		fn, marked := mustFunction(t, body), 0
		w := watcher{numbers: new(numbers), way: func(string) bool { return true }, changed: func(string, *ast.BinaryExpr) bool { return false }}
		w.function("f", fn, func(token.Pos, string) {}, func(token.Pos) bool { return false })
		marked = len(w.numbers.blocks)
		if own := ownTexts(fn); len(own) != marked {
			t.Errorf("%d blocks, and marks in %d:\n%s", len(own), marked, body)
		}
	}
}
