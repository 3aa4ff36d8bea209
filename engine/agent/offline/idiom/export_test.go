package idiom

// Match reports whether the expression matches anywhere in a text.
func (a *Automaton) Match(text string) bool {
	state := byte(0)
	for _, r := range text {
		state = a.next[int(state)*a.classes+int(a.classOf(r))]
	}
	return a.ends[state]
}

func (a *Automaton) classOf(r rune) byte {
	if r < 128 {
		return a.ascii[r]
	}
	for _, b := range a.beyond {
		if b.lo <= r && r <= b.hi {
			return b.class
		}
	}
	return 0
}
