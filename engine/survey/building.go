package survey

import (
	"context"
	_ "embed" // what runs in the sandbox
	"fmt"
	"regexp"
	"strconv"

	"atoll/engine/eval/output"
)

// buildingScript runs a command with compilers behind a clock.
//
//go:embed building.sh
var buildingScript string

// mostBuilding is the share of a measured time from which on it is told that compilers take it.
const mostBuilding = 0.5

// builtShare finds what the script tells.
var builtShare = regexp.MustCompile(`(?m)^ATOLL_BUILDING (\d+(?:\.\d+)?)$`)

// warnOfBuilding says where compilers take most of the time of a command, which a survey made
// the objective.
func warnOfBuilding(ctx context.Context, s *survey, command []string) error {
	timer := s.scaffold
	if err := s.lay(map[string]string{"building.sh": buildingScript}); err != nil {
		return err
	}
	o := s.evalOptions()
	o.Command, o.Output, o.Objective = after(s.before, append([]string{"bash", "{dir}/building.sh"}, command...)), output.OutputFile, ""
	s.doing(firstPatience, "looking how much of that is building")
	sample, err := s.Lab.Run(ctx, o, false)
	if err != nil {
		return err
	}
	if err := s.lay(timer); err != nil {
		return err
	}
	m := builtShare.FindSubmatch(sample.Raw.Stdout)
	if m == nil {
		return nil
	}
	if share, err := strconv.ParseFloat(string(m[1]), 64); err == nil && share >= mostBuilding {
		note(s, fmt.Sprintf("CHECK evaluator.command: compilers take %.0f %% of the time that is measured: it is building, not running; write a benchmark that times what is built", 100*min(share, 1)))
	}
	return nil
}
