// Package work carries one leased job from its lease to its end: it has an agent
// edit, writes the commit, checks it, has it measured and writes the result.
//
// Its nouns are [Runner], which takes a job from step to step; the attempt, one
// leased execution of a job with all that it gathers, which lives on its worker's
// goroutine; and [Pool], the workers.
//
// The way of a make job is maker.make. Each step is a part that knows one thing:
// the editor has the agent edit (what it is told is in background.go), the
// committer writes commit and candidate, the gatekeeper lets it run or holds it,
// the measurer has it measured. Beside them the notebook reflects on epochs, the
// mapper proposes targets, the rescuer mends what the store lost. Parts share the
// run, what is fixed for all jobs, and never know the runner.
//
// How the search stands is asked of a [Standing], and what is to be told beside
// results goes to a [Host]; both are the caller's. Nothing here knows the state
// of the search.
package work
