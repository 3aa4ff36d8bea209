package fold

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"atoll/engine/search"
	"atoll/store/record"
)

// ErrDiverged: a state is not what a fold of its log gives.
var ErrDiverged = errors.New("the state is not the fold of the log")

// Digest tells one state of the fold from another, part by part. A part is left
// out where it may depend on when its rows were read: what took a niche under an
// earlier learned map is told by those who saw it alone, and with a noisy objective
// who waited there for more samples; and what such an objective showed between two
// samples is, where rows do not say it.
type Digest struct {
	Seq   record.Seq // position of the log
	Map   int        // version of the learned map
	Parts []Part
}

// Part is the digest of one part of the state.
type Part struct{ Name, Sum string }

// Digest sums the state up as it is now.
func (s *State) Digest() Digest {
	d := Digest{Seq: s.Seq, Map: s.Report.Version}
	add := func(name string, values ...any) {
		h := sha256.New()
		for _, v := range values {
			if err := json.NewEncoder(h).Encode(v); err != nil { // a value that is no number
				fmt.Fprintf(h, "%+v\n", v)
			}
		}
		d.Parts = append(d.Parts, Part{name, fmt.Sprintf("%x", h.Sum(nil)[:8])})
	}
	ds := &s.Decided
	add("decisions", ds.All, ds.undo, ds.redo, ds.frozen, ds.boosts)
	add("failures", s.failures)
	if s.Noisy && (s.undated || s.Learned) {
		return d
	}
	if s.arch != nil {
		s.arch.Expire(s.folded)
		add("archive", s.arch.Digest())
	}
	c := s.curves.snapshot()
	if s.Learned { // who took a niche under an earlier map is not in the log
		add("tries", tries(s.yields.Operators()), tries(s.yields.Agents()), tries(s.yields.Targets()), tries(s.yields.Ways()))
		if !slices.ContainsFunc(ds.All, func(d record.Decision) bool { return d.Verb == record.Reject || d.Verb == record.Hold }) { // curves are told anew without those
			add("curves", c.X, c.Best)
		}
		return d
	}
	add("curves", c.X, c.Best)
	add("islands", s.isles.told(), s.stalled)
	add("yields", s.yields.Operators(), s.yields.Agents(), s.yields.Targets(), s.yields.Ways())
	return d
}

// tries are yields without what depends on a map.
func tries(of []search.Yield) []search.Yield {
	out := slices.Clone(of)
	for i := range out {
		out[i] = search.Yield{Name: out[i].Name, Tries: out[i].Tries, Scored: out[i].Scored, Usage: out[i].Usage}
	}
	return out
}

// Compare returns [ErrDiverged] with the names of the parts that differ. Digests
// of different positions, or under different maps, say nothing: known is false.
func (d Digest) Compare(other Digest) (known bool, err error) {
	if d.Seq != other.Seq || d.Map != other.Map {
		return false, nil
	}
	var differ []string
	for _, p := range d.Parts {
		i := slices.IndexFunc(other.Parts, func(o Part) bool { return o.Name == p.Name })
		if i < 0 || other.Parts[i] != p {
			differ = append(differ, p.Name)
		}
	}
	if len(differ) > 0 || len(d.Parts) != len(other.Parts) {
		return true, fmt.Errorf("%w at row %d: %v", ErrDiverged, d.Seq, differ)
	}
	return true, nil
}

// verifyTries bounds how often a fold runs after a state that goes on.
const verifyTries = 5

// CheckLog folds the log of an experiment anew and compares it with the state that
// live tells the digest of; it returns [ErrDiverged] where they differ. A state
// that goes on faster than it can be followed is left for the next time. The
// owner of the state answers live; everything else happens here.
func CheckLog(ctx context.Context, log Log, id record.ExperimentID, live func() (Digest, error)) error {
	fresh, err := LoadState(ctx, log, id)
	for try := 0; err == nil && try < verifyTries; try++ {
		var have Digest
		if have, err = live(); err != nil {
			break
		}
		if have.Seq > fresh.Seq {
			if err = fresh.CatchUp(ctx, log, func(record.JobID) error { return nil }); err != nil {
				break
			}
		}
		if known, differ := have.Compare(fresh.Digest()); known {
			return differ
		}
	}
	if errors.Is(err, ErrSuperseded) {
		return nil
	}
	return err
}
