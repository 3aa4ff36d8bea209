package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// whole is a whole number that comes back as it was sent.
var whole = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14})$`)

// envelope is what a message says of itself.
type envelope struct {
	ID     json.RawMessage
	Method json.RawMessage
	answer bool
}

// enveloped reads an object. Names count as they are written.
func enveloped(text []byte) (envelope, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil || m == nil {
		return envelope{}, false
	}
	_, result := m["result"]
	_, failure := m["error"]
	return envelope{ID: m["id"], Method: m["method"], answer: m["method"] == nil && (result || failure)}, true
}

// refused is why a request cannot be answered under the id that it has; nil lets it
// pass. The protocol has texts and whole numbers
// (https://modelcontextprotocol.io/specification, Requests), and a number must come
// back as it was sent.
func (e envelope) refused() error {
	switch id := string(e.ID); {
	case e.Method == nil && e.ID != nil && !e.answer:
		return errors.New("this is no message of JSON-RPC 2.0: it has an id, but neither a method nor a result nor an error")
	case e.Method == nil || e.ID == nil, whole.MatchString(id):
		return nil
	case id == "null":
		return errors.New("the id of a request is a text or a whole number, not null; a notification has none")
	case id[0] == '"':
		var text string
		if json.Unmarshal(e.ID, &text) != nil || strings.ContainsRune(text, utf8.RuneError) {
			return errors.New("the id is no text that can be sent back")
		}
		return nil
	case id[0] == '-' || id[0] >= '0' && id[0] <= '9':
		return errors.New("the id of a request is a text or a whole number of up to 15 digits")
	}
	return errors.New("the id of a request is a text or a whole number")
}

// open are the requests that wait for their answers.
type open struct {
	mu  sync.Mutex
	ids map[string]bool
}

// begin reports whether no other request waits under this id.
func (o *open) begin(id json.RawMessage) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := canonical(id)
	if o.ids[key] {
		return false
	}
	if o.ids == nil {
		o.ids = map[string]bool{}
	}
	o.ids[key] = true
	return true
}

// end forgets a request that is answered.
func (o *open) end(id json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.ids, canonical(id))
}

// canonical writes one id always the same.
func canonical(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return `"` + text
	}
	return string(id)
}

// answered is the id of an answer that is written; nil for other messages. Of a long one
// the beginning is read.
func answered(line []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(line[:min(len(line), idWithin)]))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var id json.RawMessage
	for {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		switch key {
		case "result", "error":
			return id
		case "method":
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if key == "id" {
			id = value
		}
	}
}

// sane refuses over HTTP what [Lines] refuses on a line.
func sane(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		text, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		if e, ok := enveloped(text); ok {
			if why := e.refused(); why != nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write(refusal(jsonrpc.CodeInvalidRequest, why.Error(), idOf(text))) // who has gone misses nothing
				return
			}
		}
		again := r.Clone(r.Context())
		again.Body = io.NopCloser(bytes.NewReader(text))
		next.ServeHTTP(w, again)
	})
}
