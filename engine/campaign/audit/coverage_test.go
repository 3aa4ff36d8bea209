package audit

import (
	"strings"
	"testing"
)

const coveredGo = `package p

func Used(a int) int {
	if a > 1 {
		return 2
	}
	return a
}

func Unused(a int) int {
	return a + 1
}
`

func TestCoverageIsThatOfTheProfile(t *testing.T) {
	for name, c := range map[string]struct {
		profile            string
		file, used, unused float64
	}{
		"go test": {"mode: set\nexample.com/m/sub/a.go:3.22,4.11 1 1\nexample.com/m/sub/a.go:4.11,6.3 1 0\nexample.com/m/sub/a.go:7.2,7.10 1 1\nexample.com/m/sub/a.go:10.24,12.2 1 0\n", 100 * 3. / 8, 60, 0},
		"lcov":    {"TN:\nSF:/home/ann/m/sub/a.go\nFN:3,Used\nDA:4,2\nDA:5,0\nDA:7,2\nDA:11,0\nLF:4\nend_of_record\n", 50, 100 * 2. / 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			cov, err := ReadCoverage([]byte(c.profile))
			if err != nil {
				t.Fatal(err)
			}
			r := Run([]Source{{"sub/a.go", []byte(coveredGo)}, {"other.go", []byte(coveredGo)}})
			r.Cover(cov)
			for figure, want := range map[string]float64{"coverage sub/a.go": c.file, "coverage sub/a.go:Used": c.used, "coverage sub/a.go:Unused": c.unused} {
				if got, err := r.Figure(figure); err != nil || got != want {
					t.Errorf("%s is %v (%v), want %v", figure, got, err, want)
				}
			}
			if _, err := r.Figure("coverage other.go"); err == nil || !strings.Contains(err.Error(), "not known") {
				t.Errorf("a file that the profile does not have gives %v", err)
			}
			found := r.Findings(Bounds{Coverage: 70}, nil)
			if len(found) != 1 || found[0].Figure != "coverage sub/a.go" || found[0].Value != c.file || found[0].Bound != 70 {
				t.Errorf("the findings are %+v", found)
			}
			if found := r.Findings(Bounds{}, nil); len(found) != 0 {
				t.Errorf("without a bound there are findings: %+v", found)
			}
		})
	}
}

func TestAFileThatIsNoProfileIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "covers no file",
		"hello\n":                        "line 1",
		"mode: set\na.go:1.1,x 1 1\n":    "line 2",
		"SF:a.py\nDA:x,1\n":              "line 2",
		"DA:1,1\n":                       "line 1",
		"mode: set\na.go:1.1,2.2 1 one":  "line 2",
		"SF:a.py\nDA:1,many\n":           "line 2",
		"mode: set\nwords and no blocks": "line 2",
	} {
		if _, err := ReadCoverage([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}
