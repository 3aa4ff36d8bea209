package tui

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// binding is one row of the key table. Dispatch, help bar, help list, palette
// and docs/keys.md all come from these rows.
type binding struct {
	ID      string // the action's name in console.keys and in the palette
	Keys    []string
	Title   string // what it does, as a command
	Doc     string // more words where the title is not enough
	In      []scope
	Decides bool                 // changes the experiment: off in a read-only console
	Danger  bool                 // asks before it acts
	Bar     int                  // rank in the help bar, 0 = not there
	Hidden  bool                 // not in palette and help (plain cursor moves are)
	Off     func(a *app) string  // why it cannot be done now, "" = it can
	Run     func(a *app) tea.Cmd // on the screen's goroutine: no IO
}

// keymap finds bindings by scope and key.
type keymap struct {
	all []*binding
	by  map[scope]map[string]*binding
}

// newKeymap applies the person's own keys (action to keys, space separated)
// and refuses unknown actions and clashes within a scope.
func newKeymap(all []*binding, own map[string]string) (*keymap, error) {
	ids := map[string]*binding{}
	for _, b := range all {
		ids[b.ID] = b
	}
	for _, id := range sortedKeys(own) {
		b := ids[id]
		if b == nil {
			return nil, fmt.Errorf("%w: %q is no action; see docs/keys.md", ErrKeys, id)
		}
		b.Keys = strings.Fields(own[id])
	}
	m := &keymap{all: all, by: map[scope]map[string]*binding{}}
	for _, b := range all {
		for _, s := range b.In {
			if m.by[s] == nil {
				m.by[s] = map[string]*binding{}
			}
			for _, k := range b.Keys {
				if other := m.by[s][k]; other != nil {
					return nil, fmt.Errorf("%w: %q would do both %s and %s in %s", ErrKeys, k, other.ID, b.ID, s)
				}
				m.by[s][k] = b
			}
		}
	}
	return m, nil
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// find returns the binding of a key in the first scope that has one.
func (m *keymap) find(scopes []scope, key string) *binding {
	for _, s := range scopes {
		if b := m.by[s][key]; b != nil {
			return b
		}
	}
	return nil
}

// get returns a binding by its id.
func (m *keymap) get(id string) *binding {
	for _, b := range m.all {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// key returns how a person presses an action.
func (m *keymap) key(id string) string {
	if b := m.get(id); b != nil && len(b.Keys) > 0 {
		return keyName(b.Keys[0])
	}
	return ":" + id
}

// active returns the bindings that hold in the scopes, each once.
func (m *keymap) active(scopes []scope) []*binding {
	var out []*binding
	for _, s := range scopes {
		for _, b := range m.all {
			if slices.Contains(b.In, s) && !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}

// keyName writes a key as people read it.
func keyName(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	}
	return k
}

func keyNames(keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = keyName(k)
	}
	return strings.Join(out, " ")
}

// scopeOrder is the order of documentation and help.
func scopeOrder() []scope {
	return []scope{inAll, inList, inNiches, inCandidates, inJobs, inReview, inDiff, inText, inJob, inCurves, inLog, inNotes, inDecisions, inSettings, inTargets, inDoctor}
}

// KeysMarkdown returns docs/keys.md, written from the key table.
func KeysMarkdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nWritten from the key table of the console (`go test ./tui -run KeysFile -update`).\n" +
		"Every action is also in the palette (`:`), and keys can be changed in atoll.yaml:\n\n" +
		"```yaml\nconsole:\n  keys:\n    freeze: F\n    zoom-in: + ctrl+o\n```\n\n" +
		"A key that cannot do anything now is dim in the help bar and says why when pressed.\n" +
		"Actions marked *decides* change the experiment and are off with `--read-only`;\nthose marked *asks* name what is lost and ask first.\n")
	all := bindings()
	for _, s := range scopeOrder() {
		fmt.Fprintf(&b, "\n## %s\n\n| key | action | what it does |\n|---|---|---|\n", strings.ToUpper(string(s)[:1])+string(s)[1:])
		for _, k := range all {
			if !slices.Contains(k.In, s) {
				continue
			}
			what := k.Title
			if k.Doc != "" {
				what += ": " + k.Doc
			}
			if k.Decides {
				what += " *decides*"
			}
			if k.Danger {
				what += " *asks*"
			}
			keys := make([]string, len(k.Keys))
			for i, n := range k.Keys {
				keys[i] = "`" + strings.ReplaceAll(n, "|", "\\|") + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(keys, " "), k.ID, what)
		}
	}
	return b.String()
}
