// Package worker is a machine of a fleet: it asks the coordinator for tasks, measures
// with the code that a run without a fleet measures with, and answers.
//
// Its nouns are [Worker]; the laboratory, what it has ready to measure with, by
// what is asked for; and the execution, one task from the moment that it was given
// to its answer.
//
// A worker keeps no experiment: the evaluator comes by the hash of its content,
// the base tree by its name in git, once each, and a candidate as changes of that
// tree, whose name is worked out again before any of it is used. No ref is moved.
//
// A worker has a session, drawn when it starts, and a home, drawn once for its folder: by
// them the coordinator tells one that starts again from a second one of the same name.
//
// Caveats: what was measured is kept until the coordinator took it or said that
// it counts no more, for as long as the process lives. Folders are bounded when
// the process starts, not while it runs.
package worker
