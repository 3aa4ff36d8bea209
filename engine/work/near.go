package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"atoll/store"
	"atoll/store/record"
)

// neighbour is a candidate near another one.
type neighbour struct {
	id  record.CandidateID
	has float64 // of the change, 0 to 1
}

// near ends a job whose agent did again what some other candidate has, where search.novelty
// asks for that, and reports whether it did. What the offline agent and people make is
// measured whatever it is like. In strict order it is compared with those that were folded
// when the job was chosen, so that it does not depend on who was faster.
func (w *measurer) near(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash) (bool, error) {
	least, job := r.facts.Config.Search.Novelty, r.lease.Job
	if least == 0 || job.Operator == record.OpManual || job.Approved || r.facts.offline(job.Agent) {
		return false, nil
	}
	parent, err := w.db.Vector(ctx, w.exp(), c.Parent())
	if errors.Is(err, store.ErrNotFound) {
		return false, nil // one that failed: nobody knows what it is like
	}
	if err != nil {
		return false, err
	}
	vector, err := w.vectors.of(ctx, c, parentTree)
	if err != nil {
		if errors.Is(err, errPlugin) {
			return false, nil // its measurement says so
		}
		return false, err
	}
	list, err := w.neighbours(ctx, job, vector, parent, least)
	if err != nil {
		return false, err
	}
	for _, n := range list {
		of, err := w.db.Candidate(ctx, w.exp(), n.id)
		if err != nil {
			return false, err
		}
		if of.Version != r.facts.Experiment.Objective || of.Objective == nil {
			continue
		}
		c.Status, c.Reason = record.StatusRejected, fmt.Sprintf("near %s, which has %.0f %% of its change; it was not measured (search.novelty)", n.id, math.Floor(100*n.has))
		return true, r.finish(ctx, store.Outcome{State: record.Duplicate, Duplicate: n.id, Reason: c.Reason, Candidate: c})
	}
	return false, nil
}

// neighbours are those that have at least so much of the change from a parent's vector to
// another one, the nearest first.
func (w *measurer) neighbours(ctx context.Context, job record.Job, vector, parent []float32, least float64) ([]neighbour, error) {
	change := distance(vector, parent)
	if !(change > 0) { // nothing that the vectors see
		return nil, nil
	}
	last := record.CandidateID(math.MaxInt32)
	if w.facts.Experiment.Strict {
		last = record.CandidateID(job.ID) - record.CandidateID(w.facts.Experiment.Lookahead)
	}
	var list []neighbour
	err := w.db.Vectors(ctx, w.exp(), func(id record.CandidateID, v []float32) error {
		if id == record.CandidateID(job.ID) || id > last || len(v) != len(vector) {
			return nil
		}
		if has := 1 - distance(vector, v)/change; has >= least {
			list = append(list, neighbour{id, has})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.has, a.has), cmp.Compare(a.id, b.id))
	})
	return list, err
}

// distance is that of Euclid, of vectors of one length.
func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// offline reports whether an agent is the built-in one.
func (f *Facts) offline(agent string) bool {
	for _, a := range f.Config.Agents {
		if a.Name == agent {
			return a.Kind == "offline"
		}
	}
	return agent == "offline"
}

// embeds reports whether vectors are made of candidates.
func (f *Facts) embeds() bool { return f.Learned || f.Config.Search.Novelty > 0 }
