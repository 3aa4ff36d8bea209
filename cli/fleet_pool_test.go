package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const poolConfig = `name: pool
evaluator:
  command: ["sh", "eval.sh"]
  protected: [eval.sh]
  output: name=value
  objective: first
  pool: lab
  stages:
    - {name: look, output: none}
    - {name: train, needs: [gpu=1]}
map:
  axes:
    - {metric: first, min: 0, max: 100, bins: 8}
agents:
  - {name: offline, kind: offline}
`

func TestAPoolWithTheLabelsOfAStageMeasuresAlone(t *testing.T) {
	t.Parallel()
	h := &hub{&site{t: t, dir: t.TempDir()}, freeAddress(t)}
	for name, text := range map[string]string{
		"atoll.yaml": poolConfig, "eval.sh": "awk -F= '/^a *=/ { gsub(/ /, \"\", $2); print \"first=\" $2 }' params.py\n", "params.py": "a = 10\n",
	} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.commits("root")
	run := h.start(command(t, h.dir, "run", "--headless", "--max-jobs", "4", "--fleet", "listen:"+h.address), "run")
	h.ready()
	into := func(name string, more ...string) []string {
		return strings.Fields(must(t, h.dir, append([]string{"fleet", "invite", name, "--address", h.address}, more...)...))[1:]
	}
	until(t, "the run waits for a machine", func() bool {
		return strings.Contains(must(t, h.dir, "fleet"), "no slot for 1 sample: no machine has joined")
	})
	ends(t, h.worker("other", into("other")), 1)
	ends(t, h.worker("plain", into("plain", "--pool", "lab")), 1)
	until(t, "it is told what the machines lack", func() bool {
		text := must(t, h.dir, "fleet")
		return strings.Contains(text, "no machine can measure; other: the evaluator measures in pool lab, and it is of pool any; plain: stage train needs gpu=1, which it does not have")
	})
	h.worker("right", append(into("right", "--pool", "lab"), "--label", "gpu=1"))
	ends(t, run, 0)
	if c := atoll(t, h.dir, append(into("right", "--pool", "lab"), "--pool", "x")...); c.code != 2 || !strings.Contains(c.err, "the invite is for pool lab") {
		t.Errorf("a worker of another pool than its invite's: exit %d, %s", c.code, c.err)
	}
	if c := atoll(t, h.dir, "fleet", "invite", "m", "--pool", "a b", "--address", "hub:1"); c.code != 2 || !strings.Contains(c.err, "--pool") {
		t.Errorf("a pool that cannot be: exit %d, %s", c.code, c.err)
	}
}
