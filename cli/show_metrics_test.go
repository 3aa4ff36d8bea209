package cli

import (
	"testing"

	"atoll/engine/view"
)

func TestMetricsOfOneSampleAreSaidToBeMaybeNoise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		noisy   bool
		samples int
		want    string
	}{
		{true, 1, "of one sample: what they differ from the root's may be noise"},
		{true, 3, "of the sample in the middle of the 3 that decided"},
		{false, 3, "of the sample in the middle of the 3 that decided"},
		{false, 1, ""},
		{true, 0, ""},
	} {
		if got := metricsOf(&view.Snapshot{Noisy: c.noisy}, c.samples); got != c.want {
			t.Errorf("noisy %v, %d samples: %q, want %q", c.noisy, c.samples, got, c.want)
		}
	}
}
