package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// statement is one of a TOML document: a header or a key with its value. It begins
// at the start of a line and ends behind the end of one.
type statement struct {
	start, end int
	header     bool
	path       []string // of the table that a header opens, or of the value
	list       bool     // [[...]]
	inline     bool     // its value is {...}
}

// statements reads a document as its grammar has it: what stands in a text of several
// lines or in a comment is no statement.
func statements(doc []byte) ([]statement, error) {
	p := unstable.Parser{KeepComments: true}
	p.Reset(doc)
	var all []statement
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.Comment {
			start := lineStart(doc, int(e.Raw.Offset))
			closeLast(doc, all, start)
			continue
		}
		var path []string
		first := -1
		for key := e.Key(); key.Next(); {
			if first < 0 {
				first = int(key.Node().Raw.Offset)
			}
			path = append(path, string(key.Node().Data))
		}
		s := statement{start: lineStart(doc, first), header: e.Kind != unstable.KeyValue, list: e.Kind == unstable.ArrayTable}
		s.inline = !s.header && e.Value().Kind == unstable.InlineTable
		if s.header {
			table = path
		} else {
			path = append(slices.Clone(table), path...)
		}
		s.path = path
		closeLast(doc, all, s.start)
		all = append(all, s)
	}
	closeLast(doc, all, len(doc))
	return all, p.Error()
}

func lineStart(doc []byte, at int) int { return bytes.LastIndexByte(doc[:at], '\n') + 1 }

// closeLast ends the last statement, if it is still open, before what begins at next;
// empty lines between are nobody's.
func closeLast(doc []byte, all []statement, next int) {
	if len(all) == 0 || all[len(all)-1].end != 0 {
		return
	}
	s := &all[len(all)-1]
	body := bytes.TrimRight(doc[s.start:next], " \t\r\n")
	s.end = next
	if i := bytes.IndexByte(doc[s.start+len(body):next], '\n'); i >= 0 {
		s.end = s.start + len(body) + i + 1
	}
}

// withTable returns a TOML document that has the server s, at the place of the one of
// its name, if that is hers.
func (c Client) withTable(old []byte, s Server, hers func(Server) bool) ([]byte, error) {
	was, there, err := c.tabled(old, s.Name)
	if err != nil {
		return nil, err
	}
	if there && !hers(was) {
		return nil, fmt.Errorf("a server that did not come from here has the name %s; --name gives this one another", s.Name)
	}
	text := c.tableText(s)
	out, err := setTable(old, []string{c.key, s.Name}, text)
	if err == nil && old != nil && !bytes.HasSuffix(old, []byte("\n")) {
		out = withoutEnd(out) // so that it is known, when the table goes
	}
	return out, err
}

// withoutEnd is a document without the end of its last line.
func withoutEnd(doc []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(doc, []byte("\n")), []byte("\r"))
}

// withoutTable returns a TOML document without a server that is hers; nil where that
// was all.
func (c Client) withoutTable(old []byte, name string, hers func(Server) bool) ([]byte, error) {
	was, there, err := c.tabled(old, name)
	if err != nil || !there {
		return old, err
	}
	if !hers(was) {
		return nil, fmt.Errorf("the server %s there did not come from here; take it out by hand if it has to go", name)
	}
	text := c.tableText(was)
	if bytes.Equal(old, text) {
		return nil, nil
	}
	out, err := setTable(old, []string{c.key, name}, nil)
	if err == nil && old[len(old)-1] != '\n' {
		out = withoutEnd(out)
	}
	return out, err
}

// tabled is the server of a name in a TOML document, and whether there is one.
func (c Client) tabled(doc []byte, name string) (Server, bool, error) {
	values, err := tomlValues(doc)
	if err != nil {
		return Server{}, false, err
	}
	servers, _ := values[c.key].(map[string]any)
	if servers[name] == nil {
		return Server{}, false, nil
	}
	s, _ := c.serverIn(name, servers)
	return s, true, nil
}

// setTable returns a TOML document whose table is text and nothing else, at the place
// of the one it has, or at its end; text nil takes the table out. All other bytes stay.
func setTable(doc []byte, table []string, text []byte) ([]byte, error) {
	before, err := tomlValues(doc)
	if err != nil {
		return nil, err
	}
	all, err := statements(doc)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(doc, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if text != nil {
		if err := room(doc, all, table); err != nil {
			return nil, err
		}
	}
	out, kept, placed := make([]byte, 0, len(doc)+len(text)+1), 0, false
	for _, s := range all {
		if !slices.Equal(s.path[:min(len(s.path), len(table))], table) {
			continue
		}
		start := s.start
		if s.header && !(text != nil && !placed) {
			start = max(kept, withoutEmptyLine(doc, start))
		}
		out = append(out, doc[kept:start]...)
		if s.header && text != nil && !placed {
			out, placed = append(out, text...), true
		}
		kept = s.end
	}
	out = append(out, doc[kept:]...)
	if text != nil && !placed {
		out = appendTable(out, text)
	}
	return out, sameButFor(before, out, table)
}

// room is an error where the tables around a table are written in a way that none can
// be added to.
func room(doc []byte, all []statement, table []string) error {
	for _, s := range all {
		if !slices.Equal(s.path, table[:1]) || s.header && !s.list {
			continue
		}
		line := 1 + bytes.Count(doc[:s.start], []byte("\n"))
		if s.list {
			return fmt.Errorf("line %d: %s is a list there, not a table of servers", line, table[0])
		}
		if !s.inline {
			return fmt.Errorf("line %d: %s is no table there, and servers need one", line, table[0])
		}
		return fmt.Errorf("line %d: %s is an inline table, which nothing can follow: write the server between its braces, %s = {...}", line, table[0], table[1])
	}
	return nil
}

// withoutEmptyLine is where the empty line before start begins, start where there is
// none.
func withoutEmptyLine(doc []byte, start int) int {
	if start == 0 {
		return start
	}
	line := lineStart(doc, start-1)
	if len(bytes.TrimSpace(doc[line:start])) == 0 {
		return line
	}
	return start
}

func appendTable(doc, text []byte) []byte {
	if len(doc) == 0 {
		return text
	}
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	if doc[len(doc)-1] != '\n' {
		doc = append(doc, end...)
	}
	return append(append(doc, end...), text...)
}

// sameButFor checks that a changed document has the values from before, but for one
// table.
func sameButFor(before map[string]any, doc []byte, table []string) error {
	after, err := tomlValues(doc)
	if err != nil {
		return fmt.Errorf("the way %s is written there leaves no room for a table [%s]", table[0], strings.Join(table, "."))
	}
	for _, values := range []map[string]any{before, after} {
		if servers, ok := values[table[0]].(map[string]any); ok {
			if delete(servers, table[1]); len(servers) == 0 {
				delete(values, table[0])
			}
		}
	}
	if !sameValue(before, after) {
		return errors.New("the change would reach other settings as well")
	}
	return nil
}

// sameValue compares two values of TOML documents.
func sameValue(a, b any) bool {
	x, err := toml.Marshal(map[string]any{"v": a})
	if err != nil {
		return false
	}
	y, err := toml.Marshal(map[string]any{"v": b})
	return err == nil && bytes.Equal(x, y)
}

// tomlValues are those of a document. The error names the line that is wrong.
func tomlValues(doc []byte) (map[string]any, error) {
	values := map[string]any{}
	err := toml.Unmarshal(doc, &values)
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		line, column := wrong.Position()
		return nil, fmt.Errorf("it is no TOML: line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	if err != nil {
		return nil, fmt.Errorf("it is no TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return values, nil
}

// tableText is a server as a table of TOML. JSON texts of printable characters are
// basic strings of TOML.
func (c Client) tableText(s Server) []byte {
	return fmt.Appendf(nil, "[%s.%s]\ncommand = %s\nargs = %s\ntool_timeout_sec = 60\n", c.key, tomlKey(s.Name), oneLine(s.Command), oneLine(s.Args))
}

// tomlKey is a name as a key; one with other characters than a bare key has is quoted.
func tomlKey(name string) string {
	bare := name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
	if bare {
		return name
	}
	return oneLine(name)
}
