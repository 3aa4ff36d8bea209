package survey

import (
	"bytes"
	"context"
	_ "embed" // what runs in the sandbox
	"encoding/json"
	"fmt"

	"atoll/engine/eval/output"
)

//go:embed calls/own.py
var ownPython string

//go:embed calls/own.cjs
var ownJavaScript string

// hardlyOwn is the share of a measured time below which a gain in what candidates may change is hardly seen beside
// the noise of the rest.
const hardlyOwn = 0.1

// tellOwn says which share of the time of tests of Python or JavaScript, which stands in for an objective, is spent in
// files that candidates may change. Most of it is often the start of the interpreter, and of what runs the tests.
func (s *timer) tellOwn(ctx context.Context, command []string) error {
	timer, name, text := s.scaffold, "own.cjs", ownJavaScript
	look := append([]string{"node", "{dir}/own.cjs"}, command...)
	if s.d.Language == "python" {
		if !isPython(command[0]) {
			return nil
		}
		name, text, look = "own.py", ownPython, append([]string{command[0], "{dir}/own.py"}, command[1:]...)
	}
	if err := s.lay(map[string]string{name: text}); err != nil {
		return err
	}
	o := s.evalOptions()
	o.Command, o.Output, o.Objective = after(s.before, look), output.OutputFile, ""
	s.doing(firstPatience, "looking how much of that is spent in what candidates may change")
	sample, err := s.Lab.Run(ctx, o, false)
	if err != nil {
		return err
	}
	if err := s.lay(timer); err != nil {
		return err
	}
	_, said, found := bytes.Cut(sample.Raw.Stdout, []byte("ATOLL_OWN "))
	var spent map[string]float64
	if !found || json.Unmarshal(bytes.TrimSpace(said), &spent) != nil || len(spent) == 0 {
		return nil // nothing was seen
	}
	own, all := 0.0, 0.0
	for file, ms := range spent {
		all += ms
		if s.sources.has(file) && !covered(s.d.Protected, file) {
			own += ms
		}
	}
	if s.d.Language == "python" {
		s.sayOwn(own/all, "Python", "bench.py")
	} else {
		s.sayOwn(own/s.value, "node", "bench.js")
	}
	return nil
}

func (s *timer) sayOwn(share float64, interpreter, program string) {
	text := fmt.Sprintf("of the processor time of the tests about %s %% is spent in files that candidates may change", short2(100*min(1, share)))
	if share < hardlyOwn {
		text = "CHECK evaluator.command: " + text + ", the rest starts " + interpreter + " and runs the tests: a gain will hardly be seen; write " + program + ", which calls that code in a loop and prints time_ms=..., commit it, then `atoll init --force`"
	}
	note(s.survey, text)
}
