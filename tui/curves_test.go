package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// metricReader counts what it is asked for and answers with fixed metrics.
type metricReader struct {
	tuitest.Reader
	asked [][]record.CandidateID
	give  func(id record.CandidateID) []record.Metric // nil = those of the fixture
	err   error
}

func (m *metricReader) Metrics(ctx context.Context, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	m.asked = append(m.asked, ids)
	if m.give == nil || m.err != nil {
		out, _ := m.Reader.Metrics(ctx, ids)
		return out, m.err
	}
	out := map[record.CandidateID][]record.Metric{}
	for _, id := range ids {
		out[id] = m.give(id)
	}
	return out, nil
}

func metricRig(t *testing.T, w, h int) (*rig, *metricReader) {
	t.Helper()
	s := tuitest.Snapshot(8)
	m := &metricReader{Reader: tuitest.Reader{Snap: s}}
	r := newRig(t, s, w, h, func(o *Options) { o.Reader = m })
	r.keys("3", "z")
	return r, m
}

// top is the title of the pane that fills the screen.
func (r *rig) top() string { return strings.Split(ansi.Strip(r.app.frame()), "\n")[2] }

func (r *rig) wants(text string) {
	r.t.Helper()
	if frame := ansi.Strip(r.app.frame()); !strings.Contains(frame, text) {
		r.t.Errorf("there is no %q in\n%s", text, frame)
	}
}

func TestMetricsAreReadWhenSomebodyLooks(t *testing.T) {
	r, m := metricRig(t, 120, 36)
	r.keys("t", "t", "m", "m", "m", "m")
	if len(m.asked) != 0 {
		t.Fatalf("nobody looked at a metric and %v were asked for", m.asked)
	}
	_, cmd := r.app.Update(press("]"))
	r.wants("loading")
	if len(m.asked) != 0 {
		t.Fatal("the key itself reads")
	}
	r.run(cmd)
	want := []record.CandidateID{}
	for _, reign := range slices.Backward(r.app.d.Snap.Curves.Reigns) {
		want = append(want, reign.ID)
	}
	if want = append(want, record.Root); len(m.asked) != 1 || !slices.Equal(m.asked[0], want) {
		t.Fatalf("asked for %v, want once %v", m.asked, want)
	}
	for _, want := range []string{"3 Fitness time_ms, ms ─", "3 Fitness spread ─", "3 Fitness ─", "3 Fitness time_ms, ms ─"} {
		if top := r.top(); !strings.Contains(top, want) {
			t.Errorf("] leads to %s, want %s", top, want)
		}
		r.keys("]")
	}
	r.keys("[", "[")
	if len(m.asked) != 1 {
		t.Errorf("it was asked %d times for what did not change", len(m.asked))
	}
}

func TestTheMetricBeforeTheObjectiveIsTheLast(t *testing.T) {
	r, _ := metricRig(t, 120, 36)
	r.keys("[")
	if top := r.top(); !strings.Contains(top, "3 Fitness spread ") {
		t.Errorf("[ leads to %s", top)
	}
}

func TestANewBestIsReadAgain(t *testing.T) {
	r, m := metricRig(t, 120, 36)
	r.keys("]")
	r.wants("best 298.55 · root 340.00")
	next := tuitest.Snapshot(8)
	next.Version = 8
	next.Jobs.Scored++
	r.send(snapMsg{next})
	if len(m.asked) != 1 {
		t.Errorf("nothing changed about the best and it was read %d times", len(m.asked))
	}
	best := tuitest.Snapshot(8)
	best.Version, best.Best.ID = 9, 330
	best.Curves.Reigns = append(best.Curves.Reigns, view.Reign{X: 329, At: best.Curves.At[329], ID: 330})
	r.send(snapMsg{best})
	if len(m.asked) != 2 || m.asked[1][0] != 330 {
		t.Fatalf("asked for %v; want the new best as well", m.asked)
	}
	r.wants("best 318.44 · root 340.00")
	again := tuitest.Snapshot(8)
	*again = *best
	again.Version, again.Best.Samples = 10, best.Best.Samples+2
	r.send(snapMsg{again})
	if len(m.asked) != 3 {
		t.Errorf("more samples of the best and it was read %d times", len(m.asked))
	}
	other := tuitest.Snapshot(8)
	other.Version, other.Experiment.Objective = 11, 2
	r.send(snapMsg{other})
	if top := r.top(); len(m.asked) != 3 || strings.Contains(top, "time_ms") {
		t.Errorf("another evaluator measures and the metrics of the old one are shown: %s", top)
	}
}

func TestWhatCannotBeShownOfMetricsIsSaid(t *testing.T) {
	only := func(record.CandidateID) []record.Metric { return []record.Metric{{Name: "sum_radii", Value: 2}} }
	hole := func(id record.CandidateID) []record.Metric {
		if id == record.Root {
			return nil
		}
		return []record.Metric{{Name: "late", Value: float64(id)}}
	}
	for _, c := range []struct {
		name string
		give func(record.CandidateID) []record.Metric
		err  error
		want string
		not  string
	}{
		{"an evaluator with one metric", only, nil, "the evaluator reports one metric only", "root"},
		{"nothing was measured", func(record.CandidateID) []record.Metric { return nil }, nil, "the evaluator reports one metric only", "root"},
		{"the store does not answer", nil, errors.New("the disk is gone"), "cannot read it: the disk is gone", "root"},
		{"the root does not have it", hole, nil, "3 Fitness late ", "╌root╌"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, m := metricRig(t, 70, 20)
			m.give, m.err = c.give, c.err
			r.keys("]")
			r.wants(c.want)
			if frame := ansi.Strip(r.app.frame()); strings.Contains(strings.Join(strings.Split(frame, "\n")[3:], ""), c.not) {
				t.Errorf("it shows %q:\n%s", c.not, frame)
			}
			r.keys("]")
			if top := r.top(); !strings.Contains(top, "3 Fitness ─") {
				t.Errorf("another ] does not lead back to the objective: %s", top)
			}
		})
	}
	t.Run("no reader", func(t *testing.T) {
		r := newRig(t, tuitest.Snapshot(8), 70, 20, func(o *Options) { o.Reader = nil })
		r.keys("3", "z", "]")
		r.wants("no reader is attached")
	})
}

func TestLogarithmsAreLeftOutWhereThereAreNone(t *testing.T) {
	r, _ := metricRig(t, 120, 36)
	r.keys("m")
	if top := r.top(); !strings.Contains(top, "3 Fitness log y") {
		t.Fatalf("the objective is above zero: %s", top)
	}
	r.keys("]")
	if top := r.top(); !strings.Contains(top, "time_ms, ms log y") {
		t.Errorf("the time is above zero: %s", top)
	}
	r.keys("]")
	if top := r.top(); strings.Contains(top, "log") {
		t.Errorf("the spread is below zero at times: %s", top)
	}
	for _, want := range []string{"log x", "spread", "log x"} {
		r.keys("m")
		if top := r.top(); !strings.Contains(top, want) || strings.Contains(top, "log y") || strings.Contains(top, "and y") {
			t.Errorf("the scale after it: %s, want %s", top, want)
		}
	}
}
