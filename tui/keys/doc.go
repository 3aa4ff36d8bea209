// Package keys is the form of the one table that says which key does what
// where: dispatch, help bar, help list, command palette and docs/keys.md all
// come from its rows.
//
// Its three nouns are the [Binding] (a row: an action, its keys, what it does
// and why it cannot be done now), the [Scope] in which a row holds, and the
// [Table] of all rows, with a person's own keys applied.
//
// Caveats: rows are made by who knows what they do; a table belongs to one
// console, and only the screen's goroutine uses it.
package keys
