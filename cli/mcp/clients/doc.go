// Package clients knows where coding agents keep which servers of the Model Context
// Protocol they start, and changes those files as little as can be.
//
// Its three nouns are [Client], a program with its file, [Server], what it is told to
// start, and [Edit], a file before and after.
//
// Caveats: nothing is written here; the caller shows an [Edit] and writes it. What a
// person wrote into a file, comments included, stays as it is.
package clients
