package language

import "testing"

func TestFunctionsOfJavaScriptAreFoundByTheNamesTheyAreGiven(t *testing.T) {
	const text = "var encode = function(text) {\n\treturn text + 1;\n};\nfunction plain(a) { return a; }\nmodule.exports = { decode: function (text) { return text; } };\nlist.map(function (x) { return x; });\n"
	l := Of("he.js")
	s := &Source{Data: []byte(text), Lang: l, Toks: Lex([]byte(text), l)}
	for _, tt := range []struct{ name, want string }{
		{"encode", "var encode = function(text) {\n\treturn text + 1;\n}"},
		{"plain", "function plain(a) { return a; }"},
		{"decode", "decode: function (text) { return text; }"},
		{"list", ""},
	} {
		lo, hi, ok := SymbolSpan(s, tt.name)
		if got := text[lo:hi]; ok != (tt.want != "") || got != tt.want {
			t.Errorf("%s is %q, want %q", tt.name, got, tt.want)
		}
	}
}
