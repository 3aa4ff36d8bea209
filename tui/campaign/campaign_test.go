package campaign

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"atoll/tui/plot"
)

// asked is a Decide that remembers.
type asked struct {
	said   []string
	refuse error
}

func (a *asked) Answer(p int, accept bool) error {
	a.said = append(a.said, map[bool]string{true: "accept", false: "reject"}[accept])
	return a.refuse
}

func (a *asked) Silence() error { a.said = append(a.said, "silence"); return a.refuse }

func (a *asked) Drop(int) error { a.said = append(a.said, "drop"); return a.refuse }

var board = Board{
	Tasks: []Task{
		{ID: 2, Status: "running", Title: "Parse \x1b[31mfaster"},
		{ID: 3, Status: "ready", Title: "Document it", Position: 1, Why: "WSJF 5 = (5 + 0 + 0)/1"},
		{ID: 1, Status: "done", Title: "Measure", Gain: "+4.00 %", Checks: []string{"gain >= 1%: holds (+4.00 %, confirmed)"}},
	},
	Spent: "2 attempts, 40 jobs", Head: "1234567", Open: []float64{1, 2, 3, 2}, Health: Health{Worst: []float64{20, 15}},
	Ranker:    Ranker{Authority: 0.2, Evidence: 0.1, Error: 0.05, Judged: 8, Asked: 9, Agrees: 0.5},
	Proposals: []Proposal{{ID: 7, Text: "drop t4"}},
}

func newModel(d Decide, w, h int) *model {
	s := New(Options{Decide: d})
	s.closed = make(chan struct{})
	m := &model{screen: s, profile: colorprofile.ASCII, w: w, h: h}
	m.restyle()
	s.Publish(board)
	s.Tell(Event{At: time.Unix(0, 0), Who: "t2", Text: "leads"})
	m.Update(m.wait())
	return m
}

func press(m *model, k string) tea.Msg {
	cmd := m.key(k)
	if cmd == nil {
		return nil
	}
	msg := cmd()
	m.Update(msg)
	return msg
}

func TestATaskIsOpenUntilItEnds(t *testing.T) {
	m := newModel(&asked{}, 120, 36)
	m.board.Tasks = nil
	for i, status := range []string{"ready", "pending", "running", "blocked", "done", "failed", "dropped"} {
		m.board.Tasks = append(m.board.Tasks, Task{ID: i + 1, Status: status, Title: status})
	}
	if got := m.counts(); got != "1 done · 1 failed · 4 open" {
		t.Errorf("the counts are %q", got)
	}
}

func TestTheScreenFillsEverySizeAndShowsWhatCounts(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 16}, {80, 24}, {120, 36}, {300, 80}, {20, 5}} {
		m := newModel(&asked{}, size[0], size[1])
		lines := m.lines()
		if len(lines) != size[1] {
			t.Errorf("%v: %d rows", size, len(lines))
		}
		for i, l := range lines {
			if w := plot.Width(l); w > size[0] {
				t.Errorf("%v: row %d is %d wide: %q", size, i, w, l)
			}
			if strings.Contains(l, "\x1b[31m") {
				t.Errorf("%v: row %d carries a candidate's colours", size, i)
			}
		}
	}
	text := strings.Join(newModel(&asked{}, 120, 36).lines(), "\n")
	for _, want := range []string{"Parse", "running", "WSJF 5", "+4.00 %", "authority 0.20", "drop t4", "branch at 1234567", "worst complexity", "leads"} {
		if !strings.Contains(text, want) {
			t.Errorf("the screen does not show %q:\n%s", want, text)
		}
	}
}

func TestANarrowScreenShowsAProposalInFullBeforeItIsAnswered(t *testing.T) {
	a := &asked{}
	m := newModel(a, 60, 24)
	b := board
	b.Proposals = []Proposal{{ID: 7, Text: "drop t4 (Become a thousand times better at once): c10 does not meet the last word"}}
	m.screen.Publish(b)
	m.Update(m.wait())
	if strings.Contains(strings.Join(m.lines(), "\n"), "authority 0.20") {
		t.Fatal("the screen is not narrow")
	}
	press(m, "a")
	press(m, "esc") // what was said goes, the keys come back
	text := strings.Join(m.lines(), "\n")
	for _, want := range []string{"drop t4", "last word", "a accept"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not show %q:\n%s", want, text)
		}
	}
	if press(m, "x"); strings.Join(a.said, " ") != "reject" {
		t.Errorf("asked for %v", a.said)
	}
}

func TestTheEndOfARunStaysOnTheScreen(t *testing.T) {
	m := newModel(&asked{}, 120, 36)
	ended := board
	ended.Ended = "no task is ready"
	m.screen.Publish(ended)
	m.screen.Publish(board) // after a decision
	m.Update(m.wait())
	if !strings.Contains(m.header(), "ended: no task is ready") {
		t.Errorf("the header is %q", m.header())
	}
}

func TestKeysDecideAndTellWhatCameOfIt(t *testing.T) {
	a := &asked{}
	m := newModel(a, 120, 36)
	if press(m, "a"); len(a.said) > 0 || !strings.Contains(m.hint(), "read the proposal") {
		t.Errorf("a proposal that the cursor was not on was answered: %v", a.said)
	}
	press(m, "a")
	press(m, "0")
	press(m, "tab")
	press(m, "down")
	press(m, "X")
	if strings.Join(a.said, " ") != "accept silence drop" {
		t.Errorf("asked for %v", a.said)
	}
	a.refuse = errors.New("t3 is done already")
	press(m, "X")
	if !strings.Contains(m.hint(), "t3 is done already") {
		t.Errorf("a refusal shows as %q", m.hint())
	}
	press(m, "down")
	press(m, "enter")
	if text := strings.Join(m.lines(), "\n"); !strings.Contains(text, "gain >= 1%: holds") {
		t.Errorf("a task in full does not show its checks:\n%s", text)
	}
	left := false
	m.screen.o.Leave = func() { left = true }
	if m.key("q"); !left {
		t.Error("q does not end what runs")
	}
}

func TestASmallScreenShowsEverythingOnPages(t *testing.T) {
	a := &asked{}
	many := board
	many.Proposals = nil
	for i := range 30 {
		many.Proposals = append(many.Proposals, Proposal{ID: i + 1, Text: fmt.Sprintf("proposal %02d", i+1)})
	}
	m := newModel(a, 80, 24)
	m.screen.Publish(many)
	m.Update(m.wait())
	shows := func(words ...string) {
		t.Helper()
		lines := m.lines()
		text := strings.Join(lines, "\n")
		for _, want := range words {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not show %q:\n%s", want, text)
			}
		}
		if hint := lines[len(lines)-1]; !strings.Contains(hint, "? keys · q leave") {
			t.Errorf("the hint is cut: %q", hint)
		}
	}
	shows("Parse", "tab figures")
	if strings.Contains(m.hint(), "accept") {
		t.Errorf("the backlog offers to accept what nobody sees: %q", m.hint())
	}
	press(m, "tab")
	many.Ended = "t5 is next, but the budget of 5 jobs is used up; `atoll campaign set` raises a budget, and the next run goes on"
	m.screen.Publish(many)
	m.Update(m.wait())
	shows("the next run goes on", "Open tasks", "worst complexity", "mean complexity", "findings", "lines", "authority 0.20", "evidence +0.10 ± 0.05 from 8 tasks", "50 % of 9 plans", "0 formula alone")
	press(m, "tab")
	for range 25 {
		press(m, "down")
	}
	shows("proposal 26", "a accept · x reject")
	if press(m, "a"); strings.Join(a.said, " ") != "accept" {
		t.Errorf("asked for %v", a.said)
	}
	press(m, "tab")
	shows("Backlog", "running")
	press(m, "?")
	shows("Keys", "accept or reject the proposal", "these keys", "the next run goes on")
	press(m, "esc")
	shows("Backlog")
}

func TestTheFiguresScrollOnTheSmallestScreen(t *testing.T) {
	m := newModel(&asked{}, 40, 12)
	press(m, "tab")
	for range 50 {
		press(m, "down")
	}
	if text := strings.Join(m.lines(), "\n"); !strings.Contains(text, "authority 0.20") || !strings.Contains(text, "of 9 plans") {
		t.Errorf("the end of the figures is not reached:\n%s", text)
	}
}

func TestABoundOfTheRankersAuthorityIsShown(t *testing.T) {
	m := newModel(&asked{}, 120, 36)
	none := 0.0
	bounded := board
	bounded.Ranker.Most = &none
	m.screen.Publish(bounded)
	m.Update(m.wait())
	if text := strings.Join(m.lines(), "\n"); !strings.Contains(text, "authority 0.00, at most 0") {
		t.Errorf("the screen does not say that the authority is at most 0:\n%s", text)
	}
}
