package forge

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Errors of this package; test with errors.Is.
var (
	// ErrUnknown: it cannot be told what kind of forge a host is.
	ErrUnknown = errors.New("what kind of forge it is is not known")
	// ErrPlace: it cannot be told where to ask.
	ErrPlace = errors.New("where to ask for the pull request is not known")
	// ErrPlain: a token would go over the network for everybody to read.
	ErrPlain = errors.New("the token could be read on the way")
	// ErrNobody: there is neither a token nor a program that could ask.
	ErrNobody = errors.New("nobody is there to open the pull request")
	// ErrRefused: the forge said no.
	ErrRefused = errors.New("the forge refused the pull request")
)

// Kind is what software a forge runs.
type Kind string

// The kinds of forge. Forgejo is told apart from Gitea by nothing that matters here.
const (
	GitHub Kind = "github"
	GitLab Kind = "gitlab"
	Gitea  Kind = "gitea"
)

// Forge is a place that keeps a project. Make it with [Find].
type Forge struct {
	Kind    Kind
	Host    string
	Project string // owner/name
	API     string // base address of its interface, without a slash at the end
	Token   string // "": a program asks
	Program string // path of gh or glab; "": the token is used
}

// Options say what cannot be read from the address of a repository.
type Options struct {
	Kind   Kind                              // "": by the name of the host
	API    string                            // base address; "": as is usual for the kind
	Getenv func(string) string               // where tokens are
	Look   func(name string) (string, error) // finds programs, as exec.LookPath does
}

// tokens are the variables that hold one, first choice first: those that gh, glab and
// tea read.
var tokens = map[Kind][]string{
	GitHub: {"GH_TOKEN", "GITHUB_TOKEN"},
	GitLab: {"GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"},
	Gitea:  {"GITEA_TOKEN", "FORGEJO_TOKEN"},
}

// Find tells which forge a repository is on, by the host and the path of its remote,
// and who asks there. It speaks to nobody. Errors: [ErrUnknown], [ErrPlace], [ErrPlain],
// [ErrNobody].
func Find(host, project string, o Options) (*Forge, error) {
	f := &Forge{Kind: cmp.Or(o.Kind, kindOf(host)), Host: host, Project: project, API: strings.TrimRight(o.API, "/")}
	names, known := tokens[f.Kind]
	switch {
	case f.Kind == "":
		return nil, fmt.Errorf("%w: %s; say --forge github, gitlab or gitea", ErrUnknown, cmp.Or(host, "the remote is a folder of this machine"))
	case !known:
		return nil, fmt.Errorf("%w: %q is none of github, gitlab and gitea", ErrUnknown, f.Kind)
	case host == "" && f.API == "":
		return nil, fmt.Errorf("%w: the remote is a folder of this machine; say --api with the address of the forge's interface", ErrPlace)
	case strings.Count(project, "/") < 1:
		return nil, fmt.Errorf("%w: %q is not the path of a project, which is owner/name; look at `git remote -v`", ErrPlace, project)
	}
	f.API = cmp.Or(f.API, f.usualAPI())
	if err := f.safe(); err != nil {
		return nil, err
	}
	for _, name := range names {
		if f.Token = o.Getenv(name); f.Token != "" {
			return f, nil
		}
	}
	if program := map[Kind]string{GitHub: "gh", GitLab: "glab"}[f.Kind]; program != "" && o.API == "" {
		if path, err := o.Look(program); err == nil {
			f.Program = path
			return f, nil
		}
		return nil, fmt.Errorf("%w: put a token into %s, or install %s", ErrNobody, names[0], program)
	}
	return nil, fmt.Errorf("%w: put a token into %s", ErrNobody, names[0])
}

// kindOf guesses by the name of a host, "" where it says nothing.
func kindOf(host string) Kind {
	for _, known := range []struct {
		part string
		kind Kind
	}{{"github", GitHub}, {"gitlab", GitLab}, {"gitea", Gitea}, {"forgejo", Gitea}, {"codeberg", Gitea}} {
		if strings.Contains(host, known.part) {
			return known.kind
		}
	}
	return ""
}

func (f *Forge) usualAPI() string {
	switch {
	case f.Kind == GitHub && f.Host == "github.com":
		return "https://api.github.com"
	case f.Kind == GitHub:
		return "https://" + f.Host + "/api/v3"
	case f.Kind == GitLab:
		return "https://" + f.Host + "/api/v4"
	}
	return "https://" + f.Host + "/api/v1"
}

// safe refuses to send a token over the network in clear.
func (f *Forge) safe() error {
	u, err := url.Parse(f.API)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%w: %q is no address; say --api https://HOST/PATH", ErrPlace, f.API)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme != "https" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%w: %s is not https; say --api with an https address, or with one of this machine", ErrPlain, f.API)
	}
	return nil
}

// String names the forge and who asks: "github.com (by gh)".
func (f *Forge) String() string {
	by := "with a token"
	if f.Program != "" {
		by = "by " + map[Kind]string{GitHub: "gh", GitLab: "glab"}[f.Kind]
	}
	return fmt.Sprintf("%s at %s (%s)", f.Project, cmp.Or(f.Host, f.API), by)
}
