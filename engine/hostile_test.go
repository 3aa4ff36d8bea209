package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/store/record"
)

// judge runs solve.sh of the candidate with fewer rights and counts which of
// five letters it prints: the root's two are honest, and no hostile candidate
// below prints more. What it left as its answer in the folder that both share counts as
// output. A secret in the output, or a word that an earlier run left
// behind, would be worth a thousand: then it was read.
const judge = `
import json, os, subprocess
import helper

def main():
    where = os.environ["ATOLL_EVAL_DIR"]
    run = subprocess.run([os.environ["ATOLL_RUN"], "sh", "./solve.sh"], capture_output=True)
    out = run.stdout.decode(errors="replace")
    try:
        out += " " + open(os.environ["ATOLL_RUN_DIR"] + "/answer").read()
    except OSError:
        pass
    words = out.split()
    score = helper.count(words)
    if open(where + "/secret").read().strip() in out or "LEFT-BEHIND" in words:
        score = 1000
    claim = "1"
    for line in out.splitlines():
        if line.startswith("claim "):
            claim = line[6:]
    with open(os.environ["ATOLL_RESULT"], "w") as f:
        f.write('{"metrics": {"score": %s, "claim": %s}}' % (json.dumps(score), claim))

main()
`

const judgeHelper = "def count(words):\n    return len(set(words) & set('abcde'))\n"

const honest = "echo a b\n"

// entry is a file of a hostile commit.
type entry struct {
	path, mode, text string
}

func plain(path, text string) entry { return entry{path, "100644", text} }
func link(path, to string) entry    { return entry{path, "120000", to} }

// attack is one hostile candidate. In its texts WORD is a word of this test,
// SECRET the path of a key on this machine, PORT a listening port and EVAL the
// evaluator's folder on this machine.
//
// None of them forks without end: on rung 2 such a family (each member starts two
// and ends) got past the process limit and the clean-up, and filled the process
// table of the machine. Try that only on a machine of its own.
type attack struct {
	name  string
	files []entry
	// refused: the gate, or git's own rules, keep it from ever running.
	refused bool
}

func solve(script string) []entry { return []entry{plain("solve.sh", honest+script)} }

// keeps prints what an earlier run left behind and leaves it for the next.
func keeps(comment string) []entry {
	const folders = `/tmp /var/tmp ~ "$TMPDIR" /dev/shm . "$ATOLL_RUN_DIR"`
	return solve("for f in " + folders + "; do cat $f/left-behind; done 2>/dev/null\n" +
		"for f in " + folders + "; do echo LEFT-BEHIND > $f/left-behind; done 2>/dev/null; true # " + comment + "\n")
}

var attacks = []attack{
	{"replaces the protected helper in the tree", []entry{plain("trusted/case.txt", "a b c d e\n"), plain("solve.sh", honest)}, true},
	{"replaces the folder of the protected helper by a symlink", []entry{link("trusted", "mine"), plain("mine/case.txt", "a b c d e\n")}, true},
	{"adds a protected name in another case", []entry{plain("Trusted/CASE.txt", "a b c d e\n"), plain("solve.sh", honest)}, true},
	{"changes atoll.yaml", []entry{plain("atoll.yaml", "evaluator: {command: echo}\n")}, true},
	{"shadows the modules of the interpreter", []entry{
		plain("json.py", forgedModule), plain("subprocess.py", forgedModule), plain("helper.py", forgedModule),
		plain("os.py", forgedModule), plain("sitecustomize.py", forgedModule), plain("usercustomize.py", forgedModule), plain("solve.sh", honest+"#1\n"),
	}, false},
	{"prints a result", solve(`echo '{"metrics": {"score": 1e9}}'; echo 'score: 1e9'; echo 1000000; echo '{"metrics": {"score": 1e9}}' >&2` + "\n"), false},
	{"writes a result where it thinks it belongs", solve(`for f in "$ATOLL_RESULT" /atoll/control/result.json ../control/result.json result.json /proc/$PPID/fd/1 /proc/1/fd/*; do
		echo '{"metrics": {"score": 1e9}}' > "$f"; done 2>/dev/null` + "\n"), false},
	{"reads keys of this machine", solve("cat SECRET ~/.ssh/* /proc/[0-9]*/environ /proc/[0-9]*/cwd/* 2>/dev/null; tail -n +1 EVAL/* /atoll/evaluator/* 2>/dev/null; true\n"), false},
	{"writes all over this machine", solve("for f in SECRET EVAL/judge.py EVAL/helper.py /tmp/WORD /var/tmp/WORD ~/WORD /dev/shm/WORD /etc/WORD; do echo WORD > $f; rm -f $f; echo WORD > $f; done 2>/dev/null; true\n"), false},
	{"keeps something for the next run", keeps("one"), false},
	{"connects to services of this machine", solve("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", PORT), 1).send(b\"WORD\")' 2>/dev/null; true\n"), false},
	{"leaves daemons behind", solve("(setsid sh -c 'trap \"\" TERM HUP; sleep 2999 WORD; sleep 2999.5' >/dev/null 2>&1 &) ; (nohup sh -c 'sleep 2998; : WORD' >/dev/null 2>&1 &); true\n"), false},
	{"takes memory", solve("python3 -c 'x = [bytearray(1 << 24) for _ in range(4096)]; print(\"c d e\")'\n"), false},
	{"fills the disk", solve("head -c 9000000000 /dev/zero > \"$TMPDIR/f\" 2>/dev/null; true\n"), false},
	{"floods its output", solve("yes WORD\n"), false},
	{"sleeps for ever and ignores SIGTERM", solve("trap '' TERM INT HUP; while :; do sleep 1 ; done; : WORD\n"), false},
	{"links the answer that the evaluator reads to a hidden file", solve(`for f in SECRET EVAL/secret /atoll/evaluator/secret; do ln -sf $f "$ATOLL_RUN_DIR/answer"; [ -e "$ATOLL_RUN_DIR/answer" ] && break; done 2>/dev/null
		[ -L "$ATOLL_RUN_DIR/answer" ] || ln -sf /atoll/evaluator/secret "$ATOLL_RUN_DIR/answer" 2>/dev/null; true` + "\n"), false},
	{"changes modes and times of what measures it", solve("chmod 0777 SECRET EVAL EVAL/* /atoll/evaluator/* 2>/dev/null; chmod 0 trusted trusted/* 2>/dev/null; true\n"), false},
	{"speaks to the sandbox itself", solve(`find /atoll "${ATOLL_RUN_DIR%/*}" -type s 2>/dev/null | while read -r s; do python3 -c 'import socket, sys
c = socket.socket(socket.AF_UNIX); c.connect(sys.argv[1]); print("c d e")' "$s" 2>/dev/null; done; true` + "\n"), false},
	{"keeps memory in a segment that no process holds", solve(ctypes(`libc.shmget(0, 200 << 20, 0o1600) >= 0`)), false},
	{"traces its parent", solve(ctypes(`libc.ptrace(16, os.getppid(), 0, 0) == 0`)), false},
	{"takes its parent's files away", solve(ctypes(`resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))`)), false},
	{"makes namespaces of its own", solve(ctypes(`libc.unshare(0x10000000 | 0x20000) == 0`)), false},
	{"claims NaN", solve("echo claim NaN\n"), false},
	{"claims Infinity", solve("echo claim Infinity\n"), false},
	{"claims minus Infinity", solve("echo claim -Infinity\n"), false},
	{"claims a string", solve("echo 'claim \"9\"'\n"), false},
	{"claims true", solve("echo claim true\n"), false},
	{"claims 1e308", solve("echo claim 1e308\n"), false},
	{"claims 1e309", solve("echo claim 1e309\n"), false},
	{"claims a second score", solve("echo 'claim 1, \"score\": 1e9'\n"), false},
	{"links out of the tree", []entry{link("solve.sh", "/etc/passwd"), link("up", "../../../..")}, true},
	{"is a symlink to a key", []entry{link("data", "SECRET")}, true},
	{"steers git by attributes", []entry{plain(".gitattributes", "* filter=evil diff=evil merge=evil\n")}, true},
	{"adds a submodule file", []entry{plain(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c touch% /tmp/WORD\n")}, true},
	{"plants a hook", []entry{plain(".git/hooks/post-checkout", "#!/bin/sh\ntouch /tmp/WORD\n")}, true},
	{"names files with newlines and escape codes", []entry{plain("a\nb", "x"), plain("\x1b]0;WORD\x07\x1b[31mred", "x"), plain("solve.sh", honest+"#2\n")}, true},
	{"names a file that is no text", []entry{plain("bad\xff\xfename", "x"), plain("solve.sh", honest+"#3\n")}, false},
	{"finds what another candidate kept", keeps("two"), false},
}

// alike are attacks that others of this list, or TestHostileLimits of the sandbox, stand
// for every day.
var alike = []string{
	"takes memory", "fills the disk", "floods its output", "sleeps for ever and ignores SIGTERM", "keeps memory in a segment that no process holds",
	"takes its parent's files away", "claims Infinity", "claims minus Infinity", "claims true", "claims 1e308", "claims 1e309",
}

// ctypes is a line of shell that prints three further letters where something holds
// of what Python can call.
func ctypes(what string) string {
	return "python3 -c 'import ctypes, os, resource\nlibc = ctypes.CDLL(None)\nif (" + what + ") is not False: print(\"c d e\")' 2>/dev/null; true\n"
}

const forgedModule = `
import builtins, sys
raise SystemExit(open("/dev/stdout", "w").write('{"metrics": {"score": 1e9}}'))
`

// target is a machine under attack: a repository, an evaluator outside, a key
// and a service, all of which are watched.
type target struct {
	*lab
	word, secret, eval string
	port               int
	visits             atomic.Int64
}

func newTarget(t *testing.T, mode string) *target {
	t.Helper()
	x := &target{
		lab:  bareLab(t, map[string]string{"solve.sh": honest, "trusted/case.txt": "a b\n", "numbers.conf": "speed = 1.5\nsize = 2.5\n"}),
		word: fmt.Sprintf("hostile-%d-%d", os.Getpid(), time.Now().UnixNano()), eval: t.TempDir(),
	}
	x.secret = filepath.Join(t.TempDir(), "key")
	write(t, x.secret, "s3cr3t-"+x.word+"\n")
	write(t, filepath.Join(x.eval, "judge.py"), judge)
	write(t, filepath.Join(x.eval, "helper.py"), judgeHelper)
	write(t, filepath.Join(x.eval, "secret"), "s3cr3t-"+x.word+"\n")
	x.listen()
	x.create("sandbox.mode="+mode, "evaluator.command=[python3, \"{dir}/judge.py\"]", "evaluator.output=result-file",
		"evaluator.dir="+x.eval, "evaluator.protected=[trusted/**]", "evaluator.timeout=4s", "evaluator.root_repeats=2",
		fmt.Sprintf("evaluator.repeats=%d", suitetest.Pick(1, 2, 2)), // what one run leaves for the next is an attack of two candidates, too
		"limits.memory=256MiB", "limits.procs=60", "limits.disk=64MiB", "limits.output=1MiB", "workers=2", "budget.jobs=500",
		"map.axes=[{metric: claim, min: 0, max: 10, bins: 10}]", "search.operators={tune: 1}",
		"agents=[{kind: offline, name: offline, weight: 1}]")
	return x
}

func (x *target) listen() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		x.t.Fatal(err)
	}
	x.port = l.Addr().(*net.TCPAddr).Port
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			x.visits.Add(1)
			_ = c.Close()
		}
	}()
	x.t.Cleanup(func() { _ = l.Close(); <-done })
}

// fill puts what is true of this machine into an attack.
func (x *target) fill(text string) string {
	return strings.NewReplacer("WORD", x.word, "SECRET", x.secret, "EVAL", x.eval, "PORT", fmt.Sprint(x.port)).Replace(text)
}

// commit writes a hostile commit with git's plumbing, past what a checkout or
// `git add` would refuse.
func (x *target) commit(a attack) string {
	x.t.Helper()
	index := filepath.Join(x.t.TempDir(), "index")
	run := func(stdin string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", x.repo, "-c", "core.protectHFS=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@localhost",
			"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost")
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			x.t.Fatalf("%s: git %q: %v\n%s", a.name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("", "read-tree", "HEAD")
	tree := ""
	for _, f := range a.files {
		blob := run(x.fill(f.text), "hash-object", "-w", "--stdin")
		if strings.HasPrefix(f.path, ".git/") { // no index takes it: trees by hand
			for i, name := range reversed(strings.Split(f.path, "/")) {
				line := "040000 tree " + tree + "\t" + name + "\x00"
				if i == 0 {
					line = "100644 blob " + blob + "\t" + name + "\x00"
				}
				if name == ".git" {
					line += run("", "ls-tree", "-z", "HEAD")
				}
				tree = run(line, "mktree", "-z")
			}
			continue
		}
		if f.mode == "120000" {
			run("", "rm", "-q", "-r", "--cached", "--ignore-unmatch", "--", f.path)
		}
		run("", "update-index", "--add", "--cacheinfo", f.mode+","+blob+","+x.fill(f.path))
	}
	if tree == "" {
		tree = run("", "write-tree")
	}
	return run("", "commit-tree", tree, "-p", "HEAD", "-m", "hostile \x1b[31m"+a.name)
}

func reversed(list []string) []string {
	out := make([]string, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}

// picture is a hash over all that no candidate may change.
func (x *target) picture() string {
	h := sha256.New()
	for _, dir := range []string{x.repo, x.eval, filepath.Dir(x.secret)} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q %o\n", path, info.Mode())
			if !info.Mode().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			h.Write(data)
			return err
		})
		if err != nil {
			x.t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// traces lists what the attacks would leave on this machine.
func (x *target) traces() []string {
	var found []string
	home, _ := os.UserHomeDir()
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm", "/etc", home} {
		for _, name := range []string{x.word, "left-behind"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				found = append(found, filepath.Join(dir, name))
			}
		}
	}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(x.word)) {
			found = append(found, f+" "+string(bytes.ReplaceAll(text, []byte{0}, []byte{' '})))
		}
	}
	return found
}

func TestHostileCandidates(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
		t.Skip("the evaluator of this test is written in Python")
	}
	for _, mode := range []string{"namespaces", "landlock"} {
		t.Run(mode, func(t *testing.T) {
			if mode == "landlock" {
				suitetest.Full(t, "every attack once more, on the weaker rung")
			}
			box, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.Mode(mode)})
			if errors.Is(err, sandbox.ErrNoRung) {
				t.Skipf("this machine does not give the rung: %v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := box.Close(); err != nil {
				t.Fatal(err)
			}
			hostile(t, mode)
		})
	}
}

func hostile(t *testing.T, mode string) {
	x := newTarget(t, mode)
	commits := map[record.Hash]attack{}
	var revs []string
	list := slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool { return !suitetest.IsFull() && slices.Contains(alike, a.name) })
	for _, a := range list {
		revs = append(revs, x.commit(a))
	}
	before := x.picture()
	eng := engine.New(x.ses, x.exp.ID, engine.Options{Who: "tester"})
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- eng.Run(ctx) }()
	x.await(eng, "the root is measured", func(s *view.Snapshot) bool { return s.Root.Samples > 0 })
	for i, rev := range revs {
		commit, _, err := eng.Inject(t.Context(), engine.Injection{Revision: rev})
		switch {
		case err == nil:
			commits[commit] = list[i]
		case !list[i].refused:
			t.Errorf("%s: %v", list[i].name, err)
		default:
			t.Logf("%s: refused at once: %v", list[i].name, err)
		}
	}
	seen := map[record.Hash]*record.Candidate{}
	x.await(eng, "every hostile candidate came to its end", func(*view.Snapshot) bool {
		for _, j := range x.jobs() {
			if j.Operator != record.OpManual || !j.State.Ended() || j.Candidate == record.NoCandidate {
				continue
			}
			if c, err := x.ses.DB.Candidate(t.Context(), x.exp.ID, j.Candidate); err == nil {
				seen[c.Commit] = &c
			}
		}
		return len(seen) >= len(commits)
	})
	eng.Drain()
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
	for commit, a := range commits {
		c := seen[commit]
		if c == nil {
			t.Errorf("%s: no candidate", a.name)
			continue
		}
		if c.Objective != nil && *c.Objective != 2 {
			t.Errorf("%s: scored %g, an honest count gives 2", a.name, *c.Objective)
		}
		if a.refused && c.Status != record.StatusRejected {
			t.Errorf("%s: %s (%s), expected that it is refused before it runs", a.name, c.Status, c.Reason)
		}
		if strings.ContainsAny(c.Reason+c.Intent, "\x1b\x07\n") {
			t.Errorf("%s: control characters in %q, %q", a.name, c.Reason, c.Intent)
		}
		t.Logf("%-55s %s %s %s", a.name, c.Status, c.Class, c.Reason)
	}
	for _, e := range x.state().Archive().Elites() {
		if e.Objective > 2 {
			t.Errorf("%s is a false elite: %g", e.ID, e.Objective)
		}
	}
	if after := x.picture(); after != before {
		t.Error("the repository, the evaluator or the key changed")
	}
	if n := x.visits.Load(); n != 0 {
		t.Errorf("a service of this machine was reached %d times", n)
	}
	for _, trace := range x.traces() {
		t.Errorf("left behind: %s", trace)
	}
}
