package plugin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/plugin"
)

func TestAPluginOfEachKindInThreeLanguagesPassesTheCheck(t *testing.T) {
	t.Parallel()
	program := map[string]string{"python": "python3", "javascript": "node", "go": "go"}
	for _, lang := range plugin.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			needs(t, program[lang])
			h := host(t)
			for _, kind := range plugin.Kinds() {
				t.Run(string(kind), func(t *testing.T) {
					dir, build := fresh(t, kind, lang)
					if build != "" {
						words := strings.Fields(build)
						cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
						cmd.Dir = dir
						if out, err := cmd.CombinedOutput(); err != nil {
							t.Fatalf("%s: %v\n%s", build, err, out)
						}
						fill(t, dir)
					}
					list, err := plugin.Check(t.Context(), h, nil, dir)
					if err != nil {
						t.Fatal(err)
					}
					for _, v := range list {
						if !v.OK {
							t.Errorf("%s: %s", v.Name, v.Detail)
						}
					}
					if len(list) < 4 {
						t.Errorf("only %d points were checked: %v", len(list), list)
					}
				})
			}
		})
	}
}

func TestAnExampleHasLessThanSixtyLines(t *testing.T) {
	t.Parallel()
	file := map[string]string{"python": "plugin.py", "javascript": "plugin.js", "go": "main.go"}
	for _, lang := range plugin.Languages() {
		for _, kind := range plugin.Kinds() {
			dir, _ := fresh(t, kind, lang)
			text, err := os.ReadFile(filepath.Join(dir, file[lang]))
			if err != nil {
				t.Fatal(err)
			}
			most := 60
			if n := strings.Count(string(text), "\n"); n >= most {
				t.Errorf("the %s in %s has %d lines", kind, lang, n)
			}
			if strings.Contains(string(text), "\n\n\n\n") {
				t.Errorf("the %s in %s has a hole:\n%s", kind, lang, text)
			}
		}
	}
}
