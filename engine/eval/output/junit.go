package output

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"

	"atoll/store/record"
)

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure []junitText `xml:"failure"`
	Error   []junitText `xml:"error"`
	Skipped []junitText `xml:"skipped"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSuite struct {
	Cases  []junitCase  `xml:"testcase"`
	Suites []junitSuite `xml:"testsuite"`
}

// ParseJUnit counts the tests of a JUnit XML file as pytest writes it. A module
// that cannot be imported is an error in the file and counts as a build
// failure: its tests would else vanish from the count.
func ParseJUnit(data []byte) (Report, error) {
	if len(data) > maxReportBytes {
		return Report{}, fmt.Errorf("the test results have %d bytes, more than the %d allowed", len(data), maxReportBytes)
	}
	var top junitSuite
	if err := xml.Unmarshal(data, &top); err != nil {
		return Report{}, fmt.Errorf("the test results cannot be read: %s", OneLine(err.Error(), 200))
	}
	var t testCount
	broken, err := countSuite(&t, &top, 0)
	if err != nil {
		return Report{}, err
	}
	if broken != "" {
		return Report{Failure: &Failure{Class: record.ClassBuild, Reason: broken}}, nil
	}
	return t.report()
}

func countSuite(t *testCount, s *junitSuite, depth int) (broken string, err error) {
	if depth > 16 {
		return "", errors.New("the test results are nested too deep")
	}
	for _, c := range s.Cases {
		name := c.Name
		if c.Class != "" {
			name = c.Class + "." + c.Name
		}
		switch {
		case len(c.Error) > 0 && c.Error[0].Message == "collection failure":
			told := NewTelling().fromPytestError(c.Error[0].Text)
			broken = OrElse(broken, OneLine(OrElse(told, name+" cannot be imported"), MaxReason))
		case len(c.Failure) > 0:
			t.add(name, "fail", c.Failure[0].Message+"\n"+c.Failure[0].Text)
		case len(c.Error) > 0:
			t.add(name, "fail", c.Error[0].Message+"\n"+c.Error[0].Text)
		case len(c.Skipped) > 0:
			t.add(name, "skip", "")
		default:
			t.add(name, "pass", "")
		}
	}
	for i := range s.Suites {
		b, err := countSuite(t, &s.Suites[i], depth+1)
		if err != nil {
			return "", err
		}
		broken = OrElse(broken, b)
	}
	return broken, nil
}

// hyperfineFile is what hyperfine --export-json writes.
type hyperfineFile struct {
	Results []struct {
		Command   string    `json:"command"`
		Mean      *float64  `json:"mean"`
		StdDev    *float64  `json:"stddev"`
		Median    *float64  `json:"median"`
		User      *float64  `json:"user"`
		System    *float64  `json:"system"`
		Min       *float64  `json:"min"`
		Max       *float64  `json:"max"`
		Times     []float64 `json:"times"`
		ExitCodes []*int    `json:"exit_codes"`
	} `json:"results"`
}

// ParseHyperfine reads hyperfine's JSON. The metrics of the first command are
// median, mean, min, max, stddev, user and system, in seconds; those of further
// commands carry "2.", "3." and so on before the name.
func ParseHyperfine(data []byte) (Report, error) {
	if len(data) > maxReportBytes {
		return Report{}, fmt.Errorf("the timings have %d bytes, more than the %d allowed", len(data), maxReportBytes)
	}
	var f hyperfineFile
	if err := json.Unmarshal(data, &f); err != nil {
		return Report{}, fmt.Errorf("the timings cannot be read: %s", OneLine(err.Error(), 200))
	}
	if len(f.Results) == 0 {
		return Report{}, errors.New("the timings hold no result")
	}
	var r Report
	for i, res := range f.Results {
		for _, code := range res.ExitCodes {
			if code == nil || *code != 0 {
				return Report{Failure: &Failure{Class: record.ClassTest, Reason: OneLine("a timed run failed: "+res.Command, MaxReason)}}, nil
			}
		}
		prefix := ""
		if i > 0 {
			prefix = fmt.Sprintf("%d.", i+1)
		}
		median := res.Median
		if median == nil && len(res.Times) > 0 {
			m := Median(res.Times)
			median = &m
		}
		if median == nil {
			return Report{}, fmt.Errorf("result %d of the timings has no median", i+1)
		}
		for _, m := range []struct {
			name string
			v    *float64
		}{{"median", median}, {"mean", res.Mean}, {"min", res.Min}, {"max", res.Max}, {"stddev", res.StdDev}, {"user", res.User}, {"system", res.System}} {
			if m.v != nil {
				r.Metrics = append(r.Metrics, metric(prefix+m.name, *m.v, "s", false))
			}
		}
	}
	r.Summary = fmt.Sprintf("median %.4g s over %d runs", r.Metrics[0].Value, len(f.Results[0].Times))
	return r, checkMetrics(r.Metrics)
}
