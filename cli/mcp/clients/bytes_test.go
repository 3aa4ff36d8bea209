package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"atoll/cli/mcp/clients"
)

// texts are settings as people and programs write them.
var texts = map[string]string{
	"none at all":                "",
	"nothing but a line end":     "\n",
	"an empty object":            "{}",
	"an empty object and line":   "{}\n",
	"an object of a line end":    "{\n}\n",
	"an object of a comment":     "{ // mine\n}\n",
	"one line":                   `{"$schema":"https://x/<y>&z","n":1.0e5}`,
	"one line with servers":      `{"KEY": {"other": {"command": "x", "args": []}}, "z": 1}`,
	"one line, no servers":       `{"a": 1, "KEY": {}}`,
	"servers of a line end":      "{\n  \"a\": 1,\n  \"KEY\": {\n  }\n}\n",
	"servers of nothing":         "{\n  \"a\": 1,\n  \"KEY\": {}\n}\n",
	"no servers":                 "{\n  \"a\": 1,\n  \"b\": [1,2,\n 3]\n}\n",
	"escapes and odd spaces":     "{\n\t\"a\" :\t\"\\u003cb\\u003e \\/ \\u00e9\",\n\t\t\"n\": 1.50,\n\"big\": 12345678901234567890\n\n}\n\n",
	"tabs and servers":           "{\n\t\"KEY\": {\n\t\t\"other\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t},\n\t\"z\": true\n}",
	"four spaces":                "{\n    \"a\": {\n        \"b\": 1\n    }\n}\n",
	"comments":                   "// of mine\n{\n  \"a\": 1, // one\n  /* two */ \"b\": 2 // last\n  // end\n}\n// after\n",
	"trailing commas":            "{\n  \"KEY\": {\n    \"other\": {\"command\": \"x\",}, // o\n  },\n}\n",
	"a trailing comma on a line": `{"a": 1, }`,
	"line ends of Windows":       "{\r\n  \"a\": 1\r\n}\r\n",
	"a comment on the last line": "{\"a\": 1 // c\n}",
}

func TestInstallingAndTakingOutLeavesTheBytesFromBefore(t *testing.T) {
	for _, c := range clients.All() {
		key := map[string]string{"opencode": "mcp"}[c.Name]
		if key == "" {
			key = "mcpServers"
		}
		for name, text := range texts {
			if c.Name == "codex" {
				break
			}
			t.Run(c.Name+"/"+name, func(t *testing.T) { thereAndBack(t, c.Name, strings.ReplaceAll(text, "KEY", key)) })
		}
	}
	for name, text := range map[string]string{
		"an empty file": "", "no line end": "a = 1", "lines behind": "a = 1\n\n\n", "windows": "a = 1\r\n[x]\r\nb = 2\r\n", "windows without an end": "a = 1\r\nb = 2",
	} {
		t.Run("codex/"+name, func(t *testing.T) { thereAndBack(t, "codex", text) })
	}
	for _, c := range clients.All() {
		t.Run(c.Name+"/no file", func(t *testing.T) {
			c, home := settings(t, c.Name, "")
			e := write(t, c, home, c.For("atoll", "atoll", "/src", "mcp"))
			gone, err := c.Uninstall(home, "atoll", "atoll")
			if err != nil || gone.New != nil || gone.Copy != "" || gone.Same() {
				t.Errorf("from none there is %q (%v), after\n%s", gone.New, err, e.New)
			}
		})
	}
}

// write carries an installation out.
func write(t *testing.T, c clients.Client, home string, s clients.Server) clients.Edit {
	t.Helper()
	e, err := c.Install(home, s)
	if err == nil {
		err = os.WriteFile(e.Path, e.New, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// thereAndBack installs into a file, changes what is allowed, and takes all out again.
func thereAndBack(t *testing.T, client, text string) {
	t.Helper()
	c, home := settingsAsTheyAre(t, client, text)
	first := write(t, c, home, c.For("atoll", "atoll", "/src", "mcp"))
	if again, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp")); err != nil || !again.Same() {
		t.Errorf("twice is not once (%v):\n%s\n%s", err, again.Old, again.New)
	}
	rest := first.New // every byte from before is still there, in its order
	for i := range len(text) {
		at := strings.IndexByte(string(rest), text[i])
		if at < 0 {
			t.Fatalf("byte %d of %q is gone in\n%s", i, text, first.New)
		}
		rest = rest[at+1:]
	}
	if client != "codex" { // there the whole table is the server
		write(t, c, home, c.For("atoll", "/opt/atoll", "/src", "mcp", "--allow", "decide"))
	}
	gone, err := c.Uninstall(home, "atoll", "atoll")
	if err != nil || gone.New == nil || string(gone.New) != text {
		t.Errorf("%q became %q (%v) after\n%s", text, gone.New, err, gone.Old)
	}
}

func TestAServerIsWrittenInTheStyleOfItsFile(t *testing.T) {
	for _, tc := range []struct{ before, after string }{
		{"{\n    \"a\": 1 // one\n}\n", "{\n    \"a\": 1, // one\n    \"mcpServers\": {\n        \"atoll\": {\n            \"command\": \"atoll\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n"},
		{`{"a":"\u003c"}`, `{"a":"\u003c", "mcpServers": { "atoll": {"command": "atoll", "args": ["mcp"]} }}`},
		{"{\n\t\"mcpServers\": {},\n}", "{\n\t\"mcpServers\": {\"atoll\": {\"command\": \"atoll\", \"args\": [\"mcp\"]}},\n}"},
		{
			"{\"mcpServers\": {\n  \"atoll\": {\"command\": \"/old/atoll\", \"args\": [ \"mcp\" ], \"env\": {\"A\":\"1\"}}}}",
			"{\"mcpServers\": {\n  \"atoll\": {\"command\": \"atoll\", \"args\": [ \"mcp\" ], \"env\": {\"A\":\"1\"}}}}",
		},
	} {
		c, home := settings(t, "claude", tc.before)
		if e, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp")); err != nil || string(e.New) != tc.after {
			t.Errorf("%v, got\n%s\nwant\n%s", err, e.New, tc.after)
		}
	}
}

func TestAServerOfAPersonWithTheSameNameStays(t *testing.T) {
	for client, text := range map[string]string{
		"claude": "{\"mcpServers\": {\"atoll\": {\"command\": \"npx\", \"args\": [\"my-atoll\"]}}}", "gemini": "{\"mcpServers\": {\"atoll\": {\"httpUrl\": \"https://atoll.example/mcp\"}}}",
		"opencode": "{\"mcp\": {\"atoll\": {\"type\": \"remote\", \"url\": \"https://atoll.example\"}}}", "codex": "[mcp_servers.atoll]\nurl = \"https://atoll.example\"\n",
		"cursor": "{\"mcpServers\": {\"atoll\": {\"command\": \"other\", \"args\": [\"mcp\"]}}}",
	} {
		c, home := settings(t, client, text)
		if e, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp")); err == nil || !strings.Contains(err.Error(), "--name") {
			t.Errorf("%s: installed over it (%v):\n%s", client, err, e.New)
		}
		if e, err := c.Uninstall(home, "atoll", "atoll"); err == nil || !strings.Contains(err.Error(), "did not come from here") {
			t.Errorf("%s: taken out (%v):\n%s", client, err, e.New)
		}
	}
}

func TestASkillOfAPersonStays(t *testing.T) {
	c, home := settings(t, "claude", "")
	edits, err := c.Skills(home, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range edits {
		if err := os.MkdirAll(filepath.Dir(e.Path), 0o755); err != nil {
			t.Fatal(err)
		}
		text := e.New
		if i == 0 {
			text = []byte("mine\n")
		}
		if err := os.WriteFile(e.Path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edits, err = c.Skills(home, true)
	if err != nil || !edits[0].Same() || edits[1].New != nil {
		t.Errorf("%v %v", edits, err)
	}
}

func TestSettingsThatAreAPipeAreRefused(t *testing.T) {
	for _, c := range clients.All() {
		c, home := settings(t, c.Name, "")
		e, err := c.Uninstall(home, "atoll", "atoll")
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(e.Path, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp")); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}
