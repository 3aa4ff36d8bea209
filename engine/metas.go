package engine

// The facts about a run that verbs without an engine show as well.
const (
	metaSeal    = "evaluator" // key of what measures
	metaRung    = "rung"
	metaMissing = "missing"
)
