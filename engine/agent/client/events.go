package client

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// Fault says why a client's run was no success. It is finer than a
// [record.Class]: it tells what to try next.
type Fault string

// The faults. FaultNone is no fault: what counts then is whether files changed.
const (
	FaultNone     Fault = ""
	FaultAuth     Fault = "auth"           // the service refused the key
	FaultQuota    Fault = "quota"          // the account is used up
	FaultModel    Fault = "no-such-model"  // the service has no model of that name, or not for this account
	FaultBudget   Fault = "budget"         // a limit in money or tokens of atoll or of the client
	FaultRate     Fault = "rate-limit"     // too many requests, after all retries
	FaultContext  Fault = "context-length" // the conversation outgrew the model
	FaultLength   Fault = "answer-length"  // the answer was cut by the token limit
	FaultServer   Fault = "server"         // the service failed, after all retries
	FaultNetwork  Fault = "network"        // no connection to the service
	FaultProtocol Fault = "bad-answer"     // an answer that is no answer: HTML, empty, cut
	FaultRequest  Fault = "bad-request"    // the service refused the request
	FaultTurns    Fault = "turn-limit"     // too many turns
	FaultRequests Fault = "request-limit"  // more requests to the model than a job may make
	FaultLoop     Fault = "loop"           // the model repeats itself, or answers with nothing for ever
	FaultRefused  Fault = "refused"        // a permission was refused and that ended the run
	FaultHang     Fault = "hang"           // silent for too long, or longer than the time limit
	FaultLimit    Fault = "limit"          // memory, output or processes
	FaultCrash    Fault = "crash"          // ended before it said that it was done
	FaultStart    Fault = "start"          // the program refused its arguments, or could not begin
	FaultMissing  Fault = "not-installed"  // the program, or what it runs on, is not on this machine
)

// Class returns the class of failure that a fault is recorded as.
func (f Fault) Class() record.Class {
	switch f {
	case FaultNone:
		return record.ClassNone
	case FaultHang:
		return record.ClassTimeout
	case FaultBudget:
		return record.ClassBudget
	}
	return record.ClassAgent
}

// Passing reports whether the same job may well succeed a moment later.
func (f Fault) Passing() bool {
	switch f {
	case FaultRate, FaultServer, FaultNetwork, FaultProtocol, FaultCrash, FaultLoop:
		return true
	}
	return false
}

// Cure returns what a person can do about the fault, or "".
func (f Fault) Cure() string {
	switch f {
	case FaultAuth:
		return "check the key that key_env names"
	case FaultQuota:
		return "check the plan and billing of the provider"
	case FaultBudget:
		return "raise the budget, or job_usd of the agent"
	case FaultRequests:
		return "raise requests of the agent, or choose smaller targets"
	case FaultRate:
		return "lower rpm or parallel of the agent"
	case FaultContext:
		return "choose a model with a larger context, or smaller targets"
	case FaultLength:
		return "raise max_tokens of the agent"
	case FaultServer, FaultProtocol:
		return "try again later, or check base_url"
	case FaultNetwork:
		return "check base_url and the network"
	case FaultModel, FaultRequest:
		return "check the model's name"
	case FaultHang:
		return "raise the agent's timeout, or try another model"
	case FaultLimit:
		return "raise the limits"
	case FaultStart:
		return "run doctor to see how the program is found"
	case FaultMissing:
		return "install it, or name its path in command"
	}
	return ""
}

// Report is what a client said about its own run. It is a claim: the tree
// decides whether anything was done.
type Report struct {
	Ended   bool   // the client's end marker was seen
	Fault   Fault  // from the end marker and its error fields
	Message string // of the fault
	Final   string // the last words of the model
	Refused int    // tool calls that were refused or failed
	Events  int    // lines that were understood
	// Usage is the client's own count; input includes what was cached. The cost is
	// nil where the client names none that is worth anything. HasUsage reports
	// that the stream had a count at all.
	Usage    record.Usage
	HasUsage bool
}

// Format names how a client speaks on stdout.
type Format string

// The formats. Text has no events: an end without an error is the marker.
const (
	streamCodex    Format = "codex"
	streamClaude   Format = "claude"
	streamGemini   Format = "gemini"
	streamOpenCode Format = "opencode"
	streamPi       Format = "pi"
	streamText     Format = "text"
)

// stream reads a client's output line by line. It is not safe for concurrent
// use. Unknown events, unknown fields and lines that are no JSON are passed over.
type stream struct {
	reader streamReader
	rep    Report
	stage  string
	last   string
}

// streamReader understands the events of one client. It is given one line of
// JSON and fills the report; it returns a line for people, or "".
type streamReader interface {
	event(s *stream, line []byte) string
	end(s *stream)
}

// newStream returns a reader of format; an unknown one is read as text.
func newStream(format Format) *stream {
	s := &stream{}
	switch format {
	case streamCodex:
		s.reader = &codexEvents{}
	case streamClaude:
		s.reader = &claudeEvents{}
	case streamGemini:
		s.reader = &geminiEvents{}
	case streamOpenCode:
		s.reader = &openCodeEvents{}
	case streamPi:
		s.reader = &piEvents{}
	}
	return s
}

// Line takes one line and returns what to show of it: one printable line, or "".
func (s *stream) Line(line []byte) string {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return ""
	}
	if s.reader == nil {
		s.rep.Events++
		s.last = clean.Short(string(clean.Text(line)), maxLiveLine)
		if s.last != "" {
			s.rep.Final = s.last
		}
		s.text(line)
		return s.last
	}
	if line[0] != '{' {
		return ""
	}
	show := s.reader.event(s, line)
	if show = clean.Short(string(clean.Text([]byte(show))), maxLiveLine); show != "" {
		s.last = show
	}
	return show
}

// Stage returns the coarse stage of the run: "thinking", "reading", "editing",
// "running", "finishing"; "" before the first event.
func (s *stream) Stage() string { return s.stage }

// Report returns what was understood so far; after the last line it is final.
func (s *stream) Report() Report {
	rep := s.rep
	if s.reader != nil {
		save := *s
		s.reader.end(s)
		rep, *s = s.rep, save
	}
	rep.Message = clean.Short(string(clean.Text([]byte(rep.Message))), 400)
	return rep
}

// ReadStream reads a whole output.
func ReadStream(format Format, output []byte) Report {
	s := newStream(format)
	for line := range bytes.Lines(output) {
		s.Line(line)
	}
	return s.Report()
}

// text looks for the words in which aider tells what it used.
func (s *stream) text(line []byte) {
	m := aiderTokens.FindSubmatch(line)
	if m == nil {
		return
	}
	s.rep.HasUsage = true
	s.rep.Usage.Requests++
	s.rep.Usage.InputTokens += humanCount(string(m[1]))
	s.rep.Usage.OutputTokens += humanCount(string(m[2]))
	if m := aiderCost.FindSubmatch(line); m != nil {
		if v, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
			s.addCost(v)
		}
	}
}

var (
	aiderTokens = regexp.MustCompile(`^Tokens: ([0-9.,]+[kM]?) sent.*?, ([0-9.,]+[kM]?) received`)
	aiderCost   = regexp.MustCompile(`Cost: \$([0-9.]+) message`)
)

// humanCount reads "2.3k" and "1,204".
func humanCount(s string) int64 {
	unit := 1.0
	if t, ok := strings.CutSuffix(s, "k"); ok {
		s, unit = t, 1e3
	} else if t, ok := strings.CutSuffix(s, "M"); ok {
		s, unit = t, 1e6
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil || v < 0 || v > 1e9 {
		return 0
	}
	return int64(v*unit + 0.5)
}

func (s *stream) addCost(v float64) {
	if v < 0 || v > 1e9 || v != v {
		return
	}
	if s.rep.Usage.CostUSD != nil {
		v += *s.rep.Usage.CostUSD
	}
	s.rep.Usage.CostUSD = &v
}

// fail notes a fault; the first one with a name stays.
func (s *stream) fail(f Fault, message string) {
	if s.rep.Fault == FaultNone {
		s.rep.Fault, s.rep.Message = f, message
	}
}

// maxLiveLine bounds a line that is shown while a client runs.
const maxLiveLine = 200

// faultOf names the fault behind a status (0 = none) and a message of a service
// or a client.
func faultOf(status int, message string) Fault {
	m := strings.ToLower(message)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(m, w) {
				return true
			}
		}
		return false
	}
	if status == 0 {
		if hit := statusWords.FindStringSubmatch(m); hit != nil {
			status, _ = strconv.Atoi(hit[1])
		}
	}
	switch {
	case has("budget"):
		return FaultBudget
	case has("context window", "context length", "context_length", "prompt is too long", "maximum context", "input is too long", "too many tokens"):
		return FaultContext
	case has("quota", "billing", "insufficient_funds", "credit balance", "out of credits") || status == 402:
		return FaultQuota
	case status == 429 || has("rate limit", "rate_limit", "too many requests"):
		return FaultRate
	case status == 401 || status == 403 || has("api key", "unauthorized", "unauthenticated", "authenticat", "not logged in", "/login"):
		return FaultAuth
	case status == 404 && has("model"), has("model_not_found", "model not found", "not a valid model", "issue with the selected model", "invalid model", "unknown model"),
		has("model") && has("does not exist", "is not supported when using"):
		return FaultModel
	case status >= 500 || has("high demand", "overloaded", "server had an error", "internal server error"):
		return FaultServer
	case has("max_output_tokens", "maximum output", "token limit"):
		return FaultLength
	case has("malformed response", "stream closed before", "without a finish reason", "empty or malformed", "incomplete json", "unexpected token", "empty response", "invalid stream"):
		return FaultProtocol
	case has("connection", "connect", "network", "econnrefused", "enotfound", "disconnected", "dns", "socket", "fetch failed", "timed out", "timeout"):
		return FaultNetwork
	case status >= 400 || has("model"):
		return FaultRequest
	}
	return FaultServer
}

// statusWords finds an HTTP status in a message, never a number of another kind.
var statusWords = regexp.MustCompile(`(?:status:? |"code":|api error: |^)([45]\d\d)\b`)

// decode reads one event into v; false for what is no JSON object of its shape.
func (s *stream) decode(line []byte, v any) bool {
	if err := json.Unmarshal(line, v); err != nil {
		return false
	}
	s.rep.Events++
	return true
}

// toolStage names the stage that a tool belongs to.
func toolStage(name string) string {
	n := strings.ToLower(name)
	switch {
	case strings.Contains(n, "edit") || strings.Contains(n, "write") || strings.Contains(n, "patch") || n == "replace" || n == "multiedit":
		return "editing"
	case strings.Contains(n, "bash") || strings.Contains(n, "shell") || strings.Contains(n, "exec"):
		return "running"
	}
	return "reading"
}

// count makes a token count out of whatever a client wrote.
func count64(n float64) int64 {
	if n > 0 && n < 1e15 {
		return int64(n)
	}
	return 0
}
