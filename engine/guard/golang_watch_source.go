package guard

// watchSource is the file that takes the marks. It is written for any version of
// the language.
const watchSource = `package %s

import (
	atollGuardReflect "reflect"
	atollGuardSync "sync"
)

// AtollGuardWatch is what the case did that runs.
var AtollGuardWatch [%d]byte

// AtollGuardPair is how the sides of a comparison stood.
type AtollGuardPair struct {
	N       int
	Changed bool
	A, B    interface{}
}

// AtollGuardAsked says that somebody takes the pairs.
var AtollGuardAsked bool

// atollGuardMost is how often the sides of a comparison are looked at in a case.
const atollGuardMost = 1000

func atollGuardEnough(n int) bool {
	return !AtollGuardAsked || n < len(atollGuardMade) && atollGuardMade[n] > atollGuardMost
}

// The first times that a comparison was made in a case, and the last time.
var (
	atollGuardMutex atollGuardSync.Mutex
	atollGuardMade  [%d]int
	atollGuardPairs [len(atollGuardMade)][3]AtollGuardPair
	atollGuardWay   uint64
)

// AtollGuardPairs takes the pairs of the comparisons that were made.
func AtollGuardPairs() (out []AtollGuardPair) {
	atollGuardMutex.Lock()
	defer atollGuardMutex.Unlock()
	for n := range atollGuardMade {
		for i := 0; i < atollGuardMade[n] && i < len(atollGuardPairs[n]); i++ {
			out = append(out, atollGuardPairs[n][i])
		}
		atollGuardMade[n] = 0
	}
	return out
}

// AtollGuardPath takes what tells the way that was gone through the blocks.
func AtollGuardPath() uint64 {
	way := atollGuardWay
	atollGuardWay = 0
	return way
}

func atollGuardRan(n int) { AtollGuardWatch[n%%(len(AtollGuardWatch)/2)] = 1 }

func atollGuardWent(n int) {
	atollGuardRan(n)
	atollGuardWay = (atollGuardWay ^ uint64(n)) * 1099511628211
}

func atollGuardStands(n, how int) {
	AtollGuardWatch[len(AtollGuardWatch)/2+(8*n+how)%%(len(AtollGuardWatch)/2)] = 1
}

func atollGuardSides(n int, changed bool, a, b interface{}) bool {
	if n < len(atollGuardMade) {
		atollGuardMutex.Lock()
		i := atollGuardMade[n]
		if i >= len(atollGuardPairs[n]) {
			i = len(atollGuardPairs[n]) - 1
		}
		atollGuardPairs[n][i] = AtollGuardPair{n, changed, a, b}
		atollGuardMade[n]++
		atollGuardMutex.Unlock()
	}
	atollGuardOrder(n, a, b)
	return true
}

func atollGuardOrder(n int, a, b interface{}) {
	x, y := atollGuardReflect.ValueOf(a), atollGuardReflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() {
		how := 0
		if x.IsValid() == y.IsValid() {
			how = 1
		}
		atollGuardStands(n, how)
		return
	}
	if x.Kind() == atollGuardReflect.String && y.Kind() == atollGuardReflect.String {
		s, t := x.String(), y.String()
		switch {
		case s == t:
			atollGuardStands(n, 0)
		case s < t:
			atollGuardStands(n, 1)
		default:
			atollGuardStands(n, 2)
		}
		return
	}
	f, ok := atollGuardNumber(x)
	g, ok2 := atollGuardNumber(y)
	if !ok || !ok2 {
		return
	}
	switch d := f - g; {
	case d == 0:
		atollGuardStands(n, 0)
	case d == 1:
		atollGuardStands(n, 1)
	case d == -1:
		atollGuardStands(n, 2)
	case d > 0 && d < 1:
		atollGuardStands(n, 3)
	case d < 0 && d > -1:
		atollGuardStands(n, 4)
	case d > 0:
		atollGuardStands(n, 5)
	default:
		atollGuardStands(n, 6)
	}
}

func atollGuardNumber(v atollGuardReflect.Value) (float64, bool) {
	switch k := v.Kind(); {
	case k == atollGuardReflect.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	case k >= atollGuardReflect.Int && k <= atollGuardReflect.Int64:
		return float64(v.Int()), true
	case k >= atollGuardReflect.Uint && k <= atollGuardReflect.Uintptr:
		return float64(v.Uint()), true
	case k == atollGuardReflect.Float32 || k == atollGuardReflect.Float64:
		return v.Float(), true
	}
	return 0, false
}
`
