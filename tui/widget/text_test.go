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

func TestNamesThatAreCutStayApart(t *testing.T) {
	for _, c := range []struct {
		name  string
		w     int
		names []string
		want  []string
	}{
		{"which fit", 20, []string{"ns/op", "B/op"}, []string{"ns/op", "B/op"}},
		{"which differ at their ends", 13, []string{"CheckEmailAddress ns/op", "CheckEmailAddress B/op"}, []string{"CheckE… ns/op", "CheckE…s B/op"}},
		{"which differ in the middle", 10, []string{"CheckEmailAddress B/op", "CheckNameAddress B/op"}, []string{"…Emai…B/op", "…Name…B/op"}},
		{"of which some differ later", 10, []string{"CheckEmailAddress B/op", "CheckEmailsAddress B/op", "CheckNameAddress B/op"}, []string{"…Add…B/op", "…sAd…B/op", "…Name…B/op"}},
		{"in letters of more than a byte", 5, []string{"ääüxyz", "ääöxyz", "ääöxyz"}, []string{"…üxyz", "…öxyz", "…öxyz"}},
		{"in no room", 3, []string{"CheckEmail", "CheckNail"}, []string{"C…l", "C…l"}},
	} {
		got := Apart(c.names, c.w)
		for i, name := range c.names {
			if got[name] != c.want[i] {
				t.Errorf("names %s: %q is %q, want %q", c.name, name, got[name], c.want[i])
			}
		}
	}
}
