package mutant_test

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"atoll/engine/mutant"
)

const source = `package p

import "errors"

type T struct{ n int }

// Find looks for x.
func (t *T) Find(xs []int, x int) (int, error) {
	for i := 0; i < len(xs); i++ {
		if xs[i] == x && !skip {
			t.n += 2
			return i, nil
		}
	}
	t.tell("none: " + name)
	return -1, errors.New("none")
}

func on() bool { return true }
`

func TestMutantsOfGo(t *testing.T) {
	all := mutant.Go("p.go", []byte(source))
	for _, tt := range []struct{ name, operator, change string }{
		{"a boundary", mutant.Condition, "i < len(xs): < -> <="},
		{"the opposite", mutant.Condition, "i < len(xs): < -> >="},
		{"a junction", mutant.Condition, "xs[i] == x && !skip: && -> ||"},
		{"a negation", mutant.Condition, "!skip -> skip"},
		{"a branch", mutant.Condition, "if xs[i] == x && !skip: body left out"},
		{"a step", mutant.Arithmetic, "i++ -> i--"},
		{"an assignment", mutant.Arithmetic, "t.n += 2: += -> -="},
		{"a number", mutant.Constant, "2 -> 3"},
		{"a truth", mutant.Constant, "true -> false"},
		{"a statement", mutant.Statement, `left out: t.tell("none: " + name)`},
		{"a returned number", mutant.Return, "i -> 0"},
		{"a returned error", mutant.Return, `errors.New("none") -> nil`},
		{"a returned truth", mutant.Return, "true -> !(true)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !slices.ContainsFunc(all, func(m mutant.Mutant) bool { return m.Operator == tt.operator && m.Change == tt.change }) {
				var got []string
				for _, m := range all {
					got = append(got, m.Operator+": "+m.Change)
				}
				t.Errorf("%s is none of\n%s", tt.change, strings.Join(got, "\n"))
			}
		})
	}
	for _, m := range all {
		if _, err := parser.ParseFile(token.NewFileSet(), "", m.Data, 0); err != nil {
			t.Errorf("%s does not parse: %s", m.Change, err)
		}
		if got, want := strings.Count(string(m.Data), "\n"), strings.Count(source, "\n"); got != want {
			t.Errorf("%s has %d lines, want %d", m.Change, got, want)
		}
		if want := map[bool]string{true: "on", false: "T.Find"}[m.Line == 19]; m.Function != want {
			t.Errorf("line %d is in %s, want %s", m.Line, m.Function, want)
		}
		if strings.Contains(m.Change, `"none: " + name: +`) {
			t.Errorf("texts cannot be taken apart: %s", m.Change)
		}
	}
}

func TestASampleHasAShareOfEachFunction(t *testing.T) {
	all := mutant.Go("p.go", []byte(source))
	some := mutant.Sample(all, len(all)/2, 1)
	if !slices.EqualFunc(some, mutant.Sample(all, len(all)/2, 1), func(a, b mutant.Mutant) bool { return a.Change == b.Change && a.Line == b.Line }) {
		t.Error("one seed drew twice differently")
	}
	functions := map[string]int{}
	for _, m := range some {
		functions[m.Function]++
	}
	if len(some) != len(all)/2 || functions["on"] == 0 || functions["T.Find"] == 0 {
		t.Errorf("drew %d: %v", len(some), functions)
	}
	if !slices.IsSortedFunc(some, func(a, b mutant.Mutant) int { return a.Line - b.Line }) {
		t.Error("the sample is not in the order of the source")
	}
}
