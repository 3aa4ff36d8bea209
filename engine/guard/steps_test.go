package guard

import "testing"

func TestADifferenceBehindACallIsToldByWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		d    Difference
		want string
	}{
		{
			"another call then gives another value",
			Difference{Input: `x := NewBox(1); x.Join(". ")`, Root: `""; x after it {}; Join(". ")=". "; Len()=1`, Candidate: `""; x after it {}; Join(". ")="."; Len()=1`},
			`x := NewBox(1); x.Join(". ") gave ""; then Join(". ") gave ". " and gives "."`,
		},
		{
			"an argument is another then",
			Difference{Input: "kit.add([1])", Root: "None; arguments after it [1, 2]", Candidate: "None; arguments after it [2, 1]"},
			"kit.add([1]) gave None; then arguments was [1, 2] and is [2, 1]",
		},
		{
			"what is printed",
			Difference{Input: "kit.say()", Root: `None; printed 'a; b'`, Candidate: `None; printed 'a'`},
			"kit.say() gave None; it printed 'a; b' and prints 'a'",
		},
		{
			"what a call gives is told without what stays equal behind it",
			Difference{Input: "kit.cut({1: 2})", Root: "raises ValueError: can't; arguments after it {1: 2}", Candidate: "[]; arguments after it {1: 2}"},
			"kit.cut({1: 2}) raised ValueError: can't and gives []",
		},
		{
			"a line of a test of Go",
			Difference{Input: `ExampleParse, with "s" for "b" (kit_test.go:46)`, Root: `kit_test.go:42 gave 3, nil; printed "a"`, Candidate: `kit_test.go:42 gave 3, nil; printed "b"`},
			`ExampleParse, with "s" for "b" (kit_test.go:46): kit_test.go:42 gave 3, nil; it printed "a" and prints "b"`,
		},
		{
			"a call in a test of Python",
			Difference{Input: "Test.test of test_kit.py with 2 for 1", Root: "kit.query({'a': 'b'}): 'a=b'", Candidate: "kit.query({'a': 'b'}): raises ValueError: b"},
			"Test.test of test_kit.py with 2 for 1: kit.query({'a': 'b'}) gave 'a=b' and raises ValueError: b",
		},
		{"another line of a test", Difference{Input: "TestA, with 1 for 2 (a_test.go:1)", Root: "a_test.go:3 gave 1", Candidate: "a_test.go:4 gave 1"}, "TestA, with 1 for 2 (a_test.go:1) gave a_test.go:3 gave 1 and gives a_test.go:4 gave 1"},
		{
			"answers of several calls",
			Difference{Input: "x := Box{}; x.Has(1); x.Has(2)", Root: "true; false; x after it {}", Candidate: "true; true; x after it {}"},
			"x := Box{}; x.Has(1); x.Has(2) gave true; false and gives true; true",
		},
		{"a mark within a text parts nothing", Difference{Input: "Cut(1)", Root: `"a; b"`, Candidate: `"a; c"`}, `Cut(1) gave "a; b" and gives "a; c"`},
		{"quotes that do not close", Difference{Input: "Cut(1)", Root: `error: " ; x`, Candidate: `error: " ; y`}, `Cut(1) gave error: " ; x and gives error: " ; y`},
		{
			"what the candidate alone tells",
			Difference{Input: "x := B; x.String(); y := E; y.String()", Root: `"1B"; x after it 1`, Candidate: `"1B"; x after it 1; what an earlier call gave became another: "1E"`},
			`x := B; x.String(); y := E; y.String() gave "1B", and now what an earlier call gave became another: "1E"`,
		},
		{"one that tells less", Difference{Input: "Cut(1)", Root: "1; printed \"a\"", Candidate: "1"}, `Cut(1) gave 1; printed "a" and gives 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.d.String(); got != tt.want {
				t.Errorf("%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
