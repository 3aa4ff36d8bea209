package client

import (
	"encoding/json"
	"strings"
)

// geminiEvents reads `gemini --output-format stream-json`. Its end is `result`;
// a loop ends with status "success" behind an error event.
type geminiEvents struct {
	said    strings.Builder
	warning string
	loop    bool
}

type geminiEvent struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content string `json:"content"`
	Message string `json:"message"`
	Level   string `json:"severity"`
	Status  string `json:"status"`
	Error   struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Tool   string          `json:"tool_name"`
	Params json.RawMessage `json:"parameters"`
	Stats  *struct {
		Total  float64 `json:"total_tokens"`
		Input  float64 `json:"input_tokens"` // includes cached
		Output float64 `json:"output_tokens"`
	} `json:"stats"`
}

func (g *geminiEvents) event(s *stream, line []byte) string {
	var e geminiEvent
	if !s.decode(line, &e) {
		return ""
	}
	switch e.Type {
	case "init":
		s.stage = "thinking"
	case "message":
		if e.Role == "assistant" {
			s.stage = "thinking"
			if g.said.Len()+len(e.Content) < 1<<20 {
				g.said.WriteString(e.Content)
			}
			return e.Content
		}
	case "tool_use":
		g.said.Reset()
		s.stage = toolStage(e.Tool)
		return e.Tool + " " + argumentOf(e.Params)
	case "tool_result":
		if e.Status == "error" {
			s.rep.Refused++
		}
	case "error":
		g.loop = g.loop || strings.Contains(strings.ToLower(e.Message), "loop detected")
		if g.warning = e.Message; e.Level == "error" || g.loop {
			return e.Message
		}
	case "result":
		return g.result(s, &e)
	}
	return ""
}

func (g *geminiEvents) result(s *stream, e *geminiEvent) string {
	s.stage, s.rep.Ended = "finishing", true
	if st := e.Stats; st != nil {
		s.rep.HasUsage = true
		s.rep.Usage.InputTokens = count64(st.Input)
		s.rep.Usage.OutputTokens = max(count64(st.Output), count64(st.Total)-count64(st.Input))
		if s.rep.Usage.InputTokens > 0 {
			s.rep.Usage.Requests = max(s.rep.Usage.Requests, 1)
		}
	}
	message := e.Error.Message
	if message == "" {
		message = g.warning
	}
	switch {
	case g.loop:
		s.fail(FaultLoop, g.warning)
	case e.Status == "success":
		return ""
	case strings.Contains(e.Error.Type, "TurnLimit"):
		s.fail(FaultTurns, message)
	default:
		s.fail(faultOf(0, message), message)
	}
	return message
}

func (g *geminiEvents) end(s *stream) { s.rep.Final = g.said.String() }
