package language_test

import (
	"testing"

	"atoll/engine/agent/offline/language"
)

func TestImportsFollowWhatAFileNames(t *testing.T) {
	for name, c := range map[string]struct{ src, other, want string }{
		"a package of the other version comes into the group": {
			"package p\n\nimport (\n\t\"fmt\"\n)\n\nfunc f() { fmt.Println(strconv.Itoa(1)) }\n", "package p\n\nimport \"strconv\"\n",
			"package p\n\nimport (\n\t\"fmt\"\n\t\"strconv\"\n)\n\nfunc f() { fmt.Println(strconv.Itoa(1)) }\n",
		},
		"without a group it stands behind the package clause, with its name": {
			"package p\n\nfunc f() string { return s.Itoa(1) }\n", "package p\n\nimport s \"strconv\"\n",
			"package p\n\nimport s \"strconv\"\n\nfunc f() string { return s.Itoa(1) }\n",
		},
		"what nothing names goes": {
			"package p\n\nimport (\n\t\"fmt\"\n\t\"strconv\"\n)\n\nfunc f() string { return strconv.Itoa(1) }\n", "package p\n",
			"package p\n\nimport (\n\t\"strconv\"\n)\n\nfunc f() string { return strconv.Itoa(1) }\n",
		},
		"a declaration of one goes as a whole": {
			"package p\n\nimport \"fmt\"\n\nvar x = 1\n", "package p\n", "package p\n\n\nvar x = 1\n",
		},
		"one takes the place of another": {
			"package p\n\nimport \"fmt\"\n\nvar x = strconv.Itoa(1)\n", "package p\n\nimport \"strconv\"\n",
			"package p\n\nimport \"strconv\"\n\n\nvar x = strconv.Itoa(1)\n",
		},
		"a variable of that name is no package": {
			"package p\n\nfunc f(strconv t) { strconv.Do() }\n", "package p\n\nimport \"strconv\"\n",
			"package p\n\nfunc f(strconv t) { strconv.Do() }\n",
		},
		"imports for their effects stay":          {"package p\n\nimport _ \"embed\"\n", "package p\n", "package p\n\nimport _ \"embed\"\n"},
		"versions are no names":                   {"package p\n\nimport \"a.b/c/v2\"\n\nvar x = c.Y\n", "package p\n", "package p\n\nimport \"a.b/c/v2\"\n\nvar x = c.Y\n"},
		"text that does not parse stays as it is": {"package p\n\nfunc {", "package p\n", "package p\n\nfunc {"},
	} {
		if got := string(language.MendImports([]byte(c.src), []byte(c.other))); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestImportsAreAddedWhereAPersonWould(t *testing.T) {
	for name, c := range map[string]struct{ src, spec, want string }{
		"in their order":                   {"import (\n\t\"fmt\"\n\t\"strings\"\n)\n", `"strconv"`, "import (\n\t\"fmt\"\n\t\"strconv\"\n\t\"strings\"\n)\n"},
		"at the end":                       {"import (\n\t\"fmt\"\n\t\"strings\"\n)\n", `"unicode/utf8"`, "import (\n\t\"fmt\"\n\t\"strings\"\n\t\"unicode/utf8\"\n)\n"},
		"before a comment of the next":     {"import (\n\t\"fmt\"\n\t// texts\n\t\"strings\" // all\n)\n", `"strconv"`, "import (\n\t\"fmt\"\n\t\"strconv\"\n\t// texts\n\t\"strings\" // all\n)\n"},
		"among those of the library":       {"import (\n\t\"a.b/c\"\n\n\t\"fmt\"\n\t\"os\"\n\n\t\"x.y/z\"\n)\n", `"strings"`, "import (\n\t\"a.b/c\"\n\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n\n\t\"x.y/z\"\n)\n"},
		"in the first paragraph of them":   {"import (\n\t\"fmt\"\n\n\t\"os\"\n)\n", `"strings"`, "import (\n\t\"fmt\"\n\t\"strings\"\n\n\t\"os\"\n)\n"},
		"before those of others":           {"import (\n\t\"a.b/c\"\n)\n", `"strings"`, "import (\n\t\"strings\"\n\n\t\"a.b/c\"\n)\n"},
		"behind those of the library":      {"import (\n\t\"fmt\"\n)\n", `c "a.b/c"`, "import (\n\t\"fmt\"\n\n\tc \"a.b/c\"\n)\n"},
		"one that stands alone":            {"import \"fmt\"\n", `"strconv"`, "import (\n\t\"fmt\"\n\t\"strconv\"\n)\n"},
		"one of another kind alone":        {"import c \"a.b/c\"\n", `"strconv"`, "import (\n\t\"strconv\"\n\n\tc \"a.b/c\"\n)\n"},
		"beside C, which has to stay":      {"// #include <x.h>\nimport \"C\"\n\nimport \"os\"\n", `"fmt"`, "// #include <x.h>\nimport \"C\"\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n"},
		"a group of none":                  {"import ()\n", `"fmt"`, "import (\n\t\"fmt\"\n)\n"},
		"a group in one line":              {"import (\"os\")\n", `"fmt"`, "import (\n\t\"fmt\"\n\"os\")\n"},
		"without imports":                  {"var x int\n", `"fmt"`, "import \"fmt\"\n\nvar x int\n"},
		"what does not parse stays for it": {"import (\n", `"fmt"`, "import (\n"},
	} {
		const head = "package p\n\n"
		if got := string(language.AddImports([]byte(head+c.src), c.spec)); got != head+c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, head+c.want)
		}
	}
}
