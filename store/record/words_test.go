package record_test

import (
	"testing"

	"atoll/store/record"
)

func TestThingsAreCountedInOneAndInMany(t *testing.T) {
	for n, want := range map[int]string{0: "0 jobs", 1: "1 job", 2: "2 jobs"} {
		if got := record.Plural(n, "job"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
