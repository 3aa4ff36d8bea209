package gateway

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// hidden stands where a secret was.
const hidden = "[redacted]"

// minSecret is the length below which a value is not looked for: it would be
// found in ordinary text.
const minSecret = 6

// redactor replaces secrets, in the spellings that texts hold them in.
type redactor struct {
	words []string // longest first
}

func newRedactor(secrets []string) redactor {
	var r redactor
	for _, s := range secrets {
		s = strings.TrimSpace(s)
		if len(s) < minSecret {
			continue
		}
		quoted, err := json.Marshal(s)
		if err != nil {
			quoted = nil
		}
		for _, w := range []string{s, url.QueryEscape(s), strings.Trim(string(quoted), `"`)} {
			if w != "" && !slices.Contains(r.words, w) {
				r.words = append(r.words, w)
			}
		}
	}
	slices.SortFunc(r.words, func(a, b string) int { return len(b) - len(a) })
	return r
}

func (r redactor) text(s string) string {
	for _, w := range r.words {
		s = strings.ReplaceAll(s, w, hidden)
	}
	return s
}

func (r redactor) bytes(b []byte) []byte {
	for _, w := range r.words {
		if bytes.Contains(b, []byte(w)) {
			b = bytes.ReplaceAll(b, []byte(w), []byte(hidden))
		}
	}
	return b
}

// Redact replaces every provider key that is set now, and every token of an
// open endpoint, in a text that is about to be shown or kept.
func (g *Gateway) Redact(s string) string { return g.redactor().text(s) }

func (g *Gateway) redactor() redactor {
	var secrets []string
	for _, p := range g.providers {
		if p.KeyEnv != "" {
			secrets = append(secrets, g.opt.Getenv(p.KeyEnv))
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for token := range g.tokens {
		secrets = append(secrets, token)
	}
	return newRedactor(secrets)
}
