package store

// Statements of the store as a whole, and the list of all statements. A test
// explains each of them: none may read a big table from end to end.
const (
	sqlTables     statement = `SELECT count(*) FROM sqlite_master`
	sqlVacuumInto statement = `VACUUM INTO ?1`
	sqlParts      statement = `SELECT type || ' ' || name FROM sqlite_master WHERE name NOT LIKE 'sqlite%'
		UNION ALL SELECT 'column ' || made.name || '.' || part.name FROM sqlite_master made CROSS JOIN pragma_table_info(made.name) part
		WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%'`

	sqlSequenceGet statement = `SELECT last FROM sequence WHERE id = 1`
	sqlSequenceSet statement = `UPDATE sequence SET last = ?1 WHERE id = 1`

	// A sum that no integer holds stays at the largest: [most].
	sqlTotalAdd statement = `UPDATE total SET begun = begun + ?2, evals = evals + ?3, requests = min(requests + ?4, 9000000000000000000),
		input_tokens = min(input_tokens + ?5, 9000000000000000000), output_tokens = min(output_tokens + ?6, 9000000000000000000),
		cost = min(cost + ?7, 9000000000000000000), priced = priced + ?8, unpriced = unpriced + ?9, unmetered = unmetered + ?10,
		reserved = reserved + ?11, forfeit = forfeit + ?12, wall = wall + ?13 WHERE experiment = ?1`
	sqlTotal statement = `SELECT begun, evals, requests, input_tokens, output_tokens, cost, priced, unpriced, unmetered,
		reserved, forfeit, wall FROM total WHERE experiment = ?1`
	sqlBudget statement = `SELECT t.begun, t.evals, t.requests, t.input_tokens, t.output_tokens, t.cost, t.priced,
		t.unpriced, t.unmetered, t.reserved, t.forfeit, t.wall,
		s.max_jobs, s.max_evals, s.max_tokens, s.max_cost, s.max_wall
		FROM total t JOIN settings s ON s.experiment = t.experiment WHERE t.experiment = ?1`
	sqlJobCountAdd statement = `INSERT INTO job_count (experiment, kind, state, n) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO UPDATE SET n = n + excluded.n`
	sqlJobCounts statement = `SELECT kind, state, n FROM job_count WHERE experiment = ?1`

	// The same totals counted anew, for [DB.Integrity]. A sum of halves does not stop
	// where no integer holds the whole, as sum() does.
	sqlRecountTotal statement = `SELECT
		coalesce(sum(kind = 'make' AND (attempt > 0 OR state IN ('placed','scored','rejected','failed','duplicate','cancelled'))), 0),
		coalesce(sum(evals), 0), coalesce(min(sum(requests >> 32) * 4294967296 + sum(requests & 4294967295), 9000000000000000000), 0),
		coalesce(min(sum(input_tokens >> 32) * 4294967296 + sum(input_tokens & 4294967295), 9000000000000000000), 0),
		coalesce(min(sum(output_tokens >> 32) * 4294967296 + sum(output_tokens & 4294967295), 9000000000000000000), 0),
		coalesce(min(sum(cost >> 32) * 4294967296 + sum(cost & 4294967295), 9000000000000000000), 0), coalesce(sum(priced), 0), coalesce(sum(unpriced), 0), coalesce(sum(unmetered), 0),
		coalesce(sum(reserved), 0), coalesce(sum(forfeit), 0), (SELECT wall FROM total WHERE experiment = ?1)
		FROM job WHERE experiment = ?1`
	sqlRecountJobs statement = `SELECT kind, state, count(*) FROM job WHERE experiment = ?1 GROUP BY kind, state`

	sqlExperimentInsert statement = `INSERT INTO experiment (name, repository, branch, root_commit, root_tree, root_time, seed,
		strict, lookahead, config, eval_key, objective, state, reason, created)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)`
	sqlExperimentNamed     statement = `SELECT id FROM experiment WHERE name = ?1`
	sqlExperimentState     statement = `UPDATE experiment SET state = ?2, reason = ?3 WHERE id = ?1`
	sqlExperimentObjective statement = `UPDATE experiment SET objective = ?2, config = ?3, eval_key = ?4
		WHERE id = ?1 AND objective = ?2 - 1`
	sqlExperiments    statement = `SELECT ` + experimentColumns + ` FROM experiment ORDER BY id`
	sqlExperiment     statement = `SELECT ` + experimentColumns + ` FROM experiment WHERE id = ?1`
	experimentColumns           = `id, name, repository, branch, root_commit, root_tree, root_time, seed, strict,
		lookahead, config, eval_key, objective, state, reason, created`

	sqlSettingsPut statement = `INSERT INTO settings (experiment, data, max_jobs, max_evals, max_tokens, max_cost, max_wall)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (experiment) DO UPDATE SET data = excluded.data,
		max_jobs = excluded.max_jobs, max_evals = excluded.max_evals, max_tokens = excluded.max_tokens,
		max_cost = excluded.max_cost, max_wall = excluded.max_wall`
	sqlSettings statement = `SELECT data FROM settings WHERE experiment = ?1`
	sqlTotalNew statement = `INSERT INTO total (experiment) VALUES (?1)`

	sqlStrict       statement = `SELECT strict FROM experiment WHERE id = ?1`
	sqlProductOwner statement = `SELECT CASE WHEN j.duplicate >= 0 THEN j.duplicate ELSE j.id END FROM meta m
		CROSS JOIN job j ON j.experiment = ?1 AND j.id = CAST(m.value AS INTEGER) WHERE m.experiment = ?1 AND m.key = ?2`
	sqlMetaPut statement = `INSERT INTO meta (experiment, key, value) VALUES (?1, ?2, ?3)
		ON CONFLICT DO UPDATE SET value = excluded.value`
	sqlMeta          statement = `SELECT value FROM meta WHERE experiment = ?1 AND key = ?2`
	sqlMetaRange     statement = `SELECT value FROM meta WHERE experiment = ?1 AND key >= ?2 AND key < ?3`
	sqlMetaDropRange statement = `DELETE FROM meta WHERE experiment = ?1 AND key >= ?2 AND key < ?3`
)
