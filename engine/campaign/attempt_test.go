package campaign

import (
	"context"
	"strings"
	"testing"

	"atoll/store/record"
)

// mover is a campaign of one task while which somebody moves the branch.
func mover(t *testing.T, merge func(a Assignment, won Outcome, head record.Hash) Outcome) (*worker, *memory, *State) {
	t.Helper()
	j := &memory{}
	put(t, j, Task{ID: 1, Title: "Work", Retries: 1})
	w := &worker{moved: map[record.Hash]record.Hash{}, merge: merge}
	w.do = func(a Assignment) (Outcome, error) {
		if a.Attempt == 1 {
			w.moved[record.Hash{1}] = record.Hash{7}
		}
		return Outcome{Status: Done, Reason: "found", Commit: record.Hash{2, byte(a.Attempt)}, Jobs: 3}, nil
	}
	c := New(Options{Journal: j, Executor: w, NoAudit: true})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, j, c.State()
}

func TestAWinnerIsMergedOntoABranchThatMovedWhileItRan(t *testing.T) {
	w, _, s := mover(t, func(a Assignment, won Outcome, head record.Hash) Outcome {
		if a.Root != (record.Hash{1}) || won.Commit != (record.Hash{2, 1}) || head != (record.Hash{7}) {
			t.Errorf("%s made on %s is merged onto %s", won.Commit, a.Root, head)
		}
		return Outcome{Status: Done, Reason: "measured again", Commit: record.Hash{8}, Jobs: 1}
	})
	it := s.Items[0]
	if it.Status != Done || it.Commit != (record.Hash{8}) || it.UsedJobs != 4 || s.Head != (record.Hash{8}) || w.head != s.Head {
		t.Errorf("the task is %s with %s and %d jobs, the head %s, the branch %s", it.Status, it.Commit, it.UsedJobs, s.Head, w.head)
	}
	if s.Began != (record.Hash{1}) {
		t.Errorf("the campaign began with %s", s.Began)
	}
}

func TestAMergeThatFailsIsAnAttemptThatFailedAndTheNextBeginsOnTheNewHead(t *testing.T) {
	w, _, s := mover(t, func(Assignment, Outcome, record.Hash) Outcome {
		return Outcome{Status: Failed, Reason: "both changed a.go"}
	})
	it := s.Items[0]
	if it.Status != Done || it.Attempt != 2 || it.Root != (record.Hash{7}) || s.Head != (record.Hash{2, 2}) {
		t.Errorf("the task is %s after attempt %d on %s, the head %s", it.Status, it.Attempt, it.Root, s.Head)
	}
	if w.did[it.Experiment] != 1 || len(w.merged) != 1 {
		t.Errorf("it did %v and merged %v", w.did, w.merged)
	}
}

func TestABranchThatMovesOnceMoreDuringTheMergeIsMergedOntoAgain(t *testing.T) {
	j := &memory{}
	put(t, j, Task{ID: 1, Title: "Work"})
	var heads []record.Hash
	w := &worker{moved: map[record.Hash]record.Hash{}}
	w.do = func(Assignment) (Outcome, error) {
		w.moved[record.Hash{1}] = record.Hash{7}
		return Outcome{Status: Done, Reason: "found", Commit: record.Hash{2}, Jobs: 3}, nil
	}
	w.merge = func(_ Assignment, _ Outcome, head record.Hash) Outcome {
		heads = append(heads, head)
		if len(heads) == 1 {
			if taken, err := Take(context.Background(), j, NewState(), "ann", record.Hash{7}, record.Hash{9}); err != nil || !taken {
				t.Errorf("taken: %t, %v", taken, err)
			}
		}
		return Outcome{Status: Done, Reason: "again", Commit: record.Hash{8, head[0]}, Jobs: 1}
	}
	c := New(Options{Journal: j, Executor: w, NoAudit: true})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(heads) != 2 || heads[1] != (record.Hash{9}) || c.State().Head != (record.Hash{8, 9}) {
		t.Errorf("it merged onto %v, the head is %s", heads, c.State().Head)
	}
	if it := c.State().Items[0]; !strings.Contains(it.Reason, "again") || it.Status != Done {
		t.Errorf("the task is %s: %s", it.Status, it.Reason)
	}
}

func TestCommitsOnTheBranchBeforeATaskAreItsRoot(t *testing.T) {
	j := &memory{}
	put(t, j, Task{ID: 1, Title: "Work"})
	w := &worker{moved: map[record.Hash]record.Hash{{1}: {7}}, do: func(a Assignment) (Outcome, error) {
		if a.Root != (record.Hash{7}) {
			t.Errorf("it begins on %s", a.Root)
		}
		return Outcome{Status: Done, Reason: "found", Commit: record.Hash{2}, Jobs: 1}, nil
	}}
	c := New(Options{Journal: j, Executor: w, NoAudit: true})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.merged) != 0 || c.State().Head != (record.Hash{2}) {
		t.Errorf("it merged %v, the head is %s", w.merged, c.State().Head)
	}
}

func TestTheBranchIsWhereTheCampaignIsWhenATaskEndsHoweverItEnds(t *testing.T) {
	for _, out := range []Outcome{{Status: Failed, Reason: "nothing gained"}, {Status: Done, Reason: "it holds as it is"}, {Status: Dropped, Reason: "it is gone"}} {
		t.Run(string(out.Status), func(t *testing.T) {
			j := &memory{}
			put(t, j, Task{ID: 1, Title: "Work"})
			pushed := record.Hash{9}
			w := &worker{moved: map[record.Hash]record.Hash{}}
			w.do = func(Assignment) (Outcome, error) {
				if taken, err := Take(context.Background(), j, NewState(), "ann", record.Hash{1}, record.Hash{7}); err != nil || !taken {
					t.Errorf("taken: %t, %v", taken, err)
				}
				w.moved[record.Hash{7}] = pushed // and somebody builds on that
				return out, nil
			}
			c := New(Options{Journal: j, Executor: w, NoAudit: true, Tasks: 1})
			if _, err := c.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if c.State().Head != pushed || w.head != pushed {
				t.Errorf("the head is %s, the branch %s", c.State().Head, w.head)
			}
		})
	}
}
