package store

// Statements on candidates and what hangs on them.
const (
	sqlCandidateInsert statement = `INSERT INTO candidate (experiment, id, job, commit_id, tree_id, parent, parents, operator,
		agent, target, intent, added, removed, files, status, version, created)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)`

	// The original of a tree for job ?3. A candidate whose measurement never came
	// to a verdict is none. A tree counts as known under the present objective
	// version only, and with a verdict on it; in strict order by lower numbers only.
	sqlCandidateKnown statement = `SELECT id ` + knownTree
	knownTree                   = `FROM candidate INDEXED BY candidate_tree WHERE experiment = ?1 AND tree_id = ?2
		AND (id < ?3 OR NOT (SELECT strict FROM experiment WHERE id = ?1))
		AND status <> 'cancelled' AND NOT (status = 'failed' AND class IN ('internal', 'evaluator', 'budget'))
		AND version >= (SELECT objective FROM experiment WHERE id = ?1) ORDER BY id LIMIT 1`
	// Those of a tree that job ?3 displaces, in strict order.
	sqlCandidatesLater statement = `SELECT id FROM candidate INDEXED BY candidate_tree WHERE experiment = ?1 AND tree_id = ?2
		AND id > ?3 AND (SELECT strict FROM experiment WHERE id = ?1) ORDER BY id`
	sqlCandidateDrop   statement = `DELETE FROM candidate WHERE experiment = ?1 AND id = ?2`
	sqlCandidateStatus statement = `UPDATE candidate SET status = ?3, class = ?4, reason = ?5
		WHERE experiment = ?1 AND id = ?2`
	sqlCandidateValues statement = `UPDATE candidate SET status = ?3, class = ?4, reason = ?5, objective = ?6, mad = ?7,
		samples = ?8, claimed = ?9, claimed_samples = ?10, version = ?11, measures = ?12, dev = ?14, claimed_dev = ?15,
		scored = CASE scored WHEN 0 THEN ?13 ELSE scored END
		WHERE experiment = ?1 AND id = ?2`
	// What a candidate is known by: floats but for the measures, see value.go.
	sqlCandidateValue statement = `SELECT measures, CAST(version AS REAL), CAST(samples AS REAL), objective, mad, dev,
		CAST(claimed_samples AS REAL), claimed, claimed_dev
		FROM candidate WHERE experiment = ?1 AND id = ?2 AND objective IS NOT NULL`
	// One that has the product of another: rejected, without a value.
	sqlCandidateTwin statement = `UPDATE candidate SET status = 'rejected', class = '', reason = ?3, objective = NULL, mad = 0, dev = 0,
		samples = 0, claimed = NULL, claimed_samples = 0, claimed_dev = 0, measures = NULL, scored = 0,
		version = (SELECT objective FROM experiment WHERE id = ?1)
		WHERE experiment = ?1 AND id = ?2`
	sqlTreesEqual statement = `SELECT 1 FROM candidate a CROSS JOIN candidate b ON b.experiment = ?1 AND b.id = ?3
		WHERE a.experiment = ?1 AND a.id = ?2 AND a.tree_id = b.tree_id`
	sqlCandidatePin statement = `UPDATE candidate SET pinned = ?3 WHERE experiment = ?1 AND id = ?2`

	sqlCandidate         statement = `SELECT ` + candidateColumns + ` FROM candidate WHERE experiment = ?1 AND id = ?2`
	sqlCandidateByTree   statement = `SELECT ` + candidateColumns + ` ` + knownTree
	sqlCandidateByCommit statement = `SELECT ` + candidateColumns + ` FROM candidate INDEXED BY candidate_commit
		WHERE experiment = ?1 AND commit_id = ?2 ORDER BY id LIMIT 1`
	sqlCandidatesEach statement = `SELECT ` + candidateColumns + ` FROM candidate
		WHERE experiment = ?1 AND id > ?2 ORDER BY id LIMIT ?3`
	sqlCandidatesCommit statement = `SELECT id, commit_id FROM candidate WHERE experiment = ?1 AND id > ?2 ORDER BY id LIMIT ?3`
	sqlCandidatesIntent statement = `SELECT id, intent FROM candidate WHERE experiment = ?1 AND id > ?2 ORDER BY id LIMIT ?3`
	sqlCandidatesDown   statement = `SELECT ` + candidateColumns + ` FROM candidate
		WHERE experiment = ?1 AND id < ?2` + candidateFilter + ` ORDER BY id DESC LIMIT ?4`
	sqlCandidatesUp statement = `SELECT ` + candidateColumns + ` FROM candidate
		WHERE experiment = ?1 AND id > ?2` + candidateFilter + ` ORDER BY id LIMIT ?4`
	sqlCandidatesDownIn statement = `SELECT ` + candidateColumns + ` FROM candidate INDEXED BY candidate_status
		WHERE experiment = ?1 AND status = ?5 AND id < ?2` + candidateFilter + ` ORDER BY id DESC LIMIT ?4`
	sqlCandidatesUpIn statement = `SELECT ` + candidateColumns + ` FROM candidate INDEXED BY candidate_status
		WHERE experiment = ?1 AND status = ?5 AND id > ?2` + candidateFilter + ` ORDER BY id LIMIT ?4`
	candidateFilter = ` AND (?3 = '' OR instr(lower(intent || ' ' || operator || ' ' || agent || ' ' || target || ' '
		|| class || ' ' || reason || ' c' || id), ?3) > 0 OR instr(lower(hex(commit_id)), ?3) = 1)`

	sqlChildren statement = `SELECT DISTINCT child FROM descent WHERE experiment = ?1 AND parent = ?2 ORDER BY child`
	sqlLineage  statement = `WITH RECURSIVE line (at, depth) AS (
			VALUES (?2, 0)
			UNION ALL
			SELECT c.parent, line.depth + 1 FROM line JOIN candidate c ON c.experiment = ?1 AND c.id = line.at
			WHERE c.parent >= 0 AND line.depth + 1 < ?3)
		SELECT ` + candidateColumns + ` FROM line CROSS JOIN candidate ON candidate.experiment = ?1 AND candidate.id = line.at
		ORDER BY line.depth`
	sqlDescentInsert statement = `INSERT INTO descent (experiment, parent, child, role) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO NOTHING`
	sqlDescentDrop      statement = `DELETE FROM descent WHERE experiment = ?1 AND parent = ?2 AND child = ?3`
	sqlCandidateParents statement = `SELECT parents FROM candidate WHERE experiment = ?1 AND id = ?2`

	candidateColumns = `experiment, id, job, commit_id, tree_id, parents, operator, agent, target, intent, added, removed,
		files, status, class, reason, objective, mad, samples, claimed, claimed_samples, version, measures, pinned,
		created, scored, dev, claimed_dev`

	sqlMetricPut statement = `INSERT INTO metric (experiment, candidate, data) VALUES (?1, ?2, ?3)
		ON CONFLICT (experiment, candidate) DO UPDATE SET data = excluded.data`
	sqlMetricDrop statement = `DELETE FROM metric WHERE experiment = ?1 AND candidate = ?2`
	sqlMetric     statement = `SELECT data FROM metric WHERE experiment = ?1 AND candidate = ?2`
	// By candidate, however many an experiment has.
	sqlMetricsOf statement = `SELECT metric.candidate, metric.data FROM json_each(?2)
		CROSS JOIN metric ON metric.experiment = ?1 AND metric.candidate = json_each.value`
	sqlMetricsEach statement = `SELECT candidate, data FROM metric
		WHERE experiment = ?1 AND candidate > ?2 AND candidate <= ?3 ORDER BY candidate`

	sqlSampleInsert statement = `INSERT INTO sample (experiment, candidate, version, job, repeat, held_out, objective, wall_ms, at,
		metrics, load, machine) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`
	// What was measured of a job that was displaced is its original's, unless that
	// has samples already or the measurement came to no value.
	sqlSamplesMove statement = `UPDATE sample SET candidate = ?3, job = ?3 WHERE experiment = ?1 AND candidate = ?2
		AND version = (SELECT version FROM candidate WHERE experiment = ?1 AND id = ?2 AND objective IS NOT NULL)
		AND NOT EXISTS (SELECT 1 FROM sample s WHERE s.experiment = ?1 AND s.candidate = ?3)`
	sqlSamplesDrop statement = `DELETE FROM sample WHERE experiment = ?1 AND candidate = ?2`
	sqlSamples     statement = `SELECT candidate, job, version, repeat, held_out, objective, wall_ms, at, load, machine, metrics FROM sample
		WHERE experiment = ?1 AND candidate = ?2 ORDER BY version, job, repeat`

	sqlEvidenceInsert statement = `INSERT INTO evidence (experiment, job, attempt, kind, cut, size, packed, text)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`
	sqlEvidence statement = `SELECT job, attempt, kind, cut, size, packed, text FROM evidence
		WHERE experiment = ?1 AND job = ?2 ORDER BY id`

	// By the order in the file: nothing else is read of a text than how long it is.
	sqlEvidenceEach statement = `SELECT e.id, e.job, j.candidate, length(e.text), j.ended FROM evidence e NOT INDEXED
		CROSS JOIN job j ON j.experiment = ?1 AND j.id = e.job
		WHERE e.experiment = ?1 AND e.id > ?2 ORDER BY e.id LIMIT ?3`
	sqlEvidenceDrop statement = `DELETE FROM evidence WHERE id = ?1`

	sqlVectorPut statement = `INSERT INTO vector (experiment, candidate, data) VALUES (?1, ?2, ?3)
		ON CONFLICT (experiment, candidate) DO UPDATE SET data = excluded.data`
	sqlVectorDrop  statement = `DELETE FROM vector WHERE experiment = ?1 AND candidate = ?2`
	sqlVector      statement = `SELECT data FROM vector WHERE experiment = ?1 AND candidate = ?2`
	sqlVectorsEach statement = `SELECT candidate, data FROM vector
		WHERE experiment = ?1 AND candidate > ?2 ORDER BY candidate LIMIT ?3`

	sqlEmbedderPut   statement = `INSERT INTO embedder (name) VALUES (?1) ON CONFLICT DO NOTHING`
	sqlEmbedder      statement = `SELECT id FROM embedder WHERE name = ?1`
	sqlBlobVectorPut statement = `INSERT INTO blob_vector (embedder, blob, data) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING`
	sqlBlobVector    statement = `SELECT b.data FROM embedder e CROSS JOIN blob_vector b ON b.embedder = e.id
		WHERE e.name = ?1 AND b.blob = ?2`
)
