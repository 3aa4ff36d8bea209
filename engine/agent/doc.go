// Package agent holds those who edit: they get a job and a tree and hand back
// changes.
//
// Its three nouns are [Job] (what to edit and everything an agent may know
// about it), [Result] (the whole new content of each changed file, one line of
// intent, and what it cost) and [Agent] (one method, Edit). [Offline] is the
// built-in agent: it needs no key and no network, and is a real search by
// itself: it tunes numbers, edits statements and expressions, crosses elites
// and takes back hunks that break.
//
// Caveats: an agent never reports fitness and never decides which paths are
// allowed in the end (the gate does); Job.Scope only tells it where an edit is
// worth the effort. A deterministic agent draws all randomness from Job.Rand.
// A [Tree] is read from the goroutine that called Edit; agents start no
// goroutine that outlives the call.
package agent
