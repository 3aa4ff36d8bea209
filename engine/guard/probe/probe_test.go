package probe

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type counter struct{ n int }

func (c *counter) Add(by int)  { c.n += by }
func (c *counter) Total() int  { return c.n }
func newCounter(n int) counter { return counter{n} }

var errOdd = errors.New("odd")

func half(n int) (int, error) {
	if n%2 != 0 {
		return 0, errOdd
	}
	return n / 2, nil
}

func testAPI() API {
	return API{
		Funcs: []Func{
			{"half", reflect.ValueOf(half)},
			{"newCounter", reflect.ValueOf(newCounter)},
			{"reader", reflect.ValueOf(func(r io.Reader, f func(string) bool, m map[string][]float64, e error, t time.Time) int {
				return len(m)
			})},
			{"channel", reflect.ValueOf(func(chan int) int { return 0 })},
		},
		Types:  []Type{{"counter", reflect.TypeFor[counter]()}},
		Errors: []Sentinel{{"errOdd", errOdd}},
	}
}

// skipNothing has no flag in the way of tests that are played: one matches whatever pattern there is, also that of what is skipped.
func skipNothing(t *testing.T) {
	t.Helper()
	was := flag.Lookup("test.skip").Value.String()
	set := func(text string) {
		if err := flag.Set("test.skip", text); err != nil {
			t.Error(err)
		}
	}
	set("")
	t.Cleanup(func() { set(was) })
}

func mustAnswer(t *testing.T, api API, q Request) []Answer {
	t.Helper()
	var b bytes.Buffer
	if err := answer(api, q, &b); err != nil {
		t.Fatal(err)
	}
	var out []Answer
	for d := json.NewDecoder(&b); ; {
		var a Answer
		if err := d.Decode(&a); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
}

func TestWhatCannotBeMadeIsNoGroup(t *testing.T) {
	var names []string
	for _, a := range mustAnswer(t, testAPI(), Request{Mode: Survey}) {
		if a.Kind == AnswerGroup {
			names = append(names, a.Group)
		}
	}
	if want := []string{"half", "newCounter", "reader", "counter.Add", "counter.Total"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestOneSeedGivesTheSameAnswersInAnyOrder(t *testing.T) {
	cases := func(backwards bool) map[string]Answer {
		out := map[string]Answer{}
		for _, a := range mustAnswer(t, testAPI(), Request{Mode: Survey, Seed: 3, Count: 80, Backwards: backwards}) {
			if a.Kind == AnswerCase {
				a.Position = 0
				out[a.Group+" "+string(rune(a.Index))] = a
			}
		}
		return out
	}
	there, back := cases(false), cases(true)
	if len(there) != 5*80 || !reflect.DeepEqual(there, back) {
		t.Errorf("%d and %d cases, or other answers", len(there), len(back))
	}
}

func TestChoicesReplayACase(t *testing.T) {
	var q Request
	for i := range 40 {
		q.Cases = append(q.Cases, Case{Group: "counter.Add", Index: i})
	}
	q.Mode = Detail
	for _, a := range mustAnswer(t, testAPI(), q) {
		if a.Kind != AnswerCase {
			continue
		}
		for _, b := range mustAnswer(t, testAPI(), Request{Mode: Detail, Cases: []Case{{Group: "counter.Add", Choices: a.Choices}}}) {
			if b.Kind == AnswerCase && len(a.Choices) > 0 && (b.In != a.In || b.Out != a.Out) {
				t.Errorf("%s gave %s, replayed %s gave %s", a.In, a.Out, b.In, b.Out)
			}
		}
	}
}

func TestOutcomesShowWhatACallerSees(t *testing.T) {
	lib := newLibrary(testAPI(), Literals{})
	type pair struct {
		A any
		b int
	}
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"nil is empty with a mark", []int(nil), NilMark + "[]"},
		{"so is a table", map[string]int(nil), NilMark + "map[]"},
		{"maps are in order", map[string]int{"b": 2, "a": 1}, `map["a":1 "b":2]`},
		{"numbers carry their mark", 1.5, FloatMark + "1.5"},
		{"fields of its own package alone are left out", pair{A: 3, b: 4}, "{A:int 3}"},
		{"an error that the package names", errOdd, `error "odd" is errOdd`},
		{"a closed value tells by its methods", counter{7}, "{ Total()=7}"},
		{"an iterator by what it yields", func(yield func(int) bool) { _ = yield(1) && yield(2) }, "yields 1 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := (&shower{lib: lib}).show(reflect.ValueOf(tt.v))
			if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(tt.want), " ") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestVariantsAreSimpler(t *testing.T) {
	c := []uint64{5, 0, 9, 2, 7}
	for _, v := range variants(c, 1000) {
		if len(v) > len(c) || len(v) == len(c) && slices.Compare(v, c) >= 0 {
			t.Errorf("%v is not simpler than %v", v, c)
		}
	}
}

func TestServeReadsARequestAndAppendsAnswers(t *testing.T) {
	dir := t.TempDir()
	request, result := filepath.Join(dir, "q"), filepath.Join(dir, "r")
	t.Setenv(RequestEnv, request)
	t.Setenv(ResultEnv, result)
	if err := os.WriteFile(request, []byte(`{"mode":"survey","count":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Serve(testAPI()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(result)
	if err != nil || !bytes.HasSuffix(data, []byte("{\"k\":\"end\"}\n")) {
		t.Errorf("got %s, %v", data, err)
	}
	if err := os.WriteFile(request, []byte(`{"mode":"dance"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Serve(testAPI()); !errors.Is(err, ErrRequest) {
		t.Errorf("got %v, want %v", err, ErrRequest)
	}
}

func TestInputsThatDoSomethingNewAreKeptAndVaried(t *testing.T) {
	watch := make([]byte, 4)
	api := API{Watch: watch, Funcs: []Func{{"narrow", reflect.ValueOf(func(a, b int) int {
		if a == 4711 {
			watch[0] = 1
			if b == a+1 {
				watch[1] = 1
				return 1
			}
		}
		return 0
	})}}}
	ask := func(q Request) []Answer {
		q.Literals, q.Groups, q.Count = Literals{NearInts: []int64{4711}}, []string{"narrow"}, 1000
		return mustAnswer(t, api, q)
	}
	corpus := map[string][][]uint64{}
	for _, a := range ask(Request{Mode: Explore, Close: []string{"narrow"}}) {
		if a.Kind == AnswerKeep {
			corpus[a.Group] = append(corpus[a.Group], a.Choices)
		}
	}
	if len(corpus["narrow"]) != 2 {
		t.Fatalf("%d inputs were kept, want one for each thing that happened", len(corpus["narrow"]))
	}
	hits := func(q Request) (n int) {
		q.Mode = Survey
		for _, a := range ask(q) {
			if a.Kind == AnswerCase && a.Out == short("1; ") || a.Kind == AnswerCase && a.Out == short("1") {
				n++
			}
		}
		return n
	}
	without, with := hits(Request{}), hits(Request{Corpus: corpus})
	if with < 5*max(1, without) {
		t.Errorf("with the corpus %d inputs go the narrow way, without it %d", with, without)
	}
}

func TestATextOfTheSourcesIsChangedWhereItsNumbersAre(t *testing.T) {
	lib := &library{lits: Literals{Strings: []string{"*/15", "~1.2.3"}}}
	want := map[string]func(string) bool{
		"a number below zero":          func(s string) bool { return strings.HasPrefix(s, "~1.2.-") },
		"one beyond 32 bits":           func(s string) bool { return s == "~1.2.4294967297" },
		"all numbers small":            func(s string) bool { return s == "~0.0.1" },
		"a part of another text":       func(s string) bool { return s == "~1/15.2.3" },
		"that part with a number of 1": func(s string) bool { return s == "~1/1.2.3" },
		"without what stands before":   func(s string) bool { return s == "1.2.3" },
	}
	for seed := range uint64(50_000) {
		m := &maker{d: seeded(seed), lib: lib}
		s := m.changed("~1.2.3")
		for what, is := range want {
			if is(s) {
				delete(want, what)
			}
		}
	}
	for what := range want {
		t.Errorf("never drawn: %s", what)
	}
}

func TestAPanicIsToldWithoutAddresses(t *testing.T) {
	type place struct{ At *int }
	one, two := new(int), new(int)
	for _, tc := range []struct {
		name string
		a, b any
		same bool
	}{
		{"a pointer", one, two, true},
		{"what holds a pointer", place{one}, place{two}, true},
		{"a value that cannot be made", unsupported{reflect.TypeFor[chan int]()}, unsupported{reflect.TypeFor[chan int]()}, true},
		{"values of two types that cannot be made", unsupported{reflect.TypeFor[chan int]()}, unsupported{reflect.TypeFor[chan bool]()}, false},
		{"plain values", [2]int{1, 2}, [2]int{1, 3}, false},
		{"a value with a text of its own", time.Second, time.Minute, false},
	} {
		a, b := panicText(tc.a), panicText(tc.b)
		if (a == b) != tc.same || strings.Contains(a, "0x") {
			t.Errorf("%s: %q and %q", tc.name, a, b)
		}
	}
}

func TestACaseThatWaitsForTheProcessorIsNotTooLong(t *testing.T) {
	ms := func(took, used, queued time.Duration) spent {
		return spent{took * time.Millisecond, used * time.Millisecond, queued * time.Millisecond}
	}
	for _, tt := range []struct {
		what string
		of   spent
		want bool
	}{
		{"it works", ms(900, 900, 0), false},
		{"it works too long", ms(1100, 1050, 40), true},
		{"others have the processor", ms(3000, 500, 2490), false},
		{"two threads work", ms(900, 1700, 0), false},
		{"it waits for nothing", ms(1100, 0, 5), true},
		{"it works and waits", ms(2500, 900, 700), false},
		{"it waits, on a busy machine", ms(4100, 0, 3900), true},
	} {
		if got := tt.of.tooLong(time.Second); got != tt.want {
			t.Errorf("%s: %t", tt.what, got)
		}
	}
	first := readClocks()
	for readClocks().since(first).used < 30*time.Millisecond { // works
	}
	if s := readClocks().since(first); s.took < 0 || s.used < 30*time.Millisecond || s.queued < 0 {
		t.Errorf("%+v", s)
	}
}
