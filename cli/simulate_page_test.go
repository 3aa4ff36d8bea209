package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASimulationIsAPageWithCurves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan := []string{"simulate", "--machines", "4", "--jobs", "200", "--sweep-jobs", "60", "--cost", "0.01", "--edit", "lognormal:30s,0.6"}
	if out := must(t, dir, append(plan, "--html", "plan.html")...); out != "wrote plan.html\n" {
		t.Errorf("it says %q", out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "plan.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := must(t, dir, plan...)
	for _, line := range strings.Split(text, "\n") { // the page has all that is printed
		for _, word := range strings.Fields(strings.TrimSuffix(line, ":")) {
			if !strings.Contains(strings.ReplaceAll(string(page), "&#43;", "+"), strings.Trim(word, ":")) && word != "with" && word != "what" {
				t.Errorf("%q of %q is not on the page", word, line)
			}
		}
	}
	for want, n := range map[string]int{"<svg": 6, "Jobs an hour": 1, "Dollars spent": 1, "--sweep-jobs 60": 1} {
		if got := strings.Count(string(page), want); got < n {
			t.Errorf("%q is there %d times", want, got)
		}
	}
	if n := strings.Count(text, "\n"); n < 30 || !strings.Contains(text, "\nthroughput  ") || !strings.Contains(text, "\nAFTER ") || !strings.Contains(text, "\nwhat strict order costs with these machines:\n") {
		t.Errorf("the text has %d lines:\n%s", n, text)
	}
	if c := atoll(t, dir, append(plan, "--html", "no/such/plan.html")...); c.code != 2 || !strings.Contains(c.err, "there is no folder") {
		t.Errorf("a folder that is not there: exit %d, %s", c.code, c.err)
	}
}
