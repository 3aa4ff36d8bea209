// Package report tells what became of an experiment to somebody who never saw
// it: one document in Markdown, or one HTML file that asks for nothing from any
// host.
//
// Three nouns. A [Source] answers questions about one experiment. A [Story] is
// all that a document tells, gathered from a source and bounded, so that a
// million candidates make a file of a few megabytes. [Markdown] and [HTML] write
// a story down; they read nothing else.
//
// Every text of a candidate, an agent or an evaluator is foreign: HTML escapes
// it, Markdown puts it into code, and neither lets control characters through.
// A gain is told as the evidence allows, never as a difference of the samples
// that decided.
package report
