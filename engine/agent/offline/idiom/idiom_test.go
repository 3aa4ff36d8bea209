package idiom_test

import (
	"go/token"
	"strings"
	"testing"

	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
)

// rewrites lists the rewrites of a function body among some imports, applied.
func rewrites(t *testing.T, src string) map[string]string {
	t.Helper()
	f, err := language.ParseGo([]byte(src), &language.GoSiblings{Fset: token.NewFileSet()}, func(*language.GoFile) {})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	all := idiom.Go(f, []byte(src), 26)
	for _, r := range all {
		data, err := r.Apply([]byte(src))
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		now, err := language.ParseGo(data, &language.GoSiblings{Fset: token.NewFileSet()}, func(*language.GoFile) {})
		if err != nil || now.Worse(f) {
			t.Errorf("%s does not compile: %v\n%s", r.Name, err, data)
		}
		if again := idiom.Go(now, data, 26); named(again, r.Name) >= named(all, r.Name) {
			t.Errorf("%s is offered again for its own result:\n%s", r.Name, data)
		}
		out[r.Name] = string(data)
	}
	return out
}

// named counts the rewrites of one idiom.
func named(all []idiom.Rewrite, name string) (n int) {
	for _, r := range all {
		if r.Name == name {
			n++
		}
	}
	return n
}

func TestRewritesOfGo(t *testing.T) {
	for _, tc := range []struct{ name, imports, body, idiom, want string }{
		{"a number by strconv", "fmt", "func f(n int) string { return fmt.Sprintf(\"%d\", n) }", "strconv for Sprintf", "strconv.Itoa(n)"},
		{"texts and numbers in a row", "fmt", "func f(s string, n uint8) string { return fmt.Sprintf(\"%s/%d\", s, n) }", "strconv for Sprintf", `(s + "/" + strconv.FormatUint(uint64(n), 10))`},
		{"two numbers need one import", "fmt", "func f(n, m int) string { return fmt.Sprintf(\"%d:%d\", n, m) }", "strconv for Sprintf", "import \"strconv\"\n\nfunc"},
		{"a width is no plain verb", "fmt", "func f(n int) string { return fmt.Sprintf(\"%3d\", n) }", "strconv for Sprintf", ""},
		{"a named type may have a method", "fmt", "type T string\nfunc (T) String() string { return \"\" }\nfunc f(s T) string { return fmt.Sprintf(\"%s\", s) }", "strconv for Sprintf", ""},
		{"an interface is not known", "fmt", "func f(s any) string { return fmt.Sprintf(\"%v\", s) }", "strconv for Sprintf", ""},
		{"an expression compiled once", "regexp", "func f(s string) bool { return regexp.MustCompile(`a+`).MatchString(s) }", "an expression compiled once", "var fPattern"},
		{"a pattern that is made at run time", "regexp", "func f(s string) bool { return regexp.MustCompile(s).MatchString(s) }", "an expression compiled once", ""},
		{"bytes for a builder", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tb.WriteString(s)\n\tb.WriteByte('x')\n\treturn b.String()\n}", "a slice of bytes for a Builder", "return string(b)"},
		{"a builder whose address leaves", "strings", "func g(*strings.Builder)\nfunc f(s string) string {\n\tvar b strings.Builder\n\tb.WriteString(s)\n\tg(&b)\n\treturn b.String()\n}", "a slice of bytes for a Builder", ""},
		{"grow", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tb.WriteString(s)\n\treturn b.String()\n}", "Grow before writing", "b.Grow(len(s))"},
		{"a byte for a text", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tb.WriteString(\".\")\n\treturn b.String()\n}", "WriteByte for a text of one byte", "b.WriteByte('.')"},
		{"a byte for a rune of ASCII", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tb.WriteRune(r)\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", "if r >= 0 && r < 0x80 {\n\t\t\tb.WriteByte(byte(r))"},
		{"a byte for a rune of ASCII, done already", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r >= 0 && r < 0x80 {\n\t\t\tb.WriteByte(byte(r))\n\t\t} else {\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", ""},
		{"a rune of a text that was asked for", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r < 0x80 {\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", "if r < 0x80 {\n\t\t\tb.WriteByte(byte(r))\n\t\t}\n"},
		{"a rune of a text that was asked for, into bytes", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif 'a' <= r && r < 'z' || r == '-' {\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "a slice of bytes for a Builder", "|| r == '-' {\n\t\t\tb = append(b, byte(r))\n\t\t}\n"},
		{"a rune that a switch asked for", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tswitch {\n\t\tcase r > 0x7f:\n\t\tdefault:\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", "default:\n\t\t\tb.WriteByte(byte(r))\n"},
		{"a rune that is one of some", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tswitch r {\n\t\tcase 'a', 'b':\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", "case 'a', 'b':\n\t\t\tb.WriteByte(byte(r))\n"},
		{"a rune beyond ASCII", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r >= 0x80 {\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", ""},
		{"a rune beyond ASCII, into bytes", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r < 0x80 {\n\t\t\tcontinue\n\t\t}\n\t\tb.WriteRune(r)\n\t}\n\treturn b.String()\n}", "a slice of bytes for a Builder", "continue\n\t\t}\n\t\tb = append(b, string(r)...)\n"},
		{"a rune that was one of ASCII", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r < 0x80 {\n\t\t\tr += 'z'\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", "if r >= 0 && r < 0x80 {\n\t\t\t\tb.WriteByte(byte(r))\n"},
		{"another rune was asked for", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r < 0x80 {\n\t\t\tfor _, r := range s {\n\t\t\t\tb.WriteRune(r)\n\t\t\t}\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", "if r >= 0 && r < 0x80 {\n\t\t\t\t\tb.WriteByte(byte(r))\n"},
		{"a rune that is asked for something else", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r > ' ' && r != 'x' {\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", "if r >= 0 && r < 0x80 {\n\t\t\t\tb.WriteByte(byte(r))\n"},
		{"a rune that may be negative", "strings", "func f(r rune) string {\n\tvar b strings.Builder\n\tif r < 0x80 {\n\t\tb.WriteRune(r)\n\t}\n\treturn b.String()\n}", "WriteByte for runes of ASCII", ""},
		{"a rune that may be negative, into bytes", "strings", "func f(r rune) string {\n\tvar b strings.Builder\n\tif r < 0x80 {\n\t\tb.WriteRune(r)\n\t}\n\treturn b.String()\n}", "a slice of bytes for a Builder", "if r < 0x80 {\n\t\tb = append(b, string(r)...)\n\t}\n"},
		{"a text of a rune beyond ASCII that grows", "", "func f(s string) (out string) {\n\tt := \"\"\n\tfor _, r := range s {\n\t\tif uint32(r) >= 0x80 {\n\t\t\tt += string(r)\n\t\t}\n\t}\n\treturn t\n}", "a slice of bytes for a text that grows", "if uint32(r) >= 0x80 {\n\t\t\tt = append(t, string(r)...)\n\t\t}\n"},
		{"a rune that a named constant was asked about", "strings\"\nimport \"unicode", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r < unicode.MaxASCII {\n\t\t\tb.WriteRune(r)\n\t\t\tcontinue\n\t\t}\n\t\tb.WriteString(\"..\")\n\t}\n\treturn b.String()\n}", "bytes on the stack for a Builder", "if r < unicode.MaxASCII {\n\t\t\tb = append(b, byte(r))\n\t\t\tcontinue\n"},
		{"a byte for a rune of ASCII, then into bytes", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tif r >= 0 && r < 0x80 {\n\t\t\tb.WriteByte(byte(r))\n\t\t} else {\n\t\t\tb.WriteRune(r)\n\t\t}\n\t}\n\treturn b.String()\n}", "bytes on the stack for a Builder", "\t\t} else {\n\t\t\tb = append(b, string(r)...)\n\t\t}\n\t}\n"},
		{"parts one by one", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tb.WriteString(s + \"=\" + s)\n\treturn b.String()\n}", "parts written one by one", "b.WriteString(\"=\")\n"},
		{"a short loop", "", "func f(a []int) (n int) {\n\tfor i := 0; i < 3; i++ {\n\t\tn += a[i]\n\t}\n\treturn n\n}", "a short loop unrolled", "i := 2"},
		{"a loop that is left", "", "func f(a []int) (n int) {\n\tfor i := 0; i < 3; i++ {\n\t\tif a[i] == 0 {\n\t\t\tbreak\n\t\t}\n\t}\n\treturn n\n}", "a short loop unrolled", ""},
		{"a loop that changes its own counter", "", "func f(a []int) (n int) {\n\tfor i := 0; i < 3; i++ {\n\t\ti += a[i]\n\t}\n\treturn n\n}", "a short loop unrolled", ""},
		{"a table", "", "func f(a []int) (n int) {\n\tfor i, x := range [3]int{4, 6, 9} {\n\t\tn += i * a[x]\n\t}\n\treturn n\n}", "a loop over a table unrolled", "var x int = 9"},
		{"a table once", "", "func f(a []int) (n int) {\n\tfor _, x := range []int{4, 6, 9} {\n\t\tn += a[x]\n\t}\n\treturn n\n}", "a table of constants made once", "range fTable"},
		{"one slab", "", "func f(n, k int) [][]int {\n\trows := make([][]int, n)\n\tfor i := range rows {\n\t\trows[i] = make([]int, k+1)\n\t}\n\treturn rows\n}", "rows of one slab", "rowsSlab := make([]int, len(rows)*(k+1))"},
		{"rows of different length", "", "func f(n int) [][]int {\n\trows := make([][]int, n)\n\tfor i := range rows {\n\t\trows[i] = make([]int, i+1)\n\t}\n\treturn rows\n}", "rows of one slab", ""},
		{"sorting by elements", "sort", "type v struct{ n int }\nfunc f(a []v) {\n\tsort.SliceStable(a, func(i, j int) bool { return a[i].n < a[j].n })\n}", "SortStableFunc of package slices", "if p.n < q.n {"},
		{"sorting by another slice", "sort", "func f(a, b []int) {\n\tsort.Slice(a, func(i, j int) bool { return b[i] < b[j] })\n}", "SortFunc of package slices", ""},
		{"parts in a row", "strings", "func f(s string) (n int) {\n\tfor _, p := range strings.Split(s, \",\") {\n\t\tn += len(p)\n\t}\n\treturn n\n}", "SplitSeq for a slice of parts", "for p := range strings.SplitSeq(s, \",\")"},
		{"a builder declared by its value", "strings", "func f(s string) string {\n\tb := strings.Builder{}\n\tb.WriteString(s)\n\treturn b.String()\n}", "a slice of bytes for a Builder", "b := []byte(nil)\n\tb = append(b, s...)\n\treturn string(b)"},
		{"a buffer behind a pointer", "bytes", "func f(s string) string {\n\tb := &bytes.Buffer{}\n\tb.Write([]byte{'-', '>'})\n\tb.WriteString(s)\n\tb.Truncate(b.Len() - 1)\n\treturn b.String()\n}", "bytes on the stack for a Buffer", "b := make([]byte, 0, 64)\n\tb = append(b, '-', '>')\n\tb = append(b, s...)\n\tb = b[:len(b)-1]\n"},
		{"a buffer that is read from", "bytes", "func f(s string) string {\n\tb := &bytes.Buffer{}\n\tb.WriteString(s)\n\tb.ReadByte()\n\treturn b.String()\n}", "a slice of bytes for a Buffer", ""},
		{"runes into bytes", "strings", "func f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tb.WriteRune(r)\n\t}\n\treturn b.String()\n}", "a slice of bytes for a Builder", "if uint32(r) < 0x80 {\n\t\t\tb = append(b, byte(r))\n\t\t} else {\n\t\t\tb = append(b, string(r)...)"},
		{"runes that are computed into bytes", "strings", "func g(r rune) rune { return r + 1 }\n\nfunc f(s string) string {\n\tvar b strings.Builder\n\tfor _, r := range s {\n\t\tb.WriteRune(g(r))\n\t}\n\treturn b.String()\n}", "a slice of bytes for a Builder", "\t\tb = utf8.AppendRune(b, g(r))\n"},
		{"digits of a number", "fmt", "func f(v float64, s string) string { return fmt.Sprintf(\"%.2f %s\", v, s) }", "strconv for Sprintf", "(strconv.FormatFloat(v, 'f', 2, 64) + \" \" + s)"},
		{"a format made by a format", "fmt", "func f(v float64, n int, s string) string {\n\tdigits := max(n, 0)\n\tff := \"%%.%df %%s\"\n\tg := fmt.Sprintf(ff, digits)\n\treturn fmt.Sprintf(g, v, s)\n}", "strconv for Sprintf", "\tif digits <= 1_000_000 {\n\t\treturn (strconv.FormatFloat(v, 'f', digits, 64) + \" \" + s)\n\t}\n\tff := "},
		{"a format made by a format, and something in between", "fmt", "func f(v float64, s string) string {\n\tg := fmt.Sprintf(\"%%.%df\", len(s))\n\ts = \"\"\n\treturn fmt.Sprintf(g, v)\n}", "strconv for Sprintf", "return fmt.Sprintf(g, v)"},
		{"a format with a number that may be negative", "fmt", "func f(v float64, n int) string {\n\tg := fmt.Sprintf(\"%%.%df\", n)\n\treturn fmt.Sprintf(g, v)\n}", "strconv for Sprintf", "strconv.Itoa(n)"},
		{"one of two formats", "fmt", "func f(v float64, s string) string {\n\tg := \"%.0f %s\"\n\tif v < 10 {\n\t\tg = \"%.1f %s\"\n\t}\n\treturn fmt.Sprintf(g, v, s)\n}", "strconv for one of some formats", "case \"%.1f %s\":\n\t\treturn (strconv.FormatFloat(v, 'f', 1, 64) + \" \" + s)"},
		{"one of two formats, done already", "fmt", "func f(v float64, s string) string {\n\tg := \"%.0f %s\"\n\tif v < 10 {\n\t\tg = \"%.1f %s\"\n\t}\n\tswitch g {\n\tcase \"%.0f %s\":\n\t\treturn s\n\t}\n\treturn fmt.Sprintf(g, v, s)\n}", "strconv for one of some formats", ""},
		{"a format that comes from outside", "fmt", "func f(g string, v float64) string {\n\treturn fmt.Sprintf(g, v)\n}", "strconv for one of some formats", ""},
		{"two parts", "strings", "func f(s string) int {\n\tp := strings.Split(s, \".\")\n\tn := len(p[0])\n\tif len(p) > 1 {\n\t\tn += len(p[1])\n\t}\n\treturn n\n}", "Cut for the parts of a text", "if pMore {\n\t\tn += len(pSecond)"},
		{"three parts", "strings", "func f(s string) int {\n\tp := strings.Split(s, \".\")\n\tif len(p) > 2 {\n\t\treturn len(p[2])\n\t}\n\treturn len(p[0])\n}", "Cut for the parts of a text", ""},
		{"runes of a text", "", "func f(s string) (n int) {\n\tfor _, r := range []rune(s) {\n\t\tn += int(r)\n\t}\n\treturn n\n}", "a text walked over without a slice of runes", "range s {"},
		{"places of runes", "", "func f(s string) (n int) {\n\tfor i := range []rune(s) {\n\t\tn += i\n\t}\n\treturn n\n}", "a text walked over without a slice of runes", ""},
		{"a square", "math", "func f(a []float64, m float64) (v float64) {\n\tfor i := range a {\n\t\tv += math.Pow(a[i]-m, 2)\n\t}\n\treturn v\n}", "a product for Pow", "((a[i] - m) * (a[i] - m))"},
		{"a cube", "math", "func f(a float64) float64 { return math.Pow(a, 3) }", "a product for Pow", ""},
		{"one slab in a loop that counts", "", "func f(n, k int) [][]int {\n\trows := make([][]int, n)\n\tk++\n\tfor i := 0; i < n; i++ {\n\t\trows[i] = make([]int, k)\n\t\trows[i][0] = i\n\t}\n\treturn rows\n}", "rows of one slab", "rowsSlab := make([]int, len(rows)*(k))"},
		{"one slab in a loop to the last row", "", "func f(a, b []rune) [][]int {\n\trows := make([][]int, len(a)+1)\n\tfor i := 0; i <= len(a); i++ {\n\t\trows[i] = make([]int, len(b)+1)\n\t}\n\treturn rows\n}", "rows of one slab", "rows[i] = rowsSlab[i*(len(b)+1) : (i+1)*(len(b)+1) : (i+1)*(len(b)+1)]"},
		{"a loop that comes to a row twice", "", "func f(n, k int) [][]int {\n\trows := make([][]int, n)\n\tfor i := 0; i < n; i++ {\n\t\trows[i] = make([]int, k)\n\t\ti /= 2\n\t}\n\treturn rows\n}", "rows of one slab", ""},
		{"the row of a table", "", "func f(m, k int) int {\n\trows := make([][]int, m)\n\tfor i := 1; i < m; i++ {\n\t\tfor j := 1; j < k; j++ {\n\t\t\trows[i][j] = rows[i-1][j]\n\t\t}\n\t}\n\treturn len(rows)\n}", "an element read once", "\t\t\tj := 1\n\t\t\tif j < k {\n\t\t\t\trowsHere := rows[i-1]\n\t\t\t\tfor ; j < k; j++ {\n\t\t\t\t\trows[i][j] = rowsHere[j]"},
		{"a byte of a text, with calls beside it", "", "func g(int)\nfunc f(a, b string) {\n\tfor i := range a {\n\t\tfor j := 0; j < len(b); j++ {\n\t\t\tif a[i] == b[j] {\n\t\t\t\tg(j)\n\t\t\t}\n\t\t}\n\t}\n}", "an element read once", "aHere := a[i]"},
		{"a row that a call may change", "", "func g([][]int)\nfunc f(m, k int) {\n\trows := make([][]int, m)\n\tfor i := 1; i < m; i++ {\n\t\tfor j := 1; j < k; j++ {\n\t\t\trows[i][j]++\n\t\t\tg(rows)\n\t\t}\n\t}\n}", "an element read once", ""},
		{"a number that is stored beside it", "", "func f(a, b []int, i int) {\n\tfor j := 0; j < len(b); j++ {\n\t\tb[j] += a[i]\n\t}\n}", "an element read once", ""},
		{"an element that not every round reads", "", "func f(a, b string, i int) (n int) {\n\tfor j := 0; j < len(b); j++ {\n\t\tif b[j] == 'x' && a[i] == 'y' {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}", "an element read once", ""},
		{"a class replaced", "regexp", "var dashes = regexp.MustCompile(\"-+\")\n\nfunc f(s string) string { return dashes.ReplaceAllString(s, \"-\") }", "a loop for an expression of one class", "if !(r == '-') {"},
		{"a class looked for", "regexp", "var small = regexp.MustCompile(\"[a-z]\")\n\nfunc f(s string) bool { return small.MatchString(s) }", "a loop for an expression of one class", "if 'a' <= r && r <= 'z' {"},
		{"runs of one class", "regexp", "var words = regexp.MustCompile(`[a-z]+`)\n\nfunc f(s string) []string { return words.FindAllString(s, -1) }", "a loop for an expression of classes", "\t\tcase 'a' <= r && r <= 'z':\n\t\t\ti += size\n\t\t\tfor i < len(s) {"},
		{"runs of one class or another", "regexp", "var parts = regexp.MustCompile(`(\\d+|\\D+)`)\n\nfunc f(s string) []string { return parts.FindAllString(s, -1) }", "a loop for an expression of classes", "return fFindAllString7(s)"},
		{"a split by one of a class", "regexp", "var sep = regexp.MustCompile(`[ ,]`)\n\nfunc f(s string) []string { return sep.Split(s, -1) }", "a loop for an expression of classes", "return append(out, s[last:])"},
		{"the first of a class", "regexp", "var digits = regexp.MustCompile(`[0-9]+`)\n\nfunc f(s string) string { return digits.FindString(s) }", "a loop for an expression of classes", "return s[from:i]"},
		{"some of what is found", "regexp", "var words = regexp.MustCompile(`[a-z]+`)\n\nfunc f(s string) []string { return words.FindAllString(s, 3) }", "a loop for an expression of classes", ""},
		{"as few as there may be", "regexp", "var words = regexp.MustCompile(`[a-z]+?|x`)\n\nfunc f(s string) []string { return words.FindAllString(s, -1) }", "a loop for an expression of classes", ""},
		{"a template", "regexp", "var small = regexp.MustCompile(\"[a-z]\")\n\nfunc f(s string) string { return small.ReplaceAllString(s, \"$0$0\") }", "a loop for an expression of one class", ""},
		{"an expression that others may change", "regexp", "var Small = regexp.MustCompile(\"[a-z]\")\n\nfunc f(s string) bool { return Small.MatchString(s) }", "a loop for an expression of one class", ""},
		{"an expression of two classes", "regexp", "var small = regexp.MustCompile(\"[a-z][0-9]\")\n\nfunc f(s string) bool { return small.MatchString(s) }", "a loop for an expression of one class", ""},
		{"an expression of two classes looked for", "regexp", "var small = regexp.MustCompile(\"^[a-z]+[0-9]$\")\n\nfunc f(s string) bool { return small.MatchString(s) }", "an automaton for an expression", "func f(s string) bool { return smallFinds(s) }"},
		{"an expression of two classes replaced", "regexp", "var small = regexp.MustCompile(\"[a-z][0-9]\")\n\nfunc f(s string) string { return small.ReplaceAllString(s, \"$0$0\") }", "an automaton before an expression", "\tif !smallFinds(s) {\n\t\treturn s\n\t}\n\treturn small.ReplaceAllString(s, with)"},
		{"the borders of words", "regexp", "var word = regexp.MustCompile(`\\bof\\b`)\n\nfunc f(s string) bool { return word.MatchString(s) }", "an automaton for an expression", ""},
		{"an expression that finds nothing everywhere", "regexp", "var any = regexp.MustCompile(\"a*b*\")\n\nfunc f(s string) string { return any.ReplaceAllString(s, \"-\") }", "an automaton before an expression", ""},
		{"a name that is taken by another", "regexp", "var small = regexp.MustCompile(\"[a-z][0-9]\")\n\nfunc smallFinds() {}\n\nfunc f(s string) bool { return small.MatchString(s) }", "an automaton for an expression", ""},
		{"a number of a named type", "fmt", "type size uint64\n\nfunc (s size) String() string { return fmt.Sprintf(\"%dB\", s) }", "strconv for Sprintf", "(strconv.FormatUint(uint64(uint64(s)), 10) + \"B\")"},
		{"a text of a named type", "fmt", "type word string\n\nfunc (w word) Long() bool { return len(w) > 3 }\nfunc f(w word) string { return fmt.Sprintf(\"-%s\", w) }", "strconv for Sprintf", "(\"-\" + string(w))"},
		{"a named type that writes itself", "fmt", "type size int\n\nfunc (s size) Format(fmt.State, rune) {}\nfunc f(s size) string { return fmt.Sprintf(\"%d\", s) }", "strconv for Sprintf", ""},
		{"a buffer made of nothing", "bytes", "func f(s string) string {\n\tb := bytes.NewBufferString(\"\")\n\tfor _, r := range s {\n\t\tb.WriteRune(r)\n\t}\n\treturn b.String()\n}", "a slice of bytes for a Buffer", "b := []byte(nil)"},
		{"a buffer made of a text", "bytes", "func f(s string) string {\n\tb := bytes.NewBufferString(\"x\")\n\tb.WriteString(s)\n\treturn b.String()\n}", "a slice of bytes for a Buffer", ""},
		{"the text of a rune appended", "", "func f(b []byte, r rune) []byte {\n\tb = append(b, string(r)...)\n\treturn b\n}", "a byte for the text of a rune", "if uint32(r) < 0x80 {\n\t\tb = append(b, byte(r))\n\t} else {"},
		{"the text of a rune appended, done already", "", "func f(b []byte, r rune) []byte {\n\tif uint32(r) < 0x80 {\n\t\tb = append(b, byte(r))\n\t} else {\n\t\tb = append(b, string(r)...)\n\t}\n\treturn b\n}", "a byte for the text of a rune", ""},
		{"the text of a byte is no byte", "", "func f(b []byte, c byte) []byte {\n\tb = append(b, string(c)...)\n\treturn b\n}", "a byte for the text of a rune", ""},
		{"runes that become a text", "", "func f(s string) string {\n\tb := make([]rune, 0, len(s))\n\tfor _, r := range s {\n\t\tif len(b) > 0 {\n\t\t\tb = append(b, '-')\n\t\t}\n\t\tb = append(b, r)\n\t}\n\treturn string(b)\n}", "bytes for a slice of runes", "b := make([]byte, 0, len(s))\n\tfor _, r := range s {\n\t\tif len(b) > 0 {\n\t\t\tb = fRune(b, '-')"},
		{"runes that are read", "", "func f(s string) string {\n\tvar b []rune\n\tfor _, r := range s {\n\t\tb = append(b, r)\n\t}\n\tb[0] = 'x'\n\treturn string(b)\n}", "bytes for a slice of runes", ""},
		{"runes that are counted", "", "func f(s string) (string, int) {\n\tvar b []rune\n\tfor _, r := range s {\n\t\tb = append(b, r)\n\t}\n\treturn string(b), len(b)\n}", "bytes for a slice of runes", ""},
		{"a text that grows", "", "func f(all []string) string {\n\tvar out string\n\tfor _, s := range all {\n\t\tif out != \"\" {\n\t\t\tout += \", \"\n\t\t}\n\t\tout += s + \"=\"\n\t}\n\treturn out\n}", "a slice of bytes for a text that grows", "if len(out) != 0 {\n\t\t\tout = append(out, \", \"...)\n\t\t}\n\t\tout = append(append(out, s...), \"=\"...)\n\t}\n\treturn string(out)"},
		{"a text that grows and begins anew", "", "func f(s string) (all []string) {\n\tcur := \"\"\n\tfor _, r := range s {\n\t\tif r == ' ' {\n\t\t\tall = append(all, cur)\n\t\t\tcur = \"\"\n\t\t}\n\t\tcur += string(r)\n\t}\n\tcur = cur + s[1:]\n\treturn append(all, cur)\n}", "a slice of bytes for a text that grows", "all = append(all, string(cur))\n\t\t\tcur = append(cur[:0], \"\"...)"},
		{"a text whose address is taken", "", "func g(*string)\nfunc f(all []string) string {\n\tvar out string\n\tfor _, s := range all {\n\t\tout += s\n\t}\n\tg(&out)\n\treturn out\n}", "a slice of bytes for a text that grows", ""},
		{"a text that grows once", "", "func f(s string) string {\n\tvar out string\n\tout += s\n\treturn out\n}", "a slice of bytes for a text that grows", ""},
		{"a byte as a text", "strings", "func f(b byte, s string) bool { return strings.ContainsAny(string(b), s) }", "ContainsRune for ContainsAny", "strings.ContainsRune(s, rune(b))"},
		{"one look into a map", "", "func f(all []string) map[string]int {\n\tm := map[string]int{}\n\tfor _, s := range all {\n\t\tn, _ := m[s]\n\t\tm[s] = n + 1\n\t}\n\treturn m\n}", "one look into a map for two", "\t\tm[s] += 1\n"},
		{"one look into a map with a variable from outside", "", "func f(all []string, m, o map[string]int) {\n\tfor _, s := range all {\n\t\tif n, ok := o[s]; ok && n > 0 {\n\t\t\tn, _ = m[s]\n\t\t\tm[s] = n - o[\"\"]\n\t\t\tn = m[s]\n\t\t\tm[s] = n << 1\n\t\t}\n\t}\n}", "one look into a map for two", "m[s] <<= 1"},
		{"what was looked up is used behind", "", "func f(m map[string]int, s string) int {\n\tn := m[s]\n\tm[s] = n + 1\n\treturn n\n}", "one look into a map for two", ""},
		{"what was looked up is seen by the next turn", "", "func f(all []string, m map[string]int) (k int) {\n\tn := 0\n\tfor _, s := range all {\n\t\tk += n\n\t\tn = m[s]\n\t\tm[s] = n + 1\n\t}\n\treturn k\n}", "one look into a map for two", ""},
		{"a slice is no map", "", "func f(m []int, s int) {\n\tn := m[s]\n\tm[s] = n + 1\n}", "one look into a map for two", ""},
		{"two keys", "", "func f(m map[string]int, s, t string) {\n\tn := m[s]\n\tm[t] = n + 1\n}", "one look into a map for two", ""},
		{"a function may change the map", "", "func f(m map[string]int, s string, g func() int) {\n\tn := m[s]\n\tm[s] = n + g()\n}", "one look into a map for two", ""},
		{"a slice that a loop fills", "", "func f(a []int) []int {\n\tout := []int{}\n\tfor _, v := range a {\n\t\tout = append(out, v+1)\n\t}\n\treturn out\n}", "room for a slice that a loop fills", "out := make([]int, 0, len(a))\n"},
		{"a slice that gets two in each turn by an index", "", "func f(a string) []byte {\n\tout := make([]byte, 0)\n\tfor i := 0; i < len(a); i++ {\n\t\tout = append(out, a[i], ' ')\n\t}\n\treturn out\n}", "room for a slice that a loop fills", "out := make([]byte, 0, 2*len(a))\n"},
		{"a slice that gets two in each turn, one by one", "", "func f(a []int) []int {\n\tout := []int{}\n\tfor _, v := range a {\n\t\tout = append(out, v)\n\t\tout = append(out, -v)\n\t}\n\treturn out\n}", "room for a slice that a loop fills", "out := make([]int, 0, 2*len(a))\n"},
		{"a slice that is nil where there is nothing", "", "func f(a []int) []int {\n\tvar out []int\n\tfor _, v := range a {\n\t\tout = append(out, v+1)\n\t}\n\treturn out\n}", "room for a slice that a loop fills", "\tvar out []int\n\tif len(a) > 0 {\n\t\tout = make([]int, 0, len(a))\n\t}\n"},
		{"a slice that may stay nil", "", "func f(a []int) []int {\n\tvar out []int\n\tfor _, v := range a {\n\t\tif v == 0 {\n\t\t\tcontinue\n\t\t}\n\t\tout = append(out, v+1)\n\t}\n\treturn out\n}", "room for a slice that a loop fills", ""},
		{"a slice whose room is asked for", "", "func f(a []int) ([]int, int) {\n\tout := []int{}\n\tfor _, v := range a {\n\t\tout = append(out, v)\n\t}\n\treturn out, cap(out)\n}", "room for a slice that a loop fills", ""},
		{"a loop over what is made behind", "", "func g() []int\nfunc f() []int {\n\tout := []int{}\n\ta := g()\n\tfor _, v := range a {\n\t\tout = append(out, v)\n\t}\n\treturn out\n}", "room for a slice that a loop fills", ""},
		{"a loop over what changes before it", "", "func g() []int\nfunc f(a []int) []int {\n\tout := []int{}\n\ta = g()\n\tfor _, v := range a {\n\t\tout = append(out, v)\n\t}\n\treturn out\n}", "room for a slice that a loop fills", ""},
		{"a slice of parts with an element that is called for", "", "func f(a []int, b []int) []int { return append(append([]int{1, len(\"x\")}, a...), b...) }", "room for a slice of parts", ""},
		{"a slice of an element and another", "", "func f(a []int, n int) []int { return append([]int{n}, a...) }", "room for a slice of parts", "append(append(make([]int, 0, 1+len(a)), n), a...)"},
		{"a slice of two", "", "func f(a []byte, b string) []byte { return append(append([]byte{}, a...), b...) }", "room for a slice of parts", "append(append(make([]byte, 0, len(a)+len(b)), a...), b...)"},
		{"a copy of a slice", "", "func f(a []int) []int { return append([]int{}, a...) }", "room for a slice of parts", ""},
		{"a slice of what is made meanwhile", "", "func g() []int\nfunc f(a []int) []int { return append([]int{1}, g()...) }", "room for a slice of parts", ""},
		{"a slice of parts behind another's", "", "func f(a, b []int) []int { return append(append(a, 1), b...) }", "room for a slice of parts", ""},
		{"a map that a loop fills", "", "func f(a []string) map[string]bool {\n\tseen := make(map[string]bool)\n\tfor _, s := range a {\n\t\tseen[s] = true\n\t}\n\treturn seen\n}", "room for a map that a loop fills", "seen := make(map[string]bool, len(a))\n"},
		{"sorting by methods", "sort", "type v struct{ n int }\ntype by []v\nfunc (b by) Len() int { return len(b) }\nfunc (b by) Less(i, j int) bool { return b[i].n < b[j].n }\nfunc (b by) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\nfunc f(a []v) { sort.Sort(by(a)) }", "SortFunc of package slices", "slices.SortFunc(a, func(p, q v) int {\n\t\tif p.n < q.n {"},
		{"sorting by methods the other way", "sort", "type by []int\nfunc (b by) Len() int { return len(b) }\nfunc (b by) Less(i, j int) bool { return b[i] < b[j] }\nfunc (b by) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\nfunc f(a by) { sort.Stable(sort.Reverse(a)) }", "SortStableFunc of package slices", "slices.SortStableFunc(a, func(p, q int) int {\n\t\tif q < p {"},
		{"sorting by methods that swap more", "sort", "type by []int\nfunc (b by) Len() int { return len(b) }\nfunc (b by) Less(i, j int) bool { return b[i] < b[j] }\nfunc (b by) Swap(i, j int) { b[i], b[j], b[0] = b[j], b[i], b[0] }\nfunc f(a by) { sort.Sort(a) }", "SortFunc of package slices", ""},
		{"an error of a constant text", "fmt", "func f() error { return fmt.Errorf(\"none\") }", "an error without a format", "errors.New(\"none\")"},
		{"an error with a sign of a format", "fmt", "func f() error { return fmt.Errorf(\"100%%\") }", "an error without a format", ""},
		{"the first part", "strings", "func f(s string) string {\n\tp := strings.Split(s, \",\")[0]\n\treturn p\n}", "Cut for Split", "p, _, _ := strings.Cut(s, \",\")"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := "package p\n\n"
			if tc.imports != "" {
				src += "import \"" + tc.imports + "\"\n\n"
			}
			got := rewrites(t, src+tc.body+"\n")[tc.idiom]
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s", got)
			}
			if tc.want != "" && strings.Contains(got, "\"fmt\"") && !strings.Contains(got, "fmt.") {
				t.Errorf("an import that nothing names stays:\n%s", got)
			}
		})
	}
}

func TestAnExpressionThatNothingUsesAnyMoreGoes(t *testing.T) {
	const use = "func f(s string) []string { return parts.FindAllString(s, -1) }\n"
	for name, c := range map[string]struct {
		src   string
		where string // another file names it
		goes  bool
	}{
		"with its comment":                {"import \"regexp\"\n\n// parts are words.\nvar parts = regexp.MustCompile(`[a-z]+`)\n\n" + use, "", true},
		"among others":                    {"import \"regexp\"\n\nvar (\n\t// parts are words.\n\tparts = regexp.MustCompile(`[a-z]+`)\n\tX = 1\n)\n\n" + use, "", true},
		"where it is used again it stays": {"import \"regexp\"\n\nvar parts = regexp.MustCompile(`[a-z]+`)\n\nvar other = parts\n\n" + use, "", false},
		"where another file names it":     {"import \"regexp\"\n\nvar parts = regexp.MustCompile(`[a-z]+`)\n\n" + use, "parts", false},
	} {
		src := "package p\n\n" + c.src
		f, err := language.ParseGo([]byte(src), &language.GoSiblings{Fset: token.NewFileSet(), Elsewhere: func(name string) bool { return name == c.where }}, func(*language.GoFile) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range idiom.Go(f, []byte(src), 26) {
			out, err := r.Apply([]byte(src))
			if r.Name != "a loop for an expression of classes" {
				continue
			}
			text := string(out)
			if gone := !strings.Contains(text, "MustCompile") && !strings.Contains(text, "\"regexp\"") && !strings.Contains(text, "parts are words"); err != nil || gone != c.goes {
				t.Errorf("%s: gone is %v (%v)\n%s", name, gone, err, text)
			}
			if strings.Contains(c.src, "X = 1") != strings.Contains(text, "X = 1") {
				t.Errorf("%s: another variable went\n%s", name, text)
			}
		}
	}
}

func TestAComputedRuneIsWrittenOnceInOldVersionsOfGo(t *testing.T) {
	src := "package p\n\nimport \"strings\"\n\nfunc g(r rune) rune { return r + 1 }\n\nfunc f(s string) string {\n\tvar b strings.Builder\n\tfor _, written := range s {\n\t\tb.WriteRune(g(written))\n\t}\n\treturn b.String()\n}\n"
	f, err := language.ParseGo([]byte(src), &language.GoSiblings{Fset: token.NewFileSet()}, func(*language.GoFile) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range idiom.Go(f, []byte(src), 12) {
		if r.Name != "a slice of bytes for a Builder" {
			continue
		}
		out, err := r.Apply([]byte(src))
		now, parseErr := language.ParseGo(out, &language.GoSiblings{Fset: token.NewFileSet()}, func(*language.GoFile) {})
		if err != nil || parseErr != nil || now.Worse(f) || !strings.Contains(string(out), "written := rune(g(written))\n\t\t\tif uint32(written) < 0x80 {\n\t\t\t\tb = append(b, byte(written))\n") {
			t.Errorf("%v, %v\n%s", err, parseErr, out)
		}
		return
	}
	t.Error("no rewrite was found")
}

func TestOfAFileThatIsNotFormattedTheChangedFunctionsAre(t *testing.T) {
	src := "package p\n\nfunc f(a []int)   (n int) {\nfor i := 0; i < 2; i++ {\nn += a[i]\n}\nreturn n\n}\n\nvar   x = 1\n"
	got := rewrites(t, src)["a short loop unrolled"]
	if !strings.HasPrefix(got, "package p\n\nfunc f(a []int) (n int) {\n\t{\n\t\t{\n\t\t\ti := 0\n") || !strings.HasSuffix(got, "\n}\n\nvar   x = 1\n") {
		t.Errorf("got\n%s", got)
	}
}
