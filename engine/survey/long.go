package survey

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"atoll/engine/eval/output"
)

// long is what a survey does where one measurement takes long.
type long struct{ *survey }

// longest is what one measurement may take that is made more than once.
func (s *long) longest() time.Duration { return cmp.Or(s.Long, longMeasure) }

// settle measures the root behind a first run of the command, nil for none, which is the one sample where it took long,
// and derives the rest. It returns why the root cannot be measured, "" when it can.
func (s *long) settle(ctx context.Context, first *Sample) (string, error) {
	samples := s.samples(first)
	for len(samples) < rootSamples && !s.once {
		s.measuring(samples)
		sample, err := s.Lab.Run(ctx, s.evalOptions(), len(samples) == 0)
		if err != nil {
			if samples = s.kept(ctx, samples, first); len(samples) == 0 {
				return "", err
			}
			break
		}
		s.took = sample.Wall
		if s.tooLong = sample.Raw.TimedOut; sample.Failed() {
			return sample.Reason, nil
		}
		if s.tooLong = s.shrinks && sample.Wall > s.longest(); s.tooLong {
			return "one measurement takes " + roundTime(sample.Wall).String(), nil
		}
		samples = append(samples, sample)
		s.d.Protected = s.d.Protected[:len(s.d.Protected):len(s.d.Protected)]
		if sample.Watched {
			s.opened = union(s.opened, sample.Opened)
		}
		s.look(sample.Wall, len(samples))
	}
	if !samples[0].Watched {
		s.Say("which files the evaluator opens could not be seen here: look at evaluator.protected yourself")
	}
	if s.d.Output == output.OutputSuite {
		suiteObjective(s.survey, samples[0].Metrics)
	}
	s.derive(samples)
	s.tell()
	if m := samples[0].Metrics; s.d.Output == output.OutputSuite && len(m) > 2 && s.m.Objective == m[0].Name {
		note(s.survey, fmt.Sprintf("CHECK evaluator.objective: %q is the mean of all; where one alone is meant, name it, such as %q", s.m.Objective, m[1].Name))
	}
	return "", nil
}

// measuring says which sample of the root begins, by which command, and what the last took.
func (s *long) measuring(before []Sample) {
	last := ""
	if n := len(before); n > 0 {
		last = "; the last took " + roundTime(before[n-1].Wall).String()
	}
	s.doing(firstPatience, "measuring the root by %s, %d of %d%s", oneLine(s.d.Evaluator), len(before)+1, rootSamples, last)
}

// samples are those that a first run of a command stands for: itself where it took long, else none.
func (s *long) samples(first *Sample) []Sample {
	s.once = false
	if first == nil || first.Raw.Wall <= s.longest() {
		return nil
	}
	samples := s.sampleOf(first)
	if len(samples) > 0 {
		s.took = samples[0].Wall
		s.look(s.took, len(samples))
	}
	return samples
}

// sampleOf is the sample that a first run of a command stands for; none where it reports nothing.
func (s *long) sampleOf(first *Sample) []Sample {
	r, err := s.read(first)
	if err != nil || len(r.Metrics) == 0 {
		return nil
	}
	sample := *first
	sample.Metrics, sample.Wall = r.Metrics, first.Raw.Wall
	return []Sample{sample}
}

// kept are the samples that stand where the survey ended before all were taken, the first run of the command for want
// of others; none where it did not end.
func (s *long) kept(ctx context.Context, samples []Sample, first *Sample) []Sample {
	if ctx.Err() == nil {
		return nil
	}
	if s.was = s.now; len(samples) > 0 || first == nil {
		return samples
	}
	return s.sampleOf(first)
}

// read reads what a run reported, where the output is set by now.
func (s *long) read(run *Sample) (output.Report, error) {
	switch s.d.Output {
	case output.OutputSuite:
		return output.ParseSuite(run.Raw.Stdout)
	case output.OutputJSON:
		return output.ParseLastJSON(run.Raw.Stdout)
	case output.OutputNumber:
		return output.ParseLastNumber(run.Raw.Stdout, orElse(s.m.Objective, "score"))
	case output.OutputPairs:
		return output.ParsePairs(run.Raw.Stdout)
	}
	return output.ParseReport(run.Raw.Result)
}

// look has the root measured no more where that takes long, and says so. taken is how many samples there are.
func (s *long) look(took time.Duration, taken int) {
	if s.once || took <= s.longest() {
		return
	}
	s.once = true
	switch {
	case taken == 1:
		s.Say(fmt.Sprintf("one measurement takes %s, so the root is measured once, and how much that varies is not known", roundTime(took)))
	case taken < rootSamples:
		s.Say(fmt.Sprintf("one measurement takes %s, so the root is measured no more than %d times", roundTime(took), taken))
	}
}

// tell marks in the file that a measurement takes long, and how it takes less.
func (s *long) tell() {
	if s.once {
		needs := "one of its own and one of the root beside it"
		if s.m.Options != nil { // a measurement runs both in turns
			needs = "one, which runs the root beside it"
		}
		note(s.survey, fmt.Sprintf("CHECK evaluator.command: one measurement takes %s, and each candidate needs %s: %s", roundTime(s.took), needs, s.fewer()))
	}
}

// readsArguments finds programs that look at their arguments.
var readsArguments = regexp.MustCompile(`process\.argv\b|\bparseArgs\b|sys\.argv\b|\bargparse\b|\$[1@*]`)

// fewer says how the command is made to run fewer cases.
func (s *long) fewer() string {
	command := prepared(s.d.Evaluator)
	words := command
	if script := s.Lab.npmScript(command); script != "" {
		words = strings.Fields(script)
	}
	vitest := slices.ContainsFunc(words, func(w string) bool { return path.Base(w) == "vitest" })
	switch {
	case vitest:
		return "`npx vitest bench --run -t NAME` runs the cases of that name alone"
	case slices.Contains(words, "pytest"):
		return "`-k NAME` behind it runs the cases of that name alone"
	}
	for _, w := range words {
		if text, err := s.Lab.Read(path.Clean(w)); err == nil && readsArguments.Match(text) {
			return path.Clean(w) + " reads arguments: give it those that run fewer cases"
		}
	}
	return "write a program that runs fewer cases of it, or each for a shorter time, commit it and name it there"
}

// npmScript is the text of the script of package.json that a command runs; "" for another command.
func (l *Lab) npmScript(command []string) string {
	command = prepared(command)
	if len(command) < 3 || command[0] != "npm" || command[1] != "run" {
		return ""
	}
	return l.manifest(".").Scripts[command[len(command)-1]]
}

// scriptOf is the same in brackets, to be read behind the command.
func (l *Lab) scriptOf(command []string) string {
	if script := l.npmScript(command); script != "" {
		return " (" + output.OneLine(script, output.MaxReason) + ")"
	}
	return ""
}
