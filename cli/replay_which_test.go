package cli_test

import (
	"strings"
	"testing"
)

func TestReplayTakesTheExperimentThatItPlays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"replay", "99"}, "a replay needs a terminal"},
		{[]string{"replay", "99", "--experiment", "98"}, "name an experiment twice"},
		{[]string{"replay", "99", "98"}, "received 2"},
	} {
		if got := atoll(t, dir, c.args...); got.code != 2 || !strings.Contains(got.err, c.want) || strings.Contains(got.err, "did you mean") {
			t.Errorf("%v: exit %d, %q, want %q", c.args, got.code, got.err, c.want)
		}
	}
}
