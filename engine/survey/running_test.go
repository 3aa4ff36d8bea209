package survey

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatMakeRunsIsTimedWithoutItWhereItIsTheSame(t *testing.T) {
	t.Parallel()
	const costly, cheap = `ATOLL_RUNNING {"whole": 8.3, "make": 8.1, "empty": 1.1, "same": true}`, `ATOLL_RUNNING {"whole": 83, "make": 8.1, "empty": 1.1, "same": true}`
	for name, c := range map[string]struct {
		stdout string
		want   []string
	}{
		"a program with words":                {costly + "\n./sum_test --all data/x.txt\n", []string{"./sum_test", "--all", "data/x.txt"}},
		"a line for the shell":                {costly + "\n./sum_test < in.txt\n", []string{"sh", "-ec", "./sum_test < in.txt"}},
		"a program of PATH":                   {costly + "\ncheck all\n", []string{"sh", "-ec", "check all"}},
		"several lines":                       {costly + "\n./one\n./two\n", []string{"sh", "-ec", "./one\n./two"}},
		"lines that depend on a shell each":   {costly + "\ncd tests && ./one\n./two\n", nil},
		"one line that changes the folder":    {costly + "\ncd tests && ./one\n", []string{"sh", "-ec", "cd tests && ./one"}},
		"lines that make goes on by":          {costly + "\nmake -C tests run\n", nil},
		"lines that print something else":     {strings.Replace(costly, "true", "false", 1) + "\n./sum_test\n", nil},
		"make takes little":                   {cheap + "\n./sum_test\n", nil},
		"nothing is run when all is built":    {costly + "\n\n", nil},
		"nothing is known":                    {"", nil},
		"a figure is missing":                 {`ATOLL_RUNNING {"whole": , "make": 8}` + "\n./sum_test\n", nil},
		"a setting of the environment before": {costly + "\nLC_ALL=C ./sum_test\n", []string{"sh", "-ec", "LC_ALL=C ./sum_test"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			if r := readRunning([]byte(c.stdout)); r != nil {
				got = r.program()
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestTheStepOfAClockIsReadFromWhatItTells(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []float64
		want   float64
	}{
		"whole figures":              {[]float64{7, 8, 7}, 1},
		"tenths":                     {[]float64{0.3, 0.4, 0.3}, 0.1},
		"tens":                       {[]float64{20, 30, 20}, 10},
		"finer than the values":      {[]float64{1.152, 1.203, 1.31}, 0.001},
		"the same, which tells none": {[]float64{7, 7, 7}, 0},
		"none":                       {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := stepOf(c.values); got < 0.999*c.want || got > 1.001*c.want {
				t.Errorf("%g, want %g", got, c.want)
			}
		})
	}
}

func TestASpreadOfFewSamplesHasTwoFigures(t *testing.T) {
	t.Parallel()
	for spread, want := range map[float64]string{0: "the same", 0.061784: "varying by 6.2 %", 0.68912: "varying by 69 %", 0.004567: "varying by 0.46 %", 1.2345: "varying by 120 %"} {
		if got := spreadText(spread); got != want {
			t.Errorf("%g: %q, want %q", spread, got, want)
		}
	}
}
