package archive

import (
	"slices"

	"atoll/store/record"
)

// boost lets a niche be chosen more often. Its anchor is the holder at the
// time: the boosted niche is the one where the anchor lies, whoever holds it.
type boost struct {
	anchor record.CandidateID
	factor float64
	until  int
}

// Boosted is a boost as it stands.
type Boosted struct {
	Anchor record.CandidateID // the candidate that it was given for
	Cell   int                // where the anchor lies; -1 while it has no cell
	Factor float64
	Until  int
}

// Boost multiplies the chance of the niche in which a candidate lies, now and after
// every remap, by factor until the fold position until is reached, instead of any
// boost that the niche had. A factor of 1, or one that is not positive and finite, ends
// the boost. The candidate need not be known yet.
func (a *Archive) Boost(anchor record.CandidateID, factor float64, until int) {
	if cell, ok := a.CellOf(anchor); ok {
		a.boosts = slices.DeleteFunc(a.boosts, func(b boost) bool {
			at, ok := a.CellOf(b.anchor)
			return ok && at == cell
		})
	}
	a.BoostOn(anchor, factor, until)
}

// BoostOn is Boost beside the boosts of others that lie in the niche.
func (a *Archive) BoostOn(id record.CandidateID, factor float64, until int) {
	at, found := slices.BinarySearchFunc(a.boosts, id, func(b boost, id record.CandidateID) int {
		return int(b.anchor - id)
	})
	if found {
		a.boosts = slices.Delete(a.boosts, at, at+1)
	}
	if finite(factor) && factor > 0 && factor != 1 {
		a.boosts = slices.Insert(a.boosts, at, boost{id, factor, until})
	}
}

// BoostOf returns the factor of a cell at a fold position: 1 without a boost,
// the largest when several met in it. A boost has run out at its until.
func (a *Archive) BoostOf(cell, now int) float64 {
	factor, found := 1.0, false
	for _, b := range a.boosts {
		if at, ok := a.CellOf(b.anchor); ok && at == cell && now < b.until {
			if !found || b.factor > factor {
				factor, found = b.factor, true
			}
		}
	}
	return factor
}

// Boosts lists the boosts that have not run out at a fold position, by anchor.
func (a *Archive) Boosts(now int) []Boosted {
	var out []Boosted
	for _, b := range a.boosts {
		if now < b.until {
			cell, _ := a.CellOf(b.anchor)
			out = append(out, Boosted{Anchor: b.anchor, Cell: cell, Factor: b.factor, Until: b.until})
		}
	}
	return out
}

// Expire forgets the boosts that have run out at a fold position.
func (a *Archive) Expire(now int) {
	a.boosts = slices.DeleteFunc(a.boosts, func(b boost) bool { return now >= b.until })
}
