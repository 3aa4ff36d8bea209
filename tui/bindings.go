package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// bindings returns the key table.
func bindings() []*binding {
	return slices.Concat(globalKeys(), screenKeys(), moveKeys(), candidateKeys(), jobKeys(), viewKeys(), textKeys(), otherKeys())
}

func globalKeys() []*binding {
	all := []scope{inAll}
	return []*binding{
		{ID: "help", Keys: []string{"?", "f1"}, Title: "help", Doc: "all keys that work here; enter runs one", In: all, Bar: 90, Run: (*app).help},
		{ID: "palette", Keys: []string{":", "ctrl+p"}, Title: "command", Doc: "every action and screen, by a few letters", In: all, Bar: 89, Run: (*app).palette},
		{ID: "back", Keys: []string{"esc"}, Title: "back", Doc: "leaves a screen, a filter, a zoom", In: all, Run: (*app).escape},
		{ID: "quit", Keys: []string{"q"}, Title: "quit", Doc: "asks while jobs run", In: all, Bar: 10, Run: (*app).quit},
		{ID: "interrupt", Keys: []string{"ctrl+c"}, Title: "drain and quit", Doc: "once: running jobs finish; twice: they are ended", In: all, Run: (*app).interrupt},
		{ID: "suspend", Keys: []string{"ctrl+z"}, Title: "suspend", Doc: "stops the console and the jobs until fg", In: all, Run: (*app).suspend},
		{ID: "pause-view", Keys: []string{"p"}, Title: "pause the view", Doc: "the experiment goes on", In: all, Run: (*app).pauseView},
		{ID: "pause", Keys: []string{"P"}, Title: "pause the experiment", Doc: "or resume it; running jobs finish", In: all, Decides: true, Bar: 30, Off: canPause, Run: (*app).pauseEngine},
		{ID: "stop", Keys: nil, Title: "stop the experiment", In: all, Decides: true, Danger: true, Run: (*app).stopEngine},
		{ID: "undo", Keys: []string{"u"}, Title: "undo", Doc: "takes the last decision back", In: all, Decides: true, Bar: 20, Run: (*app).undo},
		{ID: "redo", Keys: []string{"ctrl+r"}, Title: "redo", In: all, Decides: true, Run: (*app).redo},
		{ID: "next-pane", Keys: []string{"tab"}, Title: "next pane", In: all, Run: func(a *app) tea.Cmd { return a.cycle(1) }},
		{ID: "previous-pane", Keys: []string{"shift+tab"}, Title: "previous pane", In: all, Run: func(a *app) tea.Cmd { return a.cycle(-1) }},
		{ID: "zoom-in", Keys: []string{"+", "="}, Title: "larger pane", Doc: "half, then full", In: all, Run: func(a *app) tea.Cmd { return a.zoomBy(1) }},
		{ID: "zoom-out", Keys: []string{"_"}, Title: "smaller pane", In: all, Run: func(a *app) tea.Cmd { return a.zoomBy(-1) }},
		{ID: "zoom", Keys: []string{"z"}, Title: "zoom", Doc: "the focused pane over the whole screen, and back", In: all, Bar: 25, Run: (*app).toggleZoom},
		{ID: "colours", Keys: []string{"C"}, Title: "colours of the heat map", Doc: "viridis, cividis, magma, grey", In: all, Run: (*app).cyclePalette},
		{ID: "redraw", Keys: []string{"ctrl+l"}, Title: "draw the screen again", In: all, Run: func(*app) tea.Cmd { return tea.ClearScreen }},
		{ID: "unmark", Keys: []string{"U"}, Title: "forget all marks", In: all, Off: hasMarks, Run: (*app).unmark},
	}
}

// screenKeys are the screens. The first five are panes of the dashboard.
func screenKeys() []*binding {
	var out []*binding
	for i, s := range []struct {
		id    string
		pane  paneID
		title string
	}{
		{"niches", paneNiches, "niches"}, {"jobs", paneJobs, "jobs"}, {"fitness", paneCurves, "fitness curves"},
		{"review", paneReview, "review"}, {"log", paneLog, "log"}, {"failures", paneFailures, "failures, grouped"},
		{"yields", paneYields, "operators, agents and targets"}, {"notes", paneNotes, "goal and notes"},
		{"decisions", paneDecisions, "decisions"},
	} {
		out = append(out, &binding{ID: s.id, Keys: []string{strconv.Itoa(i + 1)}, Title: s.title, In: []scope{inAll}, Run: func(a *app) tea.Cmd { return a.goTo(s.pane) }})
	}
	return append(out,
		&binding{ID: "review-queue", Keys: []string{"r"}, Title: "review queue", Doc: "what waits for a person, with its differences", In: []scope{inAll}, Bar: 40, Off: nothingWaits, Run: func(a *app) tea.Cmd { return a.open(paneReview) }},
		&binding{ID: "candidates", Keys: []string{"c"}, Title: "candidates", Doc: "all candidates, newest or best first", In: []scope{inAll}, Run: func(a *app) tea.Cmd { return a.open(paneCandidates) }},
		&binding{ID: "settings", Keys: []string{"S"}, Title: "settings", Doc: "value and origin of each", In: []scope{inAll}, Run: func(a *app) tea.Cmd { return a.open(paneSettings) }},
		&binding{ID: "doctor", Keys: nil, Title: "doctor", Doc: "checks of system, sandbox, repository, agents", In: []scope{inAll}, Run: func(a *app) tea.Cmd { return a.open(paneDoctor) }},
	)
}

func moveKeys() []*binding {
	mv := func(m motion) func(a *app) tea.Cmd { return func(a *app) tea.Cmd { return a.move(m) } }
	lists, rows := []scope{inList, inText}, []scope{inNiches, inText, inDiff}
	return []*binding{
		{ID: "up", Keys: []string{"up", "k"}, Title: "up", In: lists, Hidden: true, Run: mv(up)},
		{ID: "down", Keys: []string{"down", "j"}, Title: "down", In: lists, Hidden: true, Run: mv(down)},
		{ID: "left", Keys: []string{"left", "h"}, Title: "left", In: rows, Hidden: true, Run: mv(left)},
		{ID: "right", Keys: []string{"right", "l"}, Title: "right", In: rows, Hidden: true, Run: mv(right)},
		{ID: "page-up", Keys: []string{"pgup", "ctrl+u", ","}, Title: "page up", In: lists, Hidden: true, Run: mv(pageUp)},
		{ID: "page-down", Keys: []string{"pgdown", "ctrl+d"}, Title: "page down", In: lists, Hidden: true, Run: mv(pageDown)},
		{ID: "top", Keys: []string{"home", "g", "<"}, Title: "to the start", In: lists, Hidden: true, Run: mv(top)},
		{ID: "bottom", Keys: []string{"end", "G", ">"}, Title: "to the end", In: lists, Hidden: true, Run: mv(bottom)},
		{ID: "row-start", Keys: []string{"0"}, Title: "to the start of the row", In: rows, Hidden: true, Run: mv(rowStart)},
		{ID: "row-end", Keys: []string{"$"}, Title: "to the end of the row", In: []scope{inNiches}, Hidden: true, Run: mv(rowEnd)},
		{ID: "open", Keys: []string{"enter"}, Title: "open", In: []scope{inList}, Bar: 80, Run: (*app).openSelected},
		{ID: "mark", Keys: []string{"space"}, Title: "mark", Doc: "decisions then act on all marked candidates", In: []scope{inCandidates}, Bar: 15, Off: needCandidate, Run: (*app).markSelected},
		{ID: "filter", Keys: []string{"/"}, Title: "filter", Doc: "lists keep what fits, texts search; ! in front inverts", In: lists, Bar: 28, Off: canFilter, Run: (*app).startFilter},
	}
}

func candidateKeys() []*binding {
	in := []scope{inCandidates}
	return []*binding{
		{ID: "approve", Keys: []string{"a"}, Title: "approve", In: in, Decides: true, Bar: 70, Off: needHeld, Run: (*app).approve},
		{ID: "reject", Keys: []string{"x"}, Title: "reject", Doc: "with a reason; the runner-up takes the niche", In: in, Decides: true, Bar: 69, Off: needReject, Run: (*app).reject},
		{ID: "freeze", Keys: []string{"f"}, Title: "freeze", Doc: "keeps the elite and does not choose it as parent; again: release", In: in, Decides: true, Bar: 60, Off: needElite, Run: (*app).freeze},
		{ID: "boost", Keys: []string{"b"}, Title: "boost", Doc: "chosen twice as often", In: in, Decides: true, Bar: 59, Off: needElite, Run: func(a *app) tea.Cmd { return a.boost(2) }},
		{ID: "boost-down", Keys: []string{"B"}, Title: "boost down", Doc: "chosen half as often", In: in, Decides: true, Off: needElite, Run: func(a *app) tea.Cmd { return a.boost(0.5) }},
		{ID: "release", Keys: []string{"R"}, Title: "release", Doc: "ends freeze and boost of a niche", In: []scope{inNiches}, Decides: true, Off: needHold, Run: (*app).release},
		{ID: "pin", Keys: []string{"*"}, Title: "pin", Doc: "marks it to be kept (nothing is removed yet); again: unpin", In: in, Decides: true, Off: needCandidate, Run: (*app).pin},
		{ID: "measure", Keys: []string{"V"}, Title: "measure again", Doc: "verify a value; it is then that of all samples", In: in, Decides: true, Off: needMeasured, Run: (*app).measureAgain},
		{ID: "diff", Keys: []string{"d"}, Title: "diff", Doc: "against parent, root or the marked one", In: in, Bar: 50, Off: needCandidate, Run: (*app).openDiff},
		{ID: "lineage", Keys: []string{"T"}, Title: "lineage", Doc: "the family tree", In: in, Bar: 24, Off: needCandidate, Run: (*app).openLineage},
		{ID: "job-of", Keys: []string{"i"}, Title: "its job", Doc: "stages, prompt, output, verdict", In: in, Off: needCandidate, Run: (*app).openJobOf},
		{ID: "copy", Keys: []string{"y"}, Title: "copy", Doc: "hash, id, metrics or difference to the clipboard", In: []scope{inCandidates, inJobs}, Off: needObject, Run: (*app).copyMenu},
		{ID: "export", Keys: []string{"E"}, Title: "export a patch", Doc: "writes the difference to the root as a file for git apply", In: in, Off: needOther, Run: (*app).export},
		{ID: "start-job", Keys: []string{"M"}, Title: "make a job from it", Doc: "this parent, an operator, an agent and a goal of your choice", In: in, Decides: true, Off: needMeasured, Run: (*app).startJob},
		{ID: "promote", Keys: []string{"w"}, Title: "write a branch", Doc: "adds one branch with it to your repository", In: in, Decides: true, Danger: true, Off: needCandidate, Run: (*app).promote},
	}
}

func jobKeys() []*binding {
	in := []scope{inJobs}
	return []*binding{
		{ID: "cancel", Keys: []string{"X"}, Title: "cancel the job", In: in, Decides: true, Danger: true, Bar: 72, Off: needLiveJob, Run: (*app).cancel},
		{ID: "retry", Keys: []string{"R"}, Title: "retry", Doc: "a new job like this one", In: in, Decides: true, Bar: 71, Off: needEndedJob, Run: (*app).retry},
		{ID: "sooner", Keys: []string{"K"}, Title: "sooner", Doc: "raises the priority", In: in, Decides: true, Off: needQueuedJob, Run: func(a *app) tea.Cmd { return a.prioritise(1) }},
		{ID: "later", Keys: []string{"J"}, Title: "later", Doc: "lowers the priority", In: in, Decides: true, Off: needQueuedJob, Run: func(a *app) tea.Cmd { return a.prioritise(-1) }},
		{ID: "job-log", Keys: []string{"l"}, Title: "its log", In: in, Off: needJob, Run: (*app).jobLog},
		{ID: "job-state", Keys: []string{"s"}, Title: "which jobs", Doc: "all, running, queued, held, ended well, failed", In: in, Off: onJobs, Run: (*app).cycleJobState},
	}
}

func viewKeys() []*binding {
	grid := func(fn func(p *nichesPane) tea.Cmd) func(a *app) tea.Cmd {
		return func(a *app) tea.Cmd { return fn(a.panes[paneNiches].(*nichesPane)) }
	}
	curve := func(fn func(p *curvesPane) tea.Cmd) func(a *app) tea.Cmd {
		return func(a *app) tea.Cmd { return fn(a.panes[paneCurves].(*curvesPane)) }
	}
	return []*binding{
		{ID: "layer", Keys: []string{"v"}, Title: "layer", Doc: "value, age, tries, spread, curiosity", In: []scope{inNiches}, Bar: 35, Run: grid((*nichesPane).cycleLayer)},
		{ID: "scale", Keys: []string{"m"}, Title: "scale", Doc: "linear or by rank", In: []scope{inNiches}, Run: grid((*nichesPane).cycleScale)},
		{ID: "best", Keys: []string{"."}, Title: "to the best", In: []scope{inNiches}, Run: grid((*nichesPane).toBest)},
		{ID: "axis-across", Keys: []string{"X"}, Title: "axis across", Doc: "the next one", In: []scope{inNiches}, Off: twoAxes, Run: grid(func(p *nichesPane) tea.Cmd { return p.cycleAxis(true) })},
		{ID: "axis-up", Keys: []string{"Y"}, Title: "axis up", Doc: "the next one", In: []scope{inNiches}, Off: twoAxes, Run: grid(func(p *nichesPane) tea.Cmd { return p.cycleAxis(false) })},
		{ID: "slices", Keys: []string{"A"}, Title: "slices", Doc: "the best over the axes that are not shown, or one slice of them", In: []scope{inNiches}, Off: manyAxes, Run: grid((*nichesPane).toggleCut)},
		{ID: "slice-axis", Keys: []string{"s"}, Title: "axis of slices", Doc: "the one that [ and ] step along", In: []scope{inNiches}, Off: fourAxes, Run: grid((*nichesPane).cycleMoving)},
		{ID: "slice-back", Keys: []string{"["}, Title: "slice back", Doc: "or the elite before, of those behind a field", In: []scope{inNiches}, Off: manyAxes, Run: grid(func(p *nichesPane) tea.Cmd { return p.slice(-1) })},
		{ID: "slice-on", Keys: []string{"]"}, Title: "slice on", Doc: "or the next elite, of those behind a field", In: []scope{inNiches}, Off: manyAxes, Run: grid(func(p *nichesPane) tea.Cmd { return p.slice(1) })},
		{ID: "refit", Keys: nil, Title: "fit the map again", In: []scope{inAll}, Decides: true, Off: learned, Run: (*app).refit},
		{ID: "skip", Keys: []string{"s"}, Title: "skip", Doc: "leaves it waiting and shows the next", In: []scope{inReview}, Bar: 65, Run: func(a *app) tea.Cmd { return a.panes[paneReview].(*reviewPane).skip() }},
		{ID: "time", Keys: []string{"t"}, Title: "over time", Doc: "in place of evaluations", In: []scope{inCurves}, Bar: 35, Run: curve((*curvesPane).toggleTime)},
		{ID: "recent", Keys: []string{"v"}, Title: "stretch", Doc: "everything, or the last quarter", In: []scope{inCurves}, Bar: 34, Run: curve((*curvesPane).cycleStretch)},
		{ID: "curve-scale", Keys: []string{"m"}, Title: "scale", Doc: "linear, logarithmic values, logarithmic evaluations, both", In: []scope{inCurves}, Bar: 33, Run: curve((*curvesPane).cycleScale)},
		{ID: "next-metric", Keys: []string{"]"}, Title: "next metric", Doc: "of the best, for each that the evaluator reports; after the last the objective", In: []scope{inCurves}, Bar: 36, Run: curve(func(p *curvesPane) tea.Cmd { return p.cycleMetric(1) })},
		{ID: "previous-metric", Keys: []string{"["}, Title: "previous metric", In: []scope{inCurves}, Run: curve(func(p *curvesPane) tea.Cmd { return p.cycleMetric(-1) })},
		{ID: "order", Keys: []string{"m"}, Title: "order", Doc: "newest or best first", In: []scope{inJobs}, Off: onCandidates, Run: func(a *app) tea.Cmd { return a.panes[paneCandidates].(*candidatesPane).cycleOrder() }},
	}
}

func textKeys() []*binding {
	diff := func(fn func(v *diffView)) func(a *app) tea.Cmd {
		return func(a *app) tea.Cmd {
			if h, ok := a.current().(differ); ok {
				fn(h.diff())
				h.bump()
			}
			return a.shown()
		}
	}
	return []*binding{
		{ID: "next-match", Keys: []string{"n"}, Title: "next match", In: []scope{inText}, Run: func(a *app) tea.Cmd { return a.match(1) }},
		{ID: "previous-match", Keys: []string{"N"}, Title: "previous match", In: []scope{inText}, Run: func(a *app) tea.Cmd { return a.match(-1) }},
		{ID: "pager", Keys: []string{"o"}, Title: "pager", Doc: "the whole text in $PAGER", In: []scope{inText}, Bar: 22, Run: (*app).pager},
		{ID: "editor", Keys: []string{"e"}, Title: "editor", Doc: "the text in $EDITOR", In: []scope{inText}, Run: (*app).editor},
		{ID: "split", Keys: []string{"t"}, Title: "side by side", Doc: "or one column", In: []scope{inDiff}, Bar: 48, Run: diff((*diffView).toggleSplit)},
		{ID: "base", Keys: []string{"m"}, Title: "compare with", Doc: "parent, root, marked", In: []scope{inDiff}, Bar: 47, Run: diff((*diffView).cycleBase)},
		{ID: "previous-file", Keys: []string{"["}, Title: "previous file", In: []scope{inDiff}, Run: diff(func(v *diffView) { v.file(-1) })},
		{ID: "next-file", Keys: []string{"]"}, Title: "next file", In: []scope{inDiff}, Bar: 46, Run: diff(func(v *diffView) { v.file(1) })},
		{ID: "previous-hunk", Keys: []string{"K"}, Title: "previous hunk", In: []scope{inDiff}, Run: diff(func(v *diffView) { v.hunk(-1) })},
		{ID: "next-hunk", Keys: []string{"J"}, Title: "next hunk", In: []scope{inDiff}, Bar: 45, Run: diff(func(v *diffView) { v.hunk(1) })},
		{ID: "less-context", Keys: []string{"{"}, Title: "fewer lines around changes", In: []scope{inDiff}, Run: diff(func(v *diffView) { v.widen(-2) })},
		{ID: "more-context", Keys: []string{"}"}, Title: "more lines around changes", In: []scope{inDiff}, Run: diff(func(v *diffView) { v.widen(2) })},
		{ID: "difftool", Keys: []string{"ctrl+t"}, Title: "difftool", Doc: "the difference in the tool that git is set to", In: []scope{inDiff}, Off: needDifftool, Run: (*app).difftool},
		{ID: "whitespace", Keys: []string{"W"}, Title: "white space", Doc: "hides changes of white space alone", In: []scope{inDiff}, Run: diff((*diffView).toggleSpace)},
		{ID: "previous-text", Keys: []string{"["}, Title: "previous text", In: []scope{inJob}, Run: func(a *app) tea.Cmd { return a.panes[paneJob].(*jobPane).tab(-1) }},
		{ID: "next-text", Keys: []string{"]"}, Title: "next text", In: []scope{inJob}, Bar: 46, Run: func(a *app) tea.Cmd { return a.panes[paneJob].(*jobPane).tab(1) }},
	}
}

func otherKeys() []*binding {
	return []*binding{
		{ID: "level", Keys: []string{"L"}, Title: "level", Doc: "the least level shown", In: []scope{inLog}, Bar: 35, Run: func(a *app) tea.Cmd { return a.panes[paneLog].(*logPane).cycleLevel() }},
		{ID: "follow", Keys: []string{"F"}, Title: "follow", Doc: "stay at the end", In: []scope{inLog}, Bar: 34, Run: func(a *app) tea.Cmd { return a.panes[paneLog].move(bottom) }},
		{ID: "goal", Keys: []string{"e"}, Title: "edit the goal", Doc: "in $EDITOR, or here when there is none", In: []scope{inNotes}, Decides: true, Bar: 60, Run: (*app).editGoal},
		{ID: "note", Keys: []string{"n"}, Title: "new note", Doc: "a lesson for later prompts", In: []scope{inNotes}, Decides: true, Bar: 59, Run: (*app).newNote},
		{ID: "change-note", Keys: []string{"E"}, Title: "change the note", Doc: "what later prompts say", In: []scope{inNotes}, Decides: true, Bar: 58, Off: needNote, Run: (*app).changeNote},
		{ID: "drop-note", Keys: []string{"X"}, Title: "drop the note", Doc: "no later prompt carries it", In: []scope{inNotes}, Decides: true, Danger: true, Off: needNote, Run: (*app).dropNote},
		{ID: "inject", Keys: []string{"I"}, Title: "inject a commit", Doc: "a revision of your repository as a candidate", In: []scope{inAll}, Decides: true, Run: (*app).inject},
		{ID: "workers", Keys: nil, Title: "number of workers", In: []scope{inAll}, Decides: true, Run: askSetting("workers", "Jobs that run at the same time.")},
		{ID: "budget-jobs", Keys: nil, Title: "budget of jobs", In: []scope{inAll}, Decides: true, Run: askSetting("budget.jobs", "Make jobs of the whole experiment; 0 is no limit.")},
		{ID: "budget-cost", Keys: nil, Title: "budget of money", In: []scope{inAll}, Decides: true, Run: askSetting("budget.cost_usd", "US dollars for the whole experiment; 0 is no limit.")},
		{ID: "review-measure", Keys: nil, Title: "review before measuring", Doc: "off, risky, all", In: []scope{inAll}, Decides: true, Run: chooseGate("review.measure", "Hold before measuring")},
		{ID: "review-niche", Keys: nil, Title: "review before a niche", Doc: "off, risky, all", In: []scope{inAll}, Decides: true, Run: chooseGate("review.niche", "Hold before a niche is taken")},
		{ID: "change", Keys: []string{"e"}, Title: "change", Doc: "a live setting", In: []scope{inSettings}, Decides: true, Bar: 60, Off: needLiveSetting, Run: (*app).editSetting},
		{ID: "check-again", Keys: []string{"R"}, Title: "check again", In: []scope{inDoctor}, Bar: 60, Run: func(a *app) tea.Cmd { return a.panes[paneDoctor].(*doctorPane).again() }},
		{ID: "freeze-target", Keys: []string{"f"}, Title: "freeze the target", Doc: "again: release", In: []scope{inTargets}, Decides: true, Bar: 60, Off: needTarget, Run: (*app).freezeTarget},
		{ID: "boost-target", Keys: []string{"b"}, Title: "boost the target", In: []scope{inTargets}, Decides: true, Bar: 59, Off: needTarget, Run: func(a *app) tea.Cmd { return a.boostTarget(2) }},
		{ID: "boost-target-down", Keys: []string{"B"}, Title: "boost the target down", In: []scope{inTargets}, Decides: true, Off: needTarget, Run: func(a *app) tea.Cmd { return a.boostTarget(0.5) }},
	}
}
