package idiom_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// TestLoopsTakeTextsApartAsTheirExpressionsDo asks both for texts of all kinds of bytes.
func TestLoopsTakeTextsApartAsTheirExpressionsDo(t *testing.T) {
	suitetest.Full(t, "a program is compiled and asks five thousand texts; TestRewritesOfGo looks at the same rewrites every day")
	t.Parallel()
	src := "package main\n\nimport (\n\t\"fmt\"\n\t\"math/rand/v2\"\n\t\"os\"\n\t\"reflect\"\n\t\"regexp\"\n)\n\n"
	var checks strings.Builder
	for i, c := range []struct{ pattern, call string }{
		{`[a-z]+`, "FindAllString(s, -1)"},
		{`(\d+|\D+)`, "FindAllString(s, -1)"},
		{`([a-c]+)|[b-d1]|\x{e9}+`, "FindAllString(s, -1)"},
		{`\W`, "FindAllString(s, -1)"},
		{`[ ,]`, "Split(s, -1)"},
		{`[^a-z]+`, "Split(s, -1)"},
		{`a+|1`, "Split(s, -1)"},
		{`[0-9]+`, "FindString(s)"},
		{`\x{fffd}`, "FindString(s)"},
	} {
		result := "[]string"
		if strings.HasPrefix(c.call, "FindString") {
			result = "string"
		}
		src += fmt.Sprintf("var p%d = regexp.MustCompile(%q)\n\nfunc f%d(s string) %s { return p%d.%s }\n\n", i, c.pattern, i, result, i, c.call)
		fmt.Fprintf(&checks, "\t\tif got, want := f%d(s), regexp.MustCompile(p%d.String()).%s; !reflect.DeepEqual(got, want) {\n\t\t\tfmt.Printf(\"%%q by %%s: %%q, not %%q\\n\", s, p%d, got, want)\n\t\t\tos.Exit(1)\n\t\t}\n", i, i, c.call, i)
	}
	src += "func main() {\n\tparts := []string{\"a\", \"bc\", \"d\", \"1\", \"23\", \" \", \",\", \"\\u00e9\", \"\\xff\", \"\\u0663\", \"\\n\", \"\\ufffd\"}\n\tfor range 5000 {\n\t\ts := \"\"\n\t\tfor range rand.IntN(7) {\n\t\t\ts += parts[rand.IntN(len(parts))]\n\t\t}\n" + checks.String() + "\t}\n}\n"
	made := 0
	for {
		next, ok := rewrites(t, src)["a loop for an expression of classes"]
		if !ok {
			break
		}
		src, made = next, made+1
	}
	if made != 9 {
		t.Fatalf("%d calls were rewritten, want 9:\n%s", made, src)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, src)
	}
}
