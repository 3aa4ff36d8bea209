package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnExperimentThatDrewParentsByTheFormerDefaultGoesOnWithIt(t *testing.T) {
	t.Parallel()
	dir := stairs(t, "2")
	file := filepath.Join(dir, "atoll.yaml")
	plain, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	with := func(selection string) {
		t.Helper()
		text := strings.Replace(string(plain), "\nagents:", "\nsearch: {selection: "+selection+"}\nagents:", 1)
		if text == string(plain) {
			t.Fatalf("no agents in\n%s", plain)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	with("rank") // as the configuration was stored where nothing was said
	must(t, dir, "run", "--headless")
	if err := os.WriteFile(file, plain, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "run", "--headless", "--max-jobs", "4")
	if out := must(t, dir, "jobs", "--json"); strings.Count(out, "by rank with chance") != 4 || strings.Contains(out, "of the draws") {
		t.Errorf("the jobs say\n%s", out)
	}
	with("uniform")
	refused(t, atoll(t, dir, "run", "--headless", "--max-jobs", "5"), "search.selection", "rank")
}
