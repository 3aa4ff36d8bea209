package store_test

import (
	"testing"

	"atoll/store"
)

func TestABudgetThatIsTooSmallSaysWhatIsLeftAndWhatIsAskedFor(t *testing.T) {
	for _, tc := range []struct {
		e    store.BudgetError
		want string
	}{
		{store.BudgetError{Which: store.BudgetCost, Used: 0.27, Max: 0.5, Next: 0.31456}, "the budget of $0.5 has $0.23 left, and the next request could cost $0.3146: raise it, or lower max_tokens"},
		{store.BudgetError{Which: store.BudgetCost, Used: 0.5, Max: 0.5, Next: 0.3}, "the budget of $0.5 is used up ($0.5); raise it or stop here"},
		{store.BudgetError{Which: store.BudgetEvals, Used: 9, Max: 10, Next: 3}, "the budget of 10 evaluations has 1 left, and the next candidate needs 3: raise it"},
		{store.BudgetError{Which: store.BudgetJobs, Used: 10, Max: 10}, "the budget of 10 jobs is used up (10); raise it or stop here"},
	} {
		if got := tc.e.Error(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
