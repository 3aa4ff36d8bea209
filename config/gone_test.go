package config_test

import (
	"strings"
	"testing"

	"atoll/config"
)

func TestKeysThatNothingReadAreRefusedWithTheReason(t *testing.T) {
	for key, value := range map[string]string{"map.embedder": "openai", "map.embed_url": "https://host/v1", "map.embed_model": "m"} {
		section, name, _ := strings.Cut(key, ".")
		for from, o := range map[string]config.LoadOptions{
			"file":        {Data: []byte(section + ":\n  " + name + ": " + value + "\n")},
			"flag":        {Flags: []config.Flag{{Key: key, Value: value, Name: "--set"}}},
			"environment": {Env: []string{"ATOLL_" + strings.ToUpper(section+"_"+name) + "=" + value}},
		} {
			t.Run(key+" from the "+from, func(t *testing.T) {
				if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "leave this key out") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

func TestAStoredConfigurationMayHoldKeysOfEarlierDays(t *testing.T) {
	c, err := config.Decode([]byte(`{"seed": 7, "search": {"islands": 1, "epoch": 9}, "map": {"embedder": "lexical", "embed_url": "", "embed_model": ""}}`))
	if err != nil || c.Seed != 7 || c.Search.Epoch != 9 {
		t.Errorf("%v, %+v", err, c)
	}
}

func TestABudgetTooSmallForTheFirstMapIsTold(t *testing.T) {
	c := config.Defaults()
	if advice := c.Advice(); len(advice) != 0 {
		t.Errorf("the defaults get advice: %q", advice)
	}
	c.Budget.Jobs = 20
	if advice := c.Advice(); len(advice) != 0 {
		t.Errorf("a provisional map has niches, but: %q", advice)
	}
	c.Map.Provisional = false
	if advice := c.Advice(); len(advice) != 1 || !strings.Contains(advice[0], "20 jobs") || !strings.Contains(advice[0], "32 distinct") {
		t.Errorf("a budget of 20 gets %q", advice)
	}
	c.Map.Axes = []config.Axis{{Metric: "m", Max: 1, Bins: 4}}
	if advice := c.Advice(); len(advice) != 0 {
		t.Errorf("named axes need no fit, but: %q", advice)
	}
}

func TestAdviceNamesTheFlagThatGaveTheValue(t *testing.T) {
	t.Parallel()
	l, err := config.Load(config.LoadOptions{
		Data: []byte("evaluator: {command: [sh, eval.sh]}\nbudget: {jobs: 150}\nmap: {provisional: false}\n"), Flags: []config.Flag{{Key: "budget.jobs", Value: "15", Name: "--max-jobs"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if advice := strings.Join(l.Advice(), "\n"); !strings.Contains(advice, "Raise --max-jobs") || strings.Contains(advice, "budget.jobs") {
		t.Errorf("it says %s", advice)
	}
}
