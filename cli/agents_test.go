package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/cli"
	"atoll/config/suitetest"
)

const cliKey = "sk-planted-7d3a90c1e5f8"

// model is a provider of the chat protocol that answers with a new program, or
// with what doctor asks for.
type model struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	keys  map[string]bool
	says  []string // instead, one after the other; the last again and again
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{keys: map[string]bool{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.asked = append(m.asked, string(data))
	m.keys[r.Header.Get("Authorization")] = true
	n := len(m.asked)
	m.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+cliKey {
		http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
		return
	}
	text := fmt.Sprintf("INTENT: try %d, told %s\nvalue.txt\n```\n%d\n```\n", n, cliKey, n%7)
	if strings.Contains(string(data), "greeting.txt") {
		text = "INTENT: greet\ngreeting.txt\n```\nhello\natoll\n```\n"
	}
	if len(m.says) > 0 {
		text = m.says[min(n, len(m.says))-1]
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, v := range []any{
		map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": text}}}},
		map[string]any{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": "stop"}}},
		map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": 900, "completion_tokens": 100}},
	} {
		line, _ := json.Marshal(v)
		_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (m *model) requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// plot is a repository whose program is one number, with an atoll.yaml that
// ends in these lines.
func plot(t *testing.T, lines ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "plot")
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("value.txt", "1\n")
	put("measure.sh", "v=$(head -n 1 value.txt); echo score=$v; echo place=$v\n")
	put("atoll.yaml", plotYAML(lines...))
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "start")
	return dir
}

func plotYAML(lines ...string) string {
	return `goal: a large number
workers: 1
evaluator: {command: [sh, measure.sh], output: name=value, objective: score, protected: [measure.sh]}
map: {axes: [{metric: place, min: 0, max: 8, bins: 8}]}
` + strings.Join(lines, "\n") + "\n"
}

// agentsYAML has a chat agent at the model; others come after it.
func (m *model) agentsYAML(others ...string) string {
	return fmt.Sprintf("prices: [{model: m-1, input: 1, output: 2}]\nagents:\n  - {name: writer, kind: chat, weight: 1, base_url: %q, key_env: PLOT_KEY, model: m-1, edit: whole, attempts: 1, max_tokens: 500}\n%s",
		m.URL+"/v1", strings.Join(others, "\n"))
}

// keyed runs the program with the provider's key in its environment.
func keyed(t *testing.T, dir, key string, args ...string) call {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Env = append(cmd.Env, "PLOT_KEY="+key)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("atoll %v: %v", args, err)
	}
	return call{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// terminal is a person who has typed an answer already.
type terminal struct{ io.Reader }

func (terminal) Write(p []byte) (int, error) { return len(p), nil }

// answered runs the verb in this process for a person who answers at a
// terminal.
func answered(t *testing.T, dir, answer string, args ...string) call {
	t.Helper()
	var out, errs bytes.Buffer
	person := terminal{strings.NewReader(answer + "\n")}
	app := &cli.App{
		In: person, Out: &out, Err: &errs, Dir: dir, Now: time.Now, Build: cli.Build{Version: "test"}, Signals: make(chan os.Signal),
		Env:   []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "USER=tester", "PLOT_KEY=" + cliKey, "GIT_CONFIG_GLOBAL=/dev/null"},
		IsTTY: func(w io.Writer) bool { return w == io.Writer(person) },
	}
	code := app.Run(t.Context(), args)
	return call{out.String(), errs.String(), code}
}

func TestTheFirstPaidJobIsAskedForAndSaysWhatItWouldDo(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	dir := plot(t, "budget: {jobs: 4, cost_usd: 1}", m.agentsYAML())
	proposal := []string{"Before the first paid job", "score = 1", "1 of 3 may be changed: value.txt", "writer (chat)", "model m-1", "4 jobs, at most $1 in all", "about $0.0"}
	c := keyed(t, dir, cliKey, "run", "--headless")
	if c.code != 2 || !strings.Contains(c.err, "--yes") || m.requests() != 0 {
		t.Fatalf("without a terminal: exit %d after %d requests\n%s", c.code, m.requests(), c.err)
	}
	for _, want := range proposal {
		if !strings.Contains(c.err, want) {
			t.Errorf("the proposal does not say %q:\n%s", want, c.err)
		}
	}
	if no := answered(t, dir, "n", "run"); no.code != 0 || !strings.Contains(no.err, "nothing was paid for") || m.requests() != 0 {
		t.Fatalf("a no: exit %d after %d requests\n%s", no.code, m.requests(), no.err)
	}
	var status struct {
		Usage struct {
			CostUSD  *float64 `json:"cost_usd"`
			Requests int      `json:"requests"`
		} `json:"usage"`
	}
	if err := json.Unmarshal([]byte(must(t, dir, "status", "--json")), &status); err != nil || status.Usage.CostUSD != nil && *status.Usage.CostUSD != 0 {
		t.Errorf("refusing cost %v (%v)", status.Usage.CostUSD, err)
	}
	if yes := answered(t, dir, "y", "run"); yes.code != 0 || m.requests() != 4 || !strings.Contains(yes.out, "4/4 ended") {
		t.Fatalf("a yes: exit %d after %d requests\n%s%s", yes.code, m.requests(), yes.out, yes.err)
	}
	again := answered(t, dir, "n", "run", "--max-jobs", "5")
	if again.code != 0 || strings.Contains(again.err, "Before the first") || m.requests() != 5 {
		t.Errorf("the second run asked again: exit %d after %d requests\n%s", again.code, m.requests(), again.err)
	}
	var spent struct {
		Usage struct {
			Tokens  int64    `json:"tokens"`
			CostUSD *float64 `json:"cost_usd"`
		} `json:"usage"`
		Budget struct {
			CostUSD float64 `json:"cost_usd"`
		} `json:"budget"`
	}
	err := json.Unmarshal([]byte(must(t, dir, "status", "--json")), &spent)
	if want := 5 * (900 + 200) / 1e6; err != nil || spent.Usage.CostUSD == nil || *spent.Usage.CostUSD != want || spent.Usage.Tokens != 5000 || spent.Budget.CostUSD != 1 {
		t.Errorf("status tells %+v, want $%g of $1 (%v)", spent, want, err)
	}
}

func TestYesAnswersForScriptsAndANewPaidAgentIsAskedForAgain(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	dir := plot(t, "budget: {jobs: 2}", m.agentsYAML())
	if c := keyed(t, dir, cliKey, "run", "--headless", "--yes"); c.code != 0 || m.requests() != 2 {
		t.Fatalf("exit %d after %d requests\n%s%s", c.code, m.requests(), c.out, c.err)
	}
	more := strings.ReplaceAll(m.agentsYAML(), "agents:\n", "agents:\n  - {name: second, kind: chat, weight: 1, base_url: \""+m.URL+"/v1\", key_env: PLOT_KEY, model: m-1, edit: whole, attempts: 1}\n")
	if err := os.WriteFile(filepath.Join(dir, "atoll.yaml"), []byte(plotYAML("budget: {jobs: 4}", more)), 0o644); err != nil {
		t.Fatal(err)
	}
	if c := keyed(t, dir, cliKey, "run", "--headless"); c.code != 2 || !strings.Contains(c.err, "second (chat)") || m.requests() != 2 {
		t.Errorf("a paid agent that is new was not asked for: exit %d after %d requests\n%s", c.code, m.requests(), c.err)
	}
}

func TestTheBareCommandTakesOverTheFileAsItIsNowAndRunsNothing(t *testing.T) {
	t.Parallel()
	offline := "agents: [{name: offline, kind: offline, weight: 1}]"
	dir := plot(t, "budget: {jobs: 3}", offline)
	rewrite := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "atoll.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bare := func() string { // it looks, without a terminal
		t.Helper()
		c := atoll(t, dir)
		if c.code != 0 {
			t.Fatalf("exit %d\n%s", c.code, c.err)
		}
		return c.out + c.err
	}
	must(t, dir, "run", "--headless")
	rewrite(plotYAML("budget: {jobs: 6}", offline))
	if out := bare(); !strings.Contains(out, "budget.jobs is 6 now, it was 3") || !strings.Contains(out, "3/6 ended") {
		t.Errorf("a larger budget in the file:\n%s", out)
	}
	if out := bare(); strings.Contains(out, "it was") {
		t.Errorf("nothing changed, and yet it says:\n%s", out)
	}
	must(t, dir, "set", "budget.jobs", "8")
	if out := must(t, dir, "run", "--headless"); !strings.Contains(out, "8/8 ended") {
		t.Errorf("what a person set does not hold against a file that did not change:\n%s", out)
	}
	rewrite("goal: [broken")
	if out := bare(); !strings.Contains(out, "cannot be read now") || !strings.Contains(out, "8/8 ended") {
		t.Errorf("a file that is broken:\n%s", out)
	}
	rewrite(strings.Replace(plotYAML("budget: {jobs: 9}", offline), "bins: 8", "bins: 4", 1))
	if out := bare(); !strings.Contains(out, "not taken over") || !strings.Contains(out, "map.axes") || !strings.Contains(out, "8/9 ended") {
		t.Errorf("a file that wants other axes:\n%s", out)
	}
	if c := atoll(t, dir, "run", "--headless"); c.code != 2 || !strings.Contains(c.err, "run --new") {
		t.Errorf("run takes other axes: exit %d\n%s", c.code, c.err)
	}
	if out := bare(); strings.Contains(out, "goes on from") {
		t.Errorf("the repository did not move, and yet it says:\n%s", out)
	}
	git(t, dir, "-c", "user.name=tester", "-c", "user.email=tester@localhost", "commit", "--quiet", "--allow-empty", "-m", "Move on")
	if out := bare(); !strings.Contains(out, "HEAD is at") || !strings.Contains(out, "this experiment goes on from") {
		t.Errorf("a repository that moved since the experiment began:\n%s", out)
	}
}

func TestAFlagSaysWhatItChangesOfWhatIsInForce(t *testing.T) {
	t.Parallel()
	dir := plot(t, "budget: {jobs: 3}", "agents: [{name: offline, kind: offline, weight: 1}]")
	must(t, dir, "run", "--headless")
	must(t, dir, "set", "budget.jobs", "4")
	for _, tt := range []struct{ flag, want string }{
		{"6", "budget.jobs is 6 now, it was 4"}, // a person set it
		{"7", "budget.jobs is 7 now, it was 6"}, // another flag
		{"7", ""},
	} {
		c := atoll(t, dir, "run", "--headless", "--max-jobs", tt.flag)
		if out := c.out + c.err; !strings.Contains(out, tt.want) || tt.want == "" && strings.Contains(out, "it was") {
			t.Errorf("--max-jobs %s:\n%s", tt.flag, out)
		}
	}
}

func TestDoctorTriesEveryAgent(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	script := func(name, body string) string {
		return fmt.Sprintf("  - {name: %s, kind: command, weight: 0, command: [sh, -c, %q], timeout: 20s, attempts: 1}", name, body)
	}
	dir := plot(t, m.agentsYAML(
		script("good", "echo atoll >> greeting.txt"),
		script("other", "echo something else > greeting.txt"),
		script("idle", "true"),
		script("broken", "echo no luck >&2; exit 3"),
		fmt.Sprintf("  - {name: keyless, kind: chat, weight: 0, base_url: %q, key_env: NOT_SET_AT_ALL, model: m-1}", m.URL+"/v1"),
		fmt.Sprintf("  - {name: refused, kind: chat, weight: 0, base_url: %q, key_env: OTHER_KEY, model: m-1, attempts: 1}", m.URL+"/v1"),
		"  - {name: absent, kind: command, weight: 0, command: [no-such-program-here], attempts: 1}",
		"  - {name: offline, kind: offline, weight: 1}",
	))
	cmd := command(t, dir, "doctor", "--deep")
	cmd.Env = append(cmd.Env, "PLOT_KEY="+cliKey, "OTHER_KEY=sk-wrong-000")
	out, _ := cmd.CombinedOutput()
	line := func(name string) string {
		var found []string
		lines := strings.Split(string(out), "\n")
		for i, l := range lines {
			if f := strings.Fields(l); len(f) > 1 && (f[1] == name || len(f) > 2 && f[2] == name) {
				found = append(found, l)
				if i+1 < len(lines) {
					found = append(found, lines[i+1])
				}
			}
		}
		return strings.Join(found, "\n")
	}
	for name, wants := range map[string][]string{
		"writer":  {"did its task in", "1 request, 1000 tokens, $0.0011"},
		"good":    {"did its task in", "cost nothing"},
		"other":   {"changed 1 file"},
		"idle":    {"chang"},
		"broken":  {"no luck", "has no weight and no role"},
		"keyless": {"NOT_SET_AT_ALL"},
		"refused": {"401"},
		"absent":  {"no-such-program-here"},
		"offline": {"costs nothing"},
	} {
		for _, want := range wants {
			if !strings.Contains(line(name), want) {
				t.Errorf("%s: doctor does not say %q but\n%s", name, want, line(name))
			}
		}
	}
	if t.Failed() {
		t.Logf("doctor said:\n%s", out)
	}
	if strings.Contains(string(out), cliKey) || strings.Contains(string(out), "sk-wrong-000") {
		t.Error("doctor prints a key")
	}
}

func TestScriptsOfTheRepositoryAreAgentsFromAnyFolder(t *testing.T) {
	t.Parallel()
	dir := plot(t, "budget: {jobs: 2}", "agents:",
		"  - {name: by-path, kind: command, command: [./agent.sh], attempts: 1}",
		"  - {name: in-tree, kind: command, command: [sh, agent.sh], attempts: 1}",
		"  - {name: unused, kind: command, weight: 0, command: [./gone.sh], attempts: 1}")
	agent := filepath.Join(dir, "agent.sh")
	if err := os.WriteFile(agent, []byte("#!/bin/sh\ncat >/dev/null\necho $(($(head -n 1 value.txt)+1)) > value.txt\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "an agent")
	doctor := atoll(t, t.TempDir(), "-C", dir, "doctor", "--deep")
	if doctor.code != 0 || strings.Count(doctor.out, "changed 1 file") != 2 || !strings.Contains(doctor.out, "gone.sh") {
		t.Errorf("doctor: exit %d\n%s%s", doctor.code, doctor.out, doctor.err)
	}
	if run := atoll(t, t.TempDir(), "-C", dir, "run", "--headless"); run.code != 0 || strings.Contains(run.out, "failed") {
		t.Errorf("run: exit %d\n%s%s", run.code, run.out, run.err)
	}
}

func TestPromptsTargetsAndNotesAsVerbs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several runs; TestEveryVerbThatLooksPrintsTextAndJSON has the verbs on one")
	m := newModel(t)
	dir := plot(t, "budget: {jobs: 3}", "search: {epoch: 3}", "targets: [{name: value, files: [value.txt], weight: 1}]", m.agentsYAML(), "roles: {mapper: writer}")
	must := func(args ...string) string {
		t.Helper()
		c := keyed(t, dir, cliKey, args...)
		if c.code != 0 {
			t.Fatalf("atoll %v: exit %d\n%s%s", args, c.code, c.out, c.err)
		}
		return c.out
	}
	must("run", "--headless", "--yes")
	if out := must("show", "#2", "--prompt"); !strings.Contains(out, "a large number") || !strings.Contains(out, "You change a program") {
		t.Errorf("the prompt of a job that ended:\n%s", out)
	}
	if out := must("targets"); !strings.Contains(out, "value") || !strings.Contains(out, "atoll.yaml") {
		t.Errorf("targets:\n%s", out)
	}
	if out := must("boost", "target:value", "--by", "2"); !strings.Contains(out, "boost") {
		t.Errorf("boost:\n%s", out)
	}
	if out := must("targets"); !strings.Contains(out, "boost x2") {
		t.Errorf("targets after a boost:\n%s", out)
	}
	must("note", "the number may not be odd")
	must("start", "--goal", "add nine")
	must("pause")
	must("run", "--headless", "--once", "--max-jobs", "6")
	notes := must("notes")
	if !strings.Contains(notes, "may not be odd") || !strings.Contains(notes, "digest") {
		t.Fatalf("notes:\n%s", notes)
	}
	id := ""
	for _, l := range strings.Split(notes, "\n") {
		if strings.Contains(l, "may not be odd") {
			id = strings.Fields(l)[0]
		}
	}
	must("notes", "--id", id, "--text", "the number may not be even")
	must("run", "--headless", "--once", "--max-jobs", "7")
	export := filepath.Join(t.TempDir(), "notes.md")
	must("notes", "--export", export)
	text, err := os.ReadFile(export)
	if err != nil || !strings.Contains(string(text), "may not be even") || strings.Contains(string(text), "may not be odd") || !strings.HasPrefix(string(text), "# Notes") {
		t.Errorf("exported notes (%v):\n%s", err, text)
	}
	queued := ""
	for _, l := range strings.Split(must("jobs", "--status", "queued"), "\n")[1:] {
		if f := strings.Fields(l); len(f) > 1 && f[1] == "make" {
			queued = f[0]
		}
	}
	if queued == "" {
		t.Fatal("no job waits, so no prompt to come can be seen")
	}
	before := m.requests()
	if out := must("show", queued, "--prompt"); !strings.Contains(out, "not sent yet") || !strings.Contains(out, "may not be even") || m.requests() != before {
		t.Errorf("the prompt of a waiting job:\n%s", out)
	}
	if c := keyed(t, dir, cliKey, "targets", "--reset"); c.code != 0 {
		t.Errorf("reset: %s%s", c.out, c.err)
	}
	noKeyIn(t, m, dir, export)
}

// noKeyIn searches the state, the outputs of every verb, and a file.
func noKeyIn(t *testing.T, m *model, dir, file string) {
	t.Helper()
	m.mu.Lock()
	got := m.keys["Bearer "+cliKey]
	for _, p := range m.asked {
		if strings.Contains(p, cliKey) {
			t.Error("a prompt holds the key")
		}
	}
	m.mu.Unlock()
	if !got {
		t.Fatal("the provider never got the key, so the search proves nothing")
	}
	searched := 0
	for _, root := range []string{dir, file} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			searched++
			if strings.Contains(string(data), cliKey) {
				t.Errorf("the key is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if searched < 10 {
		t.Errorf("only %d files were searched", searched)
	}
	for _, args := range [][]string{
		{"status", "--json"},
		{"status"},
		{"jobs", "--json"},
		{"candidates", "--json"},
		{"events", "--json"},
		{"notes", "--json"},
		{"targets", "--json"},
		{"show", "best", "--evidence"},
		{"show", "#1"},
		{"show", "#1", "--prompt"},
		{"diff", "best"},
		{"config", "explain"},
		{"doctor"},
	} {
		c := keyed(t, dir, cliKey, args...)
		if text := c.out + c.err; strings.Contains(text, cliKey) || len(text) == 0 {
			t.Errorf("atoll %s prints the key, or nothing:\n%s", strings.Join(args, " "), text)
		}
	}
}

// refusedClient asks for little, for more than there is, and for little again, and then
// ends as if all were well.
const refusedClient = `import json, os, urllib.error, urllib.request
def ask(n, **more):
    body = dict(model='m-1', stream=True, max_tokens=n, messages=[{'role': 'user', 'content': 'x' * 1000}], **more)
    head = {'Authorization': 'Bearer ' + os.environ['OPENAI_API_KEY']}
    try:
        urllib.request.urlopen(urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', json.dumps(body).encode(), head)).read()
    except urllib.error.HTTPError as e:
        e.read()
ask(100, fallbacks=['gold'], tools=[{'type': 'web_search'}])
ask(100, fallbacks=['gold'])
ask(9000000)
ask(100)
`

func TestARequestThatABudgetRefusesEndsTheWorkOfItsJob(t *testing.T) {
	suitetest.Full(t, "runs with a client and a gateway; TestBudgetsAreNeverOverrun of engine stands for it")
	t.Parallel()
	for _, c := range []struct {
		name, ends, budget, limit string
		state, class              string // of the job
		says                      string // of the run
	}{
		{"the job's own limit, and work that looks done", "open('value.txt', 'w').write('7\\n')\n", "cost_usd: 5", "job_usd: 0.01", "failed", "budget", "1 failed"},
		{"the job's own limit, and nothing done", "", "cost_usd: 5", "job_usd: 0.01", "failed", "budget", "1 failed"},
		{"the experiment's money, and work that looks done", "open('value.txt', 'w').write('7\\n')\n", "cost_usd: 0.01", "requests: 9", "queued", "", "budget"},
		{"the experiment's money, and nothing done", "", "cost_usd: 0.01", "requests: 9", "queued", "", "budget"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t)
			dir := plot(t, "budget: {jobs: 1, "+c.budget+"}", "prices: [{model: m-1, input: 1, output: 2}]",
				fmt.Sprintf("agents: [{name: script, kind: command, weight: 1, command: [python3, -c, %q], base_url: %q, api: chat, key_env: PLOT_KEY, model: m-1, attempts: 3, %s}]", refusedClient+c.ends, m.URL+"/v1", c.limit))
			run := keyed(t, dir, cliKey, "run", "--headless", "--yes")
			if run.code != 0 || !strings.Contains(run.out+run.err, c.says) {
				t.Errorf("the run: exit %d\n%s%s", run.code, run.out, run.err)
			}
			if n := m.requests(); n != 2 {
				t.Errorf("%d requests were paid for, want the 2 before the refusal", n)
			}
			var j struct{ State, Class string }
			for line := range strings.Lines(must(t, dir, "jobs", "--json")) {
				var of struct{ Kind, State, Class string }
				if err := json.Unmarshal([]byte(line), &of); err != nil {
					t.Fatal(err)
				}
				if of.Kind == "make" {
					j.State, j.Class = of.State, of.Class
				}
			}
			if j.State != c.state || j.Class != c.class {
				t.Errorf("the job is %+v, want %s %s", j, c.state, c.class)
			}
			if said := run.out + run.err; strings.Count(said, `field "fallbacks" left out`) != 1 || strings.Count(said, `tool "web_search" left out`) != 1 {
				t.Errorf("what the gateway left out is not told once:\n%s", said)
			}
		})
	}
}
