package clitest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/engine/agent/client/clitest"
	"atoll/store/record"
)

// whole is a repository, an experiment over it whose only agent is a real
// client, and the program.
type whole struct {
	t       *testing.T
	program string
	repo    string
	server  *clitest.Server
	mark    string // in the environment of the client and all it starts
}

// newWhole makes ready a run of the program with one real client before one
// scripted model.
func newWhole(t *testing.T, name string, timeout time.Duration, steps ...clitest.Step) *whole {
	t.Helper()
	path := installed(t, name)
	w := &whole{t: t, program: built(t), repo: filepath.Join(t.TempDir(), "repo"), mark: "WHOLE_MARK=" + rand.Text()}
	dir, err := os.MkdirTemp("", "m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if w.server, err = clitest.Start(dir, "sk-whole-"+rand.Text(), steps...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.server.Close)
	host := address(t, w.server)
	version := "/v1"
	if name == "gemini" {
		version = "/v1beta"
	}
	w.write("value.txt", "1\nbeta\n")
	w.write("measure.sh", "v=$(head -n 1 value.txt); grep -q BETA value.txt && v=$((v+10)); echo score=$v; echo place=$v\n")
	w.write("atoll.yaml", fmt.Sprintf(`goal: write beta in capitals
workers: 1
evaluator: {command: [sh, measure.sh], output: name=value, objective: score, protected: [measure.sh]}
map: {axes: [{metric: place, min: 0, max: 20, bins: 4}]}
search: {operators: {rewrite: 1}}
budget: {jobs: 1, cost_usd: 1}
limits: {memory: 4GiB}
prices: [{model: mock-model, input: 1, output: 2}]
agents:
  - {name: %s, kind: command, preset: %s, command: [%q], weight: 1, base_url: %q, key_env: WHOLE_KEY, model: mock-model, max_tokens: 2000, attempts: 1, timeout: %s, env: [%q]}
`, name, name, path, host+version, timeout, w.mark))
	w.git("init", "-q", "-b", "main")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "start")
	return w
}

// address is the model's socket as an address that a program can be given.
func address(t *testing.T, server *clitest.Server) string {
	t.Helper()
	host := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "model.example"}) },
		FlushInterval: -1,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", server.Socket)
		}},
	})
	t.Cleanup(host.Close)
	return host.URL
}

// built is the program, built for one test.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "atoll")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "atoll").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return path
}

func (w *whole) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(w.repo, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.repo, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *whole) git(args ...string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", append([]string{"-C", w.repo, "-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w *whole) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), w.program, args...)
	cmd.Dir = w.repo
	cmd.Env = append(os.Environ(), "WHOLE_KEY="+w.server.Token)
	return cmd
}

// run runs the experiment to its end.
func (w *whole) run() string {
	w.t.Helper()
	out, err := w.command("run", "--headless", "--yes").CombinedOutput()
	if err != nil {
		w.t.Fatalf("run: %v\n%s", err, out)
	}
	return string(out)
}

func (w *whole) job() (j record.Job) {
	w.t.Helper()
	out, err := w.command("show", "#1", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &j)
	}
	if err != nil {
		w.t.Fatalf("show #1: %v\n%s", err, out)
	}
	return j
}

// nothingLeft asserts that no process with the job's mark lives on.
func (w *whole) nothingLeft() {
	w.t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range list {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte(w.mark)) {
			cmd, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			w.t.Errorf("%s is still there: %q", filepath.Dir(path), cmd)
		}
	}
}

// noKey asserts that the provider's key is in no file of the repository and its
// state, and in no output of a verb.
func (w *whole) noKey() {
	w.t.Helper()
	out, err := exec.CommandContext(w.t.Context(), "grep", "-rlF", w.server.Token, w.repo).Output()
	if len(out) > 0 {
		w.t.Errorf("the key is in %s (%v)", out, err)
	}
	for _, args := range [][]string{{"status", "--json"}, {"show", "#1"}, {"events", "--json"}} {
		if out, err := w.command(args...).CombinedOutput(); err != nil || bytes.Contains(out, []byte(w.server.Token)) {
			w.t.Errorf("atoll %v: %v, or it prints the key", args, err)
		}
	}
}

func TestAWholeRunWithARealClient(t *testing.T) {
	for _, name := range clients {
		t.Run(name, func(t *testing.T) {
			w := newWhole(t, name, 2*time.Minute,
				clitest.Step{Read: "value.txt"}, clitest.Step{Edit: &clitest.Edit{Path: "value.txt", Old: "beta", New: "BETA"}},
				clitest.Step{Shell: "env; cat /proc/self/environ | tr '\\0' '\\n'"}, clitest.Step{Text: "Beta is now in capitals."})
			out := w.run()
			j := w.job()
			if j.State != record.Placed {
				t.Fatalf("the job ended %s (%s %s)\n%s", j.State, j.Class, j.Reason, out)
			}
			var c struct {
				Objective *float64
				Intent    string
			}
			data, err := w.command("show", "c1", "--json").Output()
			if err == nil {
				err = json.Unmarshal(data, &c)
			}
			if err != nil || c.Objective == nil || *c.Objective != 11 || c.Intent != "Beta is now in capitals." {
				t.Errorf("candidate %s (%v)", data, err)
			}
			want := w.server.Usage()
			cost := (float64(want.InputTokens) + 2*float64(want.OutputTokens)) / 1e6
			if j.Usage.Requests < 4 || j.Usage.Requests != want.Requests || j.Usage.InputTokens != want.InputTokens || j.Usage.CostUSD == nil || math.Abs(*j.Usage.CostUSD-cost) > 1e-9 {
				t.Errorf("the job used %+v, the service counted %+v, $%g", j.Usage, want, cost)
			}
			var status struct {
				Usage struct {
					CostUSD *float64 `json:"cost_usd"`
				} `json:"usage"`
			}
			if data, err := w.command("status", "--json").Output(); err != nil || json.Unmarshal(data, &status) != nil || status.Usage.CostUSD == nil || math.Abs(*status.Usage.CostUSD-cost) > 1e-9 {
				t.Errorf("status: %s (%v)", data, err)
			}
			t.Logf("%s: %d requests, %d tokens in, edited in %d ms", name, j.Usage.Requests, j.Usage.InputTokens, j.EditMS)
			w.noKey()
			w.nothingLeft()
		})
	}
}

func TestARealClientOfAWholeRunIsCancelledWithinTwoSeconds(t *testing.T) {
	for _, name := range []string{"codex", "claude"} {
		t.Run(name, func(t *testing.T) {
			w := newWhole(t, name, 2*time.Minute, clitest.Step{Shell: "(setsid sleep 300 >/dev/null 2>&1 &) ; true"}, clitest.Step{Stall: true})
			cmd := w.command("run", "--headless", "--yes")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-w.server.Stalled():
			case err := <-ended:
				t.Fatalf("it ended by itself: %v\n%s", err, out.String())
			case <-time.After(80 * time.Second):
				t.Fatalf("the client never asked a second time: %v", w.server.Paths())
			}
			asked := time.Now()
			if text, err := w.command("cancel", "1").CombinedOutput(); err != nil {
				t.Fatalf("cancel: %v\n%s", err, text)
			}
			if err := <-ended; err != nil { // one job is all there is to do
				t.Errorf("run: %v\n%s", err, out.String())
			}
			took := time.Since(asked)
			if j := w.job(); j.State != record.Cancelled || took > 2*time.Second {
				t.Errorf("%s (%s) after %v, want cancelled within 2 s", j.State, j.Reason, took)
			}
			t.Logf("%s: cancelled, and the run ended, after %v", name, took.Round(time.Millisecond))
			w.nothingLeft()
		})
	}
}

func TestARealClientOfAWholeRunIsKilledAtItsTimeLimit(t *testing.T) {
	for _, name := range []string{"codex", "claude"} {
		t.Run(name, func(t *testing.T) {
			w := newWhole(t, name, 8*time.Second, clitest.Step{Shell: "(setsid sleep 300 >/dev/null 2>&1 &) ; true"}, clitest.Step{Stall: true})
			out := w.run()
			j := w.job()
			if j.State != record.Failed || j.Class != record.ClassTimeout || j.EditMS > 11_000 {
				t.Errorf("the job ended %s (%s) after %d ms: %s\n%s", j.State, j.Class, j.EditMS, j.Reason, out)
			}
			if !strings.Contains(out, "1/1 ended") {
				t.Errorf("the run said:\n%s", out)
			}
			w.nothingLeft()
		})
	}
}
