package survey_test

import (
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestTestsMayWriteBesideTheirSamples(t *testing.T) {
	t.Parallel()
	needsPython(t)
	const head = "import os\nimport unittest\nimport x\n\nHERE = os.path.join('tests', 'samples')\n\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(x.f(3), 3)\n"
	for name, c := range map[string]struct {
		writes    string
		protected []string
		free      string
		said      string
	}{
		"a new file, which it takes away": {
			"        with open(os.path.join(HERE, 'made.txt'), 'w') as f:\n            f.write('x')\n        os.remove(os.path.join(HERE, 'made.txt'))\n",
			[]string{"tests/**/*"},
			"", "new files are written in tests while the root runs",
		},
		"a file that is committed": {
			"        with open(os.path.join(HERE, 'b.txt'), 'w') as f:\n            f.write('x')\n",
			[]string{"tests/__init__.py", "tests/more/**/*", "tests/samples/a.txt", "tests/test_x.py"},
			"tests/samples/b.txt", "CHECK tests/samples/b.txt",
		},
		"nothing there": {"", []string{"tests/**"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.free == "" {
				suitetest.Full(t, "a survey for each way of writing; a file that is committed stands for it")
			}
			t.Parallel()
			r, said, err := surveyed(t, map[string]string{
				"pyproject.toml": "[project]\nname = \"x\"\n", "x/__init__.py": "def f(n):\n    return sum(range(n))\n", "bench.py": "import x\nprint('sum_ms=%d' % x.f(4))\n",
				"tests/__init__.py": "", "tests/test_x.py": head + c.writes, "tests/samples/a.txt": "a\n", "tests/samples/b.txt": "b\n", "tests/more/deep/c.txt": "c\n",
			})
			if err != nil || r.Measured == nil || len(r.Measured.Stages) != 1 {
				t.Fatalf("the tests are no stage: %v\n%s", err, said)
			}
			for _, g := range c.protected {
				if !slices.Contains(r.Protected, g) {
					t.Errorf("%s is not protected: %q\n%s", g, r.Protected, said)
				}
			}
			if c.free != "" && slices.ContainsFunc(r.Protected, func(g string) bool { return strings.HasPrefix(g, "tests/**") || g == c.free }) {
				t.Errorf("%s is protected: %q", c.free, r.Protected)
			}
			if c.said != "" && (!strings.Contains(said, c.said) || !strings.Contains(strings.Join(r.Measured.Notes, "\n"), c.said)) {
				t.Errorf("not told: %s\n%s\n%q", c.said, said, r.Measured.Notes)
			}
			if c.said == "" && strings.Contains(said, "are written") {
				t.Errorf("told without a reason: %s", said)
			}
		})
	}
}
