package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/store"
	"atoll/store/record"
)

// dials is a program of few states: many jobs come to the same tree.
const dials = "a = 2\nb = 5\nc = 3\n"

const dialsYAML = labHead + `
map:
  axes:
    - {metric: first, min: 0, max: 10, bins: 5}
    - {metric: second, min: 0, max: 10, bins: 5}
search:
  operators: {tune: 0.6, crossover: 0.4}
order: strict
`

// unevenly is a clock whose readers are held up at random: whoever measures how
// long something took is sooner or later than the others.
func unevenly(seed uint64) func() time.Time {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 1))
	return func() time.Time {
		mu.Lock()
		wait := time.Duration(max(0, rng.IntN(12)-8)) * time.Millisecond
		mu.Unlock()
		time.Sleep(wait)
		return time.Now()
	}
}

// ends tells how every job ended, by number: all of its row but times.
func (l *lab) ends() []string {
	l.t.Helper()
	jobs, err := l.ses.DB.Jobs(l.t.Context(), l.exp.ID, store.JobFilter{Limit: 100_000})
	if err != nil {
		l.t.Fatal(err)
	}
	var out []string
	for _, j := range jobs {
		j.EditMS, j.EvalMS, j.OwnMS, j.Created, j.Started, j.Ended = 0, 0, 0, 0, 0, 0
		row, err := json.Marshal(j)
		if err != nil {
			l.t.Fatal(err)
		}
		out = append(out, string(row))
	}
	return out
}

func TestOneSeedGivesOneResultWhateverTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		extra []string
	}{
		{"when jobs come to the same tree", map[string]string{"measure.sh": measure}, nil},
		{"when trees build the same product", map[string]string{
			"build.sh":   "awk '{printf \"%s = %d\\n\", $1, int($3/3)*3}' program.txt > product\n",
			"measure.sh": "sh build.sh && mv product program.txt\n" + measure,
		}, []string{
			"evaluator.artifact=product", "evaluator.protected=[measure.sh, build.sh]",
			"evaluator.stages=[{name: build, command: sh build.sh, output: none}, {name: full}]",
		}},
		{"on islands of which some end", map[string]string{"measure.sh": measure}, []string{"search.islands=3", "search.epoch=5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.extra != nil {
				suitetest.Full(t, "builds and islands; same trees stand for them")
			}
			t.Parallel()
			c.files["program.txt"] = dials
			many := suitetest.Pick([]int{1, 8}, []int{1, 3, 16}, []int{1, 2, 4, 8, 16})
			for seed := range suitetest.Pick(1, 2, 8) {
				var ends, made []string
				duplicates := 0
				for _, workers := range many {
					l := bareLab(t, c.files)
					l.begin(l.loaded(dialsYAML, append(c.extra, fmt.Sprintf("seed=%d", seed), fmt.Sprintf("workers=%d", workers), fmt.Sprintf("budget.jobs=%d", suitetest.Pick(40, 40, 120)))...))
					eng := engine.New(l.ses, l.exp.ID, engine.Options{Unattended: true, Now: unevenly(uint64(seed))})
					ctx, cancel := context.WithTimeout(t.Context(), 5*deadline)
					if err := eng.Run(ctx); err != nil {
						t.Fatalf("seed %d, %d workers: %v", seed, workers, err)
					}
					cancel()
					if workers == 1 {
						ends, made = l.ends(), l.candidates()
						duplicates += len(l.jobs(record.Duplicate))
						continue
					}
					if diff := same(ends, l.ends()); diff != "" {
						t.Errorf("seed %d: with %d workers a job ends otherwise than with one:\n%s", seed, workers, diff)
					}
					if diff := same(made, l.candidates()); diff != "" {
						t.Errorf("seed %d: %d workers make other candidates than one:\n%s", seed, workers, diff)
					}
					if refs := git(t, l.ses.Dir+"/store.git", "for-each-ref", "refs/atoll"); strings.Contains(refs, "attempt") {
						t.Errorf("seed %d, %d workers: attempt refs are left behind:\n%s", seed, workers, refs)
					}
				}
				if duplicates < 3 {
					t.Errorf("seed %d: %d duplicates show nothing", seed, duplicates)
				}
			}
		})
	}
}
