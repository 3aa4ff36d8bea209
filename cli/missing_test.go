package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// What lacks until a person mends it pauses the run at once, whatever agent meets it:
// no job is charged, and the same run goes on where it stopped.
func TestWhatIsMissingIsNamedChargesNoJobAndTheRunGoesOnWhenItIsThere(t *testing.T) {
	t.Parallel()
	agent := func(what string) []string {
		return []string{"budget: {jobs: 4}", "agents:", "  - {name: coder, weight: 1, attempts: 3, timeout: 60s, " + what + "}"}
	}
	for _, tt := range []struct {
		name string
		// begin returns the agent and what mends it
		begin func(t *testing.T, bin string) (lines []string, mend func())
		named string
	}{
		{"a program that a script of the agent starts", func(t *testing.T, bin string) ([]string, func()) {
			return agent("kind: command, command: [sh, -c, my-coder --fast]"), nil
		}, "my-coder"},
		{"a model that the provider does not have", func(t *testing.T, _ string) ([]string, func()) {
			var there atomic.Bool
			m := newModel(t)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if there.Load() {
					m.ServeHTTP(w, r)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				http.Error(w, `{"error":{"message":"The model m-1 does not exist","code":"model_not_found"}}`, http.StatusNotFound)
			}))
			t.Cleanup(s.Close)
			return agent(fmt.Sprintf("kind: chat, base_url: %q, key_env: PLOT_KEY, model: m-1, edit: whole", s.URL+"/v1")), func() { there.Store(true) }
		}, "m-1"},
		{"an address where no model is", func(t *testing.T, _ string) ([]string, func()) {
			s := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(s.Close)
			return agent(fmt.Sprintf("kind: chat, base_url: %q, key_env: PLOT_KEY, model: m-1", s.URL+"/v2")), nil
		}, "base_url"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bin := t.TempDir()
			lines, mend := tt.begin(t, bin)
			dir := plot(t, lines...)
			run := func() call {
				cmd := command(t, dir, "run", "--headless", "--yes")
				cmd.Env = append(cmd.Env, "PLOT_KEY="+cliKey, "PATH="+bin+":/usr/bin:/bin")
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
					t.Fatal(err)
				}
				return call{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
			}
			c := run()
			if c.code == 0 || !strings.Contains(c.err, tt.named) || !strings.Contains(c.out+c.err, "No job was charged") {
				t.Errorf("exit %d, want one that names %s\n%s%s", c.code, tt.named, c.out, c.err)
			}
			jobs := func() (ended, queued, running int) {
				var s struct {
					Jobs struct{ Failed, Placed, Scored, Duplicate, Rejected, Queued, Running int }
				}
				if err := json.Unmarshal([]byte(must(t, dir, "status", "--json")), &s); err != nil {
					t.Fatal(err)
				}
				return s.Jobs.Failed + s.Jobs.Placed + s.Jobs.Scored + s.Jobs.Duplicate + s.Jobs.Rejected, s.Jobs.Queued, s.Jobs.Running
			}
			if ended, queued, running := jobs(); ended != 0 || queued == 0 || running != 0 {
				t.Errorf("%d jobs ended, %d wait, %d run: %s", ended, queued, running, must(t, dir, "status"))
			}
			if mend == nil {
				return
			}
			mend()
			if c := run(); c.code != 0 {
				t.Errorf("once it was there: exit %d\n%s%s", c.code, c.out, c.err)
			}
			if ended, _, _ := jobs(); ended != 4 {
				t.Errorf("%d of 4 jobs ended:\n%s", ended, must(t, dir, "status"))
			}
		})
	}
}
