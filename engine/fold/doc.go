// Package fold turns the ordered log of an experiment into its state: who holds
// which niche, what was measured, what people decided, how operators and agents
// did.
//
// Its nouns are [State], [Candidate] and the row of the log. Start-up, recovery,
// a second console and a verb typed in another terminal all fold the same rows
// and reach the same state: the state is a pure function of the log.
//
// Caveats: a State belongs to one goroutine, readers included. What a decision
// or a result sets in motion (new jobs, refits) is not done here; see
// engine/schedule and the loop of package engine.
package fold
