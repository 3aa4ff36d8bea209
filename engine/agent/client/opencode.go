package client

import (
	"encoding/json"
	"strings"
)

// openCodeEvents reads `opencode run --format json`. Its end is the step_finish
// with reason "stop"; "tool-calls" at the end is a refused permission, "unknown"
// an answer that was none, and the program asks again for ever.
type openCodeEvents struct {
	reason string
	empty  int // step_finish with reason unknown, in a row
	failed bool
}

// maxEmptySteps is how many empty answers in a row are a loop.
const maxEmptySteps = 6

type openCodeEvent struct {
	Type string `json:"type"`
	Part struct {
		Text   string `json:"text"`
		Tool   string `json:"tool"`
		Reason string `json:"reason"`
		State  struct {
			Status string          `json:"status"`
			Input  json.RawMessage `json:"input"`
			Error  string          `json:"error"`
		} `json:"state"`
		Tokens struct {
			Input     float64 `json:"input"` // without cached
			Output    float64 `json:"output"`
			Reasoning float64 `json:"reasoning"`
			Cache     struct {
				Read  float64 `json:"read"`
				Write float64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		Cost float64 `json:"cost"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  int    `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

func (o *openCodeEvents) event(s *stream, line []byte) string {
	var e openCodeEvent
	if !s.decode(line, &e) {
		return ""
	}
	p := &e.Part
	switch e.Type {
	case "step_start":
		s.stage = "thinking"
	case "text":
		s.rep.Final = p.Text
		return p.Text
	case "tool_use":
		s.stage = toolStage(p.Tool)
		if p.State.Status == "error" {
			s.rep.Refused++
			return p.Tool + ": " + p.State.Error
		}
		return p.Tool + " " + argumentOf(p.State.Input)
	case "step_finish":
		o.step(s, &e)
	case "error":
		o.failed = true
		f := faultOf(e.Error.Data.Status, e.Error.Data.Message)
		if strings.Contains(e.Error.Name, "ContextOverflow") {
			f = FaultContext
		} else if e.Error.Name == "UnknownError" && e.Error.Data.Status == 0 {
			f = FaultRequest
		}
		s.rep.Ended = true
		s.fail(f, e.Error.Data.Message)
		return e.Error.Data.Message
	}
	return ""
}

func (o *openCodeEvents) step(s *stream, e *openCodeEvent) {
	p := &e.Part
	o.reason = p.Reason
	s.rep.HasUsage = true
	u := &s.rep.Usage
	u.InputTokens += count64(p.Tokens.Input + p.Tokens.Cache.Read + p.Tokens.Cache.Write)
	u.OutputTokens += count64(p.Tokens.Output + p.Tokens.Reasoning)
	u.Requests++
	if p.Cost > 0 { // 0 is what it says of a model without a price
		s.addCost(p.Cost)
	}
	if p.Reason != "unknown" {
		o.empty = 0
		return
	}
	if o.empty++; o.empty >= maxEmptySteps {
		s.fail(FaultLoop, "the service answers with nothing, and the client asks for ever")
	}
}

func (o *openCodeEvents) end(s *stream) {
	if o.failed {
		return
	}
	switch o.reason {
	case "stop":
		s.rep.Ended = true
	case "length":
		s.rep.Ended = true
		s.fail(FaultLength, "the answer was cut by the token limit")
	case "tool-calls":
		if s.rep.Refused > 0 {
			s.rep.Ended = true
			s.fail(FaultRefused, "a permission was refused")
		}
	case "content-filter", "error", "other":
		s.rep.Ended = true
		s.fail(FaultProtocol, "the last answer ended with "+o.reason)
	case "unknown":
		s.fail(FaultLoop, "the service answers with nothing")
	}
}
