package audit

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestPythonFiguresAreRadons compares with radon on the files of a folder, function by
// function.
func TestPythonFiguresAreRadons(t *testing.T) {
	dir := os.Getenv("ATOLL_RADON_DIR")
	if dir == "" {
		t.Skip("ATOLL_RADON_DIR names no folder of Python files; `apt-get install radon` has the program")
	}
	out, err := exec.Command("radon", "cc", "-j", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs map[string]json.RawMessage
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	same, other, missing, sumOurs, sumTheirs := 0, 0, 0, 0, 0
	for path, raw := range theirs {
		var fns []struct {
			Type, Name, Classname string
			Lineno, Complexity    int
		}
		if json.Unmarshal(raw, &fns) != nil {
			continue // a file that radon cannot read
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, path)
		ours := map[int]Function{}
		r := Run([]Source{{"src/" + filepath.Base(rel), data}})
		if len(r.Files) == 0 {
			continue
		}
		for _, f := range slices.Concat(r.Files[0].Functions, r.Files[0].Classes) {
			ours[f.Line] = f
		}
		for _, f := range fns {
			g, ok := ours[f.Lineno]
			for d := 1; !ok && d < 12; d++ { // radon's line is that of the first decorator
				g, ok = ours[f.Lineno+d]
			}
			if !ok {
				missing++
				t.Logf("%s:%d %s is not found", path, f.Lineno, f.Name)
				continue
			}
			sumOurs, sumTheirs = sumOurs+g.Cyclomatic, sumTheirs+f.Complexity
			if g.Cyclomatic == f.Complexity {
				same++
				continue
			}
			other++
			t.Logf("%s:%d %s has %d, radon says %d", path, f.Lineno, f.Name, g.Cyclomatic, f.Complexity)
		}
	}
	t.Logf("%d functions equal, %d differ, %d missing; sums %d and %d", same, other, missing, sumOurs, sumTheirs)
	if n := same + other + missing; n == 0 || float64(other+missing) > 0.01*float64(n) {
		t.Errorf("more than one in a hundred functions differ")
	}
}
