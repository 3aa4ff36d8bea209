package survey

import (
	"testing"
	"time"
)

func TestTimeInInstancesAndClosuresCountsToTheFunctionAsItIsWritten(t *testing.T) {
	const table = `Showing nodes accounting for 220ms, 100% of 220ms total
      flat  flat%   sum%        cum   cum%
     150ms 68.18% 68.18%      150ms 68.18%  example.com/gen.(*Set[go.shape.struct { X int; Y int },go.shape.[]string]).Add (inline)
      20ms  9.09% 77.27%       20ms  9.09%  example.com/gen.(*Set[...]).Add
      30ms 13.64% 90.91%       30ms 13.64%  example.com/gen.Sum[go.shape.int].func2
      20ms  9.09%   100%       20ms  9.09%  example.com/gen.Sort.func1.2 (inline)
`
	want := map[string]float64{"example.com/gen.(*Set).Add": 0.7727, "example.com/gen.Sum": 0.1364, "example.com/gen.Sort": 0.0909}
	got := readFlat([]byte(table))
	for name, share := range got {
		if diff := share - want[name]; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s has %v", name, share)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %v", got)
	}
}

func TestHowMuchAProfilerSawIsReadOfItsHead(t *testing.T) {
	for _, tt := range []struct {
		name, head string
		want       time.Duration
	}{
		{"milliseconds", "Type: cpu\nDuration: 203.18ms, Total samples = 50ms (24.61%)\n", 50 * time.Millisecond},
		{"seconds", "Duration: 1.40s, Total samples = 1.17s (83.5%)\n", 1170 * time.Millisecond},
		{"minutes", "Duration: 1.6mins, Total samples = 1.5mins (93%)\n", 90 * time.Second},
		{"nothing", "Duration: 201.2ms, Total samples = 0 \n", 0},
		{"no profile", "", 0},
	} {
		if got := readSampled([]byte(tt.head)); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
