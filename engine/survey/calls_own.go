package survey

import (
	"bytes"
	"context"
	_ "embed" // what runs in the sandbox
	"encoding/json"
	"fmt"

	"atoll/engine/eval/output"
)

// ownTimeScript profiles a command that starts node.
//
//go:embed calls/own.cjs
var ownTimeScript string

// hardlyOwn is the share of a measured time below which a gain in what candidates may change is hardly seen beside
// the noise of the rest.
const hardlyOwn = 0.05

// tellOwn says which share of the time of tests of JavaScript, which stands in for an objective, is spent in files
// that candidates may change. Most of it is often the start of node, and of what runs the tests.
func (s *timer) tellOwn(ctx context.Context, command []string) error {
	timer := s.scaffold
	if err := s.lay(map[string]string{"own.cjs": ownTimeScript}); err != nil {
		return err
	}
	o := s.evalOptions()
	o.Command, o.Output, o.Objective = after(s.before, append([]string{"node", "{dir}/own.cjs"}, command...)), output.OutputFile, ""
	s.doing(firstPatience, "looking how much of that is spent in what candidates may change")
	sample, err := s.Lab.Run(ctx, o, false)
	if err != nil {
		return err
	}
	if err := s.lay(timer); err != nil {
		return err
	}
	_, text, found := bytes.Cut(sample.Raw.Stdout, []byte("ATOLL_OWN "))
	var spent map[string]float64
	if !found || json.Unmarshal(bytes.TrimSpace(text), &spent) != nil || len(spent) == 0 {
		return nil // nothing was seen
	}
	own := 0.0
	for file, ms := range spent {
		if s.sources.has(file) && !covered(s.d.Protected, file) {
			own += ms
		}
	}
	s.sayOwn(own / s.value)
	return nil
}

func (s *timer) sayOwn(share float64) {
	text := fmt.Sprintf("of the processor time of the tests about %s %% is spent in files that candidates may change", short2(100*min(1, share)))
	if share < hardlyOwn {
		text = "CHECK evaluator.command: " + text + ", the rest starts node and runs the tests: a gain will hardly be seen; write bench.js, which calls that code in a loop and prints time_ms=..., commit it, then `atoll init --force`"
	}
	note(s.survey, text)
}
