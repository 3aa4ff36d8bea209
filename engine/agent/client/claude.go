package client

import (
	"encoding/json"
	"strings"

	"atoll/engine/agent/clean"
)

// claudeEvents reads `claude -p --output-format stream-json`, and cursor-agent,
// which speaks alike but counts nothing. Its end is `result`: subtype stays
// "success" when the service failed, so is_error decides.
type claudeEvents struct{ denied int }

type claudeEvent struct {
	Type    string          `json:"type"`
	Subtype string          `json:"subtype"`
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"`
	// result
	IsError  bool     `json:"is_error"`
	Result   string   `json:"result"`
	Errors   []string `json:"errors"`
	Status   int      `json:"api_error_status"`
	Terminal string   `json:"terminal_reason"`
	Turns    int      `json:"num_turns"`
	Cost     *float64 `json:"total_cost_usd"`
	Denials  []any    `json:"permission_denials"`
	Usage    *struct {
		Input  float64 `json:"input_tokens"`
		Read   float64 `json:"cache_read_input_tokens"`
		Write  float64 `json:"cache_creation_input_tokens"`
		Output float64 `json:"output_tokens"`
	} `json:"usage"`
	Models map[string]struct {
		Basis  string  `json:"costBasis"`
		Input  float64 `json:"inputTokens"`
		Read   float64 `json:"cacheReadInputTokens"`
		Write  float64 `json:"cacheCreationInputTokens"`
		Output float64 `json:"outputTokens"`
	} `json:"modelUsage"` // of the whole session, which is this run
	// tool events of cursor-agent
	ToolName string `json:"tool_name"`
}

type claudeMessage struct {
	Content json.RawMessage `json:"content"`
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	IsError bool            `json:"is_error"`
}

func (c *claudeEvents) event(s *stream, line []byte) string {
	var e claudeEvent
	if !s.decode(line, &e) {
		return ""
	}
	switch e.Type {
	case "system":
		return c.system(s, &e)
	case "assistant", "user":
		return c.message(s, &e)
	case "result":
		c.result(s, &e)
		if e.IsError {
			return s.rep.Message
		}
	}
	return ""
}

func (c *claudeEvents) system(s *stream, e *claudeEvent) string {
	switch e.Subtype {
	case "init":
		s.stage = "thinking"
	case "api_retry":
		return "retry: the service answered " + clean.Short(string(e.Error), 60)
	case "permission_denied":
		c.denied++
		s.rep.Refused++
		return "refused: " + e.ToolName
	}
	return ""
}

func (c *claudeEvents) message(s *stream, e *claudeEvent) string {
	var m claudeMessage
	var blocks []claudeBlock
	if json.Unmarshal(e.Message, &m) != nil || json.Unmarshal(m.Content, &blocks) != nil {
		return ""
	}
	var show string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			if e.Type == "assistant" {
				s.stage, s.rep.Final, show = "thinking", b.Text, b.Text
			}
		case "tool_use":
			s.stage, show = toolStage(b.Name), b.Name+" "+argumentOf(b.Input)
		case "tool_result":
			if b.IsError && c.denied == 0 {
				s.rep.Refused++
			}
		}
	}
	return show
}

func (c *claudeEvents) result(s *stream, e *claudeEvent) {
	s.stage, s.rep.Ended = "finishing", true
	if e.Result != "" {
		s.rep.Final = e.Result
	}
	s.rep.Refused = max(s.rep.Refused, len(e.Denials))
	if u := e.Usage; u != nil {
		s.rep.HasUsage = true
		s.rep.Usage.InputTokens = count64(u.Input + u.Read + u.Write)
		s.rep.Usage.OutputTokens = count64(u.Output)
		var in, out int64
		for _, m := range e.Models {
			in, out = in+count64(m.Input+m.Read+m.Write), out+count64(m.Output)
		}
		s.rep.Usage.InputTokens, s.rep.Usage.OutputTokens = max(s.rep.Usage.InputTokens, in), max(s.rep.Usage.OutputTokens, out)
		if s.rep.Usage.InputTokens > 0 {
			s.rep.Usage.Requests = max(e.Turns, 1)
		}
		c.cost(s, e)
	}
	if !e.IsError && !strings.HasPrefix(e.Subtype, "error") {
		return
	}
	message := e.Result
	if message == "" {
		message = strings.Join(e.Errors, "; ")
	}
	if message == "" {
		message = e.Subtype
	}
	switch {
	case e.Subtype == "error_max_turns":
		s.fail(FaultTurns, message)
	case e.Subtype == "error_max_budget_usd" || e.Terminal == "budget_exhausted":
		s.fail(FaultBudget, message)
	case e.Terminal == "prompt_too_long":
		s.fail(FaultContext, message)
	case strings.HasPrefix(e.Subtype, "error_max_structured"):
		s.fail(FaultProtocol, message)
	default:
		s.fail(faultOf(e.Status, message), message)
	}
}

// cost takes the client's figure only where the client knows the model's price.
func (c *claudeEvents) cost(s *stream, e *claudeEvent) {
	if e.Cost == nil || len(e.Models) == 0 {
		return
	}
	for _, m := range e.Models {
		if m.Basis == "unknown" {
			return
		}
	}
	s.rep.Usage.CostUSD = nil
	s.addCost(*e.Cost)
}

func (c *claudeEvents) end(*stream) {}

// argumentOf shows the one argument of a tool call that tells most.
func argumentOf(raw json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return ""
	}
	for _, name := range []string{"command", "file_path", "filePath", "path", "pattern", "query"} {
		if v, ok := args[name].(string); ok {
			return v
		}
	}
	return ""
}
