package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/engine"
	"atoll/store/record"
)

func TestAConsoleBesideARunKnowsItsDoor(t *testing.T) {
	t.Parallel()
	exp := record.Experiment{Config: []byte(`{"agents":[{"name":"crowd","kind":"broker","weight":1}]}`)}
	dir := filepath.Join(t.TempDir(), "state")
	open := func(create bool) *engine.Session {
		t.Helper()
		s, err := engine.OpenSession(t.Context(), engine.SessionOptions{Dir: dir, Create: create})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	runs, looks := open(true), open(false)
	a := &App{}
	says := func(when string, words ...string) {
		t.Helper()
		got := a.awaited(looks, exp, runFlags{})
		for _, word := range words {
			if !strings.Contains(got, word) {
				t.Errorf("%s: %q has no %q", when, got, word)
			}
		}
	}
	says("where nobody runs it", "no door is open")
	if err := runs.Announce([]string{pageAt + "http://127.0.0.1:7777/"}); err != nil {
		t.Fatal(err)
	}
	says("before the run has it", "no door is open")
	if err := runs.Lock(); err != nil {
		t.Fatal(err)
	}
	if got := looks.OwnerPID(); got != os.Getpid() {
		t.Errorf("the owner is %d", got)
	}
	says("beside a run with a door", "http://127.0.0.1:7777/", strconv.Itoa(os.Getpid()))
	if err := runs.Unlock(); err != nil {
		t.Fatal(err)
	}
	other := open(false)
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	says("beside a run without one", "has no door for them", strconv.Itoa(os.Getpid()))
}
