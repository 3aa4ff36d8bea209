package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Template returns the commented atoll.yaml that `atoll init` writes: what was
// detected is filled in, the rest is there to read and uncomment. It loads
// without a problem; without a detected evaluator it is not yet Complete.
func Template(d Detected) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	def := Defaults()

	line("# atoll.yaml: what atoll searches for, how it measures, and what it may spend.")
	line("# Every key with its default and its allowed values: atoll config explain")
	line("# Flags win over the environment (ATOLL_BUDGET_JOBS=50), which wins over this file.")
	line("")
	if d.Name != "" {
		line("name: %s", quoted(plainName(d.Name)))
	}
	line("goal: %s", quoted(def.Goal))
	line("# constraints:            # what must stay true, one sentence each")
	line("#   - The public interface stays as it is.")
	line("root: HEAD                # the commit to start from")
	line("seed: 1                   # same seed, same offline search")
	line("")
	d.evaluatorPart(line)
	line("")
	d.mapPart(line)
	line("")
	line("gate:                     # checked before any code of a candidate runs")
	if len(d.Scope) > 0 {
		line("  scope: %s", list(d.Scope))
	} else {
		line("  # scope: [\"src/**\"]     # what a candidate may change; all but the protected files")
	}
	line("  max_files: %d", def.Gate.MaxFiles)
	line("  max_lines: %d", def.Gate.MaxLines)
	line("")
	line("review:                   # candidates that wait for you: off, risky or all")
	line("  measure: off            # before their code runs")
	line("  niche: off              # before they take a niche")
	line("")
	d.targetsPart(line)
	line("budget:                   # 0 is no limit")
	if m := d.Measured; m != nil && m.Jobs > 0 {
		line("  jobs: %d", m.Jobs)
		line("  wall: %s", m.Wall)
	} else {
		line("  jobs: %d", def.Budget.Jobs)
		line("  # wall: 1h")
	}
	line("  # cost_usd: 5")
	line("")
	line("# Without agents the built-in offline one edits: no key, no network.")
	line("# agents:")
	line("#   - {name: offline, kind: offline, weight: 1}")
	line("#   - {name: claude, preset: claude, weight: 1}")
	line("#   - {name: chat, kind: chat, model: your-model, base_url: \"https://host/v1\", key_env: OPENAI_API_KEY}")
	return []byte(b.String())
}

func (d Detected) evaluatorPart(line func(string, ...any)) {
	line("evaluator:")
	switch {
	case len(d.Evaluator) > 0:
		line("  # Found: %s. It runs in a private copy of the candidate's tree.", comment(d.Found))
		if d.Measured != nil {
			for _, note := range d.Measured.Notes {
				line("  # %s", comment(note))
			}
		}
		line("  command: %s", list(d.Evaluator))
		if d.Dir != "" {
			line("  dir: %-18s # a copy is sealed when the experiment starts", quoted(d.Dir))
		}
	default:
		line("  # The program that measures a candidate. It runs in a private copy of its tree")
		line("  # and writes {\"metrics\": [{\"name\": \"score\", \"value\": 1.5}]} to $ATOLL_RESULT.")
		line("  # command: [python3, evaluate.py]")
		for _, text := range d.Tried {
			line("  # CHECK evaluator.command: %s.", comment(text))
		}
	}
	if d.Adapter != "" {
		line("  adapter: %s", d.Adapter)
		if d.Measured != nil {
			d.adapterOptions(line)
		}
	} else {
		output := orDefault(d.Output, "result-file")
		others := slices.DeleteFunc([]string{"result-file", "last-json-line", "last-number", "name=value", "suite"}, func(o string) bool { return o == output })
		line("  output: %-15s # or %s", output, strings.Join(others, ", "))
	}
	if d.Measured != nil {
		d.measuredPart(line)
	} else {
		d.assumedPart(line)
	}
	if len(d.Protected) > 0 {
		line("  # Always taken from the root, whatever a candidate holds there.")
		line("  protected: %s", list(d.Protected))
	} else {
		line("  # protected: [\"tests/**\"]  # always taken from the root, whatever a candidate holds there")
	}
	if len(d.Caches) > 0 {
		line("  caches: %s          # laid under the sandbox, read-only", list(d.Caches))
	}
	if len(d.Env) > 0 {
		line("  env: %s      # beside what every evaluator is given", list(d.Env))
	}
	d.stages(line)
}

// assumedPart is for an evaluator that was not run.
func (d Detected) assumedPart(line func(string, ...any)) {
	if d.Adapter == "gobench" {
		line("  # objective: score      # the metric to search on; the first one it reports")
		line("  direction: minimize     # time")
		line("  repeats: 1              # each takes the median of -count runs")
	} else {
		line("  # objective: score      # CHECK THIS: the metric to search on; the first one it reports")
		line("  direction: maximize     # CHECK THIS: minimize where less is better, as of times, costs and errors")
		line("  repeats: 1              # more when the result is noisy; the median counts")
	}
	line("  timeout: 2m")
}

// measuredPart holds what runs on the root taught.
func (d Detected) measuredPart(line func(string, ...any)) {
	m := d.Measured
	line("  objective: %s", quoted(m.Objective))
	if m.Unsure {
		line("  direction: %s     # CHECK THIS: nothing in the name says which way is better", m.Direction)
	} else {
		line("  direction: %s", m.Direction)
	}
	line("  repeats: %-14d # the median counts", max(1, m.Repeats))
	if m.Paired {
		line("  paired: true            # the root runs beside each candidate: what slows one down slows both")
	}
	line("  timeout: %s", m.Timeout)
}

// adapterOptions are those that init found to work.
func (d Detected) adapterOptions(line func(string, ...any)) {
	if len(d.Measured.Options) == 0 {
		return
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(d.Measured.Options)) {
		parts = append(parts, name+": "+quoted(d.Measured.Options[name]))
	}
	line("  adapter_options: {%s}  # docs/evaluators.md, Go benchmarks", strings.Join(parts, ", "))
}

// targetsPart names the functions that are worth most.
func (d Detected) targetsPart(line func(string, ...any)) {
	if d.Measured == nil || len(d.Measured.Targets) == 0 {
		return
	}
	line("targets:                  # what jobs aim at, by weight: where the benchmarks spend their time")
	for _, t := range d.Measured.Targets {
		text := fmt.Sprintf("  - {name: %s, weight: %s", quoted(t.Name), number(t.Weight))
		if len(t.Files) > 0 {
			text += ", files: " + list(t.Files)
		}
		if t.Symbol != "" {
			text += ", symbol: " + quoted(t.Symbol)
		}
		if t.Hint != "" {
			text += ", hint: " + quoted(t.Hint)
		}
		line("%s", text+"}")
	}
	line("")
}

// mapPart writes the axes that were seen, or shows how one is written.
func (d Detected) mapPart(line func(string, ...any)) {
	line("# The map: named metrics as axes, or none for coordinates learned from the code.")
	if d.Measured == nil || len(d.Measured.Axes) == 0 {
		line("# map:")
		line("#   axes:")
		line("#     - {metric: time_ms, min: 0, max: 100, bins: 12}")
		line("#     - {metric: lines, min: 0, max: 500, bins: 12}")
		return
	}
	line("map:")
	line("  axes:                   # the root lies in the middle")
	for _, a := range d.Measured.Axes {
		line("    - {metric: %s, min: %s, max: %s, bins: %d}", quoted(a.Metric), number(a.Min), number(a.Max), a.Bins)
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// stages offers the tests as a quick first stage.
func (d Detected) stages(line func(string, ...any)) {
	if m := d.Measured; m != nil {
		if len(m.Stages) > 0 {
			line("  stages:                 # quick first: what fails is not measured further")
		}
		for _, s := range m.Stages {
			line("    - {name: %s, command: %s, output: %s, timeout: %s}", quoted(s.Name), list(s.Command), s.Output, s.Timeout)
		}
		if len(m.Stages) > 0 {
			line("    - {name: measure}       # the command above")
		}
		return
	}
	if len(d.Test) == 0 {
		return
	}
	mark := ""
	if len(d.Evaluator) == 0 {
		mark = "# "
	}
	line("  %sstages:                 # quick first: what fails is not measured further", mark)
	line("  %s  - {name: tests, command: %s, output: none}", mark, list(d.Test))
	line("  %s  - {name: full}          # the command above", mark)
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// quoted writes text so that YAML reads it back, whatever it holds.
func quoted(s string) string {
	var b strings.Builder
	for _, r := range string(flow(s)) {
		if r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// list writes a list in one line.
func list(items []string) string {
	parts := make([]string, len(items))
	for i, s := range items {
		parts[i] = quoted(s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// comment keeps a path from ending the comment it stands in.
func comment(s string) string { return strings.Map(printable, s) }

func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
		return '?'
	}
	return r
}
