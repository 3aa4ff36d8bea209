//go:build race

package tui_test

// raced: the input of a terminal is closed by the runtime below while it is
// read, which the race detector reports; keys come through a pipe then.
const raced = true
