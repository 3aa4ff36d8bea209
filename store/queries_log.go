package store

// Statements on the log and what it announces.
const (
	sqlLogInsert statement = `INSERT INTO log (experiment, seq, at, kind, fold, job, candidate, data)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`
	sqlLogInsertValue statement = `INSERT INTO log (experiment, seq, at, kind, fold, job, candidate, data, value)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`
	sqlLog statement = `SELECT ` + logColumns + ` FROM log WHERE experiment = ?1 AND fold = ?2 AND seq > ?3
		ORDER BY seq LIMIT ?4`
	sqlLogTail statement = `SELECT ` + logColumns + ` FROM log WHERE experiment = ?1 AND fold = ?2 ORDER BY seq DESC LIMIT ?3`
	sqlLogLast statement = `SELECT seq FROM log WHERE experiment = ?1 AND fold = 1 ORDER BY seq DESC LIMIT 1`
	// How far behind its rows the counter of the log is, and a make job that ended and of
	// which no row says so, for [DB.Integrity].
	sqlLogCounter statement = `SELECT (SELECT max(seq) FROM log WHERE experiment = ?1 AND fold = 1) - last FROM sequence`
	sqlLogLacks   statement = `SELECT id FROM job WHERE experiment = ?1 AND kind = 'make'
		AND state IN ('placed', 'scored', 'rejected', 'failed', 'duplicate')
		AND id NOT IN (SELECT job FROM log WHERE experiment = ?1 AND fold = 1 AND kind = 'end') LIMIT 1`
	logColumns = `seq, at, kind, job, candidate, data`

	// The rows that the fold reads, with the present columns of their job (ends,
	// holds and samples) and of their candidate, and the values of that one when the row
	// was written. A column that the driver hands
	// over costs more than one that SQLite reads, so they are few: who made a
	// candidate is told once. The row of a commit is passed over when its end or
	// hold is in the log as well.
	sqlFold statement = `SELECT l.seq, l.at, l.kind, l.job, l.candidate, l.data,
		iif(c.id IS NULL, j.operator, c.operator), iif(c.id IS NULL, j.agent, c.agent),
		iif(c.id IS NULL, j.target, c.target), iif(c.id IS NULL, j.parent, c.parent),
		j.kind, j.state, j.purpose, j.island, j.duplicate, j.class, j.reason,
		j.requests, j.input_tokens, j.output_tokens, iif(j.priced > 0 AND j.unpriced = 0, j.cost, NULL), j.unmetered,
		j.edit_ms, j.eval_ms, j.own_ms, j.started, j.ended,
		c.status, c.commit_id, c.tree_id, c.class, c.reason, c.objective, c.mad, c.samples,
		c.claimed, c.claimed_samples, c.version, c.measures, c.created, c.added, c.removed, c.dev, c.claimed_dev, l.value
		FROM log l
		LEFT JOIN job j ON j.experiment = l.experiment AND j.id = l.job AND l.kind <> 'made'
		LEFT JOIN candidate c ON c.experiment = l.experiment AND c.id = l.candidate AND l.kind <> 'decision'
		WHERE l.experiment = ?1 AND l.seq > ?2 AND l.fold = 1 AND (l.kind <> 'made' OR c.status = 'made')
		ORDER BY l.seq LIMIT ?3`

	sqlDecidedBehind statement = `SELECT seq FROM log INDEXED BY log_decision WHERE experiment = ?1 AND kind = 'decision' AND seq > ?2 LIMIT 1`
	sqlDecision      statement = `SELECT seq, at, data FROM log
		WHERE experiment = ?1 AND fold = 1 AND seq = ?2 AND kind = 'decision'`
	sqlDecisions statement = `SELECT seq, at, data FROM log INDEXED BY log_decision
		WHERE experiment = ?1 AND kind = 'decision' ORDER BY seq DESC LIMIT ?2`

	sqlSpaceInsert statement = `INSERT INTO space (experiment, version, at_fold, seq, report, model)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6)`
	sqlSpaces statement = `SELECT version, at_fold, seq, report, model FROM space WHERE experiment = ?1 ORDER BY version`
	sqlSpace  statement = `SELECT version, at_fold, seq, report, model FROM space WHERE experiment = ?1 AND version = ?2`

	sqlNoteInsert statement = `INSERT INTO note (experiment, kind, target, text, author, gone, at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`
	sqlNoteUpdate statement = `UPDATE note SET kind = ?3, target = ?4, text = ?5, author = ?6, gone = ?7
		WHERE experiment = ?1 AND id = ?2`
	sqlNoteDelete statement = `DELETE FROM note WHERE experiment = ?1 AND id = ?2`
	sqlNotes      statement = `SELECT id, kind, target, text, author, gone, at FROM note WHERE experiment = ?1 ORDER BY id`
)
