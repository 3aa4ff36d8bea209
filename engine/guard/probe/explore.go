package probe

import "slices"

// mostKept bounds the corpus of one group.
const mostKept = 150

// explore runs cases of each group and keeps those that did something in the
// watched code that no case of the group did before: they took another way, or
// brought the two sides of a comparison into another order. What is kept is
// varied in turn (greybox fuzzing: Zalewski, "american fuzzy lop"; comparisons
// as in libFuzzer's value profile).
func (s *session) explore(watch []byte) {
	position := 0
	for _, g := range s.chosen() {
		seen := make([]byte, len(watch))
		var kept [][]uint64
		started := false
		for i := range s.count(g.name) {
			position++
			if position <= s.q.From || slices.Contains(s.q.Skip, g.name) || len(kept) >= mostKept {
				continue
			}
			if !started {
				started = true
				s.write(Answer{Kind: AnswerStart, Group: g.name, Index: i, Position: position})
			}
			d := seeded(s.seed(g.name, -1-i))
			if len(kept) > 0 && i%4 > 0 {
				d = varied(kept, s.seed(g.name, -1-i))
			}
			clear(watch)
			o := s.one(position, g, d)
			if news(seen, watch) {
				kept = append(kept, o.choices)
				s.write(Answer{Kind: AnswerKeep, Group: g.name, Index: i, Position: position, Choices: o.choices})
			}
		}
	}
}

// news adds what happened to what was seen and reports whether some of it is
// new.
func news(seen, watch []byte) bool {
	found := false
	for i, w := range watch {
		if w != 0 && seen[i] == 0 {
			seen[i], found = 1, true
		}
	}
	return found
}
