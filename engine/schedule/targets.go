package schedule

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
func (o *Owner) mapDue(ctx context.Context) error {
	if o.mapped != neverMapped || o.cfg.Roles.Mapper == "" || o.roster == nil || o.st.Quiet || o.st.Archive() == nil {
		return nil
	}
	return o.mapNow(ctx, 0)
}

// mapNow has the mapper propose targets after an epoch: a model in a job of its
// own, the built-in one at once, which belongs to this fold position.
func (o *Owner) mapNow(ctx context.Context, epoch int) error {
	name := o.cfg.Roles.Mapper
	o.mapped = epoch
	if err := o.db.PutMeta(ctx, o.exp, metaMapped, strconv.Itoa(epoch)); err != nil {
		return err
	}
	if o.roster.Clients[name] != nil {
		return o.add(ctx, o.assistJob(record.PurposeMap, name, epoch))
	}
	here := o.st.TargetFacts()
	survey, tree, err := o.work.Survey(ctx, &here)
	if err == nil {
		var found []record.Target
		if found, err = survey.Targets(ctx, tree, name); err == nil {
			return o.propose(ctx, found)
		}
	}
	o.host.Note("warn", record.NoJob, fmt.Sprintf("no targets were proposed: %v", err))
	return nil
}

// propose puts new proposals in the place of the old ones, but for those that a
// person froze or boosted.
func (o *Owner) propose(ctx context.Context, found []record.Target) error {
	set := o.st.Settings
	set.Targets = o.st.WithKept(found)
	if _, err := o.db.PutSettings(ctx, o.exp, set); err != nil {
		return fmt.Errorf("write the proposed targets: %w", err)
	}
	o.st.Settings = set
	o.host.Sync()
	o.host.Note("info", record.NoJob, fmt.Sprintf("%s proposed: %s", view.Plural(len(found), "target"), work.TargetNames(found)))
	return nil
}
