// Package evo is the protocol of Evo-anything: a client that has the skills and
// agents of that system plans, edits and reflects as it always did, with atoll as
// its server, and atoll measures.
//
// Its three nouns are [Run], the plain state of one evolution with its targets and
// the batch of the present generation, [Machine], which takes one step after the
// other on it, and [Host], the experiment beneath: it keeps the state, takes commits
// of the client's branches in and measures them.
//
// Caveats: fitness that a client reports is a claim. It is kept and told beside the
// measured value, and decides nothing. What comes out of order, twice or for a
// branch that was not planned is an error of kind [ErrOrder] and changes nothing.
// The budget counts the seed, every measured commit, every reported crash and every
// duplicate; a refusal by policy costs nothing. Rounding is half to even.
package evo
