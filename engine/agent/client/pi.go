package client

import (
	"encoding/json"
	"strings"
)

// piEvents reads `pi --mode json`, whose exit code is always 0. Its end is
// agent_end, once an attempt; the last assistant message must have stopped by
// itself and hold something.
type piEvents struct {
	reason  string
	message string
	seen    bool
	hollow  bool
}

type piEvent struct {
	Type    string `json:"type"`
	Message *struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Usage   struct {
			Input  float64 `json:"input"` // without cached
			Output float64 `json:"output"`
			Read   float64 `json:"cacheRead"`
			Write  float64 `json:"cacheWrite"`
			Cost   struct {
				Total float64 `json:"total"`
			} `json:"cost"`
		} `json:"usage"`
		Stop  string `json:"stopReason"`
		Error string `json:"errorMessage"`
	} `json:"message"`
	Tool    string          `json:"toolName"`
	Args    json.RawMessage `json:"args"`
	IsError bool            `json:"isError"`
}

func (p *piEvents) event(s *stream, line []byte) string {
	if len(line) > 64 && strings.HasPrefix(string(line[:64]), `{"type":"message_update"`) {
		return ""
	}
	var e piEvent
	if !s.decode(line, &e) {
		return ""
	}
	switch e.Type {
	case "turn_start":
		s.stage, s.rep.Ended = "thinking", false
	case "tool_execution_start":
		s.stage = toolStage(e.Tool)
		return e.Tool + " " + argumentOf(e.Args)
	case "tool_execution_end":
		if e.IsError {
			s.rep.Refused++
		}
	case "message_end":
		return p.said(s, &e)
	case "agent_end":
		s.stage, s.rep.Ended = "finishing", true
	case "auto_retry_start":
		s.rep.Ended = false
		return "retry: " + p.message
	case "auto_retry_end":
		s.rep.Ended = true
	}
	return ""
}

func (p *piEvents) said(s *stream, e *piEvent) string {
	m := e.Message
	if m == nil || m.Role != "assistant" {
		return ""
	}
	u := &s.rep.Usage
	s.rep.HasUsage = true
	u.InputTokens += count64(m.Usage.Input + m.Usage.Read + m.Usage.Write)
	u.OutputTokens += count64(m.Usage.Output)
	u.Requests++
	if m.Usage.Cost.Total > 0 {
		s.addCost(m.Usage.Cost.Total)
	}
	var blocks []claudeBlock
	_ = json.Unmarshal(m.Content, &blocks)
	p.seen, p.reason, p.message, p.hollow = true, m.Stop, m.Error, len(blocks) == 0
	for _, b := range blocks {
		if b.Type == "text" && b.Text != "" {
			s.rep.Final = b.Text
		}
	}
	if p.message != "" {
		return p.message
	}
	return s.rep.Final
}

func (p *piEvents) end(s *stream) {
	if !p.seen || !s.rep.Ended {
		return
	}
	switch {
	case p.reason == "error":
		s.fail(faultOf(0, p.message), p.message)
	case p.reason == "length":
		s.fail(FaultLength, "the answer was cut by the token limit")
	case p.reason == "aborted":
		s.fail(FaultCrash, "the run was aborted")
	case p.hollow:
		s.fail(FaultProtocol, "the service answered with nothing")
	case p.reason != "stop":
		s.rep.Ended = false
	}
}
