package examples_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config"
)

// pack measures a solution.py with the given text.
func pack(t *testing.T, dir string, l config.Loaded, text string) (result, string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "solution.py"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return measure(t, dir, l)
}

// grid is a valid packing without any slack: every number is exact in binary,
// and neighbours touch.
const grid = `
def grid(n):
    r = 0.0625
    out = [((2 * i + 1) * r, (2 * j + 1) * r, r) for i in range(8) for j in range(8)]
    return out[:n]
`

// harness runs many answers through the evaluator's own check in one process.
const harness = grid + `
import json, math, os, sys
sys.path.insert(0, "evaluator")
import evaluate
verdicts = []
for body in json.load(sys.stdin):
    scope = {"g": grid(26), "grid": grid, "math": math}
    exec(body, scope)
    text = scope.get("text") or "\n".join("%r %r %r" % tuple(c) for c in scope["g"])
    try:
        evaluate.check(evaluate.parse(text.encode()))
        verdicts.append("")
    except ValueError as e:
        verdicts.append(str(e))
json.dump(verdicts, sys.stdout)
`

func TestCirclesAreCheckedExactly(t *testing.T) {
	dir, _ := copyOf(t, "circle-packing")
	cases := []struct{ name, body, want string }{
		{"circles that touch each other and the walls are fine", "pass", ""},
		{"whole numbers are fine where they fit", "g[0] = (0.0625, 0.0625, 0.0625)", ""},
		{"one circle too few", "g = grid(25)", "exactly 26 circles are wanted, not 25"},
		{"one circle too many", "g = grid(27)", "exactly 26 circles are wanted, not 27"},
		{"an overlap by 1e-12", "g[9] = (g[9][0], g[9][1], g[9][2] + 1e-12)", "overlap"},
		{"an overlap by the last bit", "g[9] = (g[9][0], g[9][1], math.nextafter(g[9][2], 1))", "overlap"},
		{"an overlap that a rounded distance hides", "g[9] = (math.nextafter(g[9][0], 0), g[9][1], g[9][2])", "overlap"},
		{"two circles in one place", "g[1] = g[0]", "overlap"},
		{"through the wall by the last bit", "g[0] = (math.nextafter(0.0625, 0), 0.0625, 0.0625)", "leaves the square"},
		{"through the far wall by the last bit", "g[7] = (g[7][0], math.nextafter(g[7][1], 2), g[7][2])", "leaves the square"},
		{"outside altogether", "g[0] = (-3.0, 2.0, 0.1)", "leaves the square"},
		{"a radius of 0", "g[3] = (g[3][0], g[3][1], 0.0)", "circle 3 has a radius of 0.0"},
		{"a radius of minus 0", "g[3] = (g[3][0], g[3][1], -0.0)", "circle 3 has a radius of -0.0"},
		{"a negative radius", "g[3] = (g[3][0], g[3][1], -0.1)", "circle 3 has a radius of -0.1"},
		{"NaN as a radius", "g[3] = (g[3][0], g[3][1], float('nan'))", "circle 3 holds a number that is not finite"},
		{"infinity as a place", "g[3] = (float('inf'), g[3][1], 0.1)", "circle 3 holds a number that is not finite"},
		{"a number beyond all doubles", "text = '1e999 1 1\\n' * 26", "not finite"},
		{"pairs instead of triples", "text = '0.5 0.5\\n' * 26", "circle 0 is not three numbers"},
		{"words", "text = 'a b c\\n' * 26", "could not convert"},
		{"an empty answer", "text = '\\n' * 26", "circle 0 is not three numbers"},
		{"a flood", "text = '1 ' * 70000", "longer than"},
		{"digits that are not ASCII", "text = '\\u0661 1 1\\n' * 26", "codec"},
	}
	var bodies []string
	for _, c := range cases {
		bodies = append(bodies, c.body)
	}
	in, err := json.Marshal(bodies)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-I", "-S", "-B", "-c", harness)
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(string(in)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []string
	if err := json.Unmarshal(out, &verdicts); err != nil || len(verdicts) != len(cases) {
		t.Fatalf("verdicts %s: %v", out, err)
	}
	for i, c := range cases {
		if got := verdicts[i]; (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: verdict %q, want %q", c.name, got, c.want)
		}
	}
}

func TestACandidateIsRefusedAsAWhole(t *testing.T) {
	dir, l := copyOf(t, "circle-packing")
	for _, c := range []struct{ name, body, want string }{
		{"25 circles", "return grid(n - 1)", "exactly 26 circles are wanted, not 25"},
		{"an error in the candidate", "raise RuntimeError('lost')", "lost"},
		{"a process that ends early", "import os; os._exit(0)", "exactly 26"},
		{"more output than a pipe holds", "import os, stat; [os.write(f, b'1 ' * 70000) for f in range(3, 64) if os.path.exists(f'/dev/fd/{f}') and stat.S_ISFIFO(os.fstat(f).st_mode)]; os._exit(0)", "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := strings.ReplaceAll(c.body, "; ", "\n    ")
			if r, complaint := pack(t, dir, l, grid+"\ndef pack_circles(n=26):\n    "+body+"\n"); !strings.Contains(complaint, c.want) {
				t.Errorf("complaint = %q, want %q (result %+v)", complaint, c.want, r)
			}
		})
	}
}

// A candidate cannot change how it is measured: it runs in another process.
func TestCirclesIgnoreWhatTheCandidatePatches(t *testing.T) {
	dir, l := copyOf(t, "circle-packing")
	r, complaint := pack(t, dir, l, grid+`
import math, os, sys
math.fsum = lambda xs: 1e9
print('{"metrics": [{"name": "sum_radii", "value": 99}]}')
open(os.environ.get("ATOLL_RESULT", os.devnull), "w").write('{"metrics": [{"name": "sum_radii", "value": 99}]}')

def pack_circles(n=26):
    print("sum 99")
    yield from grid(n)
`)
	if complaint != "" || r.value(t, "sum_radii") != 26*0.0625 {
		t.Errorf("sum = %+v, complaint %q", r, complaint)
	}
}

func TestTheOtherPackingsAreCheckedByTheSameEvaluator(t *testing.T) {
	first, _ := copyOf(t, "circle-packing")
	read := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(dir, "evaluator", "evaluate.py"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, circles := range map[string]string{"circle-packing-32": "32", "circle-packing-optimiser": "26"} {
		dir, _ := copyOf(t, name)
		text := strings.NewReplacer("N = 26", "N = "+circles, "26 circles", circles+" circles", "exactly 26", "exactly "+circles).Replace(read(first))
		if name == "circle-packing-optimiser" { // it says how many steps the program may take
			text = strings.NewReplacer("N = 26\n", "N = 26\nSTEPS = 200\n", "pack_circles(%d)", "pack_circles(%d, %d)", `""" % N`, `""" % (N, STEPS)`).Replace(text)
		}
		if read(dir) != text {
			t.Errorf("%s: its evaluator differs in more than the number of circles", name)
		}
	}
}
