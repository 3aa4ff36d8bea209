package cli_test

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestAVerbWhoseReaderIsGoneEndsInOrderAsOneThatWasInterrupted(t *testing.T) {
	dir := plot(t, "budget: {jobs: 100000}")
	for _, c := range []struct {
		name  string
		args  []string
		lines int // that are read before the reader leaves
		says  string
	}{
		{"a run", []string{"run", "--headless"}, 3, "nobody reads the output any more"},
		{"what looks", []string{"status"}, 0, ""},
		{"a table", []string{"candidates"}, 0, ""},
		{"data", []string{"jobs", "--json"}, 0, ""},
		{"the log", []string{"events", "--follow"}, 0, ""},
		{"help", []string{"run", "--help"}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			cmd := command(t, dir, c.args...)
			cmd.Stdout, cmd.Stderr = w, &errs
			if c.lines == 0 {
				_ = r.Close() // before it writes a word
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = w.Close() // the child has its own
			if c.lines > 0 {
				for in := bufio.NewReader(r); c.lines > 0; c.lines-- {
					if _, err := in.ReadString('\n'); err != nil {
						t.Fatal(err)
					}
				}
				_ = r.Close()
			}
			_ = cmd.Wait() // the code tells
			if got := cmd.ProcessState.ExitCode(); got != 141 {
				t.Errorf("it ends as %s, want exit status 141\n%s", cmd.ProcessState, errs.String())
			}
			if said := errs.String(); !strings.Contains(said, c.says) || c.says == "" && said != "" {
				t.Errorf("it says %q", said)
			}
		})
	}
	if out := must(t, dir, "status"); !strings.Contains(out, "stopped: drained") {
		t.Errorf("the run did not end in order:\n%s", out)
	}
}

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here:", err)
	}
	defer full.Close()
	dir := plot(t, "budget: {jobs: 1}")
	must(t, dir, "run", "--headless")
	for _, args := range [][]string{{"status"}, {"show", "c0"}, {"candidates"}, {"best", "--json"}} {
		var errs bytes.Buffer
		cmd := command(t, dir, args...)
		cmd.Stdout, cmd.Stderr = full, &errs
		_ = cmd.Run() // the code tells
		if code := cmd.ProcessState.ExitCode(); code != 1 || strings.Count(errs.String(), "no space left on device") != 1 {
			t.Errorf("%v ends with %d and says %q", args, code, errs.String())
		}
	}
}
