package pane

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/widget"
)

// evaluation is what is kept of how one run of the evaluator went.
type evaluation struct {
	Stage                     string
	Repeat, Exit              int
	Signal                    string
	TimedOut                  bool `json:"timed_out"`
	Limits, Violations, Tests []string
	WallMS                    int64 `json:"wall_ms"`
	CPUMS                     int64 `json:"cpu_ms"`
	MaxRSS                    int64 `json:"max_rss"`
	Class                     record.Class
	Reason, Summary           string
	Metrics                   []record.Metric
}

// evidenceText is a text kept with a job as people read it: how a run went in words,
// another JSON value laid out, the rest as it is.
func evidenceText(e *record.Evidence) string {
	if e.Kind == "evaluation" {
		var run evaluation
		if json.Unmarshal(e.Text, &run) == nil && run.Stage != "" {
			return run.words()
		}
	}
	return formatted(e.Text)
}

// words tell a run: how it ended, what it said, its figures as a table.
func (e *evaluation) words() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("stage %s, run %d: %s", e.Stage, e.Repeat+1, e.end())
	line("%s", widget.Words(", ", "it took "+widget.MillisText(e.WallMS), widget.Unless(e.CPUMS == 0, "cpu "+widget.MillisText(e.CPUMS)), widget.Unless(e.MaxRSS == 0, "memory "+Bytes(e.MaxRSS))))
	for _, list := range []struct {
		name  string
		items []string
	}{{"limit reached", e.Limits}, {"not allowed", e.Violations}} {
		for _, t := range list.items {
			line("%s: %s", list.name, t)
		}
	}
	if e.Class != "" || e.Reason != "" {
		line("%s", widget.Words(": ", string(e.Class), e.Reason))
	}
	if e.Summary != "" {
		line("\n%s", e.Summary)
	}
	if len(e.Metrics) > 0 {
		line("\n%s", e.table())
	}
	if len(e.Tests) > 0 {
		line("\ntests\n  %s", strings.Join(e.Tests, "\n  "))
	}
	return strings.TrimRight(b.String(), "\n")
}

// end says how the process ended.
func (e *evaluation) end() string {
	switch {
	case e.TimedOut:
		return "its time was over"
	case e.Signal != "":
		return "ended by " + e.Signal
	case e.Exit != 0:
		return fmt.Sprintf("ended with exit code %d", e.Exit)
	}
	return "ended well"
}

// table lays the metrics out, one to a line, with their points below one another.
func (e *evaluation) table() string {
	name, whole := 0, 0
	text := make([][2]string, len(e.Metrics)) // before and from the point on
	for i, m := range e.Metrics {
		n := widget.Number(m.Value)
		at := strings.IndexAny(n+".", ".e")
		text[i] = [2]string{n[:at], n[at:]}
		name, whole = max(name, len([]rune(m.Name))), max(whole, at)
	}
	lines := make([]string, len(e.Metrics))
	for i, m := range e.Metrics {
		lines[i] = strings.TrimRight(fmt.Sprintf("%-*s  %*s%s %s", name, m.Name, whole, text[i][0], text[i][1], widget.Words(", ", widget.Unless(strings.EqualFold(m.Unit, m.Name), m.Unit), widget.Unless(m.Higher == nil || *m.Higher, "lower is better"))), " ")
	}
	return strings.Join(lines, "\n")
}

// formatted lays out what is one JSON value; other texts stay as they are.
func formatted(text []byte) string {
	var out bytes.Buffer
	if t := bytes.TrimSpace(text); len(t) > 0 && (t[0] == '{' || t[0] == '[') && json.Indent(&out, t, "", "  ") == nil {
		return out.String()
	}
	return string(text)
}

// choice is why the job was drawn as it was, a reason a line.
func (p *jobPane) choice() []string {
	switch j := &p.detail.Job; {
	case j.Why != "":
		why := strings.Split(j.Why, "; ")
		if rest, is := strings.CutPrefix(why[0], record.Root.String()+" "); is {
			why[0] = CandidateName(record.Root) + " " + rest
		}
		if p.workTree() != "" { // a person edits as they like: by which operator says nothing
			why = slices.DeleteFunc(why, func(r string) bool { return strings.HasPrefix(r, string(j.Operator)+" with chance ") })
		}
		for i := range why {
			why[i] = view.ChanceWords(why[i])
		}
		return why
	case j.Kind == record.Evaluate:
		return []string{purposeWords(j.Purpose)}
	case j.RetryOf > 0:
		return []string{"a new try of " + j.RetryOf.String()}
	case j.Operator == record.OpManual:
		return []string{"injected by a person"}
	}
	return nil
}

// purposeWords say why something is measured.
func purposeWords(p record.Purpose) string {
	switch p {
	case record.PurposeRoot:
		return "the root is measured before everything else"
	case record.PurposeRace, record.PurposeChallenge, record.PurposeLead:
		return "it looks better than who holds its niche, and values vary: another look decides"
	case record.PurposeConfirm:
		return "samples that decided nothing tell what the best is worth"
	case record.PurposeRemeasure:
		return "measured again, as the evaluator is another or its share was due"
	case record.PurposeVerify:
		return "a person asked for it"
	}
	return string(p)
}
