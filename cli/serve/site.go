package serve

import (
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// site is everything that a server answers.
type site struct {
	opt     *Options
	guard   *guard
	figures *figures
	page    *page
}

func newSite(o Options) *site {
	s := &site{opt: &o, guard: newGuard(&o), figures: newFigures(o.Door)}
	s.page = newPage(&o, s.guard)
	return s
}

// routes is a mux that knows its patterns, so that they can be compared with what
// the document describes.
type routes struct {
	http.ServeMux
	patterns []string
}

// Handle is that of [http.ServeMux].
func (m *routes) Handle(pattern string, h http.Handler) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.Handle(pattern, h)
}

// HandleFunc is that of [http.ServeMux].
func (m *routes) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, http.HandlerFunc(h))
}

func (s *site) handler() http.Handler {
	mux, _ := s.routes()
	return s.figures.count(s.guard.wrap(plainly(gather(asProblems(&mux.ServeMux)))))
}

// routes are all that the site answers, and the document of what is for programs.
func (s *site) routes() (*routes, *huma.OpenAPI) {
	mux := &routes{}
	api := newAPI(mux, s.opt.Version)
	look(api, s.opt.Door)
	steer(api, s.opt.Door)
	tasks(api, s.opt.Door)
	(&stream{door: s.opt.Door, now: s.opt.Now}).register(api)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", s.figures.handler())
	s.page.register(mux)
	if s.opt.Agents != nil {
		mux.Handle("/mcp", patient(s.opt.Agents(callerOf)))
	}
	oneCodeDescribed(api.OpenAPI())
	mayBeNull(api.OpenAPI())
	return mux, api.OpenAPI()
}

// readyTime is how long a question for readiness waits.
const readyTime = 50 * time.Millisecond

// ready answers whether questions can be answered.
func (s *site) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.opt.Door.Ready(r.Context(), readyTime); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// agentTime is how long an answer to a coding agent may take: it may wait for jobs.
const agentTime = 2 * time.Minute

// patient gives answers more time than others have.
func patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(agentTime)) // else the usual time
		next.ServeHTTP(w, r)
	})
}
