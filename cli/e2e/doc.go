// Package e2e drives the real program: it builds the binary once and works it
// through a pseudo terminal, as a person does, and through its verbs in a
// second process. What a key does is asserted on the screen or in the store.
//
// Its nouns are the lab (a small repository with an experiment in it, copied
// for each test), the console (the program on a pseudo terminal with a screen
// that can be read) and the step (one key of docs/keys.md with what must
// follow). Every day every third screen is worked; with ATOLL_FULL=1 all are, and a key
// of that page that no step presses fails the suite.
//
// Caveats: the experiments are small and offline and need sh, awk and git.
// With ATOLL_SLOW=1 the slow parts run too: idle cost over ten seconds, and a store
// of a hundred thousand candidates.
package e2e
