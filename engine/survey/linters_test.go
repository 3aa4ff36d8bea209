package survey

import (
	"os"
	"path/filepath"
	"testing"
)

func TestALinterLeavesTheProgramsOfAnEvaluatorAlone(t *testing.T) {
	const off = "/* eslint-disable */\n"
	for name, c := range map[string]struct {
		installed []string
		want      string
	}{
		"nothing is installed": {nil, off},
		"a plug-in with a rule against such a comment": {
			[]string{"eslint-plugin-unicorn", "eslint"}, "/* eslint-disable unicorn/no-abusive-eslint-disable */\n" + off,
		},
		"two of them, in the folder of pnpm": {
			[]string{".pnpm/eslint-plugin-unicorn@48.0.1_eslint", ".pnpm/@eslint-community+eslint-plugin-eslint-comments@4.4.1"},
			"/* eslint-disable unicorn/no-abusive-eslint-disable, @eslint-community/eslint-comments/no-unlimited-disable */\n" + off,
		},
	} {
		modules := t.TempDir()
		for _, p := range c.installed {
			if err := os.MkdirAll(filepath.Join(modules, p), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if got := unlinted(modules); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := unlinted(""); got != off {
		t.Errorf("no modules: %q", got)
	}
}
