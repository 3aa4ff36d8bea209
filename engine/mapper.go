package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// metaMapped is the epoch after which targets were proposed last; it is not
// there before the first time.
const metaMapped = "mapped"

// mapStale is after how many epochs in a row without a better best targets are
// proposed anew.
const mapStale = 2

// neverMapped stands for metaMapped where there is none.
const neverMapped = -1

// MapJob is the argument of a decision to start a job that has the mapper
// propose targets.
func MapJob() json.RawMessage { return json.RawMessage(`{"kind":"assist","purpose":"map"}`) }

// mapDue proposes targets for the first time, as soon as the root is measured.
func (e *Engine) mapDue(ctx context.Context) error {
	if e.mapped != neverMapped || e.cfg.Roles.Mapper == "" || e.roster == nil || e.st.Quiet || e.st.Archive() == nil {
		return nil
	}
	return e.mapNow(ctx, 0)
}

// mapNow has the mapper propose targets after an epoch: a model in a job of its
// own, the built-in one at once, which belongs to this fold position.
func (e *Engine) mapNow(ctx context.Context, epoch int) error {
	name := e.cfg.Roles.Mapper
	e.mapped = epoch
	if err := e.db.PutMeta(ctx, e.exp, metaMapped, strconv.Itoa(epoch)); err != nil {
		return err
	}
	if e.roster.Clients[name] != nil {
		return e.add(ctx, record.Job{
			Experiment: e.exp, ID: e.nextJob, Kind: record.Assist, State: record.Queued, Purpose: record.PurposeMap, Island: "main", Agent: name,
			Parent: record.NoCandidate, Candidate: record.NoCandidate, Duplicate: record.NoCandidate, Repeat: epoch,
		})
	}
	here := e.st.TargetFacts()
	survey, tree, err := e.work.Survey(ctx, &here)
	if err == nil {
		var found []record.Target
		if found, err = survey.Targets(ctx, tree, name); err == nil {
			return e.propose(ctx, found)
		}
	}
	e.note("warn", record.NoJob, fmt.Sprintf("no targets were proposed: %v", err))
	return nil
}

// propose puts new proposals in the place of the old ones, but for those that a
// person froze or boosted.
func (e *Engine) propose(ctx context.Context, found []record.Target) error {
	set := e.st.Settings
	set.Targets = e.st.WithKept(found)
	if _, err := e.db.PutSettings(ctx, e.exp, set); err != nil {
		return fmt.Errorf("write the proposed targets: %w", err)
	}
	e.st.Settings = set
	e.sync()
	e.note("info", record.NoJob, fmt.Sprintf("%s proposed: %s", view.Plural(len(found), "target"), work.TargetNames(found)))
	return nil
}
