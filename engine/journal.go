package engine

import (
	"log/slog"
	"sync"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
)

// journal is where a run says what it does: the log pane and the log file.
type journal struct {
	log   *slog.Logger
	lines *logRing
}

// note writes a line to the log pane and to the log file.
func (j *journal) note(level string, job record.JobID, text string, at ...time.Time) {
	var when time.Time
	if len(at) > 0 {
		when = at[0]
	}
	j.lines.add(level, job, when, text)
	switch level {
	case "error":
		j.log.Error(text, "job", int64(job))
	case "warn":
		j.log.Warn(text, "job", int64(job))
	case "debug":
		j.log.Debug(text, "job", int64(job))
	default:
		j.log.Info(text, "job", int64(job))
	}
}

// logRing keeps the newest lines of the engine's log for the screen.
type logRing struct {
	mu    sync.Mutex
	now   func() time.Time
	n     uint64
	lines []view.LogLine
}

// logCap bounds the lines a snapshot carries.
const logCap = 1000

func newLogRing(now func() time.Time) *logRing { return &logRing{now: now} }

func (r *logRing) add(level string, job record.JobID, at time.Time, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.IsZero() {
		at = r.now()
	}
	r.n++
	if len(r.lines) >= 2*logCap {
		// A snapshot may still hold the old array: start a new one.
		r.lines = append(make([]view.LogLine, 0, 2*logCap), r.lines[len(r.lines)-logCap:]...)
	}
	r.lines = append(r.lines, view.LogLine{N: r.n, At: at, Level: level, Job: job, Text: view.CleanLine(text)})
}

// pastLines is how many lines from before this process looked a log begins with.
const pastLines = 200

// room is how many lines of the past the log has room for: it begins with them,
// and has them already when a run goes on in this process.
func (r *logRing) room() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n > 0 {
		return 0
	}
	return pastLines
}

// tail returns the newest lines, newest last.
func (r *logRing) tail() []view.LogLine {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	if len(lines) > logCap {
		lines = lines[len(lines)-logCap:]
	}
	return lines[:len(lines):len(lines)]
}
