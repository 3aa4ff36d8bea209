package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"atoll/store/record"
	"atoll/store/whole"
)

// Recording is what one job's agent did, as a file of a recordings folder.
type Recording struct {
	Version  int               `json:"version"`
	Job      record.JobID      `json:"job"`
	Attempt  int               `json:"attempt"`
	Operator record.Operator   `json:"operator,omitempty"`
	Target   string            `json:"target,omitempty"`
	Parent   record.Hash       `json:"parent_tree"`
	Files    string            `json:"parent_files,omitempty"` // digest of the parent's files but for the configuration
	Changes  []RecordedChange  `json:"changes,omitempty"`
	Usage    record.Usage      `json:"usage"`
	Intent   string            `json:"intent,omitempty"`
	Evidence []record.Evidence `json:"evidence,omitempty"`
	Failed   bool              `json:"failed,omitempty"`
	Class    record.Class      `json:"class,omitempty"`
	Reason   string            `json:"reason,omitempty"`
}

// RecordedChange is a change in a form that keeps every byte: JSON holds no
// path that is not UTF-8, so such a one is in RawPath.
type RecordedChange struct {
	Path    string      `json:"path,omitempty"`
	RawPath []byte      `json:"raw_path,omitempty"`
	Mode    record.Mode `json:"mode"`
	Data    []byte      `json:"data,omitempty"`
}

// changes returns what was recorded as an agent returns it.
func (r *Recording) changes() []record.Change {
	var list []record.Change
	for _, c := range r.Changes {
		if c.RawPath != nil {
			c.Path = string(c.RawPath)
		}
		list = append(list, record.Change{Path: c.Path, Mode: c.Mode, Data: c.Data})
	}
	return list
}

// recordingVersion is the format of this program's recordings.
const recordingVersion = 1

// Errors of recordings. Test with errors.Is.
var (
	// ErrNoRecording: the folder holds nothing for this job.
	ErrNoRecording = errors.New("no recording of this job")
	// ErrOtherRecording: the recording was made on another tree, or by another
	// version of this program.
	ErrOtherRecording = errors.New("the recording does not fit this job")
)

// Recorder passes jobs on to another agent and writes down what came of them:
// results and failures, but not what was cut short by its context. It is safe
// for concurrent use as far as the inner agent is. A job that runs again writes
// its file anew.
type Recorder struct {
	inner Agent
	o     RecorderOptions
}

// RecorderOptions say where and what a recorder writes.
type RecorderOptions struct {
	Dir string
	// Redact is applied to every text and to every changed file; nil leaves all
	// as it is. [Redact] with the keys bound is one.
	Redact func(string) string
	// Config is the path of the configuration in the tree: a replay has another one
	// than the run that was recorded, and is on the same files all the same.
	Config string
	// Settled returns what a ledger settled for a job, which is not in the result
	// of its agent; nil: nothing.
	Settled func(Job) record.Usage
}

// NewRecorder makes the folder when it is missing.
func NewRecorder(inner Agent, o RecorderOptions) (*Recorder, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for recordings: %w; choose another one with recording", err)
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Settled == nil {
		o.Settled = func(Job) record.Usage { return record.Usage{} }
	}
	return &Recorder{inner: inner, o: o}, nil
}

// Preview implements [Previewer] as far as the inner agent does.
func (r *Recorder) Preview(ctx context.Context, j Job, t Tree) (Rendered, error) {
	if p, ok := r.inner.(Previewer); ok {
		return p.Preview(ctx, j, t)
	}
	return Rendered{}, fmt.Errorf("%w: this agent reads none", ErrNoPrompt)
}

// Edit lets the inner agent edit and records it. A recording that cannot be
// written is an error: the run could not be replayed.
func (r *Recorder) Edit(ctx context.Context, j Job, t Tree) (Result, error) {
	res, err := r.inner.Edit(ctx, j, t)
	if ctx.Err() != nil {
		return res, err
	}
	rec := Recording{
		Version: recordingVersion, Job: j.Number, Attempt: j.Attempt, Operator: j.Operator, Target: j.Target.Name, Parent: j.Parent.Tree,
		Files:   filesBut(t, r.o.Config),
		Changes: r.clean(res.Changes), Usage: res.Usage, Intent: r.o.Redact(res.Intent), Evidence: res.Evidence,
	}
	if err != nil {
		rec.Failed, rec.Class, rec.Reason = true, record.ClassAgent, r.o.Redact(err.Error())
		var failure *Error
		switch {
		case errors.As(err, &failure):
			rec.Class, rec.Usage, rec.Evidence = failure.Class, failure.Usage, failure.Evidence
		case errors.Is(err, ErrNoChange):
			rec.Class = record.ClassNoChange
		}
	}
	rec.Usage = rec.Usage.Add(r.o.Settled(j))
	rec.Evidence = r.cleanEvidence(rec.Evidence)
	if werr := r.write(&rec); werr != nil {
		return Result{}, &Error{Class: record.ClassInternal, Reason: "record " + j.Number.String(), Usage: rec.Usage, Evidence: rec.Evidence, Err: werr}
	}
	return res, err
}

func (r *Recorder) clean(list []record.Change) []RecordedChange {
	var out []RecordedChange
	for _, c := range list {
		rc := RecordedChange{Path: c.Path, Mode: c.Mode}
		if !utf8.ValidString(c.Path) {
			rc.Path, rc.RawPath = "", []byte(c.Path)
		}
		if len(c.Data) > 0 {
			rc.Data = []byte(r.o.Redact(string(c.Data)))
		}
		out = append(out, rc)
	}
	return out
}

func (r *Recorder) cleanEvidence(list []record.Evidence) []record.Evidence {
	var out []record.Evidence
	for _, e := range list {
		e.Text = []byte(r.o.Redact(string(e.Text)))
		out = append(out, e)
	}
	return out
}

// write puts the file in place as a whole.
func (r *Recorder) write(rec *Recording) error {
	data, err := json.MarshalIndent(rec, "", " ")
	if err != nil {
		return err
	}
	return whole.Write(recordingPath(r.o.Dir, rec.Job), whole.Options{}, whole.Bytes(append(data, '\n')))
}

func recordingPath(dir string, job record.JobID) string {
	return filepath.Join(dir, fmt.Sprintf("job-%06d.json", job))
}

// Replay gives back what was recorded, job by job. It is safe for concurrent
// use and needs neither key nor network. The usage it reports is nothing: what
// was recorded has been paid for; the recorded figures are in the evidence.
type Replay struct{ dir, config string }

// NewReplay checks that dir holds recordings. config is the path of the
// configuration in the tree, which may be another one than that of the recording.
func NewReplay(dir, config string) (*Replay, error) {
	list, err := filepath.Glob(filepath.Join(dir, "job-*.json"))
	if err != nil || len(list) == 0 {
		return nil, fmt.Errorf("%w: %s holds no job-*.json; record a run first", ErrNoRecording, dir)
	}
	return &Replay{dir, config}, nil
}

// filesBut is a digest of the names, kinds and contents of a tree without one
// path; "" where the tree does not know its contents' hashes.
func filesBut(t Tree, but string) string {
	if t == nil {
		return ""
	}
	h := sha256.New()
	for _, f := range t.Files() {
		switch {
		case f.Path == but:
			continue
		case f.Hash.IsZero():
			return ""
		}
		fmt.Fprintf(h, "%d %s %q\n", f.Mode, f.Hash, f.Path)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// fits reports whether the job is on the tree of its recording.
func (r *Replay) fits(rec *Recording, j *Job, t Tree) error {
	if j.Parent.Tree.IsZero() || rec.Parent.IsZero() || rec.Parent == j.Parent.Tree {
		return nil
	}
	if now := filesBut(t, r.config); rec.Files != "" && now == rec.Files {
		return nil
	}
	text := "other files"
	if j.Parent.ID == record.Root {
		if text = "another root"; r.has(j, filesBut(t, r.config)) {
			text = "another parent"
		}
	}
	return fmt.Errorf("%w: %s was recorded as %s on %s (tree %s), and now it is %s of %s (tree %s); replay from the root of the recording (%s may differ), with its seed, search, map, evaluator and number of jobs, and one worker or order: strict",
		ErrOtherRecording, j.Number, rec.Operator, text, rec.Parent.Short(), j.Operator, j.Parent.ID, j.Parent.Tree.Short(), r.config)
}

// has reports whether any job was recorded on the parent of this one.
func (r *Replay) has(j *Job, files string) bool {
	list, _ := filepath.Glob(filepath.Join(r.dir, "job-*.json")) // the pattern is a good one
	for _, path := range list {
		var n int64
		if _, err := fmt.Sscanf(filepath.Base(path), "job-%d.json", &n); err != nil {
			continue
		}
		rec, err := ReadRecording(r.dir, record.JobID(n))
		if err == nil && (rec.Parent == j.Parent.Tree || files != "" && rec.Files == files) {
			return true
		}
	}
	return false
}

// Edit returns the recorded changes, or the recorded failure. A job that was
// recorded on other files is refused.
func (r *Replay) Edit(ctx context.Context, j Job, t Tree) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, context.Cause(ctx)
	}
	rec, err := ReadRecording(r.dir, j.Number)
	if err == nil {
		err = r.fits(&rec, &j, t)
	}
	if err != nil {
		return Result{}, &Error{Class: record.ClassAgent, Reason: "replay " + j.Number.String(), Err: err}
	}
	usage, err := json.Marshal(rec.Usage)
	if err != nil {
		return Result{}, &Error{Class: record.ClassInternal, Reason: "replay " + j.Number.String(), Err: err}
	}
	evidence := append(rec.Evidence, record.Evidence{Job: j.Number, Attempt: j.Attempt, Kind: "recorded-usage", Text: usage})
	for i := range evidence {
		evidence[i].Job, evidence[i].Attempt = j.Number, j.Attempt
	}
	switch {
	case !rec.Failed:
		return Result{Changes: rec.changes(), Usage: FreeOfCharge(), Intent: rec.Intent, Evidence: evidence}, nil
	case rec.Class == record.ClassNoChange:
		reason := strings.TrimSuffix(rec.Reason, ": "+ErrNoChange.Error()) // which is the cause again
		return Result{}, &Error{Class: rec.Class, Reason: reason, Usage: FreeOfCharge(), Evidence: evidence, Err: ErrNoChange}
	}
	return Result{}, &Error{Class: rec.Class, Reason: rec.Reason, Usage: FreeOfCharge(), Evidence: evidence}
}

// ReadRecording reads the recording of one job.
func ReadRecording(dir string, job record.JobID) (Recording, error) {
	data, err := os.ReadFile(recordingPath(dir, job))
	if errors.Is(err, fs.ErrNotExist) {
		return Recording{}, fmt.Errorf("%w: %s has none for %s", ErrNoRecording, dir, job)
	}
	if err != nil {
		return Recording{}, fmt.Errorf("read the recording of %s: %w", job, err)
	}
	var rec Recording
	if err := json.Unmarshal(data, &rec); err != nil {
		return Recording{}, fmt.Errorf("%w: %s: %v", ErrOtherRecording, recordingPath(dir, job), err)
	}
	if rec.Version != recordingVersion || rec.Job != job {
		return Recording{}, fmt.Errorf("%w: %s has version %d of job %s", ErrOtherRecording, recordingPath(dir, job), rec.Version, rec.Job)
	}
	return rec, nil
}
