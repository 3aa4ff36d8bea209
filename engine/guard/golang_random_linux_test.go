package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

// lots is an object that keeps what it drew by the clock, as a skip list keeps its levels.
const lots = `package kit

import (
	"math/rand"
	"time"
)

// Lots has a number for each name.
type Lots struct {
	Drawn []int
	held  map[string]interface{}
}

// New makes lots.
func New() *Lots {
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	l := &Lots{held: map[string]interface{}{}}
	for i := 0; i < 4; i++ {
		l.Drawn = append(l.Drawn, r.Int())
	}
	return l
}

// Set keeps a value.
func (l *Lots) Set(name string, v interface{}) { l.held[name] = v }

// Get gives it back.
func (l *Lots) Get(name string) (interface{}, bool) {
	v, ok := l.held[name]
	return v, ok
}
`

const lotsTest = `package kit

import "testing"

func TestLots(t *testing.T) {
	l := New()
	l.Set("a", 1)
	if v, ok := l.Get("a"); v != 1 || !ok {
		t.Fatal(v, ok)
	}
}
`

func TestWhatAnObjectGivesIsComparedWhereItHoldsWhatItDrew(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module; TestResultsAreComparedWhereTheRestOfAnAnswerIsDrawn stands for it")
	mustHave(t, "go")
	eachEditOfGo(t, 600, map[string]string{"go.mod": "module kit\n\ngo 1.22\n", "kit.go": lots, "kit_test.go": lotsTest}, []edited{
		{"nothing in the place of what was kept", "return v, ok", "return v, ok && v != nil", "kit.Lots.Get"},
		{"the same in other words", "v, ok := l.held[name]\n\treturn v, ok", "if v, ok := l.held[name]; ok {\n\t\treturn v, true\n\t}\n\treturn nil, false", ""},
	})
}
