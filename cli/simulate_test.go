package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// napping is an evaluator that takes two seconds, of which the processor has little.
const napping = `sleep 2
awk -F= '/^[a-d] *=/ { v[NR] = $2; sum -= ($2 - 40) * ($2 - 40) } END { printf "score=%.17g\nfirst=%.17g\n", sum, v[1] }' params.py
`

// dear is a model that is paid by the token: it bills what it was told, most of which it
// knows from before, and what it says. Some requests it turns away, which are tried again,
// and some answers are no edit. What it does depends on how often it was asked.
func dear(t *testing.T) *httptest.Server {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told, _ := io.ReadAll(r.Body)
		n := asked.Add(1)
		time.Sleep(time.Duration(200+n*137%400) * time.Millisecond) // it thinks
		if n%9 == 4 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error":{"message":"try again"}}`, http.StatusServiceUnavailable)
			return
		}
		text := fmt.Sprintf("INTENT: try %d\nparams.py\n```\na = %d\nb = %d\nc = %d\nd = %d\n```\n", n, n%97, n*7%89, n*11%83, n*13%79)
		if n%6 == 5 {
			text = "I would rather not."
		}
		in := len(told) / 4
		usage := map[string]any{"prompt_tokens": in, "completion_tokens": 300 + n*53%400, "prompt_tokens_details": map[string]any{"cached_tokens": in * 3 / 5}}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, v := range []any{
			map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": text}}}},
			map[string]any{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": "stop"}}},
			map[string]any{"choices": []any{}, "usage": usage},
		} {
			line, _ := json.Marshal(v)
			_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s
}

// foretold is what simulate says of an experiment and of a plan, as JSON.
type foretold struct {
	Outcome struct {
		PerHour float64 `json:"jobs_per_hour"`
		Cost    float64
	}
	Measured struct {
		Jobs      int
		PerHour   float64 `json:"jobs_per_hour"`
		Simulated float64 `json:"simulated_per_hour"`
		Error     float64
		Cost      float64
		Unknown   int      `json:"cost_unknown"`
		CostError *float64 `json:"cost_error"`
	}
}

// TestASimulationIsAsFastAndAsDearAsWhatItSimulates measures fleets whose agents cost money.
func TestASimulationIsAsFastAndAsDearAsWhatItSimulates(t *testing.T) {
	suitetest.Slow(t, "measures the throughput of fleets for minutes; TestThroughputIsWhatArithmeticSays and TestASimulationCostsWhatTheJobsThatItLearnedFromDid stand for it")
	t.Attr("timing", "how fast a run is, is measured")
	first := ""
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
prices: [{model: m-1, input: 1, cached: 0.1, output: 4}]
agents:
  - {name: writer, kind: chat, weight: 1, base_url: "` + dear(t).URL + `/v1", key_env: PLOT_KEY, model: m-1, edit: whole, attempts: 1, max_tokens: 800}
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
		cmd := command(t, h.dir, "run", "--headless", "--yes", "--seed", "3", "--max-jobs", strconv.Itoa(max(60, 12*(machines+1))),
			"--fleet", "listen:"+h.address, "--fleet-agree", "0")
		cmd.Env = append(cmd.Env, "PLOT_KEY="+cliKey)
		run := h.start(cmd, fmt.Sprintf("run-%d", machines))
		ends(t, run, 0)
		for _, w := range workers {
			_ = w.Process.Kill()
		}
		says := func(dir string, args ...string) (s foretold) {
			text := must(t, dir, append([]string{"simulate", "--like", "--machines", strconv.Itoa(machines), "--sweep-jobs", "0", "--json"}, args...)...)
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := says(h.dir, "--jobs", strconv.Itoa(max(60, 12*(machines+1))))
		m := s.Measured
		if m.CostError == nil || m.Unknown != 0 {
			t.Fatalf("%d machines: the cost is not compared: %+v", machines, m)
		}
		within := func(what string, is, simulated, wrong float64) {
			t.Logf("%d machines, %d jobs: %s %.4g, simulated %.4g (%+.1f %%)", machines, m.Jobs, what, is, simulated, 100*wrong)
			if !(math.Abs(wrong) <= 0.1) {
				t.Errorf("%d machines: the simulation of %s is wrong by %+.1f %%", machines, what, 100*wrong)
			}
		}
		within("jobs an hour", m.PerHour, m.Simulated, m.Error)
		within("dollars, as it was", m.Cost, s.Outcome.Cost, s.Outcome.Cost/m.Cost-1)
		t.Logf("%d machines: the second half of what it cost foretold from the first (%+.1f %%)", machines, 100**m.CostError)
		var status struct {
			Usage struct {
				CostUSD float64 `json:"cost_usd"`
			}
		}
		if err := json.Unmarshal([]byte(must(t, h.dir, "status", "--json")), &status); err != nil || math.Abs(status.Usage.CostUSD-m.Cost) > 1e-9 {
			t.Errorf("%d machines: the jobs cost $%g, and simulate says $%g (%v)", machines, status.Usage.CostUSD, m.Cost, err)
		}
		if first == "" {
			first = h.dir
			continue
		}
		o := says(first, "--jobs", strconv.Itoa(m.Jobs)).Outcome
		within("jobs an hour, from the run on one machine", m.PerHour, o.PerHour, o.PerHour/m.PerHour-1)
		within("dollars, from the run on one machine", m.Cost, o.Cost, o.Cost/m.Cost-1)
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
