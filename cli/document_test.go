package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"atoll/config/suitetest"
)

// document is what the server says of itself (OpenAPI 3.1).
type document struct {
	t      *testing.T
	url    string
	looker string // a token that may only look
	Paths  map[string]map[string]*operation
	Parts  struct{ Schemas map[string]json.RawMessage } `json:"components"`
}

// operation is one method of a path.
type operation struct {
	ID        string                `json:"operationId"`
	Body      json.RawMessage       `json:"requestBody"`
	Responses map[string]*described `json:"responses"`

	method, path string
	seen         map[string]bool // codes that were answered
}

// described is an answer as the document has it.
type described struct {
	Content map[string]struct{ Schema json.RawMessage }
}

// readDocument reads the document of a server.
func readDocument(t *testing.T, url, looker string) *document {
	t.Helper()
	d := &document{t: t, url: strings.TrimRight(url, "/"), looker: looker}
	res, err := http.Get(d.url + "/api/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(d); err != nil {
		t.Fatal(err)
	}
	for path, methods := range d.Paths {
		for method, op := range methods {
			op.method, op.path, op.seen = strings.ToUpper(method), path, map[string]bool{}
		}
	}
	return d
}

// conforms holds a JSON answer against its schema.
func (d *document) conforms(schema json.RawMessage, body []byte) error {
	text := map[string]any{"allOf": []json.RawMessage{schema}, "$defs": d.Parts.Schemas}
	whole, err := json.Marshal(text)
	if err != nil {
		return err
	}
	whole = bytes.ReplaceAll(whole, []byte("#/components/schemas/"), []byte("#/$defs/"))
	var s jsonschema.Schema
	if err := json.Unmarshal(whole, &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	return resolved.Validate(v)
}

// asked is a request to an operation. path and query stand for those of the document.
type asked struct {
	path, token, body string
	change            func(*http.Request)
}

// ask sends a request and holds the answer against the document: its code, its type
// and its body. It returns the code and the body.
func (d *document) ask(op *operation, a asked) (int, string) {
	d.t.Helper()
	for {
		r, err := http.NewRequestWithContext(d.t.Context(), op.method, d.url+"/api/v1"+a.path, strings.NewReader(a.body))
		if err != nil {
			d.t.Fatal(err)
		}
		if a.token != "" {
			r.Header.Set("Authorization", "Bearer "+a.token)
		}
		if a.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if a.change != nil {
			a.change(r)
		}
		code, kind, body := d.send(r)
		d.holds(op, r, code, kind, body)
		if code != http.StatusTooManyRequests {
			return code, string(body)
		}
		time.Sleep(pause) // the walk is quicker than strangers may be
	}
}

// pause is between a request that came too soon and the same one again.
const pause = 20 * time.Millisecond

// send returns the answer to a request; of a stream only what it is.
func (d *document) send(r *http.Request) (code int, kind string, body []byte) {
	d.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		d.t.Error(err)
		return 0, "", nil
	}
	defer res.Body.Close()
	kind, _, _ = mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return res.StatusCode, kind, nil
	}
	if body, err = io.ReadAll(res.Body); err != nil {
		d.t.Error(err)
	}
	return res.StatusCode, kind, body
}

// holds reports where an answer is not the one that the document describes.
func (d *document) holds(op *operation, r *http.Request, code int, kind string, body []byte) {
	d.t.Helper()
	op.seen[fmt.Sprint(code)] = true
	told := op.Responses[fmt.Sprint(code)]
	if told == nil {
		d.t.Errorf("%s %s answers %d, which the document does not have: %.300s", r.Method, r.URL.Path, code, body)
		return
	}
	content, ok := told.Content[kind]
	switch {
	case len(told.Content) == 0 && len(body) == 0:
	case !ok:
		d.t.Errorf("%s %s answers %d as %q, which the document does not have: %.300s", r.Method, r.URL.Path, code, kind, body)
	case strings.HasSuffix(kind, "json"):
		if err := d.conforms(content.Schema, body); err != nil {
			d.t.Errorf("%s %s answers %d with what the document does not have: %v\n%.600s", r.Method, r.URL.Path, code, err, body)
		}
	}
}

// operation finds one by its name.
func (d *document) operation(id string) *operation {
	d.t.Helper()
	for _, methods := range d.Paths {
		for _, op := range methods {
			if op.ID == id {
				return op
			}
		}
	}
	d.t.Fatalf("the document has no %s", id)
	return nil
}

// try asks an operation what makes sense, and then in every way that makes none.
func (d *document) try(id string, a asked) {
	d.t.Helper()
	op := d.operation(id)
	if code, body := d.ask(op, a); code >= 300 {
		d.t.Errorf("%s %s: %d %s", op.method, a.path, code, body)
	}
	d.misuse(op, a)
}

// tried wants all operations of tasks, or all others, to be among the names.
func (d *document) tried(tasks bool, ids ...string) {
	d.t.Helper()
	for path, methods := range d.Paths {
		if strings.HasPrefix(path, "/api/v1/tasks") != tasks {
			continue
		}
		for _, op := range methods {
			if !slices.Contains(ids, op.ID) {
				d.t.Errorf("nothing asks %s %s: add a row for %s", op.method, path, op.ID)
			}
		}
		d.wrongMethods(path, methods)
	}
}

// misuse asks an operation what makes no sense.
func (d *document) misuse(op *operation, good asked) {
	d.t.Helper()
	is := func(what string, a asked, want ...int) {
		d.t.Helper()
		code, body := d.ask(op, a)
		for _, w := range want {
			if code == w {
				return
			}
		}
		d.t.Errorf("%s %s, %s: %d, want %v: %.300s", op.method, a.path, what, code, want, body)
	}
	with := func(change func(*asked)) asked {
		a := good
		change(&a)
		return a
	}
	is("another name of the server", with(func(a *asked) { a.change = func(r *http.Request) { r.Host = "evil.example" } }), 421)
	is("another site", with(func(a *asked) { a.change = func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") } }), 403)
	bare, _, _ := strings.Cut(good.path, "?")
	is("a question that is none", with(func(a *asked) { a.path = bare + "?nonsense=1" }), 400)
	if before, _, found := strings.Cut(op.path, "{"); found {
		_, after, _ := strings.Cut(op.path, "}")
		stem := strings.TrimPrefix(before, "/api/v1")
		is("a name that is none", with(func(a *asked) { a.path = stem + "x%2e" + after }), 400)
		is("a name of nothing", with(func(a *asked) { a.path = stem + "999999" + after }), 400, 404, 409)
		is("a name without end", with(func(a *asked) { a.path = stem + strings.Repeat("9", 400) + after }), 400)
	}
	if op.method != http.MethodPost {
		return
	}
	is("a role that only looks", with(func(a *asked) { a.token = d.looker }), 403)
	is("no body", with(func(a *asked) { a.body = "" }), 400)
	is("no JSON", with(func(a *asked) { a.body = "{{{" }), 400)
	is("a field that is none", with(func(a *asked) { a.body = `{"sudo": true}` }), 400)
	is("a list", with(func(a *asked) { a.body = `[]` }), 400)
	is("another language", with(func(a *asked) { a.change = func(r *http.Request) { r.Header.Set("Content-Type", "text/html") } }), 415)
	is("too much", with(func(a *asked) { a.body = `{"text": "` + strings.Repeat("a", 2<<20) + `"}` }), 413)
}

// wrongMethods asks a path with the methods that it does not have.
func (d *document) wrongMethods(path string, methods map[string]*operation) {
	d.t.Helper()
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if methods[strings.ToLower(method)] != nil || method == http.MethodGet && path == "/api/v1/tasks/next" { // a task of the name next
			continue
		}
		path := strings.NewReplacer("{id}", "1", "{niche}", "1").Replace(path)
		d.problem(method, path, http.StatusMethodNotAllowed)
	}
}

// problem wants a refusal of the server as a whole, in the form of all others.
func (d *document) problem(method, path string, want int) {
	d.t.Helper()
	for {
		r, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, nil)
		if err != nil {
			d.t.Fatal(err)
		}
		code, kind, body := d.send(r)
		if kind != "application/problem+json" || d.conforms(json.RawMessage(`{"$ref": "#/components/schemas/ErrorModel"}`), body) != nil {
			d.t.Errorf("%s %s: %d as %q: %s", method, path, code, kind, body)
		}
		if code == http.StatusTooManyRequests {
			time.Sleep(pause)
			continue
		}
		if code != want {
			d.t.Errorf("%s %s: %d, want %d: %s", method, path, code, want, body)
		}
		return
	}
}

// answersAsDescribed walks through what can be asked and decided.
func answersAsDescribed(t *testing.T, dir string) {
	s := serving(t, dir)
	d := readDocument(t, s.url, looker)
	good := map[string]asked{
		"status": {path: "/status"}, "niches": {path: "/niches"}, "front": {path: "/front"}, "curves": {path: "/curves"}, "activity": {path: "/activity"}, "yields": {path: "/yields"},
		"failures": {path: "/failures"}, "notes": {path: "/notes"}, "niche": {path: "/niches/1,1"}, "settings": {path: "/settings"},
		"experiments": {path: "/experiments"}, "whoami": {path: "/whoami"}, "candidates": {path: "/candidates?order=best&limit=5"}, "candidate": {path: "/candidates/best"},
		"lineage": {path: "/candidates/best/lineage"}, "diff": {path: "/candidates/best/diff?from=parent"}, "patch": {path: "/candidates/best/patch"},
		"jobs": {path: "/jobs?state=failed&state=placed"}, "job": {path: "/jobs/3"}, "log": {path: "/log?after=3&limit=5"}, "events": {path: "/events?after=0"},
		"command": {path: "/commands", token: decider, body: `{"verb":"note","text":"walked"}`},
	}
	for id, a := range good {
		d.try(id, a)
	}
	d.tried(false, slices.Collect(maps.Keys(good))...)
	t.Run("what no path is for", func(t *testing.T) {
		d.t = t
		d.problem(http.MethodGet, "/api/v1/nonsense", 404)
		d.problem(http.MethodGet, "/api/v1/", 404)
		d.problem(http.MethodGet, "/api/v1/candidates/c1/nonsense", 404)
	})
	t.Run("numbers of rows", func(t *testing.T) {
		d.t = t
		for _, path := range []string{"/log?after=-1", "/log?after=x", "/log?after=99999999999999999999", "/log?limit=0", "/log?limit=1001"} {
			if code, body := d.ask(d.Paths["/api/v1/log"]["get"], asked{path: path}); code != 400 {
				t.Errorf("%s: %d %s", path, code, body)
			}
		}
		if code, body := d.ask(d.Paths["/api/v1/events"]["get"], asked{path: "/events?after=-1"}); code != 400 {
			t.Errorf("events: %d %s", code, body)
		}
	})
	t.Run("characters are counted, not bytes", func(t *testing.T) {
		d.t = t
		note := func(n int) (int, string) {
			return d.ask(d.Paths["/api/v1/commands"]["post"], asked{path: "/commands", token: decider, body: `{"verb":"note","text":"` + strings.Repeat("ä", n) + `"}`})
		}
		if code, body := note(20_000); code != 200 {
			t.Errorf("20,000 characters: %d %s", code, body)
		}
		if code, body := note(20_001); code != 400 {
			t.Errorf("20,001 characters: %d %s", code, body)
		}
	})
	t.Run("tasks where nothing runs", func(t *testing.T) {
		d.t = t
		for path, op := range map[string]*operation{"/tasks": d.Paths["/api/v1/tasks"]["get"], "/tasks/1/tree": d.Paths["/api/v1/tasks/{id}/tree"]["get"]} {
			if code, body := d.ask(op, asked{path: path, token: decider}); code != 409 {
				t.Errorf("%s: %d %s", path, code, body)
			}
		}
	})
	t.Run("wrong tokens", func(t *testing.T) { // last: they are slowed down
		d.t = t
		type answer struct {
			asked *http.Request
			code  int
			kind  string
			body  []byte
		}
		answers := make([]answer, 60)
		var all sync.WaitGroup
		for i := range answers { // at once, so that no refill of the allowance comes between them
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/api/v1/status", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer nobody-has-this-one")
			all.Go(func() {
				a := &answers[i]
				a.asked = r
				a.code, a.kind, a.body = d.send(r)
			})
		}
		all.Wait()
		codes := map[int]bool{}
		for _, a := range answers {
			codes[a.code] = true
			d.holds(d.Paths["/api/v1/status"]["get"], a.asked, a.code, a.kind, a.body)
		}
		if !codes[401] || !codes[429] || len(codes) > 2 {
			t.Errorf("answers: %v", codes)
		}
	})
}

func TestTasksAnswerAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "every answer of a document on a run of its own; TestTasksAreHandedOutOnceAndJudged stands for it")
	h := handsOut(t, 3)
	d := readDocument(t, h.url, strings.Repeat("e", 48))
	post := func(path, body string) asked { return asked{path: path, token: h.token, body: body} }
	get := func(path string) asked { return asked{path: path, token: h.token} }
	id, lease := h.next("first")
	id = "/tasks" + id
	d.try("tasks", get("/tasks"))
	d.try("task", get(id))
	d.try("task-status", get(id+"/status"))
	d.try("task-tree", get(id+"/tree"))
	d.try("next-task", post("/tasks/next", `{"worker": "second"}`)) // none waits: 204
	d.try("start-task", post(id+"/start", `{"lease": "`+lease+`", "says": "half way"}`))
	d.try("stop-task", post(id+"/stop", `{"lease": "`+lease+`"}`))
	d.try("add-task", post("/tasks", `{}`))
	_, lease = h.next("first")
	if code, body := d.ask(d.operation("stop-task"), post(id+"/stop", `{"lease": "old"}`)); code != 409 {
		t.Errorf("a lease that is none: %d %s", code, body)
	}
	d.try("finish-task", post(id+"/result", `{"lease": "`+lease+`", "changes": [{"path": "value.txt", "text": "2\n"}]}`))
	if code, body := d.ask(d.operation("finish-task"), post(id+"/result", `{"lease": "`+lease+`", "failed": "again"}`)); code != 409 {
		t.Errorf("twice the same: %d %s", code, body)
	}
	d.tried(true, "tasks", "task", "task-status", "task-tree", "next-task", "start-task", "stop-task", "add-task", "finish-task")
	if seen := d.operation("next-task").seen; !seen["204"] {
		t.Errorf("next-task answered only %v", seen)
	}
}
