// Package work carries one leased job from its lease to its end: it has an agent
// edit, writes the commit, checks it, has it measured and writes the result.
//
// Its nouns are [Runner], which has what is fixed for a run by value; the run of
// one job, which lives on its worker's goroutine; and [Pool], the workers.
//
// How the search stands is asked of a [Standing], and what is to be told beside
// results goes to a [Host]; both are the caller's. Nothing here knows the state
// of the search.
package work
