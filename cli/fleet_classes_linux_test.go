package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
guard: "off" # machines are compared here, not behaviour
evaluator:
  command: ["sh", "eval.sh"]
  protected: [eval.sh]
  output: name=value
  objective: seconds
  direction: minimize
  root_repeats: 3
  paired: %t
map:
  axes:
    - {metric: first, min: 0, max: 100, bins: 8}
agents:
  - {name: offline, kind: offline}
`
	classReads = `read slow < ` + slowness + `
case "$slow" in 3|1) ;; *) slow=1 ;; esac
sum() { awk -F= '/^[a-d] *=/ { gsub(/ /, "", $2); v[NR] = $2 } END { for (i in v) sum += (v[i] - 40) * (v[i] - 40); printf "%.17g %.17g\n", 1 + sum / 100, v[1] }' params.py; }
`
	// pretends tells a time that nobody measured: what is true of the program, times the
	// slowness of the machine, times noise of half a percent at most that follows from
	// machine, program and layout. A slow machine takes longer to say so, too.
	pretends = classReads + `sum | {
	read seconds first
	noise=$(printf '%s %s %s\n' "$slow" "$seconds" "$ATOLL_LAYOUT" | cksum | cut -d' ' -f1)
	sleep 0.0$((3 * slow))
	awk -v slow="$slow" -v s="$seconds" -v f="$first" -v n="$noise" 'BEGIN { printf "seconds=%.17g\nfirst=%s\n", slow * s * (1 + (n % 10001 - 5000) / 1000000), f }'
}
`
	// works takes its time, and measures what its processor spent.
	works = classReads + `set -- $(sum)
awk -v n="$1" -v slow="$slow" 'BEGIN { for (n *= slow * 400000; i < n; i++) x += i % 7 }'
times > "$TMPDIR/times" # a pipe would have its own
awk -v f="$2" 'NR == 2 { split($1, t, /[ms]/); printf "seconds=%.17g\nfirst=%s\n", 60 * t[1] + t[2], f }' "$TMPDIR/times"
`
	classProgram = "a = 10\nb = 70\nc = 25\nd = 60\n"
)

// ofCandidates is a machine's line that tells of others than the root.
var ofCandidates = regexp.MustCompile(`measured c[1-9]`)

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

// classes runs the experiment on a machine of each kind and says by which share the
// champion truly takes longer than the best program that was made.
func classes(t *testing.T, evaluator string, seed int, paired bool, more ...string) (worse float64, told string) {
	t.Helper()
	h := &hub{&site{t: t, dir: t.TempDir()}, freeAddress(t)}
	for name, text := range map[string]string{"atoll.yaml": fmt.Sprintf(classConfig, paired), "eval.sh": evaluator, "params.py": classProgram} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.commits("root")
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
	run := h.start(command(t, h.dir, append([]string{
		"run", "--headless", "--seed", strconv.Itoa(seed), "--max-jobs", "30", "--fleet", "listen:" + h.address,
	}, more...)...), fmt.Sprintf("run-%d-%t", seed, paired))
	ends(t, run, 0)
	if len(more) == 0 && !paired { // values of the two kinds do not meet
		measured := 0
		for _, kind := range []string{"fast", "slow"} {
			text, err := os.ReadFile(filepath.Join(t.ArtifactDir(), fmt.Sprintf("%s-%d-%t.log", kind, seed, paired)))
			if err != nil {
				t.Fatal(err)
			}
			if ofCandidates.Match(text) {
				measured++
			}
		}
		if measured != 1 {
			t.Errorf("seed %d: candidates are measured by %d kinds of machines, want one: the other is set aside, or joins too late", seed, measured)
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
	return champion/best - 1, fmt.Sprintf("seed %d, paired %t %v: the champion takes %.6g, the best %.6g", seed, paired, more, champion, best)
}

// within is what two programs may differ that noise of half a percent at most confuses:
// each of them may be measured once, beside a root whose own value has as much.
const within = 1.005*1.005/(0.995*0.995) - 1

func TestTheChampionOfTwoKindsOfMachinesIsTheBetterProgram(t *testing.T) {
	suitetest.Full(t, "runs whole experiments on machines of two speeds; TestAMachineWhoseRootIsAnotherIsSetAsideWhereOthersMeasure stands for it every day")
	if c := mounted(t, t.TempDir(), "mount --bind /dev/null "+slowness); c.code != 0 {
		t.Skipf("nobody can give a machine a disk of its own here: %s", c.err)
	}
	seeds := suitetest.Pick(1, 2, 20)
	wrong := 0
	for seed := range seeds {
		for _, tt := range []struct {
			name   string
			paired bool
		}{{"ratios to the root beside it", true}, {"one kind alone, the other is set aside", false}} {
			worse, told := classes(t, pretends, seed+1, tt.paired)
			if t.Logf("%s: %s", tt.name, told); !(worse <= within) {
				t.Errorf("%s: %s", tt.name, told)
			}
		}
		if suitetest.IsSlow() { // the control
			worse, told := classes(t, pretends, seed+1, false, "--fleet-agree", "0")
			if t.Logf("nothing compares: %s", told); worse > within {
				wrong++
			}
		}
	}
	t.Logf("without comparable numbers the champion is another program in %d of %d seeds", wrong, seeds)
	if suitetest.IsSlow() && wrong == 0 {
		t.Error("values that do not compare chose as well: the test shows nothing")
	}
}

func TestTheChampionOfTwoKindsOfMachinesIsTheBetterProgramByTheirOwnProcessors(t *testing.T) {
	suitetest.Slow(t, "measures programs that take seconds on machines of two speeds; TestTheChampionOfTwoKindsOfMachinesIsTheBetterProgram stands for it with times that nobody measured")
	t.Attr("timing", "what the processor spends is measured")
	if c := mounted(t, t.TempDir(), "mount --bind /dev/null "+slowness); c.code != 0 {
		t.Skipf("nobody can give a machine a disk of its own here: %s", c.err)
	}
	worse, told := classes(t, works, 1, true)
	if t.Log(told); !(worse <= 0.1) {
		t.Error(told)
	}
}
