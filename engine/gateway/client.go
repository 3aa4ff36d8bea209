package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"atoll/store/record"
)

// Message is one turn of a conversation. Role is user or assistant.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request asks a model for a text.
type Request struct {
	Provider    string
	Model       string
	System      string
	Messages    []Message
	MaxTokens   int64    // of the answer, reasoning included; 0 = the gateway's default
	Temperature *float64 // nil = the provider's own
	Effort      string   // of reasoning (minimal, low, medium, high); "" = the provider's own. [Anthropic] has no such field
	// Extra are further fields of the request as the provider names them, each a
	// JSON value; see [CheckExtra].
	Extra map[string]json.RawMessage
	// Cache marks the prompt for the provider's cache: Anthropic and models behind
	// OpenRouter want it marked, OpenAI caches in any case.
	Cache   bool
	Account *Account          // who pays; required
	OnText  func(text string) // pieces of the answer as they come, from the calling goroutine; may be nil
	OnThink func(text string) // pieces of reasoning; may be nil
}

// Response is what a model said. Usage counts all requests of the call, those
// of failed tries included.
type Response struct {
	Text    string
	Finish  string // why it ended, in the provider's word
	Tokens  Tokens // of the last request
	Usage   record.Usage
	Elapsed time.Duration
}

// Client calls models from this process. It is safe for concurrent use.
type Client struct{ g *Gateway }

// Client returns the face for calls from this process.
func (g *Gateway) Client() *Client { return &Client{g: g} }

// Redact is [Gateway.Redact].
func (c *Client) Redact(s string) string { return c.g.Redact(s) }

// Complete asks a model, streaming, until the answer is whole. The response
// holds usage, and the text as far as it came, also beside an error; without a
// refusal, cut or failure the error is nil. Errors: [ErrBudget],
// [ErrUnknownPrice], [ErrProvider] ([ProviderError]), [ErrCircuit],
// [ErrRefused], [ErrEmpty], [ErrCut], [ErrNoKey], [ErrNoProvider],
// [ErrNoRecording], the context's, and that with which the account was stopped.
func (c *Client) Complete(ctx context.Context, r Request) (Response, error) {
	p, err := c.g.provider(r.Provider)
	if err != nil {
		return Response{}, err
	}
	if p.API == Gemini {
		return Response{}, fmt.Errorf("provider %s: the gemini protocol is only passed through: use its OpenAI-compatible address with the chat protocol", p.Name)
	}
	if r.Account == nil {
		return Response{}, errors.New("complete: the request names no account")
	}
	began := c.g.opt.Now()
	var total record.Usage
	for adapted := 0; ; adapted++ {
		res, err := c.ask(ctx, p, r)
		total = total.Add(res.Usage)
		res.Usage, res.Elapsed = total, c.g.opt.Now().Sub(began)
		if err == nil || adapted == 4 || !p.adapt(r.Model, err) {
			return res, err
		}
	}
}

func (c *Client) ask(ctx context.Context, p *upstream, r Request) (Response, error) {
	b := p.compose(r)
	if r.Account.strict {
		var tier string
		if b.read("service_tier", &tier) && tier == "priority" {
			return Response{}, fmt.Errorf("%w: it uses service_tier priority, and money is limited", ErrUnbounded)
		}
	}
	b.askUsage()
	q := p.quirk(r.Model)
	if q.noStreamOptions {
		delete(b.fields, "stream_options")
	}
	limit := r.MaxTokens
	if p.MaxTokens > 0 {
		limit = p.MaxTokens
	}
	out := b.limitOutput(p.MaxTokens, max(limit, c.g.opt.DefaultTokens), "")
	data, err := b.bytes()
	if err != nil {
		return Response{}, err
	}
	o := &outgoing{
		to: p, account: r.Account, method: http.MethodPost, rest: p.API.operation(), header: clientHeaders(nil, p.API), model: r.Model,
		body: data, bound: bound{input: inputBound(data), output: out, factor: writeRate(p.API, data)},
		attempts: c.g.opt.Attempts, say: r.OnText, think: r.OnThink,
	}
	ans, used, err := c.g.call(ctx, o)
	res := Response{Usage: used}
	if ans == nil || ans.meter == nil {
		return res, err
	}
	m := ans.meter
	res.Text, res.Finish, res.Tokens = c.g.Redact(m.text.String()), m.finish, m.tokens
	if err != nil {
		return res, err
	}
	return res, c.judge(p, m, res.Text)
}

// judge says what is wrong with an answer that came whole.
func (c *Client) judge(p *upstream, m *meter, text string) error {
	switch {
	case m.refuse != "" || refusal(m.finish):
		why := m.refuse
		if why == "" {
			why = m.finish
		}
		return fmt.Errorf("%w: %s", ErrRefused, c.g.excerpt(why))
	case cutShort(m.finish):
		return &cutError{why: "it reached the limit of tokens of an answer (" + m.finish + "): raise max_tokens, or ask for less"}
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("%w: %s ended it with %q", ErrEmpty, p.Name, m.finish)
	}
	return nil
}

// overhead is added to the bytes of a request for what a provider wraps it in.
const overhead = 256

// pictureTokens is more than a picture counts for anywhere, however few bytes it has: OpenAI
// counts 48,169 for a large one with some models.
const pictureTokens = 50_000

// inputBound is the most tokens that a request can be: a token is at least a
// byte, and special tokens around messages are shorter than their JSON.
func inputBound(data []byte) int64 { return int64(len(data)) + overhead }
