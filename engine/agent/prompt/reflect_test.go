package prompt_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	lessons "atoll/engine/memory"
	"atoll/store/record"
)

func TestReflectionAsksWithFactsAndNotesAndItsAnswerBecomesNotes(t *testing.T) {
	p, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	var asked agent.Rendered
	r := prompt.Reflection{
		Prompts: p, View: prompt.View{Goal: "Use fewer bins.", Metric: "bins", Direction: "minimize"},
		Ask: func(_ context.Context, r agent.Rendered) (string, record.Usage, error) {
			asked = r
			return "LONG: Sorting gains 4 bins (c101).", record.Usage{Requests: 1, OutputTokens: 9}, nil
		},
	}
	facts := lessons.EpochFacts{Number: 2, From: 51, To: 100, Direction: "minimize", Metric: "bins", Jobs: 50, Best: 86, BestBefore: 88, BestID: 77}
	notes, usage, err := lessons.Reflect(t.Context(), r, facts, []record.Note{
		{ID: 1, Kind: lessons.Long, Text: "An older lesson.", Author: lessons.AuthorReflector},
		{ID: 2, Kind: lessons.Direction, Text: "Keep it readable.", Author: "ann"},
		{ID: 3, Kind: lessons.Long, Text: "Taken away.", Author: lessons.AuthorReflector, Gone: true},
	})
	if err != nil || usage.OutputTokens != 9 || len(notes) != 1 || notes[0].Text != "Sorting gains 4 bins (c101)." {
		t.Fatalf("%+v %+v %v", notes, usage, err)
	}
	for _, want := range []string{"best before 88, best now 86 (c77)", "- An older lesson.", "- Keep it readable.", "lower is better"} {
		if !strings.Contains(asked.User, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if strings.Contains(asked.User, "Taken away.") {
		t.Error("a note that is gone was shown")
	}
	fences(t, asked.User)
}

func TestReflectionWithoutTemplateOrWithAFailingAgent(t *testing.T) {
	p, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no connection")
	r := prompt.Reflection{Prompts: p, Ask: func(context.Context, agent.Rendered) (string, record.Usage, error) {
		return "", record.Usage{Requests: 3}, broken
	}}
	if _, usage, err := r.Complete(t.Context(), "facts", nil); !errors.Is(err, broken) || usage.Requests != 3 {
		t.Errorf("%v %v", usage, err)
	}
}

func TestAChunkIsAskedForInItsOwnWords(t *testing.T) {
	j := promptJob(record.OpMutate)
	j.Background.Secrets = []string{"a-provider-key"}
	cards := line(20)
	c := cards[3]
	c.Intent = "use a-provider-key"
	cards[3] = c
	chunk := prompt.TrajectoryOf(cards, 0, 20, nil).Chunks[0]
	r := render(t, agent.RoleChunk, prompt.ChunkView(j, chunk))
	if strings.Count(r.User, "step ") != 7 || strings.Contains(r.User, "a-provider-key") || !strings.Contains(r.User, "c8: step 8") {
		t.Errorf("%s", r.User)
	}
}
