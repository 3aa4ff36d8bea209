package serve

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"atoll/cli/door"
	"atoll/engine/evidence"
)

// prefix is where the interface for programs begins.
const prefix = "/api/v1"

// newAPI makes the interface for programs on a mux: its document describes the
// handlers, so that both are always the same.
func newAPI(mux *http.ServeMux, version string) huma.API {
	cfg := huma.DefaultConfig("atoll", version)
	cfg.Info.Description = "One experiment of atoll: a quality-diversity search over the commits of a git repository. Looking needs no token on the machine itself; commands need one (Authorization: Bearer TOKEN)."
	cfg.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	cfg.Servers = []*huma.Server{{URL: "/"}}
	cfg.Security = []map[string][]string{{}, {"token": {}}} // looking needs a token with --private alone
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = prefix+"/openapi", "", ""
	cfg.CreateHooks = nil
	cfg.RejectUnknownQueryParameters = true
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	cfg.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[evidence.Interval](), reflect.TypeFor[*[2]float64]())
	return humago.New(mux, cfg)
}

// answer is what huma writes as a body.
type answer[T any] struct{ Body T }

// nothing is the input of what needs none.
type nothing struct{}

// get registers a question.
func get[I, O any](api huma.API, path, name, summary string, fn func(ctx context.Context, in *I) (O, error)) {
	huma.Register(api, huma.Operation{
		Method: http.MethodGet, Path: prefix + path, OperationID: name, Summary: summary, Errors: []int{400, 401, 404, 429, 503},
	}, func(ctx context.Context, in *I) (*answer[O], error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		out, err := fn(ctx, in)
		if err != nil {
			return nil, problem(err)
		}
		return &answer[O]{out}, nil
	})
}

// problem is an error with its code.
func problem(err error) error {
	code := http.StatusInternalServerError
	switch door.KindOf(err) {
	case door.KindBad:
		code = http.StatusBadRequest
	case door.KindForbidden:
		code = http.StatusForbidden
	case door.KindMissing:
		code = http.StatusNotFound
	case door.KindConflict:
		code = http.StatusConflict
	case door.KindLater:
		code = http.StatusServiceUnavailable
	}
	return huma.NewError(code, err.Error())
}
