package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/query"
	"atoll/engine/retention"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// The care of a long run: how often the engine looks whether there is
// something to do, and how many loose objects are worth a pack.
const (
	upkeepEvery = 20 * time.Second
	looseMost   = 4000
)

// gcWait is how long a run waits at its start for a git gc that works on its store.
const gcWait = 10 * time.Second

// upkeep looks after the stores of a run, beside its loop.
type upkeep struct {
	*journal
	exp   record.ExperimentID
	db    *store.DB
	repo  *gitops.Repo
	asker query.Asker
	pause func(why string)
	keep  func(*fold.State) // keeps the fold for readers, where that is due; on the goroutine of the state
	dir   string            // the state directory
	most  int64             // bytes that it may have before it is told; 0 = any
	told  bool
}

// hold keeps git gc from the store of a run.
func (u *upkeep) hold(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, gcWait)
	defer cancel()
	if err := u.repo.HoldGC(ctx); err != nil && !errors.Is(err, context.Canceled) {
		u.note("warn", record.NoJob, err.Error()+"; what it drops may be needed")
	}
}

// run looks after the stores until ctx ends: it keeps git gc away, anchors what no anchor holds any
// more, packs loose objects when there are many, and checks soon after the start,
// and every ten minutes, that the archive is the fold of a log that is not very long. An
// archive that is not pauses the experiment.
func (u *upkeep) run(ctx context.Context) {
	tick := time.NewTicker(upkeepEvery)
	defer tick.Stop()
	defer func() {
		if err := u.repo.FreeGC(); err != nil {
			u.note("warn", record.NoJob, err.Error())
		}
	}()
	const checkEvery = int(10 * time.Minute / upkeepEvery)
	if err := u.reanchor(ctx); err != nil && ctx.Err() == nil {
		u.note("warn", record.NoJob, err.Error())
	}
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n%checkEvery == 0 {
			u.hold(ctx)
			u.compare(ctx)
		}
		if n%checkEvery == 0 {
			u.weigh()
		}
		if err := u.asker.Ask(ctx, u.keep); err != nil {
			return
		}
		if err := u.pack(ctx); err != nil && ctx.Err() == nil {
			u.note("warn", record.NoJob, err.Error())
		}
	}
}

// compare looks whether the state is what the log makes of it. A long log is left to
// doctor: a second archive and a second state take as much memory as the run itself.
func (u *upkeep) compare(ctx context.Context) {
	if last, err := u.db.LastSeq(ctx, u.exp); err != nil || last > manyRows {
		return
	}
	u.checkFold(ctx)
	u.verifyFold(ctx)
}

// checkFold compares the archive with one built anew.
func (u *upkeep) checkFold(ctx context.Context) {
	var bad error
	if err := u.asker.Ask(ctx, func(s *fold.State) { bad = s.CheckArchive() }); err != nil || bad == nil {
		return
	}
	u.pause(fmt.Sprintf("the archive is not the fold of the log: %v; `atoll resume` goes on with it as it is, `atoll run` folds the log anew; report this with a copy of the state directory", bad))
}

// verifyFold folds the log anew and warns when the running state is another.
func (u *upkeep) verifyFold(ctx context.Context) {
	err := fold.CheckLog(ctx, u.db, u.exp, func() (d fold.Digest, err error) {
		err = u.asker.Ask(ctx, func(s *fold.State) { d = s.Digest() })
		return d, err
	})
	if errors.Is(err, fold.ErrDiverged) {
		u.note("warn", record.NoJob, err.Error()+"; end this run and start it again, which folds the log anew; if this comes back, report it with a copy of the state directory")
	}
}

// weigh tells once when the state directory is larger than it should be.
func (u *upkeep) weigh() {
	if u.most <= 0 || u.told {
		return
	}
	size, err := retention.SizeOf(u.dir)
	if err == nil && size > u.most {
		u.told = true
		u.note("warn", record.NoJob, fmt.Sprintf("the state directory has %s, more than retention.size: `atoll gc --dry-run` says what could go", config.FormatSize(size)))
	}
}

// pack packs the object store when it holds many loose objects.
func (u *upkeep) pack(ctx context.Context) error {
	n, err := u.repo.Loose()
	if err != nil || n < looseMost {
		return err
	}
	if err := u.repo.Maintain(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// reanchor has every candidate reachable in the store, whatever somebody's git
// did to its refs since the last run.
func (u *upkeep) reanchor(ctx context.Context) error {
	commits, err := u.db.Commits(ctx, u.exp)
	if err != nil {
		return err
	}
	marked, err := u.repo.Attempts(ctx, u.exp) // held by refs of their own until the next anchor
	if err != nil {
		return fmt.Errorf("read attempt refs: %w", err)
	}
	held := map[record.Hash]bool{}
	for _, c := range marked {
		held[c] = true
	}
	commits = slices.DeleteFunc(commits, func(c record.Hash) bool { return held[c] })
	added, lost, err := u.repo.Reanchor(ctx, u.exp, commits)
	if err != nil {
		return fmt.Errorf("anchor what was made: %w", err)
	}
	if added > 0 && added < len(commits) {
		u.note("info", record.NoJob, fmt.Sprintf("%s of the store could have been dropped by git gc, and are held again", view.Plural(added, "candidate")))
	}
	if len(lost) > 0 {
		u.note("warn", record.NoJob, fmt.Sprintf("%s of the store are missing; `atoll doctor --deep` names them", view.Plural(len(lost), "commit")))
	}
	return nil
}
