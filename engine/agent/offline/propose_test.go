package offline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

const surveyGo = `package pack

import "fmt"

// Rank decides most.
func Rank(items []int, free int) int {
	best := -1
	for i, x := range items {
		for k := 0; k < 3; k++ {
			if x*k > free-7 {
				best = i
			}
		}
	}
	return best
}

func name() string { return fmt.Sprint("pack") }

func Fill(n int) int {
	total := 0
	for i := 0; i < n; i++ {
		total += Rank([]int{i, 2, 3}, 10)
	}
	return total
}
`

func TestASurveyNamesWhatThereIsToDecide(t *testing.T) {
	tree := agenttest.Tree{
		"pack/rank.go": surveyGo, "pack/rank_test.go": surveyGo, "vendor/x/big.go": strings.Repeat("// x\n", 10) + surveyGo,
		"params.txt": "a = 1\nb = 2.5\n", "README.md": strings.Repeat("many words and 12 numbers\n", 50), "go.sum": "x v1.2.3 h1:abc=\n",
		"judge/score.py": "def score(xs):\n    return sum(x * 2 for x in xs)\n",
	}
	allowed := func(path string) bool { return !strings.HasPrefix(path, "judge/") }
	for _, tt := range []struct {
		name   string
		survey offline.Survey
		want   string // names in order
	}{
		{"functions that loop and are called come first, tests and vendored code not at all", offline.Survey{Allowed: allowed}, "[Rank Fill params.txt]"},
		{"what was tried in vain gives way", offline.Survey{Allowed: allowed, Tried: map[string]int{"Rank": 8}}, "[Fill params.txt Rank]"},
		{"what gained comes first", offline.Survey{Allowed: allowed, Gains: map[string]int{"params.txt": 60}}, "[params.txt Rank Fill]"},
		{"a name that is taken is written out", offline.Survey{Allowed: allowed, Taken: []string{"Rank"}}, "[pack/rank.go:Rank Fill params.txt]"},
		{"without a fence the judge could be named too", offline.Survey{}, "[Rank Fill score params.txt]"},
		{"nothing may be changed", offline.Survey{Allowed: func(string) bool { return false }}, "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before []record.Target
			for range 2 {
				got, err := tt.survey.Targets(t.Context(), tree, "offline")
				if err != nil {
					t.Fatal(err)
				}
				names := []string{}
				for _, g := range got {
					names = append(names, g.Name)
					if len(g.Files) != 1 || g.Weight != 1 || g.By != "offline" || g.Hint == "" && g.Name != "params.txt" {
						t.Errorf("target %+v", g)
					}
				}
				if fmt.Sprint(names) != tt.want {
					t.Errorf("targets %v, want %s", names, tt.want)
				}
				if before != nil && fmt.Sprint(before) != fmt.Sprint(got) {
					t.Error("the same survey says something else the second time")
				}
				before = got
			}
		})
	}
}

func TestTheAnswerOfAMapperIsHeldAgainstTheTree(t *testing.T) {
	tree := agenttest.Tree{"a.go": "package a\n", "b.go": "package a\n", "judge.sh": "true\n"}
	s := offline.Survey{Allowed: func(path string) bool { return path != "judge.sh" }, Taken: []string{"own"}}
	for _, tt := range []struct {
		name, answer, want string
	}{
		{"an object among words", `Sure: {"targets": [{"name": "a", "files": ["a.go", "judge.sh", "no.go"], "symbol": "F", "hint": "slow"}]} Good luck!`, "a [a.go] F slow"},
		{"a glob", "```json\n{\"targets\": [{\"name\": \"all\", \"files\": [\"*.go\"]},]}\n```", "all [*.go]  "},
		{"a name that is taken, a name twice, and one without files", `{"targets": [{"name": "own", "files": ["a.go"]}, {"name": "x", "files": ["b.go"]}, {"name": "x", "files": ["a.go"]}, {"name": "y"}]}`, "x [b.go]  "},
		{"only what may not be changed", `{"targets": [{"name": "j", "files": ["judge.sh"]}]}`, ""},
		{"another shape", `{"targets": "a.go"}`, ""},
		{"no JSON", "The parser, I think.", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.ParseTargets(tt.answer, tree, "m")
			if tt.want == "" {
				if !errors.Is(err, offline.ErrTargets) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || len(got) != 1 || fmt.Sprint(got[0].Name, " ", got[0].Files, " ", got[0].Symbol, " ", got[0].Hint) != tt.want {
				t.Errorf("got %+v, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestSubjects(t *testing.T) {
	for answer, want := range map[string]string{
		"Sort items before packing.":                  "Sort items before packing",
		"```\n\"Sort items\"\n```":                    "Sort items",
		"<think>hm\nhm</think>\n- **Use a heap**":     "Use a heap",
		"Subject: use a heap\n\nbecause it is faster": "use a heap",
		"{\"subject\": \"no\"}":                       "",
		"[x] no":                                      "",
		"":                                            "",
		"a\tb \x1b[31m c":                             "a b [31m c",
		strings.Repeat("long ", 40):                   strings.TrimRight(strings.Repeat("long ", 40)[:69], " ") + "...",
	} {
		if got := agent.Subject(answer); got != want {
			t.Errorf("%q gives %q, want %q", answer, got, want)
		}
	}
	one := []record.FileDiff{{Path: "a/b.go", Added: 3, Removed: 1}}
	for _, tt := range []struct {
		diffs []record.FileDiff
		want  string
	}{{nil, "mutate"}, {one, "mutate b.go (+3 -1)"}, {append(one, record.FileDiff{Path: "c", Added: -1, Removed: -1}), "mutate b.go and 1 more (+3 -1)"}} {
		if got := agent.PlainSubject(record.OpMutate, tt.diffs); got != tt.want {
			t.Errorf("%v gives %q, want %q", tt.diffs, got, tt.want)
		}
	}
}
