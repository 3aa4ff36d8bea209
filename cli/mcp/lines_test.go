package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atoll/cli/mcp"
)

func TestAnIDIsTakenUntilItsRequestIsAnswered(t *testing.T) {
	t.Parallel()
	s := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	held, free := make(chan struct{}), make(chan struct{})
	sdk.AddTool(s, &sdk.Tool{Name: "hold"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		close(held)
		<-free
		return nil, map[string]bool{"held": true}, nil
	})
	in, say := io.Pipe()
	heard, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context(), mcp.Lines(in, out)) }()
	lines := bufio.NewScanner(heard)
	asked := func(line, want string) {
		t.Helper()
		if line != "" {
			if _, err := io.WriteString(say, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if want == "" {
			return
		}
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Fatalf("%s: got %s (%v), want %s", line, lines.Text(), lines.Err(), want)
		}
	}
	asked(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"id":1,`)
	asked(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
	asked(`{"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":"hold","arguments":{}}}`, "")
	<-held
	asked(`{"jsonrpc":"2.0","id":"\u0077","method":"ping"}`, `"code":-32600`)
	asked(`{"jsonrpc":"2.0","id":10}`, `"id":10,"error":{"code":-32600`)
	asked("{\"jsonrpc\":\"2.0\",\"id\":\"a\xe9\",\"method\":\"ping\"}", `"id":null,"error":{"code":-32600`)
	asked(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `"id":2,"result"`)
	close(free)
	asked("", `"id":"w","result"`)
	asked(`{"jsonrpc":"2.0","id":"w","method":"ping"}`, `"id":"w","result"`)
	if err := say.Close(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, heard) }()
	if err := <-ended; err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
