package gitops

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"
)

// longest returns the length of a longest common subsequence, by the textbook.
func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// applySpans carries out a comparison.
func applySpans(old, now []string, spans []span) []string {
	var out []string
	at := 0
	for _, s := range spans {
		out = append(out, old[at:s.oldFrom]...)
		out = append(out, now[s.newFrom:s.newTo]...)
		at = s.oldTo
	}
	return append(out, old[at:]...)
}

func randomLines(rng *rand.Rand, n, alphabet int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(rng.IntN(alphabet))
	}
	return out
}

func TestCompareLinesIsRightAndShortest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		alphabet := 1 + rng.IntN(8)
		a, b := randomLines(rng, rng.IntN(30), alphabet), randomLines(rng, rng.IntN(30), alphabet)
		spans := compareLines(a, b)
		if got := applySpans(a, b, spans); !slices.Equal(got, b) {
			t.Fatalf("%v to %v: spans %v give %v", a, b, spans, got)
		}
		changed := 0
		for _, s := range spans {
			changed += s.oldTo - s.oldFrom + s.newTo - s.newFrom
		}
		if want := len(a) + len(b) - 2*longest(a, b); changed != want {
			t.Fatalf("%v to %v: %d lines changed, %d would do", a, b, changed, want)
		}
	}
}

func TestCompareLinesGivesUpInTime(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := randomLines(rng, 60000, 50), randomLines(rng, 60000, 50)
	before := processor(t)
	spans := compareLines(a, b)
	took := processor(t) - before
	if got := applySpans(a, b, spans); !slices.Equal(got, b) {
		t.Fatal("the comparison is wrong after it gave up")
	}
	if took > 10*time.Second {
		t.Fatalf("took %v of the processor", took)
	}
}

// processor is what this process used of it so far.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func TestSlideEndsWithTheClosingLine(t *testing.T) {
	t.Parallel()
	a := []string{"f {", "}", "", "h {", "}"}
	b := []string{"f {", "}", "", "g {", "}", "", "h {", "}"}
	if got, want := fmt.Sprint(compareLines(a, b)), "[{3 3 3 6}]"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}

func TestBadName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", ".", "..", "a/b", "a\x00b", ".git", ".GIT", ".gIt", "git~1", "GIT~1", ".git.", ".git ", ".git. .",
		".git:stream", ".git::$INDEX_ALLOCATION", "git~1 ", ".git\\config", "a\\.git", "a\\git~1\\b",
		".g\u200cit", "\u200e.git", ".git\ufeff", ".G\u206aIT", ".\u202agit",
	} {
		if badName(name) == "" {
			t.Errorf("%q is allowed", name)
		}
	}
	for _, name := range []string{
		"a", ".gitignore", ".gitattributes", "git", "git~2", "..a", "...", "a\\b", "\xff\xfe", "x.git", ".gi", ".git2",
		".git-keep", "a b", "-", "\u200c", "é", "git~1x", ".git\xff", " .git", "\n",
	} {
		if why := badName(name); why != "" {
			t.Errorf("%q is refused: it %s", name, why)
		}
	}
}

func TestParseTreeRefusesWhatNoCheckoutMayBeMadeOf(t *testing.T) {
	t.Parallel()
	item := func(mode, name string) string { return mode + " " + name + "\x00" + string(make([]byte, 20)) }
	for name, data := range map[string]string{
		"cut off in a hash":               item("100644", "a")[:20],
		"cut off in a name":               "100644 a",
		"a mode that is no number":        item("10x644", "a"),
		"a parent directory":              item("40000", ".."),
		"a git directory":                 item("40000", ".GIT"),
		"a slash":                         item("100644", "a/b"),
		"one name twice":                  item("100644", "a") + item("100644", "a"),
		"a file and a directory":          item("100644", "a") + item("40000", "a"),
		"a link and a directory far away": item("120000", "a") + item("100644", "a-b") + item("100644", "a.b") + item("40000", "a"),
		"names out of order":              item("100644", "b") + item("100644", "a"),
		"a directory sorted as a file":    item("40000", "a") + item("100644", "a.b"),
	} {
		if _, err := parseTree([]byte(data)); err == nil {
			t.Errorf("a tree with %s is accepted", name)
		}
	}
	good := item("100644", "a.b") + item("40000", "a") + item("100664", "a0") + item("160000", "s") + item("120000", "t")
	es, err := parseTree([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(encodeTree(es)); got != good {
		t.Errorf("a tree does not survive being read and written: %q", got)
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789"))
	f.Add([]byte("40000 a\x0001234567890123456789120000 b\x0001234567890123456789"))
	f.Fuzz(func(t *testing.T, data []byte) {
		es, err := parseTree(data)
		if err != nil {
			return
		}
		again, err := parseTree(encodeTree(es))
		if err != nil || !slices.Equal(es, again) {
			t.Fatalf("%v, then %v: %v", es, again, err)
		}
	})
}
