package probe

import (
	"bufio"
	sums "hash"
	"image"
	"io"
	"iter"
	"net"
	"net/netip"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// bookcase lends what walks over it.
type bookcase struct{ books []string }

type walk struct {
	of *bookcase
	at int
}

func (s *bookcase) Put(book string) { s.books = append(s.books, book) }
func (s *bookcase) Walk() *walk     { return &walk{s, -1} }
func (s *bookcase) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, b := range s.books {
			if !yield(b) {
				return
			}
		}
	}
}

func (w *walk) Next() bool {
	w.at++
	return w.at < len(w.of.books)
}

func TestAnObjectThatAMethodGivesIsTakenFromOneThatIsFilled(t *testing.T) {
	api := API{Types: []Type{{"bookcase", reflect.TypeFor[bookcase]()}, {"walk", reflect.TypeFor[walk]()}}}
	moved, ended := 0, 0
	for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf("walk.Next", 60)}) {
		if a.Kind == AnswerCase && strings.HasPrefix(a.Out, "true") && strings.Contains(a.In, ".Put(") {
			moved++
		} else if a.Kind == AnswerCase && strings.HasPrefix(a.Out, "false") {
			ended++
		}
	}
	if moved < 5 || ended == 0 {
		t.Errorf("%d moved on, %d came to the end", moved, ended)
	}
}

func casesOf(group string, n int) []Case {
	out := make([]Case, n)
	for i := range out {
		out[i] = Case{Group: group, Index: i}
	}
	return out
}

func TestWhatAnIteratorOfAnObjectYieldsIsWhatItHolds(t *testing.T) {
	r := &runner{lib: newLibrary(API{Types: []Type{{"bookcase", reflect.TypeFor[bookcase]()}}}, Literals{})}
	if got := r.contents(reflect.ValueOf(&bookcase{[]string{"b", "a"}})); !strings.Contains(got, `All=yields "b" "a"`) {
		t.Errorf("it holds %q", got)
	}
}

func TestValuesOfTheStandardLibraryAreOfUse(t *testing.T) {
	for _, tt := range []struct {
		name string
		f    any
		want string // one of the answers
	}{
		{"an iterator", func(s iter.Seq2[string, int]) (n int) {
			for range s {
				n++
			}
			return n
		}, "3"},
		{"an expression", func(re *regexp.Regexp) string { return re.String() }, `"a+b"`},
		{"a file", func(f io.ReadWriteCloser) string { data, _ := io.ReadAll(f); return string(data[:min(1, len(data))]) }, `"a"`},
		{"a reader with a buffer", func(r *bufio.Reader) string { c, _, _ := r.ReadRune(); return string(c) }, `"a"`},
		{"a writer with a buffer", func(w *bufio.Writer) { _, _ = w.WriteString("ab") }, `wrote "ab"`},
		{"a sum", func(h sums.Hash) int { return h.Size() }, "4"},
		{"a zone", func(z *time.Location) string { return z.String() }, `"EST"`},
		{"an address", func(ip net.IP) bool { return ip.To4() != nil }, "true"},
		{"a range of addresses", func(p netip.Prefix) bool { return p.IsValid() && p.Bits() > 8 }, "true"},
		{"a picture", func(p image.Image) bool { return p.Bounds().Dx() > 2 }, "true"},
		{"a type", func(t reflect.Type) string { return t.Kind().String() }, `"slice"`},
		{"a name that a template asks for", func(template string, names map[string]int) bool {
			for name := range names {
				if len(name) > 2 && strings.Contains(template, "{{"+name+"}}") {
					return true
				}
			}
			return false
		}, "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := API{Funcs: []Func{{"f", reflect.ValueOf(tt.f)}}}
			lits := Literals{Strings: []string{"a+b", "Hello {{name}} and {{other}}"}}
			found := false
			for _, a := range mustAnswer(t, api, Request{Mode: Detail, Literals: lits, Cases: casesOf("f", 300)}) {
				found = found || a.Kind == AnswerCase && strings.Contains(a.Out, tt.want)
			}
			if !found {
				t.Errorf("no answer is %s", tt.want)
			}
		})
	}
}

type kettle struct{ warm int }

func newKettle(set ...func(*kettle)) *kettle {
	k := &kettle{}
	for _, f := range set {
		f(k)
	}
	return k
}

func warmTo(n int) func(*kettle) { return func(k *kettle) { k.warm = n } }

func (k *kettle) Warm() int { return k.warm }

func TestOptionsMayBeFunctionsOfNoTypeOfTheirOwn(t *testing.T) {
	api := API{Funcs: []Func{{"newKettle", reflect.ValueOf(newKettle)}, {"warmTo", reflect.ValueOf(warmTo)}}, Types: []Type{{"kettle", reflect.TypeFor[kettle]()}}}
	set := 0
	for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf("kettle.Warm", 60)}) {
		if a.Kind == AnswerCase && strings.Contains(a.In, "warmTo(") && !strings.HasPrefix(a.Out, "0") {
			set++
		}
	}
	if set < 5 {
		t.Errorf("%d of 60 kettles are warm", set)
	}
}
