package engine

import (
	"cmp"
	"os"

	"atoll/engine/column"
)

// How much of its pages a fold keeps in memory: what the jobs of the last
// minutes and the elites need. A niche needs a page of each of four columns.
const (
	foldBytes  = 2 << 20
	nicheBytes = 8 << 10
)

// lay makes the state that load returns the engine's. What it does not need at
// hand goes to a file without a name, or stays in memory where none can be made.
// The state before it is kept when load fails.
func (e *Engine) lay(load func(pages func() *column.Pages) (*State, error)) error {
	f, err := os.CreateTemp(e.ses.spill, "atoll-fold-*")
	pages := func() *column.Pages { return column.NewPages(nil, 0) }
	if err == nil {
		_ = os.Remove(f.Name()) // it ends with the process
		pages = func() *column.Pages { return column.NewPages(f, cmp.Or(e.keep, foldBytes)) }
	}
	st, err := load(pages)
	if err != nil {
		if f != nil {
			_ = f.Close() // nobody read it
		}
		return err
	}
	if e.scratch != nil {
		_ = e.scratch.Close() // nobody reads it again
	}
	e.st, e.scratch = st, f
	st.pages.Limit(cmp.Or(e.keep, max(foldBytes, st.shape().Cells()*nicheBytes)))
	return nil
}
