package agent

import (
	"atoll/store/record"
)

// Background is what only prompts tell of a job. It is filled by the engine
// and read by [ViewOf]; agents that write no prompt leave it alone.
type Background struct {
	Lineage   Lineage           // cards of candidates, for trajectories; nil = none
	Summaries Summaries         // written summaries of stretches; nil = plain ones
	Others    []string          // what the jobs beside this one try, one line each
	Feedback  []record.Evidence // what the evaluator said of the parent: artifacts, stderr
	Best      *Item             // the best so far, with its metrics and files; nil = unknown
	Open      string            // empty niches beside that of the parent, by the axes on which they differ; "" = none
	// Conditions are those under which a candidate is measured, a sentence each.
	Conditions []string
	Secrets    []string // exact texts that must never leave: provider keys, tokens
}

// Card is what a trajectory tells of one candidate.
type Card struct {
	ID        record.CandidateID
	Parent    record.CandidateID // first parent; NoCandidate for the root
	Commit    record.Hash
	Intent    string
	Objective *float64 // nil = not measured
	Delta     *float64 // against Parent; nil = unknown
}

// Lineage looks cards up. It must not change while a job is made ready.
type Lineage interface {
	Card(id record.CandidateID) (Card, bool)
}

// Summaries looks up what was written about a full chunk: the steps after the
// parent of start up to end, in blocks of so many steps.
type Summaries interface {
	Summary(start, end record.CandidateID, block int) (string, bool)
}
