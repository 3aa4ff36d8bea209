package search_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"atoll/engine/archive"
	"atoll/engine/search"
	"atoll/store/record"
)

// grid returns an archive of 8x8 cells with a candidate in each cell given, in
// order, the objective being its number.
func grid(t *testing.T, cells ...[2]int) *archive.Archive {
	t.Helper()
	a := archive.New(square(8), 0)
	for i, c := range cells {
		if _, err := a.Add(entry(record.CandidateID(i), float64(i), c[0], c[1])); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// entry is a candidate in the cell (x,y) of 8x8.
func entry(id record.CandidateID, objective float64, x, y int) archive.Entry {
	return archive.Entry{ID: id, Objective: objective, Samples: 1, Point: []float64{(float64(x) + 0.5) / 8, (float64(y) + 0.5) / 8}}
}

func view(a *archive.Archive) search.View {
	return search.View{
		Archive: a, Inspirations: 3,
		Operators: []search.Weighted{{Name: "mutate", Weight: 1}},
		Agents:    []search.Weighted{{Name: "offline", Weight: 1}},
	}
}

// sample picks for many jobs and counts what f says of each.
func sample[K comparable](v search.View, n int, f func(search.Choice) K) map[K]int {
	out := map[K]int{}
	for job := range record.JobID(n) {
		out[f(search.Pick(v, search.Rand(1, job), search.Free()))]++
	}
	return out
}

func parentOf(c search.Choice) record.CandidateID { return c.Parent }

func about(t *testing.T, what string, got int, want float64) {
	t.Helper()
	if sd := math.Sqrt(want) * 4; math.Abs(float64(got)-want) > sd+1 {
		t.Errorf("%s: %d times, want about %.0f", what, got, want)
	}
}

func TestSelectionOfParents(t *testing.T) {
	const n = 6000
	cells := [][2]int{{0, 0}, {2, 2}, {7, 7}}
	for _, tt := range []struct {
		name  string
		setup func(*search.View)
		want  map[record.CandidateID]float64
	}{
		{"uniform gives each the same", func(*search.View) {}, map[record.CandidateID]float64{0: 2000, 1: 2000, 2: 2000}},
		{"an unknown word is uniform", func(v *search.View) { v.Selection = "best" }, map[record.CandidateID]float64{0: 2000, 1: 2000, 2: 2000}},
		{"rank gives 1, 1/4, 1/9", func(v *search.View) { v.Selection = search.Rank }, map[record.CandidateID]float64{2: n * 36 / 49., 1: n * 9 / 49., 0: n * 4 / 49.}},
		{"exploit gives four fifths to the best", func(v *search.View) { v.Selection = search.Exploit }, map[record.CandidateID]float64{2: n * 8 / 10., 1: n * 1 / 10., 0: n * 1 / 10.}},
		{"curiosity goes by children that took a niche", func(v *search.View) {
			v.Selection, v.Stats = search.Curiosity, &search.Stats{}
			for range 4 {
				v.Stats.Add(search.Event{Operator: "mutate", Parent: 1, State: record.Scored})
				v.Stats.Add(search.Event{Operator: "mutate", Parent: 2, State: record.Placed})
			}
		}, map[record.CandidateID]float64{0: n * 3 / 9., 1: n * 1 / 9., 2: n * 5 / 9.}},
		{"a boost multiplies", func(v *search.View) { v.Archive.BoostOn(1, 4, 10); v.Fold = 9 }, map[record.CandidateID]float64{0: 1000, 1: 4000, 2: 1000}},
		{"a boost that has run out does not", func(v *search.View) { v.Archive.BoostOn(1, 4, 10); v.Fold = 10 }, map[record.CandidateID]float64{0: 2000, 1: 2000, 2: 2000}},
		{"a frozen one is no parent", func(v *search.View) { v.Archive.Freeze(0) }, map[record.CandidateID]float64{1: 3000, 2: 3000}},
		{"unless all are", func(v *search.View) {
			for id := range record.CandidateID(3) {
				v.Archive.Freeze(id)
			}
		}, map[record.CandidateID]float64{0: 2000, 1: 2000, 2: 2000}},
		{"a rejected one is no parent", func(v *search.View) { v.Archive.Remove(2) }, map[record.CandidateID]float64{0: 3000, 1: 3000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := view(grid(t, cells...))
			tt.setup(&v)
			got := sample(v, n, parentOf)
			for id := range record.CandidateID(3) {
				about(t, id.String(), got[id], tt.want[id])
			}
		})
	}
}

func TestParentsBeforeThereIsAMap(t *testing.T) {
	a := archive.New(square(8), 0)
	v := view(a)
	v.Root = record.Root
	if c := search.Pick(v, search.Rand(1, 1), search.Free()); c.Parent != record.Root || c.Inspirations != nil || c.Operator != record.OpMutate {
		t.Errorf("with nothing at all: %+v", c)
	}
	for id := range record.CandidateID(6) {
		if _, err := a.Add(archive.Entry{ID: id, Objective: float64(id)}); err != nil {
			t.Fatal(err)
		}
	}
	got := sample(v, 4000, parentOf)
	for id, want := range []float64{1000, 0, 0, 1000, 1000, 1000} { // the better half, and the root
		about(t, record.CandidateID(id).String(), got[record.CandidateID(id)], want)
	}
}

func TestInspirationsComeFromNearby(t *testing.T) {
	// c0 is the parent; c1 and c2 touch it, c3 is 2 away, c4 is 3, c5 and c6 are far.
	a := grid(t, [2]int{3, 3}, [2]int{3, 4}, [2]int{2, 2}, [2]int{5, 3}, [2]int{6, 0}, [2]int{7, 7}, [2]int{3, 7})
	for _, tt := range []struct {
		want  int
		first []int // how many of c1..c2, c3, c4, c5..c6
	}{{0, []int{0, 0, 0, 0}}, {1, []int{1, 0, 0, 0}}, {2, []int{2, 0, 0, 0}}, {3, []int{2, 1, 0, 0}}, {4, []int{2, 1, 1, 0}}, {5, []int{2, 1, 1, 1}}, {9, []int{2, 1, 1, 2}}} {
		t.Run(fmt.Sprint(tt.want), func(t *testing.T) {
			v := view(a)
			v.Inspirations = tt.want
			seen := map[record.CandidateID]bool{}
			for job := range record.JobID(50) {
				f := search.Free()
				f.Parent = 0
				c := search.Pick(v, search.Rand(3, job), f)
				count := []int{0, 0, 0, 0}
				for i, id := range c.Inspirations {
					if slices.Contains(c.Inspirations[:i], id) || id == c.Parent {
						t.Fatalf("%v beside %v", c.Inspirations, c.Parent)
					}
					count[[]int{-1, 0, 0, 1, 2, 3, 3}[id]]++
					seen[id] = true
				}
				if !slices.Equal(count, tt.first) {
					t.Fatalf("took %v", c.Inspirations)
				}
			}
			if tt.want == 1 && len(seen) != 2 {
				t.Errorf("of two neighbours only %v was ever taken", seen)
			}
		})
	}
}

func TestAnAgentThatReadsIsShownTheBetterOnesNearbyAndOneFromAfar(t *testing.T) {
	// As above; a candidate is as good as its number says.
	v := view(grid(t, [2]int{3, 3}, [2]int{3, 4}, [2]int{2, 2}, [2]int{5, 3}, [2]int{6, 0}, [2]int{7, 7}, [2]int{3, 7}))
	v.Agents = []search.Weighted{{Name: "model", Weight: 1}}
	const n = 4000
	for _, tt := range []struct {
		name       string
		shown, at  int
		candidates map[record.CandidateID]float64
	}{
		{"of two neighbours the better in two of three draws", 1, 0, map[record.CandidateID]float64{2: n * 2 / 3., 1: n / 3.}},
		{"the last by its distance over its rank", 3, 2, map[record.CandidateID]float64{
			6: n * 4 / 11.0667, 5: n * 4 / 11.0667, 4: n * 2 / 11.0667, 3: n * 0.5 / 11.0667, 2: n * 0.4 / 11.0667, 1: n * 0.1667 / 11.0667,
		}},
	} {
		v.Inspirations = tt.shown
		got := map[record.CandidateID]int{}
		for job := range record.JobID(n) {
			f := search.Free()
			f.Parent = 0
			c := search.Pick(v, search.Rand(5, job), f)
			seen := slices.Clone(c.Inspirations)
			slices.Sort(seen)
			if len(slices.Compact(seen)) != tt.shown || slices.Contains(seen, c.Parent) {
				t.Fatalf("%s: %v beside %v", tt.name, c.Inspirations, c.Parent)
			}
			got[c.Inspirations[tt.at]]++
		}
		for id, want := range tt.candidates {
			about(t, tt.name+": "+id.String(), got[id], want)
		}
	}
}

func TestOperatorsThatMakeSense(t *testing.T) {
	const n = 4000
	all := []search.Weighted{{Name: "crossover", Weight: 1}, {Name: "mutate", Weight: 2}, {Name: "repair", Weight: 1}, {Name: "tune"}}
	op := func(c search.Choice) record.Operator { return c.Operator }
	for _, tt := range []struct {
		name  string
		setup func(*search.View)
		want  map[record.Operator]float64
	}{
		{"all by weight, none without", func(*search.View) {}, map[record.Operator]float64{"crossover": 1000, "mutate": 2000, "repair": 1000}},
		{"no crossover of one", func(v *search.View) { v.Archive.Remove(1) }, map[record.Operator]float64{"mutate": n * 2 / 3., "repair": n / 3.}},
		{
			"none that does not fit", func(v *search.View) { v.Fits = func(o record.Operator) bool { return o != "repair" } },
			map[record.Operator]float64{"crossover": n / 3., "mutate": n * 2 / 3.},
		},
		{"none that no agent can do", func(v *search.View) {
			v.AgentsFor = func(o record.Operator) []string {
				return map[record.Operator][]string{"repair": {"offline"}, "mutate": {"chat"}}[o]
			}
		}, map[record.Operator]float64{"repair": n}},
		{"mutate when nothing has a weight", func(v *search.View) { v.Operators = nil }, map[record.Operator]float64{"mutate": n}},
		{
			"a weight that is not a number is none", func(v *search.View) { v.Operators[0].Weight, v.Operators[1].Weight = math.NaN(), math.Inf(1) },
			map[record.Operator]float64{"repair": n},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := view(grid(t, [2]int{0, 0}, [2]int{5, 5}))
			v.Operators, v.Inspirations = slices.Clone(all), 0
			tt.setup(&v)
			got := sample(v, n, op)
			for _, o := range []record.Operator{"crossover", "mutate", "repair", "tune"} {
				about(t, string(o), got[o], tt.want[o])
			}
		})
	}
	v := view(grid(t, [2]int{0, 0}, [2]int{5, 5}))
	v.Operators, v.Inspirations = []search.Weighted{{Name: "crossover", Weight: 1}}, 0
	if c := search.Pick(v, search.Rand(1, 1), search.Free()); len(c.Inspirations) != 1 || c.Inspirations[0] == c.Parent {
		t.Errorf("a crossover without its second parent: %+v", c)
	}
	v.Operators[0].Name = "seed"
	if c := search.Pick(v, search.Rand(1, 1), search.Free()); c.Parent != record.Root {
		t.Errorf("a seed edits %s", c.Parent)
	}
}

func TestAgentsAndTargetsByWeight(t *testing.T) {
	v := view(grid(t, [2]int{0, 0}))
	v.Agents = []search.Weighted{{Name: "chat", Weight: 3}, {Name: "human"}, {Name: "offline", Weight: 1}}
	v.Targets = []search.Weighted{{Name: "a", Weight: 1, Boost: 3, Until: 5}, {Name: "b", Weight: 1}, {Name: "c", Weight: 9, Frozen: true}}
	agents := sample(v, 4000, func(c search.Choice) string { return c.Agent })
	about(t, "chat", agents["chat"], 3000)
	about(t, "human", agents["human"], 0)
	targets := sample(v, 4000, func(c search.Choice) string { return c.Target })
	about(t, "boosted", targets["a"], 3000)
	about(t, "frozen", targets["c"], 0)
	v.Fold = 5
	about(t, "boost run out", sample(v, 4000, func(c search.Choice) string { return c.Target })["a"], 2000)
	v.Targets = v.Targets[2:]
	if c := search.Pick(v, search.Rand(1, 1), search.Free()); c.Target != "" || !strings.Contains(c.Why, "no target") {
		t.Errorf("with all frozen: %+v", c)
	}
}

func TestAChoiceByHandPassesAsItIs(t *testing.T) {
	a := grid(t, [2]int{0, 0}, [2]int{5, 5}, [2]int{1, 1})
	a.Freeze(1)
	v := view(a)
	v.Targets = []search.Weighted{{Name: "x", Weight: 1, Frozen: true}}
	f := search.Fixed{Parent: 1, Operator: record.OpManual, Agent: "human", Target: "x", Inspirations: []record.CandidateID{2}}
	c := search.Pick(v, search.Rand(1, 4), f)
	want := search.Choice{Parent: 1, Operator: record.OpManual, Agent: "human", Target: "x", Inspirations: []record.CandidateID{2}, Island: "main", Why: c.Why}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
	f = search.Free()
	f.Inspirations = []record.CandidateID{}
	if c := search.Pick(v, search.Rand(1, 4), f); len(c.Inspirations) != 0 || c.Operator != record.OpMutate || c.Parent == 1 {
		t.Errorf("the rest is drawn: %+v", c)
	}
}

func TestOneSeedOneChoice(t *testing.T) {
	v := view(grid(t, [2]int{0, 0}, [2]int{1, 1}, [2]int{3, 3}, [2]int{5, 6}, [2]int{7, 7}))
	all := func(seed uint64, order []record.JobID) map[record.JobID]search.Choice {
		out := map[record.JobID]search.Choice{}
		for _, job := range order {
			out[job] = search.Pick(v, search.Rand(seed, job), search.Free())
		}
		return out
	}
	if a, b := all(1, []record.JobID{1, 2, 3, 4}), all(1, []record.JobID{4, 2, 3, 1}); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v and %+v", a, b)
	}
	if reflect.DeepEqual(all(1, []record.JobID{1, 2, 3, 4}), all(2, []record.JobID{1, 2, 3, 4})) {
		t.Error("two seeds choose the same")
	}
	if a, b := search.Rand(7, 8).Uint64(), search.Rand(8, 7).Uint64(); a == b {
		t.Error("seed and job are interchangeable")
	}
}

// square is a map of so many cells on each of two axes.
func square(bins int) archive.Shape {
	axis := archive.Axis{Lo: 0, Hi: 1, Bins: bins}
	return archive.Shape{Axes: []archive.Axis{axis, axis}}
}

func TestJobsThatTuneAreSamplesOfAnEvolutionAsOftenAsIsSet(t *testing.T) {
	v := view(grid(t, [2]int{1, 1}, [2]int{2, 2}, [2]int{3, 3}))
	v.Selection = search.Rank
	v.Operators = []search.Weighted{{Name: "mutate", Weight: 1}, {Name: "tune", Weight: 3}}
	v.Evolving, v.Evolve = 77, 0.8
	got := sample(v, 4000, func(c search.Choice) string {
		if c.Parent == 77 {
			return "sample by " + string(c.Operator)
		}
		return "other"
	})
	about(t, "samples", got["sample by tune"], 0.75*0.8*4000)
	if got["sample by mutate"] > 0 {
		t.Errorf("%d mutations edit what the evolution began with", got["sample by mutate"])
	}
	odds := search.Chances(v).Parents
	sum := 0.0
	for _, p := range odds {
		sum += p
	}
	if math.Abs(odds[77]-0.6) > 1e-9 || math.Abs(sum-1) > 1e-9 {
		t.Errorf("odds %v", odds)
	}
	for name, change := range map[string]func(*search.View){
		"without a run":        func(v *search.View) { v.Evolving = record.NoCandidate },
		"of another agent":     func(v *search.View) { v.Agents[0].Name = "chat" },
		"with a target":        func(v *search.View) { v.Targets = []search.Weighted{{Name: "t", Weight: 1}} },
		"with a share of none": func(v *search.View) { v.Evolve = 0 },
	} {
		u := v
		u.Agents = slices.Clone(v.Agents)
		change(&u)
		if n := sample(u, 300, parentOf)[77]; n > 0 {
			t.Errorf("%s: %d samples", name, n)
		}
		if p := search.Chances(u).Parents[77]; p > 0 {
			t.Errorf("%s: a chance of %v", name, p)
		}
	}
}
