// Package cli is the command line of atoll: one file for each verb, named after
// it. The verbs that are one decision about a candidate, a niche, a job or
// nothing are made alike, in decide.go and its neighbours.
//
// Its three nouns are [App], the verb and the place. The app is the program
// with its streams, environment and clock passed in, so that tests run it
// whole; a verb is a cobra command; the place is the repository and the state
// directory that a verb works on.
//
// Caveats: verbs print data to Out and everything else to Err; verbs that
// print data take --json. Exit codes: 0 done, 1 failed, 2 usage or
// configuration, 130 interrupted.
package cli
