package fold

import (
	"fmt"

	"atoll/engine/archive"
)

// CheckArchive builds the archive anew from the members of the fold, at the
// coordinates that they have, and compares it with the one that grew row by row
// (design rule 1). It returns the first difference in words.
func (c *placement) CheckArchive() error {
	if c.arch == nil {
		return nil
	}
	c.arch.Expire(c.folded)
	fresh := archive.New(c.shape(), c.arch.Offset())
	for id := range c.measured() {
		m := c.Candidate(id)
		if c.isWaiting(id) || !m.Scored {
			continue
		}
		if _, err := fresh.Add(c.entry(m, c.pointOf(id))); err != nil {
			return fmt.Errorf("fold %s: %w", id, err)
		}
		if m.Out() {
			fresh.Remove(id)
		}
	}
	for _, id := range c.arch.Frozen() {
		fresh.Freeze(id)
	}
	for _, b := range c.arch.Boosts(c.folded) {
		fresh.BoostOn(b.Anchor, b.Factor, b.Until)
	}
	return c.arch.Equal(fresh)
}
