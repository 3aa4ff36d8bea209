package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Client is a program that starts servers.
type Client struct {
	Name string
	file []string // of its servers, below the home folder
	key  string   // the member of it that has the servers
	// stays is set where the program starts servers in the folder it works in;
	// others need to be told the repository.
	stays  bool
	skills []string // folder of skills below the home folder; nil: it has none
	entry  func(Server) any
	toml   bool
}

// All are the programs that are known, by name.
func All() []Client {
	return []Client{
		{Name: "claude", file: []string{".claude.json"}, key: "mcpServers", stays: true, skills: []string{".claude", "skills"}, entry: plainEntry},
		{Name: "codex", file: []string{".codex", "config.toml"}, key: "mcp_servers", stays: true, skills: []string{".codex", "skills"}, toml: true},
		{Name: "cursor", file: []string{".cursor", "mcp.json"}, key: "mcpServers", entry: plainEntry},
		{Name: "gemini", file: []string{".gemini", "settings.json"}, key: "mcpServers", stays: true, entry: plainEntry},
		{Name: "opencode", file: []string{".config", "opencode", "opencode.json"}, key: "mcp", stays: true, skills: []string{".config", "opencode", "skill"}, entry: opencodeEntry},
		{Name: "windsurf", file: []string{".codeium", "windsurf", "mcp_config.json"}, key: "mcpServers", entry: plainEntry},
	}
}

// Names are the names of [All].
func Names() []string {
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
	}
	return names
}

// Find returns the program of that name.
func Find(name string) (Client, error) {
	for _, c := range All() {
		if c.Name == name {
			return c, nil
		}
	}
	return Client{}, fmt.Errorf("%q is not known here; there are %s", name, strings.Join(Names(), ", "))
}

// Server is what a client starts.
type Server struct {
	Name    string // among the servers of the client
	Command string
	Args    []string
}

// For is the server as a client needs it: where the client does not start it in the
// repository, the arguments name that.
func (c Client) For(name, command, repository string, args ...string) Server {
	if !c.stays {
		args = append([]string{"-C", repository}, args...)
	}
	return Server{Name: name, Command: command, Args: args}
}

func plainEntry(s Server) any {
	return struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{s.Command, s.Args}
}

func opencodeEntry(s Server) any {
	return struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}{"local", append([]string{s.Command}, s.Args...), true}
}

// Edit is a file before and after. Old is nil where there is none, New nil where the
// file goes.
type Edit struct {
	Path     string
	Old, New []byte
}

// Same reports whether nothing changes.
func (e Edit) Same() bool { return string(e.Old) == string(e.New) }

// Install adds a server to the file of a client below home, or changes the one of
// that name.
func (c Client) Install(home string, s Server) (Edit, error) {
	return c.edit(home, func(old []byte) ([]byte, error) {
		if c.toml {
			rest := withoutTable(old, c.table(s.Name))
			if len(rest) > 0 && rest[len(rest)-1] != '\n' {
				rest = append(rest, '\n')
			}
			return append(rest, c.tableText(s, len(rest) > 0)...), nil
		}
		return c.patch(old, func(doc map[string]json.RawMessage) []operation {
			var ops []operation
			if doc[c.key] == nil {
				ops = append(ops, operation{Op: "add", Path: "/" + c.key, Value: map[string]any{}})
			}
			return append(ops, operation{Op: "add", Path: "/" + c.key + "/" + s.Name, Value: c.entry(s)})
		})
	})
}

// Uninstall takes a server out of the file of a client.
func (c Client) Uninstall(home, name string) (Edit, error) {
	return c.edit(home, func(old []byte) ([]byte, error) {
		if len(old) == 0 {
			return old, nil
		}
		if c.toml {
			return withoutTable(old, c.table(name)), nil
		}
		return c.patch(old, func(doc map[string]json.RawMessage) []operation {
			var servers map[string]json.RawMessage
			if json.Unmarshal(doc[c.key], &servers) != nil || servers[name] == nil {
				return nil
			}
			return []operation{{Op: "remove", Path: "/" + c.key + "/" + name}}
		})
	})
}

func (c Client) edit(home string, fn func(old []byte) ([]byte, error)) (Edit, error) {
	e := Edit{Path: filepath.Join(append([]string{home}, c.file...)...)}
	var err error
	if e.Old, err = os.ReadFile(e.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return e, err
	}
	if e.New, err = fn(slices.Clone(e.Old)); err != nil {
		return e, fmt.Errorf("%s: %w; nothing was written", e.Path, err)
	}
	return e, nil
}

// operation is one of a JSON Patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch changes a JSON document, which may have comments and trailing commas.
func (c Client) patch(old []byte, change func(doc map[string]json.RawMessage) []operation) ([]byte, error) {
	empty := len(strings.TrimSpace(string(old))) == 0
	if empty {
		old = []byte("{}")
	}
	plain, err := hujson.Standardize(slices.Clone(old))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(plain, &doc); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	ops := change(doc)
	if len(ops) == 0 {
		return old, nil
	}
	text, err := json.Marshal(ops)
	if err != nil {
		return nil, err
	}
	v, err := hujson.Parse(old)
	if err != nil {
		return nil, err
	}
	if err := v.Patch(text); err != nil {
		return nil, err
	}
	v.Format()
	return v.Pack(), nil
}

func (c Client) table(name string) string { return "[" + c.key + "." + name + "]" }

// tableText is a server as a table of TOML. JSON texts of printable characters are
// basic strings of TOML.
func (c Client) tableText(s Server, behind bool) []byte {
	words := make([]string, len(s.Args))
	for i, a := range s.Args {
		words[i] = tomlText(a)
	}
	text := fmt.Sprintf("%s\ncommand = %s\nargs = [%s]\ntool_timeout_sec = 60\n", c.table(s.Name), tomlText(s.Command), strings.Join(words, ", "))
	if behind {
		text = "\n" + text
	}
	return []byte(text)
}

func tomlText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return strings.TrimSpace(b.String())
}

// withoutTable takes a table and those below it out of a TOML document, with the
// empty lines before it.
func withoutTable(doc []byte, table string) []byte {
	below := strings.TrimSuffix(table, "]") + "."
	var kept []string
	inside := false
	for line := range strings.Lines(string(doc)) {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "[") {
			inside = head == table || strings.HasPrefix(head, table+" ") || strings.HasPrefix(head, table+"#") || strings.HasPrefix(head, below)
			for inside && len(kept) > 0 && strings.TrimSpace(kept[len(kept)-1]) == "" {
				kept = kept[:len(kept)-1]
			}
		}
		if !inside {
			kept = append(kept, line)
		}
	}
	return []byte(strings.Join(kept, ""))
}
