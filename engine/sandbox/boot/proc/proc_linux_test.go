package proc

import "testing"

func TestProcessTableLinesWithHostileNames(t *testing.T) {
	tail := " S 7 1 1 0 -1 4194560 100 0 0 0 3 4 5 6 20 0 9 0 100 1000 50 18446744073709551615 1 1"
	for _, name := range []string{"sh", "a) Z 1 (", ") R 1 1 1 1 1", "new\nline"} {
		s, ok := parseStat([]byte("12 (" + name + ")" + tail))
		if !ok || s.parent != 7 || s.Threads != 9 || s.Cpu != 18 || s.Rss == 0 || s.Zombie {
			t.Errorf("%q: %+v %v", name, s, ok)
		}
	}
	for _, text := range []string{"", "12 (x", "12 (x) S 1"} {
		if _, ok := parseStat([]byte(text)); ok {
			t.Errorf("%q was accepted", text)
		}
	}
}
