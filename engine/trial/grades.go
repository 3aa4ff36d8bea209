package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"atoll/store/record"
	"atoll/store/whole"
)

// Graded is a grade that is kept, so that a run can tell it before it starts.
type Graded struct {
	Tree      record.Hash `json:"tree"`      // of the root that was broken
	Evaluator string      `json:"evaluator"` // key of what measures
	Grade     string      `json:"grade"`
	Caught    int         `json:"caught"`
	Tried     int         `json:"tried"`
	Smallest  float64     `json:"smallest"` // as in [Report]
}

// String is the grade in one line.
func (g Graded) String() string {
	text := inWords(g.Grade, g.Caught, g.Tried)
	switch {
	case g.Smallest > 0:
		text += fmt.Sprintf("; a gain of %.1f %% or more shows", 100*g.Smallest)
	case g.Smallest < 0:
		text += "; too noisy to confirm a gain with a few samples"
	}
	return text
}

const (
	gradesName = "grades.json" // in the state directory
	mostGrades = 50
)

// Keep writes the grade of a report into a state directory, in the place of an
// older one of the same root and evaluator.
func Keep(state string, tree record.Hash, evaluator string, r *Report) error {
	all, err := grades(state)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(g Graded) bool { return g.Tree == tree && g.Evaluator == evaluator })
	all = append(all, Graded{Tree: tree, Evaluator: evaluator, Grade: r.Grade(), Caught: r.Caught, Tried: r.Caught + len(r.Missed), Smallest: r.Smallest})
	if err := os.MkdirAll(state, 0o700); err != nil {
		return fmt.Errorf("keep the grade: %w", err)
	}
	if err := whole.Write(filepath.Join(state, gradesName), whole.Options{Sync: true}, whole.JSON(all[max(0, len(all)-mostGrades):])); err != nil {
		return fmt.Errorf("keep the grade: %w", err)
	}
	return nil
}

// Known is the grade of an evaluator on a root, where one was kept.
func Known(state string, tree record.Hash, evaluator string) (Graded, bool) {
	all, err := grades(state)
	if err != nil {
		return Graded{}, false // told when the next one is kept
	}
	i := slices.IndexFunc(all, func(g Graded) bool { return g.Tree == tree && g.Evaluator == evaluator })
	if i < 0 {
		return Graded{}, false
	}
	return all[i], true
}

func grades(state string) ([]Graded, error) {
	name := filepath.Join(state, gradesName)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the grades: %w", err)
	}
	var all []Graded
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read %s: %w; remove it", name, err)
	}
	return all, nil
}
