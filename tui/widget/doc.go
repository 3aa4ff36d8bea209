// Package widget has the parts that panes and dialogs are made of: styles,
// lines of styled text, lists with a cursor, tables, menus, questions, and how
// values are written.
//
// Its three nouns are the [Style] (text drawn through it is cleaned of control
// sequences first), the [Line] that knows its width while it is put together,
// and the [Dialog], which answers keys by saying what is to be done.
//
// Caveats: nothing here knows an experiment or the console around it. Widths are
// cells, not bytes; a line that is styled already goes in with Raw, never
// through a second style.
package widget
