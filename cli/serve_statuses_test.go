package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statuses are those of the table in docs/doors.md, with its examples.
func statuses(t *testing.T) map[int][]string {
	t.Helper()
	text, err := os.ReadFile("../docs/doors.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[int][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		code, err := strconv.Atoi(strings.TrimSpace(cells[0]))
		if err != nil || len(cells) != 3 {
			continue
		}
		out[code] = nil
		for _, one := range strings.Split(cells[2], ";") {
			if one = strings.TrimSpace(one); one != "" {
				out[code] = append(out[code], one)
			}
		}
	}
	return out
}

// refusesAsDescribed asks for every example of the table of statuses.
func refusesAsDescribed(t *testing.T, dir string) {
	s := serving(t, dir)
	order := func(body string) *http.Request { return s.request("POST", "api/v1/commands", decider, body) }
	ruled := func(body string) *http.Request { return s.request("POST", "api/v1/commands", ruler, body) }
	changed := func(r *http.Request, change func(*http.Request)) *http.Request {
		change(r)
		return r
	}
	if code, body := s.do(order(`{"verb":"pin","of":["c11"]}`)); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	cases := map[string]*http.Request{
		"a note without a text":               order(`{"verb":"note"}`),
		"a setting that is fixed":             ruled(`{"verb":"set","key":"seed","value":"3"}`),
		"a value that does not fit":           ruled(`{"verb":"set","key":"workers","value":"many"}`),
		"a niche with too many numbers":       order(`{"verb":"freeze","of":["1,1,1,1,1,1,1"]}`),
		"the root is rejected":                order(`{"verb":"reject","of":["root"]}`),
		"a name twice":                        order(`{"verb":"reject","of":["c3","3"]}`),
		"an agent that nobody is":             order(`{"verb":"start","start":{"agent":"nobody"}}`),
		"an operator that is none":            order(`{"verb":"start","start":{"operator":"dance"}}`),
		"a field that the verb does not take": order(`{"verb":"pause","of":["c1"]}`),
		"a field in capitals":                 order(`{"VERB":"pause"}`),
		"a boost by nothing":                  order(`{"verb":"boost","of":["best"],"by":0}`),
		"a revision that is none":             ruled(`{"verb":"inject","text":"no-such-branch"}`),
		"a wrong token":                       s.request("POST", "api/v1/commands", "nobody", `{"verb":"pause"}`),
		"a setting with a token that decides": order(`{"verb":"set","key":"workers","value":"3"}`),
		"a candidate that was never made":     order(`{"verb":"reject","of":["c999999"]}`),
		"a job that never was":                order(`{"verb":"cancel","of":["#999999"]}`),
		"a niche outside the map":             order(`{"verb":"freeze","of":["999,999"]}`),
		"a target that is none":               order(`{"verb":"boost","of":["target:zz"]}`),
		"a parent that was never made":        order(`{"verb":"start","start":{"parent":"c999999"}}`),
		"a path that is not clean":            s.request("GET", "api/v1//status", "", ""),
		"a question to commands":              s.request("GET", "api/v1/commands", decider, ""),
		"a job that has ended":                order(`{"verb":"cancel","of":["#1"]}`),
		"an approval of what does not wait":   order(`{"verb":"approve","of":["c1"]}`),
		"a release of what is free":           order(`{"verb":"release","of":["best"]}`),
		"an undo of another decision":         order(`{"verb":"undo","seq":1}`),
		"a stop where nothing runs":           ruled(`{"verb":"stop"}`),
		"ten megabytes":                       order(`{"verb":"note","text":"` + strings.Repeat("a", 10<<20) + `"}`),
		"words":                               changed(order(`{"verb":"pause"}`), func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }),
		"another charset":                     changed(order(`{"verb":"pause"}`), func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=latin1") }),
		"another host":                        changed(order(`{"verb":"pause"}`), func(r *http.Request) { r.Host = "evil.example" }),
	}
	table := statuses(t)
	for code, examples := range table {
		for _, name := range examples {
			r, ok := cases[name]
			if !ok {
				t.Errorf("nobody asks for %q", name)
				continue
			}
			delete(cases, name)
			if got, body := s.do(r); got != code || !strings.Contains(body, fmt.Sprintf(`"status":%d`, code)) {
				t.Errorf("%s: got %d %.300s, want %d", name, got, body, code)
			}
		}
	}
	for name := range cases {
		t.Errorf("the document does not have %q", name)
	}
	_, text := s.get("api/v1/openapi.json", "")
	var doc struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for _, op := range methods {
			for text := range op.Responses {
				code, err := strconv.Atoi(text)
				if _, ok := table[code]; err == nil && code >= 400 && code != 500 && !ok {
					t.Errorf("%s may answer %d, which the table does not have", path, code)
				}
			}
		}
	}
	for _, kind := range []string{"application/json; charset=utf-8", "Application/JSON;charset=UTF-8"} {
		r := order(`{"verb":"unpin","of":["c11"]}`)
		r.Header.Set("Content-Type", kind)
		if code, body := s.do(r); code != 200 {
			t.Errorf("%s: %d %s", kind, code, body)
		}
		if code, body := s.do(order(`{"verb":"undo"}`)); code != 200 {
			t.Fatalf("%d %s", code, body)
		}
	}
}

func saysWhatWasDecided(t *testing.T, dir string) {
	s := serving(t, dir)
	for _, c := range []struct{ body, says string }{
		{`{"verb":"set","key":"workers","value":"3"}`, "set: workers = 3"},
		{`{"verb":"set","key":"budget.wall","value":"3m"}`, "set: budget.wall = 3m0s"},
		{`{"verb":"set","key":"workers","value":" 3 "}`, "set: workers = 3"},
		{`{"verb":"note","text":"fewer words"}`, "note: fewer words"},
		{`{"verb":"note","text":"red\u001b[31m words"}`, "note: red words"},
	} {
		code, body := s.order(ruler, c.body)
		var done struct{ Said string }
		if err := json.Unmarshal([]byte(body), &done); err != nil || code != 200 || done.Said != c.says {
			t.Errorf("%s: %d %s, want %q", c.body, code, body, c.says)
		}
		if code, body := s.order(ruler, `{"verb":"undo"}`); code != 200 {
			t.Errorf("undo: %d %s", code, body)
		}
	}
}

// pagesInEveryOrder reads every list by small pages: together they are the whole.
func pagesInEveryOrder(t *testing.T, dir string) {
	s := serving(t, dir)
	read := func(query, cursor string) (ids []string, next string) {
		t.Helper()
		code, body := s.get("api/v1/candidates?"+query+"&cursor="+cursor, "")
		var page struct {
			Items []struct{ ID int }
			Next  string
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || code != 200 {
			t.Fatalf("%s: %d %s", query, code, body)
		}
		for _, c := range page.Items {
			ids = append(ids, strconv.Itoa(c.ID))
		}
		return ids, page.Next
	}
	for _, query := range []string{"order=newest", "order=best", "elite=true", "elite=true&order=best", "order=best&text=offline", "elite=true&text=offline"} {
		want, next := read(query+"&limit=1000", "")
		if len(want) < 2 || next != "" {
			t.Errorf("%s: %d at once, next %q", query, len(want), next)
		}
		var got []string
		for cursor, first := "", true; first || cursor != ""; first = false {
			var ids []string
			if ids, cursor = read(query+"&limit=1", cursor); len(ids) == 0 || len(got) > len(want) {
				t.Fatalf("%s: %v behind %v", query, ids, got)
			}
			got = append(got, ids...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: by pages %v, at once %v", query, got, want)
		}
	}
}

func TestWhatHTTPRefusesMCPRefusesAsWell(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	s := serving(t, dir)
	agent := client(t, dir, "--allow", "admin")
	long := strings.Repeat("é", 201)
	many := slices.Repeat([]string{"c1"}, 101)
	for _, c := range []struct {
		name, query string // or an order
		tool        string
		in          args
	}{
		{"no limit", "candidates?limit=0", "candidates", args{"limit": 0}},
		{"a limit below nothing", "jobs?limit=-5", "jobs", args{"limit": -5}},
		{"a limit beyond the bound", "candidates?limit=100000", "candidates", args{"limit": 100000}},
		{"a long text", "candidates?text=" + long, "candidates", args{"text": long}},
		{"a long cursor", "jobs?cursor=" + strings.Repeat("1", 25), "jobs", args{"cursor": strings.Repeat("1", 25)}},
		{"a state that is none", "jobs?state=dancing", "jobs", args{"state": "dancing"}},
		{"a long name", "candidates/" + strings.Repeat("1", 25), "show", args{"id": strings.Repeat("1", 25)}},
		{"a kind of note that is none", `{"verb":"note","text":"x","note":{"kind":"zz"}}`, "note", args{"text": "x", "kind": "zz"}},
		{"a long target", `{"verb":"note","text":"x","note":{"target":"` + long + `"}}`, "note", args{"text": "x", "target": long}},
		{"a long operator", `{"verb":"start","start":{"operator":"` + long + `"}}`, "start", args{"operator": long}},
		{"a key that is too long", `{"verb":"set","key":"` + long + `","value":"1"}`, "set", args{"key": long, "value": "1"}},
		{"an undo of nothing", `{"verb":"undo","seq":0}`, "undo", args{"seq": 0}},
		{"too many", `{"verb":"pin","of":["` + strings.Join(many, `","`) + `"]}`, "reject", args{"of": many}},
		{"one twice", `{"verb":"reject","of":["c3","3"]}`, "reject", args{"of": []string{"c3", "3"}}},
		{"a factor of nothing", `{"verb":"boost","of":["best"],"by":0}`, "boost", args{"of": []string{"best"}, "by": 0}},
		{"an agent that nobody is", `{"verb":"start","start":{"agent":"nobody"}}`, "start", args{"agent": "nobody"}},
		{"a field that is not the tool's", `{"verb":"approve","of":["c1"],"by":2}`, "approve", args{"of": []string{"c1"}, "by": 2}},
		{"a field in capitals", `{"verb":"reject","OF":["c3"]}`, "reject", args{"OF": []string{"c3"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var code int
			var body string
			if strings.HasPrefix(c.query, "{") {
				code, body = s.order(ruler, c.query)
			} else {
				code, body = s.get("api/v1/"+c.query, ruler)
			}
			if code != 400 {
				t.Errorf("over HTTP: %d %.300s", code, body)
			}
			if text, refused := called(t, agent, c.tool, c.in); !refused {
				t.Errorf("over MCP: %.300s", text)
			}
		})
	}
}
