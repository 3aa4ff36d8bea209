package eval

import (
	"encoding/json"
	"errors"
	"slices"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Sizes of the texts kept as evidence.
const (
	maxStderr = 16 << 10
	maxStdout = 8 << 10
)

// read turns the end of a process into a report or a verdict.
func (e *Evaluator) read(st *stage, r *sandbox.Result, limits sandbox.Limits) (output.Report, verdict) {
	ended := *r
	if st.adapter != nil && slices.Contains(st.adapter.scores, r.Exit) && r.Signal == "" {
		ended.Exit = 0
	}
	if v := e.judge(st, &ended, limits); v.class != record.ClassNone {
		// A failed evaluator may still have said why, in its own words.
		if r.Signal == "" && !r.TimedOut && len(r.Limits) == 0 {
			if report, err := e.parse(st, r); err == nil && report.Failure != nil {
				return report, verdict{report.Failure.Class, report.Failure.Reason}
			}
		}
		return output.Report{}, v
	}
	report, err := e.parse(st, r)
	switch {
	case err == nil && report.Failure != nil:
		return report, verdict{report.Failure.Class, report.Failure.Reason}
	case err == nil:
		return report, verdict{}
	case r.Exit != 0:
		// The adapter took the exit code for a score, but there is none.
		return output.Report{}, e.judge(st, r, limits)
	}
	return output.Report{}, verdict{record.ClassMetric, err.Error()}
}

// parse reads the result where the stage's output says.
func (e *Evaluator) parse(st *stage, r *sandbox.Result) (output.Report, error) {
	if st.adapter != nil && st.adapter.parse != nil {
		return st.adapter.parse(r, e.Objective())
	}
	form := st.Output
	if st.adapter != nil {
		form = output.OutputFile
	}
	switch form {
	case output.OutputNone:
		return output.Report{}, nil
	case output.OutputFile:
		if !r.HasResult {
			return output.Report{}, errors.New("the evaluator ended well but wrote no result: write JSON to the file named by ATOLL_RESULT, or set evaluator.output")
		}
		return output.ParseReport(r.Result)
	case output.OutputJSON:
		return output.ParseLastJSON(r.Stdout)
	case output.OutputNumber:
		return output.ParseLastNumber(r.Stdout, output.OrElse(e.Objective(), "score"))
	}
	if r.StdoutCut > 0 {
		return output.Report{}, errCut
	}
	if form == output.OutputSuite {
		return output.ParseSuite(r.Stdout)
	}
	return output.ParsePairs(r.Stdout)
}

// ended is the evidence of how a run went.
type ended struct {
	Stage      string          `json:"stage"`
	Repeat     int             `json:"repeat"`
	Exit       int             `json:"exit"`
	Signal     string          `json:"signal,omitempty"`
	TimedOut   bool            `json:"timed_out,omitempty"`
	Limits     []string        `json:"limits,omitempty"`
	Violations []string        `json:"violations,omitempty"`
	WallMS     int64           `json:"wall_ms"`
	CPUMS      int64           `json:"cpu_ms"`
	MaxRSS     int64           `json:"max_rss,omitempty"`
	Class      record.Class    `json:"class,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Summary    string          `json:"summary,omitempty"`
	Metrics    []record.Metric `json:"metrics,omitempty"`
	Tests      []string        `json:"tests,omitempty"`
}

// report keeps what a stage showed: how it ended always, its texts when it
// failed, its logs and extra data when there are any.
func (r *run) report(st *stage, res *sandbox.Result, report output.Report, v verdict) {
	how := ended{
		Stage: st.Name, Repeat: r.q.Repeat, Exit: res.Exit, Signal: signalName(res.Signal), TimedOut: res.TimedOut,
		Limits: res.Limits, Violations: res.Violations, WallMS: res.Wall.Milliseconds(), CPUMS: res.CPU.Milliseconds(),
		MaxRSS: res.MaxRSS, Class: v.class, Reason: v.reason, Summary: report.Summary, Metrics: report.Metrics, Tests: report.Tests,
	}
	if text, err := json.Marshal(how); err == nil {
		r.keep("evaluation", text, 0)
	}
	if v.class != record.ClassNone {
		r.texts("", res)
	}
	if report.Logs != "" {
		r.keep("logs", []byte(report.Logs), 0)
	}
	if len(report.Extra) > 0 {
		r.keep("extra", report.Extra[:min(len(report.Extra), output.MaxTextBytes)], int64(max(0, len(report.Extra)-output.MaxTextBytes)))
	}
	for _, name := range output.SortedKeys(report.Artifacts) {
		r.keep("artifact "+name, []byte(report.Artifacts[name]), 0)
	}
}

// evidence keeps the texts of a run that is not the candidate's.
func (r *run) evidence(prefix string, res *sandbox.Result, _ *stage) { r.texts(prefix+" ", res) }

func (r *run) texts(prefix string, res *sandbox.Result) {
	if text, cut := output.Tail(output.Clean(r.e.neutral(string(res.Stderr))), maxStderr); text != "" {
		r.keep(prefix+"stderr", []byte(text), cut+res.StderrCut)
	}
	if text, cut := output.Tail(output.Clean(r.e.neutral(string(res.Stdout))), maxStdout); text != "" {
		r.keep(prefix+"stdout", []byte(text), cut+res.StdoutCut)
	}
	if res.HasResult && len(res.Result) > 0 {
		text, cut := output.Tail(output.Clean(r.e.neutral(string(res.Result))), maxStdout)
		r.keep(prefix+"result", []byte(text), cut)
	}
}

func (r *run) keep(kind string, text []byte, cut int64) {
	r.out.Evidence = append(r.out.Evidence, record.Evidence{Job: r.q.Job, Kind: kind, Text: text, Cut: cut})
}
