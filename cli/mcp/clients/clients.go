package clients

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atoll/store/whole"
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
	entry  func(Server) []field
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

func plainEntry(s Server) []field {
	return []field{{"command", s.Command}, {"args", s.Args}}
}

func opencodeEntry(s Server) []field {
	return []field{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}, {"enabled", true}}
}

// serverIn is the server of a name among the values of a file; false where it starts no
// command.
func (c Client) serverIn(name string, servers map[string]any) (Server, bool) {
	entry, _ := servers[name].(map[string]any)
	command, plain := entry["command"].(string)
	list, _ := entry["args"].([]any)
	words := []string{command}
	if !plain {
		list, plain = entry["command"].([]any)
		words = nil
	}
	for _, one := range list {
		word, ok := one.(string)
		plain = plain && ok
		words = append(words, word)
	}
	if !plain || len(words) == 0 {
		return Server{}, false
	}
	return Server{Name: name, Command: words[0], Args: words[1:]}, true
}

// from reports whether a server is one that [Client.For] makes for a program, whatever
// it allows: it starts the program, or one of its name, with the verb mcp.
func (s Server) from(program string) bool {
	args := s.Args
	if len(args) > 2 && args[0] == "-C" {
		args = args[2:]
	}
	return (s.Command == program || filepath.Base(s.Command) == "atoll") && len(args) > 0 && args[0] == "mcp"
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
func (e Edit) Same() bool { return string(e.Old) == string(e.New) && (e.Old == nil) == (e.New == nil) }

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
// that name which came from here. The error is a [*Refusal] where the file is not what
// it should be, or the name is that of another server.
func (c Client) Install(home string, s Server) (Edit, error) {
	hers := func(was Server) bool { return was.from(s.Command) }
	return c.edit(home, c.paste(s), func(old []byte) ([]byte, error) {
		if c.toml {
			return c.withTable(old, s, hers)
		}
		return c.withServer(old, s, hers)
	})
}

// Uninstall takes a server out of the file of a client: one that starts a program as
// [Client.Install] has it. Another one of that name is a [*Refusal].
func (c Client) Uninstall(home, name, program string) (Edit, error) {
	hers := func(was Server) bool { return was.from(program) }
	e, err := c.edit(home, "", func(old []byte) ([]byte, error) {
		if len(old) == 0 {
			return old, nil
		}
		if c.toml {
			return c.withoutTable(old, name, hers)
		}
		return c.withoutServer(old, name, hers)
	})
	if e.New == nil {
		e.Copy = "" // all of it came from here
	}
	return e, err
}

// paste is what a person writes to have a server.
func (c Client) paste(s Server) string {
	if c.toml {
		return string(c.tableText(s))
	}
	return string(c.fresh(s))
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

// mostSettings is how large a file may be: some programs keep their history there.
const mostSettings = 64 << 20

// readSettings returns nil for a file that is not there. A link to nowhere is an error:
// whoever made it keeps the file elsewhere.
func readSettings(path string) ([]byte, error) {
	data, err := whole.Read(path, mostSettings)
	if !errors.Is(err, os.ErrNotExist) {
		return data, err
	}
	if to, err := os.Readlink(path); err == nil {
		return nil, fmt.Errorf("it is a link to %s, which is not there: make that file, or remove the link", to)
	}
	return nil, nil
}
