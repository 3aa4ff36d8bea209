package guard

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"atoll/engine/sandbox"
)

func TestATreeIsRecordedOnceWhoeverAsks(t *testing.T) {
	t.Parallel()
	var r recordings
	var made atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			data, err := r.of(t.Context(), "tree", func() ([]byte, error) { made.Add(1); return []byte("calls"), nil })
			if err != nil || string(data) != "calls" {
				t.Errorf("got %q, %v", data, err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("recorded %d times, want once", made.Load())
	}
}

func TestARecordingThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	var r recordings
	failed := errors.New("no tests")
	if _, err := r.of(t.Context(), "tree", func() ([]byte, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Fatalf("got %v", err)
	}
	data, err := r.of(t.Context(), "tree", func() ([]byte, error) { return []byte("calls"), nil })
	if err != nil || string(data) != "calls" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestWhoWaitsForARecordingIsFreeToGo(t *testing.T) {
	t.Parallel()
	var r recordings
	own := r.entry("tree")
	<-own.turn // somebody records
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.of(ctx, "tree", func() ([]byte, error) { t.Error("recorded twice at once"); return nil, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRecordingsAreBoundedByTreesAndBytes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, want int }{"many trees": {10, mostRecordings}, "large trees": {mostRecorded/2 + 1, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r recordings
			data := make([]byte, c.size)
			for i := range mostRecordings + 2 {
				if _, err := r.of(t.Context(), strconv.Itoa(i), func() ([]byte, error) { return data, nil }); err != nil {
					t.Fatal(err)
				}
			}
			if len(r.list) != c.want || r.list[len(r.list)-1].tree != strconv.Itoa(mostRecordings+1) {
				t.Errorf("%d are kept, want %d and the newest of them", len(r.list), c.want)
			}
		})
	}
}

// recorder stands for a sandbox in which the tests of a tree run; it counts the recordings.
type recorder struct{ runs int }

func (r *recorder) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if s.Product != "" {
		r.runs++
	}
	return sandbox.Result{HasProduct: true, Product: []byte("calls")}, nil
}

func TestWhatTheTestsOfARootDoIsRecordedBeforeACheckWhereCodeInPythonChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := new(recorder)
	g, err := New(box, Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		changed []string
		runs    int
	}{
		{"no code of it", []string{"kit.go", "test_kit.py"}, 0},
		{"a module", []string{"kit.py"}, 1},
		{"another, and it is known", []string{"lib.py"}, 1},
	} {
		if err := g.Prepare(t.Context(), Tree{Base: dir, ID: "root"}, tt.changed); err != nil || box.runs != tt.runs {
			t.Errorf("%s: %d recordings, %v", tt.name, box.runs, err)
		}
	}
}
