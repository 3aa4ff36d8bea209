package survey

// standIn asks whether something may stand in for the objective that a repository has none of. Where nobody can
// answer it does, and what is written says so.
func standIn(s *survey, what string) bool {
	return s.Ask("No benchmark was found. Measure "+what+" in its place?", true)
}

// unwanted is why what could stand in does not.
const unwanted = "it is not wanted: write a program that measures and name it in evaluator.command"

// checkStandIn marks what stands in for an objective, with CHECK where nobody was asked whether it may.
func checkStandIn(s *survey, what string) {
	if s.asks {
		note(s, "an objective was missing: "+what)
		return
	}
	note(s, "CHECK evaluator.command: an objective was missing: "+what+"; look whether that is what you care about")
}
