package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"atoll/config/suitetest"
	"atoll/engine/plugin"
)

// plugLab is a repository whose plug-ins a person trusts, apart from those of other
// tests.
type plugLab struct {
	t            *testing.T
	dir, trusted string
	key          minisign.PrivateKey
	public       string
}

func newPlugLab(t *testing.T) *plugLab {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed, and these plug-ins are written in Python")
	}
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &plugLab{t: t, dir: t.TempDir(), trusted: t.TempDir(), key: private, public: public.String()}
	git(t, l.dir, "init", "-q", "-b", "main")
	l.write("numbers.txt", "first 1.5\nsecond 40\n")
	l.write("program.py", "print(1)  # TODO: print 2\n")
	git(t, l.dir, "add", ".")
	git(t, l.dir, "commit", "-q", "-m", "Numbers")
	return l
}

func (l *plugLab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// edit replaces text in a file that has it.
func (l *plugLab) edit(name, old, new string) {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil || !strings.Contains(string(text), old) {
		l.t.Fatalf("%s has no %q: %v\n%s", name, old, err, text)
	}
	l.write(name, strings.Replace(string(text), old, new, 1))
}

func (l *plugLab) run(args ...string) call {
	l.t.Helper()
	cmd := command(l.t, l.dir, args...)
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+l.trusted, "ATOLL_PLUGIN_PASSWORD=correct horse")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code says it
	return call{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (l *plugLab) must(args ...string) string {
	l.t.Helper()
	c := l.run(args...)
	if c.code != 0 {
		l.t.Fatalf("atoll %s: exit %d\n%s%s", strings.Join(args, " "), c.code, c.out, c.err)
	}
	return c.out
}

// plugin makes a plug-in of a kind in plugins/KIND; change edits it before it is signed.
func (l *plugLab) plugin(kind plugin.Kind, change func(dir string)) {
	l.t.Helper()
	dir := "plugins/" + string(kind)
	at := filepath.Join(l.dir, dir)
	if err := os.MkdirAll(filepath.Join(l.dir, "plugins"), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if _, err := plugin.New(at, string(kind), kind, "python"); err != nil {
		l.t.Fatal(err)
	}
	if change != nil {
		change(dir)
	}
	p, err := plugin.Fill(at)
	if err == nil {
		err = p.Sign(l.key)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// plugged is a configuration in which a plug-in of each kind but the embedder, which
// makes another kind of map, has its place.
const plugged = `goal: a large sum
workers: 1
evaluator: {adapter: plugin, dir: plugins/evaluator, objective: sum}
guard: off
map:
  axes: [{metric: longest_line, min: 0, max: 40, bins: 4}]
gate: {scope: ["*.txt"]}
agents:
  - {name: op, kind: plugin, plugin: plugins/operator, operators: [mutate], weight: 1}
  - {name: ed, kind: plugin, plugin: plugins/agent, weight: 1}
search: {operators: {mutate: 1}}
plugins:
  descriptors: [plugins/descriptor]
  auditors: [plugins/auditor]
  notifiers: [plugins/notifier]
budget: {jobs: 12}
`

func TestARunWorksWithAPluginOfEachKind(t *testing.T) {
	t.Parallel()
	l := newPlugLab(t)
	for _, kind := range []plugin.Kind{plugin.Evaluator, plugin.Agent, plugin.Operator, plugin.Descriptor, plugin.Auditor} {
		l.plugin(kind, nil)
	}
	news := filepath.Join(t.TempDir(), "news")
	if err := os.MkdirAll(news, 0o755); err != nil {
		t.Fatal(err)
	}
	l.plugin(plugin.Notifier, func(dir string) {
		l.edit(dir+"/plugin.py", "print(params[\"event\"], params[\"text\"], file=sys.stderr)", "print(params[\"event\"], params[\"text\"], file=open(\""+news+"/log\", \"a\"))")
		l.edit(dir+"/plugin.yaml", "files:", "permissions: {paths: [{path: "+news+", write: true}]}\nfiles:")
	})
	l.write("atoll.yaml", plugged)

	c := l.run("run", "--headless", "--seed", "1")
	if c.code == 0 || !strings.Contains(c.err, "which you do not trust") {
		t.Fatalf("a run with plug-ins that nobody trusts: exit %d, says %s", c.code, c.err)
	}
	l.must("plugin", "trust", "--key", l.public)
	c = l.run("run", "--headless", "--seed", "1")
	if c.code == 0 || !strings.Contains(c.err, "it asks for read and write "+news) {
		t.Fatalf("a run whose notifier has no permission: exit %d, says %s", c.code, c.err)
	}
	if out := l.must("plugin", "trust", "plugins/notifier", "--yes"); !strings.Contains(out, "asks for read and write "+news) {
		t.Errorf("the permission is not shown:\n%s", out)
	}
	told := l.run("run", "--headless", "--seed", "1")

	var best struct {
		Objective float64
		Metrics   map[string]float64
	}
	if err := json.Unmarshal([]byte(l.must("best", "--json")), &best); err != nil {
		t.Fatal(err)
	}
	if best.Objective <= 41.5 || best.Metrics["longest_line"] < 5 {
		t.Errorf("the best is %+v, want more than the root's 41.5 and the metric of the descriptor", best)
	}
	var jobs struct{ made, failed map[string]int }
	jobs.made, jobs.failed = map[string]int{}, map[string]int{}
	for dec := json.NewDecoder(strings.NewReader(l.must("jobs", "--limit", "100", "--json"))); dec.More(); {
		var j struct{ Kind, State, Agent, Reason string }
		if err := dec.Decode(&j); err != nil {
			t.Fatal(err)
		}
		if j.State == "placed" || j.State == "scored" {
			jobs.made[j.Agent]++
		} else if j.State == "failed" {
			jobs.failed[j.Reason]++
		}
	}
	if jobs.made["op"] == 0 || jobs.made["ed"] == 0 || len(jobs.failed) > 0 {
		t.Errorf("made by agent %v, failed %v", jobs.made, jobs.failed)
	}
	if out := l.must("audit"); !strings.Contains(out, "program.py has things to do") {
		t.Errorf("the audit has no finding of the plug-in:\n%s", out)
	}
	if text, err := os.ReadFile(filepath.Join(news, "log")); err != nil || !strings.Contains(string(text), "best new best c") || !strings.Contains(string(text), "end done") {
		t.Errorf("the notifier was told %q (%v); the run says %s", text, err, told.err)
	}
	if out := l.must("plugin", "list"); strings.Count(out, "trusted") != 6 {
		t.Errorf("the list is\n%s", out)
	}
}

func TestAnEmbedderPluginMakesTheLearnedMap(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run with one more kind of plug-in; TestARunWorksWithAPluginOfEachKind stands for it")
	l := newPlugLab(t)
	l.plugin(plugin.Embedder, func(dir string) { l.edit(dir+"/plugin.py", "chr(97 + i)", "chr(48 + i)") }) // digits: the offline agent changes numbers
	l.must("plugin", "trust", "--key", l.public)
	l.write("sum.sh", `awk '{s+=$2} END {print s}' numbers.txt`+"\n")
	l.write("atoll.yaml", "goal: a large sum\nworkers: 1\nevaluator: {command: [sh, sum.sh], output: last-number, protected: [sum.sh]}\nmap: {min_fit: 4, include: ['*.txt', '*.py']}\n"+
		"plugins: {embedder: plugins/embedder}\nbudget: {jobs: 14}\n")
	git(t, l.dir, "add", "sum.sh")
	git(t, l.dir, "commit", "-q", "-m", "Evaluator")
	l.must("run", "--headless", "--seed", "3")
	if out := l.must("status"); strings.Contains(out, " 0/256 niches") {
		t.Errorf("no map was made of the vectors:\n%s", out)
	}
	l.plugin(plugin.Auditor, nil)
	l.edit("atoll.yaml", "plugins/embedder", "plugins/auditor")
	if c := l.run("run", "--headless", "--max-jobs", "16"); c.code != 2 || !strings.Contains(c.err, "plugins.embedder") {
		t.Errorf("another embedder in the middle of a search: exit %d, says %s", c.code, c.err)
	}
}

func TestFindingsOfAPluginInFilesThatThereAreNotAreLeftOut(t *testing.T) {
	t.Parallel()
	l := newPlugLab(t)
	l.plugin(plugin.Auditor, func(dir string) {
		l.edit(dir+"/plugin.py", "def audit(params):\n", "def audit(params):\n    return {\"findings\": [{\"path\": p, \"rule\": \"todo\", \"value\": 1, \"bound\": 0, \"priority\": 2, \"text\": \"mend \" + p} for p in (\"ghost.py\", \"program.py\")]}\n")
	})
	l.must("plugin", "trust", "--key", l.public)
	c := l.run("audit", "--plugin", "plugins/auditor")
	if c.code != 0 || !strings.Contains(c.out, "mend program.py") || strings.Contains(c.out, "ghost.py") {
		t.Errorf("exit %d, the audit says\n%s%s", c.code, c.out, c.err)
	}
	if want := "plug-in auditor found something in ghost.py, which is no file of the tree"; !strings.Contains(c.err, want) {
		t.Errorf("it warns %q, want %q", c.err, want)
	}
}

func TestAPluginIsMadeSignedCheckedAndTrustedByVerbs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a password is turned into a key with a gigabyte of memory; TestARunWorksWithAPluginOfEachKind and the tests of engine/plugin stand for it")
	l := newPlugLab(t)
	l.must("plugin", "new", "mine", "--kind", "auditor")
	l.must("plugin", "sign", "mine", "--new-key", "my.key")
	if out := l.must("plugin", "check", "mine"); !strings.Contains(out, "ok   signature: signed by the key ") || strings.Contains(out, "FAIL") {
		t.Errorf("the check says\n%s", out)
	}
	if c := l.run("audit", "--plugin", "mine"); c.code != 1 || !strings.Contains(c.err, "which you do not trust") {
		t.Errorf("before it is trusted: exit %d, says %s", c.code, c.err)
	}
	l.must("plugin", "trust", "mine", "--key", "my.key.pub")
	if out := l.must("audit", "--plugin", "mine"); !strings.Contains(out, "program.py has things to do") {
		t.Errorf("the audit says\n%s", out)
	}
}

func TestAPluginThatWasChangedAfterItWasSignedDoesNotRun(t *testing.T) {
	t.Parallel()
	l := newPlugLab(t)
	l.plugin(plugin.Evaluator, nil)
	l.must("plugin", "trust", "--key", l.public)
	l.edit("plugins/evaluator/plugin.py", "total}]", "total + 1e6}]")
	l.write("atoll.yaml", "goal: a large sum\nevaluator: {adapter: plugin, dir: plugins/evaluator}\nbudget: {jobs: 2}\n")
	for _, args := range [][]string{{"run", "--headless"}, {"plugin", "check", "plugins/evaluator"}} {
		if c := l.run(args...); c.code == 0 || !strings.Contains(c.out+c.err, "plugin.py was changed") {
			t.Errorf("atoll %v: exit %d, says %s%s", args, c.code, c.out, c.err)
		}
	}
	if c := l.run("plugin", "trust", "plugins/evaluator", "--hash", strings.Repeat("0", 64)); c.code == 0 {
		t.Error("a changed plug-in could be trusted")
	}
}

func TestDoctorDoesNotCallAnOperatorBrokenThatHasNothingToChange(t *testing.T) {
	t.Parallel()
	l := newPlugLab(t)
	l.plugin(plugin.Operator, func(dir string) {
		l.edit(dir+"/plugin.py", "in params[\"parent\"][\"files\"]:", "in [f for f in params[\"parent\"][\"files\"] if f[\"path\"].endswith(\".rs\")]:")
	})
	l.must("plugin", "trust", "--key", l.public)
	l.write("atoll.yaml", "goal: small\nevaluator: {command: [\"cat numbers.txt | wc -c\"], output: last-number}\nguard: off\nagents:\n  - {name: op, kind: plugin, plugin: plugins/operator, operators: [mutate], weight: 1}\nsearch: {operators: {mutate: 1}}\nbudget: {jobs: 2}\n")
	if c := l.run("doctor", "--deep"); c.code != 0 || !strings.Contains(c.out, "has nothing to change on the root") {
		t.Errorf("exit %d\n%s%s", c.code, c.out, c.err)
	}
	l.write("main.rs", "fn main() { let steps = 40; }\n")
	git(t, l.dir, "add", "main.rs")
	git(t, l.dir, "commit", "-q", "-m", "Rust")
	if c := l.run("doctor", "--deep"); c.code != 0 || strings.Contains(c.out, "has nothing to change") || !strings.Contains(c.out, "changed 1 file") {
		t.Errorf("with a file that it is for: exit %d\n%s%s", c.code, c.out, c.err)
	}
}
