package wire

import (
	"fmt"
	"time"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/store/record"
)

// Result is what one task gave. Token is that of the claim.
type Result struct {
	Task  string `json:"task"`
	Token string `json:"token"`
	// Fault is set where the machine, not the candidate, is to blame: nothing
	// was measured, and another machine may try.
	Fault string `json:"fault,omitempty"`
	// Missing is set where it is the program of an errand that the machine does not have.
	Missing bool `json:"missing,omitempty"`
	// Back is set where the worker ends before the task does: nobody is to blame.
	Back bool `json:"back,omitempty"`
	// More is set where the slot is free again: the answer, or an order soon
	// after it, may bring its next task.
	More bool `json:"more,omitempty"`
	// Edited is set for an errand: the SHA-256 of the [Edited] that came in parts before.
	Edited string `json:"edited,omitempty"`

	Objective     float64           `json:"objective"`
	ObjectiveName string            `json:"objective_name,omitempty"`
	Metrics       []record.Metric   `json:"metrics,omitempty"`
	Summary       string            `json:"summary,omitempty"`
	Tests         []string          `json:"tests,omitempty"`
	Class         record.Class      `json:"class,omitempty"`
	Reason        string            `json:"reason,omitempty"`
	Signature     string            `json:"signature,omitempty"`
	Evidence      []Evidence        `json:"evidence,omitempty"`
	Runs          int               `json:"runs"`
	WallMS        int64             `json:"wall_ms"` // of the processes
	TookMS        int64             `json:"took_ms"` // of the measurement with all around it
	Stage         string            `json:"stage,omitempty"`
	Product       string            `json:"product,omitempty"`
	Artifacts     map[string]string `json:"artifacts,omitempty"`
	Warnings      []string          `json:"warnings,omitempty"`
}

// Evidence is a text that is kept with a job.
type Evidence struct {
	Kind string `json:"kind"`
	Text []byte `json:"text"`
	Cut  int64  `json:"cut,omitempty"`
}

// Bounds of what a result may hold, far above what evaluators report.
const (
	maxMetrics   = 10_000
	maxEvidence  = 256
	maxTests     = 100_000
	maxWarnings  = 64
	maxShortText = 4096
	evidenceRoom = MaxMessage * 5 / 8 // base64 takes a third more
)

// FromOutcome is the result of a measurement. Evidence that does not fit into a
// message is cut, longest first, and says by how much.
func FromOutcome(task, token string, o *eval.Outcome, took time.Duration) *Result {
	r := &Result{
		Task: task, Token: token, Objective: o.Objective, ObjectiveName: o.ObjectiveName, Metrics: o.Metrics, Summary: o.Summary, Tests: o.Tests,
		Class: o.Class, Reason: o.Reason, Signature: o.Signature, Runs: o.Runs, WallMS: o.Wall.Milliseconds(), TookMS: took.Milliseconds(),
		Stage: o.Stage, Product: o.Product, Artifacts: o.Artifacts, Warnings: o.Warnings,
	}
	total := 0
	for _, e := range o.Evidence {
		r.Evidence = append(r.Evidence, Evidence{e.Kind, e.Text, e.Cut})
		total += len(e.Text)
	}
	for total > evidenceRoom {
		longest := 0
		for i := range r.Evidence {
			if len(r.Evidence[i].Text) > len(r.Evidence[longest].Text) {
				longest = i
			}
		}
		e := &r.Evidence[longest]
		half := len(e.Text) / 2
		e.Cut += int64(half)
		e.Text = e.Text[half:]
		total -= half
	}
	return r
}

// Outcome is the measurement that a result tells of, for the job that asked. A
// result that no honest worker sends is [ErrMessage].
func (r *Result) Outcome(job record.JobID, candidate record.CandidateID, stages []string) (eval.Outcome, error) {
	if err := r.check(stages); err != nil {
		return eval.Outcome{}, fmt.Errorf("%w: the result of %s: %w", ErrMessage, candidate, err)
	}
	o := eval.Outcome{
		Objective: r.Objective, ObjectiveName: r.ObjectiveName, Metrics: r.Metrics, Summary: output.Clean(r.Summary), Tests: r.Tests, Class: r.Class,
		Reason: output.OneLine(r.Reason, output.MaxReason), Signature: r.Signature, Runs: r.Runs, Wall: time.Duration(r.WallMS) * time.Millisecond,
		Stage: r.Stage, Product: r.Product, Artifacts: r.Artifacts,
	}
	for _, w := range r.Warnings {
		o.Warnings = append(o.Warnings, output.OneLine(w, maxShortText))
	}
	for _, e := range r.Evidence {
		o.Evidence = append(o.Evidence, record.Evidence{Job: job, Kind: e.Kind, Text: []byte(output.Clean(string(e.Text))), Cut: e.Cut})
	}
	return o, nil
}

// check finds what no honest worker sends. JSON has no numbers that are not
// finite.
func (r *Result) check(stages []string) error {
	switch {
	case len(r.Metrics) > maxMetrics || len(r.Evidence) > maxEvidence || len(r.Tests) > maxTests || len(r.Warnings) > maxWarnings:
		return fmt.Errorf("it holds %d metrics, %d texts, %d tests and %d warnings", len(r.Metrics), len(r.Evidence), len(r.Tests), len(r.Warnings))
	case r.Runs < 0 || r.Runs > len(stages)+1:
		return fmt.Errorf("it counts %d runs of %d stages", r.Runs, len(stages))
	case r.WallMS < 0 || r.TookMS < 0:
		return fmt.Errorf("it took %d ms", min(r.WallMS, r.TookMS))
	case r.Class == record.ClassNone && len(r.Metrics) == 0:
		return fmt.Errorf("it has no metrics")
	case !knownClass(r.Class):
		return fmt.Errorf("its class is %q", output.OneLine(string(r.Class), 40))
	case len(r.Signature) > maxShortText || len(r.Product) > maxShortText || len(r.Stage) > maxShortText:
		return fmt.Errorf("a name in it is longer than %d bytes", maxShortText)
	}
	named := false
	for _, m := range r.Metrics {
		if err := output.CheckName(m.Name); err != nil {
			return err
		}
		named = named || m.Name == r.ObjectiveName && m.Value == r.Objective
	}
	if r.Class == record.ClassNone && !named {
		return fmt.Errorf("its objective is none of its metrics")
	}
	for _, e := range r.Evidence {
		if len(e.Kind) > 200 || e.Kind != output.OneLine(e.Kind, 200) || e.Cut < 0 {
			return fmt.Errorf("a text in it is called %q", output.OneLine(e.Kind, 40))
		}
	}
	return nil
}

// knownClass are the classes that an evaluator gives.
func knownClass(c record.Class) bool {
	switch c {
	case record.ClassNone, record.ClassBuild, record.ClassTest, record.ClassTimeout, record.ClassMemory, record.ClassOutput, record.ClassCrash,
		record.ClassMetric, record.ClassSandbox, record.ClassEvaluator:
		return true
	}
	return false
}
