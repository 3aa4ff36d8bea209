package work

import (
	"testing"

	"atoll/store/record"
)

func TestFailuresOfOneReasonAreToldTogetherWhateverLineTheyName(t *testing.T) {
	for _, c := range []struct {
		name         string
		class, other record.Class
		a, b         string
		same         bool
	}{
		{"other lines", record.ClassBuild, record.ClassBuild, "a.go:12:2: undefined: x", "a.go:7:31: undefined: x", true},
		{"other values", record.ClassCrash, record.ClassCrash, "took 1.25 s", "took 30 s", true},
		{"another name", record.ClassBuild, record.ClassBuild, "a.go:12:2: undefined: x", "a.go:12:2: undefined: y", false},
		{"another class", record.ClassBuild, record.ClassCrash, "ended with code 1", "ended with code 1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sameFailure(c.class, c.a) == sameFailure(c.other, c.b); got != c.same {
				t.Errorf("%q and %q count as one: %v", c.a, c.b, got)
			}
		})
	}
}
