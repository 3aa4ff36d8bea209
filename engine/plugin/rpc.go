package plugin

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"atoll/engine/agent/clean"
)

// Methods of the protocol beside those of the kinds ([Method]).
const initialize = "initialize"

// Method returns the method that a kind of plug-in answers.
func Method(k Kind) string {
	return map[Kind]string{
		Evaluator: "evaluate", Agent: "edit", Operator: "propose", Descriptor: "describe", Embedder: "embed", Auditor: "audit", Notifier: "notify",
	}[k]
}

// Hello are the params of initialize.
type Hello struct {
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
	Kind     Kind   `json:"kind"`
}

// Welcome is the answer to initialize. What it says must be what the manifest says,
// and what it asks for no more than that.
type Welcome struct {
	Protocol     int         `json:"protocol"`
	Name         string      `json:"name"`
	Kind         Kind        `json:"kind"`
	Version      string      `json:"version,omitempty"`
	Capabilities []string    `json:"capabilities,omitempty"`
	Permissions  Permissions `json:"permissions"`
}

type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      string `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *string         `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Talk is one conversation with a plug-in: what it is asked, and what its output
// has to be. A Talk may be used for many processes, one after the other or at once.
type Talk struct {
	p      *Plugin
	method string
	ids    [2]string
}

// NewTalk prepares a conversation. The ids of its requests cannot be guessed.
func (p *Plugin) NewTalk() *Talk { return p.talk(Method(p.Kind)) }

func (p *Plugin) talk(method string) *Talk {
	return &Talk{p, method, [2]string{rand.Text(), rand.Text()}}
}

// Input is what the plug-in reads on stdin.
func (t *Talk) Input(params any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, r := range []request{
		{"2.0", t.ids[0], initialize, Hello{Protocol, t.p.Name, t.p.Kind}},
		{"2.0", t.ids[1], t.method, params},
	} {
		if err := enc.Encode(r); err != nil {
			return nil, fmt.Errorf("ask the plug-in %s: %w", t.p.Name, err)
		}
	}
	return b.Bytes(), nil
}

// Answer reads what the plug-in wrote on stdout and returns the result of the
// method. Errors are ErrProtocol, or ErrAnswer where it answered with an error.
func (t *Talk) Answer(stdout []byte) (json.RawMessage, error) {
	got, err := t.responses(stdout)
	if err != nil {
		return nil, err
	}
	hello := got[t.ids[0]]
	if hello == nil {
		return nil, fmt.Errorf("%w: it did not answer %s", ErrProtocol, initialize)
	}
	if err := t.p.welcome(hello); err != nil {
		return nil, err
	}
	r := got[t.ids[1]]
	switch {
	case r == nil:
		return nil, fmt.Errorf("%w: it did not answer %s", ErrProtocol, t.method)
	case r.Error != nil:
		return nil, fmt.Errorf("%w: it answered with the error %d: %s", ErrAnswer, r.Error.Code, clean.Clip(clean.Line(r.Error.Message), 300))
	case len(r.Result) == 0 || string(r.Result) == "null":
		return nil, fmt.Errorf("%w: the answer to %s has no result", ErrProtocol, t.method)
	}
	return r.Result, nil
}

// responses reads one response a line, each to a request that was made, once.
func (t *Talk) responses(stdout []byte) (map[string]*response, error) {
	got := map[string]*response{}
	for line := range bytes.Lines(stdout) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r response
		dec := json.NewDecoder(bytes.NewReader(line))
		if err := dec.Decode(&r); err != nil || r.JSONRPC != "2.0" || dec.Decode(new(any)) != io.EOF {
			return nil, fmt.Errorf("%w: stdout holds a line that is no answer of JSON-RPC 2.0: %s", ErrProtocol, clean.Short(string(line), 80))
		}
		switch {
		case r.ID == nil || *r.ID != t.ids[0] && *r.ID != t.ids[1]:
			return nil, fmt.Errorf("%w: it answered a request that was not made", ErrProtocol)
		case got[*r.ID] != nil:
			return nil, fmt.Errorf("%w: it answered one request twice", ErrProtocol)
		case (r.Error == nil) == (r.Result == nil):
			return nil, fmt.Errorf("%w: an answer has a result or an error, one of the two", ErrProtocol)
		}
		got[*r.ID] = &r
	}
	return got, nil
}

// welcome compares the answer to initialize with the manifest.
func (p *Plugin) welcome(r *response) error {
	if r.Error != nil {
		return fmt.Errorf("%w: it answered %s with the error %d: %s", ErrProtocol, initialize, r.Error.Code, clean.Clip(clean.Line(r.Error.Message), 300))
	}
	var w Welcome
	if err := decode(r.Result, &w); err != nil {
		return fmt.Errorf("%w: the answer to %s: %w", ErrProtocol, initialize, err)
	}
	switch {
	case w.Protocol != Protocol:
		return fmt.Errorf("%w: it speaks protocol %d, its manifest says %d", ErrProtocol, w.Protocol, Protocol)
	case w.Name != p.Name || w.Kind != p.Kind || w.Version != "" && w.Version != p.Version:
		return fmt.Errorf("%w: it calls itself %s %s %s, its manifest %s %s %s", ErrProtocol, clean.Short(w.Name, 40), clean.Short(string(w.Kind), 20), clean.Short(w.Version, 20), p.Name, p.Kind, p.Version)
	case !w.Permissions.within(p.Permissions):
		return fmt.Errorf("%w: it asks for more than its manifest says: %s", ErrProtocol, clean.Short(fmt.Sprint(w.Permissions.List()), 200))
	}
	for _, c := range w.Capabilities {
		if !slices.Contains(p.Capabilities, c) {
			return fmt.Errorf("%w: it claims the capability %s, which its manifest does not have", ErrProtocol, clean.Short(c, 40))
		}
	}
	return nil
}

// decode reads one JSON value, unknown fields refused.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}
