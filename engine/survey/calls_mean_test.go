package survey_test

import (
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What a run measures is the time of the tests, so a function counts by its part of it.
func TestTheMeanOfCallsWeighsFunctionsByTheirShare(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, functions string
		want            float64
	}{
		{"by the shares", "[{'share': 0.75}, {'share': 0.25}]", 80},
		{"which need not add up to one", "[{'share': 0.3}, {'share': 0.1}]", 80},
		{"and alike where none is known", "[{}, {}]", 40},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, lang := range []struct{ name, program, flag, code string }{
				{"Python", "python3", "-c", "import measure; print(measure.mean(" + tc.functions + ", [160, 10]))"},
				{"JavaScript", "node", "-e", "console.log(require('./measure.cjs').mean(" + tc.functions + ", [160, 10]))"},
			} {
				path, err := exec.LookPath(lang.program)
				if err != nil {
					t.Skipf("%s is not on the PATH", lang.program)
				}
				cmd := exec.Command(path, lang.flag, lang.code)
				cmd.Dir = filepath.FromSlash("calls")
				cmd.Env = append(cmd.Environ(), "PYTHONDONTWRITEBYTECODE=1")
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", lang.name, err)
				}
				if got, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil || math.Abs(got-tc.want) > 1e-9 {
					t.Errorf("%s says %s, want %g", lang.name, out, tc.want)
				}
			}
		})
	}
}
