package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
)

// Plan is what a planner hands to a coder.
type Plan struct {
	Summary      string     `json:"plan_summary"`
	Rationale    string     `json:"rationale"`
	FocusMetrics []string   `json:"focus_metrics"`
	Guardrails   []string   `json:"guardrails"`
	Risks        []string   `json:"risks"`
	Validation   []string   `json:"validation"`
	Steps        []PlanStep `json:"steps"`
	HandoffNotes []string   `json:"handoff_notes"`
	Fallback     *string    `json:"fallback_plan"`
}

// PlanStep is one step of a plan.
type PlanStep struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Intent       string   `json:"intent"`
	Actions      []string `json:"actions"`
	Files        []string `json:"files"`
	Dependencies []string `json:"dependencies"`
	Validation   []string `json:"validation"`
	Risks        []string `json:"risks"`
	References   []string `json:"references"`
}

// PlanFallback is what a plan made from a text takes from the job.
type PlanFallback struct {
	Metrics    []string // of the parent; the first three become the focus
	Acceptance []string // becomes the validation
}

// The most of a plan that a coder is shown.
const (
	maxSteps    = 6
	maxSummary  = 512 // characters
	maxWhy      = 2048
	maxFallback = 1200
)

// ParsePlan reads a plan from an answer that may hold fences and text around
// it. An answer without the object of a plan is a plan of one step: its words.
func ParsePlan(answer string, back PlanFallback) Plan {
	answer = edit.WithoutThoughts(answer)
	for _, object := range edit.JSONObjects(answer) {
		var p Plan
		if json.Unmarshal(object, &p) != nil || p.Summary == "" && len(p.Steps) == 0 {
			continue
		}
		p.Summary, p.Rationale = cutText(p.Summary, maxSummary), cutText(p.Rationale, maxWhy)
		p.Steps = p.Steps[:min(len(p.Steps), maxSteps)]
		if p.Fallback != nil {
			short := cutText(*p.Fallback, maxFallback)
			p.Fallback = &short
		}
		return p
	}
	return planOfText(answer, back)
}

// planOfText makes a plan of one step from a text.
func planOfText(text string, back PlanFallback) Plan {
	text = strings.TrimSpace(text)
	raw := cutText(text, maxFallback)
	p := Plan{
		Summary: cutText(text, maxSummary), Rationale: cutText(text, maxWhy), FocusMetrics: back.Metrics[:min(len(back.Metrics), 3)], Validation: back.Acceptance, Fallback: &raw,
		Steps: []PlanStep{{ID: "text", Title: clean.Clip(clean.Line(firstOf(text)), 120), Intent: cutText(text, 400), Actions: []string{cutText(text, 2000)}}},
	}
	if len(p.Validation) == 0 {
		p.Validation = []string{"run the tests"}
	}
	return p
}

func firstOf(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func cutText(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n])
}

// Text writes a plan for the coder.
func (p Plan) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	list := func(title string, items []string) {
		if len(items) > 0 {
			line("%s:", title)
		}
		for _, s := range items {
			line("- %s", s)
		}
	}
	line("%s", p.Summary)
	if p.Rationale != p.Summary {
		line("Why: %s", p.Rationale)
	}
	list("Metrics to move", p.FocusMetrics)
	list("Guardrails", p.Guardrails)
	list("Risks", p.Risks)
	list("How one sees that it worked", p.Validation)
	for i, s := range p.Steps {
		line("Step %d, %s: %s", i+1, s.Title, s.Intent)
		list("Actions", s.Actions)
		list("Files", s.Files)
		list("Depends on", s.Dependencies)
		list("Check", s.Validation)
		list("Risks", s.Risks)
		list("See", s.References)
	}
	list("Notes", p.HandoffNotes)
	if p.Fallback != nil && *p.Fallback != "" && *p.Fallback != p.Summary {
		line("If that does not work: %s", *p.Fallback)
	}
	return b.String()
}
