package language_test

import (
	"testing"

	"atoll/engine/agent/offline/language"
)

func TestImportsFollowWhatAFileNames(t *testing.T) {
	for name, c := range map[string]struct{ src, other, want string }{
		"a package of the other version comes into the group": {
			"package p\n\nimport (\n\t\"fmt\"\n)\n\nfunc f() { fmt.Println(strconv.Itoa(1)) }\n", "package p\n\nimport \"strconv\"\n",
			"package p\n\nimport (\n\t\"strconv\"\n\t\"fmt\"\n)\n\nfunc f() { fmt.Println(strconv.Itoa(1)) }\n",
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
