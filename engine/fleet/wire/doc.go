// Package wire is what the coordinator of a fleet and its workers say to each
// other over NATS.
//
// Its three nouns are [Task], one sample to take, which the coordinator gives to a
// worker that asks for work; [Ask], what a worker says to the coordinator, and its
// [Answer]; and [Order], what the coordinator says to one worker. All are JSON,
// bounded in size, plain data: no path of a machine, no key, no code.
//
// Who speaks is in the subject, not in the message: the server lets a worker
// publish below its own name alone ([Subjects.Permissions]). Which worker of that name
// it is says the session, which is drawn when a worker starts.
package wire
