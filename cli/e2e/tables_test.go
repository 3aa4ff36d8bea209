package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// tables are the screens that list something in columns, with a head that is there.
var tables = []station{
	{"recent jobs", []string{"2"}, "outcome"},
	{"jobs", []string{"2", "z"}, "shown"},
	{"review", []string{"r"}, "if approved now"},
	{"failures", []string{"6"}, "over the run"},
	{"yields", []string{"7"}, "Agents"},
	{"decisions", []string{"9"}, "what"},
	{"candidates", []string{"c"}, "shown"},
	{"lineage", []string{"T"}, "candidate"},
	{"settings", []string{"S"}, "value"},
	{"options", []string{"f2"}, "option"},
	{"steering", []string{"O"}, "setting"},
	{"compare", []string{"D"}, "parted at"},
	{"summary", []string{"F"}, "niches filled"},
	{"job", []string{"2", "z", "enter"}, "why  "},
	{"niche", []string{"z"}, "1 Niches"},
}

// touching finds what stands at another column: the long names of this lab are of one
// letter each, and a text that is cut ends with an ellipsis.
var touching = regexp.MustCompile(`w{4,}…?[^w….\s│"'",;:)]|[^w\s│"'(>▸·]w{4,}|t{4,}…?[^t…\s│"'",;:)]|[^t\s│"'(>▸·]t{4,}|…[^\s│┤╮╯─”"]`)

func TestColumnsNeverTouchHoweverLongTheirTextsAre(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "every list at many widths; TestSizes stands for it")
	l := &lab{t: t, dir: t.TempDir()}
	err := makeRepository(l.dir, ":\n")
	if err == nil {
		worker, target := strings.Repeat("w", 24), strings.Repeat("t", 24)
		text := strings.NewReplacer("name: left,", "name: "+target+",", "jobs: 40", "jobs: 30", "tune: 0.8, mutate: 0.1, crossover: 0.1", "structural: 0.5, crossover: 0.5").Replace(settings)
		text += "review: {niche: all}\nagents:\n  - {name: " + worker + ", kind: offline, weight: 1}\n"
		script := strings.ReplaceAll(evaluator, "score = 100 -", "score = -1234567.8912 -")
		err = writeFiles(l.dir, map[string]string{"atoll.yaml": text, "evaluator/evaluate.sh": script})
	}
	if err == nil {
		err = commitAll(l.dir, "long names and large values")
	}
	if err != nil {
		t.Fatal(err)
	}
	l.atoll("run", "--headless", "--workers", "1")
	if len(l.held()) == 0 {
		t.Fatal("nothing waits for review")
	}
	l.atoll("freeze", "root")
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			c := start(t, l, nil, size[0], size[1])
			c.wait("/30 jobs")
			for _, s := range tables {
				c.press(s.keys...)
				c.wait(s.there)
				if text := touching.FindString(c.screen()); text != "" {
					t.Errorf("%s: %q touch:\n%s", s.name, text, c.screen())
				}
				for range len(s.keys) + 1 {
					c.press("esc")
				}
				c.press("1")
				c.see("the dashboard", func(screen string) bool {
					return strings.Contains(screen, "╭ 1 Niches") && !strings.Contains(screen, "2 Jobs > ")
				})
			}
			c.press("q")
			c.end()
		})
	}
}

func TestTheFailuresOfARunAreToldOverItsCourse(t *testing.T) {
	t.Parallel()
	c := opened(t, newLab(t), cols, rows)
	c.press("6")
	c.all("╭ 6 Failures", "over the run", "refused: c is above 13")
	c.see("how often each kind came, in stretches of the run", func(s string) bool {
		return regexp.MustCompile(` \d+ +[a-z]+ +[ ▁-█]*[▁-█][ ▁-█]* +#\d+ +refused: c is above 13`).MatchString(s)
	})
}
