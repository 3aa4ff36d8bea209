package offline

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"atoll/engine/agent/offline/language"
)

// mutation is one edit that may be tried.
type mutation struct {
	edits  []textEdit
	intent string // what it does, without the path
}

// mutate edits one statement or expression in the tradition of genetic
// improvement (Langdon and Harman 2015; Petke et al. 2018, "Genetic
// improvement of software: a comprehensive survey"): delete, duplicate, swap,
// move and copy statements, exchange operators and operands for others of the
// same scope, wrap and unwrap, add terms, negate conditions, nudge constants
// and loop bounds. Material comes from the program itself.
func (e *editing) mutate() bool {
	return e.draw(func(s *language.Source) bool {
		rounds, done := 1, 0
		if e.strong || e.rng.Float64() < 0.1 {
			rounds = 2
		}
		for try := 0; try < 2*rounds && done < rounds; try++ {
			m := e.mutator(s)
			if m == nil {
				break
			}
			if !e.mutateOnce(s, m) {
				continue // another function may do
			}
			done++
			next, ok := e.load(pick{file: s.File, l: s.Lang})
			if !ok {
				break
			}
			s = next
		}
		return done > 0
	})
}

// mutator proposes edits of one source.
type mutator interface {
	propose() (mutation, bool)
	accept(data []byte, m mutation) ([]byte, bool)
}

// mutator returns the one for the language, or nil when there is nothing to
// mutate.
func (e *editing) mutator(s *language.Source) mutator {
	if s.Lang.Name == "go" {
		if m := newGoMutator(e, s); m != nil {
			return m
		}
		return nil
	}
	if m := newTokenMutator(e, s); m != nil {
		return m
	}
	return nil
}

func (e *editing) mutateOnce(s *language.Source, m mutator) bool {
	for range e.limits.tries {
		mu, ok := m.propose()
		if !ok || !inRange(s, mu.edits) {
			continue
		}
		data := applyEdits(s.Data, mu.edits)
		if bytes.Equal(data, s.Data) {
			continue
		}
		data, ok = m.accept(data, mu)
		if !ok || bytes.Equal(data, s.Data) {
			continue
		}
		e.put(s.Path(), data, fmt.Sprintf("%s of %s", mu.intent, s.Path()))
		return true
	}
	return false
}

func inRange(s *language.Source, edits []textEdit) bool {
	for _, ed := range edits {
		if !s.Within(ed.start, ed.end) {
			return false
		}
	}
	return len(edits) > 0
}

// nudged returns another value for a constant: a step, or a value that
// programs like.
func (e *editing) nudged(lit literal, mayNegate bool) (string, bool) {
	v := lit.value
	switch e.rng.IntN(6) {
	case 0:
		v *= 2
	case 1:
		v /= 2
	case 2:
		v++
	case 3:
		v--
	case 4:
		v += math.Max(math.Abs(v), 0.1) * e.rng.NormFloat64()
	default:
		v += math.Max(math.Abs(v), 0.1) * 0.1 * e.rng.NormFloat64()
	}
	if v < 0 && lit.value >= 0 && !mayNegate {
		v = -v
	}
	return lit.format.write(v, math.Abs(v-lit.value))
}

// factor draws a coefficient for a new term, in few digits.
func (e *editing) factor() string {
	f := math.Pow(10, -2+2.5*e.rng.Float64())
	digits := 2
	s := strings.TrimRight(fmt.Sprintf("%.*f", digits, f), "0")
	if strings.HasSuffix(s, ".") {
		s += "0"
	}
	if s == "0.0" {
		return "0.01"
	}
	return s
}

// pickOne draws an element.
func pickOne[T any](e *editing, of []T) T { return of[e.rng.IntN(len(of))] }

// valid reports whether changed content of a source still has the form of its
// language: Go must parse, Python must keep brackets and indentation, and any
// other code that was balanced stays so.
func (e *editing) valid(s *language.Source, data []byte) bool {
	if int64(len(data)) > e.limits.maxBytes {
		return false
	}
	switch {
	case s.Lang.Name == "go":
		return language.ParsesAsGo(data) || !language.ParsesAsGo(s.Data)
	case s.Lang.Layout == language.LayoutText || s.Lang.Layout == language.LayoutData && s.Lang.Name != "json":
		return true
	}
	toks := language.Lex(data, s.Lang)
	if language.Balanced(data, toks) != nil {
		return language.Balanced(s.Data, s.Toks) != nil
	}
	if s.Lang.Layout == language.LayoutIndent && language.Indented(data, toks) != nil {
		return language.Indented(s.Data, s.Toks) != nil
	}
	return true
}
