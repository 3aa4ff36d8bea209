package query

import (
	"context"

	"atoll/engine/fold"
	"atoll/store/record"
)

// Standing answers what workers ask of the state, on the goroutine that owns it.
type Standing struct{ Asker Asker }

// Places implements [work.Standing].
func (a Standing) Places(ctx context.Context, ids []record.CandidateID) ([]string, error) {
	out := make([]string, len(ids))
	return out, a.Asker.Ask(ctx, func(s *fold.State) {
		for i, id := range ids {
			out[i] = s.PlaceText(id)
		}
	})
}

// Open implements [work.Standing].
func (a Standing) Open(ctx context.Context, id record.CandidateID) (text string, err error) {
	err = a.Asker.Ask(ctx, func(s *fold.State) { text = fold.OpenText(s, id) })
	return text, err
}

// Best implements [work.Standing].
func (a Standing) Best(ctx context.Context) (id record.CandidateID, err error) {
	err = a.Asker.Ask(ctx, func(s *fold.State) { id = s.Best })
	return id, err
}

// Neighbours implements [work.Standing].
func (a Standing) Neighbours(ctx context.Context, of record.CandidateID, ids []record.CandidateID) (map[record.CandidateID]bool, error) {
	out := map[record.CandidateID]bool{}
	return out, a.Asker.Ask(ctx, func(s *fold.State) {
		for _, id := range ids {
			out[id] = s.SameNiche(id, of)
		}
	})
}

// WouldTake implements [work.Standing].
func (a Standing) WouldTake(ctx context.Context, c *record.Candidate, vector []float32) (takes, best bool, err error) {
	err = a.Asker.Ask(ctx, func(s *fold.State) { takes, best = s.WouldTake(c, vector) })
	return takes, best, err
}

// Elites implements [work.Standing].
func (a Standing) Elites(ctx context.Context) (ids []record.CandidateID, err error) {
	err = a.Asker.Ask(ctx, func(s *fold.State) {
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
func (a Standing) TargetFacts(ctx context.Context) (facts fold.TargetFacts, err error) {
	err = a.Asker.Ask(ctx, func(s *fold.State) { facts = s.TargetFacts() })
	return facts, err
}

// FrozenTargets implements [work.Standing].
func (a Standing) FrozenTargets(ctx context.Context) (names []string, err error) {
	err = a.Asker.Ask(ctx, func(s *fold.State) { names = s.FrozenTargets() })
	return names, err
}

// KeepTargets implements [work.Standing].
func (a Standing) KeepTargets(ctx context.Context, found []record.Target) (kept []record.Target, err error) {
	err = a.Asker.Ask(ctx, func(s *fold.State) { kept = s.WithKept(found) })
	return kept, err
}
