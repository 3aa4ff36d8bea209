package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"atoll/store"
	"atoll/store/record"
)

// changed flips one letter of a row, as a disk might.
func changed(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(text))
	if at < 0 {
		t.Fatalf("no page has %q", text)
	}
	data[at] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreThatIsNotWhatItsSealSaysIsNotWrittenTo(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "atoll.db")
	open := func() *store.DB {
		t.Helper()
		db, err := store.Open(ctx, path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	closed := func(db *store.DB) {
		t.Helper()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db := open()
	db.KeepSealed()
	exp, err := db.CreateExperiment(ctx, record.Experiment{Name: "one"}, record.Settings{})
	if err == nil {
		err = db.PutMeta(ctx, exp.ID, "a key", "a value of some length")
	}
	if err != nil {
		t.Fatal(err)
	}
	closed(db)
	for name, write := range map[string]func(*store.DB) error{
		"a row":           func(db *store.DB) error { return db.PutMeta(ctx, exp.ID, "another key", "x") },
		"all the indexes": func(db *store.DB) error { return db.Reindex(ctx) },
	} {
		changed(t, path, "value of some length")
		for range 2 { // the first refusal is not the last
			db := open()
			db.KeepSealed()
			if err := write(db); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s: written to with %v", name, err)
			}
			closed(db)
		}
		db = open()
		if _, err := db.CheckSeal(ctx); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: after that the seal says %v", name, err)
		}
		closed(db)
		changed(t, path, "walue of some length") // as it was
	}
	db = open()
	if err := db.PutMeta(ctx, exp.ID, "another key", "x"); err != nil {
		t.Errorf("as it was, it is not written to: %v", err)
	}
	closed(db)
}
