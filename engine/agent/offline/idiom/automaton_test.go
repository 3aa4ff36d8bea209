package idiom_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"atoll/engine/agent/offline/idiom"
)

func TestAnAutomatonMatchesWhatItsExpressionMatches(t *testing.T) {
	alphabet := []rune("aAbBzZ09 -._+%/\n\tkK\u212aé\u00c9日\ufffd\U0010ffff")
	for _, pattern := range []string{
		`^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$`, `(?i)k+$`, `^$`, ``, `a*b`, `\A[/_][^/ ]?|a:|b+B`, `[^[:alnum:]\-.]{2}`, `^(a|b)(z|Z)(0|9)?$`, `(?s)a.b`, `a.b`, `\d{3}$`, `[^\x00-\x7f]+a`, `^\s+|\s+$`, `é|\x{FFFD}`, `(a|aa)+\z`,
	} {
		a := idiom.NewAutomaton(pattern)
		if a == nil {
			t.Errorf("%s has none", pattern)
			continue
		}
		re, rng := regexp.MustCompile(pattern), rand.New(rand.NewPCG(1, 2))
		for range 3000 {
			text := make([]rune, rng.IntN(9))
			for i := range text {
				text[i] = alphabet[rng.IntN(len(alphabet))]
			}
			s := string(text)
			if rng.IntN(4) == 0 {
				s += string([]byte{byte(0x80 + rng.IntN(128))})
			}
			if a.Match(s) != re.MatchString(s) {
				t.Fatalf("%s: %q matches: %v, by its automaton %v", pattern, s, re.MatchString(s), a.Match(s))
			}
		}
	}
	for _, pattern := range []string{`\bword\b`, `(?m)^a$`, `\p{L}+`, `(a|b)*a(a|b){9}`, `(`} {
		if idiom.NewAutomaton(pattern) != nil {
			t.Errorf("%s has one", pattern)
		}
	}
}
