package campaign

import (
	"fmt"
	"strings"
	"testing"
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
