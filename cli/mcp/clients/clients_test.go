package clients_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"atoll/cli/mcp/clients"
)

// before are files as a person may have them.
var before = map[string]string{
	"claude":   `{"numStartups": 7, "mcpServers": {"other": {"command": "x"}}}`,
	"gemini":   "{\n  // my settings\n  \"theme\": \"dark\",\n}\n",
	"opencode": `{"$schema": "https://opencode.ai/config.json"}`,
	"codex":    "model = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[tui]\nnotifications = true\n",
}

func TestAServerIsAddedChangedAndTakenAway(t *testing.T) {
	for _, c := range clients.All() {
		for _, old := range []string{before[c.Name], ""} {
			home := t.TempDir()
			s := c.For("atoll", "/opt/my atoll", "/src/app", "mcp", "--allow", "decide")
			e := install(t, home, c, s, old)
			for _, word := range []string{"/opt/my atoll", "decide"} {
				if !strings.Contains(string(e.New), word) {
					t.Errorf("%s has no %q:\n%s", c.Name, word, e.New)
				}
			}
			for _, word := range []string{"other", "numStartups", "// my settings", "[tui]", "model"} {
				if strings.Contains(old, word) && !strings.Contains(string(e.New), word) {
					t.Errorf("%s lost %q:\n%s", c.Name, word, e.New)
				}
			}
			if c.Name == "cursor" && !strings.Contains(string(e.New), "/src/app") {
				t.Errorf("%s is not told the repository:\n%s", c.Name, e.New)
			}
			if again, err := c.Install(home, s); err != nil || !again.Same() {
				t.Errorf("%s: twice is not once: %v\n%s\n%s", c.Name, err, again.Old, again.New)
			}
			gone, err := c.Uninstall(home, "atoll", "/opt/my atoll")
			if err != nil || strings.Contains(string(gone.New), "my atoll") {
				t.Errorf("%s: still there: %v\n%s", c.Name, err, gone.New)
			}
			if c.Name == "codex" && string(gone.New) != old {
				t.Errorf("%s is not as before:\n%s", c.Name, gone.New)
			}
		}
	}
}

// install writes what installing gives, and checks that it is what the client reads.
func install(t *testing.T, home string, c clients.Client, s clients.Server, old string) clients.Edit {
	t.Helper()
	e, err := c.Install(home, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(e.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if old != "" {
		if err := os.WriteFile(e.Path, []byte(old), 0o644); err != nil {
			t.Fatal(err)
		}
		if e, err = c.Install(home, s); err != nil {
			t.Fatal(err)
		}
	}
	if c.Name != "codex" {
		plain, err := hujson.Standardize(append([]byte(nil), e.New...))
		if err != nil || !json.Valid(plain) {
			t.Errorf("%s: %v\n%s", c.Name, err, e.New)
		}
	}
	if err := os.WriteFile(e.Path, e.New, 0o644); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAFileThatCannotBeReadIsLeftAlone(t *testing.T) {
	c, err := clients.Find("claude")
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{`{"mcpServers": `, `[]`, `{"mcpServers": 7}`} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		if e, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp")); err == nil {
			t.Errorf("%s became %s", broken, e.New)
		}
	}
	if _, err := clients.Find("emacs"); err == nil {
		t.Error("a client that nobody knows is known")
	}
}

func TestASkillNamesToolsAndGoesAway(t *testing.T) {
	c, err := clients.Find("claude")
	if err != nil {
		t.Fatal(err)
	}
	edits, err := c.Skills(t.TempDir(), false)
	if err != nil || len(edits) != 5 {
		t.Fatalf("%d skills: %v", len(edits), err)
	}
	for _, e := range edits {
		name := filepath.Base(filepath.Dir(e.Path))
		if text := string(e.New); !strings.HasPrefix(text, "---\nname: "+name+"\n") || !strings.Contains(text, "\ndescription: ") {
			t.Errorf("%s begins with %.80s", e.Path, text)
		}
	}
	edits, err = c.Skills(t.TempDir(), true)
	if err != nil || len(edits) != 5 || edits[0].New != nil {
		t.Errorf("taken away: %v %v", edits, err)
	}
}

func TestOnlyItsOwnTableOfATOMLFileChanges(t *testing.T) {
	const entry = "[mcp_servers.atoll]\ncommand = \"atoll\"\nargs = [\"mcp\"]\ntool_timeout_sec = 60\n"
	const old = "[mcp_servers.atoll]\ncommand = \"/old/atoll\"\nargs = [\"mcp\"]\n"
	for name, tc := range map[string]struct{ before, after, gone string }{
		"no file":                            {"", entry, ""},
		"other tables":                       {"a = 1\n\n[tui]\nb = 2\n", "a = 1\n\n[tui]\nb = 2\n\n" + entry, "a = 1\n\n[tui]\nb = 2\n"},
		"no line end at its end":             {"a = 1", "a = 1\n\n" + strings.TrimSuffix(entry, "\n"), "a = 1"},
		"empty lines at its end":             {"a = 1\n\n\n", "a = 1\n\n\n\n" + entry, "a = 1\n\n\n"},
		"an older one in the middle":         {"a = 1\n\n" + old + "\n# of tui\n[tui]\nb = 2\n", "a = 1\n\n" + entry + "\n# of tui\n[tui]\nb = 2\n", "a = 1\n\n# of tui\n[tui]\nb = 2\n"},
		"one with tables below":              {old + "\n[mcp_servers.atoll.env]\nX = \"1\"\n\n[tui]\n", entry + "\n[tui]\n", "\n[tui]\n"},
		"quoted and spaced names":            {"[ mcp_servers . \"atoll\" ] # mine\ncommand = '/old/atoll'\nargs = ['mcp']\n", entry, ""},
		"a value in the table of all":        {"[mcp_servers]\natoll = {command = \"/old/atoll\", args = [\"mcp\"]}\nother = {command = \"x\"}\n", "[mcp_servers]\nother = {command = \"x\"}\n\n" + entry, "[mcp_servers]\nother = {command = \"x\"}\n"},
		"dotted names":                       {"mcp_servers.atoll.command = \"/old/atoll\"\nmcp_servers.atoll.args = [\"mcp\"]\nmcp_servers.other.command = \"x\"\n", "mcp_servers.other.command = \"x\"\n\n" + entry, "mcp_servers.other.command = \"x\"\n"},
		"a text that looks like the table":   {"text = \"\"\"\n[mcp_servers.atoll]\ncommand = 1\n\"\"\"\n", "text = \"\"\"\n[mcp_servers.atoll]\ncommand = 1\n\"\"\"\n\n" + entry, "text = \"\"\"\n[mcp_servers.atoll]\ncommand = 1\n\"\"\"\n"},
		"a remark that looks like the table": {"# [mcp_servers.atoll]\na = 1\n", "# [mcp_servers.atoll]\na = 1\n\n" + entry, "# [mcp_servers.atoll]\na = 1\n"},
		"a name that begins like it":         {"[mcp_servers.atoll2]\ncommand = \"x\"\n", "[mcp_servers.atoll2]\ncommand = \"x\"\n\n" + entry, "[mcp_servers.atoll2]\ncommand = \"x\"\n"},
		"an array over lines with brackets":  {"[mcp_servers.atoll]\ncommand = \"atoll\"\nargs = [\n  \"mcp\",\n  \"[tui]\", # why\n]\n\n[tui]\n", entry + "\n[tui]\n", "\n[tui]\n"},
		"line ends of Windows":               {"a = 1\r\n[tui]\r\nb = 2\r\n", "a = 1\r\n[tui]\r\nb = 2\r\n\r\n" + strings.ReplaceAll(entry, "\n", "\r\n"), "a = 1\r\n[tui]\r\nb = 2\r\n"},
		"line ends of both kinds":            {"a = 1\r\n[tui]\nb = 2\n" + old, "a = 1\r\n[tui]\nb = 2\n" + strings.ReplaceAll(entry, "\n", "\r\n"), "a = 1\r\n[tui]\nb = 2\n"},
		"numbers that are none, and dates":   {"a = nan\nb = inf\nc = 1979-05-27T07:32:00Z\nd = 07:32:00\n", "a = nan\nb = inf\nc = 1979-05-27T07:32:00Z\nd = 07:32:00\n\n" + entry, "a = nan\nb = inf\nc = 1979-05-27T07:32:00Z\nd = 07:32:00\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c, home := settings(t, "codex", tc.before)
			e, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp"))
			if err != nil || string(e.New) != tc.after {
				t.Fatalf("%v\ngot:\n%q\nwant:\n%q", err, e.New, tc.after)
			}
			if err := os.WriteFile(e.Path, e.New, 0o600); err != nil {
				t.Fatal(err)
			}
			if again, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp")); err != nil || !again.Same() {
				t.Errorf("twice is not once: %v\n%q", err, again.New)
			}
			if e, err = c.Uninstall(home, "atoll", "atoll"); err != nil || string(e.New) != tc.gone {
				t.Errorf("taken away: %v\ngot:\n%q\nwant:\n%q", err, e.New, tc.gone)
			}
		})
	}
}

// settings is a client with a file of settings; text "" means none.
func settings(t *testing.T, client, text string) (clients.Client, string) {
	t.Helper()
	c, err := clients.Find(client)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	e, err := c.Uninstall(home, "atoll", "atoll")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(e.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := os.WriteFile(e.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c, home
}

func TestSettingsThatAreNotWhatTheyShouldBeAreRefusedWithTheLine(t *testing.T) {
	for name, tc := range map[string]struct{ client, text, says string }{
		"broken TOML":                     {"codex", "a = 1\nb = \n", "line 2"},
		"a key of TOML twice":             {"codex", "a = 1\n\na = 2\n", "line 3"},
		"a table of TOML twice":           {"codex", "[mcp_servers.atoll]\na = 1\n[mcp_servers.atoll]\nb = 1\n", "line 3"},
		"servers in an inline table":      {"codex", "x = 1\nmcp_servers = {other = {command = \"x\"}}\n", "line 2: mcp_servers is an inline table"},
		"servers in a list":               {"codex", "[[mcp_servers]]\nname = \"x\"\n", "line 1: mcp_servers is a list there"},
		"servers that are a text":         {"codex", "mcp_servers = \"x\"\n", "line 1: mcp_servers is no table there"},
		"JSON that is no UTF-8":           {"claude", "{\n\"a\": \"\xe9\"}", "line 2: it is no UTF-8"},
		"TOML that is no UTF-8":           {"codex", "a = \"\xe9\"\n", "line 1"},
		"half a line end":                 {"codex", "a = 1\rb = 2\n", "line 1"},
		"servers of JSON twice":           {"claude", "{\"mcpServers\": {},\n \"mcpServers\": {}}", `line 2: "mcpServers" stands there a second time`},
		"the server of JSON twice":        {"gemini", "{\"mcpServers\": {\n\"atoll\": {}, // mine\n\"\\u0061toll\": {}}}", `line 3: "atoll" stands there a second time`},
		"servers of JSON that are a list": {"cursor", "{\n\"mcpServers\": []}", "line 2: an object is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			c, home := settingsAsTheyAre(t, tc.client, tc.text)
			e, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp"))
			refusal := (*clients.Refusal)(nil)
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "nothing was written") {
				t.Fatalf("got %v and %q, want %q", err, e.New, tc.says)
			}
			if !strings.Contains(refusal.Paste, "atoll") || !strings.Contains(refusal.Paste, "mcp") {
				t.Errorf("nothing to write instead: %q", refusal.Paste)
			}
		})
	}
}

// settingsAsTheyAre are those of a client whose file may be broken.
func settingsAsTheyAre(t *testing.T, client, text string) (clients.Client, string) {
	t.Helper()
	c, home := settings(t, client, "")
	e, err := c.Uninstall(home, "atoll", "atoll")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.Path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return c, home
}

func TestALinkToNowhereIsLeftAlone(t *testing.T) {
	for _, c := range clients.All() {
		c, home := settings(t, c.Name, "")
		e, err := c.Uninstall(home, "atoll", "atoll")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(home, "dotfiles"), e.Path); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Install(home, c.For("atoll", "atoll", "/src", "mcp")); err == nil || !strings.Contains(err.Error(), "dotfiles, which is not there") {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}
