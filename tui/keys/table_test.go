package keys

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func rows() []*Binding {
	return []*Binding{
		{ID: "quit", Keys: []string{"q"}, Title: "leave", In: []Scope{InAll}},
		{ID: "down", Keys: []string{"j", "down"}, Title: "down", In: []Scope{InList, InText}},
		{ID: "reject", Keys: []string{"x"}, Title: "reject", In: []Scope{InCandidates}, Many: true},
		{ID: "expand", Keys: []string{"x"}, Title: "expand", In: []Scope{InJobs}},
		{ID: "open", Keys: []string{"enter"}, Title: "open", In: []Scope{InCandidates, InJobs}, One: true},
	}
}

func TestAKeyDoesWhatTheMostSpecialScopeSays(t *testing.T) {
	table, err := NewTable(rows(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		scopes []Scope
		key    string
		want   string // "" = nothing
	}{
		{"its own", []Scope{InCandidates, InList, InAll}, "x", "reject"},
		{"another pane's", []Scope{InJobs, InList, InAll}, "x", "expand"},
		{"that of all lists", []Scope{InJobs, InList, InAll}, "down", "down"},
		{"that of everywhere", []Scope{InJobs, InAll}, "q", "quit"},
		{"none where no scope has it", []Scope{InLog, InAll}, "x", ""},
		{"none without scopes", nil, "q", ""},
	} {
		got := ""
		if b := table.Find(c.scopes, c.key); b != nil {
			got = b.ID
		}
		if got != c.want {
			t.Errorf("%s: %q does %q, want %q", c.name, c.key, got, c.want)
		}
	}
}

func TestAPersonsOwnKeysAreTakenOrRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		own   map[string]string
		says  string            // of the error
		found map[string]string // key in candidates -> action
	}{
		{"another key takes the place of the old one", map[string]string{"reject": "R"}, "", map[string]string{"R": "reject", "x": ""}},
		{"several keys", map[string]string{"reject": " R  ctrl+x "}, "", map[string]string{"R": "reject", "ctrl+x": "reject"}},
		{"no key at all", map[string]string{"reject": ""}, "", map[string]string{"x": ""}},
		{"one takes what another gives up", map[string]string{"reject": "enter", "open": "o"}, "", map[string]string{"enter": "reject", "o": "open", "x": ""}},
		{"the same key twice is once", map[string]string{"reject": "R R"}, "", map[string]string{"R": "reject"}},
		{"an action that is none", map[string]string{"explode": "R"}, `"explode" is no action`, nil},
		{"a key that is taken in one scope", map[string]string{"reject": "enter"}, `"enter" would do both`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, err := NewTable(rows(), c.own)
			if c.says != "" {
				if !errors.Is(err, ErrKeys) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for key, want := range c.found {
				got := ""
				if b := table.Find([]Scope{InCandidates}, key); b != nil {
					got = b.ID
				}
				if got != want {
					t.Errorf("%q does %q, want %q", key, got, want)
				}
			}
		})
	}
}

func TestARowSaysOnHowManyItActs(t *testing.T) {
	table, err := NewTable(rows(), map[string]string{"expand": ""})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id     string
		marked int
		want   string
	}{
		{"reject", 0, "reject"}, {"reject", 3, "reject 3"}, {"open", 3, "open 1"}, {"open", 0, "open"}, {"quit", 3, "leave"},
	} {
		if got := table.Get(c.id).Now(c.marked); got != c.want {
			t.Errorf("%s with %d marked says %q, want %q", c.id, c.marked, got, c.want)
		}
	}
	table.Get("quit").Says = func() string { return "detach" }
	if got := table.Get("quit").Now(0); got != "detach" {
		t.Errorf("what it does now is %q", got)
	}
	for id, want := range map[string]string{"down": "j", "expand": ":expand", "nothing": ":nothing"} {
		if got := table.Key(id); got != want {
			t.Errorf("%s is pressed as %q, want %q", id, got, want)
		}
	}
	if got := KeyNames(table.Get("down").Keys); got != "j ↓" {
		t.Errorf("its keys read %q", got)
	}
}

func TestWhatHoldsInSeveralScopesIsListedOnceTheMostSpecialFirst(t *testing.T) {
	table, err := NewTable(rows(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range table.Active([]Scope{InList, InText, InJobs, InAll}) {
		got = append(got, b.ID)
	}
	if want := []string{"down", "expand", "open", "quit"}; !slices.Equal(got, want) {
		t.Errorf("%v hold, want %v", got, want)
	}
}
