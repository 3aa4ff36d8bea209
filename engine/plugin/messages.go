package plugin

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"atoll/engine/agent/clean"
	"atoll/engine/eval/output"
	"atoll/store/record"
)

// EvaluateParams is what an evaluator is asked. The tree is its working directory;
// ATOLL_RUN starts code of the candidate with fewer rights. It answers with the
// result of the evaluator contract.
type EvaluateParams struct {
	Candidate record.CandidateID `json:"candidate"`
	Goal      string             `json:"goal"`
	Objective string             `json:"objective,omitempty"`
	Stage     string             `json:"stage"`
	Repeat    int                `json:"repeat"`
	Seed      uint64             `json:"seed"`
	Root      bool               `json:"root"`
}

// EditParams is what an agent is asked. The tree is its working directory: what it
// changes there is the edit. It answers with an [EditResult].
type EditParams struct {
	Prompt   string `json:"prompt"` // the whole of it: goal, rules, notes, what was tried
	Goal     string `json:"goal"`
	Operator string `json:"operator"`
	Seed     uint64 `json:"seed"`
}

// EditResult is the answer of an agent.
type EditResult struct {
	Intent string `json:"intent"`
}

// ProposeParams is what an operator is asked: texts in, texts out.
type ProposeParams struct {
	Operator  string  `json:"operator"`
	Seed      uint64  `json:"seed"` // the same seed must give the same answer
	Goal      string  `json:"goal"`
	Metric    string  `json:"metric"`
	Direction string  `json:"direction"` // maximize or minimize
	Parent    Source  `json:"parent"`
	Others    []Other `json:"others"` // inspirations; of crossover the first is the donor
}

// Source is a candidate with its files that may be changed.
type Source struct {
	Objective *float64 `json:"objective"`
	Files     []Text   `json:"files"`
}

// Other is another candidate, with those files that differ from the parent's.
type Other = Source

// Text is a file.
type Text struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// ProposeResult is the answer of an operator.
type ProposeResult struct {
	Intent  string   `json:"intent"`
	Changes []Change `json:"changes"` // none: it found nothing to change
}

// Change is the whole new text of a file; null deletes it.
type Change struct {
	Path string  `json:"path"`
	Text *string `json:"text"`
}

// EmbedParams is what an embedder is asked. The same file must give the same vector,
// whatever else is asked with it.
type EmbedParams struct {
	Files []Text `json:"files"`
}

// EmbedResult is the answer of an embedder: a vector a file, all of one length.
type EmbedResult struct {
	Vectors [][]float32 `json:"vectors"`
}

// DescribeResult is the answer of a descriptor, whose working directory is the tree.
type DescribeResult struct {
	Metrics []record.Metric `json:"metrics"`
}

// AuditResult is the answer of an auditor, whose working directory is the tree.
type AuditResult struct {
	Findings []Finding `json:"findings"`
}

// Finding is a place that should be mended.
type Finding struct {
	Path     string  `json:"path"`
	Function string  `json:"function,omitempty"`
	Line     int     `json:"line,omitempty"`
	Rule     string  `json:"rule"`     // what was broken: one word
	Value    float64 `json:"value"`    // above the bound
	Bound    float64 `json:"bound"`    // 0 or more: at most this is healthy
	Priority int     `json:"priority"` // 1 to 5, 5 first
	Text     string  `json:"text"`     // one sentence
}

// NotifyParams is what a notifier is told.
type NotifyParams struct {
	Experiment string `json:"experiment"`
	Event      string `json:"event"` // best, review, pause, end
	Text       string `json:"text"`  // one line
}

// Nothing is the answer of a notifier, and what has no params.
type Nothing struct{}

// Bounds of answers.
const (
	maxDims     = 4096
	maxFindings = 1000
	maxChanges  = 1000
)

// ReadProposal checks an operator's answer. The changes are sorted by path.
func ReadProposal(raw json.RawMessage) (ProposeResult, error) {
	var r ProposeResult
	if err := decode(raw, &r); err != nil {
		return r, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if len(r.Changes) > maxChanges {
		return r, fmt.Errorf("%w: more than %d changes", ErrAnswer, maxChanges)
	}
	slices.SortFunc(r.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	for i, c := range r.Changes {
		if !local(c.Path) {
			return r, fmt.Errorf("%w: %q is no path of the tree", ErrAnswer, clean.Short(c.Path, 80))
		}
		if i > 0 && r.Changes[i-1].Path == c.Path {
			return r, fmt.Errorf("%w: %s is changed twice", ErrAnswer, c.Path)
		}
	}
	r.Intent = clean.Clip(clean.Line(r.Intent), 200)
	return r, nil
}

// Record turns the changes of a proposal into those of a tree, whose files have
// these modes.
func (r ProposeResult) Record(mode func(path string) (record.Mode, bool)) []record.Change {
	out := make([]record.Change, 0, len(r.Changes))
	for _, c := range r.Changes {
		m, known := mode(c.Path)
		switch {
		case c.Text == nil && known:
			out = append(out, record.Change{Path: c.Path, Mode: record.Deleted})
		case c.Text != nil:
			if !known {
				m = record.Regular
			}
			out = append(out, record.Change{Path: c.Path, Mode: m, Data: []byte(*c.Text)})
		}
	}
	return out
}

// ReadEdit checks an agent's answer.
func ReadEdit(raw json.RawMessage) (EditResult, error) {
	var r EditResult
	if err := decode(raw, &r); err != nil {
		return r, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	r.Intent = clean.Clip(clean.Line(r.Intent), 200)
	return r, nil
}

// ReadVectors checks an embedder's answer to n files.
func ReadVectors(raw json.RawMessage, n int) ([][]float32, error) {
	var r EmbedResult
	if err := decode(raw, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if len(r.Vectors) != n {
		return nil, fmt.Errorf("%w: %d vectors for %d files", ErrAnswer, len(r.Vectors), n)
	}
	for _, v := range r.Vectors {
		if len(v) == 0 || len(v) > maxDims || len(v) != len(r.Vectors[0]) {
			return nil, fmt.Errorf("%w: vectors have 1 to %d numbers, all the same count", ErrAnswer, maxDims)
		}
		for _, x := range v {
			if x-x != 0 {
				return nil, fmt.Errorf("%w: a vector has a number that is not finite", ErrAnswer)
			}
		}
	}
	return r.Vectors, nil
}

// ReadMetrics checks a descriptor's answer.
func ReadMetrics(raw json.RawMessage) ([]record.Metric, error) {
	var r DescribeResult
	if err := decode(raw, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	report, err := output.ParseReport(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return report.Metrics, nil
}

// ReadFindings checks an auditor's answer.
func ReadFindings(raw json.RawMessage) ([]Finding, error) {
	var r AuditResult
	if err := decode(raw, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	if len(r.Findings) > maxFindings {
		return nil, fmt.Errorf("%w: more than %d findings", ErrAnswer, maxFindings)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Text, f.Function = clean.Clip(clean.Line(f.Text), 300), clean.Clip(clean.Line(f.Function), 100)
		switch {
		case !local(f.Path):
			return nil, fmt.Errorf("%w: %q is no path of the tree", ErrAnswer, clean.Short(f.Path, 80))
		case !nameForm.MatchString(f.Rule):
			return nil, fmt.Errorf("%w: the rule %q is not one word of small letters", ErrAnswer, clean.Short(f.Rule, 40))
		case f.Priority < 1 || f.Priority > 5:
			return nil, fmt.Errorf("%w: the priority %d of %s is not 1 to 5", ErrAnswer, f.Priority, f.Rule)
		case !(f.Bound >= 0 && f.Value > f.Bound) || math.IsInf(f.Value, 0):
			return nil, fmt.Errorf("%w: a finding of %s has the value %v, which is not above its bound of %v", ErrAnswer, f.Rule, f.Value, f.Bound)
		case f.Text == "":
			return nil, fmt.Errorf("%w: a finding of %s has no text", ErrAnswer, f.Rule)
		}
	}
	return r.Findings, nil
}

// local reports whether a path stays in the tree and out of git's own folder.
func local(p string) bool {
	if p == "" || !utf8.ValidString(p) || path.Clean(p) != p || path.IsAbs(p) || strings.ContainsAny(p, "\\\x00") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return s == ".." || s == "." || strings.EqualFold(s, ".git") })
}
