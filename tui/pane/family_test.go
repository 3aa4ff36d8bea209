package pane

import (
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

// family0 has a line 0 1 2 3 4 to the best, two branches, and a crossover.
func family0() view.Lineage {
	node := func(id, parent record.CandidateID, v float64, with ...record.CandidateID) view.LineageNode {
		n := view.LineageNode{ID: id, Objective: &v, Cell: -1}
		if parent >= 0 {
			n.Parents = append(n.Parents, record.ParentRef{ID: parent, Role: record.RoleParent})
		}
		for _, w := range with {
			n.Parents = append(n.Parents, record.ParentRef{ID: w, Role: record.RoleCrossover})
		}
		return n
	}
	return view.Lineage{Focus: 4, Ancestors: []view.LineageNode{node(0, -1, 1), node(1, 0, 2), node(2, 1, 3), node(3, 2, 4), node(4, 3, 9)}, Descendants: []view.LineageNode{
		node(5, 1, 2), node(6, 5, 2.5), node(7, 5, 2.2), node(8, 4, 8), node(9, 4, 7, 6),
	}}
}

func draw(f *family) string {
	f.lay(10)
	var out []string
	for _, r := range f.rows {
		out = append(out, strings.TrimRight(r.lead+r.node.ID.String()+foldText(&r)+" "+r.arcs, " "))
	}
	return strings.Join(out, "\n")
}

func TestFamiliesAreDrawn(t *testing.T) {
	higher := func(a, b float64) bool { return a > b }
	for _, c := range []struct {
		name  string
		focus record.CandidateID
		fold  []record.CandidateID
		want  []string
	}{
		{"branches come before the line goes on, crossovers are arcs", 4, nil, []string{
			"c0", "c1", "├─c5", "│ ├─c7", "│ c6 ╮", "c2  │", "c3  │", "c4  │", "├─c9 ╯", "c8",
		}},
		{"the line of another focus goes straight down", 7, nil, []string{
			"c0", "c1", "├─c2", "│ c3", "│ c4", "│ ├─c9 ╮", "│ c8   │", "c5    │", "├─c6 ╯", "c7",
		}},
		{"what is folded away is counted", 4, []record.CandidateID{5}, []string{
			"c0", "c1", "├─c5 +2", "c2", "c3", "c4", "├─c9", "c8",
		}},
		{"the whole family is folded into its root", 4, []record.CandidateID{0}, []string{"c0 +9"}},
	} {
		l := family0()
		f := newFamily(&l, c.focus, higher)
		for _, id := range c.fold {
			f.folded[id] = true
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		if got, want := draw(f), strings.Join(c.want, "\n"); squeeze(got) != squeeze(want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestAFamilyWithoutARootIsDrawnFromItsFirst(t *testing.T) {
	l := view.Lineage{Focus: 3, Ancestors: []view.LineageNode{{ID: 3}}, Descendants: []view.LineageNode{{ID: 3}, {ID: 4}}}
	f := newFamily(&l, 3, func(a, b float64) bool { return a > b })
	if got := draw(f); got != "c3" {
		t.Errorf("drawn %q", got)
	}
}

func TestALongFamilyIsLaidQuickly(t *testing.T) {
	var l view.Lineage
	v := 1.0
	l.Ancestors = []view.LineageNode{{ID: 0, Objective: &v}}
	for i := 1; i < 2000; i++ {
		p := record.CandidateID(i * 2 / 3)
		l.Descendants = append(l.Descendants, view.LineageNode{ID: record.CandidateID(i), Objective: &v, Parents: []record.ParentRef{{ID: p, Role: record.RoleParent}, {ID: p / 2, Role: record.RoleCrossover}}})
	}
	f := newFamily(&l, 1999, func(a, b float64) bool { return a > b })
	f.lay(14)
	if len(f.rows) != 2000 {
		t.Errorf("%d rows", len(f.rows))
	}
}

// What was not measured never carries the line on, wherever it stands among the
// others.
func TestAFamilyGoesOnWithWhatWasMeasured(t *testing.T) {
	l := family0()
	for _, id := range []record.CandidateID{10, 11} {
		l.Descendants = append(l.Descendants, view.LineageNode{ID: id, Cell: -1, Parents: []record.ParentRef{{ID: 4, Role: record.RoleParent}}})
	}
	f := newFamily(&l, 4, func(a, b float64) bool { return a > b })
	if got, want := draw(f), "├─c10 │\n├─c11 │\n├─c9 ╯\nc8"; !strings.HasSuffix(got, want) {
		t.Errorf("drawn is\n%s\nits end is not\n%s", got, want)
	}
}
