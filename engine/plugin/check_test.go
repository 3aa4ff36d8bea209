package plugin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/plugin"
)

func TestAPluginOfEachKindInThreeLanguagesPassesTheCheck(t *testing.T) {
	t.Parallel()
	program := map[string]string{"python": "python3", "javascript": "node", "go": "go"}
	for i, lang := range plugin.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			needs(t, program[lang])
			h := host(t)
			for j, kind := range plugin.Kinds() {
				t.Run(string(kind), func(t *testing.T) {
					if (i+j)%len(program) != 0 {
						suitetest.Full(t, "each kind in each language; every day each kind is checked in one, and each language has its kinds")
					}
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

// sample gives a plug-in a folder of its own to be checked on.
func sample(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "check"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, dir, filepath.Join("check", name), text)
	}
	edit(t, dir, plugin.ManifestName, "files:", "sample: check\nfiles:")
	fill(t, dir)
}

func TestAPluginForACertainKindOfFileIsCheckedOnASampleOfItsOwn(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	h := host(t)
	rust := map[string]string{"main.rs": "fn main() { let steps = 40; }\n"}
	onlyRust := func(t *testing.T, dir string) {
		edit(t, dir, "plugin.py", "in params[\"parent\"][\"files\"]:", "in [f for f in params[\"parent\"][\"files\"] if f[\"path\"].endswith(\".rs\")]:")
	}
	for _, c := range []struct {
		name  string
		kind  plugin.Kind
		spoil func(t *testing.T, dir string)
		files map[string]string
		said  string // beside the time; "" = nothing
	}{
		{"an operator without a sample says that it has nothing to change", plugin.Operator, onlyRust, nil, "nothing to change in two small files: `sample` in plugin.yaml"},
		{"an operator with a sample", plugin.Operator, onlyRust, rust, ""},
		{"an operator that is no mutation is asked for what it carries out", plugin.Operator, func(t *testing.T, dir string) {
			edit(t, dir, plugin.ManifestName, "mutate", "tune")
			edit(t, dir, "plugin.py", "def propose(params):\n", "def propose(params):\n    assert params[\"operator\"] == \"tune\"\n")
		}, nil, ""},
		{"an operator that needs others", plugin.Operator, func(t *testing.T, dir string) {
			edit(t, dir, plugin.ManifestName, "mutate", "crossover")
			edit(t, dir, "plugin.py", "in params[\"parent\"][\"files\"]:", "in [f for o in params[\"others\"] for f in o[\"files\"]]:")
		}, rust, "nothing to change without other candidates"},
		{"an embedder with a sample of one file", plugin.Embedder, func(*testing.T, string) {}, rust, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, _ := fresh(t, c.kind, "python")
			c.spoil(t, dir)
			fill(t, dir)
			if c.files != nil {
				sample(t, dir, c.files)
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
			if got := list[2].Detail; !strings.Contains(got, c.said) || c.said == "" && strings.Contains(got, ";") {
				t.Errorf("it says %q, want %q", got, c.said)
			}
		})
	}
}
