package clitest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"atoll/store/record"
)

// Step is what the model does in one turn. The first field that is set counts.
type Step struct {
	Shell  string // calls the shell tool that the client offers
	Read   string // calls Read, where it is offered (claude)
	Edit   *Edit  // calls Edit, where it is offered (claude), else the shell
	Call   *Call  // calls a tool of an MCP server
	Text   string // the last words
	Status int    // an HTTP error, for ever
	Body   string // of the error; or with Status 200 a body that is no answer
	Stall  bool   // headers, and then nothing until the client goes
}

// Edit replaces text in one file.
type Edit struct{ Path, Old, New string }

// Call calls a tool of an MCP server. Clients offer it under the server's name
// and its own, each joined in another way.
type Call struct {
	Server, Tool string
	Args         map[string]any
}

// What every answer costs.
const (
	InputTokens  = 120
	OutputTokens = 7
)

// Server is a scripted model service. It chooses the step by the number of tool
// results in the request, so that a repeated request gets the same answer.
type Server struct {
	Socket string
	Token  string

	step func(results []string) Step
	http *http.Server
	done chan struct{}

	mu      sync.Mutex
	usage   record.Usage
	paths   []string
	refused int
	stalled chan struct{}
	once    sync.Once
}

// Start serves steps on a unix socket in dir, the last one for ever. Close ends
// it.
func Start(dir, token string, steps ...Step) (*Server, error) {
	return Think(dir, token, func(results []string) Step { return steps[min(len(results), len(steps)-1)] })
}

// Think is Start for a model that reads: step is given the texts of all tool
// results so far and must answer the same for the same. It is called from the
// requests' goroutines.
func Think(dir, token string, step func(results []string) Step) (*Server, error) {
	s := &Server{Socket: filepath.Join(dir, "model.sock"), Token: token, step: step, done: make(chan struct{}), stalled: make(chan struct{})}
	_ = os.Remove(s.Socket)
	l, err := net.Listen("unix", s.Socket)
	if err != nil {
		return nil, fmt.Errorf("listen for the fake model service: %w", err)
	}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve)}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// Close ends all connections.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// Usage is what the answers cost so far.
func (s *Server) Usage() record.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

// Paths are the requests so far, as "METHOD path".
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.paths...)
}

// Refused is how many requests came without the token.
func (s *Server) Refused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Stalled is closed when a client waits for an answer that does not come.
func (s *Server) Stalled() <-chan struct{} { return s.stalled }

// request is what the four protocols have in common.
type request struct {
	model   string
	stream  bool
	tools   map[string]bool
	results []string // what the tools answered, in order
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	s.mu.Lock()
	s.paths = append(s.paths, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	if !s.allowed(r) {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		fail(w, 401, "Incorrect API key provided.")
		return
	}
	speak := protocolOf(r.URL.Path)
	if speak == nil || r.Method != http.MethodPost {
		fail(w, 404, "no such path")
		return
	}
	var doc map[string]any
	if err := json.Unmarshal(body, &doc); err != nil {
		fail(w, 400, "not JSON")
		return
	}
	req := speak.read(doc, r.URL.Path)
	step := s.step(req.results)
	if step.Status != 0 {
		if step.Status == 200 {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, step.Body)
			return
		}
		fail(w, step.Status, step.Body)
		return
	}
	if step.Stall {
		s.stall(r.Context(), w)
		return
	}
	s.count()
	speak.write(w, req, act(step, req))
}

func (s *Server) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage.Requests++
	s.usage.InputTokens += InputTokens
	s.usage.OutputTokens += OutputTokens
}

// stall sends the headers and waits until the client has gone.
func (s *Server) stall(ctx context.Context, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(200)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	s.once.Do(func() { close(s.stalled) })
	<-ctx.Done()
}

func (s *Server) allowed(r *http.Request) bool {
	for _, v := range []string{
		strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r.Header.Get("X-Api-Key"),
		r.Header.Get("X-Goog-Api-Key"), r.URL.Query().Get("key"),
	} {
		if v == s.Token {
			return true
		}
	}
	return false
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{
		"message": message, "code": status, "type": http.StatusText(status), "status": http.StatusText(status),
	}})
}

// action is a step in the tools that the client offers.
type action struct {
	tool string
	args map[string]any
	text string
}

// act turns a step into a call of an offered tool; without one it is words.
func act(step Step, req request) action {
	if e := step.Edit; e != nil {
		if req.tools["Edit"] {
			return action{tool: "Edit", args: map[string]any{"file_path": e.Path, "old_string": e.Old, "new_string": e.New}}
		}
		step.Shell = fmt.Sprintf("sed -i 's/%s/%s/' %s", e.Old, e.New, e.Path)
	}
	if step.Read != "" {
		if req.tools["Read"] {
			return action{tool: "Read", args: map[string]any{"file_path": step.Read}}
		}
		step.Shell = "cat " + step.Read
	}
	if c := step.Call; c != nil {
		server := strings.ReplaceAll(c.Server, "-", "_")
		for name := range req.tools {
			if slices.ContainsFunc([]string{"_", "__", "/"}, func(join string) bool {
				return strings.HasSuffix(strings.ReplaceAll(name, "-", "_"), server+join+c.Tool)
			}) {
				return action{tool: name, args: c.Args}
			}
		}
		return action{text: fmt.Sprintf("no tool %s of %s is offered, but %v", c.Tool, c.Server, slices.Sorted(maps.Keys(req.tools)))}
	}
	if step.Shell == "" {
		return action{text: step.Text}
	}
	switch {
	case req.tools["exec_command"]:
		return action{tool: "exec_command", args: map[string]any{"cmd": step.Shell}}
	case req.tools["shell_command"]:
		return action{tool: "shell_command", args: map[string]any{"command": step.Shell}}
	case req.tools["shell"]:
		return action{tool: "shell", args: map[string]any{"command": []string{"sh", "-c", step.Shell}}}
	case req.tools["run_shell_command"]:
		return action{tool: "run_shell_command", args: map[string]any{"command": step.Shell}}
	case req.tools["Bash"]:
		return action{tool: "Bash", args: map[string]any{"command": step.Shell, "description": "edit"}}
	case req.tools["bash"]:
		return action{tool: "bash", args: map[string]any{"command": step.Shell, "description": "edit"}}
	}
	return action{text: "no shell is offered"}
}
