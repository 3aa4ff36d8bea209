package cli_test

import (
	"strings"
	"testing"
)

func TestANegativeValueOfASettingIsRefusedAsOtherValuesAre(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	for name, tc := range map[string]struct{ line, says string }{
		"a number":                  {"set budget.jobs -4", "budget.jobs: not below 0"},
		"a duration":                {"set budget.wall -5m", "budget.wall: "},
		"a number before a flag":    {"set budget.jobs -4 --json", "budget.jobs: not below 0"},
		"a number without its key":  {"set -4", "set takes KEY VALUE and received 1"},
		"a flag that there is not":  {"set budget.jobs 4 -q", "unknown shorthand flag"},
		"a number of another verb":  {"jobs -4", "unknown shorthand flag"},
		"a value that is no number": {"set budget.jobs x", "a whole number is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, atoll(t, dir, strings.Fields(tc.line)...), tc.says)
		})
	}
}
