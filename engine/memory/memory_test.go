package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/exp/golden"

	"atoll/engine/memory"
	"atoll/store/record"
)

func ptr[T any](x T) *T { return &x }

// outcomes are those of an epoch in which bins are minimised.
func outcomes() []memory.Outcome {
	var out []memory.Outcome
	job := record.JobID(100)
	add := func(o memory.Outcome) {
		job++
		o.Job = job
		if o.Objective != nil {
			o.Candidate = record.CandidateID(job)
		} else {
			o.Candidate = record.NoCandidate
		}
		o.Parent, o.Agent = 90, "chat"
		out = append(out, o)
	}
	add(memory.Outcome{Operator: "mutate", Target: "packer", State: record.Placed, Objective: ptr(86.0), Base: ptr(90.0), Intent: "sort items\nfirst", Files: []string{"pack/sort.go"}})
	add(memory.Outcome{Operator: "tune", State: record.Scored, Objective: ptr(89.0), Base: ptr(90.0), Intent: "threshold 0.5"})
	add(memory.Outcome{Operator: "tune", State: record.Scored, Objective: ptr(93.0), Base: ptr(90.0), Intent: "threshold 0.9"})
	add(memory.Outcome{Operator: "tune", State: record.Duplicate})
	for i := range 3 {
		add(memory.Outcome{Operator: "mutate", Target: "packer", State: record.Failed, Class: record.ClassBuild, Reason: fmt.Sprintf("go build failed at line %d", i), Sample: "# pack\npack/sort.go:12:2: undefined: slices\n"})
	}
	add(memory.Outcome{Operator: "rewrite", State: record.Failed, Class: record.ClassTimeout, Reason: "no answer within 60s"})
	add(memory.Outcome{Operator: "mutate", State: record.Rejected, Class: record.ClassGate, Reason: "changes bench/run.go"})
	return out
}

func epoch() memory.Epoch {
	return memory.Epoch{
		Number: 3, From: 101, To: 109, Direction: "minimize", Metric: "bins", Root: 95,
		Before: memory.Standing{Best: 88, BestID: 70, Filled: 10}, After: memory.Standing{Best: 86, BestID: 101, Filled: 11},
		Ever: []memory.Improvement{{Candidate: 12, Operator: "mutate", Target: "packer", Delta: -5, Objective: 90, Intent: "free space once"}},
	}
}

func TestFactsAndDigest(t *testing.T) {
	for name, e := range map[string]memory.Epoch{"a moving epoch": epoch(), "a stale epoch": func() memory.Epoch {
		e := epoch()
		e.After, e.Stale = e.Before, 2
		return e
	}()} {
		t.Run(name, func(t *testing.T) {
			f := memory.Gather(e, outcomes())
			text := memory.Text(f) + "\n"
			for _, n := range memory.Digest(f) {
				text += fmt.Sprintf("%s | %s | %s\n", n.Kind, n.Target, n.Text)
			}
			golden.RequireEqual(t, []byte(text))
		})
	}
}

func TestFactsDoNotDependOnTheOrderOfOutcomes(t *testing.T) {
	want := memory.Gather(epoch(), outcomes())
	for seed := range uint64(20) {
		list := outcomes()
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if got := memory.Gather(epoch(), list); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n%+v\nwant\n%+v", seed, got, want)
		}
	}
}

func TestGainsFollowTheDirection(t *testing.T) {
	e := epoch()
	e.Direction = "maximize"
	f := memory.Gather(e, outcomes())
	if len(f.Improvements) != 1 || f.Improvements[0].Objective != 93 {
		t.Errorf("improvements when maximising: %+v", f.Improvements)
	}
	if f.Stale != 1 {
		t.Errorf("stale = %d, want 1: 86 is no gain over 88", f.Stale)
	}
}

func TestNoiseIsNoGain(t *testing.T) {
	e := epoch()
	e.Noise = 2.5
	f := memory.Gather(e, outcomes())
	if len(f.Improvements) != 1 || f.Improvements[0].Delta != -4 || f.Stale != 1 {
		t.Errorf("improvements %+v, stale %d; want the gain of 4 alone, and 88 to 86 as no progress", f.Improvements, f.Stale)
	}
}

func TestAnEpochWithoutJobsHasNoDigest(t *testing.T) {
	if n := memory.Digest(memory.Gather(epoch(), nil)); len(n) != 0 {
		t.Errorf("%v", n)
	}
}

// put carries out what Merge says, as the store does.
func put(have, writes []record.Note) []record.Note {
	out := append([]record.Note(nil), have...)
	for _, w := range writes {
		if w.ID == 0 {
			w.ID = int64(len(out) + 1)
			out = append(out, w)
			continue
		}
		out[w.ID-1] = w
	}
	return out
}

func live(notes []record.Note) (texts []string) {
	for _, n := range notes {
		if !n.Gone {
			texts = append(texts, n.Kind+": "+n.Text)
		}
	}
	return texts
}

func TestMerge(t *testing.T) {
	d := func(kind, text string) record.Note {
		return record.Note{Kind: kind, Text: text, Author: memory.AuthorDigest}
	}
	r := func(kind, text string) record.Note {
		return record.Note{Kind: kind, Text: text, Author: memory.AuthorReflector}
	}
	person := func(kind, text string) record.Note { return record.Note{Kind: kind, Text: text, Author: "ann"} }
	gone := func(n record.Note) record.Note { n.Gone = true; return n }
	tests := []struct {
		name        string
		have, fresh []record.Note
		limits      memory.Limits
		want        []string
	}{
		{"a failure met again gets its new figures", []record.Note{d("failure", "build, 3 of 50 jobs: no such package")}, []record.Note{d("failure", "build, 7 of 50 jobs: no such package")}, memory.Limits{}, []string{"failure: build, 7 of 50 jobs: no such package"}},
		{"a lesson in nearly the same words is not said twice", []record.Note{r("long", "Sorting the items by size before packing gains about four bins")}, []record.Note{r("long", "Sorting the items by size before packing gains about 5 bins")}, memory.Limits{}, []string{"long: Sorting the items by size before packing gains about 5 bins"}},
		{"what a person wrote stays, and is not repeated", []record.Note{person("direction", "Try harmonic classes now")}, []record.Note{r("direction", "try harmonic classes, now!")}, memory.Limits{}, []string{"direction: Try harmonic classes now"}},
		{"what a person took away does not come back", []record.Note{gone(d("failure", "build, 3 of 50 jobs: no such package"))}, []record.Note{d("failure", "build, 9 of 50 jobs: no such package")}, memory.Limits{}, nil},
		{"a reflector's lessons replace its older ones, no others", []record.Note{r("long", "old lesson about caches"), d("long", "Largest gains so far: c1"), person("long", "mine")}, []record.Note{r("long", "new lesson about order")}, memory.Limits{}, []string{"long: Largest gains so far: c1", "long: mine", "long: new lesson about order"}},
		{"a digest keeps one list of gains for each target", []record.Note{d("long", "Largest gains so far: c1 -2 by tune")}, []record.Note{d("long", "Largest gains so far: c9 -4 by mutate: sort")}, memory.Limits{}, []string{"long: Largest gains so far: c9 -4 by mutate: sort"}},
		{"the oldest short notes give way", []record.Note{d("short", "epoch 1"), d("short", "epoch 2"), person("short", "mine")}, []record.Note{d("short", "epoch 3")}, memory.Limits{Short: 2}, []string{"short: epoch 2", "short: mine", "short: epoch 3"}},
		{"more fresh notes than there is room: the first stay", []record.Note{d("failure", "older")}, []record.Note{d("failure", "alpha"), d("failure", "beta"), d("failure", "gamma")}, memory.Limits{Failures: 2}, []string{"failure: alpha", "failure: beta"}},
		{"a plateau is over when the digest no longer tells it", []record.Note{d("direction", "The best has stood for 2 epochs")}, []record.Note{d("short", "epoch 9")}, memory.Limits{}, []string{"short: epoch 9"}},
		{"empty notes are not kept", nil, []record.Note{d("short", " \n ")}, memory.Limits{}, nil},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			have := put(nil, c.have)
			after := put(have, memory.Merge(have, c.fresh, c.limits))
			if got := live(after); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if again := memory.Merge(after, c.fresh, c.limits); len(c.fresh) <= 1 && len(again) != 0 {
				t.Errorf("a second merge writes %+v", again)
			}
		})
	}
	t.Run("what was retired for being outdated may come back", func(t *testing.T) {
		have := put(nil, []record.Note{d("direction", "The best stood for 2 epochs")})
		have = put(have, memory.Merge(have, []record.Note{d("short", "epoch 4")}, memory.Limits{}))
		have = put(have, memory.Merge(have, []record.Note{d("direction", "The best stood for 3 epochs")}, memory.Limits{}))
		if got := live(have); len(got) != 2 {
			t.Errorf("live: %q", got)
		}
	})
}

func TestNotesStayFewOverManyEpochs(t *testing.T) {
	var have []record.Note
	for i := range 200 {
		e := epoch()
		e.Number, e.From, e.To, e.Stale = i, i*9+1, i*9+9, i%5
		list := outcomes()
		for j := range list {
			list[j].Reason += strings.Repeat(" more", i%7)
		}
		f := memory.Gather(e, list)
		have = put(have, memory.Merge(have, memory.Digest(f), memory.Limits{}))
	}
	count := map[string]int{}
	for _, n := range have {
		if n.Gone {
			continue
		}
		count[n.Kind]++
		if utf8.RuneCountInString(n.Text) > 400 {
			t.Errorf("a note of %d characters", utf8.RuneCountInString(n.Text))
		}
	}
	if count["short"] != 8 || count["failure"] > 12 || count["long"] > 12 || count["direction"] > 6 {
		t.Errorf("live notes: %v", count)
	}
}

type completer struct {
	answer string
	err    error
	facts  string
	notes  []record.Note
}

func (c *completer) Complete(_ context.Context, facts string, notes []record.Note) (string, record.Usage, error) {
	c.facts, c.notes = facts, notes
	return c.answer, record.Usage{Requests: 1, InputTokens: 10}, c.err
}

func TestReflect(t *testing.T) {
	f := memory.Gather(epoch(), outcomes())
	t.Run("an answer becomes notes, and the agent saw facts and live notes", func(t *testing.T) {
		c := &completer{answer: "Here you are:\n```\n- **LONG**: (packer) Sorting first gains\n4 bins (c101).\n2. failure: (elsewhere) unused imports break the build\nDirection: try classes\n```\nSHORT: a\x1b[31mred note\n"}
		notes, usage, err := memory.Reflect(t.Context(), c, f, []record.Note{{Kind: "long", Text: "old"}, {Kind: "long", Text: "gone", Gone: true}})
		if err != nil || usage.InputTokens != 10 {
			t.Fatal(err, usage)
		}
		want := []record.Note{
			{Kind: "long", Target: "packer", Text: "Sorting first gains 4 bins (c101).", Author: "reflector"},
			{Kind: "failure", Text: "(elsewhere) unused imports break the build", Author: "reflector"},
			{Kind: "direction", Text: "try classes", Author: "reflector"},
			{Kind: "short", Text: "a [31mred note", Author: "reflector"},
		}
		if !reflect.DeepEqual(notes, want) {
			t.Errorf("got  %+v\nwant %+v", notes, want)
		}
		if len(c.notes) != 1 || !strings.Contains(c.facts, "best before 88, best now 86 (c101)") {
			t.Errorf("the agent saw %q and %v", c.facts, c.notes)
		}
	})
	t.Run("an answer without notes is an error with its beginning, and it cost", func(t *testing.T) {
		_, usage, err := memory.Reflect(t.Context(), &completer{answer: "I cannot help with that."}, f, nil)
		if !errors.Is(err, memory.ErrAnswer) || !strings.Contains(err.Error(), "cannot help") || usage.Requests != 1 {
			t.Errorf("%v %v", err, usage)
		}
	})
	t.Run("a failing agent is an error, and it cost", func(t *testing.T) {
		_, usage, err := memory.Reflect(t.Context(), &completer{err: context.DeadlineExceeded}, f, nil)
		if !errors.Is(err, context.DeadlineExceeded) || usage.Requests != 1 {
			t.Errorf("%v %v", err, usage)
		}
	})
}

func TestParseIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "LONG: lesson %s %s\n", strings.Repeat(string(rune('a'+i%26)), i+2), strings.Repeat("word ", 500))
	}
	notes := memory.Parse(b.String(), nil)
	if len(notes) == 0 || len(notes) > 12 {
		t.Errorf("%d notes", len(notes))
	}
	for _, n := range notes {
		if utf8.RuneCountInString(n.Text) > 400 {
			t.Errorf("%d characters", utf8.RuneCountInString(n.Text))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("LONG: (a) b\nmore\n\n- **short:** x")
	f.Add("FAILURE:\nDIRECTION:: ()")
	f.Fuzz(func(t *testing.T, s string) {
		for _, n := range memory.Parse(s, map[string]bool{"a": true}) {
			if n.Text == "" || !utf8.ValidString(n.Text) || strings.ContainsAny(n.Text, "\n\r\x00\x1b") || utf8.RuneCountInString(n.Text) > 400 {
				t.Errorf("%q gave %q", s, n.Text)
			}
		}
	})
}

func TestMarkdown(t *testing.T) {
	golden.RequireEqual(t, []byte(memory.Markdown([]record.Note{
		{ID: 1, Kind: "long", Text: "Sorting gains *4* bins\n<script>", Author: "reflector"},
		{ID: 2, Kind: "long", Text: "newer", Author: "digest"},
		{ID: 3, Kind: "direction", Target: "packer", Text: "Try classes", Author: "ann"},
		{ID: 4, Kind: "odd", Text: "kind of its own"},
		{ID: 5, Kind: "short", Text: "taken away", Gone: true},
	})))
	if got := memory.Markdown(nil); !strings.Contains(got, "none yet") {
		t.Errorf("%q", got)
	}
}

func TestWhereValuesVaryNotesTellOnlyGainsThatHold(t *testing.T) {
	t.Parallel()
	e := epoch()
	e.Tell = func(id record.CandidateID) memory.Told {
		return memory.Told{Value: "86 unconfirmed", Gain: "unconfirmed"}
	}
	jobs := outcomes()
	f := memory.Gather(e, jobs)
	for _, n := range memory.Digest(f) {
		if strings.Contains(n.Text, "Largest gains so far: c") || strings.Contains(n.Text, " from 88") || strings.Contains(n.Text, "-4") {
			t.Errorf("luck is told as a gain: %s", n.Text)
		}
	}
	if text := memory.Text(f); strings.Contains(text, "gains of this epoch") || !strings.Contains(text, "86 unconfirmed") {
		t.Errorf("the reflector is told\n%s", text)
	}
	var won record.CandidateID
	for _, o := range jobs {
		if o.Objective != nil && *o.Objective == 86 {
			won = o.Candidate
		}
	}
	e.Ever = f.Pool
	e.Tell = func(id record.CandidateID) memory.Told {
		return memory.Told{Value: "86.1 [85.8, 86.4] n 16", Gain: "+4.3 % [4.0, 4.7] confirmed", Holds: id == won}
	}
	f = memory.Gather(e, nil)
	if len(f.Ever) != 1 || f.Ever[0].Candidate != won {
		t.Errorf("a gain that came to hold later is not told: %+v", f.Ever)
	}
	if text := memory.Text(f); !strings.Contains(text, "+4.3 % [4.0, 4.7] confirmed on the root") {
		t.Errorf("the reflector is told\n%s", text)
	}
}
