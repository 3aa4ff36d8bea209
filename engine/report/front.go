package report

import (
	"fmt"

	"atoll/engine/view"
	"atoll/store/record"
)

// FrontRow is a candidate that is best in a way of its own.
type FrontRow struct {
	ID     record.CandidateID
	Value  string   // of the objective, as far as it may be told
	Beside []string // of what counts beside it, with what it is more or less than the root's
	Leads  string   // cases
	Intent string
}

// FrontSays says what the front is made of and how far it is true.
func (s *Story) FrontSays() string {
	text := view.FrontSentence(s.Front, s.Snap.Objective, s.Snap.Direction)
	if more := len(s.Front.Members) - frontMost; more > 0 {
		text += fmt.Sprintf(" The first %d are here; all are in `atoll front`.", frontMost)
	}
	if s.Snap.Noisy {
		text += " Values vary here: who is on it is decided by single values."
	}
	return text
}

// FrontRows are those on the front and those that lead a case, the best by the objective first.
func (s *Story) FrontRows() []FrontRow {
	var out []FrontRow
	for i := range s.Front.Members[:min(len(s.Front.Members), frontMost)] {
		m := &s.Front.Members[i]
		row := FrontRow{ID: m.ID, Value: s.Snap.Told(m.ID, &m.Objective, m.Claim).String(), Leads: s.Front.LeadText(m, leadsMost), Intent: m.Intent}
		for o := range s.Front.Objectives {
			row.Beside = append(row.Beside, s.Front.Beside(m, o))
		}
		out = append(out, row)
	}
	return out
}
