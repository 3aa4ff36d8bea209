// Package serve opens doors to an experiment for people and programs that are not
// at this terminal: JSON over HTTP with events, a page for browsers, figures for
// Prometheus, and the console over SSH.
//
// Its three nouns are [Server], the guard that every request passes, and the
// stream of events. All answers come from package door.
//
// Caveats: without a token one can only look, and only from this machine. A caller
// that reads slowly is left behind: it never slows the engine.
package serve
