package cli

import (
	"fmt"
	"io"

	"atoll/engine/view"
)

// sentences are what was said of jobs so far: each is printed when it is true for the
// first time, and counted after that. The zero value has said nothing.
type sentences struct {
	order []string
	again map[string]int // times after the first
}

// first reports whether a line is to be printed: what is said of one job, and was said of
// another before, is not.
func (s *sentences) first(l *view.LogLine) bool {
	text := l.OfAnyJob()
	if text == "" {
		return true
	}
	if s.again == nil {
		s.again = map[string]int{}
	}
	if _, said := s.again[text]; said {
		s.again[text]++
		return false
	}
	s.order, s.again[text] = append(s.order, text), 0
	return true
}

// tell prints how often the sentences were true that were printed once.
func (s *sentences) tell(w io.Writer, spell func(string) string) {
	for _, text := range s.order {
		if n := s.again[text]; n > 0 {
			fmt.Fprintf(w, "%s%s\n", view.Plural(n+1, "job"), view.CleanLine(spell(text)))
		}
	}
}
