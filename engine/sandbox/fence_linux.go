package sandbox

import (
	"context"

	"atoll/engine/sandbox/boot/wire"
)

// fence is what holds the processes of a run together, so that none is made
// unseen, none escapes by losing its parents, and one step ends them all. Rung 1
// has it from its namespaces; below it the best that works here is taken.
type fence int

// The fences, the best first but for none, which is the last resort.
const (
	fenceNone      fence = wire.FenceNone
	fenceNamespace fence = wire.FenceNamespace
	fenceTrace     fence = wire.FenceTrace
)

// enclose probes a rung, below the first with each fence until one works. The
// error is that of the last, which asks the least of the machine.
func (b *Box) enclose(ctx context.Context, r Rung) (f fence, err error) {
	if r == Namespaces {
		return fenceNone, b.probe(ctx, r, fenceNone)
	}
	list := b.lack.fences
	if list == nil {
		list = []fence{fenceNamespace, fenceTrace, fenceNone}
	}
	for _, f = range list {
		if err = b.probe(ctx, r, f); err == nil || ctx.Err() != nil {
			break
		}
	}
	return f, err
}

// finding says what a fence holds.
func (f fence) finding() Finding {
	switch f {
	case fenceNamespace:
		return Finding{Name: "processes", OK: true, Detail: "a process namespace of their own: all end with the first"}
	case fenceTrace:
		return Finding{Name: "processes", OK: true, Detail: "each is traced and counted before its first step, and dies with its tracer; " +
			"starting processes takes longer, and commands cannot trace others"}
	}
	return Finding{
		Name: "processes", Detail: "a command that forks without end can outrun the clean-up and fill the process table",
		Cure: "allow tracing (sysctl kernel.yama.ptrace_scope below 2; in a container a system call filter that has ptrace), or rung 1",
	}
}

// spareTasks is how far above the limit of a run the kernel's own limit lies, which
// counts what the kernel keeps to itself (300 numbers) and the processes of the
// sandbox too. The watchdog judges; this keeps a storm small until it has looked.
const spareTasks = 300 + 256

// pidMax is the kernel's limit on the process numbers of a namespace, 0 for none.
func (b *Box) pidMax(procs int) int64 {
	if !b.facts.pidMax || b.lack.pidMax || procs <= 0 || (b.rung != Namespaces && b.fence != fenceNamespace) {
		return 0
	}
	return spareTasks + int64(procs)
}
