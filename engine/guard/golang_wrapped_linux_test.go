package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

// wrappedSource keeps keys in an order that its caller gives, which one function turns round: that alone gives an order.
const wrappedSource = `package kit

import "cmp"

// Order compares keys.
type Order interface{ Compare(a, b any) int }

type kind int

// The orders.
const (
	Numbers kind = 3 + iota
	Texts
)

// Compare compares two keys of a kind.
func (k kind) Compare(a, b any) int {
	if k == Texts {
		x, _ := a.(string)
		y, _ := b.(string)
		return cmp.Compare(x, y)
	}
	x, _ := a.(int)
	y, _ := b.(int)
	return cmp.Compare(x, y)
}

type turned struct{ Order }

func (t turned) Compare(a, b any) int { return -t.Order.Compare(a, b) }

// Turn turns an order round.
func Turn(o Order) Order { return turned{o} }

// Table has values by keys.
type Table struct {
	order  Order
	keys   []any
	values []any
}

// New makes a table.
func New(o Order) *Table { return &Table{order: o} }

// Set sets the value of a key.
func (t *Table) Set(key, value any) {
	for i, k := range t.keys {
		switch c := t.order.Compare(key, k); {
		case c == 0:
			t.values[i] = value
			return
		case c < 0:
			t.keys = append(t.keys[:i:i], append([]any{key}, t.keys[i:]...)...)
			t.values = append(t.values[:i:i], append([]any{value}, t.values[i:]...)...)
			return
		}
	}
	t.keys, t.values = append(t.keys, key), append(t.values, value)
}

// Value gives the value of a key.
func (t *Table) Value(key any) (any, bool) {
	for i, k := range t.keys {
		if t.order.Compare(key, k) == 0 {
			return t.values[i], true
		}
	}
	return nil, false
}

// Keys are all keys.
func (t *Table) Keys() []any { return t.keys }
`

func TestWhatTakesAnInterfaceThatOneFunctionAloneGivesFromAnotherIsCompared(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module for each edit; TestWhatIsDoneWithTypesOfCallersIsComparedByThoseThatTestsHave stands for it")
	mustHave(t, "go")
	eachEditOfGo(t, 600, map[string]string{"go.mod": "module kit\n\ngo 1.22\n", "kit.go": wrappedSource}, []edited{
		{"a value of none is no value", "return t.values[i], true", "return t.values[i], t.values[i] != nil", "kit.Table.Value"},
		{"a key of the same order is put once more", "case c == 0:", "case key == k:", "kit.Table.Set"},
		{"an order is looked up in one place", "\tfor i, k := range t.keys {\n\t\tif t.order.Compare(key, k) == 0 {\n\t\t\treturn t.values[i], true\n\t\t}\n\t}\n\treturn nil, false", "\torder := t.order\n\tfor i := range t.keys {\n\t\tif order.Compare(key, t.keys[i]) != 0 {\n\t\t\tcontinue\n\t\t}\n\t\treturn t.values[i], true\n\t}\n\treturn nil, false", ""},
	})
}
