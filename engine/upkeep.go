package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atoll/engine/fold"
	"atoll/store/record"
)

// The care of a long run: how often the engine looks whether there is
// something to do, and how many loose objects are worth a pack.
const (
	upkeepEvery = 20 * time.Second
	looseMost   = 4000
)

// upkeep looks after the stores of a run until ctx ends: it anchors what no anchor
// holds any more, packs loose
// objects when there are many, and checks soon after the start, and every ten
// minutes, that the archive is the fold of the log (design rule 1). An archive
// that is not pauses the experiment.
func (e *Engine) upkeep(ctx context.Context) {
	tick := time.NewTicker(upkeepEvery)
	defer tick.Stop()
	const checkEvery = int(10 * time.Minute / upkeepEvery)
	if err := e.reanchor(ctx); err != nil && ctx.Err() == nil {
		e.note("warn", record.NoJob, err.Error())
	}
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n%checkEvery == 0 {
			e.checkFold(ctx)
			e.verifyFold(ctx)
		}
		if err := e.pack(ctx); err != nil && ctx.Err() == nil {
			e.note("warn", record.NoJob, err.Error())
		}
	}
}

// checkFold compares the archive with one built anew.
func (e *Engine) checkFold(ctx context.Context) {
	var bad error
	if err := e.questions.Ask(ctx, func(s *fold.State) { bad = s.CheckArchive() }); err != nil || bad == nil {
		return
	}
	e.trouble.Lock()
	e.trouble.pause = fmt.Sprintf("the archive is not the fold of the log: %v; report this with a copy of the state directory", bad)
	e.trouble.Unlock()
	e.poke()
}

// verifyFold folds the log anew and warns when the running state is another.
func (e *Engine) verifyFold(ctx context.Context) {
	err := fold.Verify(ctx, e.db, e.exp, func() (d fold.Digest, err error) {
		err = e.questions.Ask(ctx, func(s *fold.State) { d = s.Digest() })
		return d, err
	})
	if errors.Is(err, fold.ErrDiverged) {
		e.note("warn", record.NoJob, err.Error()+"; report this with a copy of the state directory")
	}
}

// pack packs the object store when it holds many loose objects.
func (e *Engine) pack(ctx context.Context) error {
	n, err := e.repo.Loose()
	if err != nil || n < looseMost {
		return err
	}
	if err := e.repo.Maintain(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
