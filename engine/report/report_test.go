package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

const hostile = "<script>alert(1)</script> \x1b]0;owned\x07 `*_[x](http://example.com)_*` \u202eevil | # ``` </pre>"

// fake answers for n elites, each with a change of some lines.
type fake struct {
	lines int
	front view.Front
}

func (f fake) Front(context.Context) (view.Front, error) { return f.front, nil }

func (f fake) Candidate(_ context.Context, id record.CandidateID) (view.CandidateDetail, error) {
	root := &record.Candidate{Metrics: []record.Metric{{Name: hostile, Value: 1}}}
	c := record.Candidate{ID: id, Operator: record.OpRewrite, Agent: hostile, Intent: hostile, Metrics: []record.Metric{{Name: hostile, Value: 2, Unit: hostile}}}
	return view.CandidateDetail{Candidate: c, Root: root, Claim: evidence.Certain(2, 1, false)}, nil
}

func (f fake) Lineage(_ context.Context, id record.CandidateID) (view.Lineage, error) {
	l := view.Lineage{Focus: id}
	for i := range id + 1 {
		v := float64(i)
		l.Ancestors = append(l.Ancestors, view.LineageNode{ID: i, Intent: hostile, Objective: &v, Operator: record.OpTune})
	}
	return l, nil
}

func (f fake) Diff(context.Context, record.CandidateID, record.CandidateID, int) ([]view.FilePatch, error) {
	h := view.PatchHunk{OldStart: 1, NewStart: 1}
	for range f.lines {
		h.Lines = append(h.Lines, view.PatchLine{Kind: '+', Text: hostile})
	}
	return []view.FilePatch{{Path: hostile, Added: f.lines, Hunks: []view.PatchHunk{h}}}, nil
}

func (f fake) Settings(context.Context) ([]view.SettingInfo, error) {
	return []view.SettingInfo{{Key: "goal", Value: hostile, Origin: "when it started"}, {Key: "workers", Value: "2", Origin: "default"}}, nil
}

func (f fake) Decided(context.Context, record.Decision) (string, error) { return hostile, nil }

// snapshot has a map of side x side niches, all filled.
func snapshot(side int, best record.CandidateID) *view.Snapshot {
	s := &view.Snapshot{
		Experiment: record.Experiment{ID: 1, Name: hostile, Seed: 7, Strict: true}, Settings: record.Settings{Goal: hostile, MaxJobs: 50, Workers: 2},
		State: record.ExperimentDone, Reason: hostile, Objective: hostile, Direction: "maximize", Rung: hostile, Guarantees: []string{hostile},
		Root: view.Standing{ID: 0, Objective: 1}, Best: view.Standing{ID: best, Objective: 2, Claim: evidence.Certain(2, 1, false)},
		Jobs: view.Counts{Placed: 3, Failed: 1}, Evals: 9, WallMS: 3_700_000,
		Failures:  []view.FailureGroup{{Class: record.ClassBuild, Reason: hostile, Count: 4, Sample: 3, Cure: hostile}},
		Operators: []view.Yield{{Name: hostile, Tries: 4, Scored: 3, Improved: 2, Best: 1}, {Name: "never tried"}},
		Notes:     []record.Note{{Text: hostile, Kind: "long"}, {Text: "dropped", Gone: true}},
		Decisions: []record.Decision{{Who: hostile, Verb: record.Reject, Candidate: 1}},
		Curves:    view.Curves{X: []int{1, 2, 3}, Best: []float64{1, 1.5, 2}, Coverage: []float64{0, .1, .2}, QD: []float64{1, 2, 3}},
	}
	s.Grid = view.Grid{Dims: []int{side, side}, Axes: []view.Axis{{Name: hostile, Edges: []float64{0, 1}}, {Name: "size"}}, Filled: side * side, Total: side * side, Coverage: 1}
	for i := range side * side {
		s.Grid.Cells = append(s.Grid.Cells, view.Cell{Index: i, Elite: record.CandidateID(i), Objective: float64(i), Adjusted: float64(i)})
	}
	return s
}

// front has two that no other is as good as in everything, and one that leads a case.
func front() view.Front {
	return view.Front{
		Objectives: []view.FrontObjective{{Metric: hostile, Direction: "minimize"}}, Cases: []string{hostile}, Root: []float64{20},
		Members: []view.FrontMember{
			{ID: 5, Objective: 2, Values: []float64{30}, On: true, Intent: hostile},
			{ID: 3, Objective: 1.5, Values: []float64{10}, On: true, Leads: []view.FrontCase{{Case: 0, Value: 4}}, Intent: "less memory"},
		},
	}
}

func TestWhoIsBestInAWayOfItsOwnIsTold(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *Story) error{"Markdown": Markdown, "HTML": HTML} {
		text := written(t, snapshot(2, 3), 1, write)
		for _, want := range []string{"Best in a way of its own", "2 candidates on the front", "10 (-50 %)", "30 (+50 %)", "less memory"} {
			if !strings.Contains(strings.ReplaceAll(text, "&#43;", "+"), want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		story, err := Gather(t.Context(), fake{lines: 1}, snapshot(2, 3), "atoll dev", time.UnixMilli(0))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write(&b, story); err != nil || strings.Contains(b.String(), "in a way of its own") {
			t.Errorf("%s tells a front where nothing counts beside the objective (%v)", name, err)
		}
	}
}

func written(t *testing.T, s *view.Snapshot, lines int, write func(io.Writer, *Story) error) string {
	t.Helper()
	story, err := Gather(t.Context(), fake{lines: lines, front: front()}, s, "atoll dev", time.UnixMilli(0))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := write(&b, story); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestThePageRunsNothingAsksForNothingAndShowsForeignTextAsText(t *testing.T) {
	page := written(t, snapshot(3, 5), 4, HTML)
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			text += n.Data
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "link", "img", "iframe", "object", "embed", "form", "base":
			t.Errorf("the page has a %s", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	if !strings.Contains(text, "<script>alert(1)</script>") {
		t.Error("the foreign text is not shown as text")
	}
	for _, bad := range []string{"\x1b", "\x07", "\u202e"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page carries %q", bad)
		}
	}
}

func TestEveryLinkOfTheMapLeadsToAnElite(t *testing.T) {
	page := written(t, snapshot(4, 5), 1, HTML)
	for i := range 16 {
		if !strings.Contains(page, fmt.Sprintf(`href="#n%d"`, i)) || !strings.Contains(page, fmt.Sprintf(`<details id="n%d"`, i)) {
			t.Errorf("niche %d: no link or no place it leads to", i)
		}
	}
}

func TestAVeryLargeExperimentMakesAFileOfAFewMegabytes(t *testing.T) {
	page := written(t, snapshot(100, 9_999), 300, HTML)
	if len(page) > 5<<20 {
		t.Errorf("the page has %d bytes, more than 5 MB", len(page))
	}
	if !strings.Contains(page, "8000 more are in") || !strings.Contains(page, "steps behind the root are left out") || !strings.Contains(page, "left out for the size of this file") {
		t.Error("the page does not say what it leaves out")
	}
}

func TestMarkdownHoldsForeignTextInItsPlace(t *testing.T) {
	text := written(t, snapshot(3, 5), 2, Markdown)
	for _, bad := range []string{"<script", "\x1b", "x](http"} {
		if outside := withoutBlocks(text); strings.Contains(outside, bad) {
			t.Errorf("outside of its blocks the document has %q", bad)
		}
	}
	if strings.Contains(text, "never tried") || strings.Contains(text, "dropped") {
		t.Error("the document tells what does not count")
	}
}

// withoutBlocks leaves out fenced blocks.
func withoutBlocks(text string) string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		switch ticks := len(line) - len(strings.TrimLeft(line, "`")); {
		case fence == "" && ticks >= 3:
			fence = line[:ticks]
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence == "":
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func TestTheOutcomeIsToldAsTheEvidenceAllows(t *testing.T) {
	claim := func(word evidence.Word) evidence.Claim {
		return evidence.Claim{Value: 12, N: 9, Level: .95, Root: 10, RootN: 9, Gain: 2, Interval: evidence.Interval{Low: 11, High: 13}, GainIn: evidence.Interval{Low: 1, High: 3}, Word: word}
	}
	verified := &view.Standing{ID: 4, Verified: &view.Branch{Name: "atoll/x-c4", Of: 4, Promotion: record.Promotion{Base: "main", Onto: "1234567890", Gain: "a gain of +82 %"}}}
	for name, c := range map[string]struct {
		best view.Standing
		want string
		not  string
		sure *view.Standing
	}{
		"one that a promotion verified is named beside the root": {view.Standing{ID: 0}, "prove no candidate better than the root. c4 was verified by promote on main", "No candidate is better", verified},
		"a confirmed gain has its interval":                      {view.Standing{ID: 4, Claim: claim(evidence.Confirmed)}, "+20.0 % [10.0, 30.0] confirmed", "", nil},
		"a gain of what nothing compared says so":                {view.Standing{ID: 4, Claim: claim(evidence.Confirmed), Uncompared: true}, "did not decide. Its behaviour was not compared with the root's.", "", nil},
		"a gain within noise is none":                            {view.Standing{ID: 4, Claim: claim(evidence.WithinNoise)}, "take it as no gain", "20.0", nil},
		"an unconfirmed gain has no percentage":                  {view.Standing{ID: 4, Claim: claim(evidence.Unconfirmed)}, "unconfirmed", "20.0", nil},
		"the root as the best is told as no gain":                {view.Standing{ID: 0}, "No candidate is better than the root", "", nil},
		"an exact gain says that repeats are equal":              {view.Standing{ID: 4, Claim: evidence.Certain(12, 10, false)}, "agree to the last digit", "", nil},
		"nothing measured beside the root is no win":             {view.Standing{ID: record.NoCandidate}, "No candidate is better", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := Story{Snap: &view.Snapshot{Root: view.Standing{ID: 0, Objective: 10}, Best: c.best, Sure: c.sure}}
			if got := s.outcome(); !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("says %q", got)
			}
		})
	}
}

func TestAPullRequestTellsUnitsOnBothSidesAndWithoutThemNoSpaces(t *testing.T) {
	root := &record.Candidate{Metrics: []record.Metric{{Name: "time", Value: 12, Unit: "ms"}, {Name: "size", Value: 3}, {Name: "a|b", Value: 1}}}
	c := record.Candidate{ID: 4, Metrics: []record.Metric{{Name: "time", Value: 10, Unit: "ms"}, {Name: "size", Value: 2}, {Name: "a|b", Value: 5}, {Name: "fresh", Value: 7, Unit: "%"}}}
	p := &Proposal{Snap: snapshot(1, 4), Candidate: view.CandidateDetail{Candidate: c, Root: root, Claim: evidence.Certain(2, 1, false)}}
	var b bytes.Buffer
	if err := PullRequest(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| `time` | 10 ms | 12 ms |", "| `size` | 2 | 3 |", "| `a\\|b` | 5 | 1 |", "| `fresh` | 7 % | – |"} {
		if !strings.Contains(b.String(), "\n"+line+"\n") {
			t.Errorf("the table has no line %s:\n%s", line, b.String())
		}
	}
}

func TestAFailureNamesItsJobWithOneSign(t *testing.T) {
	for name, c := range map[string]struct {
		write func(io.Writer, *Story) error
		want  string
	}{"on the page": {HTML, "such as #3<"}, "in Markdown, where it is no heading": {Markdown, `(such as \#3)`}} {
		if text := written(t, snapshot(1, 1), 1, c.write); !strings.Contains(text, c.want) {
			t.Errorf("%s: there is no %q", name, c.want)
		}
	}
}

func TestAPullRequestAndTheReportRepeatInTheSameWords(t *testing.T) {
	s := snapshot(1, 4)
	story := &Story{Snap: s}
	var b bytes.Buffer
	if err := PullRequest(&b, &Proposal{Snap: s, Candidate: view.CandidateDetail{Candidate: record.Candidate{ID: 4}, Claim: evidence.Certain(2, 1, false)}}); err != nil {
		t.Fatal(err)
	}
	lines := append(story.Reproduction(), story.Repeats())
	if lines[1] != "atoll run --new --seed 7 --order strict --max-jobs 50" || !strings.Contains(story.Repeats(), "2 workers") {
		t.Errorf("the report says %q", lines)
	}
	for _, line := range lines {
		if !strings.Contains(b.String(), line+"\n") {
			t.Errorf("the pull request has no line %q:\n%s", line, b.String())
		}
	}
}

func TestARatioToTheRootIsToldAsOne(t *testing.T) {
	s := snapshot(1, 4)
	s.Objective, s.Direction, s.Paired = "ns/op", "minimize", true
	s.Root.Objective, s.Best.Claim = 1, evidence.Certain(0.907349, 1, true)
	const ratio = "ratio of ns/op to the root's"
	for name, write := range map[string]func(io.Writer, *Story) error{"HTML": HTML, "Markdown": Markdown, "a pull request": func(w io.Writer, st *Story) error {
		return PullRequest(w, &Proposal{Snap: st.Snap, Candidate: view.CandidateDetail{Candidate: record.Candidate{ID: 4}, Claim: st.Snap.Best.Claim}})
	}} {
		text := html.UnescapeString(written(t, s, 1, write))
		if !strings.Contains(text, "Its "+ratio+" is 0.907349 (lower is better). The gain is +9.27 %") || strings.Contains(text, "; the root's is") {
			t.Errorf("%s does not tell the value as a ratio:\n%s", name, text)
		}
	}
	story := &Story{Snap: s}
	for _, f := range story.Facts() {
		if f.Value == "1" || f.Value == "0.907349" && f.Name != ratio {
			t.Errorf("a headline says %v", f)
		}
	}
	s.Best = s.Root
	if got := story.outcome(); got != "No candidate is better than the root by the "+ratio+" (lower is better)." {
		t.Errorf("of the root it says %q", got)
	}
}
