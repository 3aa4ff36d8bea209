package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// Three projects as strangers have them: a library of others, and two small ones whose work is
// done twice over.
var strangers = map[string]struct {
	needs  []string // programs
	module string   // of Go, from the module proxy, to which the files are added
	files  map[string]string
	blind  bool // in its language behaviour is not compared
}{
	"Go": {
		needs: []string{"go"}, module: "github.com/facette/natsort@v0.0.0-20181210072756-2cd4dd1e2dcb",
		files: map[string]string{"go.mod": "module github.com/facette/natsort\n\ngo 1.22\n"}, // it is older than modules
	},
	"Python": {needs: []string{"python3"}, files: map[string]string{
		"words.py": `"""Counts words."""

PASSES = 2


def count(text):
    """How often each word is in a text."""
    found = {}
    for _ in range(PASSES):
        found = {}
        for word in text.split():
            word = word.lower()
            found[word] = found.get(word, 0) + 1
    return found
`,
		"test_words.py": `import unittest

from words import count


class TestCount(unittest.TestCase):
    def test_words_are_counted_in_lower_case(self):
        self.assertEqual(count("a b A"), {"a": 2, "b": 1})
`,
		"bench.py": `import time

from words import count

TEXT = "the quick brown fox jumps over the lazy dog " * 2000
best = 1e9
for _ in range(7):
    start = time.process_time()
    count(TEXT)
    best = min(best, time.process_time() - start)
print("time_ms = %.3f" % (1e3 * best))
`,
	}},
	"C": {blind: true, needs: []string{"cc", "make"}, files: map[string]string{
		"Makefile": "CC = cc\n\nprog: src/main.c src/sum.c\n\t$(CC) -O1 -o prog src/main.c src/sum.c\n\ntimes: bench/times.c src/sum.c\n\t$(CC) -O1 -o times bench/times.c src/sum.c\n\n" +
			"test: prog\n\t./prog 10 | grep -qx 285\n\t./prog 1000 | grep -qx 332833500\n\n.PHONY: test\n",
		".gitignore":    "prog\ntimes\n",
		"bench.sh":      "exec ./times\n",
		"bench/times.c": cTimes,
		"src/main.c":    "#include <stdio.h>\n#include <stdlib.h>\n\nlong sum(long n);\n\nint main(int argc, char **argv) {\n\tprintf(\"%ld\\n\", sum(atol(argv[1])));\n\treturn 0;\n}\n",
		"src/sum.c":     "static const int passes = 2;\n\nvolatile long last;\n\nlong sum(long n) {\n\tlong s = 0;\n\tfor (int pass = 0; pass < passes; pass++) {\n\t\ts = 0;\n\t\tfor (long i = 0; i < n; i++) {\n\t\t\ts += i * i % 1000003;\n\t\t}\n\t\tlast = s;\n\t}\n\treturn s;\n}\n",
	}},
}

// cTimes is a benchmark that checks what it times.
const cTimes = `#include <stdio.h>
#include <time.h>

long sum(long n);

int main(void) {
	double best = 1e9;
	for (int i = 0; i < 7; i++) {
		clock_t start = clock();
		if (sum(3000000) != 1499692498779)
			return 3;
		double took = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
		if (took < best)
			best = took;
	}
	printf("time_ms = %.3f\n", best);
	return 0;
}
`

// hour is a stranger's first hour with one project.
type hour struct {
	t     *testing.T
	dir   string
	cache string          // of Go: whoever has it has built something before
	done  map[string]bool // command lines that were run, or will be
	found bool            // a gain that is confirmed, and the behaviour of the best compared
	blind bool            // it cannot be
	time  string          // what they give a run: short, until a run says that it is too little

	uncompared bool // a gain is confirmed, and there was no time to compare behaviour
}

// short is what a stranger's minutes are here, and patient what they give a run that has too few.
const (
	short   = "30s"
	patient = "2m"
)

func TestTheFirstHourGoesAsTheReadmeSays(t *testing.T) {
	suitetest.Full(t, "searches of three projects, and verifications")
	steps := readCommands(t, "README.md", regexp.MustCompile(`(?s)\n## The first hour\n(.*?)\n## `), regexp.MustCompile(`(?m)^    (atoll [^#\n]*?) *(?:#.*)?$`))
	if len(steps) < 12 {
		t.Fatalf("README.md has %d steps: %q", len(steps), steps)
	}
	for name := range strangers {
		t.Run(name, func(t *testing.T) {
			if strangers[name].module != "" {
				suitetest.Slow(t, "samples of a compiled library, for ten minutes at a load of 12")
			}
			h := stranger(t, name, steps)
			for _, step := range steps {
				h.step(step)
			}
		})
	}
}

// readCommands are the commands of a page, or of a part of it, in order.
func readCommands(t *testing.T, page string, part, command *regexp.Regexp) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	if part != nil {
		m := part.FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no such part", page)
		}
		text = m[1]
	}
	for _, m := range command.FindAllSubmatch(text, -1) {
		list = append(list, string(m[1]))
	}
	return list
}

// stranger clones a project for somebody who will run some command lines.
func stranger(t *testing.T, name string, steps []string) *hour {
	t.Helper()
	for _, p := range strangers[name].needs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not here", p)
		}
	}
	origin, dir := filepath.Join(t.TempDir(), "words"), filepath.Join(t.TempDir(), "words")
	if m := strangers[name].module; m != "" {
		copyModule(t, m, origin)
	}
	if err := writeFiles(origin, strangers[name].files); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--quiet", "-b", "main"}, {"add", "--all"}, {"commit", "--quiet", "--message", "words"}} {
		if err := git(origin, args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := git(filepath.Dir(dir), "clone", "--quiet", origin, dir); err != nil {
		t.Fatal(err)
	}
	h := &hour{t: t, dir: dir, done: map[string]bool{}, blind: strangers[name].blind, time: short}
	if out, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		h.cache = strings.TrimSpace(string(out))
	}
	for _, s := range steps {
		h.done[s] = true
	}
	return h
}

// copyModule copies a module from the proxy.
func copyModule(t *testing.T, module, dir string) {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var at struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &at)
	}
	if err != nil {
		t.Skipf("%s cannot be had from the module proxy: %v", module, err)
	}
	if err := os.CopyFS(dir, os.DirFS(at.Dir)); err != nil {
		t.Fatal(err)
	}
}

// step runs a line of a page and every command that it prints.
func (h *hour) step(line string) {
	h.t.Helper()
	run := someMinutes.ReplaceAllString(line, "--for "+h.time)
	if before, after, found := strings.Cut(run, "HELD"); found {
		run = before + h.held() + after
	}
	out := h.sh(run)
	if strings.Contains(run, " run ") && !h.found {
		for range 15 {
			if h.found = h.gained(); h.found {
				break
			}
			if h.uncompared {
				h.time = patient // as the log says: a run with more time has more for the guard
			}
			out = h.sh("atoll run --headless --for " + h.time) // as it says itself: it goes on
		}
		if !h.found {
			h.t.Fatalf("no gain is confirmed in 16 runs of %s or more", short)
		}
	}
	h.follow(out)
}

// gained reports whether a gain is confirmed, and the behaviour of the best compared.
func (h *hour) gained() bool {
	h.t.Helper()
	var list []struct {
		Gain      float64 `json:"gain_pct"`
		Confirmed bool    `json:"confirmed"`
		Best      struct {
			Uncompared bool `json:"behaviour_not_compared"`
		} `json:"best"`
	}
	if err := json.Unmarshal([]byte(h.sh("atoll experiments --json")), &list); err != nil || len(list) == 0 {
		h.t.Fatalf("%d experiments: %v", len(list), err)
	}
	gained := list[0].Gain > 0 && list[0].Confirmed
	h.uncompared = gained && list[0].Best.Uncompared && !h.blind
	return gained && !h.uncompared
}

// usedUp finds how a run goes on whose jobs are used up.
var usedUp = regexp.MustCompile(`atoll run( --max-jobs \d+)`)

// held is a candidate that waits for review.
func (h *hour) held() string {
	h.t.Helper()
	for range 15 {
		if id := regexp.MustCompile(`(?m)^c\d+`).FindString(h.sh("atoll candidates --status held")); id != "" {
			return id
		}
		out := h.sh("atoll run --headless --for " + h.time)
		if m := usedUp.FindStringSubmatch(out); m != nil {
			h.sh("atoll run --headless --for " + h.time + m[1]) // as it says itself
		}
	}
	h.t.Fatal("nothing waits for review")
	return ""
}

// told finds commands in what the program prints: behind "next" and in backquotes.
var (
	toldNext   = regexp.MustCompile(`(?m)^(?:next )? +((?:atoll|git) [^\x60\n]*)$`)
	toldQuoted = regexp.MustCompile("`((?:atoll|git) [^`\n]*)`")
)

// manyMutants and someMinutes are what a stranger has patience for.
var (
	manyMutants = regexp.MustCompile(`--mutants \d+`)
	someMinutes = regexp.MustCompile(`--for \d+m\S*`)
)

// follow runs the commands that the program printed, each once.
func (h *hour) follow(out string) {
	h.t.Helper()
	var list []string
	for _, m := range slices.Concat(toldNext.FindAllStringSubmatch(out, -1), toldQuoted.FindAllStringSubmatch(out, -1)) {
		line, _, _ := strings.Cut(m[1], " #") // behind it stands why
		list = append(list, strings.TrimSpace(line))
	}
	for _, line := range list {
		if h.done[line] {
			continue
		}
		h.done[line] = true
		line = manyMutants.ReplaceAllString(line, "--mutants 2")
		line = someMinutes.ReplaceAllString(line, "--for "+h.time)
		h.t.Logf("as printed: %s", line)
		if line == "atoll run" || strings.HasPrefix(line, "atoll run --remeasure") || usedUp.MatchString(line) {
			h.interrupted(line)
			continue
		}
		h.sh(line)
	}
}

// words starts a line as a stranger's shell does.
func (h *hour) words(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+line)
	cmd.Dir = h.dir
	cmd.Env = append(environment("TERM=dumb", "HOME="+h.dir+".home"), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "GOCACHE="+h.cache)
	return cmd
}

// tooShort finds what a run says would be time enough.
var tooShort = regexp.MustCompile(`give it more time, such as --for (\w+)`)

// sh runs a line, which must end well.
func (h *hour) sh(line string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Minute)
	defer cancel()
	began := time.Now()
	out, err := h.words(ctx, line).CombinedOutput()
	if err != nil {
		h.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	h.t.Logf("%s (%s)\n%s", line, time.Since(began).Round(time.Second), out)
	if m := tooShort.FindSubmatch(out); m != nil {
		h.time = string(m[1])
	}
	return string(out)
}

// interrupted runs a line that goes on until the budget is used up, and ends it by a signal once
// it measures: a drained run ends with 130 and tells how to go on, once.
func (h *hour) interrupted(line string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 5*time.Minute)
	defer cancel()
	out := &heard{word: "jobs", came: make(chan struct{})}
	cmd := h.words(ctx, line)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	select {
	case <-out.came:
	case <-ctx.Done():
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		h.t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != 130 || err != nil && exit == nil {
		h.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	if n := strings.Count(out.String(), "drained; `atoll run` goes on"); n != 1 && err != nil {
		h.t.Errorf("that it goes on is told %d times:\n%s", n, out)
	}
}

// heard is what a program prints, and tells when a word of it came.
type heard struct {
	word string
	came chan struct{}
	text strings.Builder
}

// Write implements io.Writer: both streams of a process are one, written by one goroutine.
func (h *heard) Write(p []byte) (int, error) {
	had := strings.Contains(h.text.String(), h.word)
	h.text.Write(p)
	if !had && strings.Contains(h.text.String(), h.word) {
		close(h.came)
	}
	return len(p), nil
}

func (h *heard) String() string { return h.text.String() }
