package guard

import (
	"slices"
	"strings"
	"testing"
)

const variablesSource = `package p

var Sep = "-"

var Limit = 3

var Unread = 1

var Once = Sep + Sep

var Join = func(list []string) string { return Sep + list[0] }

type Line struct{ limit int }

func New() *Line { return &Line{limit: most()} }

func most() int { return Limit }

func (l *Line) Full() bool { return l.limit > 0 }

func Words(text string) string { return join(text) }

func join(text string) string { return text + Sep }

func First(list []string) string { return Join(list) }

func Copied() string { return Once }

func Plain() int { return 1 }
`

func TestVariablesAreSetForWhatReadsThem(t *testing.T) {
	for _, tt := range []struct {
		name, group     string
		edits           []string
		changed, others string
	}{
		{"a function that stopped reading one has it first", "Words", []string{"text + Sep", `text + "-"`}, "Sep", ""},
		{"a copy made at the start is no reading of the call", "Words", []string{"text + Sep", "text + sep", "var Limit", "var sep = Sep\n\nvar Limit"}, "Sep", ""},
		{"a changed function that still reads one has it first", "Words", []string{"text + Sep", "Sep + text"}, "Sep", ""},
		{"a function beside a change has the others", "Words", []string{"return 1", "return 2"}, "", "Sep"},
		{"what makes a receiver reads for its methods", "Line.Full", []string{"return Limit", "return 3"}, "Limit", ""},
		{"a function that a variable holds reads for who calls it", "First", []string{"return 1", "return 2"}, "", "Join Sep"},
		{"a variable made of another is read, and not the other", "Copied", []string{"return 1", "return 2"}, "", "Once"},
		{"a function without variables has none", "Plain", []string{"return 1", "return 2"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := strings.NewReplacer(tt.edits...).Replace(variablesSource)
			m := &goCheck{was: mustModuleOf(variablesSource), is: mustModuleOf(is)}
			m.names, m.direct = affected(m.was, m.is)
			p := m.was.packages["."]
			variables := variablesOf(p, nil)
			slices.SortFunc(variables, func(a, b apiName) int { return strings.Compare(a.name, b.name) })
			got := m.settings(p, variables)(tt.group)
			if c, o := strings.Join(got.Changed, " "), strings.Join(got.Others, " "); c != tt.changed || o != tt.others {
				t.Errorf("changed are %q and others %q, want %q and %q", c, o, tt.changed, tt.others)
			}
		})
	}
}

func TestErrorsAreNotSet(t *testing.T) {
	p := mustModuleOf("package p\n\nimport \"errors\"\n\nvar ErrGone = errors.New(\"gone\")\n\nvar Size, Name = 1, \"x\"\n\nvar hidden = 1\n").packages["."]
	var got []string
	for _, v := range apiOf(p).variables {
		got = append(got, v.name)
	}
	if !slices.Equal(got, []string{"Size", "Name"}) {
		t.Errorf("got %q", got)
	}
}

func mustModuleOf(source string) *goModule {
	p := &goPackage{dir: ".", path: "p", imports: map[string]bool{}, decls: map[string]*goDecl{}}
	p.parse("p.go", []byte(source), false)
	return &goModule{packages: map[string]*goPackage{".": p}}
}
