package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// rival is the token of another one who may have tasks.
const rival = "another-one-0123456789"

// handed is a run that hands out tasks.
type handed struct {
	t     *testing.T
	dir   string
	url   string
	token string
	cmd   *exec.Cmd
	out   *strings.Builder
}

// handsOut starts a run whose only agent has its jobs done by workers.
func handsOut(t *testing.T, jobs int) *handed {
	t.Helper()
	h := &handed{t: t, token: strings.Repeat("d", 48), out: &strings.Builder{}}
	h.dir = plot(t, fmt.Sprintf("budget: {jobs: %d}", jobs), "agents: [{name: crowd, kind: broker, weight: 1}]")
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("hands decide "+h.token+"\nrival decide "+rival+"\neyes look "+strings.Repeat("e", 48)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.cmd = command(t, h.dir, "run", "--headless", "--http", "127.0.0.1:0", "--tokens", tokens)
	errs, err := h.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.cmd.Stdout = h.out
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for h.url == "" && lines.Scan() {
		h.url = strings.TrimRight(regexp.MustCompile(`http://\S+`).FindString(lines.Text()), "/")
	}
	if h.url == "" {
		t.Fatal("the run names no address")
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, errs) }()
	t.Cleanup(func() { _ = h.cmd.Process.Kill(); <-drained })
	return h
}

// ask asks as the holder of a token.
func (h *handed) ask(token, method, path, body string) (int, map[string]any) {
	h.t.Helper()
	req, err := http.NewRequest(method, h.url+"/api/v1/tasks"+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	var out map[string]any
	_ = json.Unmarshal(data, &out)
	return res.StatusCode, out
}

// next takes the next task.
func (h *handed) next(worker string) (id, lease string) {
	h.t.Helper()
	for {
		code, got := h.ask(h.token, http.MethodPost, "/next", `{"worker": "`+worker+`", "wait": 20}`)
		switch code {
		case http.StatusNoContent:
			continue
		case http.StatusOK:
			return fmt.Sprintf("/%.0f", got["task"].(map[string]any)["id"]), got["lease"].(string)
		}
		h.t.Fatalf("%d %v", code, got)
	}
}

// ended waits for the end of the run.
func (h *handed) ended() string {
	h.t.Helper()
	late := time.AfterFunc(suitetest.Stretched(h.t, 2*time.Minute), func() { _ = h.cmd.Process.Kill() })
	defer late.Stop()
	if err := h.cmd.Wait(); err != nil {
		h.t.Fatalf("%v\n%s", err, h.out)
	}
	return h.out.String()
}

func TestTheWorkerOfTheDocumentsDoesTheJobsOfARun(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../docs/doors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(docs), "```python\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("docs/doors.md shows no worker")
	}
	h := handsOut(t, 3)
	worker := exec.CommandContext(t.Context(), "python3", "-c", code)
	worker.Env = []string{"PATH=" + os.Getenv("PATH"), "ATOLL=" + h.url, "TOKEN=" + h.token}
	said, err := worker.CombinedOutput() // until the run ends
	if strings.Contains(string(said), "HTTP Error") || err != nil || !strings.Contains(string(said), "the run has ended") {
		t.Errorf("the worker: %v\n%s", err, said)
	}
	h.ended()
	if got := must(t, h.dir, "show", "best"); !strings.Contains(got, "one more") || !strings.Contains(got, "crowd") {
		t.Errorf("the best is\n%s", got)
	}
}

func TestTasksAreHandedOutOnceAndJudged(t *testing.T) {
	t.Parallel()
	h := handsOut(t, 2)
	id, lease := h.next("first")
	first := id
	body := func(fields string) string { return `{"lease": "` + lease + `"` + fields + `}` }
	for _, tc := range []struct {
		name, token, method, path, body string
		code                            int
		has                             string
	}{
		{"one who may only look sees no task", strings.Repeat("e", 48), http.MethodGet, "", "", 403, "decide"},
		{"one who may only look takes none", strings.Repeat("e", 48), http.MethodPost, "/next", `{"worker": "x"}`, 403, "decide"},
		{"no second worker gets it", h.token, http.MethodPost, "/next", `{"worker": "second"}`, 204, ""},
		{"another lease does not finish it", h.token, http.MethodPost, id + "/result", `{"lease": "00", "failed": "no"}`, 409, "not yours"},
		{"a task that is not there", h.token, http.MethodPost, "/999/result", body(`, "failed": "no"`), 404, "no such task"},
		{"no number", h.token, http.MethodGet, "/x%2e", "", 400, "no job"},
		{"a number with something behind it", h.token, http.MethodGet, id + "x", "", 400, "no job"},
		{"a path outside", h.token, http.MethodPost, id + "/result", body(`, "changes": [{"path": "../x", "text": "1"}]`), 400, "inside the repository"},
		{"a path twice", h.token, http.MethodPost, id + "/result", body(`, "changes": [{"path": "a", "text": "1"}, {"path": "a", "text": "2"}]`), 400, "twice"},
		{"a file that is not there is deleted", h.token, http.MethodPost, id + "/result", body(`, "changes": [{"path": "nothing", "delete": true}]`), 400, "no such file"},
		{"a patch that does not fit", h.token, http.MethodPost, id + "/result", body(`, "patch": "--- a/value.txt\n+++ b/value.txt\n@@ -1 +1 @@\n-77\n+78\n"`), 400, "does not fit"},
		{"a change and why there is none", h.token, http.MethodPost, id + "/result", body(`, "failed": "no", "changes": [{"path": "a", "text": "1"}]`), 400, "leave one out"},
		{"a cost that nobody pays", h.token, http.MethodPost, id + "/result", body(`, "failed": "no", "usage": {"cost_usd": 1e300}`), 400, "100000"},
		{"a cost that comes back", h.token, http.MethodPost, id + "/result", body(`, "failed": "no", "usage": {"cost_usd": -1}`), 400, ">= 0"},
		{"a cost that is no number", h.token, http.MethodPost, id + "/result", body(`, "failed": "no", "usage": {"cost_usd": NaN}`), 400, "invalid"},
		{"tokens that nobody uses", h.token, http.MethodPost, id + "/result", body(`, "failed": "no", "usage": {"input_tokens": 9200000000000000000, "output_tokens": 9.2e18}`), 400, "<= 1e+12"},
		{"another person with the lease", rival, http.MethodPost, id + "/result", body(`, "failed": "no"`), 409, "not yours"},
		{"another person who gives it back", rival, http.MethodPost, id + "/stop", body(""), 409, "not yours"},
		{"it is still the worker's", h.token, http.MethodPost, id + "/start", body(`, "seconds": 60, "says": "half way"`), 200, "until"},
		{"its state", h.token, http.MethodGet, id + "/status", "", 200, "first"},
		{"a patch that fits", h.token, http.MethodPost, id + "/result", body(`, "patch": "--- a/value.txt\n+++ b/value.txt\n@@ -1 +1 @@\n-1\n+2\n", "intent": "two"`), 200, "goes on"},
		{"twice the same", h.token, http.MethodPost, id + "/result", body(`, "failed": "no"`), 409, "not yours"},
		{"more time for what is done", h.token, http.MethodPost, id + "/start", body(""), 409, "not yours"},
		{"the state of what is done", h.token, http.MethodGet, id + "/status", "", 404, "no such task"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, got := h.ask(tc.token, tc.method, tc.path, tc.body)
			if text := fmt.Sprint(got); code != tc.code || !strings.Contains(text, tc.has) {
				t.Errorf("%d %s", code, text)
			}
		})
	}
	id, lease = h.next("first")
	if code, got := h.ask(h.token, http.MethodPost, id+"/stop", body("")); code != 200 {
		t.Errorf("%d %v", code, got)
	}
	again, late := h.next("second")
	if again != id || late == lease {
		t.Errorf("given back was %s, got %s", id, again)
	}
	lease = late
	if code, got := h.ask(h.token, http.MethodPost, id+"/result", body(`, "changes": [{"path": "measure.sh", "text": "echo score=99\necho place=1\n"}]`)); code != 200 {
		t.Errorf("%d %v", code, got)
	}
	out := h.ended()
	if !strings.Contains(out, "measure.sh") && !strings.Contains(must(t, h.dir, "jobs"), "protected") {
		t.Errorf("what a worker may not change is not told\n%s", out)
	}
	if got := must(t, h.dir, "show", "best"); !strings.Contains(got, "two") || !strings.Contains(got, "worker     first (token of hands)") {
		t.Errorf("the best is\n%s", got)
	}
	if got := must(t, h.dir, "show", "#"+strings.TrimPrefix(first, "/")); !strings.Contains(got, "--- worker, attempt 1 ---\nfirst (token of hands)") {
		t.Errorf("its job is\n%s", got)
	}
}

func TestARunThatWaitsForOthersSaysForWhom(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, line, says string }{
		{"workers, and no door is open", "agents: [{name: crowd, kind: broker, weight: 1}]", "jobs of crowd wait for workers, and no door is open for them: "},
		{"commits", "search: {only_injected: true}", "inject REV"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := plot(t, "budget: {jobs: 1}", tc.line)
			if got := must(t, dir, "run", "--headless", "--for", "1s"); !strings.Contains(got, tc.says) {
				t.Error(got)
			}
		})
	}
}
