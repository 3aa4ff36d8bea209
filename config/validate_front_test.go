package config_test

import (
	"strings"
	"testing"

	"atoll/config"
)

func TestAFrontThatMakesNoSenseIsRefused(t *testing.T) {
	for yaml, want := range map[string]string{
		"front: {objectives: [{direction: minimize}]}":                                                       "it has no metric",
		"evaluator: {objective: ops}\nfront: {objectives: [{metric: ops}]}":                                  "front.step is its step",
		"front: {objectives: [{metric: mb}, {metric: mb}]}":                                                  "a second time",
		"front: {objectives: [{metric: a}, {metric: b}, {metric: c}, {metric: d}, {metric: e}]}":             "are too many",
		"front: {cases: ['case_[']}":                                                                         "is no glob",
		"front: {objectives: [{metric: mb, direction: less}]}":                                               "minimize",
		"front: {objectives: [{metric: mb, direction: minimize, step: 0.5}], cases: ['case_*'], parents: 1}": "",
	} {
		l, err := config.Load(config.LoadOptions{Dir: t.TempDir(), File: config.FileName, Data: []byte(yaml)})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", yaml, err)
		case want == "" && l.Config.Front.Objectives[0] != (config.FrontObjective{Metric: "mb", Direction: "minimize", Step: 0.5}):
			t.Errorf("%s is read as %+v", yaml, l.Config.Front)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}
