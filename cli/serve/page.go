package serve

import (
	"embed"
	"html/template"
	"io/fs"
	"net/http"

	"atoll/cli/door"
	"atoll/engine/view"
	"atoll/store/record"
)

//go:embed assets
var assets embed.FS

// page is the experiment for browsers: one document whose parts ask the interface
// for programs, and a way to give a token.
type page struct {
	opt   *Options
	guard *guard
	text  *template.Template
}

func newPage(o *Options, g *guard) *page {
	return &page{o, g, template.Must(template.ParseFS(assets, "assets/page.html"))}
}

func (p *page) register(mux *routes) {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	mux.Handle("GET /assets/{file}", http.StripPrefix("/assets/", http.FileServerFS(files)))
	mux.HandleFunc("GET /{$}", p.show)
	mux.HandleFunc("POST /signin", p.signIn)
	mux.HandleFunc("POST /signout", p.signOut)
}

// first is what the document shows before any script ran.
type first struct {
	Caller  door.Caller
	May     bool // decide
	Admin   bool
	Look    bool
	Name    string
	State   string
	Best    string
	Gain    string
	Root    string
	Filled  int
	Total   int
	Ended   int
	Tokens  bool // one can sign in
	Wrong   string
	Version string
}

func (p *page) show(w http.ResponseWriter, r *http.Request) { p.render(w, r, http.StatusOK, "") }

func (p *page) render(w http.ResponseWriter, r *http.Request, code int, wrong string) {
	c := callerOf(r.Context())
	f := first{Caller: c, Look: c.Role >= door.Look, May: c.Role >= door.Decide, Admin: c.Role >= door.Admin, Tokens: p.opt.Tokens != nil, Wrong: wrong, Version: p.opt.Version, Name: "atoll"}
	if s := p.opt.Door.Snapshot(); f.Look && !s.Loading {
		f.Name, f.State, f.Filled, f.Total, f.Ended = view.CleanLine(s.Experiment.Name), string(s.State), s.Grid.Filled, s.Grid.Total, s.Jobs.Ended()
		if s.Root.ID != record.NoCandidate {
			f.Root = view.FormatValue(s.Root.Objective)
		}
		if s.Best.ID > record.Root {
			f.Best, f.Gain = s.Best.ID.String()+" "+view.ClaimValue(s.Best.Claim), view.ClaimGain(s.Best.Claim)
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	if err := p.text.ExecuteTemplate(w, "page.html", f); err != nil {
		p.opt.Logger.Debug("the page: " + err.Error()) // the reader has gone
	}
}

// signIn takes a token from the form and gives the browser a cookie.
func (p *page) signIn(w http.ResponseWriter, r *http.Request) {
	token := r.PostFormValue("token")
	_, code, why := p.guard.holder(address(r), token)
	if code != 0 {
		p.render(w, r, code, why)
		return
	}
	id, ok := p.guard.sessions.begin(door.MarkOf(token))
	if !ok {
		p.render(w, r, http.StatusServiceUnavailable, "too many browsers are signed in")
		return
	}
	http.SetCookie(w, p.cookie(id, int(sessionTime.Seconds())))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (p *page) signOut(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(cookieName); err == nil {
		p.guard.sessions.end(cookie.Value)
	}
	http.SetCookie(w, p.cookie("", -1))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (p *page) cookie(value string, age int) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: p.opt.Cert != "", SameSite: http.SameSiteStrictMode}
}
