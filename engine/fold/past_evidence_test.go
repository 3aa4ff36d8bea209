package fold

import "testing"

func TestAVersionThatEndsKeepsWhatItsBestIsWorth(t *testing.T) {
	for name, c := range map[string]struct {
		noisy bool
		value float64 // of the candidate beside the root
		want  string
	}{
		"values that do not vary": {false, 3, "exact"},
		"values that vary":        {true, 3, "unconfirmed"},
		"the root leads":          {true, 0.5, ""},
	} {
		s := begin(t)
		s.measured(0, 1, 0.05)
		s.measured(1, c.value, 0.55)
		s.st.Noisy = c.noisy
		if p := s.st.StandingPast(); p.Evidence != c.want {
			t.Errorf("%s: c%d with %q, want %q", name, p.Best, p.Evidence, c.want)
		}
	}
}
