package serve

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"atoll/engine/evidence"
)

func init() { huma.ValidateStrictCasing = true } // a name that differs by case is another one

// prefix is where the interface for programs begins.
const prefix = "/api/v1"

// newAPI makes the interface for programs on a mux: its document describes the
// handlers, so that both are always the same.
func newAPI(mux humago.Mux, version string) huma.API {
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
	cfg.Transformers = append(cfg.Transformers, oneCodeWritten)
	api := humago.New(mux, cfg)
	api.UseMiddleware(oneCode)
	return api
}

// asks are the codes that any question can be refused with, and tells those of what
// brings a text along; huma adds 500.
var (
	asks  = []int{400, 401, 403, 404, 409, 421, 429, 503}
	tells = []int{400, 401, 403, 404, 408, 409, 413, 415, 421, 429, 503}
)

// answer is what huma writes as a body.
type answer[T any] struct{ Body T }

// nothing is the input of what needs none.
type nothing struct{}

// get registers a question.
func get[I, O any](api huma.API, path, name, summary string, fn func(ctx context.Context, in *I) (O, error)) {
	huma.Register(api, huma.Operation{
		Method: http.MethodGet, Path: prefix + path, OperationID: name, Summary: summary, Errors: asks,
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

// mayBeNull says of parts that are objects that they may be null, which a tag cannot.
func mayBeNull(doc *huma.OpenAPI) {
	for schema, names := range map[string][]string{"Status": {"root", "best"}, "NichePast": {"elite"}} {
		parts := doc.Components.Schemas.Map()[schema].Properties
		for _, name := range names {
			parts[name] = &huma.Schema{AnyOf: []*huma.Schema{parts[name], {Type: "null"}}}
		}
	}
}
