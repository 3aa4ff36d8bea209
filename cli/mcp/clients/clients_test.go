package clients_test

import (
	"encoding/json"
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
			gone, err := c.Uninstall(home, "atoll")
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
