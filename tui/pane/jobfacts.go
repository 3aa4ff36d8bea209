package pane

import (
	"fmt"
	"strings"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/widget"
)

// facts are the stages and what the job used.
func (p *jobPane) facts(w int) []string {
	st := p.d.St
	d := p.detail
	out := p.standing(w)
	out = append(out, p.origin(w)...)
	out = append(out, "")
	out = append(out, p.outcome(w)...)
	out = append(out, "", " "+st.Label.S("stages"))
	for i := range d.Stages {
		out = append(out, p.stage(&d.Stages[i], w))
	}
	for _, f := range d.Findings {
		col, sign := st.Warn, "! "
		if f.Hard {
			col, sign = st.Bad, "x "
		}
		out = append(out, " "+col.S(sign+widget.Words(" ", f.Rule, f.Path, f.Text)))
	}
	if len(d.Retries) > 0 {
		l := (&widget.Line{}).Gap(1).Add(st.Label, "tried again by")
		for _, r := range d.Retries {
			l.Gap(1).Add(st.Ident, r.String())
		}
		out = append(out, "", l.String())
	}
	return out
}

// fact is a line with its name before it; "" goes on with the one above.
func (p *jobPane) fact(name string, l *widget.Line) string {
	var k widget.Line
	k.Gap(1).Col(p.d.St.Label, name, 9).Raw(l.String())
	return k.String()
}

// told is a fact in words, over as many lines as it takes.
func (p *jobPane) told(name, text string, w int) []string {
	var out []string
	for i, t := range widget.WrapText(text, max(8, w-11)) {
		out = append(out, p.fact(widget.Unless(i > 0, name), (&widget.Line{}).Add(p.d.St.Plain, strings.TrimSpace(t))))
	}
	return out
}

// standing is why the job ended as it did, and where its person works.
func (p *jobPane) standing(w int) []string {
	st, j := p.d.St, &p.detail.Job
	var out []string
	if why := widget.Words(": ", string(j.Class), beyond(j)); why != "" {
		for _, t := range widget.WrapText(why, w-2) {
			out = append(out, " "+st.State(string(j.State)).S(t))
		}
	}
	if dir := p.workTree(); dir != "" {
		out = append(out, " "+st.Accent.S("waits for you: "+p.d.Key("edit-tree")+" edits there, "+p.d.Key("shell-tree")+" opens a shell"))
		for _, t := range widget.WrapText(dir, w-2) {
			out = append(out, " "+st.Strong.S(t))
		}
	}
	return out
}

// origin is what the job began from, by whom, and why.
func (p *jobPane) origin(w int) []string {
	st, j := p.d.St, &p.detail.Job
	var out []string
	if j.Kind == record.Evaluate {
		out = append(out, p.fact("measures", (&widget.Line{}).Add(st.Ident, CandidateName(j.Candidate))))
	} else {
		from := (&widget.Line{}).Add(st.Ident, CandidateName(j.Parent))
		beside := j.Inspirations
		if mate := j.Mate(); mate != record.NoCandidate {
			from.Add(st.Label, " crossed with ").Add(st.Ident, CandidateName(mate))
			beside = beside[1:]
		}
		for i, id := range beside {
			from.Add(st.Label, widget.Unless(i > 0, " beside")).Gap(1).Add(st.Ident, CandidateName(id))
		}
		out = append(out, p.fact("parent", from), p.fact("by", p.maker()))
	}
	for i, reason := range p.choice() {
		out = append(out, p.told(widget.Unless(i > 0, "why"), reason, w)...)
	}
	return out
}

// outcome is what the job made and used.
func (p *jobPane) outcome(w int) []string {
	st, j := p.d.St, &p.detail.Job
	var out []string
	if j.Candidate >= 0 {
		made := (&widget.Line{}).Add(st.Ident, CandidateName(j.Candidate))
		if c := p.detail.Candidate; c != nil {
			gain := p.onParent()
			made.Gap(1).Add(st.Label, c.Commit.Short()).Gap(1).Raw(p.value(c))
			if gain != "" && made.W+20 <= w { // else the title says it
				made.Add(st.Label, " on parent")
			}
		}
		out = append(out, p.fact("made", made))
	}
	if j.Duplicate >= 0 && j.State == record.Duplicate {
		out = append(out, p.fact("same as", (&widget.Line{}).Add(st.Ident, CandidateName(j.Duplicate))))
	}
	u := j.Usage
	used := "no model was asked"
	if u.Requests > 0 || u.Unmetered || u.CostUSD != nil && *u.CostUSD > 0 {
		used = fmt.Sprintf("%s, %s tokens in, %s out, %s", widget.Plural(u.Requests, "request", "requests"), widget.Count(u.InputTokens), widget.Count(u.OutputTokens), costText(u))
	}
	out = append(out, p.told("used", used, w)...)
	spent := widget.Words(" on ", fmt.Sprintf("agent %s, evaluator %s", widget.MillisText(j.EditMS), widget.MillisText(j.EvalMS)), j.Machine)
	return append(out, p.fact("time", (&widget.Line{}).Add(st.Plain, spent)), p.fact("", (&widget.Line{}).Add(st.Label, fmt.Sprintf("atoll itself %.1f ms", j.OwnMS))))
}

// maker tells who edits what, and how; a person edits as they like.
func (p *jobPane) maker() *widget.Line {
	st, j := p.d.St, &p.detail.Job
	l := &widget.Line{}
	if p.workTree() == "" {
		l.Add(st.Plain, widget.OrNone(string(j.Operator))).Add(st.Label, " of ")
	}
	return l.Add(st.Plain, widget.OrNone(j.Agent)).Add(st.Label, widget.Unless(j.Target == "", " on "+j.Target))
}

func (p *jobPane) stage(s *view.StageSpan, w int) string {
	st := p.d.St
	var l widget.Line
	end, col := widget.Millis(s.Ended), st.Plain
	if s.Ended == 0 {
		end, col = p.d.Today(), st.Good
	}
	took := ""
	if s.Ended == 0 || s.Ended > s.Started { // an end takes no time
		took = spanText(end.Sub(widget.Millis(s.Started)))
	}
	l.Gap(1).Col(st.Label, widget.Clock(widget.Millis(s.Started)), 9).Col(col, s.Name, 16).Right(st.Plain, took, 7).Gap(2)
	return l.Fit(st.Label, s.Note, w-l.W).String()
}

// spanText writes how long a stage took: below a second in milliseconds.
func spanText(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return widget.Duration(d)
}
