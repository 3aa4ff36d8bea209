// Package agent holds those who edit: they get a job and a tree and hand back
// changes.
//
// Its three nouns are [Job] (what to edit and everything an agent may know
// about it), [Result] (the whole new content of each changed file, one line of
// intent, and what it cost) and [Agent] (one method, Edit). The contracts are
// here, and the agents that need little else: [Chat] asks a model, [Human] a
// person, [Replay] gives back what was recorded. The others have rooms:
// agent/offline edits by itself, agent/client runs coding programs, agent/prompt
// writes what they are told, agent/edit reads what they answer. Arrows:
// {offline, client, prompt} -> agent -> edit.
//
// Caveats: an agent never reports fitness and never decides which paths are
// allowed in the end (the gate does); Job.Scope only tells it where an edit is
// worth the effort. A deterministic agent draws all randomness from Job.Rand.
// A [Tree] is read from the goroutine that called Edit; agents start no
// goroutine that outlives the call.
package agent
