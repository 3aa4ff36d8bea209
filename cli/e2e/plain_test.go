package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

func TestWhatIsTakenBackIsSaidInPlainWords(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	c.press("O")
	c.wait("╭ Steering")
	for range 2 {
		before := c.selected()
		c.press("right")
		c.see("the row changes", func(string) bool { return c.selected() != before })
	}
	seq := l.last().Seq
	c.press("enter")
	c.decided(l, seq, record.Set)
	c.wait("1 setting changed")
	seq = l.last().Seq
	c.press("u")
	c.decided(l, seq, record.Set)
	c.wait("weights of operators: crossover 0.1 again")
	if d := l.last(); d.Text != "weights of operators: crossover 0.1" {
		t.Errorf("the decision is told as %q", d.Text)
	}
	if out := l.atoll("redo"); !strings.Contains(out, "weights of operators: crossover 0.2 again") {
		t.Errorf("atoll redo says %q", out)
	}
}

func TestTheMapOfOddsHasAUnitAndTheLineTellsThem(t *testing.T) {
	t.Parallel()
	c := opened(t, newLab(t), cols, rows)
	for _, layer := range []string{"age", "tries", "spread", "curiosity", "odds"} {
		c.press("v")
		c.wait("Niches " + layer)
	}
	c.all(" % of the time", " %  odds of the next parent")
}

func TestAPauseIsSaidOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := opened(t, l, cols, rows)
	c.wait("nothing runs: paused by ada")
	c.lost("paused, paused")
	if out := l.atoll("status"); !strings.Contains(out, "dials (seed 35)  paused by ada") || strings.Contains(out, "paused (") {
		t.Errorf("atoll status says\n%s", out)
	}
}

func TestAnEmptyReviewSaysThatNothingWaits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, id := range l.held() {
		l.atoll("reject", id)
	}
	c := opened(t, l, cols, rows)
	c.press("4")
	c.wait("nothing waits")
	c.press("a")
	c.wait("approve: nothing waits for a decision")
}

func TestTheLogPlaysToItsEndAndStops(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a whole log is played; TestThePastIsShownAsItWas stands for it")
	c := opened(t, newLab(t), cols, rows)
	c.press("H")
	c.wait(" the past ")
	c.press("home")
	c.all(" 1 of ", "the experiment begins", "nothing was measured yet")
	c.press("space")
	c.wait("playing")
	c.lost("playing")
	c.see("the newest moment", func(s string) bool {
		_, after, _ := strings.Cut(s, " the past ")
		var at, n int
		for _, f := range strings.Split(after, "  ") {
			if k, _ := fmt.Sscanf(strings.TrimSpace(f), "moment %d of %d", &at, &n); k == 2 {
				break
			}
		}
		return n > 10 && at == n
	})
}
