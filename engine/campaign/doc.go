// Package campaign is a loop around experiments: a repository that keeps improving
// itself, task by task.
//
// Its nouns are [Task], one piece of work with its goal, scope, acceptance and
// budget; [Backlog], the tasks with what became of each; [State], the backlog with the
// budget, the health and the ranker's standing, a pure fold of the campaign's log; and
// [Campaign], the loop: it plans (weighted shortest job first, WSJF: Reinertsen 2009,
// "The Principles of Product Development Flow"), has a task carried out, and writes
// what came of it.
//
// A task is done when its acceptance was measured to hold on the commit that it
// leaves; nothing else makes it done. That commit is the root of the next task and
// the head of the campaign's branch. Who carries a task out, as an experiment or as
// one command, is an [Executor]; the log is a [Journal]. Both are declared here, so
// that this package starts no process and opens no store.
//
// Caveats: one campaign a store. The learned ranker ([Ranker]) orders tasks only as
// far as its authority goes, which rises and falls by evidence alone; at 0, where
// it starts, it is only listened to.
package campaign

import "errors"

// errNoList: a text lists no task.
var errNoList = errors.New("the epic lists no task; write each as an item of a list: 1. Title")

// The errors of this package that callers tell apart.
var (
	// ErrTask: a task cannot be as it is written. The text says which field.
	ErrTask = errors.New("bad task")
	// ErrPlan: a planner's answers cannot be used. The text says why.
	ErrPlan = errors.New("the planner gave no plan that can be used")
	// ErrNoTask: there is no such task or proposal.
	ErrNoTask = errors.New("no such task")
	// ErrLog: a row of the log cannot be read, or says what cannot be.
	ErrLog = errors.New("the campaign's log is damaged")
)
