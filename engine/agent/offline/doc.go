// Package offline is the built-in agent: it needs no key and no network, and is
// a real search by itself: it tunes numbers, edits statements and expressions,
// crosses elites and takes back hunks that break. How it tunes follows from what came of
// changes of numbers before: by samples of an evolution strategy, and by the moves of each number.
//
// Its three nouns are [Agent] (stateless; the same job, tree and random source
// give the same bytes), the language of a file (how its text falls into tokens,
// blocks and functions, and whether a result parses) and the literal (a number
// that may be tuned). [Survey] names where there is something to decide.
//
// Where the objective is a time, half of the mutations are rewrites that keep the
// meaning (offline/idiom).
//
// Caveats: Go is edited by its syntax tree, other languages by their tokens:
// such a result is balanced, not parsed.
package offline
