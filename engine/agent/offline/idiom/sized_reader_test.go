package idiom_test

import (
	"bufio"
	"strings"
	"testing"
)

func TestAReaderOfAShortTextHasAShortBuffer(t *testing.T) {
	const scan = "func f(s string) (n int) {\n\tsc := bufio.NewScanner(strings.NewReader(s))\n\tfor sc.Scan() {\n\t\tn++\n\t}\n\treturn n\n}"
	for _, tc := range []struct{ name, body, elsewhere, want string }{
		{"a scanner", scan, "", "sc := fScanner(strings.NewReader(s))"},
		{"a reader", "func f(s string) (rune, int, error) {\n\treturn bufio.NewReader(strings.NewReader(s)).ReadRune()\n}", "", "return fReader(strings.NewReader(s)).ReadRune()"},
		{"a reader that others are given", "func f(s string) *bufio.Reader {\n\treturn bufio.NewReader(strings.NewReader(s))\n}", "", ""},
		{"a reader in a field that others see", "type T struct{ R *bufio.Reader }\n\nfunc f(s string) T {\n\treturn T{bufio.NewReader(strings.NewReader(s))}\n}", "", ""},
		{"a reader that is looked ahead in", "func f(s string) ([]byte, error) {\n\treturn bufio.NewReader(strings.NewReader(s)).Peek(9)\n}", "", ""},
		{"a scanner whose buffer another file may set", scan, "Buffer", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := "package p\n\nimport (\n\t\"bufio\"\n\t\"strings\"\n)\n\n" + tc.body + "\n"
			got := rewriteIn(t, src, "a buffer as long as a short text", tc.elsewhere)
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// A scanner with a buffer as long as its text gives what one with a long buffer gives.
func TestAScannerWithAShortBufferScansTheSame(t *testing.T) {
	all := func(s string, short bool) (out []string, err error) {
		sc := bufio.NewScanner(strings.NewReader(s))
		if short && len(s)+16 < 4096 {
			sc.Buffer(make([]byte, len(s)+16), bufio.MaxScanTokenSize)
		}
		for sc.Scan() {
			out = append(out, sc.Text())
		}
		return out, sc.Err()
	}
	for _, s := range []string{"", "\n", "a", "a\n", "a\r\n\r\nb", strings.Repeat("x", 4000), strings.Repeat("x\n", 2000), strings.Repeat("x", 70_000)} {
		long, longErr := all(s, false)
		short, shortErr := all(s, true)
		if strings.Join(long, "|") != strings.Join(short, "|") || longErr != shortErr {
			t.Errorf("a text of %d bytes is scanned in another way: %v, %v", len(s), longErr, shortErr)
		}
	}
}
