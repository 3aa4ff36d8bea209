package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// reel says which moment of the experiment the screen shows: the newest, the one
// at which the view was paused, or one of the past, which can be stepped through
// and played.
type reel struct {
	d       *pane.Shared
	host    reelHost
	after   func(d time.Duration, msg tea.Msg) tea.Cmd // a timer
	refresh func() tea.Cmd                             // asks for what the panes of another snapshot miss
	behind  *view.Snapshot                             // the newest while the screen shows another
	still   bool                                       // the view is paused
	past    *view.Past                                 // what is shown of the past; nil: nothing yet
	open    bool                                       // the screen is in the past
	want    int                                        // the moment that was asked for last
	busy    bool                                       // a question is under way
	playing int                                        // which run of the player; 0 = it stands
	plays   int
	length  time.Duration // the whole log plays in so long; 0 = as is usual
	shown   uint64        // snapshots of the past that were shown: their versions
}

// reelHost is what it asks of the console.
type reelHost interface {
	pane.Host
	Warn(text string) tea.Cmd
}

// scopes puts the keys of the past before those of a pane.
func (r *reel) scopes(of pane.Pane) []keys.Scope {
	s := of.Scopes()
	if r.open {
		return append([]keys.Scope{keys.InTime}, s...)
	}
	return s[:len(s):len(s)]
}

// pastMsg is an answer about the past; playMsg is the next step of the player.
type (
	pastMsg struct {
		past view.Past
		err  error
	}
	playMsg struct{ run int }
)

// newest is the newest snapshot, whatever is shown.
func (r *reel) newest() *view.Snapshot {
	if r.behind != nil {
		return r.behind
	}
	return r.d.Snap
}

// take takes a new snapshot, and reports whether the screen shows it.
func (r *reel) take(s *view.Snapshot) bool {
	if r.still || r.open {
		r.behind = s
		return false
	}
	r.d.Take(s)
	return true
}

// present shows the newest again.
func (r *reel) present() {
	r.d.Past = false
	if r.behind != nil {
		r.d.Take(r.behind)
		r.behind = nil
	}
}

// pause holds the view still, or lets it go on.
func (r *reel) pause() tea.Cmd {
	if r.open {
		return r.leave()
	}
	r.still = !r.still
	if r.still {
		return nil
	}
	r.present()
	return r.refresh()
}

// pauseWord is what the key that holds the view does now.
func (r *reel) pauseWord() string {
	switch {
	case r.open:
		return "back to now"
	case r.still:
		return "let the view go on"
	}
	return "pause the view"
}

// noReader says why there is no past.
func (r *reel) noReader() string {
	if r.d.Reader == nil {
		return "no reader is attached: only the snapshot is known"
	}
	return ""
}

// replay goes to the first moment and plays the whole log in so much time.
func (r *reel) replay(length time.Duration) tea.Cmd {
	r.behind, r.open, r.still, r.past = r.newest(), true, false, nil
	r.length = length
	r.plays++
	r.playing = r.plays
	return r.goTo(0)
}

// toggle goes to the past, at its newest moment, or leaves it.
func (r *reel) toggle() tea.Cmd {
	if r.open {
		return r.leave()
	}
	r.behind, r.open, r.still, r.past = r.newest(), true, false, nil
	return r.goTo(-1)
}

func (r *reel) leave() tea.Cmd {
	r.open, r.past, r.playing = false, nil, 0
	r.present()
	return r.refresh()
}

// goTo asks for a moment; while a question is under way the last wish counts.
func (r *reel) goTo(at int) tea.Cmd {
	r.want = at
	if r.busy {
		return nil
	}
	r.busy = true
	reader, ctx := r.d.Reader, r.d.Ctx
	return pane.Guard("past", func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, pastTimeout)
		defer cancel()
		p, err := reader.Past(ctx, at)
		return pastMsg{p, err}
	})
}

const (
	pastTimeout = time.Minute
	playEvery   = 120 * time.Millisecond
	playSteps   = 400 // of a whole log, however long it is
	// A whole log plays in so long at most and at least, when a person makes it slower
	// or faster.
	slowest = time.Hour
	fastest = 2 * time.Second
)

// pace is how long the player waits between steps, and by how many moments it goes.
func (r *reel) pace() (every time.Duration, by int) {
	moments := max(1, r.past.Moments)
	if r.length == 0 {
		return playEvery, max(1, moments/playSteps)
	}
	steps := max(1, int(r.length/playEvery))
	if moments <= steps {
		return r.length / time.Duration(moments), 1
	}
	by = (moments + steps - 1) / steps
	return r.length * time.Duration(by) / time.Duration(moments), by
}

// faster makes the player twice as fast, or half as fast.
func (r *reel) faster(faster bool) tea.Cmd {
	if r.past == nil {
		return nil
	}
	every, by := r.pace()
	length := every * time.Duration((r.past.Moments+by-1)/by)
	if faster {
		length = max(fastest, length/2)
	} else {
		length = min(slowest, length*2)
	}
	r.length = length
	return r.host.Say("the whole log plays in "+length.Round(time.Second).String(), false)
}

// took shows an answer.
func (r *reel) took(m pastMsg) tea.Cmd {
	r.busy = false
	if !r.open {
		return nil
	}
	if m.err != nil {
		if r.past == nil { // there is nothing to show
			_ = r.leave()
		}
		r.playing = 0
		return r.host.Warn("the past cannot be told: " + m.err.Error())
	}
	p := m.past
	r.past = &p
	r.shown++
	s := *p.Snap
	now := r.newest()
	s.Version, s.Owner, s.OwnerPID = pastVersions+r.shown, now.Owner, now.OwnerPID
	s.Fleet, s.Slots = now.Fleet, now.Slots
	r.d.Past, r.d.Moment = true, widget.Millis(p.Time)
	r.d.Take(&s)
	if r.want >= 0 && r.want != p.At && r.want < p.Moments {
		return tea.Batch(r.refresh(), r.goTo(r.want))
	}
	return tea.Batch(r.refresh(), r.next())
}

// pastVersions is above the version of any snapshot of a feed.
const pastVersions = 1 << 40

// step moves by some moments.
func (r *reel) step(by int) tea.Cmd {
	if r.past == nil {
		return nil
	}
	r.playing = 0
	at := r.past.At
	if r.busy && r.want >= 0 {
		at = r.want
	}
	return r.goTo(max(0, min(at+by, r.past.Moments-1)))
}

// tenth is how far a large step goes.
func (r *reel) tenth() int {
	if r.past == nil {
		return 1
	}
	return max(2, r.past.Moments/20)
}

// decision goes to the nearest moment at which a person decided.
func (r *reel) decision(forward bool) tea.Cmd {
	if r.past == nil {
		return nil
	}
	r.playing = 0
	at, side := r.past.Before, "before"
	if forward {
		at, side = r.past.After, "after"
	}
	if at < 0 {
		return r.host.Warn("nobody decided anything " + side + " this")
	}
	return r.goTo(at)
}

// play runs through the log, or stops.
func (r *reel) play() tea.Cmd {
	if r.playing > 0 {
		r.playing = 0
		return nil
	}
	if r.past == nil {
		return nil
	}
	r.plays++
	r.playing = r.plays
	if r.past.At == r.past.Moments-1 { // from the start
		return r.goTo(0)
	}
	return r.next()
}

// next arms the player for its next step; it stops at the end.
func (r *reel) next() tea.Cmd {
	if r.playing == 0 || r.past == nil {
		return nil
	}
	if r.past.At >= r.past.Moments-1 {
		r.playing = 0
		return nil
	}
	every, _ := r.pace()
	return r.after(every, playMsg{r.playing})
}

func (r *reel) played(m playMsg) tea.Cmd {
	if r.past == nil || m.run != r.playing || r.busy {
		return nil
	}
	_, by := r.pace()
	return r.goTo(min(r.past.At+by, r.past.Moments-1))
}

// keys are the rows of the past. They come before those of panes while it is
// shown.
func (r *reel) keys() []*keys.Binding {
	in := []keys.Scope{keys.InTime}
	return []*keys.Binding{
		{ID: "past", Keys: []string{"H"}, Title: "back in time", Says: r.says, Doc: "the screen as it was at any moment of the log", In: []keys.Scope{keys.InAll}, Bar: 12, Off: r.noReader, Run: r.toggle},
		{ID: "moment-before", Keys: []string{"["}, Title: "back", In: in, Bar: 99, Run: func() tea.Cmd { return r.step(-1) }},
		{ID: "moment-after", Keys: []string{"]"}, Title: "on", In: in, Bar: 98, Run: func() tea.Cmd { return r.step(1) }},
		{ID: "moments-back", Keys: []string{"<"}, Title: "a twentieth back", In: in, Run: func() tea.Cmd { return r.step(-r.tenth()) }},
		{ID: "moments-on", Keys: []string{">"}, Title: "a twentieth on", In: in, Run: func() tea.Cmd { return r.step(r.tenth()) }},
		{ID: "decision-before", Keys: []string{"{"}, Title: "decision before", In: in, Bar: 97, Run: func() tea.Cmd { return r.decision(false) }},
		{ID: "decision-after", Keys: []string{"}"}, Title: "next decision", In: in, Bar: 96, Run: func() tea.Cmd { return r.decision(true) }},
		{ID: "first-moment", Keys: []string{"home"}, Title: "the first moment", In: in, Run: func() tea.Cmd { r.playing = 0; return r.goTo(0) }},
		{ID: "last-moment", Keys: []string{"end"}, Title: "the newest moment", In: in, Run: func() tea.Cmd { r.playing = 0; return r.goTo(-1) }},
		{ID: "play", Keys: []string{"space"}, Title: "play", Doc: "through the log, or stop", In: in, Bar: 95, Run: r.play},
		{ID: "play-faster", Keys: []string{"+"}, Title: "faster", Doc: "plays in half the time", In: in, Run: func() tea.Cmd { return r.faster(true) }},
		{ID: "play-slower", Keys: []string{"-"}, Title: "slower", Doc: "plays in twice the time", In: in, Run: func() tea.Cmd { return r.faster(false) }},
	}
}

// leads are the actions that the bar begins with in the past, the way back to now among
// them at every size.
func (r *reel) leads() []string {
	return []string{"past", "moment-before", "moment-after", "play", "decision-before", "decision-after"}
}

func (r *reel) says() string {
	if r.open {
		return "back to now"
	}
	return "back in time"
}

// strip tells in three lines where in the log the screen is, what happened there
// and what that changed.
func (r *reel) strip(w int) []string {
	st := r.d.St
	if r.past == nil {
		return []string{" " + st.Accent.S("reading the log"), "", ""}
	}
	p := r.past
	left := []widget.Part{{Text: " " + st.Banner.S(" the past ") + " " + st.Plain.S(widget.Clock(widget.Millis(p.Time))), Rank: 90}}
	if r.playing > 0 {
		left = append(left, widget.Part{Text: st.Accent.S("playing"), Rank: 80})
	}
	right := []widget.Part{
		{Text: st.Label.S("moment ") + st.Strong.S(widget.Thousands(p.At+1)) + st.Label.S(" of "+widget.Thousands(p.Moments)), Rank: 85},
		{Text: st.Label.S(strings.Replace(widget.Ago(r.d.Today().Sub(widget.Millis(p.Time))), "now", "just now", 1)), Rank: 40},
	}
	used := 4
	for _, side := range [][]widget.Part{left, right} {
		_, n := widget.Joined(side)
		used += n
	}
	left = append(left, widget.Part{Text: slider(r.d, p, w-used-2), Rank: 60})
	said := st.Label.S("the experiment begins")
	if p.At > 0 {
		said = st.Label.S("nothing that the log tells")
	}
	if len(p.Said) > 0 {
		said = st.Plain.S(widget.Words(" · ", p.Said...))
		if p.Decided {
			said = st.Accent.S(widget.Words(" · ", p.Said...))
		}
	}
	return []string{widget.Squeeze(left, right, w-1), " " + said, " " + r.changed()}
}

func (r *reel) changed() string {
	st := r.d.St
	switch {
	case len(r.past.Changed) > 0:
	case r.past.At == 0:
		return st.Label.S("nothing was measured yet")
	default:
		return st.Label.S("changed nothing on the map")
	}
	return st.Label.S("changed: ") + st.Plain.S(widget.Words(" · ", r.past.Changed...))
}

// slider draws the log as a line with the moment on it.
func slider(d *pane.Shared, p *view.Past, w int) string {
	if w < 6 {
		return ""
	}
	at := 0
	if p.Moments > 1 {
		at = p.At * (w - 1) / (p.Moments - 1)
	}
	return d.St.Lines[0].Wrap(widget.Repeat("─", at)) + d.St.Accent.Wrap("●") + d.St.Border.Wrap(widget.Repeat("─", w-1-at))
}
