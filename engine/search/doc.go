// Package search decides what is tried next.
//
// Its three nouns are [View], what the search may see at one fold position;
// [Choice], the parent, inspirations, operator, agent and target of one job;
// and [Stats], the yield of operators, agents, targets and parents so far.
//
// A choice is a pure function of the view, the job number and the seed: one
// seed, one search. Nothing is drawn in the order of a map, and [Rand] gives
// every job its own stream, so a choice does not depend on the ones before.
//
// Caveats: a view is of one island, which on named axes sees the niches of all; which one a job belongs to, who lives there and who
// wanders is for those who keep the archive. Frozen niches are never parents unless
// nothing else exists; when nothing exists at all the root is the parent.
package search
