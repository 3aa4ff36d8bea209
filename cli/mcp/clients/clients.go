package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
	// Copy is how the path of a copy of Old begins; "" where Old came from here and needs
	// none.
	Copy string
}

// Same reports whether nothing changes.
func (e Edit) Same() bool { return string(e.Old) == string(e.New) }

// Refusal is why a file is left as it is, and what a person may write there instead.
type Refusal struct {
	Path  string
	Why   error
	Paste string // "": nothing would help
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %v; nothing was written", r.Path, r.Why) }

// Unwrap returns why.
func (r *Refusal) Unwrap() error { return r.Why }

// Install adds a server to the file of a client below home, or changes the one of
// that name. The error is a [*Refusal] where the file is not what it should be.
func (c Client) Install(home string, s Server) (Edit, error) {
	return c.edit(home, c.paste(s), func(old []byte) ([]byte, error) {
		if c.toml {
			return withTable(old, []string{c.key, s.Name}, c.tableText(s))
		}
		return c.patch(old, s.Name, func(servers *hujson.Value) []operation {
			var ops []operation
			if servers == nil {
				ops = append(ops, operation{Op: "add", Path: "/" + c.key, Value: map[string]any{}})
			}
			return append(ops, operation{Op: "add", Path: "/" + c.key + "/" + s.Name, Value: c.entry(s)})
		})
	})
}

// Uninstall takes a server out of the file of a client.
func (c Client) Uninstall(home, name string) (Edit, error) {
	return c.edit(home, "", func(old []byte) ([]byte, error) {
		if len(old) == 0 {
			return old, nil
		}
		if c.toml {
			return withTable(old, []string{c.key, name}, nil)
		}
		return c.patch(old, name, func(servers *hujson.Value) []operation {
			if servers == nil || servers.Find("/"+name) == nil {
				return nil
			}
			return []operation{{Op: "remove", Path: "/" + c.key + "/" + name}}
		})
	})
}

// paste is what a person writes to have a server.
func (c Client) paste(s Server) string {
	if c.toml {
		return string(c.tableText(s))
	}
	text, _ := json.MarshalIndent(map[string]any{c.key: map[string]any{s.Name: c.entry(s)}}, "", "  ") // texts always can be
	return string(text) + "\n"
}

func (c Client) edit(home, paste string, fn func(old []byte) ([]byte, error)) (Edit, error) {
	e := Edit{Path: filepath.Join(append([]string{home}, c.file...)...)}
	e.Copy = e.Path
	var err error
	if e.Old, err = readSettings(e.Path); err == nil {
		e.New, err = fn(slices.Clone(e.Old))
	}
	if err != nil {
		return e, &Refusal{Path: e.Path, Why: err, Paste: paste}
	}
	return e, nil
}

// readSettings returns nil for a file that is not there. A link to nowhere is an error:
// whoever made it keeps the file elsewhere.
func readSettings(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if !errors.Is(err, os.ErrNotExist) {
		return data, err
	}
	if to, err := os.Readlink(path); err == nil {
		return nil, fmt.Errorf("it is a link to %s, which is not there: make that file, or remove the link", to)
	}
	return nil, nil
}

// operation is one of a JSON Patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch changes a JSON document, which may have comments and trailing commas: the
// server of that name and nothing else. change is told the servers, nil where there
// are none.
func (c Client) patch(old []byte, name string, change func(servers *hujson.Value) []operation) ([]byte, error) {
	if len(strings.TrimSpace(string(old))) == 0 {
		old = []byte("{}")
	}
	before, err := c.others(old, name)
	if err != nil {
		return nil, err
	}
	v, err := hujson.Parse(old)
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	servers, err := member(old, &v, c.key)
	if err != nil {
		return nil, err
	}
	if servers != nil {
		if _, err := member(old, servers, name); err != nil {
			return nil, err
		}
	}
	ops := change(servers)
	if len(ops) == 0 {
		return old, nil
	}
	text, err := json.Marshal(ops)
	if err != nil {
		return nil, err
	}
	if err := v.Patch(text); err != nil {
		return nil, err
	}
	v.Format()
	out := v.Pack()
	if after, err := c.others(out, name); err != nil || !reflect.DeepEqual(before, after) {
		return nil, errors.New("the change would reach other settings as well")
	}
	return out, nil
}

// member is the value that an object has under a name, nil for none. A name that
// stands there twice is an error: programs disagree which one counts.
func member(doc []byte, v *hujson.Value, name string) (*hujson.Value, error) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("line %d: an object is expected there", lineOf(doc, v))
	}
	var found *hujson.Value
	for i := range object.Members {
		m := &object.Members[i]
		if text, ok := m.Name.Value.(hujson.Literal); !ok || text.String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("line %d: %q stands there a second time, and programs disagree which one counts: remove one", lineOf(doc, &m.Name), name)
		}
		found = &m.Value
	}
	return found, nil
}

func lineOf(doc []byte, v *hujson.Value) int {
	return 1 + bytes.Count(doc[:v.StartOffset], []byte("\n"))
}

// others are the values of a document without the server of that name.
func (c Client) others(doc []byte, name string) (map[string]any, error) {
	plain, err := hujson.Standardize(slices.Clone(doc))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if servers, ok := values[c.key].(map[string]any); ok {
		if delete(servers, name); len(servers) == 0 {
			delete(values, c.key)
		}
	}
	return values, nil
}
