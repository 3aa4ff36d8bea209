package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Injection is what a decision to inject a commit carries. The commit is in the
// store of objects already.
type Injection struct {
	Commit record.Hash `json:"commit"`
	Agent  string      `json:"agent,omitempty"`  // who wrote it; "" = a person
	Target string      `json:"target,omitempty"` // what it works on
	Why    string      `json:"why,omitempty"`    // where it comes from, one line for people
}

// InjectedKey is the fact that names the job of an injection, by the position of its
// decision in the log. [InjectedJob] reads it.
func InjectedKey(seq record.Seq) string {
	return "injected " + strconv.FormatInt(int64(seq), 10)
}

// InjectedJob reads the fact of [InjectedKey]: the job, or in words why there is
// none.
func InjectedJob(fact string) (job record.JobID, refused string) {
	n, err := strconv.ParseInt(fact, 10, 64)
	if err != nil {
		return record.NoJob, fact
	}
	return record.JobID(n), ""
}

// inject queues a commit of the user's repository, already fetched, as the
// work of a manual job: from there it goes the way of a recovered commit.
func (v *intervention) inject(ctx context.Context) error {
	err := v.queueInjection(ctx)
	if err != nil && ctx.Err() == nil {
		return errors.Join(err, v.owner.db.PutMeta(ctx, v.owner.exp, InjectedKey(v.decision.Seq), err.Error()))
	}
	return err
}

func (v *intervention) queueInjection(ctx context.Context) error {
	in := Injection{}
	if err := json.Unmarshal(v.decision.Args, &in); err != nil {
		return err
	}
	job := record.NewJob(v.owner.exp, v.owner.nextJob, record.Make)
	job.Operator, job.Agent, job.Priority, job.Target, job.Why = record.OpManual, in.Agent, 1, in.Target, in.Why
	if job.Agent == "" {
		job.Agent = "human"
	}
	if job.Why == "" {
		job.Why = "a commit of the user's repository"
	}
	var err error
	if job.Parent, job.Inspirations, err = Descent(ctx, v.owner.db, v.owner.repo, v.owner.exp, in.Commit); err != nil {
		return err
	}
	if err := v.owner.repo.MarkAttempt(ctx, v.owner.exp, job.ID, in.Commit); err != nil {
		return err
	}
	v.owner.work.SetPrepared(job.ID, in.Commit)
	if err := v.goOn(ctx); err != nil {
		return err
	}
	if err := v.owner.db.PutMeta(ctx, v.owner.exp, InjectedKey(v.decision.Seq), strconv.FormatInt(int64(job.ID), 10)); err != nil {
		return err
	}
	return v.owner.add(ctx, job)
}

// farthest is how many commits an injected one may be away from its parent.
const farthest = 1000

// Descent finds whom a commit descends from: the nearest candidate along its first
// parents, and those that were merged in on the way. What the gate refused is
// passed over, so that a child is judged by all that it changed. Where no candidate
// is found the root stands for it.
func Descent(ctx context.Context, db *store.DB, repo *gitops.Repo, exp record.ExperimentID, commit record.Hash) (parent record.CandidateID, merged []record.CandidateID, err error) {
	for range farthest {
		info, err := repo.Commit(ctx, commit)
		if err != nil || len(info.Parents) == 0 {
			break // history is cut off here, or begins
		}
		for _, other := range info.Parents[1:] {
			id, err := candidateAt(ctx, db, exp, other)
			if err != nil {
				return record.Root, nil, err
			}
			if id != record.NoCandidate && !slices.Contains(merged, id) {
				merged = append(merged, id)
			}
		}
		commit = info.Parents[0]
		id, err := candidateAt(ctx, db, exp, commit)
		if err != nil {
			return record.Root, nil, err
		}
		if id != record.NoCandidate {
			return id, slices.DeleteFunc(merged, func(m record.CandidateID) bool { return m == id }), nil
		}
	}
	return record.Root, slices.DeleteFunc(merged, func(m record.CandidateID) bool { return m == record.Root }), nil
}

// candidateAt is the candidate of a commit, unless the gate refused it or there is
// none.
func candidateAt(ctx context.Context, db *store.DB, exp record.ExperimentID, commit record.Hash) (record.CandidateID, error) {
	c, err := db.CandidateByCommit(ctx, exp, commit)
	if errors.Is(err, store.ErrNotFound) || err == nil && c.Class == record.ClassGate {
		return record.NoCandidate, nil
	}
	return c.ID, err
}
