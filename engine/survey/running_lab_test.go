package survey_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestMakeIsNotWhatIsTimed(t *testing.T) {
	suitetest.Full(t, "surveys projects with make; TestWhatMakeOnlyBuildsIsRun stands for them")
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no compiler of C here")
	}
	const (
		short = "int main(void) { return 0; }\n"
		long  = "int main(void) {\n\tvolatile long s = 0;\n\tfor (long i = 0; i < 150000000; i++)\n\t\ts += i;\n\treturn 0;\n}\n"
		rules = ".PHONY: test\nslow := $(shell i=0; while [ $$i -lt 20000 ]; do i=$$((i+1)); done)\ntest: sum_test\n\t"
		build = "sum_test: sum.c\n\tcc -O1 -o sum_test sum.c\n"
	)
	for name, c := range map[string]struct {
		source, line string
		program      string   // that is timed by itself; "" for make as a whole
		check        []string // what is told
	}{
		"a program that does nothing":       {short, "./sum_test", "./sum_test", []string{"CHECK evaluator.command: ./sum_test takes ", "a program that does nothing", "next to nothing of the program"}},
		"a program that runs":               {long, "./sum_test", "./sum_test", nil},
		"a program that make alone can run": {short, "ATOLL=1 $(MAKE) -q sum_test && ./sum_test", "", []string{"CHECK evaluator.command: make test takes ", " are make itself: this measures next to nothing of the program"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Attr("timing", "what a program takes is told from what make takes, and from what nothing takes")
			t.Parallel()
			if name != "a program that runs" {
				suitetest.Full(t, "surveys a project; a program that runs stands for it")
			}
			r, said, err := surveyed(t, map[string]string{"Makefile": rules + c.line + "\n" + build, "sum.c": c.source})
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			notes := strings.Join(r.Measured.Notes, "\n")
			for _, want := range append(c.check, "CHECK evaluator.command: the time of the tests stands in") {
				if !strings.Contains(notes, want) || !strings.Contains(said, want) {
					t.Errorf("not told: %s\n%s", want, said)
				}
			}
			if c.check == nil && strings.Contains(notes, "next to nothing") || strings.Contains(notes, "compilers") {
				t.Errorf("told what is not so:\n%s", notes)
			}
			if timed := slices.Contains(r.Evaluator, c.program); timed != (c.program != "") || !strings.Contains(strings.Join(r.Evaluator, " "), "make test") || len(r.Scaffold) != 1 {
				t.Errorf("%q of %d files\n%s", r.Evaluator, len(r.Scaffold), said)
			}
		})
	}
}

func TestWhatMakeOnlyBuildsIsRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no compiler of C here")
	}
	const counts = "#include <stdio.h>\n\nint main(void) {\n\tvolatile long s = 0;\n\tfor (long i = 0; i < 20000000; i++)\n\t\ts += i;\n#ifdef TELLS\n\tputs(\"quick sort 1000 12 50.5 ns/op\\nheap sort 1000 9 70.5 ns/op\");\n#endif\n\treturn 0;\n}\n"
	for name, c := range map[string]struct {
		makefile string
		program  string // that is measured; "" for none
		said     string
	}{
		"one that tells": {"bench: bench.c\n\tcc -O1 -DTELLS -o bench bench.c\n", "./bench", "root: ns/op of 2 cases = "},
		"one program":    {"bench: bench.c\n\tcc -O1 -o bench bench.c\n", "./bench", "make -s bench builds ./bench and runs nothing, so ./bench is run"},
		"two programs":   {".PHONY: bench\nbench: one two\none two: bench.c\n\tcc -O1 -o $@ bench.c\n", "", "it builds, and runs nothing"},
		"what runs, too": {"bench: sum\n\t./sum\nsum: bench.c\n\tcc -O1 -o sum bench.c\n", "make", "reports no number that can be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "one program" {
				suitetest.Full(t, "surveys a project; one program stands for it")
			}
			r, said, err := surveyed(t, map[string]string{"Makefile": c.makefile, "bench.c": counts})
			if !strings.Contains(said, c.said) {
				t.Errorf("not told: %s\n%s", c.said, said)
			}
			if c.program == "" {
				if err == nil && r.Measured.Objective != "" {
					t.Errorf("%q measures %s", r.Evaluator, r.Measured.Objective)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if !slices.Contains(r.Evaluator, c.program) || c.program == "./bench" && !strings.Contains(strings.Join(r.Evaluator, " "), "make -s bench") {
				t.Errorf("%q\n%s", r.Evaluator, said)
			}
		})
	}
}
