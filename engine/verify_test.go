package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"atoll/engine/fold"
	"atoll/store/record"
)

func TestAStateThatIsNotTheFoldOfItsLogIsFound(t *testing.T) {
	for _, extra := range [][]string{{"budget.jobs=24"}, {"budget.jobs=24", "order=strict", "workers=3"}} {
		t.Run(fmt.Sprint(extra), func(t *testing.T) {
			l := newLab(t, extra...)
			l.run()
			verify := func(s *fold.State) error {
				return fold.Verify(t.Context(), l.ses.DB, l.exp.ID, func() (fold.Digest, error) { return s.Digest(), nil })
			}
			if err := verify(l.state()); err != nil {
				t.Errorf("a fold of the log is not one: %v", err)
			}
			for _, c := range []struct {
				name  string
				plant func(*fold.State)
			}{
				{"a niche has another holder", func(s *fold.State) { s.Archive().Remove(s.Best) }},
				{"a decision is missing from the log", func(s *fold.State) {
					s.Decided.All = append(s.Decided.All, record.Decision{Verb: record.Pause})
				}},
			} {
				s := l.state()
				c.plant(s)
				if err := verify(s); !errors.Is(err, fold.ErrDiverged) {
					t.Errorf("%s: the error is %v", c.name, err)
				}
			}
		})
	}
}
