package store

import (
	"context"
	"fmt"

	"atoll/store/record"
)

// PutVector keeps the vector of a candidate's tree, replacing an older one.
func (db *DB) PutVector(ctx context.Context, exp record.ExperimentID, id record.CandidateID, v []float32) error {
	what := "keep the vector of " + id.String()
	b, err := packVector(v)
	if err != nil {
		return doing(what, err)
	}
	return db.write(ctx, what, func(t *tx) error {
		_, err := t.exec(sqlVectorPut, exp, id, notNil(b))
		return err
	})
}

// Vector returns the vector of a candidate, or [ErrNotFound].
func (db *DB) Vector(ctx context.Context, exp record.ExperimentID, id record.CandidateID) ([]float32, error) {
	return single(ctx, db, "read the vector of "+id.String(), sqlVector, []any{exp, id},
		func(r *row) []float32 { return unpackVector(r.blob()) })
}

// Vectors calls fn for each candidate that has a vector, by number. The slice
// is the callee's to keep.
func (db *DB) Vectors(ctx context.Context, exp record.ExperimentID, fn func(id record.CandidateID, v []float32) error) error {
	type item struct {
		id record.CandidateID
		v  []float32
	}
	after := record.NoCandidate
	for {
		part, err := list(ctx, db, "read vectors", sqlVectorsEach, []any{exp, after, chunk}, func(r *row) item {
			return item{record.CandidateID(r.int()), unpackVector(r.blob())}
		})
		if err != nil || len(part) == 0 {
			return err
		}
		for _, p := range part {
			if err := fn(p.id, p.v); err != nil {
				return err
			}
		}
		after = part[len(part)-1].id
		if len(part) < chunk {
			return nil
		}
	}
}

// BlobVector returns the cached vector that an embedder gave to a file's
// content. Vectors of embedders are shared by all experiments.
func (db *DB) BlobVector(ctx context.Context, embedder string, blob record.Hash) (v []float32, ok bool, err error) {
	err = db.read(ctx, func(c *conn) error {
		ok, err = c.one(ctx, sqlBlobVector, []any{embedder, blob}, func(r *row) { v = unpackVector(r.blob()) })
		return err
	})
	return v, ok, doing("read a cached vector", err)
}

// PutBlobVectors caches vectors of file contents; those that are there stay.
func (db *DB) PutBlobVectors(ctx context.Context, embedder string, vectors map[record.Hash][]float32) error {
	packed := make(map[record.Hash][]byte, len(vectors))
	for h, v := range vectors {
		b, err := packVector(v)
		if err != nil {
			return doing("cache vectors", fmt.Errorf("blob %s: %w", h.Short(), err))
		}
		packed[h] = notNil(b)
	}
	if len(packed) == 0 {
		return nil
	}
	return db.write(ctx, "cache vectors", func(t *tx) error {
		if _, err := t.exec(sqlEmbedderPut, embedder); err != nil {
			return err
		}
		var id int64
		if _, err := t.one(sqlEmbedder, []any{embedder}, func(r *row) { id = r.int() }); err != nil {
			return err
		}
		for h, b := range packed {
			if _, err := t.exec(sqlBlobVectorPut, id, h, b); err != nil {
				return err
			}
		}
		return nil
	})
}
