package survey

import (
	"context"
	_ "embed" // what runs in the sandbox
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"atoll/config"
	"atoll/engine/eval/output"
	"atoll/store/record"
)

// besideScript tells what a command takes alone on a processor, and on one that a busy loop shares with it.
//
//go:embed beside.sh
var besideScript string

// The bounds of a program that runs for a set time: where another shares its processor it does not take half as long
// again, but does a quarter less. What does the same work takes the same processor time, and twice as long.
const (
	setTimeLonger = 1.5
	setTimeLess   = 0.75
	mostlyBusy    = 0.4 // of the time by the clock is processor time, else it mostly waits
	worthLooking  = time.Second
)

// timedProgram makes the time of a program the objective, of which a run took so long, if it is longer where there is
// more to do.
func (s *timer) timedProgram(ctx context.Context, command []string, took time.Duration) (string, error) {
	if took >= worthLooking {
		if reason, err := s.runsForASetTime(ctx, command); err != nil || reason != "" {
			return reason, err
		}
	}
	return s.timed(ctx, command)
}

// runsForASetTime says why the time of a program is no measure: it runs as long whatever it does; "" where it is one, and
// where this machine cannot tell.
func (s *timer) runsForASetTime(ctx context.Context, command []string) (string, error) {
	defer s.drop()
	if err := s.lay(map[string]string{"beside.sh": besideScript}); err != nil {
		return "", err
	}
	o := s.evalOptions()
	o.Command, o.Output, o.Objective = wordy(after(s.before, append([]string{"bash", "{dir}/beside.sh"}, command...))), output.OutputFile, ""
	s.doing(firstPatience, "looking whether %s runs for a set time, whatever it does", oneLine(command))
	sample, err := s.Lab.Run(ctx, o, false)
	if err != nil || sample.Failed() {
		return "", err
	}
	value := func(name string) float64 { v, _ := valueOf(sample.Metrics, name); return v }
	alone, beside := value("alone_cpu_s"), value("beside_cpu_s")
	if value("alone_s") < worthLooking.Seconds() || alone < mostlyBusy*value("alone_s") || beside > setTimeLess*alone || value("beside_s") > setTimeLonger*value("alone_s") {
		return "", nil
	}
	return fmt.Sprintf("it runs for a set time whatever it does: with half a processor it takes %.3g instead of %.3g s of one, and is done as early; have it print what each case takes, in lines such as `parse: 12.5ms`, or `ops_per_s=1234`", beside, alone), nil
}

// printed is what a program prints beside what it measures.
type printed struct{ *survey }

// settingAlone names a setting where a program prints pairs or a number that are nothing else; "" where one is not.
func (s *printed) settingAlone(stdout []byte) string {
	var r output.Report
	var err error
	switch s.d.Output {
	case output.OutputPairs:
		r, err = output.ParsePairs(stdout)
	case output.OutputNumber:
		r, err = output.ParseLastNumber(stdout, output.OrElse(s.m.Objective, "score"))
	}
	if err != nil || len(r.Metrics) == 0 || slices.ContainsFunc(r.Metrics, func(m record.Metric) bool { return !s.isSetting(m) }) {
		return ""
	}
	return figureText(r.Metrics[0], r.Metrics[0].Value)
}

// leastSetting is what a number that stands in a program has at least that is hardly there by chance.
const leastSetting = 10

// isSetting reports whether a metric that no word says more of is a whole number of the program that prints it.
func (s *printed) isSetting(m record.Metric) bool {
	if _, sure := config.DirectionOf(m.Name, m.Unit); sure || m.Higher != nil || m.Value < leastSetting || m.Value != math.Trunc(m.Value) {
		return false
	}
	literal := regexp.MustCompile(`(?m)[=:]\s*` + strconv.FormatFloat(m.Value, 'f', -1, 64) + `\b`)
	program := union([]string{s.d.Found}, s.d.Evaluator)
	return slices.ContainsFunc(union(program, s.opened), func(f string) bool {
		if !slices.Contains(program, f) && !(&protection{s.survey}).ofTask(f) {
			return false
		}
		text, err := s.Lab.Read(f)
		return err == nil && len(text) < mostRead && literal.Match(text)
	})
}

// mostRead bounds a file that is looked through.
const mostRead = 64 << 10
