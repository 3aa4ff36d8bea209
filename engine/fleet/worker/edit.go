package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/engine/agent/client"
	"atoll/engine/eval"
	"atoll/engine/fleet/wire"
	"atoll/engine/sandbox"
)

// errNoEdits: who offers a machine decides whether programs edit there.
var errNoEdits = errors.New("no coding client may run here: the worker was started without --edit")

// edit runs a coding client and brings its result to the coordinator, all but the word that
// it is there.
func (e *execution) edit(ctx context.Context) (*wire.Result, error) {
	began := e.w.o.Now()
	res, err := e.client(ctx)
	if err != nil {
		return nil, err
	}
	data, sum, err := wire.FromEdited(&res)
	if err != nil {
		return nil, err
	}
	if err := e.bring(ctx, data); err != nil {
		return nil, err
	}
	return &wire.Result{Task: e.task.ID, Token: e.token, Edited: sum, TookMS: e.w.o.Now().Sub(began).Milliseconds()}, nil
}

// client runs the client of the task over the tree that it edits.
func (e *execution) client(ctx context.Context) (res sandbox.Result, err error) {
	w, t := e.w, &e.task
	if !w.o.Edits {
		return res, errNoEdits
	}
	data, err := w.lab.fetch(ctx, t.Errand, wire.MaxEdited)
	if err != nil {
		return res, err
	}
	errand, err := wire.ToErrand(data)
	if err != nil {
		return res, err
	}
	spec := &errand.Spec
	prog, err := client.Locate(ctx, w.box, exec.LookPath, errand.Program, errand.Tools)
	if err != nil {
		return res, err
	}
	if err := errand.Start(prog); err != nil {
		return res, err
	}
	caches, env, err := eval.Caches(errand.Lays, os.LookupEnv)
	if err != nil {
		return res, err
	}
	spec.Caches = caches
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(spec.Env, func(own string) bool { return strings.HasPrefix(own, name+"=") }) {
			spec.Env = append(spec.Env, v)
		}
	}
	delta, err := e.delta(ctx)
	if err != nil {
		return res, err
	}
	dir, release, err := w.lab.tree(ctx, t.Base, delta, t.Tree)
	if err != nil {
		return res, err
	}
	defer release()
	spec.Base = dir
	if spec.Net == sandbox.NetGateway {
		way, err := e.tunnel(ctx)
		if err != nil {
			return res, err
		}
		defer way.close()
		spec.Gateway = way.socket
	}
	out := &speaker{e: e}
	spec.OnLine = out.line
	telling, still := context.WithCancel(ctx)
	var teller sync.WaitGroup
	teller.Go(func() { out.tell(telling) })
	res, err = w.box.Run(ctx, *spec)
	still()
	teller.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// partBytes is how much of a result one message brings.
const partBytes = wire.ChunkBytes

// bring sends what came of an errand piece by piece, each until the coordinator has it.
func (e *execution) bring(ctx context.Context, data []byte) error {
	for at := 0; at < len(data); {
		part := data[at:min(at+partBytes, len(data))]
		a, err := e.w.ask(ctx, wire.Ask{Kind: wire.AskPart, Part: &wire.Part{Task: e.task.ID, Token: e.token, At: at, Data: part}})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && a.OK:
			at += len(part)
			continue
		case err == nil && a.Fenced: // the word that it is there will be, too
			return nil
		case err == nil && !a.Greet:
			return fmt.Errorf("the coordinator does not take the edit: %s", a.Why)
		}
		if err == nil {
			e.w.follow(ctx, a)
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
	return nil
}

// Bounds of what is told of a client while it runs.
const (
	tellEvery = 250 * time.Millisecond
	tellBytes = 256 << 10 // at a time; what is more is left out
)

// speaker sends lines of a client, some at a time.
type speaker struct {
	e    *execution
	mu   sync.Mutex
	said []wire.Said
	size int
}

func (s *speaker) line(stream int, line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += len(line) + 16; s.size <= tellBytes {
		s.said = append(s.said, wire.Said{Stream: stream, Text: []byte(line)})
	}
}

// tell sends what was said until ctx ends, and then the rest.
func (s *speaker) tell(ctx context.Context) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for more := true; more; {
		select {
		case <-ctx.Done():
			more = false
		case <-tick.C:
		}
		s.mu.Lock()
		said := s.said
		s.said, s.size = nil, 0
		s.mu.Unlock()
		if len(said) == 0 {
			continue
		}
		w := s.e.w
		data, err := wire.Encode(wire.Ask{
			V: wire.Protocol, Session: w.session, Kind: wire.AskLines, Lines: &wire.Lines{Task: s.e.task.ID, Token: s.e.token, Lines: said},
		})
		if err == nil {
			_ = w.nc.Publish(w.subject.Up(w.o.Name), data) // nobody waits for it
		}
	}
}
