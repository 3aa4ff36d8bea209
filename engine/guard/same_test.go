package guard

import (
	"strings"
	"testing"

	"atoll/engine/guard/probe"
)

func TestWhatCountsAsTheSameOutcome(t *testing.T) {
	shares := probe.ShareMark + "; writing to the result changes what it was made of" + probe.ShareMark
	keeps := probe.ShareMark + "; writing to what it was given changes what it gave or keeps" + probe.ShareMark
	layout := func(order string) string {
		return "{data: " + probe.LayoutMark + "[" + order + "]" + probe.LayoutMark + probe.AsideMark + "1, 3" + probe.AsideMark + "}"
	}
	for _, tt := range []struct {
		name            string
		root, candidate string
		same, butTold   bool
	}{
		{"equal text", "[1]", "[1]", true, false},
		{"another text", "[1]", "[2]", false, false},
		{"a number that differs by rounding", probe.FloatMark + "0.1", probe.FloatMark + "0.10000000000000002", true, false},
		{"nil for empty", "[]", probe.NilMark + "[]", true, true},
		{"empty for nil, and another number", probe.NilMark + "[] 1", "[] 2", false, false},
		{"another order within an object", layout("3, 1"), layout("1, 3"), true, true},
		{"another order within an object, and another number", layout("3, 1") + " 1", layout("1, 3") + " 2", false, false},
		{"a copy of what was shared", "[1]" + shares + "; printed 1", "[1]; printed 1", true, false},
		{"one of two things that were shared is a copy", "[1]" + shares + keeps, "[1]" + keeps, true, false},
		{"another thing is shared", "[1]" + shares, "[1]" + keeps, false, false},
		{"shared where a copy was", "[1]; printed 1", "[1]" + shares + "; printed 1", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := same("f()", tt.root, tt.candidate); got != tt.same {
				t.Errorf("same is %t, want %t", got, tt.same)
			}
			if got := sameButTold("f()", tt.root, tt.candidate); got != tt.butTold {
				t.Errorf("the same but for what is told is %t, want %t", got, tt.butTold)
			}
		})
	}
}

func TestAnotherNumberOfTheInputIsNoRounding(t *testing.T) {
	for _, tt := range []struct {
		name                string
		in, root, candidate string
		same                bool
	}{
		{"rounding beside large numbers", "Sum(1e9, 12.5)", "12.50001", "12.5", true},
		{"what is left of terms that cancel", "Spread(1e9, 2, 128.5)", "0", "128.5", true},
		{"short numbers of the input", "Spread(1e9, 2, 16)", "2", "16", true},
		{"another number of the input", "Nearest(1e9, -12.5, 13.25)", "-12.5", "13.25", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := same(tt.in, probe.FloatMark+tt.root, probe.FloatMark+tt.candidate); got != tt.same {
				t.Errorf("same is %t, want %t", got, tt.same)
			}
		})
	}
}

func TestAPanicForRoomThatNoMachineHasIsNoBehaviour(t *testing.T) {
	const none = "panic: strings: negative Repeat count"
	for _, tt := range []struct {
		name                string
		in, root, candidate string
		same                bool
	}{
		{"a number that nobody means", `Padded("a", 18446744073709551615)`, none, `"a"`, true},
		{"a small number", `Padded("a", -1)`, none, `"a"`, false},
		{"a panic of the library's own", `Padded("a", 18446744073709551615)`, "panic: too wide", `"a"`, false},
		{"a panic of the candidate alone", `Padded("a", 18446744073709551615)`, `"a"`, none, false},
		{"another answer before", `x.Pad(18446744073709551615)`, "1; " + none, "2; 3", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := same(tt.in, tt.root, tt.candidate); got != tt.same {
				t.Errorf("same is %t, want %t", got, tt.same)
			}
		})
	}
}

func TestALongCallIsToldByItsEndsBehindWhatDiffers(t *testing.T) {
	d := Difference{Where: "p.F", Kind: Output, Input: "p.F(" + strings.Repeat("x", 100000) + ", 7)", Root: "1", Candidate: "2"}
	if got := d.String(); len(got) > 400 || !strings.HasPrefix(got, "p.F gave 1 and gives 2 on p.F(xxx") || !strings.Contains(got, "(99748 more)") || !strings.HasSuffix(got, "x, 7)") {
		t.Errorf("told as %q", got)
	}
}
