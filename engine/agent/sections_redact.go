package agent

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// minSecret is the shortest exact text that is taken out: shorter ones would
// tear holes into ordinary words.
const minSecret = 6

// Redact takes out the given texts, also as they look in a URL, in JSON or in
// base64, and everything that has the shape of a known kind of key: provider
// keys, access tokens of code hosts and clouds, private key blocks, web
// tokens, passwords in URLs, bearer headers, and long values assigned to names
// such as api_key.
func Redact(text string, secrets ...string) string {
	for _, s := range forms(secrets) {
		text = strings.ReplaceAll(text, s, Redacted)
	}
	for _, k := range keyShapes() {
		text = k.re.ReplaceAllString(text, k.with)
	}
	return text
}

// forms lists the secrets and their encodings, longest first.
func forms(secrets []string) []string {
	seen := map[string]bool{}
	var out []string
	add := func(s string) {
		if len(s) >= minSecret && !seen[s] && s != Redacted {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		add(s)
		add(strings.TrimSpace(s))
		add(url.QueryEscape(s))
		add(url.PathEscape(s))
		add(base64.StdEncoding.EncodeToString([]byte(s)))
		add(base64.URLEncoding.EncodeToString([]byte(s)))
		add(base64.RawStdEncoding.EncodeToString([]byte(s)))
		if b, err := json.Marshal(s); err == nil {
			add(strings.Trim(string(b), `"`))
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i]) > len(out[j]) })
	return out
}

// keyShape is one kind of key by its look.
type keyShape struct {
	re   *regexp.Regexp
	with string
}

// keyShapes compiles the shapes once, when they are first needed.
var keyShapes = sync.OnceValue(func() []keyShape {
	whole := []string{
		// Never past a square bracket, so that an unfinished block cannot take a fence away.
		`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----([\sA-Za-z0-9+/=:,.\\\-"']*?-----END [A-Z ]*PRIVATE KEY( BLOCK)?-----|[\sA-Za-z0-9+/=:,.\\\-"']*)`,
		`\b(sk|pk|rk)-(ant-|proj-|or-|svcacct-)?[A-Za-z0-9_\-]{16,}`, // model providers
		`\b(sk|rk|pk)_(live|test)_[A-Za-z0-9]{16,}`,                  // payments
		`\b(gsk|xai|hf|npm|pypi|r8|nvapi|dop_v1|shpat)[_-][A-Za-z0-9_\-]{20,}`,
		`\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_\-]{18,})`,
		`\b(AKIA|ASIA)[A-Z0-9]{16}\b`,
		`\bAIza[A-Za-z0-9_\-]{35}`,
		`\bya29\.[A-Za-z0-9_\-]{20,}`,
		`\bxox[abeprs]-[A-Za-z0-9-]{10,}`,
		`\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`,
		`\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`, // web tokens
	}
	var out []keyShape
	for _, s := range whole {
		out = append(out, keyShape{regexp.MustCompile(s), Redacted})
	}
	return append(out,
		keyShape{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9_\-.~+/]{20,}=*`), "${1} " + Redacted},
		keyShape{regexp.MustCompile(`(\b[a-z][a-z0-9+.\-]*://[^\s/:@"']*):[^\s/@"']+@`), "${1}:" + Redacted + "@"},
		// A long value with a digit in it, assigned to a name that says what it is.
		keyShape{regexp.MustCompile(`(?i)((?:api[_-]?key|secret|access[_-]?token|auth[_-]?token|password|passwd|private[_-]?key)["']?\s*(?:=|:|:=)\s*["']?)([A-Za-z_\-+/.]{0,40}[0-9][A-Za-z0-9_\-+/.]{15,}=*)`), "${1}" + Redacted},
	)
})
