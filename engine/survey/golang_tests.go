package survey

import (
	"context"
	_ "embed" // what runs in the sandbox
	"fmt"
	"math"
	"slices"
	"strings"

	"atoll/engine/eval/output"
)

// goTestsScript builds the tests of packages of Go and times them without the go command.
//
//go:embed go-tests.sh
var goTestsScript string

// Tests that take less than roundsTime, in ms, or less than their start, run in so many rounds. Beside what
// takes longTests their start takes next to nothing. At first there are no more than firstRounds.
const (
	roundsTime  = 50.0
	longTests   = 1000.0
	firstRounds = 30
	mostRounds  = 1000
)

// timedGoTests makes the time of the tests of Go the objective, by a command of go test that runs
// them: of what they are built to, for the go command takes more than most tests do. It says where that
// is hardly more than their start, and returns why it cannot.
func (s *timer) timedGoTests(ctx context.Context, command []string) (string, error) {
	if err := s.lay(map[string]string{"time.sh": timeScript, "go-tests.sh": goTestsScript}); err != nil {
		return "", err
	}
	s.d.Adapter, s.d.Output, s.m.Objective = "", output.OutputFile, ""
	s.d.Evaluator = append([]string{"bash", "{dir}/go-tests.sh"}, builtFlags(command)...)
	start, rounds, err := s.rounds(ctx)
	if err != nil {
		return "", err
	}
	if rounds > 1 {
		s.d.Evaluator = append(s.d.Evaluator, roundsFlag(rounds))
	}
	if reason, err := s.settle(ctx); err != nil || reason != "" {
		s.drop()
		return reason, err
	}
	s.m.Notes = append(s.m.Notes, "go test -c builds the tests, and what is built is timed without the go command.")
	if rounds > 1 {
		s.Say(fmt.Sprintf("the tests are short, so %d rounds of them are timed", rounds))
		s.m.Notes = append(s.m.Notes, fmt.Sprintf("%d rounds of the tests are timed: an answer that is kept for the next round looks like a gain.", rounds))
	}
	if s.value-start < leastRunning*s.value {
		s.hardlyRuns(fmt.Sprintf("the tests take %s ms, and their start %s ms", short2(s.value), short2(start)))
	}
	return "", nil
}

// roundsFlag has tests that are built run so often.
func roundsFlag(n int) string { return fmt.Sprintf("-test.count=%d", n) }

// rounds tells what the start of the tests takes in ms, 0 where that is not known, and in how many rounds
// they are to run: in one where they take long, or do not pass twice in one process.
func (s *timer) rounds(ctx context.Context) (start float64, rounds int, err error) {
	took := func(words ...string) (float64, error) {
		o := s.evalOptions()
		o.Command = append(slices.Clone(o.Command), words...)
		s.doing(firstPatience, "looking what the tests take, and their start")
		sample, err := s.Lab.Run(ctx, o, false)
		v, _ := valueOf(sample.Metrics, "time_ms")
		return v, err
	}
	once, err := took()
	if err != nil || once == 0 || once > longTests {
		return 0, 1, err
	}
	if start, err = took("-test.run=^$"); err != nil || start == 0 {
		return 0, 1, err
	}
	enough := func(v float64) bool { return v-start >= leastRunning*v }
	if once > roundsTime && enough(once) {
		return start, 1, nil
	}
	want, each := max(roundsTime, 2*start), once-start
	for _, most := range []float64{firstRounds, mostRounds} { // once tells little where it is hardly more than the start
		rounds = int(math.Ceil(want / max(want/most, each)))
		many, err := took(roundsFlag(rounds))
		if err != nil || many == 0 {
			return start, 1, err
		}
		if many-start >= 0.75*want {
			break
		}
		each = (many - start) / float64(rounds)
	}
	return start, rounds, nil
}

// builtFlags are the words of a command of go test as tests that are built take them, and its packages.
func builtFlags(command []string) []string {
	var words []string
	for _, w := range command[2:] {
		name, isFlag := strings.CutPrefix(w, "-")
		switch {
		case !isFlag:
			words = append(words, w)
		case name == "short" || strings.HasPrefix(name, "skip="):
			words = append(words, "-test."+name)
		}
	}
	return words
}
