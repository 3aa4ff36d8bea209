package view

import (
	"fmt"
	"strings"
)

// Rejections count the candidates that are rejected by decision. People and Guard are those that were measured:
// the ends of their jobs, which [Counts] count, stay as they were.
type Rejections struct {
	People, Guard int // by who rejected last
	Held          int // by people while they waited, which is how their jobs ended
}

// After is how many were rejected once they were measured.
func (r Rejections) After() int { return r.People + r.Guard }

// AfterText is "2 by people and 1 by the guard", of those that were measured; "" where there are none.
func (r Rejections) AfterText() string {
	var parts []string
	if r.People > 0 {
		parts = append(parts, fmt.Sprintf("%d by people", r.People))
	}
	if r.Guard > 0 {
		parts = append(parts, fmt.Sprintf("%d by the guard", r.Guard))
	}
	return strings.Join(parts, " and ")
}

// Rejected is how many candidates were rejected: by the gate, by people or by the guard, before or
// after they were measured.
func (s *Snapshot) Rejected() int { return s.Jobs.Rejected + s.Rejections.After() }

// RejectedText is that number, and by whom where it was not the gate alone: "5 (gate 2, people 1, guard 2)".
func (s *Snapshot) RejectedText() string {
	if by := s.RejectedBy(); by != "" {
		return fmt.Sprintf("%d (%s)", s.Rejected(), by)
	}
	return fmt.Sprint(s.Rejected())
}

// RejectedBy is who rejected how many, "gate 2, people 1, guard 2"; "" where it was the gate alone.
func (s *Snapshot) RejectedBy() string {
	held := min(s.Rejections.Held, s.Jobs.Rejected)
	if s.Rejections.After()+held == 0 {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		who string
		n   int
	}{{"gate", s.Jobs.Rejected - held}, {"people", held + s.Rejections.People}, {"guard", s.Rejections.Guard}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", p.who, p.n))
		}
	}
	return strings.Join(parts, ", ")
}
