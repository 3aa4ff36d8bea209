package pane

import (
	"testing"

	"atoll/store/record"
)

func TestHowARunWentIsToldInWords(t *testing.T) {
	for _, c := range []struct{ name, kind, text, want string }{
		{
			"a run that ended well", "evaluation", `{"stage":"measure","repeat":0,"exit":0,"wall_ms":16,"cpu_ms":4,"max_rss":14680064,"summary":"measured","metrics":[{"name":"score","value":32.7117},{"name":"time","value":7.5,"unit":"ms","higher_is_better":false}]}`,
			"stage measure, run 1: ended well\nit took 16 ms, cpu 4 ms, memory 14 MB\n\nmeasured\n\nscore  32.7117\ntime    7.5000 ms, lower is better",
		},
		{
			"one that failed", "evaluation", `{"stage":"quick","repeat":2,"exit":3,"wall_ms":1600,"cpu_ms":0,"limits":["memory"],"class":"test","reason":"circles overlap","tests":["inside","apart"]}`,
			"stage quick, run 3: ended with exit code 3\nit took 1.6 s\nlimit reached: memory\ntest: circles overlap\n\ntests\n  inside\n  apart",
		},
		{"one that ran out of time", "evaluation", `{"stage":"full","timed_out":true,"signal":"killed","wall_ms":900}`, "stage full, run 1: its time was over\nit took 900 ms"},
		{"another value", "extra", `{"stage":"x"}`, "{\n  \"stage\": \"x\"\n}"},
		{"a text", "evaluation", "iteration 1", "iteration 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := evidenceText(&record.Evidence{Kind: c.kind, Text: []byte(c.text)}); got != c.want {
				t.Errorf("it is told as\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestAChanceIsToldInPerCentAndNoneWhereNothingWasDrawn(t *testing.T) {
	for _, c := range [][2]string{
		{"c19 is 1 of 5 elites, by rank with chance 0.076", "c19 is 1 of 5 elites, by rank with a chance of 7.6 %"},
		{"c255 is 1 of 82 elites, by rank with chance 0.5, boosted x2", "c255 is 1 of 82 elites, by rank with a chance of 50 %, boosted x2"},
		{"tune with chance 0.77", "tune with a chance of 77 %"},
		{"agent offline with chance 1.00", "offline, there was no other"},
		{"c0 is 1 of 1 elites, by rank with chance 1", "c0 is the only elite"},
		{"target right", "target right"},
	} {
		if got := chanceWords(c[0]); got != c[1] {
			t.Errorf("%q is told as %q, want %q", c[0], got, c[1])
		}
	}
}
