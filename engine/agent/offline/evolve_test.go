package offline_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

// bowl is a program with a table of numbers, and what it is worth: most at a point
// that differs in each number.
func bowl(text string) float64 {
	_, rest, _ := strings.Cut(text, "[")
	list, _, _ := strings.Cut(rest, "]")
	sum := 0.0
	for i, word := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return math.Inf(-1)
		}
		d := v - 0.1 - 0.05*float64(i)
		sum -= d * d * float64(1+i%3)
	}
	return sum
}

// tableOf is a program with a table of so many numbers.
func tableOf(n int) string {
	return "T = [" + strings.Repeat("0.5, ", n-1) + "0.5]\n\n\ndef f(x):\n    return x * T[0]\n"
}

// evolving runs jobs on one program, each of which sees what ended late jobs before
// it; it returns the values and the texts.
func evolving(t *testing.T, jobs, late int, worth func(string) float64) (values []float64, texts []string) {
	t.Helper()
	root := newTree(map[string]string{"s.py": tableOf(10)})
	h := agent.NewHistory()
	h.Evolve(1)
	start := newJob(0, record.OpTune, root).Parent.ID
	for h.Evolving() == nil {
		h.Ended(agent.End{Operator: record.OpMutate, Candidate: record.NoCandidate, Parent: start, Best: start}, "")
	}
	var waiting []agent.End
	var tags []string
	for n := range jobs {
		j := newJob(n, record.OpTune, root)
		j.History = h.Clone()
		child, res := mustEdit(t, j, root)
		v := worth(child.data["s.py"])
		values, texts = append(values, v), append(texts, child.data["s.py"])
		waiting = append(waiting, agent.End{Operator: record.OpTune, Candidate: record.CandidateID(j.Number), Parent: start, Value: v, Best: start})
		tags = append(tags, offline.IntentTag(res.Intent))
		if len(waiting) > late {
			k := n % len(waiting) // out of order, as workers end
			h.Ended(waiting[k], tags[k])
			waiting, tags = append(waiting[:k:k], waiting[k+1:]...), append(tags[:k:k], tags[k+1:]...)
		}
	}
	return values, texts
}

func TestAnEvolutionTakesLargerStepsWhereSmallOnesChangeNothing(t *testing.T) {
	terrace := func(text string) float64 { return math.Round(2 * bowl(text)) } // small steps from the start stay on it
	values, _ := evolving(t, 300, 0, terrace)
	if values[0] > -1 || slices.Max(values) < 0 {
		t.Errorf("from %g no higher than %g in 300 samples, want 0", values[0], slices.Max(values))
	}
	first := slices.IndexFunc(values, func(v float64) bool { return v != values[0] })
	t.Logf("the first %d are alike", first)
	if first < 15 {
		t.Error("the first generation is not on one terrace, so that this is no test")
	}
}

func TestAnEvolutionComesNearTheBestNumbersAlsoWhereSamplesComeLate(t *testing.T) {
	for name, late := range map[string]int{"at once": 0, "late and out of order": 8} {
		t.Run(name, func(t *testing.T) {
			values, texts := evolving(t, 700, late, bowl)
			first, last := 0.0, 0.0
			for i := range 40 {
				first, last = first+values[i]/40, last+values[len(values)-1-i]/40
			}
			if last < first/100 {
				t.Errorf("from %g to %g on average, want a hundredth; the last is\n%s", first, last, texts[len(texts)-1])
			}
		})
	}
}

func TestTheSameSamplesGiveTheSameProgram(t *testing.T) {
	_, a := evolving(t, 120, 4, bowl)
	_, b := evolving(t, 120, 4, bowl)
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("job %d made\n%s\nand then\n%s", i, a[i], b[i])
		}
	}
}

func TestAnEvolutionNeedsAJobWithoutATargetAndNumbersEnough(t *testing.T) {
	many, few := newTree(map[string]string{"s.py": tableOf(5)}), newTree(map[string]string{"s.py": tableOf(2)})
	h := agent.NewHistory()
	h.Evolve(1)
	for h.Evolving() == nil {
		h.Ended(agent.End{Operator: record.OpMutate, Candidate: record.NoCandidate, Best: newJob(0, record.OpTune, many).Parent.ID}, "")
	}
	for name, c := range map[string]struct {
		root   *memory
		target agent.Target
		want   bool
	}{
		"many numbers": {many, agent.Target{}, true},
		"few numbers":  {few, agent.Target{}, false},
		"a target":     {many, agent.Target{Name: "s", Files: []string{"s.py"}}, false},
	} {
		j := newJob(1, record.OpTune, c.root)
		j.History, j.Target = h, c.target
		if _, res := mustEdit(t, j, c.root); strings.HasPrefix(res.Intent, "evolve ") != c.want {
			t.Errorf("%s: %s", name, res.Intent)
		}
	}
}
