package pane

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// Course is how cost and resources went while the console looked on.
type Course struct {
	last   view.Resources
	known  bool
	used   record.Usage // at the last sample
	cores  []float64
	memory []float64
	disk   []float64
	asked  []float64 // requests since the sample before
	spent  []float64 // dollars since the sample before
}

// courseSamples is how many samples are kept.
const courseSamples = 120

// Sampled takes a new measurement.
func (d *Shared) Sampled(r view.Resources) {
	c, used := &d.Course, d.Snap.Usage
	keep := func(list *[]float64, v float64) {
		if *list = append(*list, v); len(*list) > courseSamples {
			*list = (*list)[1:]
		}
	}
	if span := r.At.Sub(c.last.At); c.known && span > 0 {
		keep(&c.cores, math.Max(0, float64(r.CPU-c.last.CPU)/float64(span)))
		keep(&c.asked, float64(used.Requests-c.used.Requests))
		keep(&c.spent, dollars(used)-dollars(c.used))
	}
	keep(&c.memory, float64(r.Memory))
	keep(&c.disk, float64(r.Disk))
	c.last, c.used, c.known = r, used, true
}

func dollars(u record.Usage) float64 {
	if u.CostUSD == nil {
		return 0
	}
	return *u.CostUSD
}

// gauge is one figure with how it went of late.
type gauge struct {
	name, value, note string
	course            []float64
	rank              int
	bad               bool
	short             string // value in the strip, where it is another
}

// gauges are cost, resources, yield and failures, the first that matter most.
func (d *Shared) gauges() []gauge {
	c, s := &d.Course, d.Snap
	last := func(list []float64) float64 {
		if len(list) == 0 || len(s.Running) == 0 {
			return 0
		}
		return list[len(list)-1]
	}
	var out []gauge
	add := func(g gauge) {
		if d.Past { // courses are of what the console saw
			g.course = nil
		}
		out = append(out, g)
	}
	if c.known && !d.Past {
		add(gauge{"cpu", fmt.Sprintf("%.1f cores", last(c.cores)), "", c.cores, 90, false, ""})
		add(gauge{"memory", Bytes(c.last.Memory), "", c.memory, 80, false, ""})
		add(gauge{"disk", Bytes(c.last.Disk), "free " + Bytes(c.last.Free), c.disk, 70, c.last.Free < lowDisk, ""})
	}
	add(gauge{"requests", fmt.Sprint(s.Usage.Requests), "", c.asked, 60, false, ""})
	add(gauge{"cost", costWords(s.Usage), "", c.spent, 50, false, ""})
	if len(s.Recent) > 0 {
		took := func(e *view.Ended) bool { return placed(e) || d.Grid.CellOf(e.Job.Candidate) > -1 }
		for _, share := range []struct {
			name string
			hit  func(e *view.Ended) bool
			rank int
		}{{"took a niche", took, 45}, {"failed", failedJob, 65}} {
			text, short := ofLast(s, share.hit)
			add(gauge{share.name, text, "", d.shares(everyJob, share.hit), share.rank, false, short})
		}
	}
	return out
}

// ofLast counts the candidates that something was so of: "4 of 24 jobs", or of the last that are listed
// "12 of last 180"; short is "4/24".
func ofLast(s *view.Snapshot, hit func(e *view.Ended) bool) (text, short string) {
	n, all := 0, 0
	for i := range s.Recent {
		if e := &s.Recent[i]; e.Job.Kind == record.Make {
			all++
			if hit(e) {
				n++
			}
		}
	}
	if all < s.Jobs.Ended() {
		return fmt.Sprintf("%d of last %d", n, all), fmt.Sprintf("%d/%d", n, all)
	}
	return fmt.Sprintf("%d of %s", n, view.Plural(all, "job")), fmt.Sprintf("%d/%d", n, all)
}

// lowDisk is how little free disk is warned of.
const lowDisk = 1 << 30

func failedJob(e *view.Ended) bool { return e.Job.State == record.Failed }

// Gauges is the strip of cost and resources in one line of w cells.
func (d *Shared) Gauges(w int) string {
	st := d.St
	var parts []widget.Part
	for _, g := range d.gauges() {
		var l widget.Line
		value := st.Plain
		if g.bad {
			value = st.Warn
		}
		l.Add(st.Label, g.name+" ").Add(value, cmp.Or(g.short, g.value))
		if g.note != "" && w >= 150 {
			l.Add(st.Label, " "+g.note)
		}
		if n := min(len(g.course), gaugeCells); n > 1 && moves(g.course) {
			l.Gap(1).Raw(st.Lines[0].Wrap(plot.Heights(tail(g.course, n*2), n, d.Glyphs)))
		}
		parts = append(parts, widget.Part{Text: l.String(), Rank: g.rank})
	}
	return " " + widget.Squeeze(parts, nil, w-2)
}

// gaugeCells is how wide a course is told in the strip.
const gaugeCells = 8

// moves reports whether there is more to see than a straight line at nothing.
func moves(list []float64) bool {
	for _, v := range list {
		if v > 0 {
			return true
		}
	}
	return false
}

func tail(list []float64, n int) []float64 { return list[max(0, len(list)-n):] }

// gaugeLines tells the gauges one to a line, for w cells.
func (d *Shared) gaugeLines(w int) []string {
	st := d.St
	var out []string
	for _, g := range d.gauges() {
		var l widget.Line
		l.Gap(1).Col(st.Plain, g.name, 18).Right(st.Strong, g.value, 16).Gap(2)
		if n := min(len(g.course), w-l.W-22); n > 1 && moves(g.course) {
			l.Raw(st.Lines[0].Wrap(plot.Heights(g.course, n, d.Glyphs))).Gap(2)
		}
		out = append(out, l.Add(st.Label, g.note).String())
	}
	return out
}

// Bytes writes an amount of memory or disk.
func Bytes(n int64) string {
	switch v := float64(n); {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.0f kB", v/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.0f MB", v/(1<<20))
	case n < 100<<30:
		return fmt.Sprintf("%.1f GB", v/(1<<30))
	default:
		return fmt.Sprintf("%.0f GB", v/(1<<30))
	}
}

// SampleEvery is how often resources are measured while jobs run.
const SampleEvery = 2 * time.Second
