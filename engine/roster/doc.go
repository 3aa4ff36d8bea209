// Package roster is who can be asked in one run and who pays: it builds agents
// and the clients of the roles from the configuration, and hands out the money
// of an experiment to their requests.
//
// Its nouns are [Roster], [Builder] and [Budget].
//
// Caveats: a Roster does not change once built and is safe for concurrent use.
// Keys are read from the environment here and never leave it: what is written
// or shown goes through [Roster.Redact].
package roster
