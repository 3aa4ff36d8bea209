package cli

import (
	"bytes"
	"path/filepath"
	"testing"

	"atoll/engine"
	"atoll/store/record"
)

func TestPrintedCommandsCanBeTypedAsPrinted(t *testing.T) {
	for _, c := range []struct{ called, repo, state, want string }{
		{"", "", "", "atoll run"},
		{"atoll", "", "", "atoll run"},
		{"./atoll", "", "", "./atoll run"},
		{"/tmp/go-build123/b001/exe/atoll", "../x y", "", "go run . -C '../x y' run"},
		{"atoll", "fo\nl'd\x1b[31m", "", `atoll -C $'fo\012l\'d\033[31m' run`},
		{"atoll", "x", "/s", "atoll -C x --state /s run"},
	} {
		a := App{Called: c.called, flags: globals{repo: c.repo, state: c.state}}
		if got := a.says("run"); got != c.want {
			t.Errorf("%q: %s, want %s", c.called, got, c.want)
		}
		if got := a.spell("drained; `atoll run` goes on"); got != "drained; `"+c.want+"` goes on" {
			t.Errorf("%q: %s", c.called, got)
		}
	}
}

func TestPrintedCommandsNameAnExperimentThatIsNotTheLatest(t *testing.T) {
	t.Parallel()
	ses, err := engine.OpenSession(t.Context(), engine.SessionOptions{Dir: filepath.Join(t.TempDir(), "state"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ses.Close() })
	for _, name := range []string{"first", "second"} {
		if _, err := ses.DB.CreateExperiment(t.Context(), record.Experiment{Name: name, Objective: 1, State: record.ExperimentStopped}, record.Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		given string
		id    record.ExperimentID
		want  string
	}{
		{"", 1, "atoll --experiment 1 run"},
		{"", 2, "atoll run"},
		{"first", 1, "atoll --experiment first run"},
	} {
		a := App{flags: globals{experiment: c.given}}
		if err := a.nameExperiment(t.Context(), ses, c.id); err != nil {
			t.Fatal(err)
		}
		if got := a.says("run"); got != c.want {
			t.Errorf("%d, given %q: %s, want %s", c.id, c.given, got, c.want)
		}
	}
}

func TestAWrongCommandLineIsToldWithWhatToWrite(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"compare"}, "compare takes FIRST SECOND and received 0, an example: `atoll compare 1 2` (put two experiments side by side); see `atoll compare --help`"},
		{[]string{"--json", "diff", "c1", "c2", "c3"}, "diff takes CANDIDATE [CANDIDATE] and received 3, an example: `atoll diff best` (print a candidate's difference to the root, or between two); see `atoll diff --help`"},
		{[]string{"run", "--for", "5"}, "--for 5 has no unit: write 5s for seconds, 5m for minutes or 5h for hours; see `atoll run --help`"},
		{[]string{"run", "--workers", "x"}, "--workers takes a whole number, not x; see `atoll run --help`"},
		{[]string{"run", "--workers", "2.5"}, "--workers takes a whole number, not 2.5; see `atoll run --help`"},
		{[]string{"run", "--workers", "99999999999999999999"}, "--workers 99999999999999999999 is too large; see `atoll run --help`"},
		{[]string{"simulate", "--seed", "-1"}, "--seed takes a whole number from 0 on, not -1; see `atoll simulate --help`"},
		{[]string{"simulate", "--barren", "few"}, "--barren takes a number, not few; see `atoll simulate --help`"},
		{[]string{"run", "--headless=perhaps"}, "--headless takes true or false, not perhaps; see `atoll run --help`"},
		{[]string{"restore", "/nope"}, "there is no file /nope, and no candidate is called that: name the file that `atoll backup` wrote, or a candidate (c128 or 128)"},
		{[]string{"restore", "c3", "monday.atoll"}, "there is no file monday.atoll, and no candidate is called that: name the file that `atoll backup` wrote, or a candidate (c128 or 128)"},
		{[]string{"replay", "--in", "soon"}, "--in soon is no duration: write 30s, 5m or 1h30m; see `atoll replay --help`"},
	} {
		var out, said bytes.Buffer
		a := App{Out: &out, Err: &said}
		if code := a.Run(t.Context(), c.args); code != exitUsage || out.Len() > 0 || said.String() != "atoll: "+c.want+"\n" {
			t.Errorf("%v: exit %d, %q, %q", c.args, code, out.String(), said.String())
		}
	}
}

func TestAMetricNamedAsItsUnitHasTheUnitOnce(t *testing.T) {
	for _, c := range []struct {
		m    record.Metric
		want string
	}{
		{record.Metric{Name: "ns/op", Value: 3561.54, Unit: "ns/op"}, "ns/op 3561.54"},
		{record.Metric{Name: "MS", Value: 2, Unit: "ms"}, "MS 2"},
		{record.Metric{Name: "parse", Value: 3, Unit: "ms"}, "parse 3 ms"},
		{record.Metric{Name: "score", Value: 1}, "score 1"},
	} {
		if got := metricText(c.m); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
