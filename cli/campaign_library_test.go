package cli_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/plugin"
)

// library is a campaign of six tasks over a library: two that the auditor finds, one
// epic of three, one that cannot be done. Its agent carries out prepared edits, and
// breaks every third of them.
type library struct {
	files string                  // folder of atoll.yaml, plan.md and edits.json, and of the library where fetch is nil
	fetch func(*testing.T) string // returns a folder with the library
	tools []string                // commands that must end with 0 on a clone of the branch
	found []string                // what the titles of the auditor's tasks have
	wait  time.Duration           // longest time until a kill
}

var smallLibrary = library{
	files: "testdata/library/small",
	tools: []string{
		"python3 -B check.py", "grep -q 'parts that a reader knows' words.py", "grep -q people AUTHORS", "grep -q words.py FILES",
		// A branch is counted as McCabe does, by Python's own parser.
		`python3 -c '
import ast
for name in ["words.py", "numerals.py"]:
    for f in ast.walk(ast.parse(open(name).read())):
        if isinstance(f, ast.FunctionDef):
            n = 1 + sum(isinstance(x, (ast.If, ast.For, ast.IfExp)) + (len(x.values) - 1 if isinstance(x, ast.BoolOp) else 0) for x in ast.walk(f))
            assert n <= 15, (name, f.name, n)'`,
	},
	found: []string{"kind has a complexity of 18", "spell has a complexity of 19"},
	wait:  1500 * time.Millisecond,
}

var strcaseLibrary = library{
	files: "testdata/library/strcase",
	fetch: func(t *testing.T) string {
		out, err := exec.Command("go", "mod", "download", "-json", "github.com/iancoleman/strcase@v0.3.0").Output()
		var module struct{ Dir string }
		if err == nil {
			err = json.Unmarshal(out, &module)
		}
		if err != nil {
			t.Skipf("the library cannot be had from the module proxy: %v", err)
		}
		return module.Dir
	},
	tools: []string{
		"go vet . && go test -count=1 .", "grep -q 'parts that a reader knows' doc.go", "grep -q people AUTHORS", "grep -q snake.go FILES",
		`test -z "$(gocyclo -over 15 -ignore _test .)"`,
	},
	found: []string{"ToScreamingDelimited has a complexity of 38", "toCamelInitCase has a complexity of"},
	wait:  10 * time.Second,
}

// begin makes the repository and its backlog, and runs the first task.
func (l library) begin(t *testing.T) *plugLab {
	t.Helper()
	p := newPlugLab(t)
	for _, name := range []string{"numbers.txt", "program.py"} {
		_ = os.Remove(filepath.Join(p.dir, name))
	}
	from := []string{l.files}
	if l.fetch != nil {
		from = append(from, l.fetch(t))
	}
	for _, dir := range from {
		names, err := filepath.Glob(filepath.Join(dir, "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if base := filepath.Base(name); base != "edits.json" {
				p.write(base, string(text))
			}
		}
	}
	edits, err := os.ReadFile(filepath.Join(l.files, "edits.json"))
	if err != nil {
		t.Fatal(err)
	}
	git(t, p.dir, "add", ".")
	git(t, p.dir, "commit", "-q", "-m", "A library")
	p.plugin(plugin.Agent, func(dir string) {
		p.write(dir+"/edits.json", string(edits))
		p.write(dir+"/plugin.py", preparedAgent)
	})
	p.must("plugin", "trust", "--key", p.public)
	p.must("backlog", "add", "Become a thousand times better at once", "--accept", "gain >= 100000%", "--jobs", "4", "--value", "9")
	p.must("backlog", "epic", "plan.md")
	p.must("campaign", "run", "--headless", "--tasks", "1")
	for _, k := range p.backlog() {
		if k.Origin == "audit" {
			p.must("backlog", "edit", fmt.Sprintf("t%d", k.ID), "--jobs", "6")
		}
	}
	return p
}

// preparedAgent carries out the edit whose goal it is asked for; without one it adds a
// word that changes nothing.
const preparedAgent = `import json, pathlib, sys

EDITS = json.loads((pathlib.Path(__file__).parent / "edits.json").read_text())


def edit(params):
    seed = params["seed"]
    for e in EDITS:
        if e["goal"] not in params["goal"]:
            continue
        path = pathlib.Path(e["path"])
        old = path.read_text()
        start = old.find(e["from"])
        if start < 0 or e["text"] in old:
            return {"intent": "it is so already"}
        end = old.index(e["to"], start + len(e["from"])) + len(e["to"]) if e["to"] else start + len(e["from"])
        path.write_text(old[:start] + e["text"] + old[end:] + ("\n}{\n" if seed % 3 == 0 else ""))
        return {"intent": "the prepared edit"}
    sources = sorted(p for p in pathlib.Path(".").glob("*.*") if p.suffix in (".py", ".go") and "test" not in p.name and p.name != "check.py")
    path = sources[0] if sources else sorted(p for p in pathlib.Path(".").rglob("*") if p.is_file())[0]
    mark = "#" if path.suffix == ".py" else "//"
    path.write_text(path.read_text() + "\n%s %d\n" % (mark, seed % 100))
    return {"intent": "a remark"}


for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        answer = {"result": {"protocol": 1, "name": "agent", "kind": "agent"}}
    elif request["method"] == "edit":
        answer = {"result": edit(request["params"])}
    else:
        answer = {"error": {"code": -32601, "message": "no such method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
`

// backlogTask is what these tests read of backlog --json.
type backlogTask struct {
	ID                            int
	Title, Status, Origin, Commit string
	Checks                        []struct{ Holds bool }
}

func (l *plugLab) backlog() (tasks []backlogTask) {
	l.t.Helper()
	if err := json.Unmarshal([]byte(l.must("backlog", "--json")), &tasks); err != nil {
		l.t.Fatal(err)
	}
	return tasks
}

// finish runs the campaign to its end through so many kills at random moments, and
// returns how many there were.
func (l library) finish(p *plugLab, kills int, rng *rand.Rand) (killed int) {
	p.t.Helper()
	for killed < kills {
		cmd := command(p.t, p.dir, "campaign", "run", "--headless")
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+p.trusted)
		if err := cmd.Start(); err != nil {
			p.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				p.t.Fatalf("after %d kills: %v", killed, err)
			}
			return killed
		case <-time.After(time.Duration(100+rng.IntN(int(l.wait.Milliseconds()))) * time.Millisecond):
			_ = cmd.Process.Kill()
			<-ended
			killed++
		}
	}
	p.must("campaign", "run", "--headless")
	return killed
}

// verify holds the campaign against what it should have come to, and the branch
// against plain tools.
func (l library) verify(p *plugLab) campaigned {
	t := p.t
	t.Helper()
	tasks := p.backlog()
	done, failed, found := 0, 0, 0
	for _, k := range tasks {
		switch k.Status {
		case "done":
			done++
		case "failed":
			failed++
			if !strings.HasPrefix(k.Title, "Become a thousand times better") || strings.Trim(k.Commit, "0") != "" {
				t.Errorf("t%d (%s) failed, with commit %q", k.ID, k.Title, k.Commit)
			}
		default:
			t.Errorf("t%d (%s) is %s", k.ID, k.Title, k.Status)
		}
		for _, want := range l.found {
			if k.Origin == "audit" && strings.Contains(k.Title, want) {
				found++
			}
		}
		for _, c := range k.Checks {
			if c.Holds != (k.Status == "done") {
				t.Errorf("t%d is %s, and its acceptance holds: %v", k.ID, k.Status, c.Holds)
			}
		}
	}
	if len(tasks) != 6 || done != 5 || failed != 1 || found != 2 {
		t.Errorf("%d tasks, %d done, %d failed, %d of the auditor; want 6, 5, 1 and 2:\n%s", len(tasks), done, failed, found, p.must("campaign", "status"))
	}
	p.must("campaign", "promote", "--branch", "better")
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := gitCommand(p.dir, "clone", "-q", "-b", "better", p.dir, clone).CombinedOutput(); err != nil {
		t.Fatalf("clone: %v\n%s", err, out)
	}
	git(t, p.dir, "branch", "-D", "better")
	for _, tool := range l.tools {
		cmd := exec.Command("sh", "-c", tool)
		cmd.Dir = clone
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("on the branch, %s: %v\n%s", tool, err, out)
		}
	}
	return campaignOf(p)
}

func campaignOf(p *plugLab) (c campaigned) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.must("campaign", "status", "--json")), &c); err != nil {
		p.t.Fatal(err)
	}
	return c
}

// run compares a campaign that nobody disturbs with one that is killed again and
// again: the same commits, attempts and jobs.
func (l library) run(t *testing.T, kills int) {
	whole := l.begin(t)
	l.finish(whole, 0, nil)
	want := l.verify(whole)
	killed, rng := 0, rand.New(rand.NewPCG(7, 7))
	for series := 0; killed < kills; series++ {
		p := l.begin(t)
		n := l.finish(p, kills-killed, rng)
		killed += n
		got := l.verify(p)
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("after %d kills the campaign is\n%s\nand undisturbed\n%s", n, a, b)
		}
		p.must("doctor", "--deep")
		t.Logf("series %d: %d kills", series+1, n)
	}
	t.Logf("%d kills; %+v", killed, want)
}

func TestACampaignOverASmallLibraryEndsAsItShould(t *testing.T) {
	suitetest.Full(t, "a dozen runs of a whole campaign take a minute on a busy machine; TestACampaignThatIsKilledDoesNothingTwice stands for it every day")
	t.Parallel()
	smallLibrary.run(t, suitetest.Pick(2, 4, 20))
}

func TestACampaignOverALibraryFromTheModuleProxyEndsAsItShould(t *testing.T) {
	suitetest.Slow(t, "a library from the module proxy is compiled for every candidate, for minutes; the small library stands for it every day")
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "github.com/fzipp/gocyclo/cmd/gocyclo")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	strcaseLibrary.run(t, 20)
}
