package engine_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/gateway"
	"atoll/engine/view"
	"atoll/store/record"
)

// refusing is a provider that answers every request with a status until it is told
// otherwise.
func refusing(t *testing.T, status int, body string) (m *fakeModel, serve func()) {
	m = newFakeModel(t)
	served := make(chan struct{})
	m.trouble = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		select {
		case <-served:
			return false
		default:
			http.Error(w, body, status)
			return true
		}
	}
	return m, func() { close(served) }
}

func TestAProviderThatDoesNotServeTheKeyPausesAtOnceAndChargesNoJob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
	}{
		{"the key is refused", 401, `{"error":{"message":"invalid api key"}}`},
		{"the key may not do this", 403, `{"error":{"message":"forbidden"}}`},
		{"the quota is gone", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, serve := refusing(t, tt.status, tt.body)
			l := agentLab(t, func(c *config.Config) {
				c.Agents = []config.Agent{m.agent("model")}
				c.Workers, c.Budget.Jobs = 2, 4
			})
			eng, stop := l.startWith(engine.Options{Getenv: plantedEnv})
			s := l.await(eng, "it pauses", func(s *view.Snapshot) bool { return s.State == record.ExperimentPaused && s.Jobs.Running == 0 })
			if !strings.Contains(s.Reason, "PLANTED_KEY") || !strings.Contains(s.Reason, "resume") {
				t.Errorf("the reason names no key, or nothing to do: %s", s.Reason)
			}
			if s.Jobs.Ended() != 0 || s.Jobs.Queued == 0 {
				t.Errorf("jobs %+v, none should have ended", s.Jobs)
			}
			if n := len(m.asked()); n > 4 {
				t.Errorf("%d requests were sent for nothing", n)
			}
			serve()
			l.resumed(eng, 4)
			stop()
		})
	}
}

// resumed has a run that paused go on, and fails when it does not measure so many.
func (l *lab) resumed(eng *engine.Engine, measured int) {
	l.t.Helper()
	if _, err := eng.Decide(l.t.Context(), record.NewDecision(record.Resume)); err != nil {
		l.t.Fatal(err)
	}
	s := l.await(eng, "the jobs are done", func(s *view.Snapshot) bool { return s.State == record.ExperimentDone })
	if s.Jobs.Placed+s.Jobs.Scored != measured {
		l.t.Errorf("after it was mended: %+v", s.Jobs)
	}
}

func TestWhatIsNoAnswerOfAnAPIPausesAndChargesNothing(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more trouble of a provider; TestAProviderThatDoesNotServeTheKeyPausesAtOnceAndChargesNoJob stands for it")
	status := func(code int, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { http.Error(w, text, code) }
	}
	page := func(kind, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		}
	}
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter)
		says   string
	}{
		{"with a title", page("text/html; charset=utf-8", "<!DOCTYPE html>\n<html><head><title>\n Sign in &middot; Example Corp</title></head><body>Password</body></html>"), `"Sign in · Example Corp"`},
		{"without one", page("text/html", "\ufeff<html><head><style>p {}</style></head><body><!-- x --><h1>Captive portal</h1><p>Accept the terms</p></body></html>"), `"Captive portal"`},
		{"that says it is JSON", page("application/json", "<html><body>Hotel WiFi</body></html>"), `"Hotel WiFi"`},
		{"behind a redirect", func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://login.example/start?next=secret")
			w.WriteHeader(http.StatusFound)
		}, "it redirects to https://login.example/start,"},
		{"a text", page("text/plain", "Your trial of the proxy is over"), "Your trial of the proxy is over"},
		{"a text that says it is JSON", page("application/json", "upstream not found"), "upstream not found"},
		{"451", status(451, `{"error":{"message":"not served in your country"}}`), "not served in your country"},
		{"a proxy's login", status(407, "Proxy Authentication Required"), "Proxy Authentication Required"},
		{"a portal's login", status(511, "<html><title>Sign in to Hotel</title></html>"), "Sign in to Hotel"},
		{"nothing there any more", status(410, "gone"), "status 410"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newFakeModel(t)
			served := make(chan struct{})
			m.trouble = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				select {
				case <-served:
					return false
				default:
					tt.answer(w)
					return true
				}
			}
			l := agentLab(t, func(c *config.Config) {
				c.Agents = []config.Agent{m.agent("model")}
				c.Prices = []config.Price{{Model: "fake-*", Input: 0.5, Output: 2}}
				c.Budget.CostUSD, c.Budget.Jobs, c.Workers = 1, 4, 1
			})
			eng, stop := l.startWith(engine.Options{Getenv: plantedEnv})
			s := l.await(eng, "it pauses", func(s *view.Snapshot) bool { return s.State == record.ExperimentPaused && s.Jobs.Running == 0 })
			if !strings.Contains(s.Reason, tt.says) || !strings.Contains(s.Reason, "base_url") || strings.Contains(s.Reason, "secret") {
				t.Errorf("it does not say what came and what to do: %s", s.Reason)
			}
			if n := len(m.asked()); n != 1 || s.Jobs.Ended() != 0 {
				t.Errorf("%d requests were sent, jobs %+v", n, s.Jobs)
			}
			if c, err := l.ses.DB.Counters(t.Context(), l.exp.ID); err != nil || c.Usage.CostUSD == nil || *c.Usage.CostUSD != 0 {
				t.Errorf("it cost %+v, %v", c.Usage, err)
			}
			close(served)
			l.resumed(eng, 4)
			stop()
		})
	}
}

func TestARoleWhoseKeyIsRefusedPausesAtOnceAndLosesNoWork(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run for each role; TestAProviderThatDoesNotServeTheKeyPausesAtOnceAndChargesNoJob stands for it")
	for _, tt := range []struct {
		name   string
		role   func(*config.Config)
		status int
		body   string
	}{
		{"planner", func(c *config.Config) { c.Roles.Planner = "helper" }, 401, `{"error":{"message":"invalid api key"}}`},
		{"reviewer that fails open", func(c *config.Config) { c.Roles.Reviewer, c.Review.Fail = "helper", "open" }, 403, `{"error":{"message":"forbidden"}}`},
		{"reviewer that fails closed", func(c *config.Config) { c.Roles.Reviewer, c.Review.Fail = "helper", "closed" }, 401, `{"error":{"message":"invalid api key"}}`},
		{"summariser", func(c *config.Config) { c.Roles.Summariser = "helper" }, 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`},
		{"reflector", func(c *config.Config) { c.Roles.Reflector, c.Search.Epoch = "helper", 2 }, 402, `{"error":{"message":"no credits"}}`},
		{"mapper", func(c *config.Config) { c.Roles.Mapper = "helper" }, 401, `{"error":{"message":"invalid api key"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newFakeModel(t)
			helper, serve := refusing(t, tt.status, tt.body)
			helper.reply = func(string) string { return "VERDICT: accept\nNumbers are nearer." }
			l := agentLab(t, func(c *config.Config) {
				own := helper.agent("helper")
				own.Weight = 0
				c.Agents = []config.Agent{m.agent("model"), own}
				c.Workers, c.Budget.Jobs = 1, 4
				tt.role(c)
			})
			eng, stop := l.startWith(engine.Options{Getenv: plantedEnv})
			s := l.await(eng, "it pauses", func(s *view.Snapshot) bool { return s.State == record.ExperimentPaused && s.Jobs.Running == 0 })
			if !strings.Contains(s.Reason, "helper") || !strings.Contains(s.Reason, "PLANTED_KEY") {
				t.Errorf("the reason names no agent or no key: %s", s.Reason)
			}
			if n := len(helper.asked()); n > 2 {
				t.Errorf("%d requests were sent for nothing", n)
			}
			if s.Jobs.Failed+s.Jobs.Held+s.Jobs.Rejected != 0 {
				t.Errorf("jobs %+v, none should have been lost", s.Jobs)
			}
			serve()
			l.resumed(eng, 4)
			if n := len(m.asked()); n != 4 {
				t.Errorf("the model was asked %d times for 4 jobs", n)
			}
			stop()
		})
	}
}

func TestARunWithoutAPersonEndsWhereTheKeyIsRefused(t *testing.T) {
	t.Parallel()
	m, _ := refusing(t, 401, `{"error":{"message":"invalid api key"}}`)
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Budget.Jobs = 4
	})
	s, err := l.runWith(engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "PLANTED_KEY") {
		t.Errorf("the run ended with %v", err)
	}
	if s.Jobs.Ended() != 0 || s.Jobs.Running != 0 {
		t.Errorf("jobs %+v", s.Jobs)
	}
}

func TestADrainedRunWaitsForNoProvider(t *testing.T) {
	t.Parallel()
	m, _ := refusing(t, 503, `{"error":{"message":"overloaded"}}`)
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Budget.Jobs = 4
	})
	patience := gateway.Options{Attempts: 50, Backoff: time.Hour, MaxBackoff: time.Hour, Total: 100 * time.Hour, Rand: func() float64 { return 1 }}
	eng, stop := l.startWith(engine.Options{Getenv: plantedEnv, Gateway: patience})
	l.await(eng, "the provider was asked", func(*view.Snapshot) bool { return len(m.asked()) > 0 })
	stop() // fails when the backoff is waited for
	for _, j := range l.jobs() {
		if j.Kind == record.Make && j.State != record.Queued {
			t.Errorf("%s is %s: %s", j.ID, j.State, j.Reason)
		}
	}
}

// speechless is a provider that takes requests and says nothing more than first.
func speechless(t *testing.T, first string) *fakeModel {
	m := newFakeModel(t)
	over := make(chan struct{})
	t.Cleanup(func() { close(over) }) // before the server is closed
	m.trouble = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if first != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, first)
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-over:
		case <-r.Context().Done():
		}
		return true
	}
	return m
}

func TestADrainedRunWaitsForNobodyWhoIsSilent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		first string // what the provider says before it falls silent
		who   func(m *fakeModel, c *config.Config)
	}{
		{"a provider that does not answer", "", func(m *fakeModel, c *config.Config) { c.Agents = []config.Agent{m.agent("model")} }},
		{"a provider that stops in the middle of a word", "data: {\"choices\":[{\"delta\":{\"content\":\"INTENT: \"}}]}\n\n", func(m *fakeModel, c *config.Config) {
			c.Agents = []config.Agent{m.agent("model")}
		}},
		{"a planner", "", func(m *fakeModel, c *config.Config) {
			c.Agents, c.Roles.Planner = []config.Agent{newFakeModel(t).agent("writer"), m.agent("model")}, "model"
			c.Agents[1].Weight = 0
		}},
		{"a reviewer", "", func(m *fakeModel, c *config.Config) {
			c.Agents, c.Roles.Reviewer = []config.Agent{newFakeModel(t).agent("writer"), m.agent("model")}, "model"
			c.Agents[1].Weight = 0
		}},
		{"a client that asks one that does not answer, and talks meanwhile", "", func(m *fakeModel, c *config.Config) {
			c.Agents = []config.Agent{{
				Name: "client", Kind: "command", Weight: 1, Attempts: 1, Timeout: time.Hour, BaseURL: m.URL + "/v1", KeyEnv: "PLANTED_KEY", Model: "fake-1",
				Command: []string{"python3", "-c", clientThatAsks},
			}}
		}},
		{"a client that does nothing", "", func(_ *fakeModel, c *config.Config) {
			c.Agents = []config.Agent{{Name: "client", Kind: "command", Command: []string{"sleep", "3600"}, Weight: 1, Attempts: 1, Timeout: time.Hour}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := speechless(t, tt.first)
			l := agentLab(t, func(c *config.Config) {
				c.Workers, c.Budget.Jobs = 1, 4
				tt.who(m, c)
			})
			patience := gateway.Options{FirstByte: time.Hour, Idle: time.Hour, Answer: time.Hour, Total: 100 * time.Hour}
			eng, stop := l.startWith(engine.Options{Getenv: plantedEnv, Gateway: patience, Silence: 3 * time.Second})
			l.await(eng, "somebody is waited for", func(s *view.Snapshot) bool {
				return len(m.asked()) > 0 || len(s.Running) > 0 && s.Running[0].Job.Agent == "client" && s.Running[0].Job.Kind == record.Make && len(s.Running[0].Stage) > 0 && !strings.Contains(tt.name, "asks")
			})
			stop() // fails when the silence is waited for
			queued := 0
			for _, j := range l.jobs() {
				if j.Kind == record.Make && j.State != record.Queued && j.State != record.Committed && j.State != record.Gated {
					t.Errorf("%s is %s: %s", j.ID, j.State, j.Reason)
				}
				queued++
			}
			if queued == 0 {
				t.Error("there is no job any more")
			}
		})
	}
}

// clientThatAsks asks its model and prints a word each half second meanwhile.
const clientThatAsks = `
import os, sys, threading, time, urllib.request, json
def talk():
    while True:
        print("still here", flush=True)
        time.sleep(0.5)
threading.Thread(target=talk, daemon=True).start()
body = json.dumps({"model": "fake-1", "messages": [{"role": "user", "content": "hello"}]}).encode()
req = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body,
    {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
urllib.request.urlopen(req).read()
`

func TestADrainedRunWaitsForNoClientsNextAttempt(t *testing.T) {
	t.Parallel()
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "client", Kind: "command", Command: []string{"sh", "-c", "exit 4"}, Weight: 1, Attempts: 50, Timeout: time.Minute}}
		c.Workers, c.Budget.Jobs = 1, 4
	})
	eng, stop := l.startWith(engine.Options{})
	l.await(eng, "the third attempt", func(s *view.Snapshot) bool {
		return len(s.Running) > 0 && strings.Contains(s.Running[0].Line, "attempt 3 of 50")
	})
	stop()
	for _, j := range l.jobs() {
		if j.Kind == record.Make && j.State != record.Queued {
			t.Errorf("%s is %s: %s", j.ID, j.State, j.Reason)
		}
	}
}

func TestAPersonIsDrawnByWeightAndARunThatEndsDoesNotWaitForThem(t *testing.T) {
	t.Parallel()
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "ada", Kind: "human", Weight: 1, Attempts: 1}}
		c.Budget.Jobs = 4
	})
	eng, stop := l.startWith(engine.Options{})
	s := l.await(eng, "a person has a job", func(s *view.Snapshot) bool {
		return len(s.Running) > 0 && s.Running[0].Job.Agent == "ada" && strings.Contains(s.Running[0].Stage, "person")
	})
	job := s.Running[0].Job.ID
	stop()
	j, err := l.ses.DB.Job(t.Context(), l.exp.ID, job)
	if err != nil || j.State != record.Queued || j.Agent != "ada" {
		t.Errorf("after the run %s of %s is %s, %v", job, j.Agent, j.State, err)
	}
}
