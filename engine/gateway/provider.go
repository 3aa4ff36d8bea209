package gateway

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
)

// Provider is a place that serves models.
type Provider struct {
	Name      string // how errors and requests call it
	API       API
	BaseURL   string // "https://host/v1"; for Anthropic and Gemini with or without the version
	KeyEnv    string // environment variable of the key; "" = the provider wants none
	RPM       int    // requests a minute; 0 = no limit
	TPM       int64  // tokens a minute; 0 = no limit
	Parallel  int    // requests at a time; 0 = no limit
	MaxTokens int64  // ceiling of an answer's tokens; 0 = what the request asks for
}

// checkProvider refuses a provider that could never be asked.
func checkProvider(p Provider) error {
	switch p.API {
	case Chat, Responses, Anthropic, Gemini:
	default:
		return fmt.Errorf("provider %q: %q is no protocol: use chat, responses, anthropic or gemini", p.Name, p.API)
	}
	u, err := url.Parse(p.BaseURL)
	switch {
	case err != nil:
		return fmt.Errorf("provider %q: base_url is no URL: write it as https://host/v1", p.Name)
	case (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return fmt.Errorf("provider %q: base_url %q has no host: write it as https://host/v1", p.Name, u.Redacted())
	case u.User != nil:
		return fmt.Errorf("provider %q: base_url holds a password: name the key's variable with key_env instead", p.Name)
	case strings.ContainsAny(u.RawQuery, "=") || u.Fragment != "":
		return fmt.Errorf("provider %q: base_url has a query: write it without", p.Name)
	}
	return nil
}

// upstream is a provider with what is known about it while it runs.
type upstream struct {
	Provider
	limit   *limiter
	breaker *breaker
	forms   forms // of what its clients may send

	mu     sync.Mutex
	quirks map[string]quirks // by model
}

func newUpstream(p Provider, o Options) *upstream {
	return &upstream{
		Provider: p, limit: newLimiter(p.RPM, p.TPM, p.Parallel, o.Now, o.Sleep),
		breaker: &breaker{limit: o.Failures, cool: o.Cool, now: o.Now}, quirks: map[string]quirks{}, forms: formsOf(p.API),
	}
}

// quirks are what a model's server does not understand, learnt from its
// refusals.
type quirks struct {
	completionTokens bool // wants max_completion_tokens
	plainTokens      bool // wants max_tokens
	noTemperature    bool
	noEffort         bool
	noStreamOptions  bool
	noCache          bool
}

func (u *upstream) quirk(model string) quirks {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.quirks[model]
}

// adapt learns from a refused request; true: it is worth asking again.
func (u *upstream) adapt(model string, err error) bool {
	var p *ProviderError
	if !errors.As(err, &p) || (p.Status != 400 && p.Status != 422) {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	q := u.quirks[model]
	before := q
	reason := strings.ToLower(p.Reason)
	switch {
	case u.API == Chat && strings.Contains(reason, "max_completion_tokens"):
		// One of the two names is not understood; which one was sent is known.
		if u.sendsCompletionTokens(q) {
			q.plainTokens, q.completionTokens = true, false
		} else if !q.plainTokens {
			q.completionTokens = true
		}
	case strings.Contains(reason, "reasoning_effort") || strings.Contains(reason, "reasoning.effort"):
		q.noEffort = true
	case strings.Contains(reason, "temperature"):
		q.noTemperature = true
	case strings.Contains(reason, "cache_control") || strings.Contains(reason, "prompt_cache_key"):
		q.noCache = true
	case strings.Contains(reason, "stream_options"):
		q.noStreamOptions = true
	}
	u.quirks[model] = q
	return q != before
}

func (u *upstream) sendsCompletionTokens(q quirks) bool {
	if q.plainTokens {
		return false
	}
	return q.completionTokens || strings.Contains(u.BaseURL, "//api.openai.com")
}
