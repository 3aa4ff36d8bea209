// Package bench compares ways to search on the examples of atoll, at equal
// evaluations and over many seeds.
//
// Its three nouns are [Problem], an example with an evaluator that starts no
// process for each candidate where that can be avoided; [Way], how the next
// parent is chosen: as an experiment does it, or as a baseline would; and
// [Result], how one seed of one way went on.
//
// A run is an experiment without store, git and sandbox: rows of a log in memory
// are folded by the same state, jobs are chosen and carried out by the same code,
// by one worker.
//
// Caveats: candidates run without a sandbox, which is fair only because they are
// edits of atoll's own examples by the offline agent; they have limits of time and
// memory. Values are those of the examples' own evaluators, which a test holds,
// but for the vet step of bin packing. On a learned map each run has a map
// of its own, so that QD scores of two ways there are not of the same niches.
package bench
