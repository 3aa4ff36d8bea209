package campaign

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// AcceptanceKind says how an acceptance is checked.
type AcceptanceKind string

// The kinds of acceptance.
const (
	AcceptGain   AcceptanceKind = "gain"   // percent that the objective gains on the task's root, held out
	AcceptMetric AcceptanceKind = "metric" // a metric of the evaluator
	AcceptAudit  AcceptanceKind = "audit"  // a figure of the auditor, such as the complexity of a function
	AcceptRun    AcceptanceKind = "run"    // a command that ends with 0 in the tree
)

// Acceptance is one condition under which a task is done. As text: "gain >= 5%",
// "time_ms <= 80", "audit complexity parse.go:Parse <= 15", "run: go vet ./...".
type Acceptance struct {
	Kind    AcceptanceKind
	Name    string  // of the metric, or figure and place of the audit
	AtLeast bool    // else at most
	Bound   float64 // gain: percent
	Command string  // run by sh -c
}

// ParseAcceptance reads the text form. Errors wrap [ErrTask].
func ParseAcceptance(text string) (Acceptance, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "run:"); ok {
		if rest = strings.TrimSpace(rest); rest == "" {
			return Acceptance{}, fmt.Errorf("%w: acceptance %q names no command; write run: and a command, such as run: make test", ErrTask, text)
		}
		return Acceptance{Kind: AcceptRun, Command: rest}, nil
	}
	a := Acceptance{Kind: AcceptMetric}
	left, right, ok := strings.Cut(text, "<=")
	if !ok {
		left, right, ok = strings.Cut(text, ">=")
		a.AtLeast = ok
	}
	a.Name = strings.TrimSpace(left)
	if !ok || a.Name == "" {
		return a, fmt.Errorf("%w: acceptance %q: write gain >= 5%%, METRIC <= NUMBER, audit FIGURE PLACE <= NUMBER or run: COMMAND", ErrTask, text)
	}
	number := strings.TrimSpace(right)
	switch {
	case a.Name == "gain":
		a.Kind, a.Name = AcceptGain, ""
		number = strings.TrimSpace(strings.TrimSuffix(number, "%"))
	case strings.HasPrefix(a.Name, "audit "):
		a.Kind, a.Name = AcceptAudit, strings.Join(strings.Fields(a.Name)[1:], " ")
		if !strings.Contains(a.Name, " ") {
			return a, fmt.Errorf("%w: acceptance %q: name a figure and a place, such as audit complexity parse.go:Parse <= 15", ErrTask, text)
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return a, fmt.Errorf("%w: acceptance %q: %q is no number", ErrTask, text, number)
	}
	a.Bound = v
	if a.Kind == AcceptGain && !a.AtLeast {
		return a, fmt.Errorf("%w: acceptance %q: a gain is at least something; write gain >= 5%%", ErrTask, text)
	}
	return a, nil
}

// String returns the text form, which [ParseAcceptance] reads.
func (a Acceptance) String() string {
	op := "<="
	if a.AtLeast {
		op = ">="
	}
	bound := strconv.FormatFloat(a.Bound, 'g', -1, 64)
	switch a.Kind {
	case AcceptRun:
		return "run: " + a.Command
	case AcceptGain:
		return "gain >= " + bound + "%"
	case AcceptAudit:
		return "audit " + a.Name + " " + op + " " + bound
	}
	return a.Name + " " + op + " " + bound
}

// MarshalText implements [encoding.TextMarshaler].
func (a Acceptance) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (a *Acceptance) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAcceptance(string(text))
	return err
}

// Holds reports whether a measured value meets the bound; NaN meets none. It is
// meaningless for a command.
func (a Acceptance) Holds(v float64) bool {
	if a.AtLeast {
		return v >= a.Bound
	}
	return v <= a.Bound
}

// Check is what one acceptance came to on one commit.
type Check struct {
	Acceptance Acceptance `json:"acceptance"`
	Holds      bool       `json:"holds"`
	Detail     string     `json:"detail,omitempty"` // what was measured, in words
}

// String is the check in words: "gain >= 5%: holds (+6.00 %)".
func (c Check) String() string {
	words := ": does not hold"
	if c.Holds {
		words = ": holds"
	}
	if c.Detail != "" {
		words += " (" + c.Detail + ")"
	}
	return c.Acceptance.String() + words
}
