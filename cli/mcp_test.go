package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atoll/config/suitetest"
)

// client starts `atoll mcp` as a coding agent does.
func client(t *testing.T, dir string, args ...string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
	cmd := command(t, dir, append([]string{"mcp"}, args...)...)
	s, err := c.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// called is the answer of a tool, and whether it is a refusal.
func called(t *testing.T, s *mcp.ClientSession, tool string, args any) (text string, refused bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	return text, res.IsError
}

type args = map[string]any

func TestACodingAgentLooksAndDecidesOverMCP(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	s := client(t, dir, "--allow", "decide")
	for tool, in := range map[string]args{
		"status": {}, "niches": {}, "front": {}, "candidates": {"best": true, "limit": 3}, "show": {"id": "best"}, "diff": {"id": "best", "from": "c0"}, "lineage": {"id": "root"},
		"jobs": {"state": "failed"}, "job": {"id": "#3"}, "activity": {}, "lessons": {}, "wait": {"seconds": 1},
	} {
		text, refused := called(t, s, tool, in)
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); refused || err != nil {
			t.Errorf("%s: %v %.300s", tool, err, text)
		}
	}
	for _, uri := range []string{"atoll://status", "atoll://archive", "atoll://curves", "atoll://report", "atoll://candidate/best"} {
		if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil || len(r.Contents) != 1 || r.Contents[0].Text == "" {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if text, refused := called(t, s, "status", args{}); refused || !strings.Contains(text, `"rung":"`) || strings.Contains(text, `"rung":""`) {
		t.Errorf("the rung is not told: %s", text)
	}
	if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "atoll://report"}); err != nil || r.Contents[0].MIMEType != "text/markdown" || !strings.HasPrefix(r.Contents[0].Text, "# ") {
		t.Errorf("the report: %v %+v", err, r)
	}
	if text, refused := called(t, s, "reject", args{"of": []string{"c3"}, "text": "no"}); refused || !strings.Contains(text, "c3") {
		t.Fatalf("reject: %s", text)
	}
	if d := lastDecision(t, dir); !strings.Contains(d, `"reject"`) || !strings.Contains(d, "(mcp)") {
		t.Errorf("the log has %s", d)
	}
	if out := must(t, dir, "undo"); !strings.Contains(out, "c3") {
		t.Errorf("undo takes back: %s", out)
	}
}

func TestACodingAgentIsRefusedWhatItMayNot(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "every refusal on a server of its own; TestACodingAgentLooksAndDecidesOverMCP stands for it")
	dir := finished(t)
	looks := client(t, dir)
	list, err := looks.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("one that may only look has %s", tool.Name)
		}
	}
	decides := client(t, dir, "--allow", "decide")
	if list, err = decides.ListTools(t.Context(), nil); err != nil || slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "promote" || tool.Name == "set" }) {
		t.Errorf("one that decides has what is an admin's (%v)", err)
	}
	rules := client(t, dir, "--allow", "admin")
	for _, c := range []struct {
		name, tool string
		s          *mcp.ClientSession
		in         args
		word       string
	}{
		{"a decision of one that looks", "reject", looks, args{"of": []string{"c1"}}, "unknown tool"},
		{"a branch of one that decides", "promote", decides, args{"id": "c1"}, "unknown tool"},
		{"a field that does not exist", "status", looks, args{"sudo": true}, "sudo"},
		{"a number for a name", "show", looks, args{"id": 7}, "type"},
		{"a path for a name", "show", looks, args{"id": "../../etc/passwd"}, "no candidate"},
		{"nothing to decide about", "reject", decides, args{"of": []string{}}, "what it is about"},
		{"the root", "reject", decides, args{"of": []string{"root"}}, "compared with"},
		{"ten megabytes", "note", decides, args{"text": strings.Repeat("a", 10<<20)}, "maxLength"},
		{"a branch whose name is an option", "promote", rules, args{"id": "c1", "branch": "--force"}, "branch"},
		{"a revision that is an option", "inject", rules, args{"revision": "--output=/tmp/x"}, "no commit"},
		{"a setting that is frozen", "set", rules, args{"key": "evaluator.command", "value": "true"}, "evaluator.command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if text, refused := called(t, c.s, c.tool, c.in); !refused || !strings.Contains(text, c.word) || len(text) > 2100 {
				t.Errorf("refused %v: %.300s; want %q", refused, text, c.word)
			}
		})
	}
	t.Run("a role that does not exist", func(t *testing.T) { refused(t, atoll(t, dir, "mcp", "--allow", "everything"), "no role") })
}

// bearer adds a token to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// speaksWithAgents is a part of TestAServer.
func speaksWithAgents(t *testing.T, dir string) {
	s := serving(t, dir)
	for token, tools := range map[string][2]bool{"": {}, looker: {}, decider: {true, false}, ruler: {true, true}} {
		c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
		session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"reject", "promote"} {
			has := slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool {
				return tool.Name == name
			})
			if has != tools[i] {
				t.Errorf("with the token %q it has %s: %v", token, name, has)
			}
		}
		if text, refused := called(t, session, "status", args{}); refused || !strings.Contains(text, "deceptive") {
			t.Errorf("status: %s", text)
		}
		_ = session.Close()
	}
}

func TestWhatAPersonWroteIntoASkillStaysAndIsKeptWhereItIsReplaced(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := command(t, dir, append([]string{"mcp"}, args...)...)
		cmd.Env = append(cmd.Env, "HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
		return string(out)
	}
	skills := filepath.Join(home, ".claude", "skills")
	run("install", "claude", "--yes")
	file := filepath.Join(skills, "atoll-status", "SKILL.md")
	if err := os.WriteFile(file, []byte("my own words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run("uninstall", "claude", "--yes"); !strings.Contains(out, file+" stays") {
		t.Errorf("uninstall says %s", out)
	}
	if left, err := os.ReadDir(skills); err != nil || len(left) != 1 || left[0].Name() != "atoll-status" {
		t.Errorf("of the skills is left: %v %v", left, err)
	}
	run("install", "claude", "--yes")
	kept, err := filepath.Glob(filepath.Join(home, ".claude", "atoll-status-SKILL.md.*.bak"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept: %v %v", kept, err)
	}
	if text, err := os.ReadFile(kept[0]); err != nil || string(text) != "my own words\n" {
		t.Errorf("the copy reads %s (%v)", text, err)
	}
}

func TestSettingsThatCannotBeChangedAreToldWithWhatToWrite(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(home, ".codex", "config.toml")
	text := "model = \"o\"\nbroken =\n"
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, dir, "mcp", "install", "codex", "--yes")
	cmd.Env = append(cmd.Env, "HOME="+home)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("taken: %s", out)
	}
	for _, word := range []string{"line 2", "nothing was written", "[mcp_servers.atoll]", `args = ["mcp"]`} {
		if !strings.Contains(string(out), word) {
			t.Errorf("no %q in:\n%s", word, out)
		}
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != text {
		t.Errorf("it reads %s (%v)", now, err)
	}
}

func TestAClientsSettingsAreChangedOnRequestAlone(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(home, ".claude.json")
	old := "{\n\t\"theme\": \"dark\"\n}\n"
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		cmd := command(t, dir, append([]string{"mcp"}, args...)...)
		cmd.Env = append(cmd.Env, "HOME="+home)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	unchanged := func(when string) {
		t.Helper()
		if now, err := os.ReadFile(file); err != nil || string(now) != old {
			t.Errorf("%s it reads %s (%v)", when, now, err)
		}
	}
	if out, err := run("install", "claude", "--print"); err != nil || !strings.Contains(out, `"mcpServers"`) {
		t.Fatalf("--print: %v %s", err, out)
	}
	unchanged("after --print")
	if out, err := run("install", "claude"); err == nil || !strings.Contains(out, "--yes") {
		t.Fatalf("with nobody there: %v %s", err, out)
	}
	unchanged("with nobody there")
	if out, err := run("install", "claude", "--yes", "--allow", "decide"); err != nil {
		t.Fatalf("install: %v %s", err, out)
	}
	now, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(now), `"decide"`) || !strings.Contains(string(now), `"theme"`) {
		t.Errorf("it reads %s (%v)", now, err)
	}
	if kept, err := filepath.Glob(file + ".*.bak"); err != nil || len(kept) != 1 {
		t.Errorf("kept: %v %v", kept, err)
	}
	if out, err := run("uninstall", "claude", "--yes"); err != nil {
		t.Fatalf("uninstall: %v %s", err, out)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != old {
		t.Errorf("it reads %s (%v)", now, err)
	}
	if left, err := os.ReadDir(filepath.Join(home, ".claude", "skills")); err != nil || len(left) != 0 {
		t.Errorf("of the skills is left: %v %v", left, err)
	}
	if kept, err := filepath.Glob(file + ".*.bak"); err != nil || len(kept) != 2 { // also of the same second
		t.Errorf("kept: %v %v", kept, err)
	}
	if out, err := run("install", "emacs", "--yes"); err == nil || !strings.Contains(out, "claude") {
		t.Errorf("a client that nobody knows: %s", out)
	}
}
