package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestARunReplaysAfterItsConfigurationWasCommitted(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run twice; engine has TestAnExperimentRecordedWithAChatModelReplaysOfflineToTheSameCandidates")
	m := newModel(t)
	dir := plot(t, "budget: {jobs: 5}", m.agentsYAML())
	tape := filepath.Join(t.TempDir(), "tape")
	if c := keyed(t, dir, cliKey, "run", "--headless", "--yes", "--record", tape); c.code != 0 {
		t.Fatalf("record: exit %d\n%s%s", c.code, c.out, c.err)
	}
	sent := m.requests()
	commit := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", name)
	}
	commit("atoll.yaml", plotYAML("budget: {jobs: 5}", "agents: [{kind: replay, recording: "+tape+"}]"))
	candidates := func() string {
		t.Helper()
		var out []string
		for _, line := range strings.Split(strings.TrimSpace(atoll(t, dir, "candidates", "--json").out), "\n") {
			var c struct {
				ID        int      `json:"id"`
				Objective *float64 `json:"objective"`
			}
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			out = append(out, fmt.Sprintln(c.ID, *c.Objective))
		}
		return strings.Join(out, "")
	}
	recorded := candidates()
	if c := atoll(t, dir, "run", "--new", "--headless"); c.code != 0 || m.requests() != sent {
		t.Fatalf("replay: exit %d, %d requests\n%s%s", c.code, m.requests()-sent, c.out, c.err)
	}
	if got := candidates(); got != recorded || strings.Count(got, "\n") < 4 {
		t.Errorf("the replay has the candidates\n%swant\n%s", got, recorded)
	}
	commit("other.txt", "another root\n")
	if c := atoll(t, dir, "run", "--new", "--headless"); !strings.Contains(c.out+c.err+atoll(t, dir, "jobs").out, "recorded") {
		t.Errorf("another root replays without a word: exit %d\n%s%s", c.code, c.out, c.err)
	}
	if out := atoll(t, dir, "show", "#1", "--json").out; !strings.Contains(out, "another root") || !strings.Contains(out, "atoll.yaml may differ") {
		t.Errorf("the job does not say why it could not be replayed:\n%s", out)
	}
}

func TestAReplayDrawsAsTheRunThatWasRecorded(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	for _, tt := range []struct{ name, agents string }{
		{"without any agent in the configuration", ""},
		{"of the offline agent and a model", m.agentsYAML("  - {name: own, kind: offline, weight: 2}")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.agents == "" {
				suitetest.Full(t, "one more run and its replay; that of two agents stands for it")
			}
			t.Parallel()
			dir := plot(t, "budget: {jobs: 12}", "order: strict", tt.agents)
			tape := filepath.Join(t.TempDir(), "tape")
			if c := keyed(t, dir, cliKey, "run", "--headless", "--yes", "--record", tape); c.code != 0 {
				t.Fatalf("record: exit %d\n%s%s", c.code, c.out, c.err)
			}
			done := func() (out []string) {
				for line := range strings.Lines(atoll(t, dir, "jobs", "--json").out) {
					var j map[string]any
					if err := json.Unmarshal([]byte(line), &j); err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					out = append(out, fmt.Sprint(j["id"], " ", j["operator"], " of ", j["parent"], ": ", j["state"], " ", j["candidate"]))
				}
				return out
			}
			recorded := done()
			if err := os.WriteFile(filepath.Join(dir, "atoll.yaml"), []byte(plotYAML("budget: {jobs: 12}", "order: strict", "agents: [{kind: replay, recording: "+tape+"}]")), 0o644); err != nil {
				t.Fatal(err)
			}
			if c := atoll(t, dir, "run", "--new", "--headless"); c.code != 0 {
				t.Fatalf("replay: exit %d\n%s%s", c.code, c.out, c.err)
			}
			if got := done(); !slices.Equal(got, recorded) {
				t.Errorf("the replay has the jobs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(recorded, "\n"))
			}
		})
	}
}
