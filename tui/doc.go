// Package tui is the console: it routes keys, messages and snapshots to panes
// and places them on the screen.
//
// Its three nouns are the router (which panes there are, and where the person
// is), the key table (rows of the console, of [steer] and of the panes; dispatch,
// help bar, help list, palette and docs/keys.md come from it) and the snapshot
// that a [Feed] delivers. The console pulls snapshots; the engine never waits for
// it. Everything a person decides goes to a [steer.Controller] and comes back
// through the feed; nothing is shown as done before that.
//
// The rooms below it: pane has the regions and screens, steer what a person
// decides, keys the form of the key table, widget the parts that panes share,
// plot turns data into lines of text.
//
// It is made with version 2 of github.com/charmbracelet/bubbletea, whose
// module path is charm.land/bubbletea/v2.
package tui
