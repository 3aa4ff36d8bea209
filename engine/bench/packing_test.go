package bench

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/examples"
)

// started is the evaluator of an example, and the example's program.
func started(t *testing.T, example string) (*circles, string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the evaluator needs python3, which is not on the PATH")
	}
	dir := t.TempDir()
	if err := examples.Copy(example, dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "solution.py"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := startCircles(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c, string(data)
}

// compare has programs measured both ways, and wants so many told without the process.
func compare(t *testing.T, c *circles, programs []string, least int) {
	t.Helper()
	told := 0
	for _, text := range programs {
		got, ok := c.short(text)
		if !ok {
			continue // it leaves this to the evaluator
		}
		told++
		want, err := c.ask(text)
		if err != nil {
			t.Fatalf("the evaluator refused what was measured: %v\n%s", err, text)
		}
		for name, v := range want {
			if math.Abs(got[name]-v) > 1e-12 {
				t.Errorf("%s = %v, want %v, in\n%s", name, got[name], v, text)
			}
		}
	}
	if told < least {
		t.Errorf("%d of %d packings were measured without the process", told, len(programs))
	}
}

func TestAPackingMeasuredWithoutAProcessHasTheValuesOfTheEvaluator(t *testing.T) {
	for _, example := range []string{"circle-packing", "circle-packing-32"} {
		t.Run(example, func(t *testing.T) {
			c, program := started(t, example)
			rng := rand.New(rand.NewPCG(1, 2))
			before, table, between, _, after, _ := cutPacking(program)
			var programs []string
			for range 60 {
				words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(table))
				for i, w := range words {
					if v, err := strconv.ParseFloat(w, 64); err == nil {
						words[i] = strconv.FormatFloat(v+0.02*rng.NormFloat64(), 'f', -1, 64)
					}
				}
				programs = append(programs, before+packingTable+strings.Join(words, " ")+"]"+between+packingMargin+[]string{"0.001", "1e-7", "0.0", "-0.01"}[rng.IntN(4)]+"\n"+after)
			}
			compare(t, c, programs, 15)
			_, first, _ := strings.Cut(program, packingTable)
			first, _, _ = strings.Cut(strings.TrimSpace(first), " (")
			for what, text := range map[string]string{
				"another program": strings.Replace(program, "/ 2.0", "/ 2.5", 1), "a circle less": strings.Replace(program, first, "", 1), "a name in the table": strings.Replace(program, "(0.0833,", "(MARGIN,", 1),
			} {
				if _, ok := c.short(text); ok || text == program {
					t.Errorf("%s was measured without the process", what)
				}
			}
		})
	}
}

func TestARelaxationMeasuredWithoutAProcessHasTheValuesOfTheEvaluator(t *testing.T) {
	c, program := started(t, "circle-packing-optimiser")
	rng := rand.New(rand.NewPCG(1, 2))
	programs := []string{program}
	for range 40 {
		lines := strings.Split(program, "\n")
		for i, line := range lines {
			name, number, _ := strings.Cut(line, " = ")
			if v, ok := constant(number); ok && name == strings.ToUpper(name) && rng.IntN(3) > 0 {
				v *= math.Exp(0.05 * rng.NormFloat64())
				lines[i] = name + " = " + strconv.FormatFloat(v, 'g', -1, 64)
			}
		}
		programs = append(programs, strings.Join(lines, "\n"))
	}
	compare(t, c, programs, 20)
	for what, text := range map[string]string{
		"another program": strings.Replace(program, "/ 2.0", "/ 2.5", 1), "a constant less": strings.Replace(program, "COOL = ", "# COOL = ", 1),
		"a name for a number": strings.Replace(program, "PUSH = 0.3", "PUSH = GROW", 1), "other steps": strings.Replace(program, "range(steps)", "range(2 * steps)", 1),
		"a line more": program + "MARGIN = 0.1\n",
	} {
		if _, ok := c.short(text); ok || text == program {
			t.Errorf("%s was measured without the process", what)
		}
	}
}
