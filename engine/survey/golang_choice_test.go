package survey

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// function is a benchmark function of some lines and time that runs the statements of some blocks, ten in each.
func function(top string, lines int, turn time.Duration, blocks ...string) *benchFunc {
	f := &benchFunc{top: top, lines: lines, turn: turn, ran: cover{}}
	for _, b := range blocks {
		f.ran[b] = 10
	}
	return f
}

func TestTheBenchmarksThatRunMostStay(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	var many []*benchFunc
	for i := range 32 {
		many = append(many, function(fmt.Sprint("F", i), 1, ms))
	}
	for name, tc := range map[string]struct {
		list []*benchFunc
		room time.Duration
		keep []string
		left string
	}{
		"all that have room":                                        {[]*benchFunc{function("A", 1, ms, "a"), function("B", 1, ms, "a")}, time.Second, []string{"A", "B"}, ""},
		"a costly one that adds nothing goes":                       {[]*benchFunc{function("Costly", 1, 900*ms, "a", "b"), function("Cheap", 1, 100*ms, "a", "b"), function("Tiny", 1, ms, "c")}, 11 * time.Second, []string{"Cheap", "Tiny"}, "Costly (10.8s)"},
		"a costly one that alone runs much stays before small ones": {[]*benchFunc{function("Small", 8, 10*ms, "a"), function("Much", 1, 800*ms, "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"), function("Other", 8, 10*ms, "l")}, 10 * time.Second, []string{"Much", "Small"}, "Other"},
		"where none has room the one that runs most":                {[]*benchFunc{function("Trivial", 1, ms, "a"), function("Main", 1, 100*ms, "a", "b", "c")}, ms, []string{"Main"}, "Trivial"},
		"where nothing is known the one of the fewest lines":        {[]*benchFunc{function("Many", 40, ms), function("Few", 20, ms)}, time.Minute, []string{"Few"}, "Many"},
		"where nothing is known they stand apart":                   {many, time.Minute, []string{"F0", "F10", "F12", "F14", "F16", "F18", "F2", "F20", "F22", "F24", "F26", "F28", "F30", "F4", "F6", "F8"}, "F1, F11, F13, F15, F17, F19, F21, F23, F25, F27, F29, F3, F31, F5, F7, F9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keep, left := pick(tc.list, tc.room)
			slices.Sort(left)
			if got := slices.Sorted(maps.Keys(keep)); !slices.Equal(got, tc.keep) || strings.Join(left, ", ") != tc.left {
				t.Errorf("kept %q, left %q", got, left)
			}
		})
	}
}

func TestWhatIsLeftOutOfALongMeasurement(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	list := []*benchFunc{function("Trivial", 1, 10*ms, "a"), function("Main", 1, 500*ms, "a", "b", "c"), function("Prepares", 1, 3000*ms, "a", "b")}
	for name, tc := range map[string]struct {
		list     []*benchFunc
		building time.Duration
		left     string
		told     string
	}{
		"what takes most of the time and adds nothing": {list, 4 * time.Second, "Prepares (36s)", "Prepares the most of them with 36s"},
		"nothing where building takes the time":        {list, 50 * time.Second, "", "building takes about 50s of it, and the benchmarks with the shortest -benchtime 42.1s, so leaving out benchmarks would not shorten it much"},
		"nothing where shorter ones are short enough":  {list[:2], 4 * time.Second, "", "so all stay, with that"},
		"nothing where there is one":                   {list[2:], 10 * time.Second, "", "would not shorten it much"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := cutOf(tc.list, tc.building, 40*time.Second)
			if got := strings.Join(c.left, ", "); got != tc.left || len(c.keep)+len(c.left) != len(tc.list) || !strings.Contains(c.told, tc.told) {
				t.Errorf("left %q, kept %v: %s", got, c.keep, c.told)
			}
		})
	}
}

func TestTheTimeOfEachBenchmarkHoldsWhatItPrepares(t *testing.T) {
	t.Parallel()
	event := func(at, action, test, output string) string {
		return fmt.Sprintf(`{"Time":"2026-01-01T10:00:%sZ","Action":%q,"Package":"example.com/x","Test":%q,"Output":%q}`, at, action, test, output)
	}
	text, took := eventsOf([]byte(strings.Join([]string{
		"go: something that is no event", event("00.0", "start", "", ""), event("00.1", "output", "", "pkg: example.com/x\n"),
		event("00.1", "run", "BenchmarkA", ""), event("00.1", "output", "BenchmarkA", "BenchmarkA\n"),
		event("02.1", "output", "BenchmarkA", "BenchmarkA-2 \t"), event("02.1", "output", "BenchmarkA", "1\t 7 ns/op\n"),
		event("02.1", "run", "BenchmarkB/sub", ""), event("02.6", "output", "BenchmarkB/sub", "BenchmarkB/sub-2 \t1\t 9000000 ns/op\n"),
	}, "\n")))
	lines := readBenches(text)
	if want := []bench{{"A", "example.com/x", 7}, {"B", "example.com/x", 9e6}}; !slices.Equal(lines, want) {
		t.Errorf("lines %v", lines)
	}
	if took["A"] != 2*time.Second || took["B"] != time.Second/2 {
		t.Errorf("took %v", took)
	}
	if list := functionsOf(lines, took, nil); list[0].turn != 6*time.Second+leastEach || list[1].turn != time.Second/2 {
		t.Errorf("turns of %v and %v: what is short is called more often", list[0].turn, list[1].turn)
	}
}

func TestTurnsOfABenchmarkTakeAllItsPartsIntoAccount(t *testing.T) {
	all := []bench{
		{top: "Merge", pkg: "p", ns: 5e3},
		{top: "Merge", pkg: "p", ns: 9.995e6},
		{top: "Get", pkg: "p", ns: 10},
		{top: "Load", pkg: "p", ns: 2e9},
		{top: "Other", pkg: "q", ns: 10},
	}
	want := []turns{{"Merge", 5}, {"Get", mostTurns}}
	if got := turnsOf(all, "p"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWhatEachBenchmarkRunsIsRead(t *testing.T) {
	t.Parallel()
	s := comparing{all: cover{}, ran: map[string]cover{}}
	often := s.read([]byte("block 2 example.com/x/a.go:1.2,3.4 2\nblock 3 example.com/x/b.go:1.2,3.4 5\nran A 40 2\nran B 0\nanything else\n"))
	if !maps.Equal(often, map[string]float64{"A": 40, "B": 0}) || s.ran["A"].statements() != 2 || len(s.ran["B"]) != 0 || s.all.statements() != 7 {
		t.Errorf("often %v, ran %v of %v", often, s.ran, s.all)
	}
}

func TestAFileOfTablesIsNoneThatBenchmarksCouldReach(t *testing.T) {
	for text, want := range map[string]bool{
		"package kit\n\nvar table = map[rune]string{'a': \"b\"}\n\nfunc init() { table['c'] = \"d\" }\n": true,
		"package kit\n\nvar table = map[rune]string{'a': \"b\"}\n":                                       true,
		"package kit\n\nfunc init() {}\n\nfunc Of(r rune) string { return \"\" }\n":                      false,
		"package kit\n\ntype kit int\n\nfunc (kit) init() {}\n":                                          false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "kit.go", text, 0)
		if got := onlySetsUp(file); err != nil || got != want {
			t.Errorf("%v of\n%s%v", got, text, err)
		}
	}
	if onlySetsUp(nil) {
		t.Error("a file that is not known is left out")
	}
}

func TestTheFoldersWhoseBenchmarksWereNotSeenAreNamed(t *testing.T) {
	t.Parallel()
	all := []bench{{"A", "example.com/x/a", 1}, {"B", "example.com/x/deep/b", 1}}
	if got := unseen([]string{"./a", "./deep/b", "./trees"}, all); !slices.Equal(got, []string{"./deep/b", "./trees"}) {
		t.Errorf("unseen %q", got)
	}
}
