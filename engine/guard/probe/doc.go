// Package probe is the half of the guard that runs inside a tree under test: its
// sources are copied beside the package and compiled into a test binary of it.
//
// Its three nouns are [API], what the package offers; a group, one function or
// method that is called many times; and a case, one call (or a short sequence of
// calls) whose input is a list of choices. The same choices make the same input
// in every tree, so two binaries, asked the same, can be compared line by line.
// Smaller choices make simpler inputs, so that shrinking the choices shrinks the
// input (MacIver and Donaldson 2020, "Test-case reduction via test-case
// generation: insights from the Hypothesis reducer").
//
// Caveats: the standard library only, so that a tree needs nothing that it does
// not have. Code under test may exit, hang or exhaust the memory: every answer
// is written as it comes, and the asker goes on after the case that was fatal.
package probe

import "embed"

// Source holds the files of this package.
//
//go:embed *.go
var Source embed.FS
