package offline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

func table(values ...any) string {
	return fmt.Sprintf("T = [\n    %v,\n    %v,\n    %v,\n    %v,\n]\n\n\ndef f(x):\n    return x * T[0]\n\n\ndef g(x):\n    return x + T[1]\n", values...)
}

func TestCrossoverOfNumbersMixesBothParents(t *testing.T) {
	a, b := newTree(map[string]string{"s.py": table(0.1, 0.2, 0.3, 0.4)}), newTree(map[string]string{"s.py": table(0.15, 0.25, 0.35, 0.45)})
	seen := map[string]bool{}
	for n := range 300 {
		child, res := mustEdit(t, newJob(n, record.OpCrossover, a, b), a)
		got := child.data["s.py"]
		if got == a.data["s.py"] || got == b.data["s.py"] {
			t.Fatalf("%d: %s: the child equals a parent", n, res.Intent)
		}
		if strings.HasPrefix(res.Intent, "blend") {
			continue
		}
		seen[got] = true
		for i, line := range strings.Split(got, "\n") {
			if la, lb := strings.Split(a.data["s.py"], "\n")[i], strings.Split(b.data["s.py"], "\n")[i]; line != la && line != lb {
				t.Fatalf("%d: %s: line %d %q is of neither parent", n, res.Intent, i+1, line)
			}
		}
	}
	if len(seen) != 14 { // 2^4 mixes without the two parents
		t.Errorf("%d of the 14 mixes came up in 300 crossovers", len(seen))
	}
}

func TestCrossoverTakesFunctionsHunksAndFiles(t *testing.T) {
	a := newTree(map[string]string{"s.py": table(0.1, 0.2, 0.3, 0.4), "h.py": "H = 1.5\n"})
	b := newTree(map[string]string{"s.py": strings.ReplaceAll(strings.ReplaceAll(table(0.1, 0.2, 0.3, 0.4), "x * T[0]", "abs(x)"), "x + T[1]", "-x"), "h.py": "H = 1.5 + 2\n", "new.py": "N = 3.5\n"})
	kinds := map[string]int{}
	for n := range 300 {
		child, res := mustEdit(t, newJob(n, record.OpCrossover, a, b), a)
		switch {
		case strings.Contains(res.Intent, "files"):
			kinds["files"]++
		case strings.Contains(res.Intent, "hunks"):
			kinds["hunks"]++
		case strings.Contains(res.Intent, ": f of s.py"), strings.Contains(res.Intent, ": g of s.py"):
			kinds["function"]++
			if strings.Contains(child.data["s.py"], "abs(x)") == strings.Contains(child.data["s.py"], "return -x") {
				t.Fatalf("%s: took more or less than one function:\n%s", res.Intent, child.data["s.py"])
			}
		}
		for path, got := range child.data {
			for i, line := range strings.Split(got, "\n") {
				if line != "" && !strings.Contains(a.data[path], line) && !strings.Contains(b.data[path], line) {
					t.Fatalf("%s: %s line %d %q is of neither parent", res.Intent, path, i+1, line)
				}
			}
		}
	}
	for _, k := range []string{"files", "hunks", "function"} {
		if kinds[k] == 0 {
			t.Errorf("no crossover of %s in 300: %v", k, kinds)
		}
	}
	if kinds["files"] < 100 {
		t.Errorf("%d of 300 crossovers of what differs in several files take whole files: %v", kinds["files"], kinds)
	}
}

func TestCrossoverOfGoTakesDeclarationsThatParse(t *testing.T) {
	a := newTree(map[string]string{"pack.go": goSample})
	for n := range 40 {
		b, _ := mustEdit(t, newJob(n, record.OpSeed, a), a)
		c, _ := mustEdit(t, newJob(n+1000, record.OpSeed, a), a)
		child, res := mustEdit(t, newJob(n, record.OpCrossover, b, c), b)
		if child.data["pack.go"] == b.data["pack.go"] {
			t.Errorf("%s changed nothing", res.Intent)
		}
	}
}

func TestCrossoverWithABetterDonorTakesMostOfIt(t *testing.T) {
	a, b := newTree(map[string]string{"s.py": table(0.1, 0.2, 0.3, 0.4)}), newTree(map[string]string{"s.py": table(0.15, 0.25, 0.35, 0.45)})
	share := func(parent, donor float64) float64 {
		taken, total := 0, 0
		for n := range 300 {
			j := newJob(n, record.OpCrossover, a, b)
			j.Parent.Objective, j.Inspirations[0].Objective = &parent, &donor
			child, res := mustEdit(t, j, a)
			if strings.HasPrefix(res.Intent, "cross") {
				taken += strings.Count(child.data["s.py"], "5,\n")
				total += 4
			}
		}
		return float64(taken) / float64(total)
	}
	if worse, better := share(2, 1), share(1, 2); worse > 0.5 || better < 0.5 {
		t.Errorf("%.2f of a worse donor and %.2f of a better one", worse, better)
	}
}

func TestCrossoverWithoutADonorThatDiffersDoesSomethingElse(t *testing.T) {
	a := newTree(map[string]string{"s.py": table(0.1, 0.2, 0.3, 0.4)})
	for n, others := range [][]*memory{nil, {a}, {newTree(map[string]string{"other.bin": "\x00"})}} {
		child, res := mustEdit(t, newJob(n, record.OpCrossover, a, others...), a)
		if child.data["s.py"] == a.data["s.py"] || strings.HasPrefix(res.Intent, "cross") {
			t.Errorf("%d: %s", n, res.Intent)
		}
	}
}

func TestCrossoverOfGoBringsTheImportsOfWhatItTakes(t *testing.T) {
	const slow = "package p\n\nimport \"fmt\"\n\nfunc f(n int) string {\n\treturn fmt.Sprint(n)\n}\n\nfunc g(n int) int {\n\treturn n + 1\n}\n"
	quick := strings.NewReplacer("\"fmt\"", "\"strconv\"", "fmt.Sprint(n)", "strconv.Itoa(n)", "n + 1", "n + 2").Replace(slow)
	a, b := newTree(map[string]string{"p.go": slow, "go.mod": "module p\n\ngo 1.24\n"}), newTree(map[string]string{"p.go": quick, "go.mod": "module p\n\ngo 1.24\n"})
	took := 0
	for n := range 200 {
		child, res := mustEdit(t, newJob(n, record.OpCrossover, a, b), a)
		got := child.data["p.go"]
		if strings.Contains(got, "strconv.Itoa") != strings.Contains(got, "\"strconv\"") || strings.Contains(got, "fmt.Sprint") != strings.Contains(got, "\"fmt\"") {
			t.Fatalf("%s: imports and text do not agree:\n%s", res.Intent, got)
		}
		if strings.HasPrefix(res.Intent, "cross") && strings.Contains(got, "strconv.Itoa") {
			took++
		}
	}
	if took == 0 {
		t.Error("no crossover took the function that needs an import: this test shows nothing")
	}
}

// pairOf is a job that merges what differs in two files, each of one number, so that each
// donor has two merges with the parent.
func pairOf(n int, donors ...string) (agent.Job, *memory) {
	a := newTree(map[string]string{"h.py": "H = 1.5\n", "s.py": "S = 1.5\n"})
	var others []*memory
	for _, d := range donors {
		others = append(others, newTree(map[string]string{"h.py": "H = " + d + "\n", "s.py": "S = " + d + "\n"}))
	}
	return newJob(n, record.OpCrossover, a, others...), a
}

func TestADonorWhoseMergeIsKnownIsPassedOver(t *testing.T) {
	for n := range 60 {
		job, a := pairOf(n, "2.5", "3.5")
		asked := 0
		job.Known = func(changes []record.Change) (bool, error) {
			asked++
			return !strings.Contains(string(changes[0].Data), "3.5"), nil
		}
		child, res := mustEdit(t, job, a)
		if got := child.data["h.py"] + child.data["s.py"]; strings.Contains(got, "2.5") || !strings.Contains(got, "3.5") && !strings.HasPrefix(res.Intent, "blend") {
			t.Fatalf("%d: %s: %q", n, res.Intent, got)
		}
		if strings.Contains(res.Intent, ";") || asked != 2 {
			t.Fatalf("%d: asked %d times, intent %q", n, asked, res.Intent)
		}
	}
}

func TestWhereAllMergesAreKnownOneOfThemStands(t *testing.T) {
	job, a := pairOf(1, "2.5", "3.5")
	job.Known = func([]record.Change) (bool, error) { return true, nil }
	if _, res := mustEdit(t, job, a); len(res.Changes) == 0 || !strings.Contains(res.Intent, "cross") && !strings.Contains(res.Intent, "blend") {
		t.Fatalf("%q changes %d files", res.Intent, len(res.Changes))
	}
}

func TestAnEditFailsWhereNobodyCanTellWhatIsKnown(t *testing.T) {
	job, a := pairOf(1, "2.5")
	gone := errors.New("the database is gone")
	job.Known = func([]record.Change) (bool, error) { return false, gone }
	if _, err := offline.New(offline.Options{}).Edit(t.Context(), job, a); !errors.Is(err, gone) {
		t.Fatalf("it ends with %v", err)
	}
}
