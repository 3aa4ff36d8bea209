package survey

import (
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/store/record"
)

func TestAFigureOfTheRootIsToldOnceWithItsUnit(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     record.Metric
		value float64
		want  string
	}{
		{"a benchmark's time, named by its unit", record.Metric{Name: "ns/op", Unit: "ns/op"}, 39648.2, "39,650 ns/op"},
		{"of some digits", record.Metric{Name: "ns/op", Unit: "ns/op"}, 812.46, "812.5 ns/op"},
		{"of many", record.Metric{Name: "ns/op", Unit: "ns/op"}, 1234567890, "1,235,000,000 ns/op"},
		{"below zero", record.Metric{Name: "score"}, -123456, "score = -123,500"},
		{"a name beside its unit", record.Metric{Name: "parse", Unit: "ms"}, 12.34567, "parse = 12.35 ms"},
		{"without a unit", record.Metric{Name: "pass_rate"}, 0.5, "pass_rate = 0.5"},
		{"beyond all groups", record.Metric{Name: "score"}, 1.25e18, "score = 1.25e+18"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := figureText(c.m, c.value); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheInterpreterThatLacksAModuleIsNamed(t *testing.T) {
	s := &survey{Options: Options{Tree: "/home/me/x"}}
	const why = "No module named 'yaml'"
	for _, c := range []struct {
		name    string
		command []string
		want    string
	}{
		{"that of PATH", []string{"python3", "-m", "pytest"}, "the python3 of your PATH"},
		{"that of an environment of the tree", []string{"/home/me/x/.venv/bin/python3", "-m", "pytest"}, ".venv/bin/python3"},
		{"another one, behind a script", []string{"bash", "{dir}/time.sh", "/opt/py/bin/python3.12", "x.py"}, "/opt/py/bin/python3.12"},
		{"none is named", []string{"sh", "test.sh"}, "the python3 of your PATH"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := s.helpful(why, c.command), why+"; install it for "+c.want+", or list its folder in evaluator.caches"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestAModuleThatIsAnEntryPointOfTheProjectNeedsTheProjectInstalled(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		installs   bool
	}{
		"in pyproject.toml":             {"pyproject.toml", "[project.entry-points.'kit.extensions']\ntoc = 'kit.extensions.toc:Toc'\n", true},
		"in setup.cfg":                  {"setup.cfg", "[options.entry_points]\nkit.extensions =\n    toc = kit.extensions.toc:Toc\n", true},
		"in setup.py":                   {"setup.py", "setup(entry_points={'kit.extensions': [\n    'toc = kit.extensions.toc:Toc',\n]})\n", true},
		"another name":                  {"pyproject.toml", "[project.entry-points.'kit.extensions']\nmytoc = 'kit.extensions.toc:Toc'\n", false},
		"something that is depended on": {"pyproject.toml", "[tool.poetry.dependencies]\ntoc = \"^1.0\"\n", false},
	} {
		s := &survey{Options: Options{Lab: labOf(t, map[string]string{c.file: c.text})}}
		if got := s.helpful("No module named 'toc'", []string{"python3", "-m", "pytest"}); strings.Contains(got, "`pip install -e .` with the python3 of your PATH") != c.installs || strings.Contains(got, "evaluator.caches") == c.installs {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAnInterpreterOfTheTreeIsWrittenRelativeToIt(t *testing.T) {
	got := portable("/home/me/x", "bash", "{dir}/time.sh", "/home/me/x/.venv/bin/python3", "/home/me/x/a.py", "/usr/bin/python3")
	if want := []string{"bash", "{dir}/time.sh", ".venv/bin/python3", "/home/me/x/a.py", "/usr/bin/python3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := portable("", "/.venv/bin/python3"); got[0] != "/.venv/bin/python3" {
		t.Errorf("without a tree a path became %q", got)
	}
}

func TestAsManyJobsAreProposedAsFitIntoTheTimeThatIs(t *testing.T) {
	t.Parallel()
	for each, want := range map[time.Duration]int{10 * time.Second: 180, 70 * time.Second: 25, 100 * time.Second: 36, time.Second: 1000, 10 * time.Minute: 20} {
		s := &survey{Options: Options{Say: func(string) {}}, m: config.Measured{Wall: each, Axes: make([]config.Axis, 2)}}
		if s.budget(); s.m.Jobs < want || s.m.Jobs < int(TryTime(each)/each) {
			t.Errorf("%d jobs of %s each, want %d; a first run of %s", s.m.Jobs, each, want, TryTime(each))
		}
	}
}
