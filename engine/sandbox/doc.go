// Package sandbox runs every foreign process of atoll: evaluators, the
// candidates' code, and coding agents.
//
// Its three nouns are [Box], the isolation that this machine can give, [Spec],
// one command with everything it may see, and [Result], what came of it. A Box
// climbs a ladder when it is made and takes the highest rung that really works:
//
//   - rung 1, namespaces: the command has its own processes, mounts, network and
//     user; the base checkout is the read-only lower layer of an overlay.
//   - rung 2, Landlock: the command works in a private copy and the kernel
//     refuses to open anything else; system calls are filtered.
//   - rung 3, plain: limits and clean-up only. Never taken by itself: the mode
//     "unsafe" asks for it.
//
// On every rung, a command and all of its descendants are gone when Run
// returns, and when the supervisor is killed. Below rung 1 a fence sees to that,
// a process namespace or tracing, whichever works; [Box.Fenced] says whether one
// does, and without one a fork storm can get away. What each rung holds against which
// attack is in docs/security.md, and [Box.Findings] says what this machine lacks.
//
// Caveats: the sandbox starts this very program again (package boot), so a
// program that uses a Box must import this package, which every user does. Paths
// inside the sandbox are the constants below; on rungs 2 and 3, which cannot
// mount, Run replaces them by the real paths in arguments, environment and
// files, so write the constants and nothing else. Linux only.
package sandbox
