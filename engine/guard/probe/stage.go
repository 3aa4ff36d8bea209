package probe

import (
	"path"
	"reflect"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
)

// What rewritten tests of the package call. They register themselves when the process begins, and literals,
// results and objects of theirs come by here. Only what happens while a test is played is kept, and one thing at a time:
// what others do at once, or what is done to tell something, is none of the test.
var stage struct {
	literals map[int]testLiteral
	anew     []func() // variables of the tests that are filled before each play
	scripts  []*script

	now  map[int]reflect.Value // in the place of literals
	on   atomic.Bool
	busy atomic.Bool
	saw  func(at string, values []reflect.Value)
	held func(v reflect.Value)
	fell func(p any)
}

// testLiteral is a constant in a test that another may stand for, or another part that can be exchanged.
type testLiteral struct {
	at    string        // "kit_test.go:34"
	value reflect.Value // of a list, a list of its type; of a struct, one that is not filled

	name  string   // of a call
	items int      // of a list
	set   []string // fields of a struct that the test sets
}

// script is a test or an example that can be played.
type script struct {
	name     string
	run      func(*testing.T)
	example  bool
	literals []int

	settled  bool            // it was looked at
	unsteady map[string]bool // lines that tell something else each time
}

// RegisterLiteral says what the literal of that number is and where it stands.
func RegisterLiteral(n int, at string, v any) {
	registerPart(n, testLiteral{at: at, value: reflect.ValueOf(v)})
}

func registerPart(n int, l testLiteral) {
	if stage.literals == nil {
		stage.literals = map[int]testLiteral{}
	}
	stage.literals[n] = l
}

// RegisterVariable has a variable of the tests filled anew before each play.
func RegisterVariable(fill func()) { stage.anew = append(stage.anew, fill) }

// RegisterTest makes a test playable. Its literals are those of all that it names.
func RegisterTest(name string, run func(*testing.T), literals ...int) {
	stage.scripts = append(stage.scripts, &script{name: name, run: run, literals: literals, unsteady: map[string]bool{}})
}

// RegisterExample makes an example playable.
func RegisterExample(name string, run func(), literals ...int) {
	stage.scripts = append(stage.scripts, &script{name: name, run: func(*testing.T) { run() }, example: true, literals: literals, unsteady: map[string]bool{}})
}

// Literal is what stands in the place of a literal.
func Literal[T any](n int, v T) T {
	if other, ok := stage.now[n]; ok {
		if o, ok := other.Interface().(T); ok {
			return o
		}
	}
	return v
}

// Seen tells what a call in a test gave.
func Seen[A any](a A) A {
	see(reflect.ValueOf(&a).Elem())
	return a
}

// Seen2 is Seen for two results.
func Seen2[A, B any](a A, b B) (A, B) {
	see(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem())
	return a, b
}

// Seen3 is Seen for three results.
func Seen3[A, B, C any](a A, b B, c C) (A, B, C) {
	see(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem(), reflect.ValueOf(&c).Elem())
	return a, b, c
}

// On says that a test does something with an object, which is looked at when the test has ended.
func On[T any](x T) T {
	whileOn(func() { stage.held(reflect.ValueOf(&x).Elem()) })
	return x
}

// Fell is deferred: a panic ends a part of a test and not the process.
func Fell() {
	if p := recover(); p != nil {
		whileOn(func() { stage.fell(p) })
	}
}

// callerOfSeen is how far above see the test stands.
const callerOfSeen = 2

func see(values ...reflect.Value) {
	whileOn(func() {
		at := ""
		if _, file, line, ok := runtime.Caller(callerOfSeen + 2); ok {
			at = path.Base(file) + ":" + strconv.Itoa(line)
		}
		stage.saw(at, values)
	})
}

func whileOn(f func()) {
	if !stage.on.Load() || !stage.busy.CompareAndSwap(false, true) {
		return
	}
	defer stage.busy.Store(false)
	f()
}
