package gateway

import (
	"bytes"
	"encoding/json"
)

type anthropicUsage struct {
	Input   *count `json:"input_tokens"`
	Output  *count `json:"output_tokens"`
	Read    *count `json:"cache_read_input_tokens"`
	Created *count `json:"cache_creation_input_tokens"`
	Split   *struct {
		Minutes count `json:"ephemeral_5m_input_tokens"`
		Hour    count `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// anthropicAdd takes over the figures that an event names; later ones replace
// earlier ones, as they are totals.
func (m *meter) anthropicAdd(u *anthropicUsage) {
	if u == nil {
		return
	}
	t := m.tokens
	put := func(to *int64, from *count) {
		if from != nil {
			*to = int64(*from)
		}
	}
	put(&t.Input, u.Input)
	put(&t.Output, u.Output)
	put(&t.Cached, u.Read)
	put(&t.Written, u.Created)
	if u.Split != nil {
		t.WrittenHr = int64(u.Split.Hour)
		if u.Created == nil || *u.Created == u.Split.Minutes+u.Split.Hour {
			t.Written = int64(u.Split.Minutes)
		}
	} else if u.Created != nil {
		t.Written = max(0, t.Written-t.WrittenHr)
	}
	m.usage(t)
}

func (m *meter) anthropic(data []byte) bool {
	var e struct {
		Type    string `json:"type"`
		Message *struct {
			Usage *anthropicUsage `json:"usage"`
		} `json:"message"`
		Delta *struct {
			Text       string `json:"text"`
			Thinking   string `json:"thinking"`
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		StopReason string          `json:"stop_reason"`
		Usage      *anthropicUsage `json:"usage"`
		Error      *fault          `json:"error"`
	}
	if !m.decode(data, &e) {
		return false
	}
	m.fail(e.Error)
	if e.Message != nil {
		m.anthropicAdd(e.Message.Usage)
	}
	if e.Delta != nil {
		m.reason(e.Delta.Thinking)
		m.add(e.Delta.Text)
		if e.Delta.StopReason != "" {
			m.finish = e.Delta.StopReason // message_stop follows
		}
	}
	for _, c := range e.Content {
		if c.Type == "text" {
			m.add(c.Text)
		}
	}
	m.anthropicAdd(e.Usage)
	switch e.Type {
	case "message_stop":
		m.ended = true
	case "message":
		m.end(e.StopReason)
	}
	return true
}

func (m *meter) gemini(data []byte) bool {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil {
			return false
		}
		for _, e := range list {
			m.gemini(e)
		}
		return true
	}
	var e struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text    string `json:"text"`
					Thought bool   `json:"thought"`
				} `json:"parts"`
			} `json:"content"`
			Finish string `json:"finishReason"`
		} `json:"candidates"`
		Usage *struct {
			Prompt   count `json:"promptTokenCount"`
			Answer   count `json:"candidatesTokenCount"`
			Thoughts count `json:"thoughtsTokenCount"`
			Tools    count `json:"toolUsePromptTokenCount"`
			Cached   count `json:"cachedContentTokenCount"`
		} `json:"usageMetadata"`
		Feedback *struct {
			Block string `json:"blockReason"`
		} `json:"promptFeedback"`
		Error *fault `json:"error"`
	}
	if !m.decode(data, &e) {
		return false
	}
	m.fail(e.Error)
	for i, c := range e.Candidates {
		for _, p := range c.Content.Parts {
			if i == 0 && !p.Thought {
				m.add(p.Text)
			}
		}
		m.end(c.Finish)
	}
	if e.Feedback != nil && e.Feedback.Block != "" {
		m.end("content_filter")
	}
	if u := e.Usage; u != nil {
		cached := min(u.Cached, u.Prompt)
		m.usage(Tokens{Input: sum(u.Prompt-cached, u.Tools), Cached: int64(cached), Output: sum(u.Answer, u.Thoughts)})
	}
	return true
}

// sum adds counts; -1 where one of them is no number.
func sum(a, b count) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return int64(a + b)
}
