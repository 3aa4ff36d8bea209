// Package survey measures a repository once, before there is an experiment, and
// says what its atoll.yaml should be.
//
// A [Lab] holds the root commit, checked out, and a sandbox. A [Sample] is one
// run in it: what the evaluator reported, what it printed, and which files of
// the tree were opened meanwhile. A finding is a sentence for the person: what
// was tried, what was left out and why, what has to be looked at.
//
// Caveats: everything runs on the committed root, so a script that is not
// committed does not exist here. Opened files are seen by inotify inside the
// sandbox (see [WatchOpens]): it tells which files, not by which process, and
// sees nothing of files that are only listed. Go packages are compiled once
// outside of the sandbox, so that the measured times are those of a warm cache.
package survey
