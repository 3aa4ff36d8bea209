package survey

import (
	"testing"
	"time"
)

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
