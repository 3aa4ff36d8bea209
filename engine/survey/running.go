package survey

import (
	"bytes"
	"context"
	_ "embed" // what runs in the sandbox
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atoll/engine/eval/output"
)

// runningScript looks at what a command of make runs.
//
//go:embed running.sh
var runningScript string

// mostMake is the share of a measured time from which on what make runs is timed without it.
const mostMake = 0.1

// leastRunning is the share of a measured time that the program itself has to take: below it a
// search finds little but noise.
const leastRunning = 0.5

// running is what a command of make takes once all is built, in ms.
type running struct {
	Whole float64 `json:"whole"`
	Make  float64 `json:"make"`  // of it, by itself
	Empty float64 `json:"empty"` // what a program takes that does nothing
	Same  bool    `json:"same"`  // the lines print without make what they print by it

	Built []string `json:"built"` // programs that came of it

	lines []string // that make runs
}

// lookAtMake looks at what a command of make runs; nil where that is not known, or where make
// takes next to nothing beside it.
func lookAtMake(ctx context.Context, s *survey, command []string) (*running, error) {
	if len(command) == 0 || command[0] != "make" {
		return nil, nil
	}
	if err := s.lay(map[string]string{"running.sh": runningScript, "time.sh": timeScript}); err != nil {
		return nil, err
	}
	defer s.drop()
	o := s.evalOptions()
	o.Command, o.Output, o.Objective = append([]string{"bash", "{dir}/running.sh"}, command...), output.OutputFile, ""
	s.doing(firstPatience, "looking what %s runs", oneLine(command))
	sample, err := s.Lab.Run(ctx, o, false)
	if err != nil {
		return nil, err
	}
	return readRunning(sample.Raw.Stdout), nil
}

// readRunning reads what the look printed.
func readRunning(stdout []byte) *running {
	_, text, found := bytes.Cut(stdout, []byte("ATOLL_RUNNING "))
	if !found {
		return nil
	}
	figures, lines, _ := strings.Cut(string(text), "\n")
	r := &running{}
	if json.Unmarshal([]byte(figures), r) != nil || r.Whole <= 0 {
		return nil
	}
	r.lines = slices.DeleteFunc(strings.Split(lines, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	return r
}

// Lines that are no command of words, ones that need make, and ones that mean something else
// where all run in one shell.
var (
	noWords    = regexp.MustCompile(`[^\w./=+:,@% -]|^\S*=`)
	byMake     = regexp.MustCompile(`\b(?:g?make|MAKEFLAGS|MAKELEVEL)\b`)
	forOneself = regexp.MustCompile(`(?:^|[;&|(]\s*)(?:cd|export|set|exit|exec|trap|umask)\b|\\$`)
)

// program is what make runs as a command of its own; nil where make takes little, or where the
// lines are not the same without it.
func (r *running) program() []string {
	if !r.Same || len(r.lines) == 0 || r.Make < mostMake*r.Whole {
		return nil
	}
	for _, l := range r.lines {
		if byMake.MatchString(l) || len(r.lines) > 1 && forOneself.MatchString(l) {
			return nil
		}
	}
	if len(r.lines) == 1 && !noWords.MatchString(r.lines[0]) && strings.Contains(r.lines[0], "/") {
		return strings.Fields(r.lines[0])
	}
	return []string{"sh", "-ec", strings.Join(r.lines, "\n")}
}

// runWhatIsBuilt runs the program that a command of make builds where it builds and runs nothing: the time of such a
// command is that of make with nothing to do. It reports whether the command is one of these, and why it cannot measure.
func runWhatIsBuilt(ctx context.Context, s *survey, command []string) (bool, string, error) {
	r, err := lookAtMake(ctx, s, command)
	switch {
	case err != nil || r == nil || !r.Same || len(r.lines) > 0:
		return false, "", err
	case len(r.Built) != 1:
		return true, "it builds, and runs nothing", nil
	}
	s.Say(fmt.Sprintf("%s builds %s and runs nothing, so %s is run", oneLine(command), r.Built[0], r.Built[0]))
	s.before, s.d.Evaluator = strings.Join(command, " "), r.Built
	reason, err := s.script(ctx)
	if reason != "" {
		s.before = ""
	}
	return true, reason, err
}

// timer is what a survey makes of a command that is timed.
type timer struct{ *survey }

// timedMake times what a command of make runs, behind make, where make itself takes a good part
// of the time, and says so. It returns why it does not.
func (s *timer) timedMake(ctx context.Context, command []string, r *running) (string, error) {
	program := r.program()
	if program == nil {
		return "make is needed", nil
	}
	s.before = strings.Join(command, " ")
	reason, err := s.timed(ctx, program)
	if err != nil || reason != "" {
		s.before = ""
		return reason, err
	}
	s.Say(fmt.Sprintf("%s takes %s ms when all is built, %s of them make itself, so what it runs is timed: %s", oneLine(command), short2(r.Whole), short2(min(r.Make, r.Whole)), oneLine(program)))
	s.m.Notes = append(s.m.Notes, fmt.Sprintf("%s builds, and what it runs then is timed without it: %s.", oneLine(command), oneLine(program)))
	if took := s.value; took-float64(len(r.lines))*r.Empty < leastRunning*took {
		s.hardlyRuns(fmt.Sprintf("%s takes %s ms, and a program that does nothing %s ms", oneLine(program), short2(took), short2(r.Empty)))
	}
	return "", nil
}

// warnOfMake says where a command of make that is timed as a whole is mostly make.
func (s *timer) warnOfMake(command []string, r *running) {
	if r != nil && r.Make > (1-leastRunning)*r.Whole {
		s.hardlyRuns(fmt.Sprintf("%s takes %s ms, of which %s are make itself", oneLine(command), short2(r.Whole), short2(min(r.Make, r.Whole))))
	}
}

// hardlyRuns says that what is measured is hardly the program.
func (s *timer) hardlyRuns(why string) {
	note(s.survey, "CHECK evaluator.command: "+why+": this measures next to nothing of the program; give it a longer input, or write a benchmark")
}
