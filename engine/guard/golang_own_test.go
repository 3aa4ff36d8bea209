package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestACallerCanHaveATypeOfItsOwnBehindAnInterface(t *testing.T) {
	const text = `package kit

type Named interface {
	fmt.Stringer
	Part(i, j int) (string, error)
}

type Longer interface {
	Named
	Len() int
	Do()
}

type Item interface{ Less(than Item) bool }
type Ranked interface{ Compare(Ranked) int }
type Joined interface{ Join(with Joined) Joined }
type sealed interface{ Name() string }
type Hidden interface {
	Name() string
	hide()
}
type Number interface{ ~int | ~float64 }
type Timed interface{ Next(time.Time) time.Time }
type Empty interface{}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	own := ownTypes(&goPackage{files: []*ast.File{f}})
	var names []string
	for _, o := range own {
		names = append(names, o.name)
	}
	if got := strings.Join(names, " "); got != "Item Longer Named Ranked" {
		t.Fatal(got)
	}
	bridge := "package kit\n" + typesBridge("AtollGuardOwnTypes", ownNames(own), nil)
	if _, err := parser.ParseFile(fset, "", bridge, parser.SkipObjectResolution); err != nil {
		t.Fatal(err, bridge)
	}
	for _, want := range []string{
		"OfKey, OfTag int; ", "func (o *AtollGuardOwnItem) Less(a0 Item, ) (bool) { b, _ := a0.(*AtollGuardOwnItem); return b != nil && o.OfKey < b.OfKey }",
		"func (o *AtollGuardOwnRanked) Compare(a0 Ranked, ) (int) { b, _ := a0.(*AtollGuardOwnRanked); if b == nil || o.OfKey > b.OfKey { return 1 }",
		"OfLen int; ", "func (o *AtollGuardOwnLonger) Do() () { o.OfDo() }", "func (o *AtollGuardOwnLonger) Len() (int) { return o.OfLen }",
		"func (o *AtollGuardOwnNamed) Part(a0 int, a1 int, ) (string, error) { return o.OfPart(a0, a1, ) }", "func (o *AtollGuardOwnNamed) String() (string) { return o.OfString }",
	} {
		if !strings.Contains(bridge, want) {
			t.Errorf("no %q in\n%s", want, bridge)
		}
	}
	if less := typesBridge("AtollGuardOwnTypes", ownNames(own), map[string]bool{"AtollGuardOwnLonger": true}); strings.Contains(less, "Longer") || !strings.Contains(less, "AtollGuardOwnNamed)(nil)") {
		t.Errorf("without one that does not compile:\n%s", less)
	}
}
