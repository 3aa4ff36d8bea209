package survey

import "testing"

func TestAMethodWhoseLaterCallsDoSomethingElseChangesWhatItIsCalledOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ran  map[string]float64
		want bool
	}{
		{"later calls find nothing left", map[string]float64{"AtollM": 16, "AtollMAnew": 900, "AtollMMaking": 100}, true},
		{"later calls do as much", map[string]float64{"AtollM": 800, "AtollMAnew": 900, "AtollMMaking": 100}, false},
		{"later calls do more and more", map[string]float64{"AtollM": 8000, "AtollMAnew": 900, "AtollMMaking": 100}, true},
		{"the calls run no code of the module", map[string]float64{"AtollM": 0, "AtollMAnew": 100, "AtollMMaking": 100}, false},
		{"what making takes is not known", map[string]float64{"AtollM": 16, "AtollMAnew": 900}, false},
		{"what later calls do is not known", map[string]float64{"AtollMAnew": 900, "AtollMMaking": 100}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := changes(c.ran, "M"); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
