package eval_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// shortest is the script of the first example of the documentation.
func shortest(t *testing.T) string {
	data, err := os.ReadFile("../../docs/evaluators.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "```sh\n")
	script, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the documentation has no script")
	}
	return script
}

const honestSort = `#include <stdio.h>
#include <stdlib.h>
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) { static int v[1 << 20]; int n = 0; while (n < 1 << 20 && scanf("%d", v + n) == 1) n++;
	qsort(v, n, sizeof *v, less); for (int i = 0; i < n; i++) printf("%d\n", v[i]); return 0; }
`

// hostileSort takes a hidden file in when it is compiled, and prints it and a time of
// its own.
const hostileSort = `#include <stdio.h>
__asm__(".section .rodata\n.global key\nkey: .incbin \"secret/key\"\n.byte 0\n.text");
extern const char key[];
int main(void) { puts(key); puts("0, \"higher_is_better\": true}], \"x\": [{"); return 0; }
`

func TestTheShortestExampleIsSafe(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	box, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.ModeNamespaces, Scratch: t.TempDir()})
	if err != nil {
		t.Skipf("this machine does not give the rung: %v", err)
	}
	t.Cleanup(func() { _ = box.Close() })
	root := mustTree(t, map[string]string{"measure.sh": shortest(t), "sort.c": honestSort, "secret/key": "HIDDEN"})
	e := mustNew(t, box, eval.Options{
		Command: []string{"sh ./measure.sh"}, Protected: []string{"measure.sh"}, Hidden: []string{"secret"},
		Objective: "time_ms", Direction: eval.Minimize, Timeout: 60 * time.Second, LookupEnv: systemPath(),
	})
	if out := mustRun(t, e, eval.Request{Base: root, Trusted: root}); out.Failed() || out.Objective < 0 {
		t.Fatalf("the honest one: %s: %s\n%s", out.Class, out.Reason, evidence(out, "stderr"))
	}
	out := mustRun(t, e, eval.Request{Base: root, Trusted: root, Candidate: 1, Delta: []record.Change{{Path: "sort.c", Mode: record.Regular, Data: []byte(hostileSort)}}})
	if !out.Failed() || strings.Contains(evidence(out, "stderr")+evidence(out, "stdout"), "HIDDEN") {
		t.Errorf("the hostile one: %s: %s: %g\n%s", out.Class, out.Reason, out.Objective, evidence(out, "stderr"))
	}
}
