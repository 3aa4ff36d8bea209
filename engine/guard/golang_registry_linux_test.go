package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const registry = `package kit

import (
	"strconv"
	"strings"
)

// Unit is how an amount is written.
type Unit struct {
	Code   string
	Sign   string
	Behind bool
}

var units = map[string]*Unit{"EUR": {"EUR", "€", true}, "USD": {"USD", "$", false}}

// Add makes a unit known, or another one of its code.
func Add(code, sign string, behind bool) *Unit {
	return keep(&Unit{Code: strings.ToUpper(code), Sign: sign, Behind: behind})
}

func keep(u *Unit) *Unit {
	units[u.Code] = u
	return u
}

// Find is the unit of a code.
func Find(code string) *Unit {
	if u := units[strings.ToUpper(code)]; u != nil {
		return u
	}
	return &Unit{Code: code, Sign: code, Behind: true}
}

// Amount is so much of a unit.
type Amount struct {
	n    int
	code string
	unit *Unit
}

// New is an amount of the unit of a code.
func New(n int, code string) *Amount {
	return &Amount{n: n, code: code}
}

func (a *Amount) of() *Unit { return Find(a.code) }

// Text writes an amount.
func (a *Amount) Text() string {
	u := a.of()
	if u.Behind {
		return strconv.Itoa(a.n) + u.Sign
	}
	return u.Sign + strconv.Itoa(a.n)
}
`

const registryTest = `package kit

import "testing"

func TestText(t *testing.T) {
	if Add("chf", "Fr.", true); New(3, "CHF").Text() != "3Fr." || New(4, "USD").Text() != "$4" {
		t.Error(New(3, "CHF").Text())
	}
}
`

func TestWhatWritesVariablesOfAPackageIsCalledBetweenTheMakingOfAnObjectAndItsUse(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module for each edit; TestFunctionsThatWriteVariablesOfTheirPackageAreKnown looks at the sources")
	mustHave(t, "go")
	eachEditOfGo(t, 300, map[string]string{"go.mod": "module kit\n\ngo 1.17\n", "kit.go": registry, "kit_test.go": registryTest}, []edited{
		{"the unit is that of the making", "return &Amount{n: n, code: code}\n}\n\nfunc (a *Amount) of() *Unit { return Find(a.code) }", "return &Amount{n: n, code: code, unit: Find(code)}\n}\n\nfunc (a *Amount) of() *Unit { return a.unit }", "kit.Amount.Text"},
		{"the unit is looked for beside it", "u := a.of()", "u := Find(a.code)", ""},
	})
}
