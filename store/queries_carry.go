package store

// Statements that carry an experiment from one store to another. Those with a % are of
// every table that has a column "experiment"; those that name other need that
// database attached. So none of them can be planned beforehand.
const (
	carryTables = `SELECT t.name FROM %[1]s.sqlite_master t WHERE t.type = 'table'
		AND EXISTS (SELECT 1 FROM pragma_table_info(t.name, '%[1]s') WHERE name = 'experiment') ORDER BY t.name`
	carryRows       = `INSERT INTO main.%s (%s) SELECT %s FROM other.%[1]s`
	carryDropOthers = `DELETE FROM %s WHERE experiment <> ?1`

	carryDropCampaign = `DELETE FROM campaign; COMMIT; VACUUM`

	carryDropExperiments statement = `DELETE FROM experiment WHERE id <> ?1`

	carryName    statement = `SELECT name FROM other.experiment WHERE id = ?1`
	carryNumber  statement = `SELECT max(?1, coalesce(max(id), 0) + 1) FROM main.experiment`
	carryNotes   statement = `SELECT coalesce(max(id), 0) FROM main.note`
	carryColumns statement = `SELECT name, pk = 1 AND 1 = (SELECT count(*) FROM pragma_table_info(?1, 'main') WHERE pk > 0)
		FROM pragma_table_info(?1, 'main') ORDER BY cid`

	carryEmbedders statement = `INSERT OR IGNORE INTO main.embedder (name) SELECT name FROM other.embedder`
	carryVectors   statement = `INSERT OR IGNORE INTO main.blob_vector (embedder, blob, data)
		SELECT m.id, b.blob, b.data FROM other.blob_vector b JOIN other.embedder e ON e.id = b.embedder JOIN main.embedder m ON m.name = e.name`
	carrySequence statement = `UPDATE main.sequence SET last = max(last, (SELECT coalesce(max(seq), 0) FROM other.log WHERE experiment = ?1))`
	carryOrigin   statement = `INSERT INTO main.meta (experiment, key, value) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING`
)
