package guard

import (
	"maps"
	"slices"
	"testing"
)

const carriedSource = `package p

type Rule struct{ f func(int) bool }

type Rules []*Rule

type Plain struct{ n int }

type Option func(*Plain)

var table = map[string]func(int) bool{"small": small, "other": other}

func small(n int) bool { return below(n, 10) }

func below(n, most int) bool { return n < most }

func other(n int) bool { return n == 3 }

func pick(name string) *Rule { return &Rule{f: table[name]} }

func Parse(name string) (Rules, error) { return Rules{pick(name)}, nil }

func (r *Rule) Allows(n int) bool { return r.f(n) }

func New(n int) Plain { return Plain{below(n, 1)} }

func WithSize(n int) Option { return func(p *Plain) { p.n = n } }

func sorted(list []int) Plain {
	slices.SortFunc(list, func(a, b int) int { return a - b })
	return Plain{list[0]}
}
`

func TestTypesThatHoldAFunctionAreAskedWhereItChanged(t *testing.T) {
	p := &goPackage{dir: ".", imports: map[string]bool{}, decls: map[string]*goDecl{}}
	p.parse("p.go", []byte(carriedSource), false)
	m := &goModule{packages: map[string]*goPackage{".": p}}
	for _, tt := range []struct {
		changed string
		want    []string
	}{
		{"small", []string{"Rule", "Rules"}},
		{"below", []string{"Plain", "Rule", "Rules"}},
		{"New", []string{"Plain"}},
		{"WithSize", []string{"Option"}},
		{"sorted", []string{"Plain"}},
		{"Rule.Allows", nil},
	} {
		got := slices.Sorted(maps.Keys(carriers(m, m, map[string]bool{tt.changed: true})))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.changed, got, tt.want)
		}
	}
}
