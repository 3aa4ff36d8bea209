package bench

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// packers is the example, and a way to measure that compiles each candidate as it is.
func packers(t *testing.T) (p Problem, b *bins, each func(map[string]string) (map[string]float64, error)) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the example needs go, which is not on the PATH")
	}
	dir := t.TempDir()
	p, err := open(t.Context(), "bin-packing", dir+"/example", dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = startBins(t.Context(), dir+"/example", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	other, err := startBins(t.Context(), dir+"/example", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return p, b, func(files map[string]string) (map[string]float64, error) {
		program, err := other.program(t.Context(), packerFiles(files))
		if err != nil {
			return nil, err
		}
		return other.play(t.Context(), program, nil)
	}
}

// same wants a candidate to have the metrics, or the refusal, of one that is compiled as it is.
func same(t *testing.T, what string, got, want map[string]float64, err, refused error) {
	t.Helper()
	if !maps.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(refused) {
		t.Errorf("%s: %v, %v, want %v, %v", what, got, err, want, refused)
	}
}

func TestAPackerThatReadsItsTableHasTheResultsOfOneThatIsCompiledWithIt(t *testing.T) {
	p, b, each := packers(t)
	const table = "{0, -10, -20, -30, -40, -50, -60, -70, -80, -90, -100}"
	for _, c := range []struct {
		name, old, replacement string
		compiled               int // programs more
	}{
		{"as the example has it", table, table, 1},
		{"other numbers", table, "{1.25, -1e1, -2.5e-3, 0x1p-3, -40, -55.5, -0.0, 0, 1_000, -90, 1e-300}", 0},
		{"a number less", table, "{0, -10, -20, -30, -40, -50, -60, -70, -80, -90}", 1},
		{"a number more", table, "{0, -10, -20, -30, -40, -50, -60, -70, -80, -90, -100, -110}", 0},
		{"a number that no float64 holds", table, "{0, -10, -20, -30, -40, -50, -60, -70, -80, -90, -1e400}", 0},
		{"a number that is too small for one", table, "{-1e-400, -10, -20, -30, -40, -50, -60, -70, -80, -90, -100}", 1},
		{"a zero below zero divides", "return worth[low]", "return 1 / worth[3]", 1},
		{"it reads beyond the table", "low >= 10", "low >= 12", 1},
		{"a type that does not fit", "return worth[10]", "return room", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := maps.Clone(p.Root)
			text := files["packing/priority.go"]
			files["packing/priority.go"] = strings.Replace(text, c.old, c.replacement, 1)
			if !strings.Contains(text, c.old) {
				t.Fatalf("the example has no %s", c.old)
			}
			if strings.Contains(c.name, "below zero") {
				files["packing/priority.go"] = strings.Replace(files["packing/priority.go"], "-30", "-0.0", 1)
			}
			before := len(b.kept)
			got, err := b.measure(t.Context(), files)
			if n := len(b.kept) - before; n != c.compiled {
				t.Errorf("%d programs were compiled, want %d", n, c.compiled)
			}
			want, refused := each(files)
			same(t, c.name, got, want, err, refused)
		})
	}
}

func TestWhatMayReadATableBeforeItIsThereIsCompiledAsItIs(t *testing.T) {
	for name, text := range map[string]string{
		"another variable calls":   "package packing\n\nvar worth = [2]float64{1, 2}\n\nvar first = read()\n",
		"a table calls":            "package packing\n\nvar worth = [2]float64{1, read()}\n",
		"it does not parse":        "package packing\n\nvar worth = [2]float64{1, 2\n",
		"it has the name":          "package packing\n\nvar worth = [2]float64{1, 2}\n\nvar atollNumbers int\n",
		"a long number":            "package packing\n\nvar worth = [2]float64{1, " + strings.Repeat("9", 50) + "}\n",
		"a table in a function":    "package packing\n\nfunc worth() float64 { return [2]float64{1, 2}[0] }\n",
		"a table of other numbers": "package packing\n\nvar worth = [2]float32{1, 2}\n",
	} {
		files := map[string]string{"p_priority.go": text}
		if rest, numbers := cutNumbers(files); len(numbers) > 0 || !maps.Equal(rest, files) {
			t.Errorf("%s: %v were taken out, and left was %s", name, numbers, rest)
		}
	}
	rest, numbers := cutNumbers(map[string]string{
		"b.go": "package packing\n\nvar b = []float64{3: 7, -4.5, read}\n", "a.go": "package packing\n\nvar (\n\ta = [...]float64{1, +2, 3}\n\tc = 4.0\n)\n",
	})
	want := map[string]string{
		"b.go": "package packing\n\nvar b = []float64{3: 7, atollNumbers[2], read}\n", "a.go": "package packing\n\nvar (\n\ta = [...]float64{atollNumbers[0], +2, atollNumbers[1]}\n\tc = 4.0\n)\n",
	}
	if !maps.Equal(rest, want) || fmt.Sprint(numbers) != "[1 3 -4.5]" {
		t.Errorf("of two files were taken out %v, and left was %s", numbers, rest)
	}
}

func TestPackersOfASearchHaveTheResultsOfThoseThatAreCompiledEach(t *testing.T) {
	suitetest.Full(t, "it compiles the candidates of a search; TestAPackerThatReadsItsTableHasTheResultsOfOneThatIsCompiledWithIt stands for it")
	p, b, each := packers(t)
	read := 0
	p.Measure = func(ctx context.Context, files map[string]string) (map[string]float64, error) {
		if _, numbers := cutNumbers(packerFiles(files)); len(numbers) > 0 {
			read++
		}
		got, err := b.measure(ctx, files)
		want, refused := each(files)
		same(t, files["packing/priority.go"], got, want, err, refused)
		return got, err
	}
	if _, err := Run(t.Context(), p, Ways()[0], 3, []int{40}, time.Now); err != nil {
		t.Fatal(err)
	}
	if read < 20 {
		t.Errorf("%d candidates had a table that was read", read)
	}
}
