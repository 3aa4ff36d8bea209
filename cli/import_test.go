package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// imported is what an import is tried on: a folder of the other system, with a
// repository in it or beside it.
type imported struct {
	name  string
	files map[string]string // below one folder; repo/ is the repository
	args  []string          // of import, in the repository
}

// TestImportsWriteWhatRunAccepts runs what an import wrote through the checks
// that a run makes before anything is spent, and then, with an agent that needs no
// key, for one job.
func TestImportsWriteWhatRunAccepts(t *testing.T) {
	for _, c := range suitetest.Every(2, []imported{
		{
			name: "a Loreley experiment whose evaluator lies beside the repository",
			files: map[string]string{
				".env": "EXPERIMENT_ID=circles\nWORKER_EVALUATOR_PLUGIN=evaluate:plugin\nWORKER_EVALUATOR_PYTHON_PATHS=[\"examples/env\"]\n" +
					"WORKER_CODING_BACKEND=loreley.backends.codex_cli:backend\nWORKER_PLANNING_BACKEND=loreley.backends.codex_cli:backend\n" +
					"WORKER_EVOLUTION_COMMIT_MODEL=gpt-5.2\nSCHEDULER_MAX_TOTAL_JOBS=20\nMAPELITES_FITNESS_METRIC=sum_radii\n",
				"examples/env/evaluate.py": "def plugin(context):\n    return {'summary': 'measured', 'metrics': [{'name': 'sum_radii', 'value': 1.5}]}\n",
				"repo/solution.py":         "x = 1\n",
			},
			args: []string{"import", "loreley", "../.env"},
		},
		{
			name: "an OpenEvolve example without an address",
			files: map[string]string{
				"repo/config.yaml":        "max_iterations: 20\nllm:\n  primary_model: gpt-5.2\ndatabase:\n  num_islands: 4\n",
				"repo/evaluator.py":       "def evaluate(p):\n    return {'combined_score': 1.5}\n",
				"repo/initial_program.py": "x = 1\n",
			},
			args: []string{"import", "openevolve", "."},
		},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, c.files)
			repo := filepath.Join(dir, "repo")
			git(t, repo, "init", "--quiet")
			git(t, repo, "add", "--all")
			git(t, repo, "commit", "--quiet", "--message", "start")
			if out := must(t, repo, c.args...); strings.Contains(out, "no niches") {
				t.Errorf("the import warns of too few jobs for a map, which begins with the first:\n%s", out)
			}
			must(t, repo, "config", "check")
			bare := atoll(t, repo, "doctor")
			if bare.code == 0 || !strings.Contains(bare.out, "OPENAI_API_KEY, which is empty") || strings.Contains(bare.out, "complete") {
				t.Errorf("doctor without the key: exit %d\n%s", bare.code, bare.out)
			}
			cmd := command(t, repo, "doctor")
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "codex"), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd.Env = append(cmd.Env, "OPENAI_API_KEY=sk-for-the-checks-alone", "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "complete") {
				text, _ := os.ReadFile(filepath.Join(repo, "atoll.yaml"))
				t.Errorf("what was imported is refused: %v\n%s\n%s", err, out, text)
			}
			git(t, repo, "add", "--all")
			git(t, repo, "commit", "--quiet", "--message", "imported")
			must(t, repo, "run", "--headless", "--max-jobs", "1", "--set", "agents=[{name: offline, kind: offline}]", "--set", "roles.summariser=")
			if out := must(t, repo, "show", "c0", "--json"); !strings.Contains(out, "1.5") {
				t.Errorf("the root of what was imported is measured as\n%s", out)
			}
		})
	}
}
