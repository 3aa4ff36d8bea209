package client

import (
	"path"
	"strings"
)

// codexEvents reads `codex exec --json`. Its end is turn.completed or
// turn.failed; a failed turn reports no usage. Refused edits leave no event.
type codexEvents struct{}

type codexEvent struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage struct {
		Input  float64 `json:"input_tokens"` // includes cached
		Output float64 `json:"output_tokens"`
	} `json:"usage"`
	Item struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Command string `json:"command"`
		Message string `json:"message"`
		Status  string `json:"status"`
		Changes []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
		} `json:"changes"`
	} `json:"item"`
}

func (c *codexEvents) event(s *stream, line []byte) string {
	var e codexEvent
	if !s.decode(line, &e) {
		return ""
	}
	switch e.Type {
	case "turn.started":
		s.stage = "thinking"
	case "item.started", "item.completed":
		return c.item(s, &e)
	case "error": // a retry notice, or the fault that turn.failed repeats
		return e.Message
	case "turn.completed":
		s.stage, s.rep.Ended, s.rep.HasUsage = "finishing", true, true
		s.rep.Usage.InputTokens += count64(e.Usage.Input)
		s.rep.Usage.OutputTokens += count64(e.Usage.Output)
		s.rep.Usage.Requests = max(s.rep.Usage.Requests, 1)
	case "turn.failed":
		s.stage, s.rep.Ended = "finishing", true
		s.fail(faultOf(0, e.Error.Message), e.Error.Message)
		return e.Error.Message
	}
	return ""
}

func (c *codexEvents) item(s *stream, e *codexEvent) string {
	it, done := &e.Item, e.Type == "item.completed"
	switch it.Type {
	case "agent_message":
		if done {
			s.stage, s.rep.Final = "thinking", it.Text
			return it.Text
		}
	case "reasoning":
		s.stage = "thinking"
		return it.Text
	case "command_execution":
		s.stage = "running"
		if done {
			if it.Status == "failed" {
				s.rep.Refused++
			}
			return ""
		}
		return "$ " + it.Command
	case "file_change":
		s.stage = "editing"
		if done && it.Status == "failed" {
			s.rep.Refused++
		}
		var names []string
		for _, ch := range it.Changes {
			names = append(names, ch.Kind+" "+path.Base(ch.Path))
		}
		if done {
			return strings.Join(names, ", ")
		}
	case "error":
		return it.Message
	}
	return ""
}

func (c *codexEvents) end(*stream) {}
