// Package backup writes all experiments of a state directory into one file, while
// an engine may run on it, and makes a state directory of such a file: on another
// machine, at another path, after a disk died.
//
// It adds what a backup holds to experiments that are here already, too ([Add]).
//
// Three nouns. A backup is a tar archive: a manifest first, then the database, the
// object store as a bundle that plain git reads, and the copies of evaluators. The
// [Manifest] names what is within, with the SHA-256 of each part. A [Source] is what
// is copied.
//
// The database is copied first and the bundle then holds the commits that the copy
// names: a commit is written before its row, so the two agree. Base checkouts,
// logs and what git-lfs keeps are not within. Nothing is put in place before all of
// it was read, compared and opened.
package backup
