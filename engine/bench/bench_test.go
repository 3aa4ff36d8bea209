package bench_test

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/engine/bench"
	"atoll/examples"
)

func mustOpen(t *testing.T, name string) bench.Problem {
	t.Helper()
	e, err := examples.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	for program, needed := range map[string]bool{"python3": e.NeedsPython, "go": e.NeedsGo} {
		if _, err := exec.LookPath(program); needed && err != nil {
			t.Skipf("the example %s needs %s, which is not on the PATH", name, program)
		}
	}
	p, err := bench.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestEveryExampleIsMeasuredAndItsStartIsTheStatedOne(t *testing.T) {
	for _, name := range bench.Names() {
		e, err := examples.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			p := mustOpen(t, e.Name)
			got, err := p.Measure(t.Context(), p.Root)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got[e.Objective]-e.Start) > 1e-9 {
				t.Errorf("%s = %v, want %v", e.Objective, got[e.Objective], e.Start)
			}
		})
	}
}

func TestThePlantIsThatOfTheExample(t *testing.T) {
	p := mustOpen(t, "deceptive")
	dir := t.TempDir()
	if err := examples.Copy("deceptive", dir); err != nil {
		t.Fatal(err)
	}
	theirs := func(files map[string]string) (map[string]float64, bool) {
		for path, text := range files {
			if strings.HasPrefix(path, "modules/") {
				if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		cmd := exec.Command("sh", "evaluator/evaluate.sh")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "ATOLL_RESULT="+filepath.Join(dir, "result"))
		if cmd.Run() != nil {
			return nil, false
		}
		data, err := os.ReadFile(filepath.Join(dir, "result"))
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Metrics []struct {
				Name  string
				Value float64
			}
		}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		for _, m := range r.Metrics {
			out[m.Name] = m.Value
		}
		return out, true
	}
	set := func(changes ...string) map[string]string {
		files := maps.Clone(p.Root)
		for path, text := range files {
			if strings.HasPrefix(path, "modules/") {
				files[path] = strings.NewReplacer(changes...).Replace(text)
			}
		}
		return files
	}
	for name, files := range map[string]map[string]string{
		"untouched":         p.Root,
		"pump on its way":   set("speed = 50", "speed = 62", "inlet = 50", "inlet = 55"),
		"pump finished":     set("speed = 50", "speed = 61", "stroke = 50", "stroke = 42", "inlet = 50", "inlet = 56", "prime = 50", "prime = 44"),
		"both on their way": set("speed = 50", "speed = 62", "inlet = 50", "inlet = 56", "delay = 50", "delay = 58", "seat = 50", "seat = 42"),
		"both finished": set("speed = 50", "speed = 62", "stroke = 50", "stroke = 42", "inlet = 50", "inlet = 56",
			"lift = 50", "lift = 44", "delay = 50", "delay = 58", "spring = 50", "spring = 60", "seat = 50", "seat = 44"),
		"the wrong way":  set("speed = 50", "speed = 2"),
		"a long number":  set("speed = 50", "speed = 100"),
		"a missing dial": set("lift = 50\n", ""),
		"twice":          set("lift = 50", "delay = 50"),
		"no number":      set("lift = 50", "lift = -3"),
	} {
		want, ok := theirs(files)
		got, err := p.Measure(context.Background(), files)
		if ok != (err == nil) || ok && !maps.Equal(got, want) {
			t.Errorf("%s: %v %v, the example says %v %v", name, got, err, want, ok)
		}
	}
}

func TestARunIsTheSameForTheSameSeedAndEveryWayGoesToItsEnd(t *testing.T) {
	p := mustOpen(t, "deceptive")
	for _, w := range bench.Ways() {
		var before bench.Result
		for i := range 2 {
			r, err := bench.Run(t.Context(), p, w, 7, []int{20, 60}, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			if r.Evaluations > 60 || len(r.Points) != 2 || r.Points[1].Best < r.Root {
				t.Errorf("%s: %+v", w.Name, r)
			}
			if last := r.Points[1]; i == 1 && (last != before.Points[1] || r.Jobs != before.Jobs) {
				t.Errorf("%s: the second run ended at %+v, the first at %+v", w.Name, last, before.Points[1])
			}
			before = r
		}
	}
}
