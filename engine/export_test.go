package engine

import (
	"context"
	"log/slog"
	"time"

	"atoll/engine/fold"
	"atoll/engine/query"
	"atoll/engine/view"
	"atoll/store/record"
)

// What tests from outside need of the inside.

// CheckFold does what an engine does now and then to see that its state is the
// fold of the log. It returns what the log pane says, and why the run pauses.
func CheckFold(ctx context.Context, ses *Session, exp record.ExperimentID, asker query.Asker) (lines []string, pause string) {
	j := journal{log: slog.New(slog.DiscardHandler), lines: newLogRing(time.Now)}
	u := upkeep{journal: &j, exp: exp, db: ses.DB, repo: ses.Repo, asker: asker, pause: func(why string) { pause = why }}
	u.checkFold(ctx)
	u.verifyFold(ctx)
	for _, l := range j.lines.tail() {
		lines = append(lines, l.Text)
	}
	return lines, pause
}

// Reanchor does what an engine does at its start to have every candidate reachable. It returns
// what the log pane says.
func Reanchor(ctx context.Context, ses *Session, exp record.ExperimentID) (lines []string, err error) {
	j := journal{log: slog.New(slog.DiscardHandler), lines: newLogRing(time.Now)}
	u := upkeep{journal: &j, exp: exp, db: ses.DB, repo: ses.Repo}
	err = u.reanchor(ctx)
	for _, l := range j.lines.tail() {
		lines = append(lines, l.Text)
	}
	return lines, err
}

// Ask asks the state of an engine that runs.
func Ask(ctx context.Context, e *Engine, fn func(s *fold.State)) error {
	return e.questions.Ask(ctx, fn)
}

// Usual says how long jobs took that ended last.
func Usual(recent []view.Ended) string { return usual(recent) }

// KeepFoldsFrom has the fold kept for readers from so many rows of the log on.
func KeepFoldsFrom(e *Engine, rows record.Seq) { e.loop.folds.Worth = rows }
