package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestVerbsThatMeasureSayWhatTheyDoBesideTheirData(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	for _, c := range []struct {
		args []string
		want []string // in this order
	}{
		{[]string{"init", "--yes", "--force", "--json"}, []string{"running sh eval.sh once", ", for up to 5m0s", "measuring the root by sh eval.sh, 1 of 3", "3 of 3; the last took "}},
		{[]string{"doctor", "--deep", "--json"}, []string{"reading what is kept", "measuring the root, 1 of 2: for up to ", "measuring the root, 2 of 2; the last took "}},
		{[]string{"doctor", "--mutants", "2", "--json"}, []string{"on trial with ", "one measurement: for up to ", "measuring the root, 5 times", "the root, 5 of 5", "trying "}},
	} {
		got := atoll(t, dir, c.args...)
		rest := got.err
		for _, want := range c.want {
			_, behind, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%v: no %q behind the others in\n%s", c.args, want, got.err)
				break
			}
			rest = behind
		}
		if got.out != "" && !json.Valid([]byte(got.out)) {
			t.Errorf("%v: no JSON:\n%s", c.args, got.out)
		}
	}
}
