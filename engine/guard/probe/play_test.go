package probe

import (
	"strings"
	"testing"
)

// jar is what the tests here try.
type jar struct{ names []string }

func (j *jar) Add(name string) int { j.names = append(j.names, name); return len(j.names) }

// playing registers one test of a jar for the test that runs.
func playing(t *testing.T, run func(*testing.T), register func()) {
	skipNothing(t)
	literals, scripts := stage.literals, stage.scripts
	stage.literals, stage.scripts = nil, nil
	t.Cleanup(func() { stage.literals, stage.scripts = literals, scripts })
	register()
	var numbers []int
	for n := range len(stage.literals) {
		numbers = append(numbers, n+1)
	}
	RegisterTest("TestJar", run, numbers...)
}

func TestATestIsPlayedWithOtherLiteralsCallsAndLists(t *testing.T) {
	run := func(t *testing.T) {
		j := &jar{}
		for _, name := range List(2, []string{"a", "b"}) {
			Seen(On(j).Add(name))
		}
		for range Often(3) {
			Seen(j.Add(Literal(1, "plum")))
		}
		if len(j.names) != 3 {
			t.Error("another number of names")
		}
	}
	playing(t, run, func() {
		RegisterLiteral(1, "jar_test.go:7", "plum")
		RegisterList(2, "jar_test.go:4", []string(nil), 2)
		RegisterCall(3, "jar_test.go:6", "j.Add")
	})
	found := map[string]bool{}
	answers := mustAnswer(t, API{}, Request{Mode: Detail, Cases: casesOf("TestJar", 200)})
	for _, a := range answers {
		if a.Kind != AnswerCase {
			continue
		}
		for _, part := range []string{` for "plum" (jar_test.go:7)`, "with item 1 of the list twice (jar_test.go:4)", "with j.Add 0 times (jar_test.go:6)"} {
			if strings.Contains(a.In, part) {
				found[part] = true
			}
		}
		failed := strings.HasSuffix(a.Out, "the test fails")
		if a.In == "TestJar" && (failed || a.Out != strings.Join([]string{"play_test.go:31 gave 1", "play_test.go:31 gave 2", "play_test.go:34 gave 3", "at its end thing 1 gave &{}"}, StepMark)) {
			t.Errorf("as it is written it told %q", a.Out)
		}
		if a.In == "TestJar, with j.Add 0 times (jar_test.go:6)" && (!failed || strings.Count(a.Out, " gave ") != 3) {
			t.Errorf("with one call less it told %q", a.Out)
		}
	}
	if len(found) != 3 || len(answers) < 200 {
		t.Errorf("of %d plays: %v", len(answers), found)
	}
}

func TestALineOfATestThatTellsSomethingElseEachTimeIsNotTold(t *testing.T) {
	n := 0
	run := func(*testing.T) {
		n++
		Seen(n)
		Seen(len(Literal(1, "plum")))
	}
	playing(t, run, func() { RegisterLiteral(1, "jar_test.go:2", "plum") })
	noticed := 0
	var lines []string
	for _, a := range mustAnswer(t, API{}, Request{Mode: Detail, Cases: casesOf("TestJar", 5)}) {
		if a.Kind == AnswerNoOrder {
			noticed++
			lines = append(lines, a.Group)
		}
	}
	if noticed != 1 {
		t.Fatalf("noticed %q", lines)
	}
	for _, a := range mustAnswer(t, API{}, Request{Mode: Detail, Habits: Habits{Unordered: lines}, Cases: casesOf("TestJar", 5)}) {
		if a.Kind == AnswerNoOrder || a.In == "TestJar" && a.Out != "play_test.go:74 gave 4" {
			t.Errorf("%s %s told %q", a.Kind, a.Group, a.Out)
		}
	}
}

func TestATestThatPanicsSaysNothing(t *testing.T) {
	run := func(t *testing.T) {
		text := Literal(1, "plum")
		t.Run("part", func(*testing.T) {
			defer Fell()
			Seen(text[3])
		})
	}
	playing(t, run, func() { RegisterLiteral(1, "jar_test.go:2", "plum") })
	void := 0
	for _, a := range mustAnswer(t, API{}, Request{Mode: Detail, Cases: casesOf("TestJar", 200)}) {
		if a.Void != strings.Contains(a.Out, "panic: runtime error") {
			t.Errorf("%s told %q", a.In, a.Out)
		}
		if a.Void {
			void++
		}
	}
	if void == 0 {
		t.Error("no text was too short")
	}
}
