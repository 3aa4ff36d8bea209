package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"atoll/config/suitetest"
)

// napping is an evaluator that takes two seconds, of which the processor has little.
const napping = `sleep 2
awk -F= '/^[a-d] *=/ { v[NR] = $2; sum -= ($2 - 40) * ($2 - 40) } END { printf "score=%.17g\nfirst=%.17g\n", sum, v[1] }' params.py
`

func TestASimulationIsAsFastAsWhatItSimulates(t *testing.T) {
	suitetest.Slow(t, "measures the throughput of fleets for minutes; TestThroughputIsWhatArithmeticSays stands for it")
	t.Attr("timing", "how fast a run is, is measured")
	for _, machines := range []int{1, 2, 4, 8} {
		h := &hub{&site{t: t, dir: t.TempDir()}, freeAddress(t)}
		for name, text := range map[string]string{
			"eval.sh": napping, "params.py": "a = 10\nb = 70\nc = 25\nd = 60\n",
			"atoll.yaml": `name: sleeps
evaluator:
  command: ["sh", "eval.sh"]
  protected: [eval.sh]
  output: name=value
  objective: score
  direction: maximize
  root_repeats: 2
map:
  axes:
    - {metric: first, min: 0, max: 100, bins: 8}
agents:
  - {name: offline, kind: offline}
`,
		} {
			if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		h.commits("root")
		var workers []*exec.Cmd
		for n := range machines {
			name := fmt.Sprintf("m%d", n)
			worker := h.worker(name, h.invite(name)) // which waits for the run, now and after it
			workers = append(workers, worker)
		}
		run := h.start(command(t, h.dir, "run", "--headless", "--seed", "3", "--max-jobs", strconv.Itoa(12*(machines+1)),
			"--fleet", "listen:"+h.address, "--fleet-agree", "0"), fmt.Sprintf("run-%d", machines))
		ends(t, run, 0)
		for _, w := range workers {
			_ = w.Process.Kill()
		}
		var s struct {
			Measured struct {
				PerHour   float64 `json:"jobs_per_hour"`
				Simulated float64 `json:"simulated_per_hour"`
				Error     float64
			}
		}
		text := must(t, h.dir, "simulate", "--like", "--machines", strconv.Itoa(machines), "--sweep-jobs", "0", "--json")
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		m := s.Measured
		t.Logf("%d machines: %.0f jobs an hour, simulated %.0f (%+.1f %%)", machines, m.PerHour, m.Simulated, 100*m.Error)
		if !(math.Abs(m.Error) <= 0.1) {
			t.Errorf("%d machines: the simulation is wrong by %+.1f %%", machines, 100*m.Error)
		}
	}
}

// commits makes a repository of the folder with one commit of all that is in it.
func (s *site) commits(subject string) {
	s.t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", subject}} {
		if out, err := gitCommand(s.dir, args...).CombinedOutput(); err != nil {
			s.t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
}
