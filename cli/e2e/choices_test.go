package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestAThemeOfOnesOwnIsAFile(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for name, text := range map[string]string{
		"mine.yaml":  "theme: contrast-light\ncolours: {accent: \"#ff00aa\", ident: \"#0a141e\"}\n",
		"wrong.yaml": "colours: {acent: \"#ff00aa\"}\n",
		"bare.yaml":  "colours: {accent: pink}\n",
	} {
		if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"COLORTERM=truecolor"}
	c := start(t, l, env, cols, rows, "--set", "console.theme_file=mine.yaml")
	c.wait("● paused")
	c.wait("/400 jobs")
	c.press("2")
	c.wait("outcome")
	for _, rgb := range []string{"38;2;255;0;170", "38;2;10;20;30"} {
		if !strings.Contains(c.output(), rgb) {
			t.Errorf("nothing is drawn in %s", rgb)
		}
	}
	c.press("f2")
	c.wait("contrast-light")
	c.press("q")
	c.end()
	for file, want := range map[string]string{"wrong.yaml": `there is no colour "acent"`, "bare.yaml": `write it as "#rrggbb"`, "none.yaml": "no such file"} {
		c := start(t, l, env, cols, rows, "--set", "console.theme_file="+file)
		if code := c.end(); code == 0 {
			t.Errorf("%s is taken", file)
		}
		until(t, "what is wrong with "+file, patience, func() bool { // broken between words
			return strings.Contains(strings.Join(strings.Fields(c.output()), " "), want)
		})
	}
}

func TestNoiseIsSteeredByRows(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	c.press("O")
	c.all("╭ Steering", "noise", "further looks", "most samples", "measured again")
	row := func(name string) {
		t.Helper()
		for !strings.Contains(c.selected(), name) {
			at := c.selected()
			c.press("down")
			c.see("the next row", func(string) bool { return c.selected() != at })
		}
	}
	for _, s := range []struct{ name, key, then string }{
		{"further looks", "right", "3 was 2"}, {"most samples", "left", "15 was 16"}, {"measured again", "right", "10 % was 5 %"},
	} {
		row(s.name)
		c.press(s.key)
		c.see(s.then, func(string) bool { return strings.Contains(c.selected(), s.then) })
	}
	c.wait("draft, not in force")
	c.press("enter")
	until(t, "the draft is in force", patience, func() bool {
		s := l.settings()
		return s.Challenge != nil && *s.Challenge == 3 && *s.Depth == 15 && *s.Remeasure == 0.1
	})
	c.lost("draft, not in force")
	c.press("u") // one step
	until(t, "all is as before", patience, func() bool {
		s := l.settings()
		return *s.Challenge == 2 && *s.Depth == 16 && *s.Remeasure == 0.05
	})
	l.atoll("set", "evaluator.challenge", "0")
	c.see("what the verb set", func(s string) bool { return regexp.MustCompile(`further looks +0 `).MatchString(s) })
}

func TestWhatCannotBeTakenBackIsAPlainWord(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more run; TestAPauseIsTakenBackInOneStep stands for it")
	l := newLab(t)
	c := opened(t, l, cols, rows)
	c.press("ctrl+r")
	c.wait("▌nothing to redo")
	if s := c.screen(); strings.Contains(s, "1 error") || strings.Contains(s, "cannot do that") {
		t.Errorf("an error is told:\n%s", s)
	}
	c.lost("nothing to redo") // not in the log either
}

func TestFourCandidatesAreComparedSideBySide(t *testing.T) {
	t.Parallel()
	c := opened(t, newLab(t), 160, 44)
	c.press("c")
	c.wait("newest first")
	c.press("m")
	c.wait("best first")
	c.marks(4)
	c.press("D")
	c.all("Compare base c", "parted at", "steps since")
	names := regexp.MustCompile(`\bc\d+\b`)
	c.see("four names in the head, and four values of each metric", func(s string) bool {
		heads, values := 0, 0
		for _, line := range strings.Split(s, "\n") {
			if len(names.FindAllString(line, -1)) == 4 {
				heads++
			}
			if m := regexp.MustCompile(`^│ (score|a|b|c) +`).FindString(line); m != "" && len(regexp.MustCompile(`-?\d+\.\d+ `).FindAllString(strings.TrimPrefix(line, m), -1)) >= 4 {
				values++
			}
		}
		return heads > 0 && values == 4
	})
	c.press("esc")
	c.press("space") // a fifth
	c.wait("5 marked")
	c.press("D")
	c.wait("5 are marked, and 4 fit side by side")
}
