package pane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/evidence"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// table lays the columns out: a row of words or figures for each question, the
// base first.
func (p *comparePane) table(w int) []string {
	if len(p.all) == 0 {
		return nil
	}
	t := compareTable{p: p, st: p.d.St, name: 13}
	for i := range p.all {
		for _, m := range p.all[i].detail.Candidate.Metrics {
			t.name = max(t.name, min(w/4, plot.Width(widget.Named(m.Name, m.Unit, " "))+4))
		}
	}
	t.col = (w - t.name - 1) / len(p.all)
	t.head()
	t.objective()
	t.metrics()
	t.coordinates()
	t.origin()
	t.ancestry()
	return t.lines(w)
}

func plainLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ansi.Strip(l)
	}
	return out
}

// compareTable is the table while it is written.
type compareTable struct {
	p         *comparePane
	st        *widget.Styles
	name, col int // widths: of what is asked, of one candidate where all have the same
	rows      []compareRow
}

// compareRow is one question with the answer of each candidate.
type compareRow struct {
	name    string
	figures bool // they stand side by side where that is possible at all
	cells   []piece
}

// piece is the content of a field: a figure and what is told beside it.
type piece struct {
	st    widget.Style
	text  string
	aside widget.Style
	more  string
}

// width is that of a piece in one line.
func (c *piece) width() int { return plot.Width(plot.Clean(widget.Words(" ", c.text, c.more))) }

// lines lays a piece in lines of at most w cells: what is told beside the figure
// goes below it where there is no room.
func (c *piece) lines(w int) []string {
	if c.width() <= w {
		var l widget.Line
		l.Add(c.st, c.text)
		if c.more != "" {
			l.Gap(min(l.W, 1)).Add(c.aside, c.more)
		}
		return []string{l.String()}
	}
	var out []string
	for _, part := range [...]struct {
		st   widget.Style
		text string
	}{{c.st, c.text}, {c.aside, c.more}} {
		lines := widget.WrapText(part.text, w)
		for i, text := range lines[:min(len(lines), mostPieceLines)] {
			if i == mostPieceLines-1 && len(lines) > mostPieceLines {
				text = plot.Fit(text+" …", min(w, plot.Width(text)+2))
			}
			if text != "" {
				out = append(out, part.st.S(text))
			}
		}
	}
	return out
}

// mostPieceLines is how many lines a text of a field gets.
const mostPieceLines = 3

// row asks every candidate; nothing is told where none has anything to say.
func (t *compareTable) row(name string, cell func(c *compared, base bool) piece) {
	t.add(compareRow{name: name}, cell)
}

// figures is row for a value with its difference to the base.
func (t *compareTable) figures(name string, cell func(c *compared, base bool) piece) {
	t.add(compareRow{name: name, figures: true}, cell)
}

// narrow reports whether there is room for figures and few words.
func (t *compareTable) narrow() bool { return t.col < 24 }

func (t *compareTable) add(r compareRow, cell func(c *compared, base bool) piece) {
	some := false
	for i := range t.p.all {
		r.cells = append(r.cells, cell(&t.p.all[i], i == 0))
		some = some || r.cells[i].text != ""
	}
	if some {
		t.rows = append(t.rows, r)
	}
}

// columns are the widths of the candidates: the same for all, unless that would
// cut figures that have room otherwise.
func (t *compareTable) columns(w int) []int {
	n := len(t.p.all)
	out, need, sum := make([]int, n), make([]int, n), 0
	for i := range out {
		out[i] = t.col
		for _, r := range t.rows {
			if r.figures {
				need[i] = max(need[i], r.cells[i].width()+1)
			}
		}
		sum += need[i]
	}
	if room := w - t.name; slices.Max(need) > t.col && sum <= room {
		for i := range out {
			out[i] = need[i] + (room-sum)/n
		}
	}
	return out
}

// lines draws the rows in w cells.
func (t *compareTable) lines(w int) (out []string) {
	cols := t.columns(w)
	for _, r := range t.rows {
		cells, tall := make([][]string, len(cols)), 1
		for i := range cols {
			cells[i] = r.cells[i].lines(cols[i] - 1)
			tall = max(tall, len(cells[i]))
		}
		for k := range tall {
			var l widget.Line
			l.Gap(1).Fit(t.st.Label, widget.Unless(k > 0, r.name), t.name-2).Gap(1)
			for i, cell := range cells {
				if k < len(cell) {
					l.Raw(cell[k]).Gap(cols[i] - plot.Width(ansi.Strip(cell[k])))
				} else {
					l.Gap(cols[i])
				}
			}
			out = append(out, l.String())
		}
	}
	return out
}

func (t *compareTable) head() {
	t.row("", func(c *compared, base bool) piece {
		k := &c.detail.Candidate
		what := widget.Words(" ", string(k.Status), t.niche(c))
		if c.detail.Frozen {
			what += " frozen"
		}
		if base && !t.narrow() { // the title says it too
			what += " · base"
		}
		return piece{t.st.Ident, CandidateName(k.ID), t.st.Label, what}
	})
}

// objective is the value that places a candidate, then what may be claimed of it.
func (t *compareTable) objective() {
	first := t.p.all[0].detail.Candidate.Objective
	t.figures(measuredAs(t.p.d.Snap)+t.lower(), func(c *compared, base bool) piece {
		k := &c.detail.Candidate
		claim := t.p.d.claimOf(&c.detail)
		out := piece{st: t.p.d.valueStyle(k.ID, k.Objective, claim), text: t.p.d.told(k.ID, k.Objective, claim, t.p.d.toldWidth(11))}
		if k.Objective != nil && first != nil && !base && !t.p.d.Snap.Noisy {
			gain := level(t.p.d.gain(*k.Objective, *first), *first)
			out.aside, out.more = gainStyle(t.st, gain), widget.Brief(gain)
		}
		return out
	})
	t.row("evidence", func(c *compared, _ bool) piece {
		k, claim := &c.detail.Candidate, &c.detail.Claim
		switch {
		case k.Objective == nil:
			return piece{st: t.st.Label, text: "not measured"}
		case claim.N > 0 && claim.Interval.Bounded() && claim.Word != evidence.Exact:
			return piece{t.st.Plain, fmt.Sprintf("[%s, %s]", plot.Short(claim.Interval.Low), plot.Short(claim.Interval.High)), t.st.Label, fmt.Sprintf("n=%d held out", claim.N)}
		case claim.Word == evidence.Exact && k.Samples > 1:
			return piece{t.st.Label, "exact", t.st.Label, fmt.Sprintf("n=%d agree", k.Samples)}
		case claim.Word == evidence.Exact, claim.Word == "" && !t.p.d.Snap.Noisy:
			root := t.p.d.Snap.Root.Samples
			return piece{t.st.Label, fmt.Sprintf("n=%d", k.Samples), t.st.Label, widget.Unless(root < 2 || t.narrow(), fmt.Sprintf("%d of root agree", root))}
		}
		return piece{t.st.Plain, widget.Plural(k.Samples, "sample", "samples") + " decided", t.st.Warn, widget.Unless(k.ID == record.Root, "none held out")}
	})
	t.row("on root", func(c *compared, _ bool) piece {
		claim := c.detail.Claim
		if claim.Word == "" {
			claim = t.p.d.waitingClaim(&c.detail)
		}
		gain, in, ok := claim.Percent()
		if c.detail.Candidate.ID == record.Root || claim.Word == "" || !ok {
			return piece{}
		}
		if claim.Word != evidence.Exact && claim.Word != evidence.Confirmed {
			return piece{st: t.st.Warn, text: string(claim.Word)}
		}
		out := piece{st: gainStyle(t.st, gain), text: widget.Percent(gain), aside: t.st.Label}
		if claim.Word == evidence.Confirmed {
			out.more = fmt.Sprintf("[%.1f, %.1f]", in.Low, in.High)
		}
		return out
	})
}

// niche names the niche of a candidate, or the one that it would take.
func (t *compareTable) niche(c *compared) string {
	cell, waits := t.p.cellOf(c)
	name := Niche(&t.p.d.Snap.Grid, cell)
	switch {
	case name == "":
		return ""
	case waits:
		return "for " + name
	case t.p.d.Grid.CellOf(c.detail.Candidate.ID) != cell: // somebody else holds it
		return "in " + name
	}
	return name
}

func (t *compareTable) lower() string {
	if t.p.d.Snap.Direction == "minimize" {
		return " ↓"
	}
	return ""
}

// metrics has a row for each metric that any of them reports. The best of each
// stands out where it is known which way is better.
func (t *compareTable) metrics() {
	var names []string
	kind := map[string]record.Metric{}
	for i := range t.p.all {
		for _, m := range t.p.all[i].detail.Candidate.Metrics {
			if _, seen := kind[m.Name]; !seen && m.Name != t.p.d.Snap.Objective && !(t.p.d.Snap.Noisy && m.Name == searchedOn(t.p.d)) {
				names, kind[m.Name] = append(names, m.Name), m
			}
		}
	}
	if word := t.p.d.ofSample(); word != "" && len(names) > 0 {
		t.row("metrics", func(_ *compared, _ bool) piece { return piece{st: t.st.Warn, text: word} })
	}
	whole := make([]string, len(names))
	for i, name := range names {
		whole[i] = widget.Named(name, kind[name].Unit, " ")
	}
	labels := widget.Apart(whole, t.name-3)
	for i, name := range names {
		m, label := kind[name], labels[whole[i]]
		if m.Higher != nil && !*m.Higher {
			label += " ↓"
		}
		first, known := metricOf(&t.p.all[0].detail.Candidate, name)
		t.figures(label, func(c *compared, base bool) piece {
			v, ok := metricOf(&c.detail.Candidate, name)
			if !ok {
				return piece{st: t.st.Label, text: "-"}
			}
			out := piece{st: t.st.Plain, text: widget.Number(v)}
			if known && !base {
				gain, told := t.p.d.better(&m, level(v-first, first))
				if out.aside, out.more = t.st.Label, widget.Brief(gain); told {
					out.aside = gainStyle(t.st, gain)
				}
			}
			return out
		})
	}
}

// coordinates tell the niche axis by axis.
func (t *compareTable) coordinates() {
	g := &t.p.d.Snap.Grid
	for i := range g.Axes {
		ax := &g.Axes[i]
		var first []int
		t.row("at "+widget.AxisName(ax.Name, t.name-4), func(c *compared, base bool) piece {
			cell, _ := t.p.cellOf(c)
			at := coords(g.Dims, cell)
			if base {
				first = at
			}
			switch {
			case i < len(at):
			case c.detail.Candidate.Objective == nil:
				return piece{st: t.st.Label, text: "-"}
			default:
				return piece{st: t.st.Label, text: "no niche yet"}
			}
			out := piece{st: t.st.Plain, text: fmt.Sprint("bin ", at[i]), aside: t.st.Label}
			if at[i]+1 < len(ax.Edges) {
				e := plot.Edges(ax.Edges)
				out.text, out.more = e[at[i]]+"–"+e[at[i]+1], out.text
			}
			if !base && i < len(first) && first[i] != at[i] {
				out.more = widget.Words(" ", out.more, fmt.Sprintf("%+d", at[i]-first[i]))
			}
			return out
		})
	}
}

func (t *compareTable) origin() {
	t.row("made by", func(c *compared, _ bool) piece {
		k := &c.detail.Candidate
		return piece{t.st.Plain, string(k.Operator), t.st.Label, widget.Words(" on ", k.Agent, k.Target)}
	})
	t.row("from", func(c *compared, _ bool) piece {
		var more string
		for _, r := range c.detail.Candidate.Parents {
			if r.Role == record.RoleCrossover {
				more += " × " + CandidateName(r.ID)
			}
		}
		return piece{t.st.Ident, CandidateName(c.detail.Candidate.Parent()), t.st.Ident, more}
	})
	t.row("change", func(c *compared, _ bool) piece {
		k := &c.detail.Candidate
		return piece{t.st.Plain, widget.Change(k.Added, k.Removed), t.st.Label, "in " + widget.Plural(k.Files, "file", "files")}
	})
	t.row("intent", func(c *compared, _ bool) piece { return piece{st: t.st.Label, text: c.detail.Candidate.Intent} })
	t.row("children", func(c *compared, _ bool) piece {
		return piece{st: t.st.Plain, text: fmt.Sprint(len(c.detail.Children)), aside: t.st.Label, more: fmt.Sprintf("depth %d", c.detail.Depth)}
	})
}

// ancestry tells where their lines part, and the way of each from there.
func (t *compareTable) ancestry() {
	lines := make([][]record.CandidateID, len(t.p.all))
	for i := range t.p.all {
		for _, n := range t.p.all[i].line {
			lines[i] = append(lines[i], n.ID)
		}
	}
	at := commonLength(lines)
	if at == 0 {
		return
	}
	common := t.p.all[0].line[at-1]
	t.row("parted at", func(_ *compared, base bool) piece {
		if !base {
			return piece{}
		}
		return piece{t.st.Ident, CandidateName(common.ID), t.st.Label, t.p.d.told(common.ID, common.Objective, common.Claim, t.p.d.toldWidth(11))}
	})
	t.row("steps since", func(c *compared, _ bool) piece {
		values := toldLine(t.p.d.Snap, c.line[at-1:])
		return piece{t.st.Plain, fmt.Sprint(len(c.line) - at), t.st.Lines[0], plot.Sparkline(values, min(len(values), max(3, t.col-8)), t.p.d.Glyphs)}
	})
	t.row("way", func(c *compared, _ bool) piece {
		if len(c.line) == at {
			return piece{st: t.st.Label, text: "they part here"}
		}
		var way []string
		for _, n := range c.line[at:] {
			way = append(way, CandidateName(n.ID))
		}
		return piece{st: t.st.Ident, text: strings.Join(way, " → ")}
	})
}

// commonLength is how many of the first ids all lines share.
func commonLength(lines [][]record.CandidateID) int {
	n := len(slices.MinFunc(lines, func(a, b []record.CandidateID) int { return len(a) - len(b) }))
	for i := range n {
		for _, l := range lines[1:] {
			if l[i] != lines[0][i] {
				return i
			}
		}
	}
	return n
}
