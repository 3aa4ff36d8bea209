package probe

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// page is a table whose copies share what they hold until one of them writes.
type page struct {
	rows   *[]row
	shared bool
}

type row struct{ key, value int }

// inPlace says that a row that is there is written where it stands, whoever shares it.
var inPlace bool

func newPage() *page { return &page{rows: new([]row)} }

func (p *page) Copy() *page {
	p.shared = true
	return &page{p.rows, true}
}

func (p *page) Set(key, value int) {
	at := slices.IndexFunc(*p.rows, func(r row) bool { return r.key == key })
	if p.shared && (at < 0 || !inPlace) {
		own := slices.Clone(*p.rows)
		p.rows, p.shared = &own, false
	}
	if at < 0 {
		*p.rows = append(*p.rows, row{key, value})
		return
	}
	(*p.rows)[at].value = value
}

func (p *page) Get(key int) (value int, ok bool) {
	for _, r := range *p.rows {
		if r.key == key {
			return r.value, true
		}
	}
	return 0, false
}

func (p *page) Each(f func(key, value int) bool) {
	for _, r := range *p.rows {
		if !f(r.key, r.value) {
			return
		}
	}
}

func TestWhatIsWrittenToACopyAndReadInItsOriginalDiffers(t *testing.T) {
	api := API{Funcs: []Func{{"newPage", reflect.ValueOf(newPage)}}, Types: []Type{{"page", reflect.TypeFor[page]()}}}
	q := Request{Mode: Survey, Count: 300, Groups: []string{"page.Set"}}
	outs := map[string]string{}
	for _, a := range mustAnswer(t, api, q) {
		outs[a.In] = a.Out
	}
	inPlace = true
	defer func() { inPlace = false }()
	differ := 0
	for _, a := range mustAnswer(t, api, q) {
		if a.Kind == AnswerCase && outs[a.In] != a.Out {
			differ++
		}
	}
	if differ == 0 {
		t.Error("no case tells a copy that shares from one that does not")
	}
}

func TestWhatAnObjectHoldsIsToldByItsMethods(t *testing.T) {
	p := newPage()
	p.Set(3, 4)
	p.Set(1, 2)
	r := &runner{lib: newLibrary(API{Types: []Type{{"page", reflect.TypeFor[page]()}}}, Literals{})}
	if got := r.contents(reflect.ValueOf(p)); !strings.HasSuffix(got, "Each= 1 2; 3 4") {
		t.Errorf("it holds %q", got)
	}
}

func TestSomeOrdersOfACallerCallValuesEqualThatDiffer(t *testing.T) {
	type pair struct{ Key, Value int }
	for _, values := range [][2]any{{2, 3}, {"ab", "Ac"}, {pair{1, 2}, pair{1, 3}}, {2.25, 2.5}} {
		of := reflect.TypeOf(values[0])
		less := reflect.FuncOf([]reflect.Type{of, of}, []reflect.Type{reflect.TypeFor[bool]()}, false)
		kinds := map[[2]bool]bool{}
		for seed := range uint64(60) {
			f, _ := (&maker{d: seeded(seed), lib: newLibrary(API{}, Literals{})}).function(less)
			a, b := reflect.ValueOf(values[0]), reflect.ValueOf(values[1])
			kinds[[2]bool{f.Call([]reflect.Value{a, b})[0].Bool(), f.Call([]reflect.Value{b, a})[0].Bool()}] = true
		}
		if len(kinds) != 3 || kinds[[2]bool{true, true}] {
			t.Errorf("%v are in the orders %v", values, kinds)
		}
	}
}

// set is given by a function and is of a type that callers cannot name.
type set interface {
	Add(n int)
	Has(n int) bool
	With(other set) set
}

type members map[int]bool

func newSet(list ...int) set {
	t := members{}
	for _, n := range list {
		t.Add(n)
	}
	return t
}

func (t members) Add(n int)          { t[n] = true }
func (t members) Has(n int) bool     { return t[n] }
func (t members) With(other set) set { return other }

func TestMethodsOfAnInterfaceThatFunctionsGiveAreCalled(t *testing.T) {
	api := API{Funcs: []Func{{"newSet", reflect.ValueOf(newSet)}}, Types: []Type{{"set", reflect.TypeFor[set]()}}}
	written := map[string]bool{}
	for _, a := range mustAnswer(t, api, Request{Mode: Survey, Count: 200, Groups: []string{"set.Add", "set.Has", "set.With"}}) {
		if a.Kind == AnswerCase {
			written[a.Group] = true
		}
	}
	if len(written) != 3 {
		t.Errorf("called were %v", written)
	}
	if api.Types = append(api.Types, Type{"members", reflect.TypeFor[members]()}); len(mustAnswer(t, api, Request{Mode: Survey, Count: 1, Groups: []string{"set.Add"}})) > 8 {
		t.Error("an interface is called for although the type behind it has a name")
	}
}

// ring tells how it is full.
type ring struct{ n int }

func (r *ring) Push(int)   { r.n++ }
func (r *ring) Full() bool { return r.n == 37 }

func TestHowOftenAMethodIsCalledIsANumberOfTheCase(t *testing.T) {
	r := &runner{lib: newLibrary(API{Types: []Type{{"ring", reflect.TypeFor[ring]()}}}, Literals{})}
	for _, g := range r.lib.groups() {
		if g.name != "ring.Full" {
			continue
		}
		for seed := range uint64(200) {
			o := r.run(g, seeded(seed))
			for i := range o.places {
				p := &o.places[i]
				if again := r.run(g, replayed(p.with(o.choices, p.spellWhole(37)))); strings.Contains(again.out, "true") {
					return
				}
			}
		}
	}
	t.Error("no number of a case is how often it calls a method")
}

// book keeps names, and gives the list itself where bare is set.
type book struct{ names []any }

var bare bool

func (b *book) Add(name string) { b.names = append(b.names, name) }

func (b *book) Names() []any {
	if bare {
		return b.names
	}
	return slices.Clone(b.names)
}

func TestAListOfAnObjectThatACallerWritesToIsShared(t *testing.T) {
	shared := func() bool {
		api := API{Types: []Type{{"book", reflect.TypeFor[book]()}}}
		q := Request{Mode: Detail, Count: 40}
		for i := range q.Count {
			q.Cases = append(q.Cases, Case{Group: "book.Names", Index: i})
		}
		return slices.ContainsFunc(mustAnswer(t, api, q), func(a Answer) bool { return strings.Contains(a.Out, ShareMark) })
	}
	if bare = true; !shared() {
		t.Error("the list itself is not told")
	}
	if bare = false; shared() {
		t.Error("a copy is told as shared")
	}
}

// shelves keeps values by keys of any type.
type shelves struct{ items map[any]any }

func newShelves() *shelves                { return &shelves{map[any]any{}} }
func (s *shelves) Put(key, value any) int { s.items[key] = value; return len(s.items) }

func TestFewHistoriesEndAtWhatIsNoKey(t *testing.T) {
	api := API{Funcs: []Func{{"newShelves", reflect.ValueOf(newShelves)}}, Types: []Type{{"shelves", reflect.TypeFor[shelves]()}}}
	q := Request{Mode: Detail, Count: 300}
	for i := range q.Count {
		q.Cases = append(q.Cases, Case{Group: "shelves.Put", Index: i})
	}
	long, ended := 0, 0
	for _, a := range mustAnswer(t, api, q) {
		if strings.Count(a.In, "x.Put(") > 12 {
			if long++; strings.Contains(a.Out, "panic") {
				ended++
			}
		}
	}
	if long < 10 || ended*2 > long {
		t.Errorf("of %d long histories %d ended", long, ended)
	}
}

// bag gives what it holds in the order of a map.
type bag struct{ items map[int]bool }

func newBag() *bag { return &bag{map[int]bool{}} }

func (b *bag) Put(n int) { b.items[n] = true }

func (b *bag) All() (out []int) {
	for n := range b.items {
		out = append(out, n)
	}
	return out
}

func TestWhatAMethodGivesInNoOrderIsLearntAndThenTheSameEachTime(t *testing.T) {
	api := API{Funcs: []Func{{"newBag", reflect.ValueOf(newBag)}}, Types: []Type{{"bag", reflect.TypeFor[bag]()}}}
	q := Request{Mode: Survey, Count: 200, Groups: []string{"bag.Put"}}
	for _, a := range mustAnswer(t, api, q) {
		if a.Kind == AnswerNoOrder {
			q.Unordered = append(q.Unordered, a.Group)
		}
	}
	if !slices.Equal(q.Unordered, []string{"probe.bag.All"}) {
		t.Fatalf("without an order are %v", q.Unordered)
	}
	outs := map[int]string{}
	for _, a := range mustAnswer(t, api, q) {
		if a.Kind == AnswerCase {
			outs[a.Index] = a.Out
		}
	}
	for _, a := range mustAnswer(t, api, q) {
		if a.Kind == AnswerCase && outs[a.Index] != a.Out {
			t.Fatalf("case %d has two outcomes", a.Index)
		}
	}
}
