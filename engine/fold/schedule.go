package fold

// foldCount is F: in strict order the jobs folded without a gap.
func (s *State) FoldCount() int {
	if s.Exp.Strict {
		return int(s.nextFold)
	}
	return s.folded
}
