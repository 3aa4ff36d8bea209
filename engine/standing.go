package engine

import (
	"context"
	"time"

	"atoll/engine/fold"
	"atoll/store/record"
)

// standing answers what workers ask of the state, on the loop's goroutine.
type standing struct{ e *Engine }

// Places implements [work.Standing].
func (a standing) Places(ctx context.Context, ids []record.CandidateID) ([]string, error) {
	out := make([]string, len(ids))
	return out, a.e.ask(ctx, func(s *fold.State) {
		for i, id := range ids {
			out[i] = s.PlaceText(id)
		}
	})
}

// Neighbours implements [work.Standing].
func (a standing) Neighbours(ctx context.Context, of record.CandidateID, ids []record.CandidateID) (map[record.CandidateID]bool, error) {
	out := map[record.CandidateID]bool{}
	return out, a.e.ask(ctx, func(s *fold.State) {
		for _, id := range ids {
			out[id] = s.SameNiche(id, of)
		}
	})
}

// WouldTake implements [work.Standing].
func (a standing) WouldTake(ctx context.Context, c *record.Candidate, vector []float32) (takes, best bool, err error) {
	err = a.e.ask(ctx, func(s *fold.State) { takes, best = s.WouldTake(c, vector) })
	return takes, best, err
}

// Elites implements [work.Standing].
func (a standing) Elites(ctx context.Context) (ids []record.CandidateID, err error) {
	err = a.e.ask(ctx, func(s *fold.State) {
		if s.Archive() == nil {
			return
		}
		for _, h := range s.Archive().Holders() {
			ids = append(ids, h.ID)
		}
	})
	return ids, err
}

// TargetFacts implements [work.Standing].
func (a standing) TargetFacts(ctx context.Context) (facts fold.TargetFacts, err error) {
	err = a.e.ask(ctx, func(s *fold.State) { facts = s.TargetFacts() })
	return facts, err
}

// KeepTargets implements [work.Standing].
func (a standing) KeepTargets(ctx context.Context, found []record.Target) (kept []record.Target, err error) {
	err = a.e.ask(ctx, func(s *fold.State) { kept = s.WithKept(found) })
	return kept, err
}

// host is told what workers report; it is the engine without its API.
type host struct{ e *Engine }

// Note implements [work.Host].
func (h host) Note(level string, job record.JobID, text string, at ...time.Time) {
	h.e.note(level, job, text, at...)
}

// Decide implements [work.Host].
func (h host) Decide(ctx context.Context, d record.Decision) (record.Seq, error) {
	return h.e.append(ctx, d)
}

// Wake implements [work.Host].
func (h host) Wake() { h.e.poke() }
