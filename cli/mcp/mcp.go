// Package mcp lets coding agents look at an experiment and steer it, over the
// Model Context Protocol (https://modelcontextprotocol.io).
//
// Its three nouns are the server, made by [NewServer] for one caller, its tools,
// and its resources. A caller sees only the tools that their role has.
//
// Caveats: an agent decides in the name of a person and reads texts that other
// agents wrote, so that looking is all it can do unless somebody allows more.
// Agents report no values here: the engine measures.
package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atoll/cli/door"
)

// answerTime bounds a tool that does not wait on purpose.
const answerTime = 15 * time.Second

// NewServer returns a server on an experiment for one caller.
func NewServer(d *door.Door, who door.Caller, version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "atoll", Title: "atoll", Version: version}, &mcp.ServerOptions{
		Instructions: "One experiment of atoll: a search that evolves a git repository and measures every candidate itself. " +
			"Begin with status. Candidates are named c12, niches 9,4, jobs #341. Values marked unconfirmed or within noise are no gains.",
	})
	s.AddReceivingMiddleware(briefly)
	t := tools{server: s, door: d, who: who, version: version}
	t.look()
	if who.Role >= door.Decide {
		t.decide()
	}
	t.resources()
	return s
}

// mostRefusal is how long the words of a refusal are, in bytes: they may name what was
// said, and that may be long.
const mostRefusal = 2000

// briefly cuts what refusals say.
func briefly(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if called, ok := res.(*mcp.CallToolResult); ok && called != nil && called.IsError {
			for i, c := range called.Content {
				if text, ok := c.(*mcp.TextContent); ok && len(text.Text) > mostRefusal {
					called.Content[i] = &mcp.TextContent{Text: strings.ToValidUTF8(text.Text[:mostRefusal], "") + " ..."}
				}
			}
		}
		return res, err
	}
}

// Handler speaks over HTTP: every request has the role of its own caller.
func Handler(d *door.Door, who func(context.Context) door.Caller, version string) http.Handler {
	return sane(mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return NewServer(d, who(r.Context()), version)
	}, &mcp.StreamableHTTPOptions{Stateless: true}))
}

// tools are added to one server.
type tools struct {
	server  *mcp.Server
	door    *door.Door
	who     door.Caller
	version string
}

// add registers a tool whose answer is an object.
func add[In any](t tools, tool mcp.Tool, fn func(ctx context.Context, in In) (any, error)) {
	tool.InputSchema = schemaOf[In]()
	mcp.AddTool(t.server, &tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		if err := t.door.Ready(ctx, answerTime); err != nil {
			return nil, nil, err
		}
		out, err := fn(ctx, in)
		return nil, out, err
	})
}

// look describes a tool that only reads.
func look(name, title, text string) mcp.Tool {
	closed := false
	return mcp.Tool{Name: name, Title: title, Description: text, Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
}

// act describes a tool that decides; what can be undone destroys nothing.
func act(name, title, text string, undone bool) mcp.Tool {
	closed, destroys := false, !undone
	return mcp.Tool{Name: name, Title: title, Description: text, Annotations: &mcp.ToolAnnotations{Title: title, DestructiveHint: &destroys, OpenWorldHint: &closed}}
}

// asText is a value as the text of a resource.
func asText(uri string, v any) (*mcp.ReadResourceResult, error) {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(text)}}}, nil
}
