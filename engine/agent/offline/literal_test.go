package offline

import (
	"math"
	"slices"
	"strings"
	"testing"

	"atoll/engine/agent/offline/language"
)

func TestNumbersKeepTheirForm(t *testing.T) {
	for _, c := range []struct {
		old   string
		value float64
		step  float64
		want  string
	}{
		{"0.12", 0.13737373, 0.01, "0.1374"},
		{"0.12", 0.13737373, 1e-6, "0.13737373"},
		{"0.1200", 0.13, 0.01, "0.1300"},
		{"1.", 2, 1, "2.0"},
		{"12", 17.4, 5, "17"},
		{"12", -17.4, 29, "-17"},
		{"-1.5", 0.25, 1.75, "0.25"},
		{"1_000_000", 1234567, 234567, "1_234_567"},
		{"0x1F", 255, 200, "0xFF"},
		{"0x1f", 255, 200, "0xff"},
		{"0b101", 6, 1, "0b110"},
		{"1e-9", 2.5e-9, 1.5e-9, "2.5e-9"},
		{"1E-9", 2.5e-9, 1.5e-9, "2.5E-9"},
		{"1e9", 25e9, 24e9, "2.5e10"},
		{"3.0f", 3.25, 0.25, "3.25f"},
		{"2.5f64", 1.5, 1, "1.5f64"},
		{"7u32", 9, 2, "9u32"},
		{"0.5", 1.0 / 3, 1e-20, "0.3333333333333333"},
		{"0.00012", 0.000123456, 1e-6, "0.00012346"},
	} {
		l := language.All()[".rs"]
		if strings.HasSuffix(c.old, "f") {
			l = language.All()[".c"]
		}
		src := []byte("x = " + c.old + " ;")
		lits := literals(src, l, language.Lex(src, l))
		if len(lits) != 1 {
			t.Errorf("%s: %d literals", c.old, len(lits))
			continue
		}
		got, ok := lits[0].format.write(c.value, c.step)
		if !ok || got != c.want {
			t.Errorf("%s -> %v by %v: got %q, want %q", c.old, c.value, c.step, got, c.want)
		}
	}
}

func TestNumbersThatDoNotFitAreRefused(t *testing.T) {
	float, integer := numberFormat{base: 10, decimals: 1}, numberFormat{base: 10, integer: true}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		if s, ok := float.write(v, 1); ok {
			t.Errorf("float %v was written as %s", v, s)
		}
		if s, ok := integer.write(v, 1); ok {
			t.Errorf("integer %v was written as %s", v, s)
		}
	}
}

func TestOnlyNumbersThatMayBeTunedAreLiterals(t *testing.T) {
	for _, c := range []struct {
		name, ext, src string
		want           string
	}{
		{"python", ".py", "import a3\nfrom b import c9\n# 4\nx = 'a 5' + \"6\" + f\"{7}\"\ny = -8 + a.b9 * 1.5 - 2\n\"\"\" 10\n11 \"\"\"\n__version__ = 12\nz = q - -0.5\n", "-8 1.5 2 -0.5"},
		{"go", ".go", "package p\n\nimport \"a/v2\"\n\n// 3\nvar x = `4\n5` + '6'\n\nconst y = 7.5 /* 8 */ + 0644\n\nfunc f(x1 float64) float64 { return x1-9 }\n", "7.5 9"},
		{"javascript", ".js", "import {a} from './b1.js';\nconst r = /[0-9]{2}/g.test(s) ? 1.5 : `2 ${3}`; let b = 10n / 4;\n", "1.5 10n 4"},
		{"c", ".c", "#include <a2.h>\n#version 330\nfloat a[16] = {1.0f, -2.5f, .5}; char c = '3'; x = y->z4 - 5;\n", "16 1.0f -2.5f .5 5"},
		{"rust", ".rs", "use a1::b2;\nfn f<'a>(x: &'a f64) -> f64 { x.0 + 1.5_f64 + (0..10).len() as f64 + '3' as u32 }\n", "1.5_f64 0 10"},
		{"shell", ".sh", "#!/bin/sh -2\nx=3\nfoo $1 2>&1 -n 5 --top=7 a4 # 8\n", "3 5 7"},
		{"yaml", ".yaml", "version: 1.2\nimage: a:3\nrate: 0.25\ndate: 2024-01-02\ntime: 12:30\nip: 10.0.0.1\nhash: 3f2a9c\nwait: 30s\nlist: [1.5, -2]\nname: \"a 5\"\nd: it's 6\n- 7 # 8\n", "0.25 30s 1.5 -2 6 7"},
		{"toml", ".toml", "edition = 2021\nx = 1.5\ns = \"\"\"\n4 \"\"\"\n[a.b2]\ny = -3\n", "1.5 -3"},
		{"ini", ".ini", "; 1\nrate=0.5\nschema = 3\nn = 4\n", "0.5 4"},
		{"text", ".txt", "10 -0.5 v1.2.3 1.2.3 a-4 12px 3.5\n", "10 -0.5 12px 3.5"},
		{"json", ".json", `{"version": 3, "a": [1.5, -2e-3], "b": "7"}`, "1.5 -2e-3"},
	} {
		l := language.Of("x" + c.ext)
		var got []string
		src := []byte(c.src)
		for _, lit := range literals(src, l, language.Lex(src, l)) {
			got = append(got, string(src[lit.start:lit.end]))
		}
		want := strings.Fields(c.want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
	}
}

func TestTablesAreTunedBeforeStructure(t *testing.T) {
	src := []byte("T = [0.5, 1.0, 2]\nRATE = 2.0\nfor i in range(2):\n    x = a[0] + 1.0 - y * 0.37\n")
	l := language.All()[".py"]
	w := map[string]float64{}
	for _, lit := range literals(src, l, language.Lex(src, l)) {
		w[string(src[lit.start:lit.end])+"@"+string(rune('0'+lit.line))] = lit.weight
	}
	for _, c := range []struct{ more, less string }{
		{"1.0@0", "1.0@3"}, {"2.0@1", "1.0@3"}, {"0.5@0", "2@0"}, {"2@0", "2@2"}, {"2@2", "0@3"}, {"0.37@3", "1.0@3"},
	} {
		if w[c.more] <= w[c.less] {
			t.Errorf("%s has weight %v, %s has %v", c.more, w[c.more], c.less, w[c.less])
		}
	}
}

func TestNumbersAlignAcrossInsertedCode(t *testing.T) {
	l := language.All()[".py"]
	a := []byte("x = 0.5\ny = f(1.5, 2.5)\nz = 3.5\n")
	b := []byte("x = 0.25\n# more\nw = g(9.5)\ny = f(1.75,\n      2.75)\nz = -3.5 + x\n")
	at, bt := language.Lex(a, l), language.Lex(b, l)
	pairs := alignTokens(a, at, b, bt)
	got := map[string]string{}
	for i, tok := range at {
		if tok.Kind == language.Number && pairs[i] >= 0 {
			got[tok.Text(a)] = bt[pairs[i]].Text(b)
		}
	}
	want := map[string]string{"0.5": "0.25", "1.5": "1.75", "2.5": "2.75", "3.5": "-3.5"}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is aligned with %q, want %s (%v)", k, got[k], v, got)
		}
	}
}

func TestAlignedTokensAreInOrderAndEqual(t *testing.T) {
	l := language.All()[".py"]
	texts := []string{"a b c 1 d e f", "a c 2 e f g h", "", "1 2 3", "b a c 1 d 2", strings.Repeat("q 1 ", 900), strings.Repeat("r 2 ", 900)}
	for _, x := range texts {
		for _, y := range texts {
			a, b := []byte(x), []byte(y)
			at, bt := language.Lex(a, l), language.Lex(b, l)
			last := -1
			for i, j := range alignTokens(a, at, b, bt) {
				if j < 0 {
					continue
				}
				if j <= last || at[i].Kind != bt[j].Kind || at[i].Kind != language.Number && at[i].Text(a) != bt[j].Text(b) {
					t.Fatalf("%.20q and %.20q: token %d goes to %d after %d", x, y, i, j, last)
				}
				last = j
			}
		}
	}
}

func TestWholeNumbersOfATableOfFractionsMayGetFractions(t *testing.T) {
	for _, c := range []struct {
		name, ext, src string
		whole          string // those that stay whole
	}{
		{"a Go array", ".go", "package p\n\nvar t = [3]float64{0, -10, 20}\n", "3"},
		{"rows of Go", ".go", "package p\n\nvar t = [][2]float64{{1, 2}, {3, 4}}\n", "2"},
		{"whole numbers of Go", ".go", "package p\n\nvar t = []int{1, 2, 3}\n", "1 2 3"},
		{"arguments of Go", ".go", "package p\n\nvar t = []float64{f(1, 2)}\n", "1 2"},
		{"an array of C", ".c", "static const double t[] = {1, 2,\n  3};\nint n[] = {4, 5};\n", "4 5"},
		{"a list of Python", ".py", "t = [1, 2]\n", "1 2"},
	} {
		l := language.Of("x" + c.ext)
		src := []byte(c.src)
		var whole []string
		for _, lit := range literals(src, l, language.Lex(src, l)) {
			if lit.format.integer {
				whole = append(whole, string(src[lit.start:lit.end]))
			} else if text, ok := lit.format.write(lit.value+0.5, 0.5); !ok || !strings.Contains(text, ".") {
				t.Errorf("%s: %v and a half is written as %q", c.name, lit.value, text)
			}
		}
		if !slices.Equal(whole, strings.Fields(c.whole)) {
			t.Errorf("%s: %v stay whole, want %s", c.name, whole, c.whole)
		}
	}
}
