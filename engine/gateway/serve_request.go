package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// route splits the path of a client's request into protocol and operation, and
// keeps what of its query a provider may see.
func route(r *http.Request) (API, string, url.Values) {
	query := url.Values{}
	for _, name := range []string{"beta", "alt"} {
		if v := r.URL.Query().Get(name); v != "" {
			query.Set(name, v)
		}
	}
	clean := path.Clean("/" + r.URL.Path)
	if rest, ok := strings.CutPrefix(clean, "/anthropic/"); ok {
		if !strings.HasPrefix(rest, "v1/") {
			rest = "v1/" + rest
		}
		return Anthropic, rest, query
	}
	if rest, ok := strings.CutPrefix(clean, "/gemini/"); ok {
		return Gemini, rest, query
	}
	rest, ok := strings.CutPrefix(clean, "/openai/v1/")
	if !ok {
		return Chat, "", query
	}
	return Chat, rest, query
}

// errRequest is a request that cannot be sent on.
type errRequest struct {
	status int
	text   string
}

func (e *errRequest) Error() string { return e.text }

// prepare checks a client's request and sets the limits in it.
func (e *Endpoint) prepare(p *upstream, rest string, r *http.Request, data []byte) (*outgoing, error) {
	model, stream, free, err := operation(p.API, rest)
	if err != nil {
		return nil, err
	}
	b, err := parseBody(p.API, model, data)
	if err != nil {
		return nil, &errRequest{http.StatusBadRequest, err.Error()}
	}
	b.stream = b.stream || stream
	if b.model == "" {
		return nil, &errRequest{http.StatusBadRequest, "the request names no model"}
	}
	if !e.serves(b.model) {
		return nil, &errRequest{http.StatusForbidden, fmt.Sprintf("this job may not use the model %q; it may use %s", b.model, strings.Join(e.job.Models, ", "))}
	}
	o := &outgoing{
		to: p, account: e.job.Account, method: http.MethodPost, rest: rest, header: clientHeaders(r.Header, p.API), model: b.model, free: free,
		attempts: e.g.opt.ServeAttempts,
	}
	b.notes = append(b.notes, keepBetas(o.header, e.job.Account.strict)...)
	if err := b.allow(p.forms, e.job.Account.strict); err != nil {
		e.job.Account.note("refused: " + err.Error())
		return nil, &errRequest{http.StatusBadRequest, err.Error()}
	}
	out := int64(0)
	if !free {
		out = e.bind(p, b)
	}
	if o.body, err = b.bytes(); err != nil {
		return nil, &errRequest{http.StatusBadRequest, err.Error()}
	}
	o.bound = bound{input: inputBound(o.body) + b.pictures*pictureTokens, output: out, factor: writeRate(p.API, o.body)}
	for _, n := range b.notes {
		e.job.Account.note(n)
	}
	return o, nil
}

// bind sets the limits of a request that costs, and returns the most tokens
// that its answer may have.
func (e *Endpoint) bind(p *upstream, b *body) int64 {
	if b.api == Responses && e.job.Account.strict {
		b.set("store", false)
	}
	b.askUsage()
	field := "max_tokens"
	if p.sendsCompletionTokens(p.quirk(b.model)) {
		field = "max_completion_tokens"
	}
	if !e.job.Account.strict && p.MaxTokens == 0 {
		return e.g.opt.DefaultTokens // only a reservation hangs on it
	}
	return b.limitOutput(p.MaxTokens, e.g.opt.DefaultTokens, field)
}

// admit counts a request that costs, and refuses one more than the job may make.
func (e *Endpoint) admit(o *outgoing) error {
	if o.free {
		return nil
	}
	return e.job.Account.admit(e.job.Requests)
}

func (e *Endpoint) serves(model string) bool {
	for _, glob := range e.job.Models {
		if glob == model || match(glob, model) {
			return true
		}
	}
	return len(e.job.Models) == 0
}

// operation reads what a path asks for. The paths that are not listed are not
// served: what they cost is not known.
func operation(a API, rest string) (model string, stream, free bool, err error) {
	switch a {
	case Chat:
		if rest == "chat/completions" {
			return "", false, false, nil
		}
	case Responses:
		if rest == "responses" {
			return "", false, false, nil
		}
	case Anthropic:
		switch rest {
		case "v1/messages":
			return "", false, false, nil
		case "v1/messages/count_tokens":
			return "", false, true, nil
		}
	case Gemini:
		name, verb, ok := strings.Cut(path.Base(rest), ":")
		if dir := path.Dir(rest); ok && (dir == "v1beta/models" || dir == "v1/models") && name != "" {
			switch verb {
			case "generateContent":
				return name, false, false, nil
			case "streamGenerateContent":
				return name, true, false, nil
			case "countTokens":
				return name, false, true, nil
			}
		}
	}
	return "", false, false, &errRequest{http.StatusNotFound, fmt.Sprintf("the gateway does not serve %q", rest)}
}

// models lists the models of the job without asking the provider.
func (e *Endpoint) models(w http.ResponseWriter, a API, rest string) {
	if !strings.HasSuffix(rest, "models") {
		deny(w, a, http.StatusNotFound, "not_found_error", fmt.Sprintf("the gateway does not serve %q", rest))
		return
	}
	list := []any{}
	for _, m := range e.job.Models {
		if a == Gemini {
			list = append(list, map[string]any{"name": "models/" + m})
			continue
		}
		list = append(list, map[string]any{"id": m, "object": "model", "type": "model", "owned_by": "atoll"})
	}
	name := "data"
	if a == Gemini {
		name = "models"
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", name: list})
}

// explain answers a client with an error of the gateway's own.
func (e *Endpoint) explain(w http.ResponseWriter, a API, err error) {
	text := e.g.Redact(err.Error())
	var bad *errRequest
	var p *ProviderError
	switch {
	case errors.As(err, &bad):
		deny(w, a, bad.status, "invalid_request_error", text)
	case errors.Is(err, ErrBudget), errors.Is(err, ErrUnknownPrice), errors.Is(err, ErrClosed), errors.Is(err, ErrRequests):
		// OpenAI's clients give up at once on this one kind of 429.
		if a == Chat || a == Responses {
			deny(w, a, http.StatusTooManyRequests, "insufficient_quota", text)
			return
		}
		deny(w, a, http.StatusPaymentRequired, "billing_error", text)
	case errors.As(err, &p) && p.Status >= 400:
		deny(w, a, p.Status, "api_error", text)
	case errors.Is(err, ErrCircuit):
		deny(w, a, http.StatusServiceUnavailable, "overloaded_error", text)
	default:
		deny(w, a, http.StatusBadGateway, "api_error", text)
	}
}

// deny writes an error in the form of a protocol.
func deny(w http.ResponseWriter, a API, status int, kind, text string) {
	text = "atoll: " + text
	var v any
	switch a {
	case Anthropic:
		v = map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text}}
	case Gemini:
		v = map[string]any{"error": map[string]any{"code": status, "message": text, "status": strings.ToUpper(kind)}}
	default:
		v = map[string]any{"error": map[string]any{"message": text, "type": kind, "code": kind}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Should-Retry", "false")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
