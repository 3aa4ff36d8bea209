package language

import "testing"

func TestFunctionsOfJavaScriptAreFoundByTheNamesTheyAreGiven(t *testing.T) {
	const text = "var encode = function(text) {\n\treturn text + 1;\n};\nfunction plain(a) { return a; }\nmodule.exports = { decode: function (text) { return text; } };\nlist.map(function (x) { return x; });\n" +
		"const append = (queue = '', { deep = [] } = {}) => {\n\treturn queue + deep;\n};\nexport const walk = async node => { await node; };\nlist.each(x => { x(); });\nconst table = { size: (a) => { return a; } };\nconst short = a => a + 1;\n"
	l := Of("he.js")
	s := &Source{Data: []byte(text), Lang: l, Toks: Lex([]byte(text), l)}
	for _, tt := range []struct{ name, want string }{
		{"encode", "var encode = function(text) {\n\treturn text + 1;\n}"},
		{"plain", "function plain(a) { return a; }"},
		{"decode", "decode: function (text) { return text; }"},
		{"list", ""},
		{"append", "const append = (queue = '', { deep = [] } = {}) => {\n\treturn queue + deep;\n}"},
		{"walk", "export const walk = async node => { await node; }"},
		{"size", "size: (a) => { return a; }"},
		{"x", ""},
	} {
		lo, hi, ok := SymbolSpan(s, tt.name)
		if got := text[lo:hi]; ok != (tt.want != "") || got != tt.want {
			t.Errorf("%s is %q, want %q", tt.name, got, tt.want)
		}
	}
}
