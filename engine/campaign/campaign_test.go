package campaign

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/engine/campaign/audit"
	"atoll/store"
	"atoll/store/record"
)

// memory is a journal that can refuse to write, as a process that dies does.
type memory struct {
	rows  []record.CampaignRow
	dies  int // after so many writes; 0: never
	wrote int
}

var errDied = errors.New("died")

func (m *memory) CampaignLog(_ context.Context, after record.Seq) ([]record.CampaignRow, error) {
	return slices.Clone(m.rows[min(int(after), len(m.rows)):]), nil
}

func (m *memory) AppendCampaign(_ context.Context, after record.Seq, rows ...record.CampaignRow) (record.Seq, error) {
	if int(after) != len(m.rows) {
		return 0, store.ErrLost
	}
	if m.wrote++; m.dies > 0 && m.wrote >= m.dies {
		return 0, errDied
	}
	for _, r := range rows {
		r.Seq = record.Seq(len(m.rows) + 1)
		r.At = record.Millis(r.Seq)
		m.rows = append(m.rows, r)
	}
	return record.Seq(len(m.rows)), nil
}

// worker is an executor that does as its script says and counts what it did.
type worker struct {
	do     func(Assignment) (Outcome, error)
	did    map[string]int // by the name of the experiment
	head   record.Hash
	trees  map[record.Hash][]audit.Source
	audits int
	moved  map[record.Hash]record.Hash // what somebody made of a head
	merge  func(a Assignment, won Outcome, head record.Hash) Outcome
	merged map[string]int // by the name of the experiment and the head
}

func (w *worker) Head(context.Context) (record.Hash, error) { return record.Hash{1}, nil }

func (w *worker) Execute(_ context.Context, a Assignment) (Outcome, error) {
	if w.did == nil {
		w.did = map[string]int{}
	}
	w.did[a.Name]++
	return w.do(a)
}

func (w *worker) Publish(_ context.Context, h record.Hash) error {
	w.head = h
	return nil
}

func (w *worker) Moved(_ context.Context, h record.Hash) (record.Hash, error) {
	if to, ok := w.moved[h]; ok {
		return to, nil
	}
	return h, nil
}

func (w *worker) Merge(_ context.Context, a Assignment, won Outcome, head record.Hash) (Outcome, error) {
	if w.merged == nil {
		w.merged = map[string]int{}
	}
	w.merged[a.Name+" "+head.Short()]++
	return w.merge(a, won, head), nil
}

func (w *worker) Audit(_ context.Context, c, _ record.Hash) (audit.Report, error) {
	w.audits++
	return audit.Run(w.trees[c]), nil
}

func put(t *testing.T, j Journal, tasks ...Task) *State {
	t.Helper()
	s := NewState()
	err := Change(context.Background(), j, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Put(tasks...) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheBacklogRefusesWhatCannotBe(t *testing.T) {
	base := []Task{{ID: 1, Title: "one"}, {ID: 2, Title: "two", Dependencies: []int{1}}, {ID: 3, Title: "three", Dependencies: []int{2}, Key: "k"}}
	for name, c := range map[string]struct {
		task Task
		want string
	}{
		"a circle, with its path":           {Task{ID: 1, Title: "one", Dependencies: []int{3}}, "t1 -> t3 -> t2 -> t1"},
		"a task that depends on itself":     {Task{ID: 4, Title: "x", Dependencies: []int{4}}, "itself"},
		"a dependency that does not exist":  {Task{ID: 4, Title: "x", Dependencies: []int{9}}, "t9, which does not exist"},
		"the title of an open task":         {Task{ID: 4, Title: " Two"}, "the same as t2"},
		"the key of an open task":           {Task{ID: 4, Title: "x", Key: "k"}, "the same as t3"},
		"no title":                          {Task{ID: 4}, "no title"},
		"a priority beyond 5":               {Task{ID: 4, Title: "x", Priority: 6}, "priority 6"},
		"a deadline that is no time":        {Task{ID: 4, Title: "x", Deadline: "soon"}, "soon"},
		"a number that is none":             {Task{ID: 0, Title: "x"}, "between 1"},
		"a size that is negative":           {Task{ID: 4, Title: "x", Size: -1}, "size -1"},
		"a value that is infinitely large ": {Task{ID: 4, Title: "x", Value: 1e300}, "value"},
	} {
		t.Run(name, func(t *testing.T) {
			s := put(t, &memory{}, base...)
			if _, err := s.Put(c.task); !errors.Is(err, ErrTask) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want ErrTask with %q", err, c.want)
			}
		})
	}
}

func TestATaskIsReadyWhenWhatItDependsOnIsDone(t *testing.T) {
	m := &memory{}
	s := put(t, m, Task{ID: 1, Title: "one"}, Task{ID: 2, Title: "two", Dependencies: []int{1}}, Task{ID: 3, Title: "three", Dependencies: []int{2}})
	check := func(id int, want Status) {
		t.Helper()
		if got, _ := s.StatusOf(s.byID[id]); got != want {
			t.Errorf("t%d is %s, want %s", id, got, want)
		}
	}
	check(1, Ready)
	check(2, Pending)
	if err := Change(t.Context(), m, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Drop(2, "") }); err != nil {
		t.Fatal(err)
	}
	check(3, Blocked)
	if err := Change(t.Context(), m, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Reopen(2, "") }); err != nil {
		t.Fatal(err)
	}
	check(2, Pending)
	check(3, Pending)
}

func TestTheOrderIsThatOfTheFormulaAndSaysWhy(t *testing.T) {
	s := put(t, &memory{},
		Task{ID: 1, Title: "small", Value: 5, Size: 1, Jobs: 10}, Task{ID: 2, Title: "large", Value: 8, Urgency: 2, Risk: 2, Size: 2, Jobs: 10},
		Task{ID: 3, Title: "urgent by priority", Priority: 5, Jobs: 10}, Task{ID: 4, Title: "costly", Value: 90, Jobs: 500})
	s.Settings = Settings{Jobs: 100}
	order := s.Order(time.UnixMilli(60_000))
	var ids []int
	for _, p := range order {
		ids = append(ids, p.Task)
	}
	if !slices.Equal(ids, []int{4, 2, 3, 1}) { // 90, 6, then 5 twice: the priority decides
		t.Fatalf("the order is %v, want 4 2 3 1", ids)
	}
	if order[0].Fits || !strings.Contains(order[0].Why, "500 jobs, and 100 of 100 are left") {
		t.Errorf("the task that is too large says %q (fits %v)", order[0].Why, order[0].Fits)
	}
	if want := "WSJF 6 = (8 + 2 + 2)/2, priority 3, waits 59 s"; order[1].Why != want {
		t.Errorf("the reason is %q, want %q", order[1].Why, want)
	}
	if p, _, ok := s.next(order); !ok || p.Task != 2 {
		t.Errorf("t%d is next (%v), want t2: the first that fits", p.Task, ok)
	}
}

func TestACampaignEndsEachTaskAsItsAcceptanceWasMeasured(t *testing.T) {
	m := &memory{}
	put(t, m, Task{ID: 1, Title: "good"}, Task{ID: 2, Title: "bad", Retries: 2}, Task{ID: 3, Title: "after good", Dependencies: []int{1}},
		Task{ID: 4, Title: "after bad", Dependencies: []int{2}})
	w := &worker{do: func(a Assignment) (Outcome, error) {
		if a.Task.Title == "bad" {
			return Outcome{Status: Failed, Reason: "nothing gained", Commit: record.Hash{9}, Jobs: 3}, nil
		}
		gain := 5.0
		return Outcome{Status: Done, Reason: "gained", Commit: record.Hash{byte(10 + a.Task.ID)}, Gain: &gain, Jobs: 4}, nil
	}}
	c := New(Options{Journal: m, Executor: w})
	why, err := c.Run(t.Context())
	if err != nil || why != "no task is ready" {
		t.Fatalf("the run ended with %q (%v)", why, err)
	}
	s := c.State()
	for id, want := range map[int]Status{1: Done, 2: Failed, 3: Done, 4: Blocked} {
		if got, _ := s.StatusOf(s.byID[id]); got != want {
			t.Errorf("t%d is %s, want %s", id, got, want)
		}
	}
	if s.byID[2].Attempt != 3 || s.byID[2].UsedJobs != 9 || !s.byID[2].Commit.IsZero() {
		t.Errorf("the failed task had %d attempts, %d jobs and leaves %s; want 3, 9 and nothing", s.byID[2].Attempt, s.byID[2].UsedJobs, s.byID[2].Commit)
	}
	if s.byID[3].Root != (record.Hash{11}) || s.Head != (record.Hash{13}) || w.head != s.Head {
		t.Errorf("t3 began on %s and the head is %s (branch %s); want the commit of t1, then that of t3", s.byID[3].Root.Short(), s.Head.Short(), w.head.Short())
	}
	if s.Spent != (Spent{Tasks: 5, Jobs: 17}) {
		t.Errorf("spent %+v, want 5 attempts and 17 jobs", s.Spent)
	}
	again, err := Load(t.Context(), m)
	if err != nil || again.Head != s.Head || len(again.Plans) != 5 || len(again.Lessons) != len(s.Lessons) {
		t.Errorf("the log folded afresh differs: %v", err)
	}
	if n := len(s.Proposals); n != 2 { // drop the failed one; drop the blocked one
		t.Errorf("%d proposals, want 2: %+v", n, s.Proposals)
	}
}

func TestAKillAtAnyWriteLosesNothingAndDoesNothingTwice(t *testing.T) {
	script := func(a Assignment) (Outcome, error) {
		if a.Task.ID == 2 {
			return Outcome{Status: Failed, Reason: "no", Jobs: 1}, nil
		}
		return Outcome{Status: Done, Commit: record.Hash{byte(a.Task.ID), byte(a.Attempt)}, Jobs: 2}, nil
	}
	tasks := []Task{{ID: 1, Title: "a"}, {ID: 2, Title: "b", Retries: 1}, {ID: 3, Title: "c", Dependencies: []int{1}}}
	whole := &memory{}
	put(t, whole, tasks...)
	ref := New(Options{Journal: whole, Executor: &worker{do: script}})
	if _, err := ref.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for dies := 2; ; dies++ {
		m := &memory{}
		put(t, m, tasks...)
		m.dies = dies
		w := &worker{do: script}
		_, err := New(Options{Journal: m, Executor: w}).Run(t.Context())
		if err == nil {
			return // it ended before it died
		}
		if !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		m.dies = 0
		c := New(Options{Journal: m, Executor: w})
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatalf("after a kill at write %d: %v", dies, err)
		}
		if got, want := c.State(), ref.State(); got.Head != want.Head || got.Spent != want.Spent || len(got.Plans) != len(want.Plans) {
			t.Errorf("after a kill at write %d: head %s, spent %+v, %d plans; want %s, %+v, %d", dies,
				got.Head.Short(), got.Spent, len(got.Plans), want.Head.Short(), want.Spent, len(want.Plans))
		}
	}
}

func TestABudgetWarnsOnceAndStops(t *testing.T) {
	m := &memory{}
	s := put(t, m, Task{ID: 1, Title: "a", Jobs: 40}, Task{ID: 2, Title: "b", Jobs: 40}, Task{ID: 3, Title: "c", Jobs: 40})
	if err := Change(t.Context(), m, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Bound(Settings{Jobs: 100}) }); err != nil {
		t.Fatal(err)
	}
	warned := 0
	c := New(Options{
		Journal: m, Executor: &worker{do: func(a Assignment) (Outcome, error) {
			if a.Left.Jobs < a.Task.Jobs {
				t.Errorf("t%d begins with %d jobs left, and may take %d", a.Task.ID, a.Left.Jobs, a.Task.Jobs)
			}
			return Outcome{Status: Done, Jobs: 40}, nil
		}},
		Tell: func(e Event) {
			if e.Task == 0 && strings.Contains(e.Text, "80 of 100 jobs") {
				warned++
			}
		},
	})
	why, err := c.Run(t.Context())
	if err != nil || !strings.Contains(why, "t3 is next, but it may take 40 jobs, and 20 of 100 are left") {
		t.Errorf("the run ended with %q (%v)", why, err)
	}
	if warned != 1 || c.State().Spent.Jobs != 80 {
		t.Errorf("%d warnings, %d jobs; want one, and 80", warned, c.State().Spent.Jobs)
	}
}

func TestABudgetStopsChoresTooAndGoesOnWhenItIsRaised(t *testing.T) {
	for name, c := range map[string]struct {
		budget, raised Settings
		took           Outcome // by each attempt
		first, all     int     // tasks that are done
		why            string
	}{
		"jobs":     {Settings{Jobs: 5}, Settings{Jobs: 6}, Outcome{Jobs: 1}, 5, 6, "the budget of 5 jobs is used up"},
		"money":    {Settings{CostUSD: 2}, Settings{CostUSD: 20}, Outcome{USD: 0.75}, 3, 7, "the budget of $2 is used up"},
		"attempts": {Settings{Tasks: 2}, Settings{}, Outcome{Jobs: 1}, 2, 7, "the budget of 2 tasks is used up"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &memory{}
			var chores []Task
			for i := range 7 {
				chores = append(chores, Task{ID: i + 1, Title: fmt.Sprint("n", i+1), Command: "true", Jobs: 1})
			}
			s := put(t, m, chores...)
			run := func(b Settings) (string, int) {
				if err := Change(t.Context(), m, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Bound(b) }); err != nil {
					t.Fatal(err)
				}
				w := &worker{do: func(Assignment) (Outcome, error) {
					out := c.took
					out.Status = Done
					return out, nil
				}}
				r := New(Options{Journal: m, Executor: w})
				why, err := r.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return why, r.State().Spent.Tasks
			}
			if why, n := run(c.budget); n != c.first || !strings.Contains(why, c.why) || !strings.Contains(why, "atoll campaign set") {
				t.Errorf("%d tasks were done, %q; want %d and %q", n, why, c.first, c.why)
			}
			if why, n := run(c.raised); n != c.all {
				t.Errorf("%d tasks were done with the larger budget, %q; want %d", n, why, c.all)
			}
		})
	}
}

func TestATaskThatIsDroppedWhileItRunsIsPaidFor(t *testing.T) {
	m := &memory{}
	s := put(t, m, Task{ID: 1, Title: "a"})
	w := &worker{do: func(Assignment) (Outcome, error) {
		err := Change(t.Context(), m, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Drop(1, "no need") })
		return Outcome{Status: Done, Commit: record.Hash{7}, Jobs: 4, USD: 1}, err
	}}
	c := New(Options{Journal: m, Executor: w})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := c.State()
	if it := got.byID[1]; it.Status != Dropped || it.Reason != "no need" || got.Head == (record.Hash{7}) || got.Spent != (Spent{Tasks: 1, Jobs: 4, USD: 1}) {
		t.Errorf("t1 is %s (%s), the head %s, spent %+v", it.Status, it.Reason, got.Head.Short(), got.Spent)
	}
}

func TestTheAuditorAddsEachPlaceOnceAndNeverDrownsTheBacklog(t *testing.T) {
	var bad []audit.Source
	for i := range 9 {
		text := "package p\n\nfunc F(a int) int {\n" + strings.Repeat("\tif a > 1 {\n\t\ta++\n\t}\n", 20+i) + "\treturn a\n}\n"
		bad = append(bad, audit.Source{Path: fmt.Sprintf("f%d.go", i), Data: []byte(text)})
	}
	w := &worker{trees: map[record.Hash][]audit.Source{}, do: func(a Assignment) (Outcome, error) {
		return Outcome{Status: Done, Reason: "refactored", Commit: record.Hash{2, byte(a.Task.ID)}, Jobs: 1}, nil
	}}
	w.trees[record.Hash{1}] = bad
	for i := range 20 {
		w.trees[record.Hash{2, byte(i)}] = bad // the findings stay
	}
	c := New(Options{Journal: &memory{}, Executor: w})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := c.State()
	keys := map[string]bool{}
	for _, it := range s.Items {
		if keys[it.Key] {
			t.Errorf("%s was added twice", it.Key)
		}
		keys[it.Key] = true
		if it.Acceptance[0].String() != "audit complexity "+it.Scope[0]+":F <= 15" {
			t.Errorf("the acceptance is %q", it.Acceptance[0])
		}
	}
	if len(keys) != 9 || len(s.Health) != 10 || s.Health[0].Findings != 9 {
		t.Errorf("%d tasks and %d looks at the health (%d findings first), want 9, 10 and 9", len(keys), len(s.Health), s.Health[0].Findings)
	}
}

func TestTextsOfAcceptanceAreReadAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{"gain >= 5%", "time_ms <= 80.5", "score >= -3", "audit complexity a/b.go:(*T).F <= 15", "run: go vet ./... && true"} {
		a, err := ParseAcceptance(text)
		if err != nil || a.String() != text {
			t.Errorf("%q is read as %q (%v)", text, a, err)
		}
	}
	for _, text := range []string{"", "run: ", "gain <= 5", "x <= many", "<= 5", "x = 5", "audit complexity <= 4", "x <= NaN"} {
		if a, err := ParseAcceptance(text); !errors.Is(err, ErrTask) {
			t.Errorf("%q is read as %q (%v), want ErrTask", text, a, err)
		}
	}
}

const epicText = `# Epic: Make parsing fast

Some words before the list.

1. Measure the parser
   run: go test ./...
2. Parse without copies
   goal: no copies
   of the input
   accept: gain >= 5%
   accept: run: go vet ./...
   value: 8
   size: 2
   scope: parse.go, lex.go
3. Document it
   after: 1
   jobs: 5
`

func TestAnEpicBecomesTasksWithDependencies(t *testing.T) {
	epic, tasks, err := MapEpic(epicText, 5)
	if err != nil || epic != "Make parsing fast" || len(tasks) != 3 {
		t.Fatalf("%q, %d tasks (%v)", epic, len(tasks), err)
	}
	p := tasks[1]
	if p.ID != 6 || p.Goal != "no copies of the input" || len(p.Acceptance) != 2 || p.Value != 8 || p.Size != 2 ||
		!slices.Equal(p.Scope, []string{"parse.go", "lex.go"}) || !slices.Equal(p.Dependencies, []int{5}) || p.Epic != epic {
		t.Errorf("the second task is %+v", p)
	}
	if !slices.Equal(tasks[2].Dependencies, []int{5}) || tasks[0].Command != "go test ./..." {
		t.Errorf("the others are %+v and %+v", tasks[0], tasks[2])
	}
	for text, want := range map[string]string{
		"just words":                "lists no task",
		"- a\n  size: huge":         "line 2",
		"- a\n  after: 7":           "item 7, which does not exist",
		"- a\n  accept: fast":       "line 2",
		"- a\n  after: one":         "no number of an item",
		"1. a\n2. b\n   jobs: some": "line 3",
	} {
		if _, _, err := MapEpic(text, 1); !errors.Is(err, ErrTask) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want ErrTask with %q", text, err, want)
		}
	}
}

func TestABacklogOfAnotherSystemIsTakenIn(t *testing.T) {
	const text = `# jsonschema: {"type": "array"}
- id: 1
  description: Set up
  component: core
  dependencies: [99]
  priority: 5
  status: done
  command: null
- id: A-1
  task_id: OBS-7
  title: Look
  description: |
    Look at it
    from all sides.
  area: watch
  dependencies: []
  priority: "4"
  status: pending
  actionable_steps: ["First look", then: leap]
  acceptance_criteria: [It is seen]
  assigned_to: ann
  metadata: {team: red, since: 2}
- id: "3"
  description: Go on
  component: core
  area: edge
  dependencies: [1, A-1, 98]
  priority: 2
  status: in_progress
  command: echo hello
  cost: 3
  assigned_to: null
  epic: start
- id: 5
  title: Look
  description: the same, done before
  dependencies: []
  priority: 1
  status: done
`
	file, err := ReadTasks([]byte(text))
	if err != nil || len(file.Tasks) != 4 || !slices.Equal(file.Ended, []Ended{{1, Done, ""}, {5, Done, ""}}) {
		t.Fatalf("%d tasks, %v ended (%v)", len(file.Tasks), file.Ended, err)
	}
	if want := []string{"dependencies on tasks that the file does not have are dropped: 1 on 99, 3 on 98", "running where the file was written, and pending here, from the beginning: 3", "1 criteria in words"}; len(file.Told) != 3 ||
		!strings.HasPrefix(file.Told[0], want[0]) || file.Told[1] != want[1] || !strings.HasPrefix(file.Told[2], want[2]) {
		t.Errorf("told is %q", file.Told)
	}
	m := &memory{}
	put(t, m, Task{ID: 1, Title: "was here"})
	s := NewState()
	if err := Change(t.Context(), m, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Import(file) }); err != nil {
		t.Fatal(err)
	}
	look := s.byID[3]
	if look.Title != "Look" || look.Component != "watch" || look.Priority != 4 || look.Note != "id: A-1\ntask_id: OBS-7\nassigned_to: ann\nmetadata: {team: red, since: 2}" ||
		look.Goal != "Look at it\nfrom all sides.\nSteps:\n- First look\n- then: leap\nIt is done when:\n- It is seen" {
		t.Errorf("the second task is %+v", look.Task)
	}
	it := s.byID[4]
	if it.Title != "Go on" || it.Command != "echo hello" || it.Size != 3 || !slices.Equal(it.Dependencies, []int{2, 3}) || it.Note != "area: edge" || s.byID[2].Status != Done {
		t.Errorf("the third task is %+v", it)
	}
}

func TestATasksFileIsReadAsItIsWritten(t *testing.T) {
	whole := Task{
		ID: 7, Title: "t", Goal: "g\nh", Component: "c", Dependencies: []int{8}, Priority: 2, Value: 1.5, Urgency: 2, Risk: 3, Size: 4, CostUSD: 5, Jobs: 6, Deadline: "30m",
		Retries: 1, Best: true, Acceptance: []Acceptance{{Kind: AcceptGain, AtLeast: true, Bound: 5}, {Kind: AcceptRun, Command: "true"}}, Scope: []string{"a/**"}, Command: "echo",
		Epic: "e", Key: "k", Origin: FromAudit, Note: "n: 1",
	}
	for v, i := reflect.ValueOf(whole), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Fatalf("the test says nothing of %s", v.Type().Field(i).Name)
		}
	}
	m := &memory{}
	s := put(t, m, whole, Task{ID: 8, Title: "before", Origin: FromPerson})
	for _, form := range []bool{false, true} {
		var b strings.Builder
		if err := s.WriteTasks(&b, form); err != nil {
			t.Fatal(err)
		}
		file, err := ReadTasks([]byte(b.String()))
		if err != nil || len(file.Tasks) != 2 || !reflect.DeepEqual(file.Tasks[0], whole) || len(file.Told) > 0 {
			t.Errorf("what was written is read as %+v (%v):\n%s", file, err, b.String())
		}
	}
}

func TestATasksFileThatCannotBeMeantIsRefusedInWords(t *testing.T) {
	for text, want := range map[string]string{
		"- id: 1\n  title: a\n  colour: red":           "line 3: colour: a task has no such field",
		"- id: 1\n  title: a\n- id: \"1\"\n  title: b": "line 3: the id 1 stands twice",
		"- id: 1\n  title: a\n  status: maybe":         `"maybe" is unknown`,
		"":                                             "empty",
		"- id: 1\n  title: a\n  acceptance: [\"it is good\"]": "it is good",
		"- id: 1\n  title: a\n  priority: 2.5":                `line 3: priority: "2.5" is no whole number`,
		"- id: 1\n  title: a\n  priority: high":               `line 3: priority: "high" is no whole number`,
		"- id: 1\n  title: a\n  priority: 7":                  "priority 7 is not between 1 and 5",
		"- id: 1\n  title: [a]":                               "line 2: title: this is no text",
		"- id: 1.5\n  title: a":                               "neither a whole number nor a name",
		"- id: 1\n  title: a\n  size: large":                  `line 3: size: "large" is no number`,
		"- id: 1\n  title: a\n  size: 0":                      "line 3: size: 0 is not above 0 and at most 1,000,000",
		"- id: 1\n  title: a\n  dependencies: [{on: 2}]":      "line 3: dependencies: this is no text",

		"- just words": "line 1: this is no task",
		"- title: a":   "line 1: the task has no id",
		"tasks: 3":     "this is no list of tasks",
		"work: []":     "neither a list of tasks nor an object",
	} {
		_, err := ReadTasks([]byte(text))
		if !errors.Is(err, ErrTask) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want ErrTask with %q", text, err, want)
		} else if strings.Contains(err.Error(), "campaign.") || strings.Contains(err.Error(), "!!") || strings.Contains(err.Error(), "unmarshal") {
			t.Errorf("%q is answered in the program's own terms: %v", text, err)
		}
	}
}

func TestAProposalIsMadeOnceAndCarriedOutWhenAccepted(t *testing.T) {
	m := &memory{}
	s := put(t, m, Task{ID: 1, Title: "wide", Scope: []string{"a.go", "b.go"}, Size: 4})
	_ = Change(t.Context(), m, s, "x", func(s *State) ([]record.CampaignRow, error) {
		return []record.CampaignRow{row(kindStart, 1, "", start{Attempt: 1}), row(kindEnd, 1, "", Outcome{Status: Failed, Reason: "too much"})}, nil
	})
	thoughts := s.Thoughts()
	if len(thoughts) != 1 || !strings.Contains(thoughts[0].Text, "split t1 (wide) by its 2 files") {
		t.Fatalf("the thoughts are %+v", thoughts)
	}
	_ = Change(t.Context(), m, s, "x", func(*State) ([]record.CampaignRow, error) {
		return []record.CampaignRow{row(kindPropose, 0, "", thoughts[0])}, nil
	})
	if again := s.Thoughts(); len(again) != 0 {
		t.Errorf("it is proposed again: %+v", again)
	}
	id := s.Proposals[0].ID
	if err := Change(t.Context(), m, s, "ann", func(s *State) ([]record.CampaignRow, error) { return s.Answer(id, true) }); err != nil {
		t.Fatal(err)
	}
	if len(s.Items) != 3 || s.byID[1].Status != Dropped || s.byID[3].Title != "wide - b.go" || s.byID[3].Size != 2 {
		t.Errorf("after it was accepted: %+v", s.Items)
	}
	if _, err := s.Answer(id, false); !errors.Is(err, ErrTask) {
		t.Errorf("a second answer gives %v, want ErrTask", err)
	}
}
