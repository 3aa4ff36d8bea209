package sandbox

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

func TestStreamKeepsHeadAndTail(t *testing.T) {
	text := func(n int) []byte { // every byte tells where it stood
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789abcdefghijklmnopqrstuvwxy\n"[i%36]
		}
		return b
	}
	for _, tc := range []struct {
		name     string
		size     int
		max      int64
		cut      int64
		head     int
		overTold bool
	}{
		{"nothing", 0, 100, 0, 0, false},
		{"within the quota all is kept", 1000, 1000, 0, 1000, false},
		{"beyond the quota the rest is lost", 1001, 1000, 1, 1000, true},
		{"what does not fit leaves a gap", 3 << 20, 4 << 20, 2 << 20, 256 << 10, false},
		{"a gap and a loss add up", 5 << 20, 4 << 20, 4 << 20, 256 << 10, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := text(tc.size)
			told := 0
			q := &quota{max: tc.max, over: func() { told++ }}
			var s stream
			s.read(iotest.HalfReader(bytes.NewReader(all)), q)
			got, cut := s.bytes()
			if cut != tc.cut || (told == 1) != tc.overTold || told > 1 {
				t.Errorf("cut %d, told %d times; want %d, %v", cut, told, tc.cut, tc.overTold)
			}
			if !bytes.HasPrefix(got, all[:tc.head]) {
				t.Error("the head is not that of the text")
			}
			within := all[:min(int64(len(all)), tc.max)]
			if n := min(len(within), 768<<10); !bytes.HasSuffix(got, within[len(within)-n:]) {
				t.Error("the tail is not that of the text")
			}
			if gap := strings.Contains(string(got), "bytes left out"); gap != (tc.size > maxKept && tc.max > maxKept) {
				t.Errorf("says that bytes are left out: %v", gap)
			}
		})
	}
}

func TestStreamLines(t *testing.T) {
	long := strings.Repeat("x", maxLine+10)
	var got []string
	s := stream{each: func(line string) { got = append(got, line) }}
	s.read(iotest.OneByteReader(strings.NewReader("one\n\n"+long+"\nlast")), &quota{max: 1 << 20})
	want := []string{"one", "", long[:maxLine], "last"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("lines %q, want %q", got, want)
	}
}
