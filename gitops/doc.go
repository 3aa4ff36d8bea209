// Package gitops is atoll's object store: a bare repository of its own, beside
// the user's, in which every candidate is a commit.
//
// Its three nouns are [Target], the user's repository as it was found; [Repo],
// the store; and [Tree], an immutable listing of the files of one commit.
// Candidates are written at object level: [Repo.WriteTree] edits a tree,
// [Repo.WriteCommit] names it, and no work tree is involved. [Repo.Checkout]
// lays a tree out on disk once, for sandboxes to put their own layer on.
//
// Two programs share the store. Objects are read and written in this process,
// through one set of open files per Repo, behind one mutex. Loose objects are
// written and decoded by go-git; packs are read from disk piece by piece, so
// that the memory it takes does not grow with the number of candidates. The git
// command does what needs a second opinion or more features: fetch, repack,
// fsck, bundle, merge, and checkouts with attributes. It runs without any
// configuration but that of the store, without hooks, and never inside a
// candidate's tree.
//
// Caveats:
//   - Only [Repo.Promote] changes the user's repository, and it adds one
//     branch. Everything else reads.
//   - Nothing in the store is ever pruned. Objects stay reachable through
//     refs/atoll/import/* (what was fetched), refs/atoll/<experiment>/attempt/*
//     (commits whose row may not exist yet) and refs/atoll/<experiment>/anchor
//     (a chain of commits whose parents are the candidates).
//   - What is read from a pack is checked against its name. Damage is
//     [ErrDamaged], which names file and byte, and hides no other object.
//   - Objects above 2 GiB are not read into memory: [ErrObject].
//   - SHA-1 repositories only; partial clones and, with a git too old for
//     them, reftables are refused by [Inspect].
//   - Filters of the user's configuration do not run in a checkout: their
//     input would be a candidate. End-of-line conversion is done, and LFS
//     pointers are replaced by objects the user's repository already holds.
package gitops
