package serve

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"atoll/cli/door"
)

// problem is an error with its code.
func problem(err error) error {
	var coded huma.StatusError
	if errors.As(err, &coded) {
		return err
	}
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

// forPrograms reports whether a request is one of the interface that the document
// describes.
func forPrograms(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, prefix+"/") }

// refuse says why a request is not answered: to programs as a problem (RFC 9457), to
// others in words.
func refuse(w http.ResponseWriter, r *http.Request, code int, text string) {
	if code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	if code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="atoll"`)
	}
	if !forPrograms(r) {
		http.Error(w, text, code)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(huma.NewError(code, text)) // the reader has gone
}

// plainly lets requests through that ask for what they want in so many words: a path
// that means another one is not sent there, and a type is read as RFC 9110 has it,
// whatever its case.
func plainly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if clean := path.Clean(r.URL.Path); clean != r.URL.Path && (clean == "/" || clean+"/" != r.URL.Path) {
			refuse(w, r, http.StatusNotFound, "there is nothing at "+r.URL.Path)
			return
		}
		kind, words, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if charset := words["charset"]; err == nil && kind == "application/json" {
			if charset != "" && !strings.EqualFold(charset, "utf-8") {
				refuse(w, r, http.StatusUnsupportedMediaType, "JSON is read as UTF-8, not as "+charset)
				return
			}
			r.Header.Set("Content-Type", kind)
		}
		next.ServeHTTP(w, r)
	})
}

// asProblems lets a mux say to programs as a problem what it has no handler for.
func asProblems(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own, pattern := mux.Handler(r)
		if pattern != "" || !forPrograms(r) {
			mux.ServeHTTP(w, r)
			return
		}
		said := unwritten{ResponseWriter: w}
		own.ServeHTTP(&said, r)
		text := "there is nothing at " + r.URL.Path + ": " + prefix + "/openapi.json describes what is"
		if said.code == http.StatusMethodNotAllowed {
			text = r.URL.Path + " is not for " + r.Method + ", but for " + w.Header().Get("Allow")
		}
		refuse(w, r, said.code, text)
	})
}

// unwritten keeps the code and the headers of an answer, and drops the rest.
type unwritten struct {
	http.ResponseWriter
	code int
}

func (u *unwritten) WriteHeader(code int) { u.code = code }

func (u *unwritten) Write(text []byte) (int, error) { return len(text), nil }

// formless tells a request whose form is not the document's as any other that makes
// no sense: 400, and not 422.
type formless struct{ request }

// request is what huma knows of one. It has a method of the name that an embedded
// huma.Context would have.
type request huma.Context

// SetStatus implements [huma.Context].
func (f formless) SetStatus(code int) {
	if code == http.StatusUnprocessableEntity {
		code = http.StatusBadRequest
	}
	f.request.SetStatus(code)
}

// Unwrap gives those who look for it what is below.
func (f formless) Unwrap() huma.Context { return f.request }

func oneCode(ctx huma.Context, next func(huma.Context)) { next(formless{ctx}) }

// oneCodeWritten is oneCode in what is written.
func oneCodeWritten(_ huma.Context, _ string, v any) (any, error) {
	if m, ok := v.(*huma.ErrorModel); ok && m.Status == http.StatusUnprocessableEntity {
		m.Status, m.Title = http.StatusBadRequest, http.StatusText(http.StatusBadRequest)
	}
	return v, nil
}

// oneCodeDescribed is oneCode in the document.
func oneCodeDescribed(doc *huma.OpenAPI) {
	for _, path := range doc.Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post} {
			if op != nil {
				delete(op.Responses, "422")
			}
		}
	}
}
