package widget

import "testing"

func TestANameThatIsTooLongLosesItsMiddle(t *testing.T) {
	for _, c := range []struct {
		name string
		w    int
		want string
	}{
		{"ns/op", 10, "ns/op"},
		{"AtollCalculateDistance ns/op", 28, "AtollCalculateDistance ns/op"},
		{"AtollCalculateDistance ns/op", 15, "AtollCa…e ns/op"},
		{"AtollCalculateDistance B/op", 15, "AtollCa…ce B/op"},
		{"AtollCalculateDistance allocs/op", 15, "AtollCa…locs/op"},
		{"ns/op", 2, "ns"},
		{"ns/op", 0, ""},
	} {
		if got := Middle(c.name, c.w); got != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.name, c.w, got, c.want)
		}
	}
}
