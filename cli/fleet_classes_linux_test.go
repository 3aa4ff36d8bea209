package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// The experiment of two kinds of machines: the time of a program is that of its
// numbers, times what the machine is slower. A machine's slowness lies where its
// evaluator sees it and no other machine does: in a file that is another one in each
// worker's view of the disk.
const (
	slowness    = "/usr/lib/os-release"
	classConfig = `name: classes
evaluator:
  command: ["sh", "eval.sh"]
  protected: [eval.sh]
  output: name=value
  objective: seconds
  direction: minimize
  root_repeats: 2
  paired: %t
map:
  axes:
    - {metric: first, min: 0, max: 100, bins: 8}
agents:
  - {name: offline, kind: offline}
`
	classEvaluator = `read slow < ` + slowness + `
case "$slow" in 3|1) ;; *) slow=1 ;; esac
awk -F= -v slow="$slow" '
	/^[a-d] *=/ { gsub(/ /, "", $2); v[NR] = $2; n++ }
	END { for (i in v) sum += (v[i] - 40) * (v[i] - 40); printf "seconds=%.17g\nfirst=%.17g\n", slow * (1 + sum / 100), v[1] }
' params.py
`
	classProgram = "a = 10\nb = 70\nc = 25\nd = 60\n"
)

// truth is what a program of the experiment takes on a machine of the fast kind.
func truth(t *testing.T, program string) float64 {
	t.Helper()
	sum := 0.0
	for line := range strings.Lines(program) {
		name, text, ok := strings.Cut(line, "=")
		if !ok || len(strings.TrimSpace(name)) != 1 {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return math.Inf(1)
		}
		sum += (v - 40) * (v - 40)
	}
	return 1 + sum/100
}

// classes runs the experiment on a machine of each kind. right says whether the
// champion is the program that is truly the best of those that were made.
func classes(t *testing.T, seed int, paired bool, more ...string) (right bool, told string) {
	t.Helper()
	h := &hub{&site{t: t, dir: t.TempDir()}, freeAddress(t)}
	for name, text := range map[string]string{"atoll.yaml": fmt.Sprintf(classConfig, paired), "eval.sh": classEvaluator, "params.py": classProgram} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.commits("root")
	run := h.start(command(t, h.dir, append([]string{
		"run", "--headless", "--seed", strconv.Itoa(seed), "--max-jobs", "30", "--fleet", "listen:" + h.address,
	}, more...)...), fmt.Sprintf("run-%d-%t", seed, paired))
	h.ready()
	for kind, slow := range map[string]string{"fast": "1", "slow": "3"} {
		file := filepath.Join(t.TempDir(), "slowness")
		if err := os.WriteFile(file, []byte(slow+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := command(t, t.TempDir(), append(h.invite(kind), "--slots", "1", "--state", filepath.Join(t.TempDir(), "state"))...)
		cmd.Args = append([]string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" ` + slowness + ` && exec "$@"`, file, cmd.Path}, cmd.Args[1:]...)
		unshare, err := exec.LookPath("unshare")
		if err != nil {
			t.Skipf("nobody can give a machine a disk of its own here: %v", err)
		}
		cmd.Path = unshare
		worker := h.start(cmd, fmt.Sprintf("%s-%d-%t", kind, seed, paired))
		defer func() { _ = worker.Process.Kill() }() // it would wait for the run to come back
	}
	ends(t, run, 0)
	if len(more) == 0 && !paired {
		text, err := os.ReadFile(filepath.Join(t.ArtifactDir(), fmt.Sprintf("run-%d-%t.log", seed, paired)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "is set aside: it measures the root as") {
			t.Errorf("seed %d: no machine is set aside:\n%s", seed, text)
		}
	}
	best, champion := math.Inf(1), math.NaN()
	var top struct{ ID int }
	if err := json.Unmarshal([]byte(must(t, h.dir, "best", "--json")), &top); err != nil {
		t.Fatal(err)
	}
	for _, c := range h.candidates() {
		if c.Objective == nil {
			continue
		}
		out, err := gitCommand(filepath.Join(h.state(), "store.git"), "show", c.Commit+":params.py").Output()
		if err != nil {
			t.Fatal(err)
		}
		v := truth(t, string(out))
		best = min(best, v)
		if int(c.ID) == top.ID {
			champion = v
		}
	}
	return champion <= best*(1+1e-9), fmt.Sprintf("seed %d, paired %t %v: the champion takes %.6g, the best %.6g", seed, paired, more, champion, best)
}

func TestTheChampionOfTwoKindsOfMachinesIsTheBetterProgram(t *testing.T) {
	suitetest.Full(t, "runs whole experiments on machines of two speeds; TestAMachineWhoseRootIsAnotherIsSetAsideWhereOthersMeasure stands for it every day")
	if c := mounted(t, t.TempDir(), "mount --bind /dev/null "+slowness); c.code != 0 {
		t.Skipf("nobody can give a machine a disk of its own here: %s", c.err)
	}
	seeds := suitetest.Pick(1, 1, 20)
	wrong := 0
	for seed := range seeds {
		for _, tt := range []struct {
			name   string
			paired bool
		}{{"ratios to the root beside it", true}, {"one kind alone, the other is set aside", false}} {
			right, told := classes(t, seed+1, tt.paired)
			if t.Logf("%s: %s", tt.name, told); !right {
				t.Errorf("%s: %s", tt.name, told)
			}
		}
		if suitetest.IsSlow() { // the control
			right, told := classes(t, seed+1, false, "--fleet-agree", "0")
			if t.Logf("nothing compares: %s", told); !right {
				wrong++
			}
		}
	}
	t.Logf("without comparable numbers the champion is another program in %d of %d seeds", wrong, seeds)
	if suitetest.IsSlow() && wrong == 0 {
		t.Error("values that do not compare chose as well: the test shows nothing")
	}
}
