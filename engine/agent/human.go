package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// Names in a person's work tree, for its person.
const (
	HumanDone = ".atoll-done" // an empty file of this name ends the job: the files as they are
	HumanSkip = ".atoll-skip" // ends the job without a change
	humanTask = "ATOLL-TASK.md"
)

// StageWaiting is the stage of a job that waits for its person.
const StageWaiting = "waiting for a person"

// HumanOptions describe the agent that is a person.
type HumanOptions struct {
	Name string
	// Dir is where the work trees are made, one folder a job. It should be
	// outside of the repository, or in its git directory.
	Dir string
	// Git runs git with args in dir and returns its output; the process is the
	// caller's business. nil runs the git on PATH, without hooks and settings of
	// this machine.
	Git func(ctx context.Context, dir string, args ...string) ([]byte, error)
	// Open shows the work tree to the person, for example in an editor, and
	// returns when they are done with it; nil only waits for their commit.
	Open func(ctx context.Context, dir string) error
	// Render writes the task; nil writes a plain one.
	Render func(ctx context.Context, j Job, t Tree) (string, error)
	// Poll is how often the work tree is looked at; 0 = half a second.
	Poll time.Duration
}

// Human gives a job to a person: it lays the parent out in a work tree with a
// throw-away repository of its own and waits. The person ends the job by a
// commit on any branch that is checked out there, by a file .atoll-done, by
// .atoll-skip, or by closing the editor that Open started. It is safe for
// concurrent use: each job has its own folder.
type Human struct{ o HumanOptions }

// NewHuman checks the options.
func NewHuman(o HumanOptions) (*Human, error) {
	if o.Dir == "" || !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("the human agent needs an absolute folder for its work trees, not %q", o.Dir)
	}
	if o.Name == "" {
		o.Name = "human"
	}
	if o.Git == nil {
		o.Git = runGit
	}
	if o.Render == nil {
		o.Render = PlainPrompt
	}
	if o.Poll <= 0 {
		o.Poll = 500 * time.Millisecond
	}
	return &Human{o: o}, nil
}

// WorkTree returns the folder in which a job waits for its person.
func (h *Human) WorkTree(job record.JobID) string {
	return filepath.Join(h.o.Dir, fmt.Sprintf("job-%d", job))
}

// HumanDir is where the work trees of persons lie in a state directory.
func HumanDir(state string) string { return filepath.Join(state, "work") }

// HumanTree is the work tree of a job in a state directory.
func HumanTree(state string, job record.JobID) string {
	return filepath.Join(HumanDir(state), fmt.Sprintf("job-%d", job))
}

// HumanTask reads the task of a job from its work tree in a state directory.
func HumanTask(state string, job record.JobID) ([]byte, error) {
	return os.ReadFile(filepath.Join(HumanTree(state, job), humanTask))
}

// Preview implements [Previewer].
func (h *Human) Preview(ctx context.Context, j Job, t Tree) (Rendered, error) {
	text, err := h.o.Render(ctx, j, t)
	return Rendered{User: text}, err
}

// Edit waits for the person or for ctx. The work tree is removed afterwards,
// unless the job was cut short while it held unfinished work: that is never
// thrown away, and the next attempt of the job goes on with it.
func (h *Human) Edit(ctx context.Context, j Job, t Tree) (Result, error) {
	w := &workTree{h: h, dir: h.WorkTree(j.Number), j: &j}
	if err := w.open(ctx, t); err != nil {
		return Result{}, w.broken(ctx, "open a work tree", err)
	}
	w.say("a work tree waits for you: " + w.dir)
	w.say("edit there and commit (or create " + HumanDone + "); " + HumanSkip + " ends the job without a change")
	if j.Progress != nil {
		j.Progress(StageWaiting)
	}
	end, err := w.wait(ctx)
	if err != nil {
		return Result{}, w.broken(ctx, "wait for a person", err)
	}
	if end == HumanSkip {
		w.close()
		return Result{}, w.unchanged("skipped by its person")
	}
	changes, subject, err := w.take(ctx, end)
	if err != nil {
		return Result{}, w.broken(ctx, "read the changes of "+w.dir, err)
	}
	w.close()
	if len(changes) == 0 {
		return Result{}, w.unchanged("the person changed nothing")
	}
	if subject == "" {
		subject = "edited by hand"
	}
	return Result{Changes: changes, Usage: FreeOfCharge(), Intent: clean.Short(string(clean.Text([]byte(subject))), 200), Evidence: w.asked()}, nil
}

// workTree is one job's folder.
type workTree struct {
	h    *Human
	j    *Job
	dir  string
	base string // tree of what the person was given
	head string // commit of it
	task string // what the person was asked
}

// asked is the task as evidence: the work tree goes with the job.
func (w *workTree) asked() []record.Evidence {
	if w.task == "" {
		return nil
	}
	short := clean.Middle(w.task, maxEvidence)
	return []record.Evidence{{Job: w.j.Number, Attempt: w.j.Attempt, Kind: "prompt", Text: []byte(short), Cut: int64(len(w.task) - len(short))}}
}

// unchanged is the end of a job without a change.
func (w *workTree) unchanged(why string) error {
	return &Error{Class: record.ClassNoChange, Reason: why, Usage: FreeOfCharge(), Evidence: w.asked(), Err: ErrNoChange}
}

func (w *workTree) say(line string) {
	if w.j.Live != nil {
		w.j.Live(line)
	}
}

// broken is a failure of the agent, or the end of its context: then the folder
// stays when the person has begun.
func (w *workTree) broken(ctx context.Context, what string, err error) error {
	if ctx.Err() == nil {
		return &Error{Class: record.ClassAgent, Reason: what, Usage: FreeOfCharge(), Evidence: w.asked(), Err: err}
	}
	ended := &Error{Class: record.ClassAgent, Reason: "stopped waiting for a person", Usage: FreeOfCharge(), Err: context.Cause(ctx)}
	changes, _, terr := w.take(context.WithoutCancel(ctx), HumanDone)
	if terr == nil && len(changes) == 0 {
		w.close()
		return ended
	}
	w.say("your unfinished work stays in " + w.dir)
	ended.Reason += "; unfinished work stays in its work tree"
	return ended
}

// open lays the tree out, or goes on with what an earlier attempt left.
func (w *workTree) open(ctx context.Context, t Tree) error {
	if w.resume(ctx) {
		w.say("unfinished work of an earlier attempt is still there")
		if task, err := os.ReadFile(filepath.Join(w.dir, humanTask)); err == nil {
			w.task = string(task)
		}
		return nil
	}
	if err := os.RemoveAll(w.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	if err := WriteTree(ctx, w.dir, t); err != nil {
		return err
	}
	task, err := w.h.o.Render(ctx, *w.j, t)
	if err != nil {
		return fmt.Errorf("write the task: %w", err)
	}
	w.task = task
	steps := [][]string{
		{"init", "-q", "."},
		{"config", "core.autocrlf", "false"},
		{"config", "user.name", "atoll"},
		{"config", "user.email", "atoll@localhost"},
		{"add", "-A", "-f"},
		{"commit", "-q", "--no-verify", "--allow-empty", "-m", "where the job starts"},
		{"tag", "atoll-base"},
	}
	for _, args := range steps {
		if _, err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	exclude := strings.Join([]string{"/" + HumanDone, "/" + HumanSkip, "/" + humanTask, ""}, "\n")
	if err := os.WriteFile(filepath.Join(w.dir, ".git", "info", "exclude"), []byte(exclude), 0o600); err != nil {
		return err
	}
	if err := w.writeTask(t, task); err != nil {
		return err
	}
	return w.readBase(ctx)
}

// writeTask puts the task into the work tree, unless the tree has that name.
func (w *workTree) writeTask(t Tree, task string) error {
	for _, f := range t.Files() {
		if f.Path == humanTask || strings.HasPrefix(f.Path, humanTask+"/") {
			return nil
		}
	}
	return os.WriteFile(filepath.Join(w.dir, humanTask), []byte(task), 0o600)
}

// resume reports a work tree of an earlier attempt at the same job.
func (w *workTree) resume(ctx context.Context) bool {
	if _, err := os.Stat(filepath.Join(w.dir, ".git", "refs", "tags", "atoll-base")); err != nil {
		return false
	}
	return w.readBase(ctx) == nil
}

func (w *workTree) readBase(ctx context.Context) error {
	out, err := w.git(ctx, "rev-parse", "atoll-base^{commit}", "atoll-base^{tree}")
	if err != nil {
		return err
	}
	ids := strings.Fields(string(out))
	if len(ids) != 2 {
		return errors.New("the throw-away repository has no start any more")
	}
	w.head, w.base = ids[0], ids[1]
	return nil
}

// wait returns HumanDone, HumanSkip, or the commit that ended the job.
func (w *workTree) wait(ctx context.Context) (string, error) {
	opened := make(chan error, 1)
	var closed <-chan error
	if w.h.o.Open != nil {
		ctx, cancel := context.WithCancel(ctx)
		go func() { opened <- w.h.o.Open(ctx, w.dir) }()
		closed = opened
		defer func() { // the editor's goroutine ends with this call
			cancel()
			if closed != nil {
				<-opened
			}
		}()
	}
	tick := time.NewTicker(w.h.o.Poll)
	defer tick.Stop()
	for {
		if end, err := w.ended(ctx); end != "" || err != nil {
			return end, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case err := <-closed:
			closed = nil
			if err != nil {
				return "", fmt.Errorf("open the work tree: %w", err)
			}
			if end, err := w.ended(ctx); end != "" || err != nil {
				return end, err
			}
			return HumanDone, nil
		}
	}
}

// ended looks for a sign of the person.
func (w *workTree) ended(ctx context.Context) (string, error) {
	for _, name := range []string{HumanSkip, HumanDone} {
		if _, err := os.Lstat(filepath.Join(w.dir, name)); err == nil {
			return name, nil
		}
	}
	if _, err := os.Stat(w.dir); err != nil {
		return "", fmt.Errorf("the work tree is gone: %w", err)
	}
	out, err := w.git(ctx, "rev-parse", "--verify", "-q", "HEAD^{commit}")
	if err != nil {
		return "", nil // in the middle of something
	}
	if head := strings.TrimSpace(string(out)); head != w.head {
		return head, nil
	}
	return "", nil
}

// close removes the folder.
func (w *workTree) close() { _ = os.RemoveAll(w.dir) }
