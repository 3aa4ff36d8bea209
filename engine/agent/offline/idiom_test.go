package offline_test

import (
	"strings"
	"testing"

	"atoll/store/record"
)

const idiomSample = `package p

import "fmt"

// Key names a cell.
func Key(x, y int) string {
	s := ""
	for i := 0; i < x; i++ {
		s = fmt.Sprintf("%d:%d", i, y)
	}
	return s
}
`

func TestWhereTheObjectiveIsATimeRewritesThatKeepTheMeaningAreTried(t *testing.T) {
	tree := newTree(map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": idiomSample})
	count := func(metric string) (n int) {
		for k := range 40 {
			j := newJob(k, record.OpMutate, tree)
			j.Metric, j.Direction = metric, "minimize"
			next, res := mustEdit(t, j, tree)
			if !strings.HasPrefix(res.Intent, "idiom in Key at line 9: strconv for Sprintf") {
				continue
			}
			n++
			if got := next.data["p.go"]; !strings.Contains(got, `s = (strconv.Itoa(i) + ":" + strconv.Itoa(y))`) || strings.Contains(got, `"fmt"`) {
				t.Fatalf("%s", got)
			}
		}
		return n
	}
	for _, metric := range []string{"ns/op", "time_ms", "latency"} {
		if n := count(metric); n < 8 {
			t.Errorf("with the objective %s %d of 40 mutations are idioms", metric, n)
		}
	}
	for _, metric := range []string{"", "score", "terms", "sometimes"} {
		if n := count(metric); n != 0 {
			t.Errorf("with the objective %q %d of 40 mutations are idioms", metric, n)
		}
	}
}
