package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// served is a running `atoll serve`.
type served struct {
	t      *testing.T
	url    string
	tokens string // file
}

const (
	decider = "ada-decides-0123456789"
	looker  = "lou-looks-0123456789"
	ruler   = "bob-rules-0123456789"
)

// serving starts the server on an experiment and ends it with the test.
func serving(t *testing.T, dir string, args ...string) served {
	t.Helper()
	tokens := filepath.Join(t.TempDir(), "tokens")
	text := "# who may what\nada decide " + decider + "\nlou look " + looker + "\nbob admin " + ruler + "\n"
	if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, dir, append([]string{"serve", "--http", "127.0.0.1:0", "--tokens", tokens}, args...)...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Cancel = func() error { // at the end of the test, before its clean-up
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return os.ErrProcessDone
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	s := served{t: t, tokens: tokens}
	for s.url == "" && lines.Scan() {
		if m := regexp.MustCompile(`page is at (http\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, errs) }()
	t.Cleanup(func() {
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	if s.url == "" {
		t.Fatal("the server names no address")
	}
	until(t, "the experiment is read", func() bool { code, _ := s.get("readyz", ""); return code == 200 })
	return s
}

func (s served) do(r *http.Request) (int, string) {
	s.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func (s served) request(method, path, token, body string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (s served) get(path, token string) (int, string) {
	s.t.Helper()
	return s.do(s.request("GET", path, token, ""))
}

func (s served) order(token, body string) (int, string) {
	s.t.Helper()
	return s.do(s.request("POST", "api/v1/commands", token, body))
}

// field reads a value of an answer by a path such as "best.id".
func (s served) field(path, field string) any {
	s.t.Helper()
	code, body := s.get(path, "")
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil || code != 200 {
		s.t.Fatalf("%s: %d %s", path, code, body)
	}
	for _, key := range strings.Split(field, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

func TestAServer(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	for _, c := range []struct {
		name string
		test func(t *testing.T, dir string)
	}{
		{"answers what the verbs answer and signs decisions with the token", answersLikeTheVerbs},
		{"answers as its document says", answersAsDescribed},
		{"refuses with a reason", refusesWithAReason},
		{"closes the line behind what is too large", closesWhatIsTooLarge},
		{"refuses with the statuses of the document", refusesAsDescribed},
		{"says what was decided", saysWhatWasDecided},
		{"has pages in every order", pagesInEveryOrder},
		{"slows wrong tokens down and answers others", slowsGuessesDown},
		{"resumes a stream without loss or doubling", resumesAStream},
		{"shows hostile text as text and allows nothing foreign", showsTextAsText},
		{"speaks with coding agents by their role", speaksWithAgents},
		{"tells nothing without a token when private", tellsNothingInPrivate},
		{"ends what is open when its token loses rights", endsWithItsToken},
		{"counts what it refuses", countsRefusals},
		{"is refused where strangers could reach it", refusesStrangers},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "answers as its document says" {
				suitetest.Full(t, "every path of the document with every role; those beside it stand for it")
			}
			c.test(t, dir)
		})
	}
}

func answersLikeTheVerbs(t *testing.T, dir string) {
	s := serving(t, dir)
	for _, path := range []string{
		"status", "niches", "front", "candidates?limit=5&order=best", "candidates/best", "candidates/c0", "candidates/best/diff", "candidates/best/diff?from=parent", "candidates/best/patch", "candidates/best/lineage",
		"jobs?state=failed&state=placed", "jobs/3", "curves", "activity", "yields", "failures", "notes", "settings", "experiments", "whoami", "log?after=3&limit=5", "openapi.json", "openapi.yaml",
	} {
		if code, body := s.get("api/v1/"+path, ""); code != 200 || body == "" {
			t.Errorf("GET %s: %d %.200s", path, code, body)
		}
	}
	if got, want := s.field("api/v1/status", "best.id"), status(t, dir, "best.id"); got != want {
		t.Errorf("the best is c%v, the verb says c%v", got, want)
	}
	code, body := s.order(decider, `{"verb":"reject","of":["c3"],"text":"no"}`)
	if code != 200 || !strings.Contains(body, "c3") {
		t.Fatalf("reject: %d %s", code, body)
	}
	var d struct{ Who, Verb string }
	if err := json.Unmarshal([]byte(lastDecision(t, dir)), &d); err != nil || d.Who != "ada" || d.Verb != "reject" {
		t.Errorf("the log has %+v (%v)", d, err)
	}
	until(t, "the server shows the rejection", func() bool { return s.field("api/v1/candidates/c3", "candidate.status") == "rejected" })
	if out := must(t, dir, "undo"); !strings.Contains(out, "c3") {
		t.Errorf("undo takes back: %s", out)
	}
	until(t, "the server shows it again", func() bool { return s.field("api/v1/candidates/c3", "candidate.status") != "rejected" })
}

// lastDecision is the newest decision of the log as JSON.
func lastDecision(t *testing.T, dir string) string {
	t.Helper()
	var last string
	for line := range strings.Lines(must(t, dir, "events", "--json")) {
		var row struct {
			Kind string
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Kind == "decision" {
			last = string(row.Data)
		}
	}
	return last
}

func refusesWithAReason(t *testing.T, dir string) {
	s := serving(t, dir)
	for _, c := range []struct {
		name, token, body string
		code              int
		word              string
	}{
		{"a decision without a token", "", `{"verb":"pause"}`, 403, "role look"},
		{"a decision with a token that only looks", looker, `{"verb":"reject","of":["c1"]}`, 403, "role look"},
		{"a setting with a token that decides", decider, `{"verb":"set","key":"workers","value":"3"}`, 403, "no set"},
		{"a branch with a token that decides", decider, `{"verb":"promote","of":["c1"]}`, 403, "no promote"},
		{"a verb that does not exist", decider, `{"verb":"explode"}`, 400, "expected value"},
		{"no candidate", decider, `{"verb":"reject"}`, 400, "what it is about"},
		{"a candidate that is none", decider, `{"verb":"reject","of":["--all"]}`, 400, "no candidate"},
		{"a candidate that is not there", decider, `{"verb":"reject","of":["c999999"]}`, 404, "no candidate c999999"},
		{"the root", decider, `{"verb":"reject","of":["c0"]}`, 400, "compared with"},
		{"a niche outside the map", decider, `{"verb":"boost","of":["999,1"]}`, 404, "outside"},
		{"a job that is not there", decider, `{"verb":"cancel","of":["#999999"]}`, 404, "999999"},
		{"an approval of what does not wait", decider, `{"verb":"approve","of":["c1"]}`, 409, "does not wait"},
		{"a stop where nothing runs", ruler, `{"verb":"stop"}`, 409, "nothing to stop"},
		{"a branch whose name is an option", ruler, `{"verb":"promote","of":["c1"],"text":"--force"}`, 400, "branch"},
		{"a revision that is an option", ruler, `{"verb":"inject","text":"--upload-pack=touch /tmp/x"}`, 400, "no commit"},
		{"the whole name of a branch", ruler, `{"verb":"promote","of":["c1"],"text":"refs/heads/main"}`, 400, "write main"},
		{"an undo of nothing", decider, `{"verb":"undo","seq":0}`, 400, "seq"},
		{"an undo of another decision", decider, `{"verb":"undo","seq":1}`, 409, "cannot do that"},
		{"a position of another verb", decider, `{"verb":"pause","seq":3}`, 400, "undo, redo"},
		{"a path outside as a branch", ruler, `{"verb":"promote","of":["c1"],"text":"../../HEAD"}`, 400, "branch"},
		{"a field that does not exist", decider, `{"verb":"pause","sudo":true}`, 400, "unexpected property"},
		{"a boost by nothing", decider, `{"verb":"boost","of":["c1"],"by":0}`, 400, "above 0 and at most 100, not 0"},
		{"ten megabytes", decider, `{"verb":"note","text":"` + strings.Repeat("a", 10<<20) + `"}`, 413, "too large"},
		{"no JSON", decider, `{{{`, 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, body := s.order(c.token, c.body)
			if code != c.code || !strings.Contains(body, c.word) {
				t.Errorf("got %d %.300s, want %d with %q", code, body, c.code, c.word)
			}
		})
	}
	t.Run("twice the same", func(t *testing.T) {
		if code, body := s.order(decider, `{"verb":"pin","of":["c1"]}`); code != 200 {
			t.Fatalf("%d %s", code, body)
		}
		until(t, "the second is refused", func() bool {
			code, body := s.order(decider, `{"verb":"pin","of":["c1"]}`)
			return code == 409 && strings.Contains(body, "pinned already")
		})
	})
	for name, change := range map[string]func(*http.Request){
		"another name for this server": func(r *http.Request) { r.Host = "evil.example:80" },
		"another site's script":        func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"a wrong token":                func(r *http.Request) { r.Header.Set("Authorization", "Bearer nobody") },
		"a wrong cookie": func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Cookie", "atoll_session=x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.request("POST", "api/v1/commands", decider, `{"verb":"pin","of":["c2"]}`)
			change(r)
			if code, body := s.do(r); code < 400 || code >= 500 || strings.TrimSpace(body) == "" {
				t.Errorf("got %d %q", code, body)
			}
		})
	}
}

// closesWhatIsTooLarge sends a body that is too large and full of requests: nobody
// may take what was left unread for requests of its own.
func closesWhatIsTooLarge(t *testing.T, dir string) {
	s := serving(t, dir)
	host := strings.Trim(strings.TrimPrefix(s.url, "http:"), "/")
	line, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	body := strings.Repeat("GET /healthz HTTP/1.1\r\nHost: "+host+"\r\n\r\n", 1<<16)
	go func() { // until the server closes the line
		fmt.Fprintf(line, "POST /api/v1/commands HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", host, decider, len(body), body)
	}()
	answer, _ := io.ReadAll(line) // the end of the line may be an error, too
	if n := strings.Count(string(answer), "HTTP/1.1 "); n != 1 || !strings.Contains(string(answer), "HTTP/1.1 413") || !strings.Contains(string(answer), "Connection: close") {
		t.Errorf("%d answers: %.2000s", n, answer)
	}
}

func slowsGuessesDown(t *testing.T, dir string) {
	s := serving(t, dir)
	codes := map[int]int{}
	for range 200 {
		code, _ := s.get("api/v1/status", "wrong-wrong-wrong-wrong")
		codes[code]++
	}
	if codes[200] > 0 || codes[401] == 0 || codes[401] > 100 || codes[429] == 0 {
		t.Errorf("answers by code: %v", codes)
	}
	until(t, "the right token is answered", func() bool { code, _ := s.get("api/v1/whoami", decider); return code == 200 })
}

// event is one event of a stream.
type event struct{ id, kind, data string }

// events reads so many rows of the stream behind a row.
func (s served) events(after string, rows int) (out []event) {
	s.t.Helper()
	r := s.request("GET", "api/v1/events", "", "")
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	var e event
	for len(out) < rows && lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case key == "id":
			e.id = value
		case key == "event":
			e.kind = value
		case key == "data":
			e.data = value
		case lines.Text() == "" && e.kind == "row":
			out = append(out, e)
			e = event{}
		case lines.Text() == "":
			e = event{}
		}
	}
	if len(out) < rows {
		s.t.Fatalf("the stream ended after %d of %d rows: %v", len(out), rows, lines.Err())
	}
	return out
}

func resumesAStream(t *testing.T, dir string) {
	s := serving(t, dir)
	var want []string
	for line := range strings.Lines(must(t, dir, "events", "--json")) {
		var row struct{ Seq int64 }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(row.Seq))
	}
	var got []string
	for after := "0"; len(got) < len(want); {
		for _, e := range s.events(after, min(37, len(want)-len(got))) {
			got, after = append(got, e.id), e.id
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the stream has %v,\nthe log %v", got, want)
	}
	seen := make(chan event, 1)
	last := want[len(want)-1]
	go func() {
		for _, e := range s.events(last, 1) {
			seen <- e
		}
	}()
	must(t, dir, "pin", "c7")
	select {
	case e := <-seen:
		if !strings.Contains(e.data, `"pin"`) {
			t.Errorf("the stream goes on with %+v", e)
		}
	case <-time.After(time.Minute):
		t.Error("a decision in another process is no event")
	}
}

func showsTextAsText(t *testing.T, dir string) {
	s := serving(t, dir)
	must(t, dir, "reject", "c5", "--reason", "<script>alert(1)</script>\x1b[31m\u202e")
	until(t, "the reason is told", func() bool { _, body := s.get("api/v1/activity", ""); return strings.Contains(body, "alert(1)") })
	_, told := s.get("api/v1/activity", "")
	if strings.Contains(told, "\\u001b") || strings.ContainsRune(told, '\u202e') {
		t.Errorf("control characters come through: %q", told)
	}
	res, err := http.Get(s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || !bytes.Contains(body, []byte("deceptive")) {
		t.Fatalf("the page: %d %v %.200s", res.StatusCode, err, body)
	}
	policy := res.Header.Get("Content-Security-Policy")
	for _, word := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, word) {
			t.Errorf("the policy %q has no %q", policy, word)
		}
	}
	for _, foreign := range []string{"http://", "https://", " style=", " onclick", "<script>"} {
		if bytes.Contains(body, []byte(foreign)) {
			t.Errorf("the page has %q", foreign)
		}
	}
	for _, file := range regexp.MustCompile(`/assets/[a-z.]+`).FindAllString(string(body), -1) {
		if code, text := s.get(file[1:], ""); code != 200 || strings.Contains(text, "innerHTML") || strings.Contains(text, "eval(") {
			t.Errorf("%s: %d, or it makes markup of text", file, code)
		}
	}
	if _, text := s.get("metrics", ""); !strings.Contains(text, "atoll_jobs{state=\"failed\"}") || strings.Contains(text, "deceptive") {
		t.Errorf("figures: %.300s", text)
	}
}

func tellsNothingInPrivate(t *testing.T, dir string) {
	s := serving(t, dir, "--private")
	for _, path := range []string{"api/v1/status", "api/v1/events", "metrics", "api/v1/openapi.json"} {
		if code, _ := s.get(path, ""); code != 401 {
			t.Errorf("GET %s: %d", path, code)
		}
	}
	if code, body := s.get("", ""); code != 200 || strings.Contains(body, "deceptive") {
		t.Errorf("the page without a token: %d, or it names the experiment", code)
	}
	if code, _ := s.get("api/v1/status", looker); code != 200 {
		t.Errorf("with a token: %d", code)
	}
}

func refusesStrangers(t *testing.T, dir string) {
	open := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(open, []byte("ada decide "+decider+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(short, []byte("ada decide x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, atoll(t, dir, "serve"), "--http")
	refused(t, atoll(t, dir, "serve", "--http", "0.0.0.0:0"), "--tokens")
	refused(t, atoll(t, dir, "serve", "--http", "nowhere"), "host:port")
	for file, word := range map[string]string{open: "chmod 600", short: "could be guessed"} {
		if c := atoll(t, dir, "serve", "--http", "127.0.0.1:0", "--tokens", file); c.code == 0 || !strings.Contains(c.err, word) {
			t.Errorf("%s: exit %d, %s", word, c.code, c.err)
		}
	}
}
