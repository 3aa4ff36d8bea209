// Package client runs coding programs of others as agents.
//
// Its three nouns are [Command] (the agent: a program in a sandbox over the
// parent's tree, whose changed files come back), [Preset] (how one known
// program is started and configured) and [stream] (what its output says while
// it runs).
//
// Caveats: a program's exit code alone decides nothing: the end marker of its
// stream, its error fields and the tree do. It reaches a model only through the
// gateway's socket, unless it is allowed its own credentials, which nobody can
// meter.
package client
