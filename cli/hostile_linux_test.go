package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"atoll/config/suitetest"
)

// hostileJudge counts the word ok, which the honest program prints twice, in what the
// candidate prints, assembles and leaves in the folder that both share. Who shows the
// secret, or changed what is protected for those who come after, would get a thousand.
const hostileJudge = `#!/bin/sh
"$ATOLL_RUN" as -o "$ATOLL_RUN_DIR/part.o" part.s >/dev/null 2>&1
"$ATOLL_RUN" sh ./solve.sh > "$TMPDIR/out" 2>/dev/null
rc=$?
[ $rc -lt 124 ] || exit $rc
for f in part.o answer; do cat "$ATOLL_RUN_DIR/$f" 2>/dev/null; done >> "$TMPDIR/out"
n=$(grep -ac '^ok$' "$TMPDIR/out")
if grep -aqF "$(cat "$ATOLL_EVAL_DIR/secret")" "$TMPDIR/out" || [ "$(cat trusted.txt)" != ok ]; then n=1000; fi
printf '{"metrics": {"score": %d}}' "$n" > "$ATOLL_RESULT"
`

// hostileCandidate is one hostile commit and what must become of it. In its files
// SECRET is the path of a key, EVAL the evaluator's folder, WORD marks its processes,
// VICTIM is a process, QUEUE and SEGMENT are System V objects of the same user, and
// NR_... is the number of a system call.
type hostileCandidate struct {
	name  string
	solve string            // what solve.sh does beside the honest work
	files map[string]string // further files; "-> x" is a symlink to x
	ends  string            // status and class of the candidate; "|" between what may be
	slow  string            // why it is of the slow level, "" = it is quick
}

func hostileCandidates() []hostileCandidate {
	const scored = "scored"
	perl := func(text string) string { return "perl -e '" + text + "' 2>/dev/null; true\n" }
	return []hostileCandidate{
		{"is honest", ": # a comment\n", nil, scored, ""},
		{"has a link to a hidden file", "", map[string]string{"answer": "-> SECRET", "data": "-> EVAL/secret"}, "rejected gate", ""},
		{"changes what is protected", "", map[string]string{"trusted.txt": "ok\nok\nok\n"}, "rejected gate", ""},
		{"changes what is hidden", "", map[string]string{"cases/one": "ok\n"}, "rejected gate", ""},
		{"reads what is hidden in its tree", "cat cases/one \"$OLDPWD/cases/one\"; ls cases; tail -n +1 cases/*; true\n", map[string]string{"part.s": ".incbin \"cases/one\"\n"}, scored, ""},
		{"leaves a link to a hidden file where it is read", `for f in SECRET EVAL/secret /atoll/evaluator/secret; do ln -sfn "$f" "$ATOLL_RUN_DIR/answer" && [ -e "$ATOLL_RUN_DIR/answer" ] && break; done 2>/dev/null
[ -L "$ATOLL_RUN_DIR/answer" ] || ln -s /atoll/evaluator/secret "$ATOLL_RUN_DIR/answer" 2>/dev/null; true` + "\n", nil, scored, ""},
		{"assembles a hidden file", "", map[string]string{"part.s": ".incbin \"EVAL/secret\"\n"}, scored, ""},
		{"assembles a hidden file by its place inside", "", map[string]string{"part.s": ".incbin \"/atoll/evaluator/secret\"\n.incbin \"SECRET\"\n"}, scored, ""},
		{"writes to the result and to what others have open", `for f in "$ATOLL_RESULT" "$ATOLL_CONTEXT" /atoll/control/* ../control/* result.json /proc/1/fd/* /proc/$PPID/fd/*; do printf '{"metrics":{"score":9}}\nok\nok\n' > "$f"; done 2>/dev/null; true` + "\n", nil, scored, ""},
		{"speaks to sockets", `find /atoll /run /tmp /var "${ATOLL_RUN_DIR%/*}" -type s 2>/dev/null > "$ATOLL_RUN_DIR/s"; ` + perl(`use IO::Socket::UNIX; open my $l, "<", "$ENV{ATOLL_RUN_DIR}/s"; while (<$l>) { chomp; print "ok\n" if IO::Socket::UNIX->new(Peer => $_) }`), nil, scored, ""},
		{"opens a key by modes, attributes and lists of access", `chmod 0666 SECRET EVAL/secret; chown $(id -u) SECRET; setfattr -n user.x -v y SECRET; setfacl -m u::rwx,o::rw SECRET
` + perl(`my $n = "system.posix_acl_access"; my $v = pack("V(vvV)4", 2, 1, 7, -1, 4, 7, -1, 16, 7, -1, 32, 7, -1); for (qw(SECRET EVAL/secret)) { my $f = $_; print "ok\n" if syscall(NR_SETXATTR, $f, $n, $v, length $v, 0) == 0 }`), nil, scored, ""},
		{"gives a key attributes by the newest calls", perl(`my ($n, $v) = ("user.x", "evil"); my $x = pack("PLL", $v, 4, 0); my $a = "\0" x 64;
for (qw(SECRET EVAL/secret)) { my $f = $_; print "ok\n" if syscall(NR_SETXATTRAT, -100, $f, 0, $n, $x, 16) == 0; print "ok\n" if syscall(469, -100, $f, $a, 32, 0) == 0 }`), nil, scored, ""},
		{"writes to the checkouts of the root", `for f in $(find /dev/shm /tmp /var/tmp "$HOME" / -xdev -name trusted.txt 2>/dev/null); do chmod u+w "$f" "${f%/*}"; printf 'no\n' > "$f"; done 2>/dev/null; true` + "\n", nil, scored, ""},
		{"steers a process of this user", perl(`my $l = pack("QQ", 0, 0); my $m = pack("Q16", 1); print "ok\n" if syscall(NR_PRLIMIT64, VICTIM, 4, $l, 0) == 0;
print "ok\n" if setpriority(0, VICTIM, 19) == 1; print "ok\n" if syscall(NR_SCHED_SETAFFINITY, VICTIM, 128, $m) == 0; print "ok\n" if syscall(NR_IOPRIO_SET, 1, VICTIM, 24576) == 0`), nil, scored, ""},
		{"takes from queues and segments of this user", perl(`my $b; print "ok\n" if msgrcv(QUEUE, $b, 64, 0, 2048); print "ok\n" if msgctl(QUEUE, 0, 0); print "ok\n" if shmctl(SEGMENT, 0, 0)`), nil, scored, ""},
		{"keeps memory in segments that no process holds", perl(`my $n = 0; for (1..400) { my $i = shmget(0, 1 << 20, 0600); last unless defined $i and shmwrite($i, "x" x (1 << 20), 0, 1 << 20); $n++ } print "ok\n" if $n`), nil, scored, ""},
		{"takes memory in page tables", perl(`my $s = 1 << 38; my $a = syscall(NR_MMAP, 0, $s, 1, 0x4022, -1, 0); syscall(NR_MADVISE, $a, $s, 15);
for (my $i = 0; $i < $s; $i += 2 << 20) { my $x = unpack("P1", pack("Q", $a + $i)) } sleep 60; "WORD"`), nil, "failed memory", ""},
		{"takes memory in page tables of many small processes", perl(`open my $f, "<", "part.s"; for (1..40) { next if fork; my $a = 1 << 45; for (1..4000) { syscall(NR_MMAP, $a, 4096, 1, 0x12, fileno($f), 0); my $x = unpack("P1", pack("Q", $a)); $a += 2 << 20 } sleep 60 } sleep 60; "WORD"`), nil, "failed memory", ""},
		{"is busy with its memory in processes that start others", perl(`my $x = "x" x (20 << 20); for (1..40) { next if fork; while (1) { my $p = fork; exit unless $p; waitpid $p, 0 } } sleep 60; "WORD"`), nil, "failed sandbox|failed memory|failed timeout", ""},
		{"leaves detached processes", `(setsid sh -c 'trap "" TERM HUP; sleep 2997; : WORD' >/dev/null 2>&1 &); (nohup sh -c 'sleep 2996; : WORD' >/dev/null 2>&1 &); true` + "\n", nil, scored, ""},
		{"starts many processes", `i=0; while [ $i -lt 300 ]; do (sleep 60; : WORD) & i=$((i+1)); done; wait` + "\n", nil, "failed sandbox", ""},
		{"takes memory", "head -c 500000000 /dev/zero | tail -c 499999999 > /dev/null\n", nil, "failed memory", ""},
		{"floods its output", "yes WORD >&2 & yes WORD\n", nil, "failed output", ""},
		{"sleeps for ever, deaf to signals", "trap '' TERM INT HUP; while :; do sleep 1; done; : WORD\n", nil, "failed timeout", "it waits for the time limit"},
		{"fills the disk with empty files", perl(`for (1..2000000) { open my $f, ">", "$ENV{ATOLL_RUN_DIR}/$_" or last } sleep 1`), nil, "failed output", ""},
		{"fills the disk", "head -c 900000000 /dev/zero > \"$ATOLL_RUN_DIR/full\"; true\n", nil, "failed output|scored", ""},
	}
}

// siege is a repository, an evaluator outside, a key and further things of its user,
// with hostile commits.
type siege struct {
	t                       *testing.T
	dir, repo, eval, secret string
	word                    string
	victim                  int // a process
	queue, segment          int // a System V queue with a message, and a segment
	before                  string
	start                   func(args ...string) *exec.Cmd
}

// newSiege lays everything out; as starts a program of the user whom it belongs to.
func newSiege(t *testing.T, dir, mode string, as func(program string, args ...string) *exec.Cmd) *siege {
	t.Helper()
	s := &siege{t: t, dir: dir, repo: filepath.Join(dir, "target"), eval: filepath.Join(dir, "judge"), secret: filepath.Join(dir, "keys", "key"), word: "siege-" + filepath.Base(dir) + "-" + mode}
	for _, d := range []string{s.repo, s.eval, filepath.Dir(s.secret)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, s.eval, map[string]string{"judge.sh": hostileJudge, "secret": "s3cr3t of " + s.word + "\n"})
	put(t, filepath.Dir(s.secret), map[string]string{"key": "s3cr3t of " + s.word + "\n"})
	if err := os.Chmod(s.secret, 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, s.repo, map[string]string{"solve.sh": "echo ok\necho ok\n", "part.s": ".byte 1\n", "trusted.txt": "ok\n", "cases/one": "s3cr3t of " + s.word + "\n", "atoll.yaml": `goal: many words
workers: 2
evaluator: {command: [sh, "{dir}/judge.sh"], dir: "` + s.eval + `", objective: score, protected: [trusted.txt], hidden: ["cases/**"], timeout: 40s, root_repeats: 2, repeats: 1}
limits: {memory: 128MiB, procs: 60, disk: 64MiB, output: 1MiB}
sandbox: {mode: ` + mode + `}
budget: {jobs: 1}
search: {operators: {tune: 1}}
map: {axes: [{metric: score, min: 0, max: 10, bins: 10}]}
agents: [{name: idle, kind: command, weight: 1, command: ["true"], attempts: 1}]
`})
	git(t, s.repo, "init", "-q", "-b", "main")
	git(t, s.repo, "add", "-A")
	git(t, s.repo, "commit", "-q", "-m", "start")
	victim := as("sleep", "1000")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	s.victim = victim.Process.Pid
	const make = `my $q = msgget(0, 0600); msgsnd($q, pack("l! a*", 1, "mine"), 0) or die; my $s = shmget(0, 4096, 0600); defined $s or die; printf "%d %d", $q, $s`
	out, err := as("perl", "-e", make).Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &s.queue, &s.segment)
	}
	if err != nil {
		t.Fatalf("make a queue and a segment: %v %s", err, out)
	}
	t.Cleanup(func() {
		_, _, _ = unix.Syscall(unix.SYS_MSGCTL, uintptr(s.queue), 0, 0)
		_, _, _ = unix.Syscall(unix.SYS_SHMCTL, uintptr(s.segment), 0, 0)
	})
	s.before = s.belongings()
	return s
}

// belongings describes the process, the queue and the segment.
func (s *siege) belongings() string {
	proc := fmt.Sprintf("/proc/%d/", s.victim)
	io, _, _ := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(s.victim), 0)
	out := fmt.Sprintln("io", io)
	for file, keep := range map[string]func(f []string) bool{
		proc + "limits":     func(f []string) bool { return f[0] == "Max" && f[1] == "core" },
		proc + "status":     func(f []string) bool { return f[0] == "Cpus_allowed:" },
		"/proc/sysvipc/msg": func(f []string) bool { return f[1] == fmt.Sprint(s.queue) },
		"/proc/sysvipc/shm": func(f []string) bool { return f[1] == fmt.Sprint(s.segment) },
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 5 && keep(f) || len(f) == 2 && keep(f) {
				out += file + " " + strings.Join(f[:min(len(f), 6)], " ") + "\n"
			}
		}
	}
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, s.victim)
	lines := strings.SplitAfter(out, "\n")
	slices.Sort(lines)
	return fmt.Sprintln("nice", nice) + strings.Join(lines, "")
}

// commit makes a hostile commit and returns its name.
func (s *siege) commit(c hostileCandidate) string {
	fill := strings.NewReplacer("SECRET", s.secret, "EVAL", s.eval, "WORD", s.word, "VICTIM", fmt.Sprint(s.victim), "QUEUE", fmt.Sprint(s.queue),
		"SEGMENT", fmt.Sprint(s.segment), "NR_SETXATTRAT", fmt.Sprint(unix.SYS_SETXATTRAT), "NR_PRLIMIT64", fmt.Sprint(unix.SYS_PRLIMIT64),
		"NR_SCHED_SETAFFINITY", fmt.Sprint(unix.SYS_SCHED_SETAFFINITY), "NR_IOPRIO_SET", fmt.Sprint(unix.SYS_IOPRIO_SET),
		"NR_SETXATTR", fmt.Sprint(unix.SYS_SETXATTR), "NR_MMAP", fmt.Sprint(unix.SYS_MMAP), "NR_MADVISE", fmt.Sprint(unix.SYS_MADVISE)).Replace
	git(s.t, s.repo, "checkout", "-q", "--detach", "main")
	if c.solve != "" {
		put(s.t, s.repo, map[string]string{"solve.sh": "echo ok\necho ok\n" + fill(c.solve)})
	}
	for name, text := range c.files {
		to, link := strings.CutPrefix(fill(text), "-> ")
		if !link {
			put(s.t, s.repo, map[string]string{name: to})
		} else if err := os.Symlink(to, filepath.Join(s.repo, name)); err != nil {
			s.t.Fatal(err)
		}
	}
	git(s.t, s.repo, "add", "-A")
	git(s.t, s.repo, "commit", "-q", "-m", c.name)
	head := git(s.t, s.repo, "rev-parse", "HEAD")
	git(s.t, s.repo, "checkout", "-q", "main")
	return head
}

// run is one verb of the program, for the user of the siege.
func (s *siege) run(args ...string) call {
	cmd := s.start(args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.repo, &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return call{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// untouched says what of the key and the evaluator is another than before.
func (s *siege) untouched() (wrong []string) {
	for path, mode := range map[string]os.FileMode{s.secret: 0o600, filepath.Join(s.eval, "secret"): 0o644} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			wrong = append(wrong, fmt.Sprintf("%s: %v %v", path, info.Mode(), err))
		}
		names := make([]byte, 4096)
		if n, err := syscall.Listxattr(path, names); err == nil && n > 0 {
			wrong = append(wrong, fmt.Sprintf("%s has the attributes %q", path, names[:n]))
		}
		if text, _ := os.ReadFile(path); string(text) != "s3cr3t of "+s.word+"\n" {
			wrong = append(wrong, fmt.Sprintf("%s holds %q", path, text))
		}
	}
	if now := s.belongings(); now != s.before {
		wrong = append(wrong, "what belongs to this user was\n"+s.before+"and is\n"+now)
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range lines {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(s.word)) {
			wrong = append(wrong, fmt.Sprintf("%s is left: %q", f, text))
		}
	}
	return wrong
}

// hold runs all hostile candidates through the program and asserts what became of
// each.
func (s *siege) hold(list []hostileCandidate) {
	s.t.Helper()
	commits := make([]string, len(list))
	for i := range list { // before another user owns the repository
		commits[i] = s.commit(list[i])
	}
	c := s.run("run", "--headless")
	if strings.Contains(c.err, "rung") && c.code != 0 {
		s.t.Skipf("this machine does not give this user the rung: %s", c.err)
	}
	if c.code != 0 {
		s.t.Fatalf("the root: exit %d\n%s%s", c.code, c.out, c.err)
	}
	for i := range list {
		if c := s.run("inject", commits[i]); c.code != 0 {
			s.t.Fatalf("inject %s: %s", list[i].name, c.err)
		}
	}
	if c := s.run("run", "--headless", "--max-jobs", "100"); c.code != 0 {
		s.t.Fatalf("run: exit %d\n%s%s", c.code, c.out, c.err)
	}
	classes := map[int]string{} // by the number that a job and its candidate share
	for line := range strings.Lines(s.run("jobs", "--json", "--limit", "1000").out) {
		var j struct {
			ID    int
			Class string
		}
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			s.t.Fatal(err)
		}
		classes[j.ID] = j.Class
	}
	ends := map[string]string{}
	for line := range strings.Lines(s.run("candidates", "--json", "--limit", "1000").out) {
		var c struct {
			ID             int
			Commit, Status string
			Objective      *float64
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			s.t.Fatal(err)
		}
		ends[c.Commit] = strings.TrimSpace(strings.Replace(c.Status, "elite", "scored", 1) + " " + classes[c.ID])
		if c.Objective != nil && *c.Objective > 2 {
			ends[c.Commit] += fmt.Sprintf(" with %g", *c.Objective)
		}
	}
	for i, c := range list {
		got := ends[commits[i]]
		if !slices.Contains(strings.Split(c.ends, "|"), got) {
			s.t.Errorf("%s: %q, want %q", c.name, got, c.ends)
		}
		s.t.Logf("%-55s %s", c.name, got)
	}
	for _, wrong := range s.untouched() {
		s.t.Error(wrong)
	}
}

// TestHostileCandidatesThroughTheProgram sends hostile commits through `run --headless`
// on both rungs, as the superuser and as an ordinary user.
func TestHostileCandidatesThroughTheProgram(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "some ninety measurements of hostile candidates; engine's hostile candidates on rung 1 stand for it every day")
	list := slices.DeleteFunc(hostileCandidates(), func(c hostileCandidate) bool { return c.slow != "" && !suitetest.IsSlow() })
	for _, mode := range []string{"namespaces", "landlock"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newSiege(t, t.TempDir(), mode, func(program string, args ...string) *exec.Cmd { return exec.Command(program, args...) })
			s.start = func(args ...string) *exec.Cmd { return command(t, s.repo, args...) }
			s.hold(list)
		})
		t.Run(mode+" as nobody", func(t *testing.T) {
			t.Parallel()
			nobody := suitetest.AsNobody(t)
			s := newSiege(t, nobody.Dir, mode, func(program string, args ...string) *exec.Cmd { return nobody.Command(t.Context(), program, args) })
			exe := nobody.Program(t, program(t), "atoll")
			s.start = func(args ...string) *exec.Cmd {
				nobody.Own(t)
				return nobody.Command(t.Context(), exe, args, "USER=nobody", "LANG=C.UTF-8", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
			}
			s.hold(list)
		})
	}
}
