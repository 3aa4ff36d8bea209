package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Access says why a provider does not serve what is configured.
type Access string

// The reasons. Each of them lasts until a person does something about it.
const (
	Served       Access = ""        // it does, as far as is known
	KeyMissing   Access = "missing" // the environment variable of the key is empty
	KeyRefused   Access = "key"     // the provider does not take the key, or not for this
	AccountEmpty Access = "account" // the account behind the key has no money or quota left
	ModelUnknown Access = "model"   // the provider has no model of that name, or not for this account
	AddressWrong Access = "address" // nothing at the address speaks the protocol
	Barred       Access = "barred"  // it, or what stands before it, serves nobody from here
	Later        Access = "later"   // the provider asks to wait for longer than a run should
)

// fault is an error as a provider writes it, whatever its protocol: OpenAI and
// those who follow it, Anthropic, Gemini (also as a list of one), OpenRouter.
type fault struct {
	Message  string
	Type     string          // OpenAI, Anthropic
	Code     json.RawMessage // a word (OpenAI) or the HTTP status (Gemini, OpenRouter)
	Status   string          // Gemini
	Details  []faultDetail   // Gemini
	Metadata struct {
		Reasons []string `json:"reasons"`
	} // OpenRouter, of an input that it moderates
	other bool // what came has no error of any of these forms
}

// faultDetail is one of Gemini's ErrorInfo, RetryInfo and QuotaFailure.
type faultDetail struct {
	Reason     string `json:"reason"`
	RetryDelay string `json:"retryDelay"`
	Violations []struct {
		Quota string `json:"quotaId"`
	} `json:"violations"`
}

// UnmarshalJSON takes an object or a text. A field of another kind than expected
// is passed over: what there is to read of a failure is read.
func (f *fault) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &f.Message) == nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for name, to := range map[string]any{"message": &f.Message, "type": &f.Type, "code": &f.Code, "status": &f.Status, "details": &f.Details, "metadata": &f.Metadata} {
		if raw, there := fields[name]; there {
			_ = json.Unmarshal(raw, to)
		}
	}
	return nil
}

// readFault reads the error in an answer. One of another form is the message
// itself.
func readFault(body []byte) *fault {
	raw := errorOf(body)
	if list := []json.RawMessage{}; raw == nil && json.Unmarshal(body, &list) == nil && len(list) > 0 {
		raw = errorOf(list[0])
	}
	var f fault
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &f) != nil {
		return &fault{Message: string(body), other: true}
	}
	return &f
}

// errorOf is the field of an answer that holds an error.
func errorOf(data []byte) json.RawMessage {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(data, &e)
	return e.Error
}

// foreignFault reads an error from an object that is no answer of any protocol, as proxies
// and doors in front of a model write it: {"detail": "..."}, {"message": "..."},
// {"code": 401, "msg": "..."}, {"errors": [{"message": "..."}]}. nil: it is none.
func foreignFault(body []byte) *fault {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	for _, part := range []string{"choices", "output", "content", "candidates", "object", "data"} {
		if raw, there := fields[part]; there && string(raw) != "null" {
			return nil
		}
	}
	f := &fault{Code: fields["code"], other: true}
	if f.number() == 0 && fields["status"] != nil {
		f.Code = fields["status"]
	}
	for _, name := range []string{"message", "msg", "detail", "error_description", "reason", "title"} {
		if json.Unmarshal(fields[name], &f.Message) == nil && f.Message != "" {
			return f
		}
	}
	var list []json.RawMessage
	if json.Unmarshal(fields["errors"], &list) == nil && len(list) > 0 {
		if first := (fault{}); json.Unmarshal(list[0], &first) == nil && first.Message != "" {
			f.Message = first.Message
			return f
		}
	}
	return nil
}

// text is what the provider said of it.
func (f *fault) text() string {
	return cmp.Or(f.Message, f.Type, "the provider reported an error without a text")
}

// word is the code where it is no number.
func (f *fault) word() string {
	var s string
	if json.Unmarshal(f.Code, &s) == nil {
		return s
	}
	return ""
}

// number is the code where it is an HTTP status, else 0. An error inside an
// answer that began well has its status there.
func (f *fault) number() int {
	n, err := strconv.Atoi(strings.Trim(string(f.Code), `"`))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// is reports whether one of the words is the type, the code or the status.
func (f *fault) is(words ...string) bool {
	return slices.Contains(words, f.Type) || slices.Contains(words, f.word()) || slices.Contains(words, f.Status)
}

// says reports whether the message has one of the texts, in lower case.
func (f *fault) says(texts ...string) bool {
	m := strings.ToLower(f.Message)
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(m, t) })
}

// moderated reports an input that was refused for what it says: 403 at
// OpenRouter, and no matter of the key.
func (f *fault) moderated() bool { return len(f.Metadata.Reasons) > 0 }

// access tells a refusal that lasts from one that passes.
func (f *fault) access(status int) Access {
	if status < 300 {
		status = f.number()
	}
	switch {
	case f.moderated():
		return Served
	case f.unknownModel(status):
		return ModelUnknown
	case status == 404 && f.other:
		return AddressWrong
	case f.is("authentication_error", "invalid_api_key", "account_deactivated"), f.reason("API_KEY_INVALID"):
		return KeyRefused
	case f.is("insufficient_quota", "billing_error", "billing_not_active", "billing_hard_limit_reached"), status == 402:
		return AccountEmpty
	case status == 429:
		return f.limited()
	case barred(status):
		return Barred
	case status != 0 && status != 400 && status != 401 && status != 403:
		return Served
	case f.says("credit balance is too low", "specified api usage limits", "exceeded your current quota", "insufficient balance", "insufficient credits", "key limit exceeded"):
		return AccountEmpty
	case status == 401, status == 403, f.is("permission_error"), f.says("api key not valid", "api key expired"):
		return KeyRefused
	case status == 0 && f.says("not authenticated", "authentication error", "authentication failed", "unauthorized", "invalid api key", "invalid token", "token invalid", "token expired"):
		return KeyRefused // no status says so
	}
	return Served
}

// barred reports a status that says nothing of the request, and that no other request
// fares better with: what is neither about this request (400, 404, 413 and the like), nor
// about the key, nor passes. 451 and 511 are doors before the provider, 407 a proxy.
func barred(status int) bool {
	switch status {
	case 400, 401, 403, 404, 408, 409, 413, 414, 422, 424, 425, 429:
		return false
	case 501, 505, 511:
		return true
	}
	return status >= 400 && status < 500
}

// unknownModel reports an answer that names the model as what is not there.
func (f *fault) unknownModel(status int) bool {
	switch {
	case f.is("model_not_found", "model_not_available", "invalid_model", "DeploymentNotFound"):
		return true
	case status == 404:
		return f.says("model", "deployment", "no endpoints found") && !looksHTML([]byte(f.Message))
	case status == 400, status == 422:
		return f.says("not a valid model", "model not exist", "model does not exist", "model not found", "invalid model", "unknown model")
	}
	return false
}

// limited tells a 429 for the minute from one that lasts. Gemini has the same
// words for both, and a delay beside both; what differs is the name of the quota.
func (f *fault) limited() Access {
	for _, d := range f.Details {
		for _, v := range d.Violations {
			if strings.Contains(v.Quota, "PerDay") {
				return AccountEmpty
			}
		}
	}
	if f.is("RESOURCE_EXHAUSTED") && (f.delay() > 0 || !f.says("exceeded your current quota")) {
		return Served
	}
	if f.says("exceeded your current quota", "insufficient_quota", "credit balance", "insufficient balance", "per-day") {
		return AccountEmpty
	}
	return Served
}

// reason looks for a reason among Gemini's details.
func (f *fault) reason(word string) bool {
	for _, d := range f.Details {
		if d.Reason == word {
			return true
		}
	}
	return false
}

// delay is how long Gemini asks to wait; 0 = it does not say.
func (f *fault) delay() time.Duration {
	for _, d := range f.Details {
		if after, err := time.ParseDuration(d.RetryDelay); err == nil && after > 0 {
			return after
		}
	}
	return 0
}

// advice says what a person can do about it. keyEnv is the environment variable
// of the key.
func (a Access) advice(keyEnv string) string {
	key := keyEnv
	if key == "" {
		key = "the provider's key (key_env of the agent names none)"
	}
	switch a {
	case KeyMissing:
		return "set " + key
	case KeyRefused:
		return "check the key in " + key + " and what it may be used for"
	case AccountEmpty:
		return "the account behind " + key + " has nothing left: top it up, or use another key"
	}
	return ""
}

// isText reports words in the place of an answer: no JSON and no page.
func isText(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] != '{' && b[0] != '['
}

// looksHTML reports a web page.
func looksHTML(b []byte) bool {
	head := strings.ToLower(string(bytes.TrimSpace(bytes.TrimPrefix(b[:min(len(b), 256)], []byte("\xef\xbb\xbf")))))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// isPage reports a web page in the place of an answer, by its content type or its
// beginning: there are providers that call their JSON a page.
func isPage(kind string, b []byte) bool {
	text := bytes.TrimSpace(b)
	return looksHTML(b) || strings.HasPrefix(kind, "text/html") && bytes.HasPrefix(text, []byte("<"))
}

var (
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	pageCode  = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<!--.*?-->|<[^>]*>`)
)

// pageSays is the title of a web page, or its first words.
func pageSays(b []byte) string {
	b = bytes.TrimPrefix(b[:min(len(b), 64<<10)], []byte("\xef\xbb\xbf"))
	text := ""
	if m := pageTitle.FindSubmatch(b); m != nil {
		text = string(m[1])
	}
	if strings.TrimSpace(text) == "" {
		text = strings.TrimSpace(pageCode.ReplaceAllString(string(b), "\n"))
		text, _, _ = strings.Cut(text, "\n")
	}
	text = strings.Join(strings.Fields(html.UnescapeString(text)), " ")
	if runes := []rune(text); len(runes) > 120 {
		text = string(runes[:117]) + "..."
	}
	return text
}

// pageReason says that a page came, and what it calls itself.
func pageReason(b []byte) string {
	if title := pageSays(b); title != "" {
		return fmt.Sprintf("the answer is a web page (%q), not an API's", title)
	}
	return "the answer is a web page, not an API's"
}
