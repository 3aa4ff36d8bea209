// Package view holds what readers of an experiment see: plain data, read-only
// once published, with no way back into the engine.
//
// [Snapshot] is the state of the whole experiment, small and bounded. The
// details ([JobDetail], [CandidateDetail], [NicheDetail], [Lineage], ...) answer
// what is asked by id. [Feed] is the mailbox through which snapshots pass: the
// engine publishes without waiting, readers take the newest.
//
// Texts that candidates, agents and evaluators wrote are carried as they are,
// secrets removed; whoever shows them removes control characters, see
// [CleanLine].
package view
