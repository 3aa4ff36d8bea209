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
