package serve

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"atoll/cli/door"
)

func TestTheDocumentDescribesEveryRouteForProgramsAndNoOther(t *testing.T) {
	s := newSite(Options{Now: time.Now, Agents: func(func(context.Context) door.Caller) http.Handler { return http.NotFoundHandler() }})
	mux, doc := s.routes()
	want := []string{ // for people, for machines that watch, for coding agents, and the document itself
		"/mcp", "GET /healthz", "GET /readyz", "GET /metrics", "GET /{$}", "GET /assets/{file}", "POST /signin", "POST /signout",
		"GET /api/v1/openapi.json", "GET /api/v1/openapi.yaml", "GET /api/v1/openapi-3.0.json", "GET /api/v1/openapi-3.0.yaml",
	}
	for path, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{
			"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete, "HEAD": item.Head, "OPTIONS": item.Options, "TRACE": item.Trace,
		} {
			if op != nil {
				want = append(want, method+" "+path)
			}
		}
	}
	slices.Sort(want)
	got := slices.Sorted(slices.Values(mux.patterns))
	if !slices.Equal(got, want) {
		t.Errorf("the server has\n%q\nthe document\n%q", got, want)
	}
}
