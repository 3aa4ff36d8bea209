package gateway

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// meter reads the answer of a provider, event by event or whole, and keeps its
// text, its end and its usage.
type meter struct {
	api    API
	text   strings.Builder
	think  func(string) // reasoning as it comes; may be nil
	say    func(string) // text as it comes; may be nil
	tokens Tokens
	known  bool   // the usage was reported
	ended  bool   // the answer is whole
	finish string // why it ended, in the provider's word
	refuse string // text of a refusal
	failed *fault // an error inside the answer; nil = none
	bad    int    // events that were no JSON
	events int
	odd    bool // something was of another kind than it should be
	max    int  // bytes of text kept
}

// noted reports a reason to end that is a refusal in the word of any provider.
func refusal(finish string) bool {
	switch strings.ToLower(finish) {
	case "content_filter", "refusal", "safety", "prohibited_content", "blocklist", "recitation", "spii":
		return true
	}
	return false
}

// cutShort reports a reason to end that is the limit of tokens.
func cutShort(finish string) bool {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_context_window_exceeded":
		return true
	}
	return false
}

func (m *meter) add(text string) {
	if text == "" {
		return
	}
	if m.text.Len()+len(text) <= m.max {
		m.text.WriteString(text)
	}
	if m.say != nil {
		m.say(text)
	}
}

func (m *meter) reason(text string) {
	if text != "" && m.think != nil {
		m.think(text)
	}
}

func (m *meter) end(why string) {
	if why != "" {
		m.finish = why
		m.ended = true
	}
}

func (m *meter) usage(t Tokens) {
	for _, n := range []int64{t.Input, t.Cached, t.Written, t.WrittenHr, t.Output} {
		if n < 0 || n > maxCount {
			m.known = false // what was reported before is not all
			return
		}
	}
	m.tokens, m.known = t, true
}

// metered reports whether the usage can be believed: some was reported, and
// not none at all beside a text.
func (m *meter) metered() bool {
	return m.known && !m.odd && (m.tokens != Tokens{} || m.text.Len() == 0)
}

// decode reads what there is to read: a field of another kind than expected is passed
// over, and then no usage is believed.
func (m *meter) decode(data []byte, to any) bool {
	err := json.Unmarshal(data, to)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		m.odd, err = true, nil
	}
	return err == nil
}

// fail notes an error inside the answer; nil is none.
func (m *meter) fail(f *fault) {
	if f != nil {
		m.failed = f
	}
}

// silent reports an answer of which nothing could be used: no text, no end, no usage, no
// error, no refusal.
func (m *meter) silent() bool {
	return m.failed == nil && m.refuse == "" && m.text.Len() == 0 && m.finish == "" && !m.known && m.bad == 0
}

// refused reports an error in the place of an answer: nothing else came, and no usage.
func (m *meter) refused() bool {
	return m.failed != nil && m.events == 1 && !m.known && m.text.Len() == 0
}

// event reads the data of one server-sent event, or a whole answer.
func (m *meter) event(data []byte) {
	m.events++
	if string(data) == "[DONE]" {
		m.ended = true
		return
	}
	var ok bool
	switch m.api {
	case Responses:
		ok = m.responses(data)
	case Anthropic:
		ok = m.anthropic(data)
	case Gemini:
		ok = m.gemini(data)
	default:
		ok = m.chat(data)
	}
	if !ok {
		m.bad++
	}
}

// count is a number of tokens. Some providers write 100.0 or "100"; what is no number
// is -1, which nobody believes.
type count int64

// maxCount is more tokens than any request has.
const maxCount = 1e12

func (c *count) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if *c = -1; err == nil && n >= 0 && n <= maxCount {
		*c = count(math.Ceil(n))
	}
	return nil
}

type chatUsage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Details    struct {
		Cached  count `json:"cached_tokens"`
		Written count `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
}

type chatMessage struct {
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	Reasoning string          `json:"reasoning_content"`
	Thinking  string          `json:"reasoning"`
}

func (m *meter) chat(data []byte) bool {
	var e struct {
		Choices []struct {
			Index   int         `json:"index"`
			Delta   chatMessage `json:"delta"`
			Message chatMessage `json:"message"`
			Finish  string      `json:"finish_reason"`
		} `json:"choices"`
		Usage *chatUsage `json:"usage"`
		Error *fault     `json:"error"`
	}
	if !m.decode(data, &e) {
		return false
	}
	m.fail(e.Error)
	for _, c := range e.Choices {
		if c.Index != 0 {
			continue
		}
		for _, part := range []chatMessage{c.Delta, c.Message} {
			m.reason(part.Reasoning + part.Thinking)
			m.add(contentText(part.Content))
			m.refuse += part.Refusal
		}
		m.end(c.Finish)
	}
	if u := e.Usage; u != nil {
		cached := min(u.Details.Cached, u.Prompt)
		written := min(u.Details.Written, u.Prompt-cached)
		m.usage(Tokens{Input: int64(u.Prompt - cached - written), Cached: int64(cached), Written: int64(written), Output: int64(u.Completion)})
	}
	return true
}

// contentText reads content that is a text or a list of parts.
func contentText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		if p.Type == "" || p.Type == "text" || p.Type == "output_text" {
			s += p.Text
		}
	}
	return s
}

type responsesAnswer struct {
	Status     string `json:"status"`
	Error      *fault `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []struct {
		Type    string `json:"type"`
		Content []struct {
			Type    string `json:"type"`
			Text    string `json:"text"`
			Refusal string `json:"refusal"`
		} `json:"content"`
	} `json:"output"`
	Usage *struct {
		Input   count `json:"input_tokens"`
		Output  count `json:"output_tokens"`
		Details struct {
			Cached count `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

func (m *meter) responses(data []byte) bool {
	var e struct {
		Type     string           `json:"type"`
		Delta    json.RawMessage  `json:"delta"`
		Message  string           `json:"message"`
		Code     json.RawMessage  `json:"code"`
		Response *responsesAnswer `json:"response"`
	}
	if !m.decode(data, &e) {
		return false
	}
	switch e.Type {
	case "response.output_text.delta":
		m.add(contentText(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		m.reason(contentText(e.Delta))
	case "response.refusal.delta":
		m.refuse += contentText(e.Delta)
	case "response.completed", "response.incomplete", "response.failed":
		if e.Response != nil {
			m.responsesEnd(e.Response)
		}
	case "error":
		if m.fail(&fault{Message: e.Message, Code: e.Code}); errorOf(data) != nil {
			m.fail(readFault(data))
		}
	case "":
		var whole responsesAnswer
		if !m.decode(data, &whole) {
			return false
		}
		m.responsesEnd(&whole)
	}
	return true
}

func (m *meter) responsesEnd(r *responsesAnswer) {
	m.fail(r.Error)
	streamed := m.text.Len() > 0 || m.refuse != ""
	for _, o := range r.Output {
		for _, c := range o.Content {
			if !streamed && o.Type != "reasoning" && c.Type != "reasoning_text" {
				m.add(c.Text)
				m.refuse += c.Refusal
			}
		}
	}
	switch {
	case r.Incomplete != nil:
		m.end(r.Incomplete.Reason)
	case r.Status == "failed":
		if m.failed == nil {
			m.fail(&fault{Message: "the response failed"})
		}
	default:
		m.end(r.Status)
	}
	if u := r.Usage; u != nil {
		cached := min(u.Details.Cached, u.Input)
		m.usage(Tokens{Input: int64(u.Input - cached), Cached: int64(cached), Output: int64(u.Output)})
	}
}
