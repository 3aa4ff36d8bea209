package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// rules give what they found, to be handed to the call for what lies within.
const rules = `package kit

import "strings"

// Marks is what a call found.
type Marks struct{ found []bool }

type Rules struct{ words []string }

func New(words ...string) *Rules { return &Rules{words} }

// Match reports whether a text, or one around it, has one of the words.
func (r *Rules) Match(text string, around Marks) (bool, Marks) {
	marks := Marks{found: make([]bool, len(r.words))}
	has := false
	for i, w := range r.words {
		marks.found[i] = len(around.found) > i && around.found[i] || strings.Contains(text, w)
		has = has || marks.found[i]
	}
	return has, marks
}
`

const rulesTest = `package kit

import "testing"

func TestMatch(t *testing.T) {
	r := New("tea", "milk")
	has, cup := r.Match("a cup", Marks{})
	if has {
		t.Fatal("a cup")
	}
	if has, _ := r.Match("tea", cup); !has {
		t.Fatal("tea")
	}
}
`

func TestWhatAGoMethodGivesIsHandedToItAgain(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module; TestAChangeOfAGoFunctionIsFound stands for it")
	root := mustTable(t, guard.Options{Cases: 600}, mustFiles(t, map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": rules, "kit_test.go": rulesTest}))
	wantWhere(t, root.mustCheck(t, "kit.go", "	marks := Marks{found: make([]bool, len(r.words))}\n", "	marks := around\n	if len(marks.found) != len(r.words) {\n		marks = Marks{found: make([]bool, len(r.words))}\n	}\n"), "kit.Rules.Match")
	wantWhere(t, root.mustCheck(t, "kit.go", "	marks := Marks{found: make([]bool, len(r.words))}\n", "	var marks Marks\n	marks.found = append(marks.found, make([]bool, len(r.words))...)\n"))
}
