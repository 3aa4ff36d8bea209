package forge_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/forge"
)

// none finds no program.
func none(string) (string, error) { return "", errors.New("not here") }

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestEachForgeIsAskedInItsOwnWords(t *testing.T) {
	r := forge.Request{Title: "a title", Body: "a body", Head: "atoll/x", Base: "main"}
	for _, c := range []struct {
		kind         forge.Kind
		token        string
		path, header string
		value        string
		fields       map[string]string
		answer       string
	}{
		{forge.GitHub, "GH_TOKEN", "/repos/o/n/pulls", "Authorization", "Bearer s3cret", map[string]string{"title": r.Title, "body": r.Body, "head": r.Head, "base": r.Base}, `{"html_url": "https://forge/1"}`},
		{forge.Gitea, "GITEA_TOKEN", "/repos/o/n/pulls", "Authorization", "token s3cret", map[string]string{"title": r.Title, "body": r.Body, "head": r.Head, "base": r.Base}, `{"html_url": "https://forge/1"}`},
		{forge.GitLab, "GITLAB_TOKEN", "/projects/o%2Fn/merge_requests", "PRIVATE-TOKEN", "s3cret", map[string]string{"title": r.Title, "description": r.Body, "source_branch": r.Head, "target_branch": r.Base}, `{"web_url": "https://forge/1"}`},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				var got map[string]string
				if err := json.NewDecoder(q.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				if q.Method != http.MethodPost || q.URL.EscapedPath() != c.path || q.Header.Get(c.header) != c.value {
					t.Errorf("%s %s with %q", q.Method, q.URL.EscapedPath(), q.Header.Get(c.header))
				}
				for key, want := range c.fields {
					if got[key] != want || len(got) != len(c.fields) {
						t.Errorf("fields %v", got)
					}
				}
				w.WriteHeader(http.StatusCreated)
				_, _ = w.Write([]byte(c.answer))
			}))
			defer server.Close()
			f, err := forge.Find("git.example.org", "o/n", forge.Options{Kind: c.kind, API: server.URL + "/", Getenv: env(c.token, "s3cret"), Look: none})
			if err != nil {
				t.Fatal(err)
			}
			if page, err := f.Open(t.Context(), r); err != nil || page != "https://forge/1" {
				t.Errorf("page %q, %v", page, err)
			}
		})
	}
}

func TestWhatAForgeSaysToARefusalIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		answer string
		want   string
	}{
		"with a list of errors":    {422, `{"message": "Validation Failed", "errors": [{"message": "A pull request already exists"}]}`, "Validation Failed A pull request already exists"},
		"with an error":            {404, `{"error": "404 Project Not Found"}`, "404 Project Not Found"},
		"in plain text":            {500, "it broke\nbadly", "it broke badly"},
		"with nothing":             {403, "", "no reason was given"},
		"by leading elsewhere":     {302, "", "302"},
		"by a page that it is not": {201, `{"id": 3}`, "names no page"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.URL.Path == "/elsewhere" {
					t.Error("the token went elsewhere")
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.answer))
			}))
			defer server.Close()
			f, err := forge.Find("h", "o/n", forge.Options{Kind: forge.Gitea, API: server.URL, Getenv: env("GITEA_TOKEN", "t"), Look: none})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Open(t.Context(), forge.Request{Head: "b"}); !errors.Is(err, forge.ErrRefused) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTheForgeIsKnownByItsHost(t *testing.T) {
	token := env("GH_TOKEN", "a", "GITLAB_TOKEN", "b", "GITEA_TOKEN", "c")
	for host, want := range map[string]string{
		"github.com": "https://api.github.com", "github.example.org": "https://github.example.org/api/v3",
		"gitlab.com": "https://gitlab.com/api/v4", "codeberg.org": "https://codeberg.org/api/v1",
	} {
		if f, err := forge.Find(host, "o/n", forge.Options{Getenv: token, Look: none}); err != nil || f.API != want {
			t.Errorf("%s: %+v, %v", host, f, err)
		}
	}
	for name, c := range map[string]struct {
		host, project string
		o             forge.Options
		want          error
	}{
		"a host that says nothing":         {"git.example.org", "o/n", forge.Options{Getenv: token}, forge.ErrUnknown},
		"a folder":                         {"", "", forge.Options{Kind: forge.GitHub, Getenv: token}, forge.ErrPlace},
		"a kind that there is not":         {"h", "o/n", forge.Options{Kind: "svn", Getenv: token}, forge.ErrUnknown},
		"a path that is no project":        {"github.com", "n", forge.Options{Getenv: token}, forge.ErrPlace},
		"an address that is none":          {"h", "o/n", forge.Options{Kind: forge.Gitea, API: "h/api", Getenv: token}, forge.ErrPlace},
		"a token over the network, plain":  {"h", "o/n", forge.Options{Kind: forge.Gitea, API: "http://h/api", Getenv: token}, forge.ErrPlain},
		"such an address without a token":  {"h", "o/n", forge.Options{Kind: forge.Gitea, API: "http://h/api", Getenv: env()}, forge.ErrPlain},
		"neither a token nor a program":    {"github.com", "o/n", forge.Options{Getenv: env()}, forge.ErrNobody},
		"no token where there is no other": {"codeberg.org", "o/n", forge.Options{Getenv: env()}, forge.ErrNobody},
	} {
		c.o.Look = none
		_, err := forge.Find(c.host, c.project, c.o)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if c.want == forge.ErrPlain && (strings.Contains(err.Error(), "not known") || !strings.Contains(err.Error(), "https address")) {
			t.Errorf("%s: it says %v", name, err)
		}
	}
}

func TestAProgramAsksWhereThereIsNoToken(t *testing.T) {
	dir := t.TempDir()
	program := func(text string) string {
		path := filepath.Join(dir, "gh")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := program(`printf '%s\n' "$@" > ` + dir + `/args; cat > ` + dir + `/body; echo Creating; echo https://github.com/o/n/pull/7`)
	f, err := forge.Find("github.com", "o/n", forge.Options{Getenv: env(), Look: func(string) (string, error) { return path, nil }})
	if err != nil {
		t.Fatal(err)
	}
	r := forge.Request{Title: "--flag as a title", Body: "the body", Head: "b", Base: "main"}
	if page, err := f.Open(t.Context(), r); err != nil || page != "https://github.com/o/n/pull/7" {
		t.Fatalf("%q, %v", page, err)
	}
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	if err != nil || !strings.Contains(string(args), "pr\ncreate\n--repo\no/n\n--head\nb\n--base\nmain\n--title\n--flag as a title\n") {
		t.Errorf("%s, %v", args, err)
	}
	if body, err := os.ReadFile(filepath.Join(dir, "body")); err != nil || string(body) != r.Body {
		t.Errorf("%s, %v", body, err)
	}
	for said, want := range map[string]error{
		"exit 0": nil, "echo no oauth token >&2; exit 1": forge.ErrNobody, "echo unknown command token >&2; exit 1": nil,
	} {
		program(`test "$*" = "auth token --hostname github.com" || exit 9; ` + said)
		if err := f.Ready(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: %v", said, err)
		}
	}
	program("echo not logged in >&2; exit 4")
	if _, err := f.Open(t.Context(), r); !errors.Is(err, forge.ErrRefused) || !strings.Contains(err.Error(), "not logged in") {
		t.Errorf("%v", err)
	}
}
