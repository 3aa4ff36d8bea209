package clitest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/agent"
	"atoll/engine/agent/client"
	"atoll/engine/agent/client/clitest"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// clients are the ones that are run for real.
var clients = []string{"codex", "claude", "gemini", "opencode", "pi"}

// installed returns the path of an installed client. Without ATOLL_REAL_CLIENTS
// the test is skipped; with it, a client that cannot be had is a failure.
func installed(t *testing.T, name string) string {
	t.Helper()
	if os.Getenv("ATOLL_REAL_CLIENTS") != "1" {
		t.Skip("the slow suite: set ATOLL_REAL_CLIENTS=1 to run real clients (npm installs them)")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not here, and the clients come from npm")
	}
	dir := os.Getenv("ATOLL_CLIENTS_DIR")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "atoll-clients")
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "install.sh", dir, name).CombinedOutput(); err != nil {
		if exec.CommandContext(t.Context(), "npm", "ping").Run() != nil {
			t.Skipf("npm does not answer: %s", out)
		}
		t.Fatalf("npm answers, but %s could not be installed: %v\n%s", name, err, out)
	}
	return filepath.Join(dir, name, "node_modules", ".bin", name)
}

// bench is one real client before one scripted model.
type bench struct {
	t      *testing.T
	box    *sandbox.Box
	server *clitest.Server
	gw     *gateway.Gateway
	usd    float64 // limit of the job; 0 = none
	token  string  // of the job
	name   string
	path   string
	mu     sync.Mutex
	live   []string
	stages []string
}

func newBench(t *testing.T, name string, steps ...clitest.Step) *bench {
	t.Helper()
	path := installed(t, name)
	box, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.ModeAuto})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	dir, err := os.MkdirTemp("", "m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := clitest.Start(dir, "token-"+rand.Text(), steps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return &bench{t: t, box: box, server: server, gw: gatewayBefore(t, server), name: name, path: path}
}

// gatewayBefore is the real gateway, which alone knows the service's key.
func gatewayBefore(t *testing.T, server *clitest.Server) *gateway.Gateway {
	t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", server.Socket)
	}
	o := gateway.Options{
		Prices:   gateway.Prices{{Model: "mock-model", Input: 1, Output: 2}},
		Attempts: 1, ServeAttempts: 1, Transport: &http.Transport{DialContext: dial},
		Getenv: func(string) string { return server.Token },
	}
	for _, api := range []gateway.API{gateway.Chat, gateway.Responses, gateway.Anthropic, gateway.Gemini} {
		o.Providers = append(o.Providers, gateway.Provider{Name: string(api), API: api, BaseURL: "http://model.example/v1", KeyEnv: "MODEL_KEY"})
	}
	o.Providers[3].BaseURL = "http://model.example/v1beta"
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// protocols are what each client speaks.
var protocols = map[string]gateway.API{"codex": gateway.Responses, "claude": gateway.Anthropic, "gemini": gateway.Gemini, "opencode": gateway.Chat, "pi": gateway.Chat}

// options are those of the command agent; change them before agent is called.
func (b *bench) options() client.Options {
	open := client.GatewayFor(b.gw, []string{string(protocols[b.name])}, []string{"mock-model"}, 0, "", func(agent.Job) *gateway.Account {
		return gateway.NewAccount(gateway.AccountOptions{Name: "#7", LimitUSD: b.usd})
	})
	return client.Options{
		Preset: b.name, Command: []string{b.path}, Model: "mock-model", Box: b.box, Timeout: 90 * time.Second,
		Limits: sandbox.Limits{Memory: 4 << 30, Output: 32 << 20},
		Gateway: func(ctx context.Context, j agent.Job) (client.Endpoint, func() client.Metered, error) {
			ep, end, err := open(ctx, j)
			b.token = ep.Token
			return ep, end, err
		},
	}
}

func (b *bench) job() agent.Job {
	return agent.Job{
		Number: 7, Attempt: 1, Goal: "change beta to BETA in hello.txt", Operator: record.OpStructural,
		Live:     func(l string) { b.mu.Lock(); b.live = append(b.live, l); b.mu.Unlock() },
		Progress: func(s string) { b.mu.Lock(); b.stages = append(b.stages, s); b.mu.Unlock() },
	}
}

func (b *bench) edit(ctx context.Context, o client.Options) (agent.Result, error) {
	b.t.Helper()
	c, err := client.New(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return c.Edit(ctx, b.job(), tree{"hello.txt": "alpha\nbeta\ngamma\n", "main.go": "package main\n\nfunc main() {}\n"})
}

// nothingLeft asserts that no process with the job's token lives on.
func (b *bench) nothingLeft() {
	b.t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, path := range list {
		env, err := os.ReadFile(path)
		if err == nil && b.token != "" && bytes.Contains(env, []byte(b.token)) {
			cmd, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			b.t.Errorf("%s is still there: %q", filepath.Dir(path), cmd)
		}
	}
}

// tree is a tree of plain files.
type tree map[string]string

func (t tree) Files() []record.File {
	var list []record.File
	for path, data := range t {
		list = append(list, record.File{Path: path, Mode: record.Regular, Size: int64(len(data))})
	}
	slices.SortFunc(list, func(a, b record.File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

func (t tree) Read(_ context.Context, path string) ([]byte, error) {
	data, ok := t[path]
	if !ok {
		return nil, fmt.Errorf("no file %s", path)
	}
	return []byte(data), nil
}

func evidenceOf(err error) string {
	var e *agent.Error
	if !errors.As(err, &e) {
		return ""
	}
	var b strings.Builder
	for _, ev := range e.Evidence {
		if ev.Kind != "prompt" {
			fmt.Fprintf(&b, "--- %s\n%s\n", ev.Kind, ev.Text)
		}
	}
	return b.String()
}

func TestRealClientEditsARepository(t *testing.T) {
	for _, name := range clients {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, name,
				clitest.Step{Read: "hello.txt"},
				clitest.Step{Edit: &clitest.Edit{Path: "hello.txt", Old: "beta", New: "BETA"}},
				clitest.Step{Shell: "git commit -qam mine; git log --oneline | wc -l; printf 'new\\n' > added.txt; env"},
				clitest.Step{Text: "Beta is now in capitals."})
			began := time.Now()
			res, err := b.edit(t.Context(), b.options())
			if err != nil {
				t.Fatalf("%v\n%s\nrequests %v", err, evidenceOf(err), b.server.Paths())
			}
			t.Logf("%s: %v, %d requests, stages %v", name, time.Since(began).Round(time.Millisecond), res.Usage.Requests, b.stages)
			want := map[string]string{"hello.txt": "alpha\nBETA\ngamma\n", "added.txt": "new\n"}
			if len(res.Changes) != len(want) {
				t.Errorf("changes: %v", res.Changes)
			}
			for _, c := range res.Changes {
				if string(c.Data) != want[c.Path] {
					t.Errorf("%s is %q, want %q", c.Path, c.Data, want[c.Path])
				}
			}
			if res.Intent != "Beta is now in capitals." {
				t.Errorf("intent %q", res.Intent)
			}
			b.counts(res)
			if b.server.Refused() > 0 {
				t.Errorf("%d requests came without the key", b.server.Refused())
			}
			for _, e := range res.Evidence {
				if e.Kind == "gateway" {
					t.Logf("of its requests: %s", e.Text)
				}
				if bytes.Contains(e.Text, []byte(b.server.Token)) || bytes.Contains(e.Text, []byte(b.token)) {
					t.Errorf("evidence %s holds the key or the job's token", e.Kind)
				}
			}
			b.nothingLeft()
		})
	}
}

// counts asserts that the client's own figures agree with the service's.
func (b *bench) counts(res agent.Result) {
	b.t.Helper()
	want := b.server.Usage()
	if cost := float64(want.InputTokens)/1e6 + 2*float64(want.OutputTokens)/1e6; res.Usage.CostUSD == nil || math.Abs(*res.Usage.CostUSD-cost) > 1e-9 {
		b.t.Errorf("cost %v, want %v", res.Usage.CostUSD, cost)
	}
	if res.Usage.Requests != want.Requests || res.Usage.InputTokens != want.InputTokens || res.Usage.Requests < 4 {
		b.t.Errorf("usage %+v, the service counted %+v", res.Usage, want)
	}
	for _, e := range res.Evidence {
		if e.Kind != "events" || e.Cut > 0 {
			continue
		}
		rep := client.ReadStream(client.Format(b.name), e.Text)
		if !rep.HasUsage || rep.Usage.InputTokens != want.InputTokens || rep.Usage.OutputTokens != want.OutputTokens {
			b.t.Errorf("the client counted %+v itself, the service %+v", rep.Usage, want)
		}
	}
}

func TestRealClientIsGoneTwoSecondsAfterItIsCancelled(t *testing.T) {
	for _, name := range clients {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, name,
				clitest.Step{Shell: "printf 'half\\n' > half.txt; (setsid sleep 300 >/dev/null 2>&1 &) ; true"},
				clitest.Step{Stall: true})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			type end struct {
				err error
				at  time.Time
			}
			ended := make(chan end, 1)
			go func() {
				_, err := b.edit(ctx, b.options())
				ended <- end{err, time.Now()}
			}()
			select {
			case <-b.server.Stalled():
			case e := <-ended:
				t.Fatalf("it ended by itself: %v\n%s", e.err, evidenceOf(e.err))
			case <-time.After(80 * time.Second):
				t.Fatalf("it never asked the model a second time: %v", b.server.Paths())
			}
			asked := time.Now()
			cancel()
			e := <-ended
			if took := e.at.Sub(asked); took > 2*time.Second {
				t.Errorf("gone after %v, want at most 2 s", took)
			} else {
				t.Logf("%s: gone after %v", name, took.Round(time.Millisecond))
			}
			if !errors.Is(e.err, context.Canceled) {
				t.Errorf("error %v, want the context's", e.err)
			}
			if !strings.Contains(evidenceOf(e.err), "half.txt") {
				t.Errorf("the half-done work is not in the evidence:\n%s", evidenceOf(e.err))
			}
			b.nothingLeft()
		})
	}
}

func TestRealClientIsKilledAtItsTimeLimit(t *testing.T) {
	for _, name := range clients {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, name, clitest.Step{Shell: "(setsid sleep 300 >/dev/null 2>&1 &) ; true"}, clitest.Step{Stall: true})
			o := b.options()
			o.Timeout = 8 * time.Second
			began := time.Now()
			_, err := b.edit(t.Context(), o)
			var e *agent.Error
			if !errors.As(err, &e) || e.Class != record.ClassTimeout {
				t.Fatalf("error %v, want class timeout\n%s", err, evidenceOf(err))
			}
			if took := time.Since(began); took > suitetest.Stretched(t, o.Timeout+3*time.Second) {
				t.Errorf("took %v with a limit of %v", took, o.Timeout)
			}
			if want := b.server.Usage(); e.Usage.InputTokens != want.InputTokens {
				t.Errorf("usage %+v, the service counted %+v", e.Usage, want)
			}
			b.nothingLeft()
		})
	}
}

func TestRealClientFailsAsTheServiceFails(t *testing.T) {
	cases := []struct {
		name string
		step clitest.Step
		want []client.Fault
	}{
		{"the key is refused", clitest.Step{Status: 401, Body: "Incorrect API key provided."}, []client.Fault{client.FaultAuth}},
		{"the context is too long", clitest.Step{Status: 400, Body: "prompt is too long: your input exceeds the context window of this model."}, []client.Fault{client.FaultContext}},
	}
	for _, name := range clients {
		for _, tc := range cases {
			t.Run(name+" when "+tc.name, func(t *testing.T) {
				b := newBench(t, name, tc.step)
				_, err := b.edit(t.Context(), b.options())
				var ce *client.Error
				if !errors.As(err, &ce) || !slices.Contains(tc.want, ce.Fault) {
					t.Errorf("error %v, want fault %v\n%s", err, tc.want, evidenceOf(err))
				}
				b.nothingLeft()
			})
		}
	}
}

func TestRealClientThatChangesNothingIsNoSuccess(t *testing.T) {
	for _, name := range clients {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, name, clitest.Step{Text: "Done: the change is in place."})
			_, err := b.edit(t.Context(), b.options())
			if !errors.Is(err, agent.ErrNoChange) {
				t.Errorf("error %v, want no change\n%s", err, evidenceOf(err))
			}
		})
	}
}

func TestRealClientStopsAtItsBudget(t *testing.T) {
	for _, name := range clients {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, name, clitest.Step{Shell: "echo more >> hello.txt"})
			b.usd = 0.001 // less than one request of a client can cost at most
			_, err := b.edit(t.Context(), b.options())
			var e *agent.Error
			if !errors.As(err, &e) || e.Class != record.ClassBudget {
				t.Errorf("error %v, want class budget\n%s", err, evidenceOf(err))
			}
			if spent := b.server.Usage(); spent.Requests != 0 {
				t.Errorf("%d requests went through", spent.Requests)
			}
			b.nothingLeft()
		})
	}
}
