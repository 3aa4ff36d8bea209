// Package boot is the first process of every sandbox, and the launcher that
// evaluators call to run a candidate's code with fewer rights.
//
// The supervisor starts this very program again with [InitName] as its name, a
// [wire.Job] in descriptor 3, a pipe that orders a kill in 4 and a pipe for the
// [wire.Report] in 5. The package's init function sees the name, does the work and
// exits, before any other package of the program has initialised: it and the packages
// below it depend on the standard library alone (and little of it), and Go initialises
// packages that are ready in the order of their import paths.
//
// The work is that of the packages below: world makes what the command sees, watch
// holds its processes, start starts them.
//
// On rung 1 the process is PID 1 of new namespaces: it mounts the private
// world, starts the command, watches its limits, and when it dies, everything
// in the sandbox dies. On rungs 2 and 3 it is the subreaper of everything the
// command starts, and kills it all at the end; so that it can, it is also the
// first of a process namespace, or traces every task.
//
// The supervisor cannot enter a user namespace without a copy of its page tables,
// and it holds an archive of any size. So a third kind of start, the starter, is a
// small process that starts the first processes of rung 1 on the supervisor's
// behalf: children map their user themselves and borrow its memory until they
// execute. It also goes before other processes, where it may, and they with it.
//
// Caveats: threads of a Go program have their own capabilities and filters, and
// a forked Go program cannot use its runtime. Hence the child is prepared as a
// list of raw system calls that a small loop makes between clone and exec.
package boot
