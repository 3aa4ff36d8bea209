// Package campaign is the screen of a campaign: its backlog with the reason of every
// position, the task that runs, what became of the others, the health of the source,
// and what the ranker's authority rests on.
//
// Its three nouns are [Board], what is shown, plain data that never changes once
// published; [Screen], a mailbox for the newest one and the program that draws it; and
// [Decide], through which everything a person does goes. Nothing is shown as done
// before it comes back on a board.
package campaign

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"atoll/tui/plot"
	"atoll/tui/widget"
)

// Board is a campaign as the screen shows it.
type Board struct {
	Tasks     []Task // ready ones in their order, then the others
	Spent     string // of the budget, in words
	Head      string // of the branch
	Open      []float64
	Health    Health
	Ranker    Ranker
	Proposals []Proposal
	Ended     string // why the run ended; "" while it goes on
}

// Task is one row of the backlog.
type Task struct {
	ID       int
	Status   string
	Title    string
	Position int // among those that are ready, from 1; 0 = it is none of them
	Why      string
	After    string
	Gain     string
	Checks   []string // what its acceptance came to
}

// Health is the trend of the source, one figure for each commit of the branch.
type Health struct {
	Worst, Mean, Findings, Lines []float64
}

// Ranker is how far the learned order is trusted, and why.
type Ranker struct {
	Authority, Evidence, Error float64
	Judged                     int
	Asked                      int      // plans in which it had an opinion
	Agrees                     float64  // share of them in which it would have taken the same task
	Most                       *float64 // the bound of the authority that a person set; nil: none
}

// Proposal waits for a person's answer.
type Proposal struct {
	ID   int
	Text string
}

// Running is the search of the task that runs.
type Running struct {
	Task       int
	Root, Best string // values, in words
	Jobs, Max  int
	Values     []float64 // of the best, candidate by candidate
}

// Event is a line of the log.
type Event struct {
	At   time.Time
	Who  string
	Text string
	Bad  bool
}

// Decide carries out what a person asks for; it may be called from any goroutine. A
// refusal is shown.
type Decide interface {
	Answer(proposal int, accept bool) error
	Silence() error // the ranker's authority to 0
	Drop(task int) error
}

// Options of a screen.
type Options struct {
	Decide Decide
	Input  io.Reader // nil = the terminal
	Output io.Writer
	Env    []string
	Color  string // auto, always, never
	ASCII  bool
	Leave  func() // the person leaves: end what runs
}

// Screen shows boards. Make one with [New]; Publish, Tell and Search may be called
// from any goroutine, also before Run.
type Screen struct {
	o Options

	mu     sync.Mutex
	board  Board
	search *Running
	log    []Event
	news   chan struct{}
	closed <-chan struct{} // Run's context
}

// New returns a screen that shows nothing yet.
func New(o Options) *Screen { return &Screen{o: o, news: make(chan struct{}, 1)} }

// logLines is how many events are kept.
const logLines = 500

// Publish shows a new board. A run that has ended does not go on: boards of what a
// person decided afterwards need not say so again.
func (s *Screen) Publish(b Board) {
	s.change(func() {
		if b.Ended == "" {
			b.Ended = s.board.Ended
		}
		s.board = b
	})
}

// Tell adds a line to the log.
func (s *Screen) Tell(e Event) {
	s.change(func() { s.log = append(s.log[max(0, len(s.log)-logLines):], e) })
}

// Search shows how the search of the running task stands; nil: none runs.
func (s *Screen) Search(r *Running) { s.change(func() { s.search = r }) }

func (s *Screen) change(fn func()) {
	s.mu.Lock()
	fn()
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// Run draws until the person leaves or ctx ends; the terminal is restored.
func (s *Screen) Run(ctx context.Context) error {
	opts := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithFPS(30), tea.WithOutput(s.o.Output)}
	if s.o.Input != nil {
		opts = append(opts, tea.WithInput(s.o.Input))
	}
	if len(s.o.Env) > 0 {
		opts = append(opts, tea.WithEnvironment(s.o.Env))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.closed = ctx.Done()
	m := &model{screen: s, profile: colorprofile.Detect(s.o.Output, s.o.Env), dark: true, w: 80, h: 24}
	switch s.o.Color {
	case "never":
		m.profile = colorprofile.ASCII
		opts = append(opts, tea.WithColorProfile(colorprofile.ASCII))
	case "always":
		m.profile = colorprofile.TrueColor
		opts = append(opts, tea.WithColorProfile(colorprofile.TrueColor))
	}
	m.restyle()
	_, err := widget.Show(ctx, tea.NewProgram(m, opts...))
	if errors.Is(err, tea.ErrProgramKilled) {
		return nil
	}
	return err
}

// model is the screen as Bubble Tea knows it.
type model struct {
	screen  *Screen
	profile colorprofile.Profile
	dark    bool
	st      *widget.Styles
	glyphs  plot.Glyphs

	board  Board
	search *Running
	log    []Event

	w, h     int
	page     page
	task     int // cursor: row of the backlog
	proposal int
	scroll   int  // first row of the figures, where they have a page of their own
	open     bool // the task under the cursor is shown whole
	help     bool // the keys are shown
	said     string
}

// page is what the keys are about. On a large screen all stand beside each other; on a
// small one each fills it.
type page int

const (
	onBacklog page = iota
	onFigures      // on a small screen alone: there is nothing to choose
	onProposals
)

type (
	newsMsg struct{}
	saidMsg struct{ text string }
)

func (m *model) restyle() {
	m.st = widget.NewStyles(m.dark, m.profile)
	if m.screen.o.ASCII {
		m.glyphs = plot.ASCII
	}
}

// wait hears of the next change, until the screen is closed.
func (m *model) wait() tea.Msg {
	select {
	case <-m.screen.news:
		return newsMsg{}
	case <-m.screen.closed:
		return nil
	}
}

// Init implements [tea.Model].
func (m *model) Init() tea.Cmd { return tea.Batch(m.wait, tea.RequestBackgroundColor) }

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		if m.page == onFigures && !m.small() {
			m.page = onBacklog
		}
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.restyle()
	case newsMsg:
		s := m.screen
		s.mu.Lock()
		m.board, m.search, m.log = s.board, s.search, s.log
		s.mu.Unlock()
		m.task = min(m.task, max(0, len(m.board.Tasks)-1))
		m.proposal = min(m.proposal, max(0, len(m.board.Proposals)-1))
		return m, m.wait
	case saidMsg:
		m.said = msg.text
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

// key carries out one key.
func (m *model) key(k string) tea.Cmd {
	m.said = ""
	switch k {
	case "q", "ctrl+c":
		if m.screen.o.Leave != nil {
			m.screen.o.Leave()
		}
		return tea.Quit
	case "?":
		m.help = !m.help
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "tab":
		m.turn()
	case "enter":
		m.open = m.page == onBacklog
	case "esc":
		m.open, m.help = false, false
	case "a", "x":
		return m.answer(k == "a")
	case "0":
		return m.do("the formula alone orders the tasks", m.screen.o.Decide.Silence)
	case "X":
		if m.task < len(m.board.Tasks) && m.page == onBacklog {
			id := m.board.Tasks[m.task].ID
			return m.do("dropped", func() error { return m.screen.o.Decide.Drop(id) })
		}
	}
	return nil
}

// turn goes to the next page, or on a large screen to what has the keys next.
func (m *model) turn() {
	m.help, m.open, m.scroll = false, false, 0
	switch {
	case m.page == onBacklog && m.small():
		m.page = onFigures
	case m.page != onProposals && len(m.board.Proposals) > 0:
		m.page = onProposals
	default:
		m.page = onBacklog
	}
}

func (m *model) move(by int) {
	switch m.page {
	case onProposals:
		m.proposal = min(max(0, m.proposal+by), max(0, len(m.board.Proposals)-1))
	case onFigures:
		m.scroll = max(0, m.scroll+by)
	default:
		m.task = min(max(0, m.task+by), max(0, len(m.board.Tasks)-1))
	}
}

// answer accepts or rejects the proposal under the cursor. Where the cursor is not there,
// it goes there: nobody answers what is not shown in full.
func (m *model) answer(accept bool) tea.Cmd {
	if m.proposal >= len(m.board.Proposals) {
		m.said = "no proposal waits"
		return nil
	}
	if m.page != onProposals {
		m.page, m.open, m.help = onProposals, false, false
		m.said = "read the proposal; a accepts it, x rejects it, tab goes back"
		return nil
	}
	id := m.board.Proposals[m.proposal].ID
	return m.do("answered", func() error { return m.screen.o.Decide.Answer(id, accept) })
}

// do runs a decision beside the screen and tells what came of it.
func (m *model) do(done string, fn func() error) tea.Cmd {
	return func() tea.Msg {
		if err := fn(); err != nil {
			return saidMsg{err.Error()}
		}
		return saidMsg{done}
	}
}
