package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatTakesItsTimeIsToldAgainAfterASilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, errs bytes.Buffer
		d := (&App{Out: &out, Err: &errs, Now: time.Now}).doing()
		told := func(after time.Duration) string {
			time.Sleep(after)
			synctest.Wait()
			d.mu.Lock() // of the lines, which d's own goroutine writes
			defer d.mu.Unlock()
			text := errs.String()
			errs.Reset()
			return text
		}
		if got := told(time.Minute); got != "" {
			t.Errorf("nothing is done, and %q is told", got)
		}
		d.begin("measuring")
		if got := told(silentFor - time.Second); got != "measuring\n" {
			t.Errorf("the beginning is told as %q", got)
		}
		if got := told(time.Second); got != "still measuring; since 15s\n" {
			t.Errorf("the silence is ended by %q", got)
		}
		d.tell("1 of 2")
		if got := told(silentFor - time.Second); got != "1 of 2\n" {
			t.Errorf("behind a line %q is told", got)
		}
		if got := told(2 * time.Second); got != "still measuring; since 30s\n" {
			t.Errorf("the second silence is ended by %q", got)
		}
		d.rest()
		if got := told(time.Minute); got != "" {
			t.Errorf("while a person is asked %q is told", got)
		}
		d.begin("measuring more")
		d.end()
		if got := told(time.Minute); got != "measuring more\n" {
			t.Errorf("behind the end %q is told", got)
		}
		if out.Len() > 0 {
			t.Errorf("among the data: %q", out.String())
		}
	})
}

func TestABoundThatIsExceededIsSaidToBeThatOfTheCommand(t *testing.T) {
	for _, c := range []struct {
		name, what string
		took       time.Duration
		want       string
	}{
		{"within it", "measuring the root, for up to 5m0s", time.Minute, "measuring the root, for up to 5m0s; since 1m0s"},
		{"beyond it", "measuring the root, for up to 5m0s", 5*time.Minute + 29*time.Second, "measuring the root; since 5m29s: what may take 5m0s is the command, and the sandbox is made and ended beside it"},
		{"beyond one behind a colon", "one measurement: for up to 15s", 20 * time.Second, "one measurement; since 20s: what may take 15s is the command, and the sandbox is made and ended beside it"},
		{"without one", "measuring", time.Hour, "measuring; since 1h0m0s"},
	} {
		if got := stillText(c.what, c.took); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
