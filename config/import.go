package config

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Imported is what was taken over from another system's settings.
type Imported struct {
	YAML   []byte   // an atoll.yaml that loads
	Config Config   // what it says
	Notes  []string // what did not map, and what to look at, one sentence each
}

// openAI is the address that both systems ask unless another is given.
const openAI = "https://api.openai.com/v1"

// draft collects keys in the order in which they are set.
type draft struct {
	root  *yaml.Node
	notes []string
}

func newDraft() *draft { return &draft{root: &yaml.Node{Kind: yaml.MappingNode}} }

func (d *draft) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// set writes a value under a dotted key, replacing an earlier one. The value
// is a scalar, a list, a map or a *yaml.Node.
func (d *draft) set(key string, value any) {
	n, ok := value.(*yaml.Node)
	if !ok {
		n = &yaml.Node{}
		if err := n.Encode(value); err != nil {
			d.note("%s could not be written: %v", key, err)
			return
		}
		if n.Kind == yaml.SequenceNode {
			n.Style = yaml.FlowStyle
		}
	}
	m := d.root
	words := strings.Split(key, ".")
	for _, word := range words[:len(words)-1] {
		m = child(m, word, &yaml.Node{Kind: yaml.MappingNode})
	}
	*child(m, words[len(words)-1], &yaml.Node{}) = *n
}

// child returns the value of a name, adding fresh when it is missing.
func child(m *yaml.Node, name string, fresh *yaml.Node) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, fresh)
	return fresh
}

// section is a mapping in the order of its pairs; empty values are left out.
func section(pairs ...pair) *yaml.Node {
	d := newDraft()
	for _, p := range pairs {
		switch p.value {
		case nil, "", 0:
			continue
		}
		if list, ok := p.value.([]string); ok && len(list) == 0 {
			continue
		}
		d.set(p.name, p.value)
	}
	return d.root
}

// finish writes the YAML and loads it, so that what was imported is checked
// like any other configuration. A value that the other system had and that is
// out of range here comes back as an error with its place.
func (d *draft) finish(from string) (Imported, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# atoll.yaml, taken over from %s. Every key: atoll config explain\n\n", from)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(d.root); err != nil {
		return Imported{}, fmt.Errorf("write the configuration taken over from %s: %w", from, err)
	}
	l, err := Load(LoadOptions{Data: b.Bytes()})
	if err != nil {
		return Imported{}, fmt.Errorf("what %s says does not fit:\n%w", from, err)
	}
	return Imported{YAML: b.Bytes(), Config: l.Config, Notes: append(d.notes, l.Advice()...)}, nil
}

// leftovers are names that nobody asked for yet.
type leftovers map[string]bool

func (l leftovers) sorted() []string {
	all := make([]string, 0, len(l))
	for name := range l {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}
