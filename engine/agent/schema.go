package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
)

// Validation says how strictly a structured answer is read.
type Validation string

// The ways to read a structured answer. Strict: it follows the schema or is
// refused. Lenient: it is made from the text where it does not. None: it is
// always made from the text.
const (
	ValidateStrict  Validation = "strict"
	ValidateLenient Validation = "lenient"
	ValidateNone    Validation = "none"
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

// ErrSchema reports a structured answer that does not follow its schema.
// Test with errors.Is.
var ErrSchema = errors.New("the answer does not follow the schema")

// textRule bounds a text, listRule a list of texts.
type textRule struct {
	name     string
	min, max int // characters
}

type listRule struct {
	name     string
	min, max int // entries
	each     int // characters
}

func planTexts() []textRule {
	return []textRule{{"plan_summary", 1, 512}, {"rationale", 1, 2048}}
}

func planLists() []listRule {
	return []listRule{
		{"focus_metrics", 1, 10, 200}, {"guardrails", 1, 20, 400}, {"risks", 1, 20, 400}, {"validation", 1, 20, 400}, {"handoff_notes", 0, 20, 200},
	}
}

func stepTexts() []textRule {
	return []textRule{{"id", 1, 64}, {"title", 1, 120}, {"intent", 1, 400}}
}

func stepLists() []listRule {
	return []listRule{
		{"actions", 1, 12, 200},
		{"files", 0, 30, 400},
		{"dependencies", 0, 12, 200},
		{"validation", 1, 12, 400},
		{"risks", 0, 12, 400},
		{"references", 0, 12, 400},
	}
}

const (
	maxSteps    = 6
	maxFallback = 1200
)

// PlanSchema is the JSON schema of a plan, as providers take it: every field
// required, none besides.
func PlanSchema() json.RawMessage {
	object := func(texts []textRule, lists []listRule) (map[string]any, []string) {
		props := map[string]any{}
		var names []string
		for _, r := range texts {
			props[r.name] = map[string]any{"type": "string", "minLength": r.min, "maxLength": r.max}
			names = append(names, r.name)
		}
		for _, r := range lists {
			props[r.name] = map[string]any{
				"type": "array", "minItems": r.min, "maxItems": r.max, "items": map[string]any{"type": "string", "maxLength": r.each},
			}
			names = append(names, r.name)
		}
		return props, names
	}
	stepProps, stepNames := object(stepTexts(), stepLists())
	props, names := object(planTexts(), planLists())
	props["steps"] = map[string]any{
		"type": "array", "minItems": 1, "maxItems": maxSteps,
		"items": map[string]any{"type": "object", "properties": stepProps, "required": stepNames, "additionalProperties": false},
	}
	props["fallback_plan"] = map[string]any{"type": []string{"string", "null"}, "maxLength": maxFallback}
	data, err := json.Marshal(map[string]any{
		"type": "object", "properties": props, "required": append(names, "steps", "fallback_plan"), "additionalProperties": false,
	})
	if err != nil {
		return nil // maps of texts and numbers always encode
	}
	return data
}

// PlanFallback is what a plan made from a text takes from the job.
type PlanFallback struct {
	Metrics    []string // of the parent; the first three become the focus
	Acceptance []string // becomes the validation
}

// ParsePlan reads a plan from an answer that may hold fences and text around
// it. Strict errors are [ErrSchema] and name the first field that is wrong.
func ParsePlan(answer string, mode Validation, back PlanFallback) (Plan, error) {
	answer = edit.WithoutThoughts(answer)
	if mode == ValidateNone {
		return planOfText(answer, back), nil
	}
	var first error
	for _, object := range edit.JSONObjects(answer) {
		p, err := decodePlan(object)
		if err == nil {
			return p, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = fmt.Errorf("%w: it holds no JSON object", ErrSchema)
	}
	if mode == ValidateLenient {
		return planOfText(answer, back), nil
	}
	return Plan{}, first
}

func decodePlan(object []byte) (Plan, error) {
	var p Plan
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Plan{}, fmt.Errorf("%w: %s", ErrSchema, strings.TrimPrefix(err.Error(), "json: "))
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(object, &raw); err != nil {
		return Plan{}, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if err := check("", raw, planTexts(), planLists()); err != nil {
		return Plan{}, err
	}
	if len(p.Steps) < 1 || len(p.Steps) > maxSteps {
		return Plan{}, fmt.Errorf("%w: steps has %d entries, it needs 1 to %d", ErrSchema, len(p.Steps), maxSteps)
	}
	if p.Fallback != nil && len([]rune(*p.Fallback)) > maxFallback {
		return Plan{}, fmt.Errorf("%w: fallback_plan is longer than %d characters", ErrSchema, maxFallback)
	}
	var steps []map[string]json.RawMessage
	if err := json.Unmarshal(raw["steps"], &steps); err != nil {
		return Plan{}, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	for i, s := range steps {
		if err := check(fmt.Sprintf("steps[%d].", i), s, stepTexts(), stepLists()); err != nil {
			return Plan{}, err
		}
	}
	return p, nil
}

// check holds an object against its rules.
func check(where string, raw map[string]json.RawMessage, texts []textRule, lists []listRule) error {
	for _, r := range texts {
		var s string
		if err := json.Unmarshal(raw[r.name], &s); err != nil {
			return fmt.Errorf("%w: %s%s is missing or no text", ErrSchema, where, r.name)
		}
		if n := len([]rune(strings.TrimSpace(s))); n < r.min || n > r.max {
			return fmt.Errorf("%w: %s%s has %d characters, it needs %d to %d", ErrSchema, where, r.name, n, r.min, r.max)
		}
	}
	for _, r := range lists {
		var list []string
		if value, there := raw[r.name]; !there && r.min == 0 {
			continue
		} else if err := json.Unmarshal(value, &list); err != nil {
			return fmt.Errorf("%w: %s%s is missing or no list of texts", ErrSchema, where, r.name)
		}
		if len(list) < r.min || len(list) > r.max {
			return fmt.Errorf("%w: %s%s has %d entries, it needs %d to %d", ErrSchema, where, r.name, len(list), r.min, r.max)
		}
		for i, s := range list {
			if n := len([]rune(s)); n > r.each {
				return fmt.Errorf("%w: %s%s[%d] has %d characters, the most is %d", ErrSchema, where, r.name, i, n, r.each)
			}
		}
	}
	return nil
}

// planOfText makes a plan of one step from a text.
func planOfText(text string, back PlanFallback) Plan {
	text = strings.TrimSpace(text)
	raw := cutText(text, maxFallback)
	p := Plan{
		Summary: cutText(text, 512), Rationale: cutText(text, 2048), FocusMetrics: back.Metrics[:min(len(back.Metrics), 3)], Validation: back.Acceptance, Fallback: &raw,
		Steps: []PlanStep{{ID: "lenient-1", Title: clean.Clip(clean.Line(firstOf(text)), 120), Intent: cutText(text, 400), Actions: []string{cutText(text, 2000)}}},
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
