package probe

import (
	"slices"
	"testing"
)

// all are the distinct results of an edit over many seeds.
func all(edit func(pick func(int) int) string) []string {
	var out []string
	for seed := range uint64(2000) {
		if s := edit(seeded(seed).n); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func TestPartsComeGoAndChangePlaces(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"1.2.3", []string{"1.2.3.0", "1.2.3.1", "1.2", "1.0.2.3", "1", "2.1.3", "1.2.3.3"}},
		{"a/b", []string{"a/b/0", "a", "a/b/b"}},
		{"~> 1.2", []string{"~> 1.2.0", "~> 1"}},
		{"word", []string{"word0", ""}},
		{"..", []string{".."}},
	} {
		got := all(func(pick func(int) int) string { return reparted(tt.text, pick) })
		for _, w := range tt.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q never becomes %q: %q", tt.text, w, got)
			}
		}
	}
}

func TestAnItemOfATextStandsThereTwice(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"a=1&b=2", []string{"a=1&a=1&b=2", "a=1&a=2&b=2", "a=1&b=2&b=3", "a=1&b=2&a=2", "a=1&A=1&b=2"}},
		{`{"a":1,"b":2}`, []string{`{"a":1,"a":2,"b":2}`, `{"a":1,"b":2,"b":3}`, `{"a":1,"b":2,"a":1}`}},
		{"p { color: red; } q { color: blue; }", []string{"p { color: red; }p { color: red; } q { color: blue; }", "p { color: red; }p { color: blue; } q { color: blue; }", "p { color: red; color: blue; } q { color: blue; }"}},
		{"<b>x</b>", []string{"<b>x</b>x</b>"}},
		{"word", []string{"word"}},
		{", ,", []string{", ,"}},
	} {
		got := all(func(pick func(int) int) string { return doubled(tt.text, pick) })
		for _, w := range tt.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q never becomes %q: %q", tt.text, w, got)
			}
		}
	}
}

func TestATextTakesPartsOfAnother(t *testing.T) {
	for _, tt := range []struct {
		text, other string
		want        []string
	}{
		{"~> 7.8", "1.2.3", []string{"~> 1.2.3", "~> 1.2.3.0", "~> 1.2"}},
		{"4.5-alpha", "1.2.3-beta", []string{"1.2-alpha", "4.2-alpha", "4.5-alpha.2.3-beta"}},
		{"1.2", "~> 4.5", []string{"4.5"}},
		{"--", "1.2", []string{"--1.2"}},
	} {
		got := all(func(pick func(int) int) string { return spliced(tt.text, tt.other, pick) })
		for _, w := range tt.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q beside %q never becomes %q: %q", tt.text, tt.other, w, got)
			}
		}
	}
}

func TestNumbersInTextsMayHaveManyDigits(t *testing.T) {
	g := &maker{lib: newLibrary(API{}, Literals{})}
	long := all(func(pick func(int) int) string {
		g.d = seeded(uint64(pick(1 << 30)))
		return g.numeral("12")
	})
	if !slices.ContainsFunc(long, func(s string) bool { return len(s) >= 15 && s[0] != '-' }) {
		t.Errorf("no number of fifteen digits among %d", len(long))
	}
}

func TestNumbersBehindOneBeginAnew(t *testing.T) {
	for _, c := range []struct {
		text     string
		from, up int
		want     string
	}{
		{"^1.2.3-beta.2", 0, 0, "^1.0.0-beta.0"},
		{"^1.2.3-beta.2", 1, 1, "^1.3.0-beta.0"},
		{"09:59 Uhr", 0, 1, "10:00 Uhr"},
		{"v12345678901234567890.5", 0, 1, "v12345678901234567890.0"},
	} {
		if got := rolled(c.text, digitRuns.FindAllStringIndex(c.text, -1)[c.from:], c.up); got != c.want {
			t.Errorf("%s, from number %d up by %d: got %s, want %s", c.text, c.from, c.up, got, c.want)
		}
	}
}
