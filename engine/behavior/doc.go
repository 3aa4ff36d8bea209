// Package behavior places commits on a map by what their source text is like.
//
// Its three nouns are [Embedder], which turns one file into a vector; [Space],
// one version of the learned coordinates, which turns the sum of the vectors of
// a commit's [Eligible] files into a point of [0,1]^k; and [Rule], which says
// when a new one is due.
//
// The way of a commit: vectors of its files, kept by blob -> their sum, by
// taking off the files that went and adding those that came ([Combine]) ->
// length 1 -> principal components of all that was evaluated -> unit variance
// -> rotation onto the layout before (Procrustes) -> quantiles per axis, so that
// cells of equal width are about equally likely.
//
// Differences between commits of one repository are tiny beside what they
// share. That is no loss: the components are those of the differences, and an
// axis is as wide as its own variance, whatever that is.
//
// Caveats: the package does no input or output. Vectors handed to it are kept,
// not copied, and must not change. All results are the same for the same input
// on one kind of processor; a stored [Space] is binding, never fitted again.
package behavior
