package survey

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// events are lines of go test -json for what two packages printed, in turn.
func events(t *testing.T, lines ...string) []byte {
	t.Helper()
	var out []byte
	for _, line := range lines {
		pkg, text, _ := strings.Cut(line, "|")
		data, err := json.Marshal(map[string]string{"Action": "output", "Package": pkg, "Test": "TestWhatever", "Output": text})
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, data...), '\n')
	}
	return out
}

func TestTestsOfGoThatDoNotEndAreKnownByTheListThatItPrints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"one with a part of it", []string{"a|panic: test timed out after 2m20s\n", "a|\trunning tests:\n", "a|\t\tTestHang (2m19s)\n", "a|\t\tTestHang/sub (2m19s)\n", "a|\n", "a|goroutine 1 [running]:\n"}, []string{"TestHang"}},
		{"two packages at once", []string{"a|\trunning tests:\n", "b|\trunning tests:\n", "a|\t\tTestA (2m19s)\n", "b|\t\tTestB (1m0s)\n", "a|\n", "b|\n"}, []string{"TestA", "TestB"}},
		{"many that are each quick", []string{"a|panic: test timed out after 2m20s\n", "a|\trunning tests:\n", "a|\t\tTestLast (3s)\n", "a|\n"}, nil},
		{"a line that only looks like one", []string{"a|\t\tTestHang (2m19s)\n"}, nil},
		{"a line behind the list", []string{"a|\trunning tests:\n", "a|\n", "a|\t\tTestHang (2m19s)\n"}, nil},
		{"all end", []string{"a|ok\n"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := hangingTests(events(t, tt.lines...)); !slices.Equal(got, tt.want) {
				t.Errorf("%q", got)
			}
		})
	}
}
