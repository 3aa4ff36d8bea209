package survey_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine/survey"
)

func TestTheTimeOfWhatRunsForASetTimeIsNoObjective(t *testing.T) {
	suitetest.Full(t, "measures programs of more than a second")
	t.Attr("timing", "where several other programs share the processor a busy loop more is no longer told")
	needsPython(t)
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip("taskset is not installed")
	}
	const begin = "import os\nimport sys\nimport time\nsys.path.insert(0, os.getcwd())\nimport work\n"
	for _, c := range []struct {
		name, program string
		refused       bool
	}{
		{"as often as it can in a set time", begin + "end = time.time() + 1.4\nwhile time.time() < end:\n    work.once()\n", true},
		{"the same work each time", begin + "for _ in range(1500):\n    work.once()\n", false},
		{"as often as it can in a time of the processor", begin + "end = time.process_time() + 1.4\nwhile time.process_time() < end:\n    work.once()\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, said, err := surveyed(t, map[string]string{"bench/bench.py": c.program, "work.py": "def once():\n    return sum(i * i for i in range(20000))\n"})
			switch refused := strings.Contains(said, "runs for a set time whatever it does"); {
			case refused != c.refused:
				t.Errorf("refused %v, %v\n%s", refused, err, said)
			case refused && !errors.Is(err, survey.ErrNothing):
				t.Errorf("%v\n%s", err, said)
			case !refused && err != nil:
				t.Errorf("%v\n%s", err, said)
			case !refused && r.Measured.Objective != "time_ms":
				t.Errorf("the objective is %s\n%s", r.Measured.Objective, said)
			}
		})
	}
}

func TestASettingThatABenchmarkPrintsIsNoObjective(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, program, objective, direction, says string
	}{
		{"beside nothing else", "n=1000000\necho \"number: $n\"\nsh lib.sh\n", "time_ms", config.Minimize, "number = 1,000,000, is a setting that is written in it, so its time is measured"},
		{"beside what it measures", "n=1000000\necho \"number: $n\"\nprintf 'held: %s\\n' \"$(sh lib.sh)\"\n", "held", config.Maximize, "nothing in the name"},
		{"beside what its cases take", "n=1000000\necho \"number: $n\"\nsh lib.sh\necho 'insert one by one: 1.25s'\necho '1000 searches: 250.5ms'\n", "ms of 2 cases", config.Minimize, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, said, err := surveyed(t, map[string]string{"bench.sh": c.program, "lib.sh": "expr 40 + 2\n"})
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if m := r.Measured; m.Objective != c.objective || m.Direction != c.direction || !strings.Contains(said, c.says) {
				t.Errorf("objective %s, %s\n%s", m.Objective, m.Direction, said)
			}
		})
	}
}

func TestWhatLiesInTheFolderOfABenchmarkIsProtectedHoweverManyFilesItHolds(t *testing.T) {
	suitetest.Full(t, "surveys a project; TestScriptsAreReadAsTheyReport stands for it")
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	r, said, err := surveyed(t, map[string]string{
		"package.json":  `{"name": "kit", "scripts": {"perf": "node ./bench/perf.js"}}`,
		"bench/perf.js": "const kit = require('../index.js');\nconst N = require('./bulk.js');\nconsole.log('number: ' + N);\nconsole.log('insert one by one: ' + kit(N) + 'ms');\n", "bench/bulk.js": "module.exports = 4000;\n", "bench/insert.js": "", "bench/search.js": "", "index.js": "module.exports = n => n / 2;\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	text := string(config.Template(r.Detected))
	for _, f := range []string{"bench/perf.js", "bench/bulk.js"} {
		if !slices.ContainsFunc(r.Protected, func(glob string) bool { ok, err := doublestar.Match(glob, f); return ok && err == nil }) {
			t.Errorf("%s is not protected: %q\n%s", f, r.Protected, text)
		}
	}
	if strings.Contains(strings.Join(r.Scope, " "), "bench") {
		t.Errorf("the scope is %q\n%s", r.Scope, said)
	}
}
