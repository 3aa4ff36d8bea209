package keys

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Binding is one row of the key table. Dispatch, help bar, help list, palette
// and docs/keys.md all come from these rows.
type Binding struct {
	ID      string // the action's name in console.keys and in the palette
	Keys    []string
	Title   string // what it does, as a command
	Doc     string // more words where the title is not enough
	In      []Scope
	Decides bool           // changes the experiment: off in a read-only console
	Danger  bool           // asks before it acts
	Here    bool           // needs programs, files or the process of this machine: off in a remote console
	Bar     int            // rank in the help bar, 0 = not there
	Many    bool           // acts on the marked candidates
	Acts    func() int     // on how many of them now, nil = all
	One     bool           // acts on what the cursor stands on, whatever is marked
	Says    func() string  // what it does now, nil = Title
	Hidden  bool           // not in palette and help (plain cursor moves are)
	Off     func() string  // why it cannot be done now, "" = it can
	Run     func() tea.Cmd // on the screen's goroutine: no IO
}

// Now says what the row does now; marked is how many candidates are marked.
func (b *Binding) Now(marked int) string {
	title := b.Title
	if b.Says != nil {
		title = b.Says()
	}
	switch {
	case marked == 0:
	case b.Many:
		if b.Acts != nil {
			if n := b.Acts(); n > 0 { // else it is off
				marked = n
			}
		}
		title += fmt.Sprintf(" %d", marked)
	case b.One:
		title += " 1"
	}
	return title
}

// ErrKeys: a person's own keys name no action or clash.
var ErrKeys = errors.New("console.keys")

// Table finds bindings by scope and key.
type Table struct {
	All []*Binding
	by  map[Scope]map[string]*Binding
}

// NewTable applies the person's own keys (action to keys, space separated)
// and refuses unknown actions and clashes: two actions of one scope with the same
// key, and a key of the person's that another action has where both hold. Screens
// are the scopes that hold together, one list for each screen; those of everywhere
// hold in all of them.
func NewTable(all []*Binding, own map[string]string, screens ...[]Scope) (*Table, error) {
	ids := map[string]*Binding{}
	moved := map[*Binding][]string{} // keys that an action has of the person alone
	for _, b := range all {
		ids[b.ID] = b
	}
	for _, id := range sortedKeys(own) {
		b := ids[id]
		if b == nil {
			return nil, fmt.Errorf("%w: %q is no action; see docs/keys.md", ErrKeys, id)
		}
		for _, k := range strings.Fields(own[id]) {
			if !slices.Contains(b.Keys, k) {
				moved[b] = append(moved[b], k)
			}
		}
		b.Keys = strings.Fields(own[id])
	}
	m := &Table{All: all, by: map[Scope]map[string]*Binding{}}
	for _, b := range all {
		for _, s := range b.In {
			if m.by[s] == nil {
				m.by[s] = map[string]*Binding{}
			}
			for _, k := range b.Keys {
				if other := m.by[s][k]; other != nil && other != b {
					return nil, fmt.Errorf("%w: %q would do both %s and %s in %s", ErrKeys, k, other.ID, b.ID, s)
				}
				m.by[s][k] = b
			}
		}
	}
	for _, b := range all {
		for _, k := range moved[b] {
			if err := m.alone(b, k, screens); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// alone refuses a key of a person's own that would hide another action, or be hidden
// by one, on any screen.
func (m *Table) alone(b *Binding, key string, screens [][]Scope) error {
	for _, other := range m.All {
		if other == b || !slices.Contains(other.Keys, key) {
			continue
		}
		if s, ok := meet(b, other, screens); ok {
			return fmt.Errorf("%w: %q would do %s in %s, where it does %s; give one of them another key", ErrKeys, key, b.ID, s, other.ID)
		}
	}
	return nil
}

// meet returns the most special scope in which two actions hold together.
func meet(a, b *Binding, screens [][]Scope) (Scope, bool) {
	for _, both := range [...][2]*Binding{{a, b}, {b, a}} {
		if slices.Contains(both[0].In, InAll) {
			return both[1].In[0], true
		}
	}
	for _, screen := range screens {
		in := func(s Scope) bool { return slices.Contains(screen, s) }
		if i := slices.IndexFunc(a.In, in); i >= 0 && slices.ContainsFunc(b.In, in) {
			return a.In[i], true
		}
	}
	return "", false
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Find returns the binding of a key in the first scope that has one.
func (m *Table) Find(scopes []Scope, key string) *Binding {
	for _, s := range scopes {
		if b := m.by[s][key]; b != nil {
			return b
		}
	}
	return nil
}

// Get returns a binding by its id.
func (m *Table) Get(id string) *Binding {
	for _, b := range m.All {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// Key returns how a person presses an action.
func (m *Table) Key(id string) string {
	if b := m.Get(id); b != nil && len(b.Keys) > 0 {
		return KeyName(b.Keys[0])
	}
	return ":" + id
}

// Active returns the bindings that hold in the scopes, each once.
func (m *Table) Active(scopes []Scope) []*Binding {
	var out []*Binding
	for _, s := range scopes {
		for _, b := range m.All {
			if slices.Contains(b.In, s) && !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}

// KeyName writes a key as people read it.
func KeyName(k string) string {
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

func KeyNames(keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = KeyName(k)
	}
	return strings.Join(out, " ")
}

// Scope is where a binding holds. A pane lists the scopes it has, the most
// special first.
type Scope string

// The scopes of the key table.
const (
	InAll        Scope = "everywhere"
	InList       Scope = "lists"
	InText       Scope = "long texts"
	InJob        Scope = "one job"
	InDoctor     Scope = "doctor"
	InNiches     Scope = "niches"
	InCandidates Scope = "candidates"
	InJobs       Scope = "jobs"
	InReview     Scope = "review"
	InCompare    Scope = "compare"
	InLineage    Scope = "lineage"
	InTime       Scope = "the past"
	InSteering   Scope = "steering"
	InDiff       Scope = "differences"
	InCurves     Scope = "curves"
	InLog        Scope = "log"
	InNotes      Scope = "notes and goal"
	InDecisions  Scope = "decisions"
	InSettings   Scope = "settings"
	InFinished   Scope = "finished"
	InOptions    Scope = "options"
	InTargets    Scope = "targets"
	InFleet      Scope = "fleet"
)
