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

func TestAPackingMeasuredWithoutAProcessHasTheValuesOfTheEvaluator(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the evaluator needs python3, which is not on the PATH")
	}
	dir := t.TempDir()
	if err := examples.Copy("circle-packing", dir); err != nil {
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
	rng := rand.New(rand.NewPCG(1, 2))
	told := 0
	for range 60 {
		before, table, between, _, after, _ := cutPacking(string(data))
		words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(table))
		for i, w := range words {
			if v, err := strconv.ParseFloat(w, 64); err == nil {
				words[i] = strconv.FormatFloat(v+0.02*rng.NormFloat64(), 'f', -1, 64)
			}
		}
		text := before + packingTable + strings.Join(words, " ") + "]" + between + packingMargin + []string{"0.001", "1e-7", "0.0", "-0.01"}[rng.IntN(4)] + "\n" + after
		want, err := c.ask(text)
		got, ok := c.packing.measure(text)
		if !ok {
			continue // it leaves this to the evaluator
		}
		told++
		if err != nil {
			t.Fatalf("the evaluator refused what was measured: %v\n%s", err, text)
		}
		for name, v := range want {
			if math.Abs(got[name]-v) > 1e-12 {
				t.Errorf("%s = %v, want %v", name, got[name], v)
			}
		}
	}
	if told < 15 {
		t.Errorf("%d of 60 packings were measured without the process", told)
	}
	for what, text := range map[string]string{
		"another program": strings.Replace(string(data), "/ 2.0", "/ 2.5", 1), "a circle less": strings.Replace(string(data), "(0.0833, 0.1), ", "", 1), "a name in the table": strings.Replace(string(data), "(0.0833,", "(MARGIN,", 1),
	} {
		if _, ok := c.packing.measure(text); ok {
			t.Errorf("%s was measured without the process", what)
		}
	}
}
