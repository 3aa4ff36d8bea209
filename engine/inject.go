package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/schedule"
	"atoll/store"
	"atoll/store/record"
)

// Injection is a commit of the user's repository that becomes a candidate. Its
// parent is the nearest candidate that the commit descends from.
type Injection struct {
	Revision string // names the commit there
	Agent    string // who wrote it; "" = a person
	Target   string // what it works on, "" = nothing in particular
	Why      string // where it comes from, one line for people
}

// Inject fetches a commit of the user's repository and queues it as a
// candidate. It returns the commit, and the position of the decision in the log, by
// which [Injected] tells what became of it.
func Inject(ctx context.Context, ses *Session, exp record.ExperimentID, in Injection, who string) (record.Hash, record.Seq, error) {
	commit, err := fetch(ctx, ses, in.Revision)
	if err != nil {
		return commit, 0, err
	}
	seq, err := InjectStored(ctx, ses, exp, commit, in, who)
	return commit, seq, err
}

// InjectStored is [Inject] of a commit that the store of objects has; no revision is
// looked up.
func InjectStored(ctx context.Context, ses *Session, exp record.ExperimentID, commit record.Hash, in Injection, who string) (record.Seq, error) {
	args, err := json.Marshal(schedule.Injection{Commit: commit, Agent: in.Agent, Target: in.Target, Why: in.Why})
	if err != nil {
		return 0, err
	}
	d := record.NewDecision(record.Inject)
	d.Who, d.Text, d.Args = who, commit.Short(), args
	return ses.DB.AppendDecision(ctx, exp, d)
}

// fetch brings a commit of the user's repository into the store of objects.
func fetch(ctx context.Context, ses *Session, rev string) (record.Hash, error) {
	if ses.Target.Path == "" {
		return record.Hash{}, fmt.Errorf("%w: the user's repository is not known here; run the verb inside it", fold.ErrDecision)
	}
	commit, err := ses.Repo.FetchCommit(ctx, ses.Target, rev)
	if err != nil {
		return commit, err
	}
	// A tree that cannot be read here, such as one with a .git inside, is refused
	// before it becomes a job.
	info, err := ses.Repo.Commit(ctx, commit)
	if err == nil {
		_, err = ses.Repo.Tree(ctx, info.Tree)
	}
	if err != nil {
		return commit, fmt.Errorf("%w: %s cannot be a candidate: %w", fold.ErrDecision, commit.Short(), err)
	}
	return commit, nil
}

// Inject is [Inject] on the engine's experiment.
func (e *Engine) Inject(ctx context.Context, in Injection) (record.Hash, record.Seq, error) {
	if err := e.allowed(record.NewDecision(record.Inject)); err != nil {
		return record.Hash{}, 0, err
	}
	commit, seq, err := Inject(ctx, e.ses, e.exp, in, e.who)
	e.wake()
	return commit, seq, err
}

// Injected returns the job of an injection by the position of its decision, and
// whether there is one yet. An injection that could not be carried out is
// [fold.ErrDecision].
func (e *Engine) Injected(ctx context.Context, seq record.Seq) (job record.Job, queued bool, err error) {
	fact, ok, err := e.db.Meta(ctx, e.exp, schedule.InjectedKey(seq))
	if err != nil || !ok {
		return job, false, err
	}
	id, refused := schedule.InjectedJob(fact)
	if refused != "" {
		return job, false, fmt.Errorf("%w: %s", fold.ErrDecision, refused)
	}
	job, err = e.db.Job(ctx, e.exp, id)
	if errors.Is(err, store.ErrNotFound) { // its row comes next
		return job, false, nil
	}
	return job, err == nil, err
}
