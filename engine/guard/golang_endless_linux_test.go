package guard_test

import (
	"testing"

	"atoll/engine/guard"
)

func TestAStepThatDoesNotComeBackIsLeftOutOfHistories(t *testing.T) {
	t.Parallel()
	mustHave(t, "go")
	root := mustFiles(t, map[string]string{"go.mod": "module example.com/tape\n\ngo 1.22\n", "tape.go": `package tape

// Tape holds numbers.
type Tape struct {
	cells []int
	moved int
}

// Put adds a number.
func (t *Tape) Put(v int) { t.cells = append(t.cells, v) }

// Wind ends on short tapes alone.
func (t *Tape) Wind() {
	for len(t.cells) > 1 {
		t.moved++
	}
}

// Drop takes the last number off.
func (t *Tape) Drop() {
	if len(t.cells) > 0 {
		t.cells = t.cells[:len(t.cells)-1]
	}
}

// Sum adds up the numbers.
func (t *Tape) Sum() (sum int) {
	for _, v := range t.cells {
		sum += v
	}
	return sum
}
`})
	report := mustCheckEdited(t, guard.Options{NoTests: true}, root, "tape.go", `	for _, v := range t.cells {
		sum += v
	}
`, `	for i := range t.cells {
		sum += t.cells[i]
	}
`)
	wantWhere(t, report)
	if report.Cases < 5000 {
		t.Errorf("%d inputs were compared: steps that do not come back had groups given up", report.Cases)
	}
}
