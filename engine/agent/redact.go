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
	lower := lowerASCII(text)
	for _, k := range keyShapes() {
		if k.in(lower) {
			text = k.redact(text)
			lower = lowerASCII(text)
		}
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

// keyShape is one kind of key by its look. hints are in lower case; a text, or
// unless block a line, with none of them is passed over without the expression.
type keyShape struct {
	hints []string
	block bool // may span lines
	re    *regexp.Regexp
	with  string
}

func (k *keyShape) in(lower string) bool {
	for _, h := range k.hints {
		if strings.Contains(lower, h) {
			return true
		}
	}
	return false
}

func (k *keyShape) redact(text string) string {
	if k.block {
		return k.re.ReplaceAllString(text, k.with)
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if k.in(lowerASCII(l)) {
			lines[i] = k.re.ReplaceAllString(l, k.with)
		}
	}
	return strings.Join(lines, "")
}

// lowerASCII lowers the letters A to Z and keeps every byte in its place.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// keyShapes compiles the shapes once, when they are first needed.
var keyShapes = sync.OnceValue(func() []keyShape {
	whole := func(re string, hints ...string) keyShape {
		return keyShape{hints: hints, re: regexp.MustCompile(re), with: Redacted}
	}
	block := keyShape{
		hints: []string{"private key"}, block: true, with: Redacted,
		// Never past a square bracket nor over the line end before it, so that
		// an unfinished block cannot take a fence away.
		re: regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----([\sA-Za-z0-9+/=:,.\\\-"']*?-----END [A-Z ]*PRIVATE KEY( BLOCK)?-----|(\s*[A-Za-z0-9+/=:,.\\\-"']+)*)`),
	}
	return []keyShape{
		block,
		whole(`\b(sk|pk|rk)-(ant-|proj-|or-|svcacct-)?[A-Za-z0-9_\-]{16,}`, "sk-", "pk-", "rk-"), // model providers
		whole(`\b(sk|rk|pk)_(live|test)_[A-Za-z0-9]{16,}`, "_live_", "_test_"),                   // payments
		whole(`\b(gsk|xai|hf|npm|pypi|r8|nvapi|dop_v1|shpat)[_-][A-Za-z0-9_\-]{20,}`, "gsk", "xai", "hf", "npm", "pypi", "r8", "nvapi", "dop_v1", "shpat"),
		whole(`\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_\-]{18,})`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
		whole(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`, "akia", "asia"),
		whole(`\bAIza[A-Za-z0-9_\-]{35}`, "aiza"),
		whole(`\bya29\.[A-Za-z0-9_\-]{20,}`, "ya29."),
		whole(`\bxox[abeprs]-[A-Za-z0-9-]{10,}`, "xox"),
		whole(`\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`, "sg."),
		whole(`\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`, "eyj"), // web tokens
		{hints: []string{"bearer", "basic"}, re: regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9_\-.~+/]{20,}=*`), with: "${1} " + Redacted},
		{hints: []string{"://"}, re: regexp.MustCompile(`(\b[a-z][a-z0-9+.\-]*://[^\s/:@"']*):[^\s/@"']+@`), with: "${1}:" + Redacted + "@"},
		// A long value with a digit in it, assigned to a name that says what it is.
		{
			hints: []string{"key", "secret", "token", "passw"}, with: "${1}" + Redacted,
			re: regexp.MustCompile(`(?i)((?:api[_-]?key|secret|access[_-]?token|auth[_-]?token|password|passwd|private[_-]?key)["']?\s*(?:=|:|:=)\s*["']?)([A-Za-z_\-+/.]{0,40}[0-9][A-Za-z0-9_\-+/.]{15,}=*)`),
		},
	}
})
