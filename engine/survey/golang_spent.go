package survey

import (
	"context"
	"slices"
	"strings"
)

// receiving is how a benchmark comes to what a method is called on.
type receiving int

const (
	kept   receiving = iota // made once
	anew                    // made anew for each turn
	making                  // made anew for each turn, and nothing is called
)

// suffixes tell apart the benchmarks of one method that are tried.
var suffixes = map[receiving]string{kept: "", anew: "Anew", making: "Making"}

// spentTurns is how many turns tell what a later call runs.
const spentTurns = 8

// trial is the package with the methods of some names, each in all ways to come to what it is called on.
func (p *goPackage) trial(names []string) *goPackage {
	t := *p
	t.funcs = nil
	for _, f := range p.funcs {
		if f.maker.name == "" || !slices.Contains(names, f.name) {
			continue
		}
		for _, way := range []receiving{kept, anew, making} {
			g := f
			g.name, g.receiving = f.name+suffixes[way], way
			t.funcs = append(t.funcs, g)
		}
	}
	return &t
}

// findSpent finds the methods whose later calls run much less of the module than their first, or much more, such as
// those of a reader, which is used up: what they are called on is made anew for each turn, and what makes it
// is measured with them. It returns the names of the benchmarks that stay.
func findSpent(ctx context.Context, s *survey, p *goPackage, names []string) ([]string, error) {
	trial := p.trial(names)
	if len(trial.funcs) == 0 {
		return names, nil
	}
	if err := s.lay(trial.scaffold(trial.names(), "1x", 1)); err != nil {
		return nil, err
	}
	var list []turns
	for _, name := range trial.names() {
		list = append(list, turns{"Atoll" + name, spentTurns})
	}
	look := comparing{survey: s, all: cover{}, ran: map[string]cover{}}
	ran, err := look.look(ctx, p.laying(), "./"+p.dir, list)
	if err != nil {
		return nil, err
	}
	var spent, makers []string
	for i := range p.funcs {
		f := &p.funcs[i]
		if !slices.Contains(trial.names(), f.name) || !changes(ran, f.name) {
			continue
		}
		f.receiving = anew
		spent = append(spent, f.name)
		if slices.Contains(names, f.maker.name) && !slices.Contains(makers, f.maker.name) {
			makers = append(makers, f.maker.name)
		}
	}
	if len(spent) > 0 {
		text := "calls change what later calls do, so what they are called on is made anew for each turn: " + strings.Join(spent, ", ")
		if len(makers) > 0 {
			text += "; measured with them: " + strings.Join(makers, ", ")
		}
		s.Say(text)
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(makers, n) }), nil
}

// changes reports whether later calls of a method do less than half or more than twice of what the first does, by how many
// statements the turns of its benchmarks ran.
func changes(ran map[string]float64, method string) bool {
	var n [making + 1]float64
	for way, suffix := range suffixes {
		told := false
		if n[way], told = ran["Atoll"+method+suffix]; !told {
			return false
		}
	}
	first, later := n[anew]-n[making], n[kept]
	return first > 0 && (later < first/2 || later > 2*first)
}
