package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"

	"atoll/store/whole"
)

// Exchange is one recorded request and what came of it, without keys. It is
// one file of a recording.
type Exchange struct {
	Version  int             `json:"version"`
	Account  string          `json:"account"`
	API      API             `json:"api"`
	Path     string          `json:"path"`
	Model    string          `json:"model"`
	Hash     string          `json:"hash"`
	Index    int             `json:"index"` // of the same request by the same account
	Request  json.RawMessage `json:"request"`
	Status   int             `json:"status"` // 0 = no answer came
	Kind     string          `json:"kind,omitempty"`
	Body     string          `json:"body,omitempty"`
	BodyB64  []byte          `json:"body_base64,omitempty"` // instead of Body, where it is not UTF-8
	Fault    string          `json:"fault,omitempty"`       // cut, provider
	Reason   string          `json:"reason,omitempty"`      // of the fault
	Access   Access          `json:"access,omitempty"`      // of a fault that lasts
	Attempts int             `json:"attempts,omitempty"`
}

// tape writes exchanges to a folder, or finds them there. A nil tape does
// neither.
type tape struct {
	into   string
	replay string

	mu   sync.Mutex
	next map[string]int
}

func newTape(recordDir, replayDir string) (*tape, error) {
	if recordDir != "" && replayDir != "" {
		return nil, errors.New("a gateway either records or replays: name one folder")
	}
	t := &tape{into: recordDir, replay: replayDir, next: map[string]int{}}
	if recordDir != "" {
		if err := os.MkdirAll(recordDir, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of the recording: %w", err)
		}
		return t, nil
	}
	if info, err := os.Stat(replayDir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is no folder: name one that was recorded", ErrNoRecording, replayDir)
	}
	return t, nil
}

func (t *tape) recording() bool { return t != nil && t.into != "" }
func (t *tape) replaying() bool { return t != nil && t.replay != "" }

// volatile are fields that differ from run to run and change no answer.
func volatile() []string {
	return []string{"prompt_cache_key", "client_metadata", "metadata", "user", "safety_identifier"}
}

// hash names a request: the account, the operation, and the body with its
// fields in order.
func (o *outgoing) hash() string {
	h := sha256.New()
	fields := map[string]json.RawMessage{}
	data := o.body
	if json.Unmarshal(data, &fields) == nil {
		for _, name := range volatile() {
			delete(fields, name)
		}
		if canonical, err := encode(fields); err == nil {
			data = canonical
		}
	}
	for _, part := range []string{o.account.name, string(o.to.API), o.rest, o.query.Encode()} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func (t *tape) index(hash string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.next[hash]
	t.next[hash] = n + 1
	return n
}

func exchangeName(hash string, n int) string { return fmt.Sprintf("%s-%d.json", hash, n) }

// record keeps how a call ended. What ended it from this side (a budget, a
// cancellation) is not kept.
func (t *tape) record(o *outgoing, ans *answer, err error) error {
	if !t.recording() {
		return nil
	}
	x := Exchange{Version: 1, Account: o.account.name, API: o.to.API, Path: o.rest, Model: o.model, Hash: o.hash(), Request: o.body}
	if ans != nil {
		x.Status, x.Kind = ans.status, ans.kind
		x.setBody(ans.raw)
	}
	var p *ProviderError
	var cut *cutError
	switch {
	case err == nil:
	case errors.As(err, &cut):
		x.Fault, x.Reason = "cut", cut.why
	case errors.As(err, &p):
		x.Fault, x.Status, x.Reason, x.Access, x.Attempts = "provider", p.Status, p.Reason, p.Access, p.Attempts
	default:
		return nil
	}
	return t.write(x)
}

func (x *Exchange) setBody(raw []byte) {
	if utf8.Valid(raw) {
		x.Body = string(raw)
		return
	}
	x.BodyB64 = raw
}

// write gives an exchange the first free index and puts it in place whole.
func (t *tape) write(x Exchange) error {
	for {
		x.Index = t.index(x.Hash)
		name := filepath.Join(t.into, exchangeName(x.Hash, x.Index))
		data, err := json.MarshalIndent(x, "", " ")
		if err != nil {
			return fmt.Errorf("record an exchange: %w", err)
		}
		err = whole.Write(name, whole.Options{New: true}, whole.Bytes(data))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("record an exchange: %w", err)
		}
		return nil
	}
}
