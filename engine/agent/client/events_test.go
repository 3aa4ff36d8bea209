package client

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updateEvents = flag.Bool("update-events", false, "write testdata/events.golden anew")

// capture is one entry of the manifest of captured runs.
type capture struct {
	File string `json:"file"`
	CLI  string `json:"cli"`
	Exit *int   `json:"exit_code"`
}

func captures(t testing.TB) []capture {
	t.Helper()
	data, err := os.ReadFile("testdata/events/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []capture
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func readCapture(t testing.TB, c capture) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/events", c.File))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// describe is one line of the golden file.
func describe(c capture, r Report) string {
	cost := "-"
	if r.Usage.CostUSD != nil {
		cost = fmt.Sprintf("%.6f", *r.Usage.CostUSD)
	}
	exit := "signal"
	if c.Exit != nil {
		exit = fmt.Sprint(*c.Exit)
	}
	final := strings.ReplaceAll(r.Final, "\n", `\n`)
	if len(final) > 60 {
		final = final[:60]
	}
	return fmt.Sprintf("%-28s exit=%-6s ended=%-5t fault=%-14s class=%-8s counted=%-5t in=%d out=%d n=%d cost=%s refused=%d final=%q message=%q",
		c.File, exit, r.Ended, r.Fault, r.Fault.Class(), r.HasUsage, r.Usage.InputTokens, r.Usage.OutputTokens, r.Usage.Requests, cost, r.Refused, final, r.Message)
}

func TestEveryCapturedStreamIsUnderstood(t *testing.T) {
	var out bytes.Buffer
	for _, c := range captures(t) {
		r := ReadStream(Format(c.CLI), readCapture(t, c))
		fmt.Fprintln(&out, describe(c, r))
	}
	const golden = "testdata/events.golden"
	if *updateEvents {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, exp := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	if len(got) != len(exp) {
		t.Fatalf("%d streams, want %d", len(got), len(exp))
	}
	for i := range got {
		if got[i] != exp[i] {
			t.Errorf("got  %s\nwant %s", got[i], exp[i])
		}
	}
}

// faultsByCase is what the service was told to do in of each failure; cases
// that are not named end well, or without their end marker.
var faultsByCase = map[string]Fault{
	"auth": FaultAuth, "quota": FaultQuota, "ratelimit-fail": FaultRate, "error500": FaultServer,
	"context": FaultContext, "length": FaultLength, "garbage": FaultProtocol, "empty": FaultProtocol,
	"max-turns": FaultTurns, "turn-limit": FaultTurns, "max-budget": FaultBudget, "loop": FaultLoop,
	"empty-loop": FaultLoop, "rejected": FaultRefused, "schema-invalid": FaultProtocol,
}

func TestCapturedFailuresHaveTheFaultOfTheirCase(t *testing.T) {
	for _, c := range captures(t) {
		_, name, _ := strings.Cut(strings.TrimSuffix(c.File, ".jsonl"), "-")
		r := ReadStream(Format(c.CLI), readCapture(t, c))
		if r.Fault != faultsByCase[name] {
			t.Errorf("%s has fault %q, want %q", c.File, r.Fault, faultsByCase[name])
		}
		if cut := strings.HasPrefix(name, "hang") || name == "empty-loop"; r.Ended == cut {
			t.Errorf("%s ended: %t", c.File, r.Ended)
		}
	}
}

func TestACutStreamIsNeverASuccess(t *testing.T) {
	for _, c := range captures(t) {
		lines := bytes.SplitAfter(bytes.TrimSpace(readCapture(t, c)), []byte("\n"))
		r := ReadStream(Format(c.CLI), bytes.Join(lines[:len(lines)-1], nil))
		if r.Ended && r.Fault == FaultNone {
			t.Errorf("%s without its last line still ended well", c.File)
		}
	}
}

func FuzzStreams(f *testing.F) {
	formats := []Format{streamCodex, streamClaude, streamGemini, streamOpenCode, streamPi, streamText}
	for _, c := range captures(f) {
		f.Add(readCapture(f, c))
	}
	f.Add([]byte("Tokens: 2.3k sent, 45 received. Cost: $0.01 message, $0.02 session.\n"))
	f.Add([]byte(`{"type":"turn.completed","usage":{"input_tokens":1e300,"output_tokens":-5}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range formats {
			r := ReadStream(format, data)
			if r.Usage.InputTokens < 0 || r.Usage.OutputTokens < 0 || r.Usage.CostUSD != nil && !(*r.Usage.CostUSD >= 0) {
				t.Errorf("%s: usage %+v", format, r.Usage)
			}
			if strings.ContainsAny(r.Message, "\x1b\n\r") {
				t.Errorf("%s: message %q", format, r.Message)
			}
		}
	})
}

func TestAiderTellsWhatItUsed(t *testing.T) {
	r := ReadStream(streamText, []byte("Applied edit to a.py\nTokens: 2.3k sent, 145 received. Cost: $0.01 message, $0.02 session.\nTokens: 1,204 sent, 3 received.\n"))
	if r.Usage.InputTokens != 3504 || r.Usage.OutputTokens != 148 || r.Usage.CostUSD == nil || *r.Usage.CostUSD != 0.01 {
		t.Errorf("usage %+v", r.Usage)
	}
}
