// Package clitest holds real coding clients against scripted model servers.
//
// Its three nouns are [Server], a model service on a unix socket that speaks
// OpenAI Responses, OpenAI Chat Completions, Anthropic Messages and Gemini, all
// from one script; [Step], what the model does in one turn; and the clients,
// installed at pinned versions by install.sh and run by the tests through the
// command agent, in the sandbox.
//
// Caveats: the server says nothing about how good a model's work is. The tests
// with clients run when ATOLL_REAL_CLIENTS is 1; they take the clients from
// ATOLL_CLIENTS_DIR, where install.sh put them, or install them themselves, and
// fail when npm answers but a client cannot be had.
package clitest
