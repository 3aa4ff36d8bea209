package store

// Statements on candidates and what hangs on them.
const (
	sqlCandidateInsert statement = `INSERT INTO candidate (experiment, id, job, commit_id, tree_id, parent, parents, operator,
		agent, target, intent, added, removed, files, status, version, created)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)`

	// The original of a tree. A candidate whose measurement never came to a
	// verdict is none.
	// A tree counts as known under the present objective version only, and with a
	// verdict on it.
	sqlCandidateKnown statement = `SELECT id ` + knownTree
	knownTree                   = `FROM candidate INDEXED BY candidate_tree WHERE experiment = ?1 AND tree_id = ?2
		AND status <> 'cancelled' AND NOT (status = 'failed' AND class IN ('internal', 'evaluator', 'budget'))
		AND version >= (SELECT objective FROM experiment WHERE id = ?1) ORDER BY id LIMIT 1`
	sqlCandidateStatus statement = `UPDATE candidate SET status = ?3, class = ?4, reason = ?5
		WHERE experiment = ?1 AND id = ?2`
	sqlCandidateValues statement = `UPDATE candidate SET status = ?3, class = ?4, reason = ?5, objective = ?6, mad = ?7,
		samples = ?8, claimed = ?9, claimed_samples = ?10, version = ?11, measures = ?12, dev = ?14, claimed_dev = ?15,
		scored = CASE scored WHEN 0 THEN ?13 ELSE scored END
		WHERE experiment = ?1 AND id = ?2`
	sqlCandidatePin statement = `UPDATE candidate SET pinned = ?3 WHERE experiment = ?1 AND id = ?2`

	sqlCandidate         statement = `SELECT ` + candidateColumns + ` FROM candidate WHERE experiment = ?1 AND id = ?2`
	sqlCandidateByTree   statement = `SELECT ` + candidateColumns + ` ` + knownTree
	sqlCandidateByCommit statement = `SELECT ` + candidateColumns + ` FROM candidate INDEXED BY candidate_commit
		WHERE experiment = ?1 AND commit_id = ?2 ORDER BY id LIMIT 1`
	sqlCandidatesEach statement = `SELECT ` + candidateColumns + ` FROM candidate
		WHERE experiment = ?1 AND id > ?2 ORDER BY id LIMIT ?3`
	sqlCandidatesDown statement = `SELECT ` + candidateColumns + ` FROM candidate
		WHERE experiment = ?1 AND id < ?2` + candidateFilter + ` ORDER BY id DESC LIMIT ?4`
	sqlCandidatesUp statement = `SELECT ` + candidateColumns + ` FROM candidate
		WHERE experiment = ?1 AND id > ?2` + candidateFilter + ` ORDER BY id LIMIT ?4`
	sqlCandidatesDownIn statement = `SELECT ` + candidateColumns + ` FROM candidate INDEXED BY candidate_status
		WHERE experiment = ?1 AND status = ?5 AND id < ?2` + candidateFilter + ` ORDER BY id DESC LIMIT ?4`
	sqlCandidatesUpIn statement = `SELECT ` + candidateColumns + ` FROM candidate INDEXED BY candidate_status
		WHERE experiment = ?1 AND status = ?5 AND id > ?2` + candidateFilter + ` ORDER BY id LIMIT ?4`
	candidateFilter = ` AND (?3 = '' OR instr(lower(intent || ' ' || operator || ' ' || agent || ' ' || target || ' '
		|| class || ' ' || reason || ' c' || id), ?3) > 0 OR instr(lower(hex(commit_id)), ?3) = 1)`

	sqlChildren statement = `SELECT ` + candidateColumns + ` FROM candidate WHERE experiment = ?1 AND id IN
		(SELECT child FROM descent WHERE experiment = ?1 AND parent = ?2) ORDER BY id`
	sqlLineage statement = `WITH RECURSIVE line (at, depth) AS (
			VALUES (?2, 0)
			UNION ALL
			SELECT c.parent, line.depth + 1 FROM line JOIN candidate c ON c.experiment = ?1 AND c.id = line.at
			WHERE c.parent >= 0 AND line.depth + 1 < ?3)
		SELECT ` + candidateColumns + ` FROM line CROSS JOIN candidate ON candidate.experiment = ?1 AND candidate.id = line.at
		ORDER BY line.depth`
	sqlDescentInsert statement = `INSERT INTO descent (experiment, parent, child, role) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO NOTHING`

	candidateColumns = `experiment, id, job, commit_id, tree_id, parents, operator, agent, target, intent, added, removed,
		files, status, class, reason, objective, mad, samples, claimed, claimed_samples, version, measures, pinned,
		created, scored, dev, claimed_dev`

	sqlMetricPut statement = `INSERT INTO metric (experiment, candidate, data) VALUES (?1, ?2, ?3)
		ON CONFLICT (experiment, candidate) DO UPDATE SET data = excluded.data`
	sqlMetric statement = `SELECT data FROM metric WHERE experiment = ?1 AND candidate = ?2`
	// By candidate, however many an experiment has.
	sqlMetricsOf statement = `SELECT metric.candidate, metric.data FROM json_each(?2)
		CROSS JOIN metric ON metric.experiment = ?1 AND metric.candidate = json_each.value`
	sqlMetricsEach statement = `SELECT candidate, data FROM metric
		WHERE experiment = ?1 AND candidate > ?2 AND candidate <= ?3 ORDER BY candidate`

	sqlSampleInsert statement = `INSERT INTO sample (experiment, candidate, version, job, repeat, held_out, objective, wall_ms, at,
		metrics, load) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`
	sqlSamples statement = `SELECT candidate, job, version, repeat, held_out, objective, wall_ms, at, load, metrics FROM sample
		WHERE experiment = ?1 AND candidate = ?2 ORDER BY version, job, repeat`

	sqlEvidenceInsert statement = `INSERT INTO evidence (experiment, job, attempt, kind, cut, size, packed, text)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`
	sqlEvidence statement = `SELECT job, attempt, kind, cut, size, packed, text FROM evidence
		WHERE experiment = ?1 AND job = ?2 ORDER BY id`

	sqlVectorPut statement = `INSERT INTO vector (experiment, candidate, data) VALUES (?1, ?2, ?3)
		ON CONFLICT (experiment, candidate) DO UPDATE SET data = excluded.data`
	sqlVector      statement = `SELECT data FROM vector WHERE experiment = ?1 AND candidate = ?2`
	sqlVectorsEach statement = `SELECT candidate, data FROM vector
		WHERE experiment = ?1 AND candidate > ?2 ORDER BY candidate LIMIT ?3`

	sqlEmbedderPut   statement = `INSERT INTO embedder (name) VALUES (?1) ON CONFLICT DO NOTHING`
	sqlEmbedder      statement = `SELECT id FROM embedder WHERE name = ?1`
	sqlBlobVectorPut statement = `INSERT INTO blob_vector (embedder, blob, data) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING`
	sqlBlobVector    statement = `SELECT b.data FROM embedder e CROSS JOIN blob_vector b ON b.embedder = e.id
		WHERE e.name = ?1 AND b.blob = ?2`
)
