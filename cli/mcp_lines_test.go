package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// spoken is `atoll mcp` as somebody sees it who writes its lines by hand.
type spoken struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
}

func speak(t *testing.T, dir string, args ...string) *spoken {
	t.Helper()
	cmd := command(t, dir, append([]string{"mcp"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Cancel = func() error { // at the end of the test, before its clean-up
		_ = in.Close()
		return os.ErrProcessDone
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &spoken{t: t, in: in, out: bufio.NewScanner(out)}
	s.out.Buffer(nil, 8<<20)
	t.Cleanup(func() {
		for s.out.Scan() {
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	return s
}

func (s *spoken) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("nobody reads any more: %v", err)
	}
}

// answer is the next line, as "ID CODE" or "ID ok".
func (s *spoken) answer(to string) string {
	s.t.Helper()
	if !s.out.Scan() {
		s.t.Fatalf("%s: no answer: %v", to, s.out.Err())
	}
	var m struct {
		ID    json.RawMessage
		Error *struct{ Code int }
	}
	if err := json.Unmarshal(s.out.Bytes(), &m); err != nil {
		s.t.Fatalf("%v: %s", err, s.out.Text())
	}
	if m.Error != nil {
		return fmt.Sprintf("%s %d", m.ID, m.Error.Code)
	}
	return fmt.Sprintf("%s ok", m.ID)
}

func TestALineThatIsNoMessageIsAnsweredAndTheNextOneRead(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a server for each line; TestACodingAgentLooksAndDecidesOverMCP stands for it")
	for _, args := range [][]string{{}, {"--evo"}} {
		t.Run(strings.Join(append([]string{"mcp"}, args...), " "), func(t *testing.T) {
			dir := plot(t, "budget: {jobs: 2}")
			must(t, dir, "run", "--headless")
			s := speak(t, dir, args...)
			s.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if got := s.answer("initialize"); got != "1 ok" {
				t.Fatalf("initialize: %s", got)
			}
			s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
			for _, c := range []struct{ name, line, want string }{
				{"words", "hello", "null -32700"},
				{"half a message", `{"jsonrpc":"2.0","id":3,`, "null -32700"},
				{"two messages in one line", ping("4") + ping("5"), "null -32700"},
				{"a text", `"ping"`, "null -32600"},
				{"no version", `{"id":6,"method":"ping"}`, "6 -32600"},
				{"another version", `{"jsonrpc":"1.0","id":"seven","method":"ping"}`, `"seven" -32600`},
				{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null -32600"},
				{"an id that is no whole number", ping("1.5"), "1.5 -32600"},
				{"an id that is written as another number", ping("1e2"), "1e2 -32600"},
				{"an id beyond what numbers hold", ping("12345678901234567890123"), "12345678901234567890123 -32600"},
				{"an id that a number would round", ping("9007199254740993"), "9007199254740993 -32600"},
				{"an id that is null", ping("null"), "null -32600"},
				{"an id below nothing", ping("-3"), "-3 ok"},
				{"an id with signs", ping(`"a<b>&\u00e9"`), `"a<b>&é" ok`},
				{"an id of half a sign", ping(`"\ud800"`), "\"\\ud800\" -32600"},
				{"an object without anything", `{}`, "null -32600"},
				{"an id and nothing else", `{"jsonrpc":"2.0","id":10}`, "10 -32600"},
				{"an id that is no UTF-8", ping("\"a\xe9\""), "null -32600"},
				{"an empty batch", `[]`, "null -32600"},
				{"a batch of one", `[` + ping("8") + `]`, "8 ok"},
				{"no such method", `{"jsonrpc":"2.0","id":9,"method":"explode"}`, "9 -32601"},
				{"ten megabytes that say nothing", strings.Repeat("a", 10<<20), "null -32700"},
				{"twenty megabytes, the id first", `{"jsonrpc":"2.0","id":10,"method":"ping","params":{"a":"` + strings.Repeat("a", 20<<20) + `"}}`, "10 -32600"},
				{"twenty megabytes, the id last", `{"params":{"a":"` + strings.Repeat("a", 20<<20) + `"},"method":"ping","jsonrpc":"2.0","id":"eleven"}`, `"eleven" -32600`},
				{"a message like any", ping("12"), "12 ok"},
			} {
				s.say(c.line)
				if got := s.answer(c.name); got != c.want {
					t.Errorf("%s: answered with %s, want %s", c.name, got, c.want)
				}
			}
			for _, nobody := range []string{"", "  ", `{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, `{"jsonrpc":"2.0","method":"notifications/unheard"}`} {
				s.say(nobody) // which needs no answer
			}
			s.say(`[` + ping("13") + `,{"jsonrpc":"2.0","id":14,"result":{}},7]`)
			got := map[string]bool{s.answer("a batch"): true, s.answer("a batch"): true}
			if !got["13 ok"] || !got["null -32600"] {
				t.Errorf("a batch: %v", got)
			}
			s.say(ping("15"))
			if got := s.answer("the end"); got != "15 ok" {
				t.Errorf("at the end: %s", got)
			}
		})
	}
}
