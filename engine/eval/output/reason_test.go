package output_test

import (
	"testing"

	"atoll/engine/eval/output"
)

func TestTheLineThatIsShownIsTheOneThatExplains(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stderr, stdout, want string }{
		"gcc, an error behind a warning": {`sum.c: In function 'main':
sum.c:8:9: warning: unused variable 'k' [-Wunused-variable]
    8 |     int k = 3;
      |         ^
sum.c:12:5: error: 'v' undeclared (first use in this function)
   12 |     v[0] = 1;
      |     ^
sum.c:12:5: note: each undeclared identifier is reported only once for each function it appears in
make: *** [Makefile:2: sum] Error 1
`, "", "sum.c:12: error: 'v' undeclared (first use in this function)"},
		"gcc, a warning, and then the program crashes": {`sum.c: In function 'main':
sum.c:21:17: warning: initialization of 'double *' from 'long unsigned int' makes pointer from integer without a cast [-Wint-conversion]
   21 |     double *v = (sizeof(double) * N);
      |                 ^
make: *** [Makefile:4: bench] Segmentation fault
`, "", "make: *** [Makefile:4: bench] Segmentation fault"},
		"mocha, a test that throws": {"", `
  1 passing (12ms)
  1 failing

  1) range expansion
       should expand ranges:
     ReferenceError: Cannot access 'i' before initialization
      at flat (lib/utils.js:105:30)
      at process.processImmediate (node:internal/timers:483:21)

`, "ReferenceError: Cannot access 'i' before initialization"},
		"node, a test with its two values on the lines behind": {"", "✖ adds (2.1ms)\n  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n  3 !== 4\n\n      at TestContext.<anonymous> (add.test.js:6:10)\n", "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 3 !== 4"},
		"node, a test with a difference on the lines behind":   {"", "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n  + actual - expected\n\n  + 'ab'\n  - 'abc'\n       ^\n\n      at TestContext.<anonymous> (add.test.js:6:10)\n", "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: + actual - expected + 'ab' - 'abc'"},
		"node, a failed test as TAP with its two values":       {"", "TAP version 13\n# Subtest: counts\nnot ok 1 - counts\n  ---\n  duration_ms: 2.1\n  location: '/a/index.test.js:4:1'\n  failureType: 'testCodeFailure'\n  error: |-\n    Expected values to be strictly equal:\n    \n    3 !== 8\n    \n  code: 'ERR_ASSERTION'\n  ...\nnot ok 2 - makes\n  ---\n  error: 'no such word'\n  ...\n", "not ok 1 - counts: Expected values to be strictly equal: 3 !== 8"},
		"node, a failed test as TAP with a line of why":        {"", "not ok 2 - makes\n  ---\n  error: 'no such word'\n  ...\n", "not ok 2 - makes: no such word"},
		"node, a failed test as TAP of which no error is told": {"", "not ok 2 - makes\n  ...\nnot ok 3 - more\n  ---\n  error: 'no such word'\n", "not ok 2 - makes"},
		"node, a colon with nothing behind it":                 {"", "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n      at TestContext.<anonymous> (add.test.js:6:10)\n", "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:"},
		"a trace of node without a word of why":                {"it went wrong\n    at flat (lib/utils.js:105:30)\n    at node:internal/main:1:2\n", "", "it went wrong"},
		"a crash behind output of the program":                 {"sum 12.5\nmake[1]: *** [Makefile:4: bench] Floating point exception (core dumped)\nmake: *** [Makefile:2: all] Error 2\n", "", "make[1]: *** [Makefile:4: bench] Floating point exception (core dumped)"},
		"a crash that bash tells, before the time":             {"a.c:9:12: warning: 'find' defined but not used\nbash: line 1:    17 Segmentation fault      ./words big.txt > /dev/null\n0.001 seconds\nmake: *** [Makefile:10: bench] Error 139\n", "", "Segmentation fault ./words big.txt > /dev/null"},
		"a crash that sh tells":                                {"Segmentation fault\n0.12\nmake: *** [Makefile:10: bench] Error 139\n", "12", "Segmentation fault"},
		"a crash of which the number alone is told":            {"0.12\nmake: *** [Makefile:10: bench] Error 139\n", "12", "make: *** [Makefile:10: bench] Error 139"},
		"a time, and that make's command ended badly":          {"real\t0m0.137s\nuser\t0m0.10s\n0.137 seconds\nmake: *** [Makefile:10: bench] Error 255\n", "", "make: *** [Makefile:10: bench] Error 255"},
		"an assertion that aborts":                             {"sum.c:8:9: warning: unused variable 'k'\n      |         ^\nsum: sum.c:20: main: Assertion `s > 0' failed.\nmake: *** [Makefile:4: bench] Aborted (core dumped)\n", "", "sum: sum.c:20: main: Assertion `s > 0' failed."},
		"g++, an error in a template": {`In file included from a.cpp:1:
b.hpp: In instantiation of 'T twice(T) [with T = S]':
a.cpp:5:8:   required from here
b.hpp:3:10: error: no match for 'operator+' (operand types are 'S' and 'S')
    3 |   return x + x;
      |          ~~^~~
`, "", "b.hpp:3: error: no match for 'operator+' (operand types are 'S' and 'S')"},
		"clang": {`sum.c:8:9: warning: unused variable 'k' [-Wunused-variable]
    8 |     int k = 3;
      |         ^
sum.c:12:3: error: use of undeclared identifier 'v'
   12 |   v[0] = 1;
      |   ^
1 warning and 1 error generated.
make: *** [Makefile:2: sum] Error 1
`, "", "sum.c:12: error: use of undeclared identifier 'v'"},
		"clang, of old, whose carets have no bar": {"sum.c:8:9: warning: unused variable 'k'\n    int k = 3;\n        ^\n1 warning generated.\nwrong sum\nmake: *** [bench] Error 1\n", "", "wrong sum"},
		"the linker": {`/usr/bin/ld: /tmp/cc1.o: in function ` + "`main'" + `:
sum.c:(.text+0x1d): undefined reference to ` + "`total'" + `
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: sum] Error 1
`, "", "sum.c:(.text+0x1d): undefined reference to `total'"},
		"make has no rule":                                  {"make: *** No rule to make target 'sum.c', needed by 'sum'.  Stop.\n", "", "make: *** No rule to make target 'sum.c', needed by 'sum'. Stop."},
		"make, and nothing but carets":                      {"sum.c:8:9: warning: unused variable 'k'\n    8 |     int k = 3;\n      |         ^~~~\nmake: *** [Makefile:4: test] Error 3\n", "", "make: *** [Makefile:4: test] Error 3"},
		"make, and a program that says nothing but figures": {"2355452533.000231\nmake: *** [Makefile:4: bench] Error 1\n", "ms = 30.6146\n", "make: *** [Makefile:4: bench] Error 1"},
		"figures alone":                                     {"", "sum 3\nms = 30.6146\n", "sum 3"},
		"a warning alone":                                   {"sum.c:8:9: warning: unused variable 'k'\n      |         ^~~~\n", "", "sum.c:8:9: warning: unused variable 'k'"},
		"tsc":                                               {"", "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts(1,1): error TS2304: Cannot find name 'x'.\n", "src/a.ts:3: error TS2322: Type 'string' is not assignable to type 'number'."},
		"tsc for people":                                    {"", "\x1b[96msrc/a.ts\x1b[0m:\x1b[93m3\x1b[0m:\x1b[93m7\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0mType 'string' is not assignable to type 'number'.\n\n3 const a: number = 'x';\n        ~\n\nFound 1 error in src/a.ts:3\n", "src/a.ts:3: error TS2322: Type 'string' is not assignable to type 'number'."},
		"pytest with its summary": {"", `    def test_top():
>       assert top("a b") == 3
E       assert 2 == 3

test_words.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_words.py::test_top - assert 2 == 3
1 failed in 0.02s
`, "FAILED test_words.py::test_top - assert 2 == 3"},
		"pytest without a summary":  {"", ">       assert top() == 3\nE       assert 2 == 3\nE        +  where 2 = top()\n\ntest_words.py:5: AssertionError\n1 failed in 0.02s\n", "assert 2 == 3"},
		"pytest that cannot import": {"", "E   ModuleNotFoundError: No module named 'wrods'\n=========================== short test summary info ============================\nERROR test_words.py\n!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!\n1 error in 0.05s\n", "ERROR test_words.py - ModuleNotFoundError: No module named 'wrods'"},
		"cargo build": {`warning: unused variable: ` + "`k`" + `
 --> src/lib.rs:2:9
  |
2 |     let k = 3;
  |         ^ help: if this is intentional, prefix it with an underscore

error[E0308]: mismatched types
 --> src/lib.rs:5:5
  |
5 |     "x"
  |     ^^^ expected ` + "`u32`, found `&str`" + `

For more information about this error, try ` + "`rustc --explain E0308`" + `.
error: could not compile ` + "`words`" + ` (lib) due to 1 previous error; 1 warning emitted
`, "", "src/lib.rs:5: error[E0308]: mismatched types"},
		"cargo test": {"error: test failed, to rerun pass `--lib`\n", `running 1 test
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----

thread 'tests::adds' (81) panicked at src/lib.rs:14:9:
assertion ` + "`left == right`" + ` failed
  left: 3
 right: 4

test result: FAILED. 0 passed; 1 failed
`, "thread 'tests::adds' (81) panicked at src/lib.rs:14:9: assertion `left == right` failed"},
		"nothing": {"", "\n", ""},
	} {
		if got := output.NewTelling().Line(c.stderr, c.stdout); got != output.OneLine(c.want, output.MaxReason) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
