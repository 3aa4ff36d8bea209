// Package fresh says which dependencies of a tree are behind, as far as that can be
// known without a network.
//
// Its three nouns are [Dependency], what a manifest of the tree (go.mod, package.json,
// requirements.txt, pyproject.toml) asks for; [Registry], what is known of the
// versions of Go modules, which is what lies in the module cache ([ModuleCache]);
// and the newest release known, of which every dependency has one or a
// reason why there is none.
//
// What can be known. Of a Go module: the versions in the cache's list, which the go
// command wrote when it was asked for them last, and those that were downloaded.
// Retractions of the newest version are heeded where its go.mod lies there. Of packages of
// npm and Python no file on this machine lists all versions, so only the tree is
// asked: a package that stands in another manifest or lock file of it in a higher
// version is behind, and of any other nothing is said.
//
// The package is pure but for the folder that a ModuleCache reads. It asks no host.
package fresh
