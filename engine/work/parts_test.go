package work

import (
	"context"
	"errors"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/gate"
	"atoll/store/record"
)

func TestTheMessageOfACommitIsOneShortLineAndTheJob(t *testing.T) {
	job := record.Job{ID: 7, Operator: record.OpTune, Agent: "offline"}
	for _, tt := range []struct{ name, intent, subject string }{
		{"the intent is the subject", "shorter loop", "shorter loop"},
		{"only its first line", "shorter loop\nand more", "shorter loop"},
		{"without one it is the operator", " \n", "tune"},
		{"a long one is cut", strings.Repeat("x", 100), strings.Repeat("x", 69) + "..."},
	} {
		subject, rest, _ := strings.Cut(commitMessage(3, job, tt.intent), "\n")
		if subject != tt.subject || !strings.Contains(rest, "Atoll-Experiment: 3\nAtoll-Job: 7\n") {
			t.Errorf("%s: %q, %q", tt.name, subject, rest)
		}
	}
}

func TestACommitTellsTheWholeOfWhatWasMeant(t *testing.T) {
	job := record.Job{ID: 7, Operator: record.OpTune, Agent: "offline"}
	aimed := "tune 1 literal by 1e-1 after 3 of its moves in modules/with/a/long/name/pump.conf:4: 52 -> 58"
	for _, tt := range []struct{ name, message, want string }{
		{"a short one", commitMessage(3, job, "shorter loop"), "shorter loop"},
		{"one that is longer than a subject", commitMessage(3, job, aimed), aimed},
		{"one of two bytes a letter", commitMessage(3, job, strings.Repeat("é", 60)), strings.Repeat("é", 60)},
		{"nothing", commitMessage(3, job, ""), "tune"},
		{"one that ends as what was cut does", commitMessage(3, job, "wait for it..."), "wait for it..."},
		{"a commit of before, whose subject is cut", briefMessage(3, job, aimed), aimed[:69] + "..."},
		{"a person's own", "a subject...\n\nand why\n", "a subject..."},
	} {
		if got := intentOf(tt.message); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTheTailOfATextBeginsWithALine(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{{"one\ntwo\n", 100, "one\ntwo\n"}, {"one\ntwo\nthree\n", 8, "three\n"}, {"abcdef", 3, "def"}, {"abc", 0, ""}} {
		if got := tail(tt.text, tt.n); got != tt.want {
			t.Errorf("the last %d of %q: %q, want %q", tt.n, tt.text, got, tt.want)
		}
	}
}

func TestAJobMayChangeItsTargetWithinTheScopeOfTheGate(t *testing.T) {
	cfg := config.Config{Targets: []config.Target{{Name: "core", Files: []string{"core/*.go"}, Weight: 1}}}
	cfg.Gate = config.Gate{Scope: []string{"**/*.go"}, Forbidden: []string{"core/keys.go"}, MaxFiles: 3, MaxLines: 40, MaxFileBytes: 1000}
	cfg.Evaluator.Protected = []string{"bench/**"}
	s := newScope(&run{facts: Facts{Config: cfg}, settings: func() record.Settings { return record.Settings{} }})
	for _, tt := range []struct {
		target, path string
		may          bool
	}{
		{"", "main.go", true},
		{"", "core/a.go", true},
		{"", "notes.txt", false},
		{"", "bench/run.go", false},
		{"", "core/keys.go", false},
		{"core", "core/a.go", true},
		{"core", "main.go", false},
		{"core", "core/keys.go", false},
		{"unknown", "main.go", true},
	} {
		target, may := s.of(tt.target)
		if got := may(tt.path); got != tt.may {
			t.Errorf("%q of target %q (%+v): %v", tt.path, tt.target, target, got)
		}
	}
	told := strings.Join(s.limits(), "\n")
	for _, want := range []string{"**/*.go", "bench/**", "core/keys.go", "3 files", "40 lines", "1000 bytes"} {
		if !strings.Contains(told, want) {
			t.Errorf("agents are not told %q:\n%s", want, told)
		}
	}
	if free := (&scope{policy: gate.Policy{}}).limits(); free != nil {
		t.Errorf("without limits %q is told", free)
	}
}

func TestOneJobAtATimeWritesTheSummaryOfAStretch(t *testing.T) {
	s, key := &stretches{}, stretchKey{1, 9, 8}
	leave, err := s.enter(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(ErrCancelled)
	if _, err := s.enter(gone, key); !errors.Is(err, ErrCancelled) {
		t.Errorf("a job that was cancelled waits on: %v", err)
	}
	other, err := s.enter(t.Context(), stretchKey{2, 9, 8})
	if err != nil {
		t.Fatal(err)
	}
	other()
	entered := make(chan func())
	go func() {
		next, _ := s.enter(context.Background(), key)
		entered <- next
	}()
	select {
	case <-entered:
		t.Fatal("two write the same summary")
	default:
	}
	leave()
	(<-entered)()
}

func TestACommitThatExistsIsTakenOnce(t *testing.T) {
	c := &committer{}
	c.prepare(4, record.Hash{1})
	if commit, ok := c.take(4); !ok || commit != (record.Hash{1}) {
		t.Errorf("%v, %v", commit, ok)
	}
	if _, ok := c.take(4); ok {
		t.Error("it is taken twice")
	}
}
