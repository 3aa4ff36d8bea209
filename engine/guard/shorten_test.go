package guard

import (
	"errors"
	"testing"
	"time"
)

func TestADifferenceThatIsKnownLeavesLessTimeForOthers(t *testing.T) {
	differs := []Difference{{Where: "kit.Parse"}}
	for name, c := range map[string]struct {
		differences []Difference
		accepted    []string
		work, left  time.Duration // in all, and when a part has ended
		want        time.Duration
		over        error
	}{
		"nothing differs":                             {nil, nil, 300 * time.Second, 280 * time.Second, 280 * time.Second, errOutOfWork},
		"somebody accepted it":                        {differs, []string{"kit.Parse"}, 300 * time.Second, 280 * time.Second, 280 * time.Second, errOutOfWork},
		"another was accepted":                        {differs, []string{"kit.Print"}, 300 * time.Second, 280 * time.Second, 30 * time.Second, errKnown},
		"it was found late":                           {differs, nil, 300 * time.Second, 180 * time.Second, 60 * time.Second, errKnown},
		"it was found soon by one that may take long": {differs, nil, 900 * time.Second, 880 * time.Second, 30 * time.Second, errKnown},
		"less is left than that would":                {differs, nil, 300 * time.Second, 20 * time.Second, 20 * time.Second, errKnown},
	} {
		t.Run(name, func(t *testing.T) {
			k := &check{g: &Guard{o: Options{Work: c.work, Accept: c.accepted}}, budget: &budget{left: c.left}, report: Report{Differences: c.differences}}
			k.shorten()
			k.shorten() // of later parts is no other answer
			if got := k.budget.rest(); got != c.want || !errors.Is(k.over(), c.over) {
				t.Errorf("%s are left, and %v ends it; want %s, %v", got, k.over(), c.want, c.over)
			}
		})
	}
}
