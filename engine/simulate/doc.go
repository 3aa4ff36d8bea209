// Package simulate says beforehand what more machines would bring to a search: it
// runs the search of an experiment under a clock that does not wait.
//
// Its three nouns are [Plan], the machines and how long things take there; the
// world, one search in virtual time; and [Outcome], what came of it.
//
// What is real: the fold with its archive, curves and counts, the choice of
// parents and operators, the depth of the queue in either order, the number of
// jobs in work and the budgets. What is drawn, by the seed: the time of an edit
// and of a measurement, failures, duplicates, costs, whether a child is better
// than its parent and by how much, and when machines are lost.
//
// Caveats: nothing is known of the user's problem. A child that improves closes a
// part of the way to a best that nobody reaches, and lies near its parent on two
// axes; so "best" tells plans apart under the same assumptions, and is no forecast.
// The evaluator is exact: no challenger is measured twice.
package simulate
