package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// paid is a repository whose agent asks a model that costs money.
func paid(t *testing.T) (l *lab, asked *atomic.Int64, env []string) {
	t.Helper()
	asked = new(atomic.Int64)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		text, _ := json.Marshal(fmt.Sprintf("INTENT: try\nvalue.txt\n```\n%d\n```\n", asked.Add(1)%7))
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", text)
		_, _ = io.WriteString(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":100}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	l = &lab{t: t, dir: filepath.Join(t.TempDir(), "plot")}
	err := writeFiles(l.dir, map[string]string{
		"value.txt": "1\n", "measure.sh": "v=$(head -n 1 value.txt); echo score=$v; echo place=$v\n",
		"atoll.yaml": fmt.Sprintf(`goal: a large number
workers: 1
evaluator: {command: [sh, measure.sh], output: name=value, objective: score, protected: [measure.sh]}
map: {axes: [{metric: place, min: 0, max: 8, bins: 8}]}
budget: {jobs: 6, cost_usd: 1}
prices: [{model: m-1, input: 1, output: 2}]
agents:
  - {name: writer, kind: chat, weight: 1, base_url: %q, key_env: PLOT_KEY, model: m-1, edit: whole, attempts: 1, max_tokens: 500}
`, model.URL+"/v1"),
	})
	if err == nil {
		err = git(l.dir, "init", "-q", "-b", "main")
	}
	if err == nil {
		err = commitAll(l.dir, "start")
	}
	if err != nil {
		t.Fatal(err)
	}
	return l, asked, []string{"PLOT_KEY=sk-e2e-0123456789"}
}

// all waits until the screen shows all of the texts.
func (c *console) all(texts ...string) {
	c.t.Helper()
	c.see(strings.Join(texts, " and "), func(s string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !shows(s, text) })
	})
}

func TestBeforeTheFirstPaidJobAPersonIsAsked(t *testing.T) {
	t.Parallel()
	l, asked, env := paid(t)
	c := start(t, l, env, cols, rows, "run")
	c.all("Before the first paid job", "score = 1", "writer (chat)", "at most $1 in all", "Go on? [y/N]")
	c.text("n\r")
	if code := c.end(); code != 0 || asked.Load() != 0 {
		t.Fatalf("a no ends with %d after %d requests", code, asked.Load())
	}
	c = start(t, l, env, cols, rows, "run")
	c.wait("Go on? [y/N]")
	c.text("y\r")
	c.all("● done", "Jobs 0 running", "6/6 jobs", "$0.0066/$1")
	if n := asked.Load(); n != 6 {
		t.Errorf("%d requests for 6 jobs", n)
	}
	c.press("q")
	c.end()
	c = start(t, l, nil, cols, rows) // the key is gone
	c.all("looking on only", "because the agents")
	if out := l.atoll("status", "--json"); strings.Contains(out, "engine_pid") {
		t.Errorf("a console that only looks on holds the engine's place:\n%s", out)
	}
	c.press("q")
	c.end()
}
