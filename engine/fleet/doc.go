// Package fleet has candidates measured on many machines: the coordinator is the
// process that runs the experiment, and jobs travel to workers over NATS. What waits for
// a slot is seen in a queue of JetStream.
//
// Its nouns are [Coordinator], which is what the engine asks instead of measuring
// here; the task, one sample that somebody is to take; and the machine, a worker
// as the coordinator knows it.
//
// What travels is the evaluation alone. Leases, commits, the gate, the store and
// the fold stay with the coordinator, and so does the edit. The queue holds
// nothing that the log does not: a coordinator that starts again clears it, and
// what was leased is leased, and published, anew.
//
// A machine asks for work and is given a task with a token. A result counts when its token
// is the one of the last machine, and once: later ones, and those of a machine that was
// silent for too long, are fenced off. What a machine sends that it cannot honestly know is
// refused, counted and told under its name.
//
// One worker at a time has the name of a machine. It says with each message the session
// that it drew when it started; what it was given, and what it proved, belongs to that.
//
// Values of different machines meet in one archive, so each machine measures the root
// before anything else and now and then after: one whose root is another than the
// run's is set aside.
//
// Caveats: a worker that lies about what it measured, and not about the root, is not
// found out here; only machines that are trusted with the numbers should be invited.
package fleet
