package prompt_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/store/record"
)

// line returns cards 0 to n in one line of descent.
func line(n int) prompt.Cards {
	c := prompt.Cards{}
	for i := range n + 1 {
		id := record.CandidateID(i)
		c[id] = agent.Card{ID: id, Parent: id - 1, Commit: hashOf(byte(i)), Intent: fmt.Sprintf("step %d", i), Objective: ptr(float64(i)), Delta: ptr(1.0)}
	}
	return c
}

// ids writes steps as their first and last number.
func ids(steps []agent.Card) string {
	if len(steps) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d..%d", steps[0].ID, steps[len(steps)-1].ID)
}

func TestTrajectoryRules(t *testing.T) {
	tests := []struct {
		name              string
		base, of, length  record.CandidateID
		early, recent     string
		chunks            string
		unique, omitted   int
		withoutRoot, fork bool
	}{
		{name: "a short path is all recent", base: 0, of: 5, length: 5, early: "-", recent: "1..5", unique: 5},
		{name: "recent steps go back to the start of their chunk", base: 0, of: 16, length: 16, early: "1..2", recent: "9..16", chunks: "1", unique: 16},
		{name: "recent steps that straddle chunks show both", base: 0, of: 18, length: 18, early: "1..2", recent: "9..18", chunks: "1", unique: 18},
		{name: "a path that begins within a chunk shows its first part", base: 3, of: 30, length: 30, early: "4..8", recent: "25..30", chunks: "2,3", unique: 27},
		{name: "of six steps early at most", base: 1, of: 30, length: 30, early: "2..7", recent: "25..30", chunks: "2,3", unique: 29, omitted: 1},
		{name: "the oldest chunk and the newest, three at most", base: 0, of: 100, length: 100, early: "1..2", recent: "89..100", chunks: "1,10,11", unique: 100, omitted: 64},
		{name: "an ancestor has no steps of its own", base: 9, of: 4, length: 9, early: "-", recent: "-", unique: 0},
		{name: "itself has no steps of its own", base: 9, of: 9, length: 9, early: "-", recent: "-", unique: 0},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got := prompt.TrajectoryOf(line(int(c.length)), c.base, c.of, nil)
			var chunks []string
			covered := len(got.Recent)
			told := map[record.CandidateID]bool{}
			for _, s := range append(append([]agent.Card(nil), got.Early...), got.Recent...) {
				told[s.ID] = true
			}
			for _, k := range got.Chunks {
				chunks = append(chunks, fmt.Sprint(k.Number))
				if int(k.Start) != (k.Number-1)*8+1 || int(k.End) != k.Number*8 || len(k.Steps) != 8 {
					t.Errorf("chunk %d covers %s to %s: not aligned to the root", k.Number, k.Start, k.End)
				}
				for _, s := range k.Steps {
					told[s.ID] = true
				}
			}
			if ids(got.Early) != c.early || ids(got.Recent) != c.recent || strings.Join(chunks, ",") != c.chunks {
				t.Errorf("early %s recent %s chunks %s; want %s %s %s", ids(got.Early), ids(got.Recent), chunks, c.early, c.recent, c.chunks)
			}
			if got.Unique != c.unique || got.Omitted != c.omitted || len(told)+got.Omitted != c.unique {
				t.Errorf("unique %d omitted %d told %d (recent %d); want %d and %d", got.Unique, got.Omitted, len(told), covered, c.unique, c.omitted)
			}
			if got.Anchor != prompt.AnchorRoot {
				t.Errorf("anchor %s", got.Anchor)
			}
		})
	}
}

func TestTrajectoryEveryStepIsToldOrCounted(t *testing.T) {
	cards := line(50)
	for base := record.CandidateID(0); base < 50; base++ {
		for of := base + 1; of <= 50; of++ {
			tr := prompt.TrajectoryOf(cards, base, of, nil)
			told := map[record.CandidateID]bool{}
			for _, list := range [][]agent.Card{tr.Early, tr.Recent} {
				for _, s := range list {
					told[s.ID] = true
				}
			}
			for _, k := range tr.Chunks {
				for _, s := range k.Steps {
					told[s.ID] = true
				}
			}
			n := int(of - base)
			if tr.Unique != n || len(told)+tr.Omitted != n {
				t.Fatalf("%d to %d: %d told, %d omitted of %d", base, of, len(told), tr.Omitted, n)
			}
			if r := len(tr.Recent); r < min(6, n) || r > 13 || tr.Recent[r-1].ID != of {
				t.Fatalf("%d to %d: recent %s", base, of, ids(tr.Recent))
			}
			if len(tr.Chunks) > 3 || len(tr.Early) > 6 {
				t.Fatalf("%d to %d: %d chunks, %d early", base, of, len(tr.Chunks), len(tr.Early))
			}
		}
	}
}

func TestTrajectoryLines(t *testing.T) {
	fork := line(10)
	fork[20] = agent.Card{ID: 20, Parent: 4, Commit: hashOf(20), Intent: "own way"}
	lost := prompt.Cards{
		30: {ID: 30, Parent: 25, Commit: hashOf(30), Intent: "after the loss"}, 31: {ID: 31, Parent: 30, Commit: hashOf(31), Intent: "and on"},
		40: {ID: 40, Parent: 25, Commit: hashOf(40), Intent: "beside"},
	}
	ring := prompt.Cards{1: {ID: 1, Parent: 2, Commit: hashOf(1)}, 2: {ID: 2, Parent: 1, Commit: hashOf(2)}, 3: {ID: 3, Parent: 1, Commit: hashOf(3), Intent: "into the ring"}}
	tests := []struct {
		name     string
		cards    agent.Lineage
		base, of record.CandidateID
		want     []string
	}{
		{"nothing is known", nil, 1, 2, nil},
		{"two that parted", fork, 10, 20, []string{"1 step since c4, where it parted from c10, oldest first:", "- 141414141414 c20: own way"}},
		{"no ancestor in common", prompt.Cards{1: {ID: 1, Parent: record.NoCandidate}, 2: {ID: 2, Parent: record.NoCandidate}}, 1, 2, []string{"Trajectory unavailable: c1 and c2 share no ancestor."}},
		{"the common ancestor has no card", lost, 40, 31, []string{"2 steps since c25, where it parted from c40, oldest first:", "- 1e1e1e1e1e1e c30: after the loss", "- 1f1f1f1f1f1f c31: and on"}},
		{"an ancestor of the base", fork, 10, 4, []string{"No step of its own: c4 is c10 or an ancestor of it."}},
		{"parents that go in a circle end", ring, 2, 3, []string{"1 step since c1, where it parted from c2, oldest first:", "- 030303030303 c3: into the ring"}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			if got := prompt.TrajectoryOf(c.cards, c.base, c.of, nil).Lines(); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestAChainBeyondTheDepthLimitShowsItsNewestSteps(t *testing.T) {
	tr := prompt.TrajectoryOf(line(6000), 3000, 6000, nil)
	if tr.Anchor != prompt.AnchorNone || ids(tr.Recent) != "5995..6000" || tr.Omitted != 2994 || len(tr.Chunks) != 0 {
		t.Errorf("anchor %s recent %s omitted %d", tr.Anchor, ids(tr.Recent), tr.Omitted)
	}
	if lines := tr.Lines(); lines[len(lines)-1] != "Omitted 2994 older unique step(s)." {
		t.Errorf("%q", lines)
	}
}

// told holds written summaries by their key.
type told map[string]string

func (s told) Summary(start, end record.CandidateID, block int) (string, bool) {
	text, ok := s[fmt.Sprintf("%d-%d/%d", start, end, block)]
	return text, ok
}

func TestWrittenSummariesAreUsedAndPlainOnesStandIn(t *testing.T) {
	tr := prompt.TrajectoryOf(line(40), 0, 40, told{"1-8/8": "all about\nsorting " + strings.Repeat("x", 2000)})
	if len(tr.Chunks) != 3 || !tr.Chunks[0].Written || !strings.HasPrefix(tr.Chunks[0].Text, "all about sorting x") {
		t.Fatalf("%+v", tr.Chunks)
	}
	want := "objective 16 -> 24. step 17; step 18; step 19; step 20; step 21; step 22; step 23; step 24"
	if got := tr.Chunks[1]; got.Written || got.Start != 17 || got.Text != want {
		t.Errorf("plain summary %q", got.Text)
	}
	if tr.Chunks[1].Written || tr.Chunks[2].Written {
		t.Errorf("chunks that nobody wrote about count as written: %+v", tr.Chunks)
	}
	for _, k := range tr.Chunks {
		if n := utf8.RuneCountInString(k.Text); n > 800 {
			t.Errorf("a summary of %d characters", n)
		}
	}
}

func TestTheSameChunkReadsTheSameFromEveryBase(t *testing.T) {
	cards := line(60)
	want := prompt.TrajectoryOf(cards, 0, 40, nil).Chunks[0].Text
	for base := record.CandidateID(0); base < 1; base++ {
		for of := record.CandidateID(20); of < 60; of++ {
			if got := prompt.TrajectoryOf(cards, base, of, nil).Chunks[0]; got.Number != 1 || got.Text != want {
				t.Errorf("from c%d to c%d: %q", base, of, got.Text)
			}
		}
	}
}

func TestCardsOfLineages(t *testing.T) {
	parent := func(id record.CandidateID) []record.ParentRef {
		return []record.ParentRef{{ID: 99, Role: record.RoleInspiration}, {ID: id, Role: record.RoleParent}}
	}
	root := record.Candidate{ID: 0, Objective: ptr(10.0)}
	one := record.Candidate{ID: 1, Parents: parent(0), Objective: ptr(8.0), Intent: "first"}
	two := record.Candidate{ID: 2, Parents: parent(1)}
	three := record.Candidate{ID: 3, Parents: parent(2), Objective: ptr(7.0)}
	cards := prompt.CardsOf([]record.Candidate{three, two, one, root}, []record.Candidate{one, root})
	if c := cards[1]; c.Parent != 0 || c.Delta == nil || *c.Delta != -2 || c.Intent != "first" {
		t.Errorf("%+v", c)
	}
	if cards[0].Parent != record.NoCandidate || cards[0].Delta != nil || cards[2].Delta != nil || cards[3].Delta != nil {
		t.Error("a delta was made up")
	}
	if tr := prompt.TrajectoryOf(cards, 0, 3, nil); tr.Unique != 3 || tr.Anchor != prompt.AnchorRoot {
		t.Errorf("%+v", tr)
	}
}

func TestAStepIsOneShortLine(t *testing.T) {
	c := agent.Card{ID: 128, Commit: hashOf(9), Intent: "first\nsecond\x1b[2J " + strings.Repeat("ö", 900), Objective: ptr(1.5), Delta: ptr(-0.25)}
	lines := prompt.TrajectoryOf(prompt.Cards{0: {Parent: record.NoCandidate}, 128: c}, 0, 128, nil).Lines()
	got := strings.TrimPrefix(lines[len(lines)-1], "- ")
	if utf8.RuneCountInString(got) != 240 || strings.ContainsAny(got, "\n\x1b") || !strings.HasSuffix(got, "... (1.5, -0.25)") {
		t.Errorf("%d characters: %q", utf8.RuneCountInString(got), got)
	}
}
