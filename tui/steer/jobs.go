package steer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// JobKeys are the rows about jobs.
func (a *Actions) JobKeys() []*keys.Binding {
	in := []keys.Scope{keys.InJobs}
	return []*keys.Binding{
		reasons{a}.key(reasons{a}.jobs(alive), keys.Binding{ID: "cancel", Many: true, Keys: []string{"X"}, Title: "cancel", Doc: "ends the job; its work so far is lost", In: in, Decides: true, Danger: true, Bar: 72, Run: a.cancel}),
		reasons{a}.key(reasons{a}.jobs(ended), keys.Binding{ID: "retry", Many: true, Keys: []string{"R"}, Title: "retry", Doc: "a new job like this one", In: in, Decides: true, Bar: 71, Run: a.retry}),
		{ID: "sooner", One: true, Keys: []string{"K"}, Title: "sooner", Doc: "raises the priority", In: in, Decides: true, Off: a.job(queued), Run: func() tea.Cmd { return a.prioritise(1) }},
		{ID: "later", One: true, Keys: []string{"J"}, Title: "later", Doc: "lowers the priority", In: in, Decides: true, Off: a.job(queued), Run: func() tea.Cmd { return a.prioritise(-1) }},
	}
}

// cancel asks first. What was marked stays so until it is done.
func (a *Actions) cancel() tea.Cmd {
	ss := reasons{a}.fit(reasons{a}.jobs(alive))
	doIt := func() tea.Cmd {
		more := reasons{a}.others(ss)
		a.D.Unmark()
		return a.Decide("cancelled "+jobsOf(ss)+more, false, onJobs(record.Cancel, ss)...)
	}
	text, keep, end := "Its work so far is lost; what it cost stays spent.", "keep it", "cancel it"
	if len(ss) > 1 {
		text, keep, end = "Their work so far is lost; what they cost stays spent.", "keep them", "cancel them"
	}
	return a.Host.Ask(&widget.Confirm{
		Title: "Cancel " + jobsOf(ss), Text: []string{text},
		Choices: []widget.Choice{{Key: "esc", Label: keep}, {Key: "c", Label: end, Run: doIt}},
	})
}

func (a *Actions) retry() tea.Cmd {
	ss, more := reasons{a}.take(reasons{a}.jobs(ended))
	return a.Decide("queued a new try of "+jobsOf(ss)+more, false, onJobs(record.Retry, ss)...)
}

// onJobs makes one decision for each selected job.
func onJobs(v record.Verb, ss []pane.Selection) []record.Decision {
	out := make([]record.Decision, len(ss))
	for i, s := range ss {
		out[i] = pane.Decision(v)
		out[i].Job = s.Job
	}
	return out
}

// jobsOf lists the jobs that were acted on: #12, #13 or "5 jobs".
func jobsOf(ss []pane.Selection) string {
	if len(ss) > 3 {
		return fmt.Sprintf("%d jobs", len(ss))
	}
	out := make([]string, len(ss))
	for i, s := range ss {
		out[i] = s.Job.String()
	}
	return strings.Join(out, ", ")
}

func (a *Actions) prioritise(by int) tea.Cmd {
	s := a.Host.Current().Selected()
	to := s.Priority + by
	return a.Decide(fmt.Sprintf("priority of %s: %d", s.Job, to), true, record.NewPriority(s.Job, s.Priority, float64(to)))
}

// drawnBySearch names the choice that is left to the search.
const drawnBySearch = "drawn by the search"

// startJob queues a job from the selected candidate: operator, agent and goal
// are asked one after the other.
func (a *Actions) startJob() tea.Cmd {
	job := record.Job{Parent: a.Host.Current().Selected().Candidate}
	return a.Host.Ask(chooser("Job from "+pane.CandidateName(job.Parent)+": operator", operators(a.D), func(op string) tea.Cmd {
		job.Operator = record.Operator(op)
		return a.Host.Ask(chooser("Job from "+pane.CandidateName(job.Parent)+": agent", agents(a.D), func(agent string) tea.Cmd {
			job.Agent = agent
			return a.Host.Ask(widget.NewPrompt("Job from "+pane.CandidateName(job.Parent)+": goal", "For this job alone; empty keeps the goal of the experiment.", "", func(goal string) tea.Cmd {
				job.Goal = goal
				return a.Decide("queued a job from "+pane.CandidateName(job.Parent), false, startDecision(job))
			}))
		}))
	}))
}

func startDecision(job record.Job) record.Decision {
	d := pane.Decision(record.StartJob)
	d.Args, _ = json.Marshal(job) // plain data always encodes
	d.Text = widget.Words(" ", string(job.Operator), "from "+pane.CandidateName(job.Parent), job.Goal)
	return d
}

// chooser is a menu of names with the search's own choice on top.
func chooser(title string, names []string, then func(name string) tea.Cmd) *widget.Menu {
	items := []widget.Item{{Title: drawnBySearch, Run: func() tea.Cmd { return then("") }}}
	for _, n := range names {
		items = append(items, widget.Item{Title: n, Run: func() tea.Cmd { return then(n) }})
	}
	return widget.NewMenu(title, items)
}

// operators and agents are those the experiment knows.
func operators(d *pane.Shared) []string {
	var out []string
	for _, y := range d.Snap.Operators {
		out = append(out, y.Name)
	}
	for name := range d.Snap.Settings.Operators {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func agents(d *pane.Shared) []string {
	var out []string
	for _, y := range d.Snap.Agents {
		out = append(out, y.Name)
	}
	slices.Sort(out)
	return out
}
