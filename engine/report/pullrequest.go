package report

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

//go:embed pullrequest.md.tmpl
var pullRequest string

// Proposal is what the text of a pull request tells.
type Proposal struct {
	Program   string
	Snap      *view.Snapshot
	Candidate view.CandidateDetail
	Steps     []view.LineageNode // from the root to the candidate
	Evaluator string             // its command, in one line
	Verified  string             // what a verification on the branch as it is now says; "" = there was none
}

// Propose reads what is to be told of one candidate.
func Propose(ctx context.Context, src Source, snap *view.Snapshot, id record.CandidateID) (*Proposal, error) {
	d, err := src.Candidate(ctx, id)
	if err != nil {
		return nil, err
	}
	family, err := src.Lineage(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the lineage of %s: %w", id, err)
	}
	return &Proposal{Snap: snap, Candidate: d, Steps: family.Ancestors}, nil
}

// Title is one line: what was meant by the last step, else what was gained.
func (p *Proposal) Title() string {
	what := strings.TrimLeft(view.CleanLine(p.Candidate.Candidate.Intent), "#- ")
	if what == "" {
		what = "candidate " + p.Candidate.Candidate.ID.String()
	}
	if c := p.Candidate.Claim; c.Word == evidence.Exact || c.Word == evidence.Confirmed {
		what = fmt.Sprintf("%s %s: %s", p.story().Metric(), view.ClaimGain(c), what)
	}
	if letters := []rune(what); len(letters) > 100 {
		what = strings.TrimSpace(string(letters[:99])) + "…"
	}
	return strings.Join(strings.Fields(what), " ")
}

func (p *Proposal) story() *Story {
	return &Story{Snap: p.Snap, Winner: &p.Candidate}
}

// Claim says in a sentence what may be told of the gain.
func (p *Proposal) Claim() string {
	s := p.story()
	return s.claim(p.Candidate.Candidate.ID, &p.Candidate.Claim)
}

// RootMetric is what the root has of a metric; nil: nothing.
func (p *Proposal) RootMetric(name string) *record.Metric { return p.story().RootMetric(name) }

// Again are the command lines that do it again.
func (p *Proposal) Again() []string { return again(p.Snap, p.Candidate.Candidate.ID) }

// Repeats says when that gives the same.
func (p *Proposal) Repeats() string { return p.story().Repeats() }

// stepsTold bounds the way that a pull request tells.
const stepsTold = 20

// Way is the last steps to the candidate, without the root.
func (p *Proposal) Way() []view.LineageNode {
	if len(p.Steps) == 0 {
		return nil
	}
	steps := p.Steps[1:]
	return steps[max(0, len(steps)-stepsTold):]
}

// Earlier counts the steps that Way leaves out.
func (p *Proposal) Earlier() int { return max(0, len(p.Steps)-1-stepsTold) }

// Samples counts the measurements of the candidate, and those that did not decide.
func (p *Proposal) Samples() (text string) {
	held := 0
	for _, s := range p.Candidate.Samples {
		if s.HeldOut {
			held++
		}
	}
	return fmt.Sprintf("%s, %d of them held out from every decision", view.Plural(len(p.Candidate.Samples), "sample"), held)
}

// PullRequest writes the text for those who are to take a candidate in. Foreign
// texts stand as code, so that they call nobody and close nothing.
func PullRequest(w io.Writer, p *Proposal) error {
	t, err := template.New("pull request").Funcs(template.FuncMap{
		"clean": plain, "code": code, "cell": cell, "value": value, "signed": signed, "measured": measured(plain), "fenced": fenced,
	}).Parse(pullRequest)
	if err != nil {
		return fmt.Errorf("read the text of pull requests: %w", err)
	}
	return t.Execute(w, p)
}

// code is one line of foreign text between backticks.
func code(text string) string {
	line := strings.ReplaceAll(view.CleanLine(text), "`", "'")
	if letters := []rune(line); len(letters) > 200 {
		line = string(letters[:199]) + "…"
	}
	if strings.TrimSpace(line) == "" {
		return ""
	}
	return "`" + line + "`"
}

// cell is code in a table, where a line that stands would end it.
func cell(text string) string { return strings.ReplaceAll(code(text), "|", `\|`) }

// fenced is foreign text of several lines as a fenced block.
func fenced(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = view.CleanLine(l)
	}
	fence := "```"
	for slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, fence) }) {
		fence += "`"
	}
	return fence + "text\n" + strings.Join(lines, "\n") + "\n" + fence
}
