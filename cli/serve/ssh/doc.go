// Package ssh lets people who are on other machines use the console of an
// experiment: each SSH session is one console of its own.
//
// Its three nouns are [Server], [Keys], the file of those who may come in, and
// [Terminal], what a console needs of a session.
//
// Caveats: public keys only. A session without a terminal, a command line, a
// subsystem and every kind of forwarding are refused; nothing that a client sends
// starts a program here. A client that reads slowly holds up its own screen and
// nothing else.
package ssh
