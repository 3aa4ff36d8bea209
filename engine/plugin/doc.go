// Package plugin runs programs of others that extend atoll: evaluators, agents,
// operators, descriptors, embedders, auditors and notifiers, in any language.
//
// Its three nouns are [Plugin], a folder with a manifest that lists every file by
// its hash; [Trust], the keys, hashes and permissions that a person agreed to; and
// [Host], which runs a plug-in in the sandbox for one call.
//
// A call is one process: it reads two requests of JSON-RPC 2.0 on stdin, one a
// line ("initialize" and the method of its kind), answers each with one line on
// stdout, and ends when stdin does. What it may do beyond computing (network,
// variables, folders) stands in the manifest and is asked for once.
//
// Caveats: the ids of requests are random texts, so that nobody can answer who has
// not read the question; a plug-in that starts code of a candidate must close its
// stdin and stdout to it. Whatever a plug-in says is checked and cleaned; nothing
// that it says is believed about itself beyond its manifest.
package plugin
