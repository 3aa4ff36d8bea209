// Package server is the NATS server that a coordinator can run in its own process,
// and what it needs to know who may join.
//
// Its nouns are [Server]; [Members], the machines that were invited, kept in a
// file that verbs in other processes change while the server runs; and [Identity],
// the certificate by which machines know the server.
//
// Every machine has a key of its own and may speak under its own name alone. A
// machine that was dropped is disconnected and cannot come back.
//
// Caveats: the queue lies in memory. It is made of the log anew when the process
// starts again.
package server
