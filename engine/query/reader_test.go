package query_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/fold/foldtest"
	"atoll/engine/query"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// silent is what jobs tell that do not run.
type silent struct{}

func (silent) LinesOf(record.JobID) []string            { return nil }
func (silent) PromptsOf(record.JobID) []record.Evidence { return nil }

// told is a story of a root, an elite in niche 5 with one that lost to it, a
// failure, and a job that waits.
func told(t *testing.T) (*foldtest.Story, *query.Reader) {
	t.Helper()
	s := foldtest.Begin(t, func(_ *record.Experiment, c *config.Config, set *record.Settings) {
		set.Goal = "be quick"
	})
	root := record.NewJob(0, 0, record.Evaluate)
	root.Purpose, root.Candidate, root.Samples = record.PurposeRoot, record.Root, 1
	s.Add(root)
	s.Measure(1, 0.05)
	for id, parent := range []record.CandidateID{0, 1, 1, 1} {
		j := record.NewJob(0, record.JobID(id+1), record.Make)
		j.Operator, j.Agent, j.Parent = record.OpMutate, "offline", parent
		s.Add(j)
		switch id {
		case 0:
			s.Measure(3, 0.55)
		case 1:
			s.Measure(2, 0.52)
		case 2:
			s.Fail(record.ClassBuild, "a.go:1: what is this")
		}
	}
	return s, reader(s)
}

func reader(s *foldtest.Story) *query.Reader {
	return query.NewReader(query.Options{Experiment: s.Exp.ID, DB: s.DB, Asker: query.Alone{State: s.State()}, Live: silent{}})
}

func TestANicheIsToldWithItsPast(t *testing.T) {
	_, r := told(t)
	for _, c := range []struct {
		name    string
		coords  []int
		elite   record.CandidateID
		runners string
	}{
		{"one that is held, with who lost", []int{5}, 1, "[c2]"},
		{"one that the root holds", []int{0}, 0, "[]"},
		{"an empty one", []int{9}, record.NoCandidate, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cell, err := r.Cell(t.Context(), c.coords)
			if err != nil {
				t.Fatal(err)
			}
			d, err := r.Niche(t.Context(), cell)
			if err != nil {
				t.Fatal(err)
			}
			elite := record.NoCandidate
			if d.Elite != nil {
				elite = d.Elite.Candidate.ID
			}
			runners := []record.CandidateID{}
			for _, one := range d.Runners {
				runners = append(runners, one.ID)
			}
			if elite != c.elite || fmt.Sprint(runners) != c.runners {
				t.Errorf("elite %s, runners %v", elite, runners)
			}
		})
	}
	if _, err := r.Cell(t.Context(), []int{10}); err == nil || !strings.Contains(err.Error(), "outside the map") {
		t.Errorf("a niche outside the map: %v", err)
	}
}

func TestAJobIsToldFromItsQueueToItsEnd(t *testing.T) {
	_, r := told(t)
	d, err := r.Job(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if d.Job.State != record.Failed || d.Candidate != nil || d.Parent == nil || d.Parent.ID != 1 {
		t.Errorf("told as %+v", d)
	}
	if first, last := d.Stages[0], d.Stages[len(d.Stages)-1]; first.Name != "queued" || last.Name != "failed" || !strings.Contains(last.Note, "what is this") {
		t.Errorf("its stages are %+v", d.Stages)
	}
	if _, err := r.Job(t.Context(), 99); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a job that is not there: %v", err)
	}
}

func TestJobsAreListedByWhatIsAskedFor(t *testing.T) {
	_, r := told(t)
	for _, c := range []struct {
		name string
		q    view.JobQuery
		want string
	}{
		{"all, newest first", view.JobQuery{}, "[#4 #3 #2 #1 #0]"},
		{"a page", view.JobQuery{Before: 3, Limit: 2}, "[#2 #1]"},
		{"those that failed", view.JobQuery{States: []record.JobState{record.Failed}}, "[#3]"},
		{"a kind", view.JobQuery{Kind: record.Evaluate}, "[#0]"},
		{"an operator that made none", view.JobQuery{Operator: record.OpTune}, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, err := r.Jobs(t.Context(), c.q)
			if err != nil {
				t.Fatal(err)
			}
			got := []record.JobID{}
			for _, l := range lines {
				got = append(got, l.Job.ID)
				if valued := l.Objective != nil; valued != (l.Job.ID == 1 || l.Job.ID == 2 || l.Job.ID == 0) {
					t.Errorf("%s has a value: %v", l.Job.ID, valued)
				}
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("listed %v, want %s", got, c.want)
			}
		})
	}
}

func TestAFamilyIsToldBothWays(t *testing.T) {
	_, r := told(t)
	l, err := r.Lineage(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Ancestors) != 2 || l.Ancestors[0].ID != record.Root {
		t.Errorf("ancestors %+v", l.Ancestors)
	}
	if !slices.ContainsFunc(l.Descendants, func(n view.LineageNode) bool { return n.ID == 2 && n.Intent == "edit #2" }) {
		t.Errorf("descendants %+v", l.Descendants)
	}
}

func TestOneThatWaitsIsToldWithItsValueInItsFamily(t *testing.T) {
	s, _ := told(t)
	job := s.Hold(0.7, 0.3) // its parent has 3
	f, err := reader(s).Lineage(t.Context(), record.CandidateID(job.ID))
	if err != nil {
		t.Fatal(err)
	}
	n := f.Ancestors[len(f.Ancestors)-1]
	if n.Status != record.StatusHeld || n.Objective == nil || *n.Objective != 0.7 || n.Delta == nil || math.Abs(*n.Delta+2.3) > 1e-9 || n.Told() != "0.7" {
		t.Errorf("%+v", n)
	}
}

func TestSettingsTellWhereTheirValuesComeFrom(t *testing.T) {
	_, r := told(t)
	rows, err := r.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, value, origin string }{
		{"goal", "be quick", "set while it runs"},
		{"evaluator.repeats", "1", "default"},
		{"evaluator.direction", "maximize", "default"},
	} {
		i := slices.IndexFunc(rows, func(s view.SettingInfo) bool { return s.Key == c.key })
		if i < 0 || rows[i].Value != c.value || rows[i].Origin != c.origin {
			t.Errorf("%s is told as %+v", c.key, rows[max(i, 0)])
		}
	}
}

func TestTheNextPromptIsOfTheOldestJobThatWaits(t *testing.T) {
	s, r := told(t)
	next, err := r.NextPrompt(t.Context(), "another goal")
	if err != nil || next.Job != 4 || next.Agent != "offline" || next.Text != "" {
		t.Errorf("told %+v, %v", next, err)
	}
	s.Fail(record.ClassAgent, "no answer")
	if next, err = reader(s).NextPrompt(t.Context(), ""); err != nil || next.Job != record.NoJob {
		t.Errorf("with an empty queue: %+v, %v", next, err)
	}
}

func TestARetryIsToldWithWhatItTriesAgain(t *testing.T) {
	s, _ := told(t)
	d := record.NewDecision(record.Retry)
	d.Job = 3
	s.Decide(d)
	again := record.NewJob(0, 5, record.Make)
	again.Operator, again.Agent, again.Parent, again.RetryOf = record.OpMutate, "offline", 1, 3
	s.Add(again)
	got, err := reader(s).Job(t.Context(), 3)
	if err != nil || !slices.Equal(got.Retries, []record.JobID{5}) {
		t.Errorf("retries %v, %v", got.Retries, err)
	}
}
