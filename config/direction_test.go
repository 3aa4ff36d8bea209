package config_test

import (
	"regexp"
	"strings"
	"testing"

	"atoll/config"
)

func TestDirectionFollowsFromNamesAndUnits(t *testing.T) {
	for _, c := range []struct {
		name, unit, want string
		sure             bool
	}{
		{"ns/op", "ns/op", config.Minimize, true},
		{"Sort/n=10 MB/s", "MB/s", config.Maximize, true},
		{"time_ms", "", config.Minimize, true},
		{"timeMs", "", config.Minimize, true},
		{"elapsed", "", config.Minimize, true},
		{"parse", "ms", config.Minimize, true},
		{"ops_per_s", "", config.Maximize, true},
		{"requests_per_second", "", config.Maximize, true},
		{"ms_per_request", "", config.Minimize, true},
		{"error_rate", "", config.Minimize, true},
		{"hit_rate", "", config.Maximize, true},
		{"combined_score", "", config.Maximize, true},
		{"time_score", "", config.Maximize, true},
		{"score_loss", "", config.Minimize, true},
		{"val_loss", "", config.Minimize, true},
		{"accuracy", "", config.Maximize, true},
		{"binary_bytes", "", config.Minimize, true},
		{"req/s", "", config.Maximize, true},
		{"compression_ratio", "", config.Maximize, false},
		{"x", "", config.Maximize, false},
		{"", "", config.Maximize, false},
	} {
		if got, sure := config.DirectionOf(c.name, c.unit); got != c.want || sure != c.sure {
			t.Errorf("%s [%s]: %s, sure %v; want %s, %v", c.name, c.unit, got, sure, c.want, c.sure)
		}
	}
}

func TestTimesAreTold(t *testing.T) {
	for _, c := range []struct {
		name, unit string
		want       bool
	}{{"ns/op", "ns/op", true}, {"time_ms", "", true}, {"throughput", "", true}, {"score", "", false}, {"size", "kB", false}} {
		if got := config.TimeLike(c.name, c.unit); got != c.want {
			t.Errorf("%s [%s]: %v", c.name, c.unit, got)
		}
	}
}

func TestADirectionAgainstTheNameIsTold(t *testing.T) {
	for _, c := range []struct{ direction, name, unit, want string }{
		{config.Maximize, "parse_seconds", "", "direction: minimize"},
		{config.Minimize, "accuracy", "", "direction: maximize"},
		{config.Maximize, "parse", "ms", `the unit "ms" of "parse"`},
		{config.Maximize, "ops_per_s", "", ""},
		{config.Minimize, "parse_seconds", "s", ""},
		{config.Minimize, "x", "", ""},
		{config.Minimize, "", "", ""},
	} {
		if got := config.AgainstName(c.direction, c.name, c.unit); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %s [%s]: %q, want %q", c.direction, c.name, c.unit, got, c.want)
		}
	}
}

func TestAFileWithoutAnObjectiveLeavesTheDirectionToBeChosen(t *testing.T) {
	text := string(config.Template(config.Detected{Output: "result-file"}))
	for _, key := range []string{"objective: score", "direction: maximize"} {
		if !regexp.MustCompile(`(?m)^\s*(?:# )?` + key + ` +# CHECK THIS: `).MatchString(text) {
			t.Errorf("%s carries no mark:\n%s", key, text)
		}
	}
}
