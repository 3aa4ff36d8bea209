package tui

import (
	"slices"
	"strconv"

	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/steer"
	"atoll/tui/widget"

	tea "charm.land/bubbletea/v2"
)

// bindings returns the key table.
func (a *app) bindings() []*keys.Binding {
	return slices.Concat(globalKeys(a), a.reel.keys(), screenKeys(a), moveKeys(a), a.actions.CandidateKeys(), objectKeys(a), a.actions.JobKeys(), steer.MachineKeys(a.actions), a.panes.Keys(a.d), workKeys(a), textKeys(a), a.actions.ExperimentKeys())
}

func globalKeys(a *app) []*keys.Binding {
	all := []keys.Scope{keys.InAll}
	return []*keys.Binding{
		{ID: "help", Keys: []string{"?", "f1"}, Title: "help", Doc: "all keys that work here; enter runs one", In: all, Bar: 90, Run: a.help},
		{ID: "palette", Keys: []string{":", "ctrl+p"}, Title: "command", Doc: "every action and screen, by a few letters", In: all, Bar: 89, Run: a.palette},
		{ID: "back", Keys: []string{"esc"}, Title: "back", Doc: "leaves a screen, a search, a zoom", In: all, Run: a.escape},
		{ID: "quit", Keys: []string{"q"}, Title: "quit", Doc: "asks while jobs run", In: all, Bar: 10, Run: a.leaving.ask},
		{ID: "interrupt", Keys: []string{"ctrl+c"}, Title: "drain and quit", Doc: "once: running jobs finish; twice: they are ended", In: all, Run: func() tea.Cmd { a.dialogs = nil; return a.leaving.interrupt() }},
		{ID: "suspend", Here: true, Keys: []string{"ctrl+z"}, Title: "suspend", Doc: "stops the console and the jobs until fg", In: all, Run: a.leaving.suspend},
		{ID: "pause-view", Keys: []string{"p"}, Title: "pause the view", Says: a.reel.pauseWord, Doc: "the experiment goes on", In: all, Run: a.reel.pause},
		{ID: "pause", Keys: []string{"P"}, Title: "pause the experiment", Says: func() string { return steer.PauseOrResume(a.d.Snap.State) }, Doc: "the search itself, not the view alone", In: all, Decides: true, Bar: 30, Off: a.actions.CanPause, Run: a.actions.PauseEngine},
		{ID: "stop", Keys: nil, Title: "stop the experiment", In: all, Decides: true, Danger: true, Run: a.actions.StopEngine},
		{ID: "undo", Keys: []string{"u"}, Title: "undo", Doc: "takes the last decision back", In: all, Decides: true, Bar: 20, Run: a.actions.Undo},
		{ID: "redo", Keys: []string{"ctrl+r"}, Title: "redo", In: all, Decides: true, Run: a.actions.Redo},
		{ID: "next-pane", Keys: []string{"tab"}, Title: "next pane", In: all, Run: a.goes(func(p *places) { p.cycle(1) })},
		{ID: "previous-pane", Keys: []string{"shift+tab"}, Title: "previous pane", In: all, Run: a.goes(func(p *places) { p.cycle(-1) })},
		{ID: "zoom-in", Keys: []string{"+", "="}, Title: "larger pane", Doc: "half, then full", In: all, Run: a.goes(func(p *places) { p.zoomBy(1) })},
		{ID: "zoom-out", Keys: []string{"_"}, Title: "smaller pane", In: all, Run: a.goes(func(p *places) { p.zoomBy(-1) })},
		{ID: "zoom", Keys: []string{"z"}, Title: "zoom", Doc: "the focused pane over the whole screen, and back", In: all, Bar: 25, Run: a.goes((*places).toggleZoom)},
		{ID: "colours", Keys: []string{"C"}, Title: "colours of the heat map", Doc: "viridis, cividis, magma, grey", In: all, Run: func() tea.Cmd { return a.Say("colours: "+a.appearance.nextPalette(), false) }},
		{ID: "redraw", Keys: []string{"ctrl+l"}, Title: "draw the screen again", In: all, Run: func() tea.Cmd { a.graphics.era++; return tea.ClearScreen }},
		{ID: "unmark", Keys: []string{"U"}, Title: "forget all marks", In: all, Off: a.hasMarks, Run: a.unmark},
	}
}

// screenKeys are the screens. The first five are panes of the dashboard.
func screenKeys(a *app) []*keys.Binding {
	var out []*keys.Binding
	for i, s := range []struct {
		id    string
		pane  pane.ID
		title string
	}{
		{"niches", pane.Niches, "niches"},
		{"jobs", pane.Jobs, "jobs"},
		{"fitness", pane.Curves, "fitness curves"},
		{"review", pane.Review, "review"},
		{"log", pane.Log, "log"},
		{"failures", pane.Failures, "failures, grouped"},
		{"yields", pane.Yields, "operators, agents and targets"},
		{"notes", pane.Notes, "goal and notes"},
		{"decisions", pane.Decisions, "decisions"},
	} {
		out = append(out, &keys.Binding{ID: s.id, Keys: []string{strconv.Itoa(i + 1)}, Title: s.title, In: []keys.Scope{keys.InAll}, Run: a.goes(func(p *places) { p.goTo(s.pane) })})
	}
	return append(out,
		&keys.Binding{ID: "review-queue", Keys: []string{"r"}, Title: "review queue", Doc: "what waits for a person, with its differences", In: []keys.Scope{keys.InAll}, Bar: 40, Off: a.nothingWaits, Run: func() tea.Cmd { return a.open(pane.Review) }},
		&keys.Binding{ID: "candidates", Keys: []string{"c"}, Title: "candidates", Doc: "all candidates, newest or best first", In: []keys.Scope{keys.InAll}, Run: func() tea.Cmd { return a.open(pane.Candidates) }},
		&keys.Binding{ID: "front", Keys: []string{"Q"}, Title: "front", Doc: "who is best in a way of its own: by several metrics, or in a case", In: []keys.Scope{keys.InAll}, Run: func() tea.Cmd { return a.open(pane.Front) }},
		&keys.Binding{ID: "steering", Keys: []string{"O"}, Title: "steering", Doc: "weights, workers, reviews and the goal, and what they do to the next draws", In: []keys.Scope{keys.InAll}, Bar: 13, Run: func() tea.Cmd { return a.open(pane.Steering) }},
		&keys.Binding{ID: "settings", Keys: []string{"S"}, Title: "settings", Doc: "value and origin of each", In: []keys.Scope{keys.InAll}, Run: func() tea.Cmd { return a.open(pane.Settings) }},
		&keys.Binding{ID: "summary", Keys: []string{"F"}, Title: "summary", Doc: "what the search found, and what to do with it", In: []keys.Scope{keys.InAll}, Bar: 26, Off: a.nothingFound, Run: func() tea.Cmd { return a.open(pane.Finished) }},
		&keys.Binding{ID: "options", Keys: []string{"f2"}, Title: "options", Doc: "theme, colours, characters, differences, mouse, news", In: []keys.Scope{keys.InAll}, Run: func() tea.Cmd { return a.open(pane.Options) }},
		&keys.Binding{ID: "doctor", Keys: nil, Title: "doctor", Doc: "checks of system, sandbox, repository, agents", In: []keys.Scope{keys.InAll}, Run: func() tea.Cmd { return a.open(pane.Doctor) }},
		&keys.Binding{ID: "fleet", Keys: nil, Title: "fleet", Doc: "the machines that measure for the run", In: []keys.Scope{keys.InAll}, Run: func() tea.Cmd { return a.open(pane.Fleet) }},
	)
}

func moveKeys(a *app) []*keys.Binding {
	mv := func(m widget.Motion) func() tea.Cmd { return func() tea.Cmd { return a.move(m) } }
	lists, rows := []keys.Scope{keys.InList, keys.InText}, []keys.Scope{keys.InNiches, keys.InText, keys.InDiff}
	return []*keys.Binding{
		{ID: "up", Keys: []string{"up", "k"}, Title: "up", In: lists, Hidden: true, Run: mv(widget.Up)},
		{ID: "down", Keys: []string{"down", "j"}, Title: "down", In: lists, Hidden: true, Run: mv(widget.Down)},
		{ID: "left", Keys: []string{"left", "h"}, Title: "left", In: rows, Hidden: true, Run: mv(widget.Left)},
		{ID: "right", Keys: []string{"right", "l"}, Title: "right", In: rows, Hidden: true, Run: mv(widget.Right)},
		{ID: "page-up", Keys: []string{"pgup", "ctrl+u", ","}, Title: "page up", In: lists, Hidden: true, Run: mv(widget.PageUp)},
		{ID: "page-down", Keys: []string{"pgdown", "ctrl+d"}, Title: "page down", In: lists, Hidden: true, Run: mv(widget.PageDown)},
		{ID: "top", Keys: []string{"home", "g", "<"}, Title: "to the start", In: lists, Hidden: true, Run: mv(widget.Top)},
		{ID: "bottom", Keys: []string{"end", "G", ">"}, Title: "to the end", In: lists, Hidden: true, Run: mv(widget.Bottom)},
		{ID: "row-start", Keys: []string{"0"}, Title: "to the start of the row", In: rows, Hidden: true, Run: mv(widget.RowStart)},
		{ID: "row-end", Keys: []string{"$"}, Title: "to the end of the row", In: []keys.Scope{keys.InNiches}, Hidden: true, Run: mv(widget.RowEnd)},
		{ID: "open", Keys: []string{"enter"}, Title: "open", In: []keys.Scope{keys.InList}, Bar: 80, Run: a.openSelected},
		{ID: "mark", Keys: []string{"space"}, Title: "mark", Doc: "decisions then act on all marked candidates", In: []keys.Scope{keys.InCandidates}, Bar: 15, Off: a.needCandidate, Run: a.markSelected},
		sortKey(a),
		{ID: "filter", Keys: []string{"/"}, Title: "filter", Doc: "lists keep what fits, texts search; ! in front inverts", In: lists, Bar: 28, Off: a.canFilter, Run: a.find.start},
		{ID: "clear-filter", Keys: []string{"backspace"}, Title: "clear the filter", Doc: "that of a list stays until then; esc ends a search in a text", In: lists, Off: a.find.none, Run: a.find.clear},
	}
}

// sortKey orders the table of the pane by a column.
func sortKey(a *app) *keys.Binding {
	table := func() pane.Sorter {
		if p, ok := a.Current().(pane.Sorter); ok && len(p.Heads()) > 0 {
			return p
		}
		return nil
	}
	off := func() string {
		if table() == nil {
			return "this pane has no table to sort"
		}
		return ""
	}
	run := func() tea.Cmd {
		p := table()
		var items []widget.Item
		for _, head := range p.Heads() {
			items = append(items, widget.Item{Title: head, Note: p.Order().Next(head), Run: func() tea.Cmd {
				p.Order().Toggle(head)
				a.d.Gen++
				return nil
			}})
		}
		return a.Ask(widget.NewMenu("Sort by", items))
	}
	return &keys.Binding{ID: "sort", Keys: []string{"o"}, Title: "sort", Doc: "a table by any of its columns, up or down", In: []keys.Scope{keys.InList}, Bar: 14, Off: off, Run: run}
}

// objectKeys are about what the cursor stands on.
func objectKeys(a *app) []*keys.Binding {
	in := []keys.Scope{keys.InCandidates}
	return []*keys.Binding{
		{ID: "diff", Keys: []string{"d"}, Title: "diff", Says: a.diffWord, Doc: "against parent, root or the marked one, over the whole width; again: beside its figures", In: in, Bar: 50, Off: a.needCandidate, Run: a.openDiff},
		{ID: "compare", Keys: []string{"D"}, Title: "compare", Doc: "the marked ones side by side, or it with its parent", In: in, Bar: 34, Off: a.needOthers, Run: a.openCompare},
		{ID: "lineage", Keys: []string{"T"}, Title: "lineage", Doc: "the family tree", In: in, Bar: 24, Off: a.needCandidate, Run: a.openLineage},
		{ID: "job-of", Keys: []string{"i"}, Title: "its job", Doc: "stages, prompt, output, verdict", In: in, Off: a.needCandidate, Run: a.openJobOf},
		{ID: "copy", Keys: []string{"y"}, Title: "copy", Doc: "hash, id, metrics or difference to the clipboard", In: []keys.Scope{keys.InCandidates, keys.InJobs}, Off: a.needObject, Run: a.outside.copyMenu},
		{ID: "job-log", Keys: []string{"l"}, Title: "its log", In: []keys.Scope{keys.InJobs}, Off: a.needJob, Run: a.jobLog},
	}
}

// workKeys are those of one job's work tree and of the summary.
func workKeys(a *app) []*keys.Binding {
	in := []keys.Scope{keys.InFinished}
	return []*keys.Binding{
		{ID: "edit-tree", Here: true, Keys: []string{"W"}, Title: "edit its work tree", Doc: "where a person is asked to edit, in $EDITOR", In: []keys.Scope{keys.InJob}, Off: a.outside.needTree, Run: a.outside.editTree},
		{ID: "shell-tree", Here: true, Keys: []string{"!"}, Title: "shell in its work tree", Doc: "where a person is asked to edit", In: []keys.Scope{keys.InJob}, Off: a.outside.needTree, Run: a.outside.shellThere},
		{ID: "more-budget", Keys: []string{"+"}, Title: "more jobs", Doc: "raises the budget of jobs; a search that is done goes on", In: in, Decides: true, Bar: 68, Run: func() tea.Cmd { return a.keys.Get("budget-jobs").Run() }},
		{ID: "report", Here: true, Keys: []string{"O"}, Title: "report", Doc: "writes what became of the experiment as one HTML file", In: in, Bar: 67, Off: a.outside.needVerb, Run: a.outside.report},
		{ID: "anew", Keys: []string{"N"}, Title: "start anew", Doc: "copies the command that starts another experiment here", In: in, Bar: 66, Off: a.outside.needVerb, Run: a.outside.anew},
	}
}

func textKeys(a *app) []*keys.Binding {
	return []*keys.Binding{
		{ID: "next-match", Keys: []string{"n"}, Title: "next match", In: []keys.Scope{keys.InText}, Run: func() tea.Cmd { return a.match(1) }},
		{ID: "previous-match", Keys: []string{"N"}, Title: "previous match", In: []keys.Scope{keys.InText}, Run: func() tea.Cmd { return a.match(-1) }},
		{ID: "pager", Here: true, Keys: []string{"o"}, Title: "pager", Doc: "the whole text in $PAGER", In: []keys.Scope{keys.InText}, Bar: 22, Run: a.outside.pager},
		{ID: "editor", Here: true, Keys: []string{"e"}, Title: "editor", Doc: "the text in $EDITOR", In: []keys.Scope{keys.InText}, Run: a.outside.editor},
		{ID: "difftool", Here: true, Keys: []string{"ctrl+t"}, Title: "difftool", Doc: "the difference in the tool that git is set to", In: []keys.Scope{keys.InDiff}, Off: a.outside.needDifftool, Run: a.outside.difftool},
	}
}
