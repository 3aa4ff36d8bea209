package health

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atoll/config"
	"atoll/engine/campaign/audit"
	"atoll/store/record"
)

// The figures by name, as config.HealthFigures lists them.
const (
	Complexity      = "complexity"
	Cognitive       = "cognitive"
	Worst           = "worst"
	Maintainability = "maintainability"
	Duplicated      = "duplicated"
	Lines           = "lines"
)

// Figures are what a tree came to.
type Figures struct {
	values map[string]float64
	unread []string // source files that cannot be measured
}

// Of is one figure by name; 0 for one that does not exist.
func (f Figures) Of(name string) float64 { return f.values[name] }

func figuresOf(r *audit.Report) Figures {
	f := Figures{values: map[string]float64{}, unread: r.Unread}
	weighted := 0.0
	for i := range r.Files {
		file := &r.Files[i]
		for _, fn := range file.Functions {
			f.values[Complexity] += float64(max(0, fn.Cyclomatic-1))
			f.values[Cognitive] += float64(fn.Cognitive)
			f.values[Worst] = max(f.values[Worst], float64(fn.Cyclomatic))
		}
		f.values[Lines] += float64(file.Lines)
		f.values[Duplicated] += float64(file.Duplicated)
		weighted += file.Maintainability * float64(file.Lines)
	}
	f.values[Maintainability] = 100
	if n := f.values[Lines]; n > 0 {
		f.values[Maintainability] = math.Round(1e6*weighted/n) / 1e6
	}
	return f
}

// Metrics are some figures as metrics of a candidate, health.NAME. A source file that
// cannot be read, and could at the root, is an error: such a tree has no place on a map.
func (f Figures) Metrics(names []string, root Figures) ([]record.Metric, error) {
	if bad := unread(f.unread, root.unread); len(bad) > 0 {
		return nil, fmt.Errorf("its health cannot be measured: %s cannot be read as source code", strings.Join(bad, ", "))
	}
	out := make([]record.Metric, len(names))
	for i, name := range names {
		higher := name == Maintainability
		out[i] = record.Metric{Name: config.HealthPrefix + name, Value: f.Of(name), Higher: &higher}
		if name == Lines || name == Duplicated {
			out[i].Unit = "lines"
		}
	}
	return out, nil
}

// Worse says in words in what a tree is worse than the root by more than the bounds let
// it; "" = in nothing.
func Worse(root, now Figures, bounds []config.NoWorse) string {
	var out []string
	for _, bad := range unread(now.unread, root.unread) {
		out = append(out, bad+" cannot be read as source code")
	}
	for _, b := range bounds {
		was, is, more := root.Of(b.Figure), now.Of(b.Figure), 1.0
		if b.Figure == Maintainability { // of which more is better
			more = -1
		}
		if more*(is-was*(1+more*b.Slack)) <= 1e-9 {
			continue
		}
		text := fmt.Sprintf("%s is %s, the root has %s", Words(b.Figure), number(is), number(was))
		if b.Slack > 0 {
			text += fmt.Sprintf(" and the bound is %s", number(was*(1+more*b.Slack)))
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// Words is the name of a figure as people read it.
func Words(figure string) string {
	switch figure {
	case Complexity:
		return "the number of branches"
	case Cognitive:
		return "the cognitive complexity"
	case Worst:
		return "the complexity of the worst function"
	case Duplicated:
		return "the number of lines that stand twice"
	case Lines:
		return "the number of lines of code"
	}
	return "the maintainability"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
