package survey

import (
	"path/filepath"
	"strings"
)

// unlimited are rules of eslint against a comment that turns all of them off, by the packages that have them. Where
// the package is not there a comment that names its rule is an error, too.
var unlimited = [][2]string{
	{"eslint-plugin-unicorn", "unicorn/no-abusive-eslint-disable"},
	{"eslint-plugin-eslint-comments", "eslint-comments/no-unlimited-disable"},
	{"@eslint-community/eslint-plugin-eslint-comments", "@eslint-community/eslint-comments/no-unlimited-disable"},
}

// unlinted begins a program that is committed with the project but is none of its code, so that a linter leaves it
// alone: many run before the tests. Modules is the folder of packages, "" where there is none.
func unlinted(modules string) string {
	var rules []string
	for _, u := range unlimited {
		for _, place := range []string{u[0], filepath.Join(".pnpm", strings.ReplaceAll(u[0], "/", "+")+"@*")} {
			if found, err := filepath.Glob(filepath.Join(modules, place)); err == nil && len(found) > 0 && modules != "" {
				rules = append(rules, u[1])
				break
			}
		}
	}
	off := "/* eslint-disable */\n"
	if len(rules) > 0 {
		off = "/* eslint-disable " + strings.Join(rules, ", ") + " */\n" + off
	}
	return off
}
