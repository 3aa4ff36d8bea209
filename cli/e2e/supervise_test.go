package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

func TestASecondConsoleTellsTheRunAsItIs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "two consoles over a whole run; TestASecondConsoleLooksOn stands for it")
	l := slowLab(t, "3")
	a := start(t, l, nil, cols, rows, "run", "--workers", "2")
	a.wait("2 running")
	b := start(t, l, nil, cols, rows)
	b.all("● running", "2 running", "/4000 jobs")
	number := regexp.MustCompile(`#\d+`)
	b.see("a job that runs", func(s string) bool {
		id := number.FindString(s)
		return id != "" && l.job(parseJob(t, id)).State != record.Queued
	})
	b.press("r") // its keys do what they say, or say why not
	b.wait("4 Review")
	b.press("s")
	b.wait("nothing waits for review")
	b.press("esc", "1", "U")
	b.wait("nothing is marked")
	b.press("P")
	a.wait("● paused", "draining")
	b.wait("● paused")
	if d := l.last(); d.Verb != record.Pause {
		t.Errorf("the newest decision is %s", d.Verb)
	}
	b.press("q")
	if code := b.end(); code != 0 {
		t.Errorf("the onlooker ends with %d", code)
	}
}

func parseJob(t *testing.T, text string) (id record.JobID) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "#%d", &id); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestALocaleWithoutUTF8GetsPlainCharacters(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{{"LC_ALL=C"}, {"LC_ALL=de_DE.ISO-8859-1"}, {"LC_ALL=ja_JP.eucJP", "LANG=ja_JP.UTF-8"}, {"LANG=C"}, {"LANG=C.UTF-8", "LC_CTYPE=POSIX"}} {
		t.Run(strings.Join(env, " "), func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			c := start(t, l, env, cols, rows)
			c.wait("* paused")
			c.wait("/400 jobs")
			for _, key := range []string{"3", "4", "c", "esc", "d", "esc", "T", "esc", "O", "esc", "7", "6", "8", "?", "esc"} {
				c.press(key)
			}
			c.press("q")
			if code := c.end(); code != 0 {
				t.Errorf("ends with %d", code)
			}
			if m := regexp.MustCompile(`[^\x00-\x7f]+`).FindString(c.output()); m != "" {
				t.Errorf("%q is written", m)
			}
		})
	}
}

func TestNoRateIsToldWhileNothingRuns(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := start(t, l, nil, cols, rows)
	c.wait("● paused")
	held := l.held()
	c.wait(held[len(held)-1] + " waits for review") // the log begins with what was before
	c.wait("/400 jobs")
	c.lost("/min")
	c.lost("ETA")
}

func TestTheBestWaitingIsApprovedWithOneKey(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := start(t, l, nil, cols, rows)
	c.wait("● paused")
	c.press("r")
	c.wait("if approved now")
	c.see("a candidate under the cursor", func(string) bool { return c.picked() != "" })
	best := c.picked()
	c.press("a")
	until(t, "it is approved", patience, func() bool { d := l.last(); return d.Verb == record.Approve && d.Candidate.String() == best })
}

// A person is an agent: their job waits in a work tree, and its screen leads there.
func TestAPersonEditsInTheWorkTreeOfTheirJob(t *testing.T) {
	t.Parallel()
	l := slowLab(t, "0")
	text := strings.Replace(settings, "jobs: 40", "jobs: 2", 1) + "agents:\n  - {name: me, kind: human, weight: 1}\n"
	err := writeFiles(l.dir, map[string]string{"atoll.yaml": text})
	if err == nil {
		err = commitAll(l.dir, "a person edits")
	}
	if err != nil {
		t.Fatal(err)
	}
	shell, editor := tellsWhere(t, l, "shell"), tellsWhere(t, l, "editor")
	c := start(t, l, []string{"SHELL=" + shell, "EDITOR=" + editor, "VISUAL="}, cols, rows, "run", "--workers", "1")
	c.wait("waiting for a")
	c.press("2", "g")
	c.see("the job under the cursor", func(string) bool { return strings.Contains(c.selected(), "waiting for a") })
	c.press("enter")
	c.all("waits for you: W edits there, ! opens a shell", "me, there was no other")
	if s := c.screen(); strings.Contains(s, "with a chance of") { // nothing was drawn for them
		t.Errorf("odds are told of what a person does:\n%s", s)
	}
	editing := l.jobs(record.Editing)
	if len(editing) != 1 {
		t.Fatalf("%d jobs are edited", len(editing))
	}
	c.press("!")
	until(t, "a shell was opened in the work tree", patience, func() bool { return strings.Contains(seen(l, "shell"), "left.conf") })
	c.wait("back from the work tree")
	c.press("W")
	until(t, "the editor was opened in the work tree", patience, func() bool { return strings.Contains(seen(l, "editor"), "left.conf") })
	tree := strings.SplitN(seen(l, "editor"), "\n", 2)[0]
	if err := os.WriteFile(filepath.Join(tree, "left.conf"), []byte("a = 7\nb = 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, ".atoll-done"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	id := editing[0].ID
	until(t, "what the person wrote is measured", patience, func() bool { return l.job(id).State.Ended() })
	if got := l.candidate(record.CandidateID(id)); got.Objective == nil || *got.Objective < 40 {
		t.Errorf("the person's candidate is %s, %s", got.Status, got.Reason)
	}
}

// tellsWhere writes a program that leaves the name of its folder and what is in
// it beside the lab.
func tellsWhere(t *testing.T, l *lab, name string) string {
	t.Helper()
	path := l.dir + "." + name
	script := "#!/bin/sh\n{ pwd; ls; } > '" + path + ".seen.part'\nmv '" + path + ".seen.part' '" + path + ".seen'\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// standing is all that decisions change, as the verbs tell it.
func (l *lab) standing() string {
	settings, err := json.Marshal(l.settings())
	if err != nil {
		l.t.Fatal(err)
	}
	out := []string{l.atoll("niches", "--json"), string(settings)}
	for _, j := range l.jobs() {
		text := fmt.Sprint(j.ID, j.State, j.Priority)
		if j.Candidate != record.NoCandidate {
			c := l.candidate(j.Candidate)
			text += fmt.Sprint(c.Status, c.Pinned)
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// One key takes back what one key did, whether it was about one candidate or many.
func TestKeysAreTakenBackOneByOne(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "dozens of keys, each taken back; TestEveryKey presses them, TestAPauseIsTakenBackInOneStep takes one back")
	l := newLab(t)
	c := start(t, l, nil, cols, rows)
	c.wait("● paused")
	c.wait("/400 jobs")
	until(t, "the engine carried out the larger budget", patience, func() bool { return l.settings().MaxJobs == 400 })
	steps := []struct {
		what string
		keys []string
		verb record.Verb
	}{
		{"approve two marked ones", []string{"4", "g", "down", "down", "space", "space", "a", "U"}, record.Approve}, // a third is better than both
		{"approve the best of each niche", []string{"r", "A", "esc"}, record.Approve},
		{"freeze", []string{"1", "f"}, record.Freeze},
		{"boost", []string{"b"}, record.Boost},
		{"boost again", []string{"b"}, record.Boost},
		{"pin", []string{"*"}, record.Pin},
		{"reject the elite", []string{"1", ".", "x", "enter"}, record.Reject},
	}
	states := []string{l.standing()}
	for _, s := range steps {
		before := l.last().Seq
		for _, k := range s.keys {
			c.press(k)
			if k == "x" {
				c.wait("╭ Reject ")
			}
		}
		until(t, s.what, patience, func() bool { d := l.last(); return d.Seq > before && d.Verb == s.verb })
		c.settled(l)
		states = append(states, l.standing())
	}
	for i := len(steps) - 1; i >= 0; i-- {
		before := l.last().Seq
		c.press("u")
		until(t, "undo of "+steps[i].what, patience, func() bool { return l.last().Seq > before })
		c.settled(l)
		if got := l.standing(); got != states[i] {
			t.Fatalf("undo of %q does not restore what was before it:\n%s\nnot\n%s", steps[i].what, got, states[i])
		}
	}
}

// A pause and a resumption are one step each, through keys and through the verbs.
func TestAPauseIsTakenBackInOneStep(t *testing.T) {
	l := slowLab(t, "0.2")
	c := start(t, l, nil, cols, rows, "run", "--workers", "1")
	is := func(what string, state record.ExperimentState) {
		t.Helper()
		until(t, what, patience, func() bool { return l.state() == state })
	}
	c.wait("● running")
	is("it runs", record.ExperimentRunning)
	c.press("P")
	is("P pauses it", record.ExperimentPaused)
	c.wait("● paused")
	c.press("u")
	is("u takes the pause back", record.ExperimentRunning)
	c.wait("● running")
	c.press("ctrl+r")
	is("ctrl+r pauses it again", record.ExperimentPaused)
	c.wait("● paused")
	c.press("P")
	is("P resumes it", record.ExperimentRunning)
	l.atoll("undo")
	is("the verb takes that back", record.ExperimentPaused)
	l.atoll("redo")
	is("and does it again", record.ExperimentRunning)
}

// settled waits until what the store says stands still: decisions were carried out.
func (c *console) settled(l *lab) {
	c.t.Helper()
	last, same := "", 0
	until(c.t, "the store stands still", patience, func() bool {
		if now := l.standing(); now == last {
			same++
		} else {
			last, same = now, 0
		}
		return same >= 2
	})
}
