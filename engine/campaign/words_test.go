package campaign

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atoll/store/record"
)

func TestWhatAFileSaysWronglyIsToldInPlainWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a second heading", "# One\n1. Do it\n# Two\n1. And it\n", `line 3: "# Two" is a second heading`},
		{"a second heading before any task", "# One\n# Two\n1. And it\n", `line 2: "# Two" is a second heading`},
		{"a value in words", "# One\n1. Do it\n   value: big\n", `line 3: value: "big" is no number`},
		{"jobs in words", "# One\n1. Do it\n   jobs: many\n", `line 3: jobs: "many" is no whole number`},
		{"best in other words", "# One\n1. Do it\n   best: maybe\n", `line 3: best: "maybe" is neither yes nor no`},
		{"a condition in words", "# One\n1. Do it\n   accept: good\n", `line 3: acceptance "good": write`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := MapEpic(c.text, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "bad task") != 1 || strings.Contains(err.Error(), "strconv") {
				t.Errorf("it gives %v, want %q", err, c.want)
			}
		})
	}
	if epic, tasks, err := MapEpic("# One\n## Tasks\n1. Do it\n", 1); err != nil || epic != "One" || len(tasks) != 1 {
		t.Errorf("a heading of a lower rank before the list: %q, %d tasks, %v", epic, len(tasks), err)
	}
	_, err := ReadTasks([]byte("- {id: 1, title: a}\n- {id: 2, title: b, acceptance: [good]}\n"))
	if err == nil || strings.Count(err.Error(), "bad task") != 1 {
		t.Errorf("a bad condition in tasks.yml gives %v", err)
	}
}

func TestADoneTaskOfAFileThatComesAfterAnOpenOneIsTold(t *testing.T) {
	f, err := ReadTasks([]byte("- {id: 1, title: a}\n- {id: 2, title: b, dependencies: [1], status: done}\n"))
	if err != nil || len(f.Told) != 1 || !strings.Contains(f.Told[0], "task 2 of the file is done there, though it comes after task 1") {
		t.Errorf("told is %q (%v)", f.Told, err)
	}
}

func TestTheRankerHasNoOpinionWhereItExpectsTheSameOfAll(t *testing.T) {
	s := backlogOf(t, "a", "b", "c")
	order := func(expected ...float64) (out []Position) {
		for i := range expected {
			out = append(out, Position{Task: i + 1, Expected: &expected[i], Fits: true})
		}
		return out
	}
	for _, c := range []struct {
		expected []float64
		want     int
	}{{[]float64{0, 0, 0}, 0}, {[]float64{1}, 0}, {[]float64{0, 0, 2}, 3}, {[]float64{3, 0, 0}, 1}} {
		t.Run(fmt.Sprint(c.expected), func(t *testing.T) {
			if formula, got := s.wouldTake(order(c.expected...)); got != c.want || formula != 1 {
				t.Errorf("the formula takes t%d and the ranker t%d, want t1 and t%d", formula, got, c.want)
			}
		})
	}
}

func TestWhatBecameOfTasksSurvivesExportAndImport(t *testing.T) {
	m := &memory{}
	s := put(t, m, Task{ID: 1, Title: "kept"}, Task{ID: 2, Title: "tried"}, Task{ID: 3, Title: "after it", Dependencies: []int{2}}, Task{ID: 4, Title: "given up"},
		Task{ID: 5, Title: "at work"})
	err := Change(t.Context(), m, s, "ann", func(*State) ([]record.CampaignRow, error) {
		return []record.CampaignRow{
			row(kindEnd, 1, "", Outcome{Status: Done, Reason: "it holds"}), row(kindEnd, 2, "", Outcome{Status: Failed, Reason: "nothing gained: 3 jobs"}),
			row(kindDrop, 4, "", words{"no need"}), row(kindStart, 5, "", start{Attempt: 1}),
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s = put(t, m, Task{ID: 6, Title: "tried"}) // once more
	want := []string{"done it holds", "failed nothing gained: 3 jobs", "blocked t2 is failed", "dropped no need", "ready ", "ready "}
	for _, asJSON := range []bool{false, true} {
		for _, taken := range []int{0, 1} { // numbers that are taken already
			var b strings.Builder
			if err := s.WriteTasks(&b, asJSON); err != nil {
				t.Fatal(err)
			}
			file, err := ReadTasks([]byte(b.String()))
			if err != nil || !slices.Equal(file.Told, []string{"running where the file was written, and pending here, from the beginning: 5"}) {
				t.Fatalf("told is %q (%v)", file.Told, err)
			}
			j := &memory{}
			again := NewState()
			if taken > 0 {
				again = put(t, j, Task{ID: 1, Title: "was here"})
			}
			if err := Change(t.Context(), j, again, "bob", func(s *State) ([]record.CampaignRow, error) { return s.Import(file) }); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, it := range again.Items[taken:] {
				st, why := again.StatusOf(it)
				got = append(got, string(st)+" "+why)
			}
			if taken == 0 && !slices.Equal(got, want) || taken > 0 && (len(got) != 6 || got[2] != "blocked t3 is failed") {
				t.Errorf("after a round trip the tasks are %q, want %q", got, want)
			}
			if reopened, err := again.Reopen(2+taken, ""); err != nil || len(reopened) != 1 {
				t.Errorf("the failed one is opened again: %v", err)
			}
		}
	}
}
