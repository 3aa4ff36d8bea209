package probe

import (
	"fmt"
	"testing"
)

func TestAddressesOfAProgramAreNotTold(t *testing.T) {
	on, f := new([64]int), any(half)
	for _, c := range []struct{ text, want string }{
		{fmt.Sprintf("cannot go from FUNCTION [%v] to %q", f, "x"), "cannot go from FUNCTION [" + AddressMark + `] to "x"`},
		{fmt.Sprintf("%p and %p", on, f), AddressMark + " and " + AddressMark},
		{"0x1f is 31, 0x and 0xzz are none", "0x1f is 31, 0x and 0xzz are none"},
		{"0xdeadbeef 0xffffffffffffffffffff", "0xdeadbeef 0xffffffffffffffffffff"},
		{"nothing", "nothing"},
	} {
		if got := withoutAddresses(c.text); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}
