package offline_test

import (
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/store/record"
)

// strays reports whether an edit is one that mostly has a program behave in another way.
func strays(intent string) bool {
	for _, verb := range []string{"delete", "unwrap", "negate", "guard", "operator", "add term", "wrap", "copy"} {
		if strings.HasPrefix(intent, verb) {
			return true
		}
	}
	return false
}

func TestWhereBehaviourIsKeptSomeOfTheRewritesAreMadeAtOnce(t *testing.T) {
	tree := newTree(map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": hotSample})
	const from, jobs = 200, 100
	some := 0
	for k := from; k < from+jobs; k++ {
		j := newJob(k, record.OpMutate, tree)
		j.Metric, j.Direction, j.Keeps = "ns/op", "minimize", true
		j.Hot = []agent.Target{{Name: "p.go", Files: []string{"p.go"}}}
		if _, res := mustEdit(t, j, tree); strings.HasPrefix(res.Intent, "idioms together") {
			some++
		}
	}
	if some < jobs/3 {
		t.Errorf("of %d edits %d made some of the rewrites at once", jobs, some)
	}
}

func TestWhereBehaviourIsKeptFewEditsStray(t *testing.T) {
	tree := newTree(map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": `package p

func Turned(list []int, by int) (sum int) {
	for i, v := range list {
		if i < by && v > 0 {
			sum += v * by
		}
		if !(v == by || i == 3) {
			sum -= i
		}
		sum = sum * 3 % 1001
	}
	return sum + by - 1
}
`})
	count := func(keeps bool) (strayed int) {
		for k := range 300 {
			j := newJob(k, record.OpMutate, tree)
			j.Metric, j.Direction, j.Keeps = "ns/op", "minimize", keeps
			if _, res := mustEdit(t, j, tree); strays(res.Intent) {
				strayed++
			}
		}
		return strayed
	}
	if kept, freely := count(true), count(false); kept*2 > freely {
		t.Errorf("%d edits stray where behaviour is kept, %d elsewhere", kept, freely)
	}
}
