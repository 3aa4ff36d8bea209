package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"atoll/config/suitetest"
)

// asks is a client that sends its model some messages, takes no notice of what comes, and
// changes a file.
const asks = `import json, os, urllib.error, urllib.request
def ask(content, **more):
    body = dict(model='m-1', stream=True, max_tokens=100, messages=[{'role': 'user', 'content': content}], **more)
    head = {'Authorization': 'Bearer ' + os.environ['OPENAI_API_KEY']}
    try:
        urllib.request.urlopen(urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', json.dumps(body).encode(), head)).read()
    except urllib.error.HTTPError as e:
        e.read()
n = int(open('value.txt').read())
open('value.txt', 'w').write(str(n + 1) + '\n')
`

// scriptAgent is an agent that runs a program of Python before a model at an address.
func scriptAgent(url, program string) string {
	return fmt.Sprintf("agents: [{name: script, kind: command, weight: 1, command: [python3, -c, %q], base_url: %q, api: chat, key_env: PLOT_KEY, model: m-1, attempts: 2}]", program, url+"/v1")
}

func TestAClientThatTakesNoNoticeOfARefusedKeyPausesTheRun(t *testing.T) {
	suitetest.Full(t, "a run for each client; TestAProviderThatDoesNotServeTheKeyPausesAtOnceAndChargesNoJob of engine stands for it")
	t.Parallel()
	for _, c := range []struct {
		name string
		code int
		body string
		says string
	}{
		{"a key that is refused", 401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, "check the key in PLOT_KEY"},
		{"one that may not do this", 403, `{"error":{"message":"forbidden"}}`, "check the key in PLOT_KEY"},
		{"a quota that is gone", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, "the account behind PLOT_KEY has nothing left"},
		{"a country that is not served", 451, `{"error":{"message":"not in your country"}}`, "not in your country"},
		{"a text", 200, "Your trial is over", "Your trial is over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.WriteHeader(c.code)
				_, _ = fmt.Fprint(w, c.body)
			}))
			t.Cleanup(door.Close)
			dir := plot(t, "budget: {jobs: 2}", scriptAgent(door.URL, asks+"ask('x')\nask('y')\n"))
			run := keyed(t, dir, cliKey, "run", "--headless", "--yes")
			if run.code != 1 || !strings.Contains(run.out+run.err, c.says) {
				t.Errorf("exit %d, want 1 and %q\n%s%s", run.code, c.says, run.out, run.err)
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("the provider was asked %d times", n)
			}
			for line := range strings.Lines(must(t, dir, "jobs", "--json")) {
				var j struct{ Kind, State string }
				if err := json.Unmarshal([]byte(line), &j); err != nil {
					t.Fatal(err)
				}
				if j.Kind == "make" && j.State != "queued" {
					t.Errorf("a job is %s, and was charged", j.State)
				}
			}
		})
	}
}

func TestWhatTheGatewayDoesIsToldOnceAnAgent(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	dir := plot(t, "budget: {jobs: 3}", scriptAgent(m.URL, asks+`ask('x', fallbacks=['gold'])
ask([{'type': 'file', 'file': {'file_id': 'f-1'}}])
ask([{'type': 'video_url', 'video_url': {'url': 'https://x/y'}}])
`))
	run := keyed(t, dir, cliKey, "run", "--headless", "--yes")
	said := run.out + run.err
	if run.code != 0 {
		t.Fatalf("exit %d\n%s", run.code, said)
	}
	for _, once := range []string{`field "fallbacks" left out`, "file_id passed on", `part "video_url" is not passed on`} {
		if strings.Count(said, once) != 1 {
			t.Errorf("%q is told %d times:\n%s", once, strings.Count(said, once), said)
		}
	}
	if n := m.requests(); n != 6 {
		t.Errorf("%d requests reached the provider, want 2 of each of 3 jobs", n)
	}
}
