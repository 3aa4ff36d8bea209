package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/store"
	"atoll/store/record"
)

// TestMain lets this binary be the second process of a test.
func TestMain(m *testing.M) {
	if role := os.Getenv("STORE_TEST_ROLE"); role != "" {
		if err := child(role, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(suitetest.InMemory(m.Run))
}

// child plays a role on the store at path.
func child(role, path string) error {
	ctx := context.Background()
	switch role {
	case "look": // open for reading and count the experiments
		db, err := store.Open(ctx, path, store.Options{ReadOnly: true})
		if err != nil {
			return err
		}
		all, err := db.Experiments(ctx)
		fmt.Println(len(all))
		return errors.Join(err, db.Close())
	case "create": // open for writing, at the same time as others
		db, err := store.Open(ctx, path, store.Options{})
		if err != nil {
			return err
		}
		if _, err := db.CreateExperiment(ctx, record.Experiment{Name: "same"}, record.Settings{}); err != nil {
			return err
		}
		return db.Close()
	case "decide": // append decisions
		db, err := store.Open(ctx, path, store.Options{})
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(os.Getenv("STORE_TEST_COUNT"))
		if err != nil {
			return err
		}
		for i := range n {
			if _, err := db.AppendDecision(ctx, 1, record.Decision{Who: "child", Verb: record.Pin, Value: float64(i)}); err != nil {
				return err
			}
		}
		return db.Close()
	case "limited": // write until files may not grow any more
		return limited(ctx, path)
	case "work":
		return work(ctx, path)
	case "recorded":
		return recorded(ctx, path)
	}
	return fmt.Errorf("no role %q", role)
}

// work runs jobs with three workers until it is killed. Each line acknowledges
// the end of a job.
func work(ctx context.Context, path string) error {
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	if _, err := db.Requeue(ctx, 1); err != nil {
		return err
	}
	errs := make(chan error)
	for worker := range 3 {
		go func() {
			for {
				if err := workOne(ctx, db, fmt.Sprint("w", worker), printed); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	return <-errs
}

func printed(id int) error {
	_, err := fmt.Printf("%d\n", id)
	return err
}

// workOne takes a job to its end and acknowledges it by told.
func workOne(ctx context.Context, db *store.DB, worker string, told func(id int) error) error {
	l, err := db.Lease(ctx, 1, worker, time.Minute)
	if err != nil {
		return err
	}
	id := int(l.Job.ID)
	if l.Job.State == record.Editing {
		if _, _, err := db.Made(ctx, *l, candidate(*l, 1000+id)); err != nil {
			return err
		}
	}
	if err := db.Stage(ctx, *l, record.Committed, record.Evaluating); err != nil {
		return err
	}
	o := scored(float64(id))
	o.Evals, o.Evidence = 1, []record.Evidence{{Kind: "stdout", Text: []byte("ok")}}
	if _, err := db.Finish(ctx, *l, o); err != nil {
		return err
	}
	return told(id)
}

// limited lets no file grow beyond a size, so that writing fails as on a broken
// device, and prints the error.
func limited(ctx context.Context, path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
		return err
	}
	for i := range 10_000 {
		text := make([]byte, 400)
		for k := range text {
			text[k] = byte(i*7 + k*k)
		}
		err := db.PutEvidence(ctx, 1, []record.Evidence{{Job: record.JobID(i), Kind: "x", Text: text}})
		if err != nil {
			fmt.Println(i)
			return err
		}
	}
	return nil
}
