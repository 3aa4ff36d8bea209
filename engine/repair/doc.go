// Package repair mends a state directory: what can be made again from what is left it
// makes again, what cannot it takes from a backup, a copy or the user's repository,
// and what is lost for good it names.
//
// Three nouns. A [Source] is where something may be taken from. A [Step] is one thing
// that was done, or could not be. The folder aside keeps every file that was replaced
// or taken away: nothing is deleted.
//
// It goes from the bottom to the top, and each part rests on the one below: the files
// of the database, the files of the object store, the objects that candidates need,
// the refs that lead to them, and last the candidates themselves: one whose files are
// gone is rejected, so that its niche goes to the runner-up, as a running engine does
// it. Nobody may run an engine meanwhile.
package repair
