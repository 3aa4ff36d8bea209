// Package tui is the console: the niche grid, the running jobs, the curves,
// what waits for a person, the log, and every screen behind them.
//
// Its three nouns are the pane (one region of the screen, drawn from a
// snapshot), the binding (one row of the key table, from which dispatch, the
// help bar, the help list, the command palette and docs/keys.md come) and the
// snapshot that a [Feed] delivers. The console pulls snapshots; the engine
// never waits for it. Everything a person decides goes to a [Controller] and
// comes back through the feed; nothing is shown as done before that.
//
// Caveats: no pane reads a file, a store or a repository. What is not in the
// snapshot is asked from a [Reader] in a command, answered by id, and dropped
// when it is stale. All foreign text is drawn through a style, and a style
// removes control sequences before it measures.
//
// It is made with version 2 of github.com/charmbracelet/bubbletea, whose
// module path is charm.land/bubbletea/v2.
package tui
