package store

import (
	"context"
	"io/fs"
)

// What tests from outside need of the inside.

// Statements lists the text of every statement.
func Statements() []string {
	var all []string
	for _, s := range statements() {
		all = append(all, string(s))
	}
	return all
}

// ExplainAll returns the query plan of every statement by its text, on the
// writing connection, where all of them compile.
func (db *DB) ExplainAll() (map[string][]string, error) {
	plans := map[string][]string{}
	err := db.writer.do(context.Background(), &op{outside: func(c *conn) error {
		for _, s := range statements() {
			if s == sqlVacuumInto {
				continue
			}
			plan := []string{}
			err := c.query(context.Background(), "EXPLAIN QUERY PLAN "+s, make([]any, 20)[:parameters(s)], func(r *row) error {
				r.next = 3
				plan = append(plan, r.text())
				return nil
			})
			if err != nil {
				return err
			}
			plans[string(s)] = plan
		}
		return nil
	}})
	return plans, err
}

// parameters returns the highest ?N of a statement.
func parameters(s statement) int {
	highest := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '?' {
			continue
		}
		n := 0
		for i++; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
			n = 10*n + int(s[i]-'0')
		}
		highest = max(highest, n)
	}
	return highest
}

// Do runs text on the writing connection, between transactions.
func (db *DB) Do(text string) error {
	return db.writer.do(context.Background(), &op{outside: func(c *conn) error { return c.do(text) }})
}

// Write runs an operation of the writer that fails or panics as fn says.
func (db *DB) Write(fn func() error) error {
	return db.write(context.Background(), "test", func(t *tx) error {
		if _, err := t.log(1, "test", -1, -1, nil); err != nil {
			return err
		}
		t.ledger(1).delta.wall += 1000
		return fn()
	})
}

// WithFilesystem makes Open believe what fn says of directories.
func (o Options) WithFilesystem(fn func(dir string) (string, error)) Options {
	o.filesystem = fn
	return o
}

// WithMigrations makes Open use other migrations.
func (o Options) WithMigrations(files fs.FS) Options {
	o.migrations = files
	return o
}

// Migrations returns those of the package.
func Migrations() fs.FS { return schema }

// Explain is the mapping of SQLite's errors.
func Explain(err error) error { return doing("test", err) }

// WALPages returns the length of the write-ahead log in pages.
func (db *DB) WALPages() (int64, error) {
	var pages int64
	err := db.writer.do(context.Background(), &op{outside: func(c *conn) error {
		return c.query(context.Background(), "PRAGMA wal_checkpoint(NOOP)", nil, func(r *row) error {
			r.int()
			pages = r.int()
			return nil
		})
	}})
	return pages, err
}

// Queued returns how many operations wait for the writer.
func (db *DB) Queued() int { return len(db.writer.queue) }

// Pragma reads a setting of the writing connection.
func (db *DB) Pragma(name string) (n int64, err error) {
	err = db.writer.do(context.Background(), &op{outside: func(c *conn) error {
		n, err = c.number("PRAGMA " + name)
		return err
	}})
	return n, err
}

// statements lists every statement of the package.
func statements() []statement {
	return []statement{
		sqlTables, sqlVacuumInto, sqlParts, sqlSequenceGet, sqlSequenceSet, sqlTotalAdd, sqlTotal, sqlBudget, sqlJobCountAdd,
		sqlJobCounts, sqlRecountTotal, sqlRecountJobs, sqlExperimentInsert, sqlExperimentNamed, sqlExperimentState, sqlExperimentObjective,
		sqlExperiments, sqlExperiment, sqlSettingsPut, sqlSettings, sqlTotalNew, sqlMetaPut, sqlMeta, sqlMetaRange, sqlMetaDropRange,

		sqlJobInsert, sqlJobFence, sqlJobTop, sqlJobLease, sqlJobBeat, sqlJobStage, sqlJobMade, sqlJobHold, sqlJobEnd,
		sqlJobApproved, sqlJobRelease, sqlJobBack, sqlJobRecall, sqlJobReopen, sqlJobRequeue, sqlJobPlace, sqlJobPriority, sqlJobSpend, sqlJobEvals, sqlJobReserve,
		sqlJobsLeased, sqlJobsExpired, sqlJobsEvaluate, sqlJob, sqlJobs, sqlJobsIn, sqlJobsHeld, sqlJobLast,

		sqlCandidateInsert, sqlCandidatesLater, sqlCandidateDrop, sqlCandidateParents, sqlDescentDrop, sqlMetricDrop, sqlSamplesMove, sqlSamplesDrop, sqlVectorDrop,
		sqlCandidateTwin, sqlTreesEqual, sqlStrict, sqlProductOwner, sqlJobDisplaced, sqlJobDuplicate, sqlJobUnmade, sqlJobsDuplicates,
		sqlCandidateKnown, sqlCandidateStatus, sqlCandidateValues, sqlCandidateValue, sqlCandidatePin, sqlCandidate,
		sqlCandidateByTree, sqlCandidateByCommit, sqlCandidatesDown, sqlCandidatesUp, sqlCandidatesDownIn,
		sqlCandidatesUpIn, sqlCandidatesEach, sqlCandidatesCommit, sqlCandidatesIntent, sqlChildren, sqlLineage, sqlDescentInsert, sqlMetricPut, sqlMetric,
		sqlMetricsOf, sqlMetricsEach, sqlSampleInsert, sqlSamples, sqlEvidenceInsert, sqlEvidence, sqlEvidenceEach, sqlEvidenceDrop, sqlVectorPut, sqlVector,
		sqlVectorsEach, sqlEmbedderPut, sqlEmbedder, sqlBlobVectorPut, sqlBlobVector,

		sqlLogInsert, sqlLogInsertValue, sqlLog, sqlLogTail, sqlLogLast, sqlLogCounter, sqlLogLacks, sqlFold, sqlDecidedBehind, sqlDecision, sqlDecisions, sqlSpaceInsert, sqlSpaces,
		sqlSpace, sqlNoteInsert, sqlNoteUpdate, sqlNoteDelete, sqlNotes,
		sqlCampaignInsert, sqlCampaignLast, sqlCampaign,
	}
}
