package cli_test

import (
	"strings"
	"testing"
)

func TestASearchWithoutAGainSaysSoAndWhatToDo(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "4")
	for range 5 { // a person wants none of them
		if strings.Contains(must(t, dir, "best"), "the root: nothing better was found yet") {
			break
		}
		must(t, dir, "reject", "best")
	}
	for _, args := range [][]string{{"promote", "best"}, {"promote", "best", "--verify"}, {"promote", "best", "--patch", "-"}} {
		c := atoll(t, dir, args...)
		if c.code != 1 || c.out != "" || !strings.Contains(c.err, "nothing better than the root was found yet") || strings.Count(c.err, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, %q", args, c.code, c.out, c.err)
		}
	}
	for _, args := range [][]string{{"diff", "best"}, {"diff", "root", "best"}, {"diff", "c1", "c1"}} {
		want := "atoll: there is no difference: " + map[bool]string{true: "both are c1", false: "the root"}[args[1] == "c1"]
		if c := atoll(t, dir, args...); c.code != 0 || c.out != "" || !strings.HasPrefix(c.err, want) || strings.Count(c.err, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, %q", args, c.code, c.out, c.err)
		}
	}
	if out := must(t, dir, "status"); !strings.Contains(out, "\nbest  the root: nothing better was found yet\n") {
		t.Errorf("status:\n%s", out)
	}
	if out := must(t, dir, "experiments"); !strings.Contains(out, " none\n") {
		t.Errorf("experiments:\n%s", out)
	}
	out := must(t, dir, "run", "--headless")
	for _, want := range []string{"\nbest  the root: nothing better was found yet\n", "\nnext  ", "run --max-jobs 104 ", "doctor --mutants 20 ", "config explain agents "} {
		if !strings.Contains(out, want) {
			t.Errorf("the end of the run does not say %q:\n%s", want, out)
		}
	}
	status, end := must(t, dir, "status"), out[strings.LastIndex(out, "\nbest  "):]
	for _, line := range strings.Split(end, "\n") {
		if (strings.HasPrefix(line, "jobs  ") || strings.HasPrefix(line, "map   ")) && !strings.Contains(status, line+"\n") {
			t.Errorf("the run ends with %q, and status says\n%s", line, status)
		}
	}
}
