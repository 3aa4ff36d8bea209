package gateway

import (
	"net/http"
	"net/url"
	"strings"
)

// API is the protocol of a provider.
type API string

// The protocols. Gemini is passed through for clients; [Client.Complete] does
// not speak it.
const (
	Chat      API = "chat"      // OpenAI Chat Completions, and all who follow it
	Responses API = "responses" // OpenAI Responses
	Anthropic API = "anthropic" // Anthropic Messages
	Gemini    API = "gemini"    // Google generateContent
)

// anthropicVersion is sent where the client names none.
const anthropicVersion = "2023-06-01"

// target is the address of an operation at a provider's base URL. rest is what
// follows the protocol's own root ("chat/completions", "v1/messages").
func (a API) target(baseURL, rest string, query url.Values) (string, error) {
	u, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil {
		return "", err
	}
	base := strings.TrimRight(u.Path, "/")
	switch a {
	case Anthropic:
		base = strings.TrimSuffix(base, "/v1")
	case Gemini:
		base = strings.TrimSuffix(base, "/v1beta")
	default:
		if base == "" {
			base = "/v1"
		}
	}
	u.Path = base + "/" + rest
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// operation is what [Client.Complete] calls.
func (a API) operation() string {
	switch a {
	case Responses:
		return "responses"
	case Anthropic:
		return "v1/messages"
	}
	return "chat/completions"
}

// authorise puts the key where the protocol wants it.
func authorise(h http.Header, a API, key string) {
	if key == "" {
		return
	}
	switch a {
	case Anthropic:
		h.Set("X-Api-Key", key)
	case Gemini:
		h.Set("X-Goog-Api-Key", key)
	default:
		h.Set("Authorization", "Bearer "+key)
	}
}

// passed are the headers of a client that a provider gets to see. All others
// may tell about this machine.
func passed() []string {
	return []string{"Content-Type", "Accept", "Anthropic-Version", "Anthropic-Beta"}
}

func clientHeaders(in http.Header, a API) http.Header {
	out := http.Header{}
	for _, name := range passed() {
		for _, v := range in.Values(name) {
			out.Add(name, v)
		}
	}
	if a == Anthropic && out.Get("Anthropic-Version") == "" {
		out.Set("Anthropic-Version", anthropicVersion)
	}
	out.Set("Content-Type", "application/json")
	out.Set("User-Agent", "atoll")
	return out
}
