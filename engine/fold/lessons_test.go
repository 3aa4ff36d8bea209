package fold

import (
	"fmt"
	"maps"
	"testing"

	"atoll/engine/agent"
	"atoll/store/record"
)

func TestJobsLearnTheSameFromAPastThatIsFoldedAnew(t *testing.T) {
	const depth = 2
	for _, tt := range []struct {
		name string
		jobs int
	}{
		{"of nothing", 0},
		{"of one job", 1},
		{"of as many jobs as are remembered", 32 * depth},
		{"of one job more", 32*depth + 1},
		{"of many more", 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tag := func(id record.CandidateID) string {
				return fmt.Sprintf("literal gen:%d%s", id%7, agent.MoveTag("f.py:3", float64(id), 2))
			}
			began := func(past bool) *Lessons {
				now := agent.NewHistory()
				now.Evolve(3)
				return &Lessons{On: true, Past: past, Now: now, At: map[int]*agent.History{}, Tag: tag}
			}
			live, anew := began(false), began(true)
			most := 0
			for i := range tt.jobs {
				end := agent.End{Operator: record.OpTune, Candidate: record.CandidateID(i), Parent: record.Root, Improved: i%3 == 0, Value: float64(i % 11), Best: record.Root}
				for range 1 + i%2 { // a job may end twice
					live.Observe(end)
					anew.Observe(end)
				}
				live.Keep(i+1, depth)
				anew.Mark(i+1, depth)
				most = max(most, len(anew.late))
			}
			anew.Arrive(func(folded int) { anew.Keep(folded, depth) })
			if most > 100*depth {
				t.Errorf("%d ends were remembered at once", most)
			}
			if a, b := anew.Start(), live.Start(); a != b {
				t.Errorf("samples are made of %s, and of %s where nothing was folded anew", a, b)
			}
			told := func(l *Lessons) map[record.JobID]string {
				by := map[record.JobID]string{}
				for job := max(1, record.JobID(tt.jobs-depth)); job <= record.JobID(tt.jobs+depth); job++ {
					h, text := l.Of(job, depth), ""
					for _, part := range []string{"", "literal", "none"} {
						text += fmt.Sprintf("%v ", h.Of(string(record.OpTune), part))
					}
					if ev := h.Evolving(); ev != nil {
						text += fmt.Sprintf("run %d from %s, %d samples", ev.Run, ev.Start, len(ev.Samples))
					}
					text += fmt.Sprint(h.Moves())
					by[job] = text
				}
				return by
			}
			if a, b := told(anew), told(live); !maps.Equal(a, b) {
				t.Errorf("jobs get\n%v\nwhere nothing was folded anew\n%v", a, b)
			}
			if c := live.Now.Of(string(record.OpTune), ""); tt.jobs > 0 && c.Tries == 0 {
				t.Errorf("nothing was counted: %+v", c)
			}
		})
	}
}

func TestAMoveIntoAnotherNicheIsNeitherBetterNorWorse(t *testing.T) {
	for _, tt := range []struct {
		name     string
		value, x float64
		fails    bool
		want     int
	}{
		{"a better value in the same niche", 2, 0.05, false, 1},
		{"a worse one", 0.5, 0.05, false, -1},
		{"an equal one", 1, 0.05, false, 0},
		{"a worse one elsewhere", 0.5, 0.55, false, 0},
		{"a better one elsewhere", 2, 0.55, false, 0},
		{"a failure", 0, 0, true, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t)
			s.st.Lessons = Lessons{On: true, Now: agent.NewHistory(), At: map[int]*agent.History{}, Tag: func(record.CandidateID) string {
				return "one 1e-1" + agent.MoveTag("f.py:3", 1, 2)
			}}
			s.measured(0, 1, 0.05)
			if s.measured(1, 1, 0.05); tt.fails {
				s.failed(2)
			} else {
				s.measured(2, tt.value, tt.x)
			}
			moves := s.st.Lessons.Now.Moves()
			if n := len(moves); n != 2 || moves[n-1].Against != tt.want {
				t.Errorf("moves %+v, want %d for the last", moves, tt.want)
			}
		})
	}
}
