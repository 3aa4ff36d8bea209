package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/agent"
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
func describe(c capture, r agent.ClientReport) string {
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
		r := agent.ReadStream(agent.StreamFormat(c.CLI), readCapture(t, c))
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
