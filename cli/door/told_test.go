package door_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"atoll/cli/door"
	"atoll/engine"
	"atoll/engine/agent/broker"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

func TestAnErrorMeansTheSameAtEveryDoor(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want door.Kind
	}{
		{"a role that does not have the verb", engine.ErrRole, door.KindForbidden},
		{"no such candidate", store.ErrNotFound, door.KindMissing},
		{"no such task", broker.ErrNoTask, door.KindMissing},
		{"the log is being read", door.ErrLoading, door.KindLater},
		{"no answer in time", context.DeadlineExceeded, door.KindLater},
		{"words that make no sense", door.ErrCommand, door.KindBad},
		{"a branch that cannot be made", gitops.ErrBranch, door.KindBad},
		{"a branch that is there", gitops.ErrTaken, door.KindConflict},
		{"a decision that is none now", fold.ErrDecision, door.KindConflict},
		{"a decision that makes sense in no state", fold.ErrArgument, door.KindBad},
		{"a decision about what is not there", fold.ErrMissing, door.KindMissing},
		{"somebody was faster", store.ErrLost, door.KindConflict},
		{"a lease that ran out", broker.ErrLease, door.KindConflict},
		{"no engine runs here", door.ErrNoEngine, door.KindConflict},
		{"anything else", errors.New("disk"), door.KindInternal},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := door.KindOf(fmt.Errorf("asked: %w", tc.err)); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestANumberOfAJobIsReadWhole(t *testing.T) {
	for text, want := range map[string]record.JobID{"341": 341, "#341": 341, "0": 0, "": -1, "#": -1, "-1": -1, "12x": -1, "##1": -1, "1.5": -1, "99999999999999999999": -1, "c128": -1} {
		got, err := door.JobOf(text)
		if want < 0 && (!errors.Is(err, door.ErrCommand) || got != record.NoJob) || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: got %d %v, want %d", text, got, err, want)
		}
	}
}

func TestAboutWhatADecisionOfNichesIs(t *testing.T) {
	none := record.NewDecision(record.Freeze)
	for _, tc := range []struct {
		name, arg string
		want      func(*record.Decision)
		fails     bool
	}{
		{"a target", "target:parser", func(d *record.Decision) { d.Text = "parser" }, false},
		{"a target with a comma", "target:a,b", func(d *record.Decision) { d.Text = "a,b" }, false},
		{"a niche", "9,4", func(d *record.Decision) { d.Cell = 148 }, false},
		{"the candidate that holds one", "c12", func(d *record.Decision) { d.Candidate = 12 }, false},
		{"a niche that is none", "x,y", nil, true},
		{"a candidate that is none", "x", nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			niche := func(text string) (int, error) {
				at, err := record.ParseNiche(text)
				if err != nil {
					return -1, err
				}
				return 16*at[0] + at[1], nil
			}
			got, err := door.AboutNiche(record.Freeze, tc.arg, record.ParseCandidateID, niche)
			if tc.fails {
				if err == nil {
					t.Errorf("it is taken: %+v", got)
				}
				return
			}
			want := none
			tc.want(&want)
			if err != nil || got.Verb != want.Verb || got.Candidate != want.Candidate || got.Cell != want.Cell || got.Text != want.Text {
				t.Errorf("got %+v %v, want %+v", got, err, want)
			}
		})
	}
}

func TestTheArchiveIsToldInNumbersThatJSONHas(t *testing.T) {
	s := &view.Snapshot{Grid: view.Grid{
		Dims: []int{3, 4}, Filled: 1, Total: 12,
		Axes: []view.Axis{{Name: "time\x1b[31m", Edges: []float64{math.Inf(-1), 0.5, math.Copysign(0, -1), math.NaN()}}},
		Cells: []view.Cell{
			{Index: 7, Elite: 5, Objective: 2, Tries: 3, Runners: []record.CandidateID{4}},
			{Index: 11, Elite: record.NoCandidate, Tries: 1},
			{Index: -1, Elite: record.NoCandidate},
		},
	}}
	data, err := json.Marshal(door.GridOf(s))
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Axes []struct {
			Name  string
			Edges []*float64
		}
		Cells []struct {
			Niche   []int
			Elite   *int
			Runners []int
		}
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(g.Axes[0].Name, "\x1b") {
		t.Errorf("the name of an axis has a control character: %q", g.Axes[0].Name)
	}
	edges := g.Axes[0].Edges
	if edges[0] != nil || edges[1] == nil || *edges[1] != 0.5 || edges[2] == nil || math.Signbit(*edges[2]) || edges[3] != nil {
		t.Errorf("the edges are %s", data)
	}
	if c := g.Cells[0]; !slices.Equal(c.Niche, []int{1, 3}) || c.Elite == nil || *c.Elite != 5 || len(c.Runners) != 1 {
		t.Errorf("a niche that is held: %s", data)
	}
	if c := g.Cells[1]; !slices.Equal(c.Niche, []int{2, 3}) || c.Elite != nil || c.Runners == nil {
		t.Errorf("a niche that was tried: %s", data)
	}
	if c := g.Cells[2]; c.Niche != nil {
		t.Errorf("what has no place has one: %s", data)
	}
}

func TestAnAgentsYieldIsKnownFromItsFirstTryOn(t *testing.T) {
	cost := 3.0
	got := door.AgentYields(&view.Snapshot{Agents: []view.Yield{
		{Name: "idle"},
		{Name: "new", Weight: 1},
		{Name: "paid", Weight: 2, Tries: 8, Improved: 2, Low: 0.1, High: 0.6, CostUSD: &cost},
		{Name: "unmetered", Tries: 4, Improved: 1},
		{Name: "in vain", Weight: 1, Tries: 4, CostUSD: &cost},
	}})
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	value := func(v *float64) string {
		if v == nil {
			return "null"
		}
		return fmt.Sprint(*v)
	}
	var lines []string
	for _, y := range got {
		lines = append(lines, strings.Join([]string{y.Name, value(y.Yield), value(y.Low), value(y.High), value(y.Cost), value(y.PerImprovement)}, " "))
	}
	want := []string{"new null null null 0 null", "paid 0.25 0.1 0.6 3 1.5", "unmetered 0.25 0 0 null null", "in vain 0 0 0 3 null"}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q\nwant %q\n%s", lines, want, data)
	}
}

func TestAnExperimentThatNobodyRunsIsAtRest(t *testing.T) {
	running := view.Snapshot{State: record.ExperimentRunning, Experiment: record.Experiment{ID: 1}}
	running.Jobs.Running = 2
	for name, tc := range map[string]struct {
		change func(*view.Snapshot)
		same   bool
	}{
		"no engine is left":              {func(*view.Snapshot) {}, false},
		"this process runs it":           {func(s *view.Snapshot) { s.Owner = true }, true},
		"another process runs it":        {func(s *view.Snapshot) { s.OwnerPID = 12 }, true},
		"it is being read":               {func(s *view.Snapshot) { s.Loading = true }, true},
		"it has ended":                   {func(s *view.Snapshot) { s.State, s.Jobs.Running = record.ExperimentDone, 0 }, true},
		"it has ended with jobs in work": {func(s *view.Snapshot) { s.State = record.ExperimentDone }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := running
			tc.change(&s)
			was := s.State
			got := door.AtRest(&s)
			if (got == &s) != tc.same {
				t.Fatalf("the same snapshot: %v", got == &s)
			}
			if !tc.same && (got.Jobs.Running != 0 || got.State == record.ExperimentRunning) {
				t.Errorf("it is told as %s with %d jobs in work", got.State, got.Jobs.Running)
			}
			if s.State != was {
				t.Error("the snapshot that others read was changed")
			}
		})
	}
}
