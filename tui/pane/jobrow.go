package pane

import (
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/widget"
)

func (p *jobsPane) runningRow(r *view.Running, w int) string {
	st := p.d.St
	j := &r.Job
	var l widget.Line
	l.Gap(1).Col(st.Ident, j.ID.String(), p.idWidth()).Col(st.Plain, p.what(j), 11)
	from := p.from(j)
	tail := 9
	stage := r.Stage
	room := w - l.W - tail
	switch {
	case room < 22:
		l.Fit(st.Good, stage, room)
	case room >= 52:
		l.Col(st.Ident, from, 25).Col(st.Label, j.Agent, 11)
		l.Fit(st.Good, stage, w-l.W-tail)
	default:
		n := min(len(from)+1, max(6, room-min(len(stage)+1, room/2)))
		l.Fit(st.Ident, from, n).Gap(1).Fit(st.Good, stage, w-l.W-tail)
	}
	return l.RightCol(st.Label, widget.Duration(p.d.Now().Sub(r.Started)), tail-1).Gap(1).String()
}

// what names the kind of work: the operator, or why it measures.
func (p *jobsPane) what(j *record.Job) string {
	switch {
	case j.Kind == record.Evaluate && j.Purpose != "":
		return string(j.Purpose)
	case j.Operator != "":
		return string(j.Operator)
	}
	return string(j.Kind)
}

// from names the parent with its niche, and what is mixed in.
func (p *jobsPane) from(j *record.Job) string {
	if j.Kind == record.Evaluate && j.Candidate >= 0 {
		return CandidateName(j.Candidate)
	}
	out := CandidateName(j.Parent)
	if c := p.d.Grid.CellOf(j.Parent); c >= 0 {
		out += " " + Niche(&p.d.Snap.Grid, c)
	}
	if mate := j.Mate(); mate != record.NoCandidate {
		out += " + " + CandidateName(mate)
	}
	return out
}

// What columns the jobs that ended last have, by the width of the pane.
const (
	deltaFrom = 56  // the difference to the parent
	workFrom  = 110 // parent, agent, times and cost
)

// recentHead are the heads of the columns of [jobsPane.recentRow].
func (p *jobsPane) recentHead(w int) string {
	st := p.d.St
	var l widget.Line
	l.Gap(1).Col(st.Label, "job", p.idWidth()).Col(st.Label, "work", 11)
	if w >= workFrom {
		l.Col(st.Label, "parent", 9).Col(st.Label, "agent", 11).RightCol(st.Label, "edit", 9).RightCol(st.Label, "measure", 9).RightCol(st.Label, "cost", 9).Gap(1)
	}
	l.Right(st.Label, "value", p.valueWidth(w)).Gap(1)
	if w >= deltaFrom && !p.d.Snap.Noisy {
		l.Gap(1).Col(st.Label, "on parent", 10)
	}
	return l.Fit(st.Label, "outcome", max(0, w-l.W)).String()
}

// valueWidth is the width of the values of the jobs that ended last. Where values vary
// they have the room of the difference to the parent, which may not be told.
func (p *jobsPane) valueWidth(w int) int {
	switch {
	case !p.d.Snap.Noisy:
		return 8
	case w < deltaFrom:
		return 12
	}
	return evidenceWidth
}

// idWidth is the width of the numbers of the jobs shown.
func (p *jobsPane) idWidth() int {
	w := 5
	for id := range p.rows {
		w = max(w, len(id.String())+1)
	}
	return w
}

func (p *jobsPane) recentRow(e *view.Ended, w int) string {
	st := p.d.St
	j := &e.Job
	var l widget.Line
	mark := " "
	if j.Candidate >= 0 && p.d.marked(j.Candidate) {
		mark = "▸"
	}
	l.Add(st.Marked, mark).Col(st.Ident, j.ID.String(), p.idWidth()).Col(st.Plain, p.what(j), 11)
	if w >= workFrom {
		l.Col(st.Ident, CandidateName(j.Parent), 9).Col(st.Label, j.Agent, 11).RightCol(st.Label, widget.MillisText(j.EditMS), 9).RightCol(st.Label, widget.MillisText(j.EvalMS), 9).RightCol(st.Label, costText(j.Usage), 9).Gap(1)
	}
	if e.Objective != nil && j.State != record.Failed {
		room := p.valueWidth(w)
		l.Right(st.Plain, p.d.told(j.Candidate, e.Objective, e.Claim, room), room).Gap(1)
		switch {
		case w < deltaFrom, p.d.Snap.Noisy: // the outcome is worth more than the difference
		case e.Delta != nil:
			col, delta := st.Label, level(*e.Delta, *e.Objective)
			if delta > 0 {
				col = st.Good
			}
			l.Gap(1).Col(col, widget.Brief(delta), 10)
		default:
			l.Gap(11)
		}
	} else if j.State != record.Duplicate {
		l.Add(st.State(string(j.State)), string(j.State)).Gap(1)
		if j.Class != "" {
			l.Add(st.Plain, string(j.Class)).Gap(2)
		}
	}
	text, col := p.outcome(e, w < deltaFrom)
	return l.Fit(col, text, w-l.W).String()
}

// outcome tells in words what came of a job, in few of them where room is
// short.
func (p *jobsPane) outcome(e *view.Ended, short bool) (string, widget.Style) {
	st, g := p.d.St, &p.d.Snap.Grid
	j := &e.Job
	where := Niche(g, e.Cell)
	switch {
	case j.State == record.Duplicate:
		return "duplicate of " + CandidateName(j.Duplicate), st.Label
	case j.State == record.Placed && where == "": // under an earlier map
		return widget.Unless(!e.Best, "new best, ") + "took a niche", st.Plain
	case short && e.Best:
		return "best " + where, st.Good
	case short && j.State == record.Placed && e.From < 0:
		return "new " + where, st.Plain
	case short && j.State == record.Placed:
		return "took " + where, st.Plain
	case j.State == record.Scored && p.d.Snap.Grid.NeedFit > 0 && !p.d.mapped():
		return "before the map", st.Label
	case j.State == record.Scored && p.d.Grid.CellOf(j.Candidate) >= 0: // by samples that came after its end
		return "took " + Niche(g, p.d.Grid.CellOf(j.Candidate)) + widget.Unless(short, " later"), st.Plain
	case short && j.State == record.Scored:
		return "no better", st.Label
	case e.Best && where == "":
		return "new best, no niche", st.Good
	case e.Best && e.From >= 0:
		return "new best " + where + ", was " + CandidateName(e.From), st.Good
	case e.Best:
		return "new best, new " + where, st.Good
	case j.State == record.Placed && e.From >= 0:
		return "took " + where + " from " + CandidateName(e.From), st.Plain
	case j.State == record.Placed:
		return "new niche " + where, st.Plain
	case j.State == record.Scored:
		return widget.Words(" ", "no better in its niche", j.Reason), st.Label
	}
	return beyond(j), st.Label
}

// beyond is the reason of a job's end without the word for the state that it begins with:
// that stands beside it.
func beyond(j *record.Job) string {
	rest, _ := strings.CutPrefix(j.Reason, string(j.State))
	return strings.TrimSpace(rest)
}
