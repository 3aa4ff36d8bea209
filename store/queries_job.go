package store

// Statements on jobs.
const (
	sqlJobInsert statement = `INSERT INTO job (experiment, id, kind, state, priority, lane, purpose, island, parent,
		inspirations, operator, agent, target, goal, candidate, duplicate, retry_of, repeat, samples, created, why)
		VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, -1, ?15, ?16, ?17, ?18, ?19)
		ON CONFLICT DO NOTHING`

	// What a transition has to know of the job before it.
	sqlJobFence statement = `SELECT kind, state, attempt, candidate, evals, evals_open, reserved, held_at, approved, class, reason, held_for, was, duplicate
		FROM job WHERE experiment = ?1 AND id = ?2`

	// The best of the lanes in the bit set ?2.
	sqlJobTop statement = `SELECT ` + jobColumns + ` FROM job INDEXED BY job_queue
		WHERE experiment = ?1 AND state = 'queued' AND (?2 >> lane) & 1
		ORDER BY priority DESC, lane, id LIMIT 1`
	sqlJobLease statement = `UPDATE job SET state = ?4, attempt = attempt + 1, worker = ?5, lease_until = ?6,
		started = CASE started WHEN 0 THEN ?7 ELSE started END
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND state = 'queued'`
	sqlJobBeat statement = `UPDATE job SET lease_until = ?4
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND lease_until > 0`
	sqlJobStage statement = `UPDATE job SET state = ?5
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND state = ?4`
	sqlJobMade statement = `UPDATE job SET state = 'committed', candidate = ?4
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND state = 'editing' AND kind = 'make'`
	sqlJobHold statement = `UPDATE job SET state = 'held', held_at = ?5, approved = 0, reason = ?6, held_for = ?6, worker = '', lease_until = 0,
		evals_open = 0, edit_ms = edit_ms + ?7, eval_ms = eval_ms + ?8, own_ms = own_ms + ?9,
		machine = CASE ?10 WHEN '' THEN machine ELSE ?10 END,
		forfeit = forfeit + reserved, reserved = 0
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND state = ?4`
	sqlJobEnd statement = `UPDATE job SET state = ?5, class = ?6, reason = ?7, duplicate = ?8, ended = ?9, worker = '',
		lease_until = 0, evals_open = 0, edit_ms = edit_ms + ?10, eval_ms = eval_ms + ?11, own_ms = own_ms + ?12,
		machine = CASE ?13 WHEN '' THEN machine ELSE ?13 END,
		forfeit = forfeit + reserved, reserved = 0
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND state = ?4`
	// An approval, and it taken back, while an attempt runs.
	sqlJobApproved statement = `UPDATE job SET approved = ?3 WHERE experiment = ?1 AND id = ?2`
	sqlJobRelease  statement = `UPDATE job SET state = 'queued', approved = 1, lane = ?3, reason = ''
		WHERE experiment = ?1 AND id = ?2 AND state = 'held'`
	// Back to the end that it had before it waited again.
	sqlJobBack statement = `UPDATE job SET state = ?3, class = ?4, reason = ?5, approved = 1, was = ''
		WHERE experiment = ?1 AND id = ?2 AND state = 'held'`
	sqlJobRecall statement = `UPDATE job SET state = 'held', held_at = ?4, approved = 0, class = '', reason = held_for, was = ?5,
		worker = '', lease_until = 0, evals_open = 0, forfeit = forfeit + reserved, reserved = 0
		WHERE experiment = ?1 AND id = ?2 AND state = ?3`
	// After a rejection was taken back: ?4 is where the job waits.
	sqlJobReopen statement = `UPDATE job SET state = ?4, lane = ?5, class = '', ended = 0,
		reason = CASE ?4 WHEN 'held' THEN held_for ELSE '' END
		WHERE experiment = ?1 AND id = ?2 AND state = ?3`
	sqlJobRequeue statement = `UPDATE job SET state = 'queued', lane = ?5, worker = '', lease_until = 0, evals_open = 0,
		forfeit = forfeit + reserved, reserved = 0
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND state = ?4`
	// A job that was displaced: while it runs, and where it does not.
	sqlJobDisplaced statement = `UPDATE job SET duplicate = ?3 WHERE experiment = ?1 AND id = ?2 AND lease_until > 0`
	sqlJobDuplicate statement = `UPDATE job SET state = 'duplicate', class = '', reason = ?3, duplicate = ?4, was = '',
		ended = CASE ended WHEN 0 THEN ?5 ELSE ended END
		WHERE experiment = ?1 AND id = ?2 AND lease_until = 0`
	// One that is the duplicate of a tree never came as far as a review.
	sqlJobUnmade statement = `UPDATE job SET candidate = -1, held_at = '', held_for = '', approved = 0 WHERE experiment = ?1 AND id = ?2`
	sqlJobPlace  statement = `UPDATE job SET state = 'placed'
		WHERE experiment = ?1 AND id = ?2 AND state = 'scored' AND kind = 'make'`
	sqlJobPriority statement = `UPDATE job SET priority = ?3
		WHERE experiment = ?1 AND id = ?2 AND state IN ('queued', 'held')`
	sqlJobSpend statement = `UPDATE job SET requests = min(requests + ?3, 9000000000000000000),
		input_tokens = min(input_tokens + ?4, 9000000000000000000), output_tokens = min(output_tokens + ?5, 9000000000000000000),
		cost = min(cost + ?6, 9000000000000000000), priced = priced + ?7, unpriced = unpriced + ?8,
		unmetered = unmetered + ?9 WHERE experiment = ?1 AND id = ?2`
	sqlJobEvals statement = `UPDATE job SET evals = evals + ?4, evals_open = evals_open + ?4
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND lease_until > 0`
	sqlJobReserve statement = `UPDATE job SET reserved = reserved + ?4
		WHERE experiment = ?1 AND id = ?2 AND attempt = ?3 AND lease_until > 0`

	sqlJobsLeased  statement = `SELECT id FROM job INDEXED BY job_leased WHERE experiment = ?1 AND lease_until > 0`
	sqlJobsExpired statement = `SELECT id FROM job INDEXED BY job_leased
		WHERE experiment = ?1 AND lease_until > 0 AND lease_until < ?2`
	sqlJobsEvaluate statement = `SELECT id FROM job INDEXED BY job_state
		WHERE experiment = ?1 AND state = 'queued' AND kind = 'evaluate' ORDER BY id`
	sqlJobsDuplicates statement = `SELECT id FROM job INDEXED BY job_state
		WHERE experiment = ?1 AND state = 'duplicate' AND id > ?2 AND duplicate = ?3 ORDER BY id`
	sqlJobLast statement = `SELECT id FROM job WHERE experiment = ?1 ORDER BY id DESC LIMIT 1`

	sqlJob    statement = `SELECT ` + jobColumns + ` FROM job WHERE experiment = ?1 AND id = ?2`
	sqlJobs   statement = `SELECT ` + jobColumns + ` FROM job WHERE experiment = ?1 AND id < ?2` + jobFilter
	sqlJobsIn statement = `SELECT ` + jobColumns + ` FROM job INDEXED BY job_state
		WHERE experiment = ?1 AND id < ?2 AND state = ?9` + jobFilter
	sqlJobsHeld statement = `SELECT ` + jobColumns + ` FROM job INDEXED BY job_state
		WHERE experiment = ?1 AND state = 'held' ORDER BY id LIMIT ?2`
	jobFilter = ` AND (?3 = '' OR kind = ?3) AND (?4 = '' OR operator = ?4) AND (?5 = '' OR agent = ?5)
		AND (?6 = '' OR target = ?6) AND (?7 = '' OR instr(lower(reason || ' ' || goal || ' ' || operator || ' ' || agent
			|| ' ' || target || ' ' || class || ' #' || id), ?7) > 0
			OR EXISTS (SELECT 1 FROM candidate c WHERE c.experiment = job.experiment AND c.id = job.candidate
				AND instr(lower(c.intent), ?7) > 0))
		ORDER BY id DESC LIMIT ?8`

	jobColumns = `experiment, id, kind, state, priority, purpose, island, parent, inspirations, operator, agent,
		target, goal, candidate, duplicate, retry_of, repeat, samples, held_at, approved, attempt, class, reason,
		requests, input_tokens, output_tokens, cost, priced, unpriced, unmetered,
		edit_ms, eval_ms, own_ms, created, started, ended, lease_until, why, machine`
)
