// Package forge opens pull requests where repositories are kept: GitHub, GitLab
// (which calls them merge requests), Gitea and Forgejo, by their HTTP interfaces or by
// the programs gh and glab.
//
// Two nouns. A [Forge] is one such place with a project on it. A [Request] is what is
// asked for there. A forge with a token speaks HTTP by itself; without one it has gh
// or glab ask, which know who the person is.
//
// Caveats: the branch must be there already. A token goes to the host of the
// repository alone, and over TLS unless that is this machine. Nothing is retried:
// a request that was made twice is there twice.
package forge
