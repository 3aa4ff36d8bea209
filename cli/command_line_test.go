package cli

import "testing"

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
