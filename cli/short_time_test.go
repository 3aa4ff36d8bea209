package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"atoll/engine/survey"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestARunThatIsTooShortSaysSo(t *testing.T) {
	took := func(id record.JobID, kind record.JobKind, state record.JobState, ms int64, samples int) view.Ended {
		j := record.NewJob(1, id, kind)
		j.State, j.EvalMS, j.Samples = state, ms, samples
		return view.Ended{Job: j}
	}
	root := took(0, record.Evaluate, record.Done, 36_000, 3)
	quick := took(0, record.Evaluate, record.Done, 600, 3)
	measured := took(0, record.Evaluate, record.Done, 183_000, 3)
	measured.Job.Candidate = record.Root
	ofThisRun := root
	ofThisRun.Job.Ended = record.Millis(time.Unix(1e9+10, 0).UnixMilli())
	made := took(3, record.Make, record.Scored, 20_000, 0)
	for _, c := range []struct {
		name       string
		limit      time.Duration
		past       []view.Ended
		stage      string
		after      time.Duration // of the job that runs
		then       []view.Ended  // ended meanwhile
		begin, end string
		budget     int // jobs; 0 is no bound
	}{
		{
			"the root's time is known", 5 * time.Second,
			[]view.Ended{root},
			"measuring 1/4", 25 * time.Second, nil,
			"one evaluation takes about 12s: --for 5s is over before one is", "no job ended in --for 5s: #7 was measuring 1/4 after 25s, and begins anew in the next run; give it more time, such as --for 4m0s", 0,
		},
		{"nothing is known", 5 * time.Second, nil, "measuring", 25 * time.Second, nil, "", "no job ended in --for 5s: #7 was measuring after 25s, and begins anew in the next run; give it more time, such as --for 1m0s", 0},
		{
			"one sample is quick, and many are taken", 30 * time.Second,
			[]view.Ended{quick, took(3, record.Make, record.Failed, 90_000, 0)},
			"measuring 6/8", 50 * time.Second, nil,
			"up to about 100 candidates in 30s at 600ms each, 2 at a time; what looks better is compared and measured again, which comes on top", "no job ended in --for 30s: #7 was measuring 6/8 after 50s, and goes on behind 5 samples in the next run; give it more time, such as --for 3m0s", 0,
		},
		{"a job ended", 5 * time.Second, nil, "measuring", 25 * time.Second, []view.Ended{quick}, "", "", 0},
		{"a job ended before one was seen", 5 * time.Second, []view.Ended{ofThisRun}, "measuring", 25 * time.Second, nil, "one evaluation takes about 12s: --for 5s is over before one is", "", 0},
		{"it was interrupted", 5 * time.Minute, []view.Ended{root}, "measuring", 25 * time.Second, nil, "up to about 16 candidates in 5m0s at 36s each, 2 at a time; what looks better is compared and measured again, which comes on top", "", 0},
		{"what candidates took says more than the root", 5 * time.Minute, []view.Ended{made, root}, "measuring", 25 * time.Second, nil, "up to about 30 candidates in 5m0s at 20s each, 2 at a time; what looks better is compared and measured again, which comes on top", "", 0},
		{
			"the root took most of it", 4 * time.Minute, nil, "measuring", 5 * time.Minute,
			[]view.Ended{measured},
			"", "no job ended in --for 4m0s, of which the root took 3m3s: #7 was measuring after 1m54s, and begins anew in the next run; give it more time, such as --for 1h0m0s", 0,
		},
		{"no bound", 0, []view.Ended{root}, "measuring", 25 * time.Hour, nil, "", "", 0},
		{"the budget leaves less", 5 * time.Minute, []view.Ended{made, root}, "measuring", 25 * time.Second, nil, "up to 6 candidates, which the budget of 8 jobs leaves, at 20s each", "", 8},
		{"the budget leaves more", 5 * time.Minute, []view.Ended{made, root}, "measuring", 25 * time.Second, nil, "up to about 30 candidates in 5m0s at 20s each, 2 at a time; what looks better is compared and measured again, which comes on top", "", 80},
		{"the budget leaves nothing", 5 * time.Minute, []view.Ended{made, root}, "measuring", 25 * time.Second, nil, "no candidate is made in this run: the budget of 1 job is used up", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			began, out := time.Unix(1e9, 1234567), &bytes.Buffer{}
			now, until := began, time.Time{}
			if c.limit > 0 {
				until = began.Add(c.limit)
			}
			short := bounded(&progress{app: &App{Out: out, Now: func() time.Time { return now }}, until: until}, began.Truncate(time.Millisecond), until)
			said := func(want string) {
				t.Helper()
				if got := out.String(); want == "" && got != "" || !strings.HasSuffix(got, want+map[bool]string{true: "\n"}[want != ""]) {
					t.Errorf("said %q, want %q", got, want)
				}
				out.Reset()
			}
			short.see(&view.Snapshot{Loading: true})
			first := view.Snapshot{State: record.ExperimentRunning, Recent: c.past, Repeats: 3}
			first.Settings.Workers = 2
			first.Jobs = view.Counts{Max: c.budget, Scored: min(c.budget, 2)}
			short.see(&first)
			said(c.begin)
			now = now.Add(c.after)
			running := view.Running{Job: record.NewJob(1, 7, record.Make), Stage: c.stage, Started: began}
			for _, e := range c.then {
				if ofRoot(&e.Job) { // behind which it began
					running.Started = now.Add(-114 * time.Second)
				}
			}
			short.see(&view.Snapshot{Recent: append(c.then, c.past...), Running: []view.Running{running}})
			last := view.Snapshot{Recent: append(c.then, c.past...)}
			short.see(&last)
			said("")
			short.end(&last)
			said(c.end)
		})
	}
}

func TestHowManyCandidatesFitIntoATimeIsTold(t *testing.T) {
	for _, c := range []struct {
		name       string
		time, each time.Duration
		workers    int
		want       string
	}{
		{"two at a time", 5 * time.Minute, 15 * time.Second, 2, "up to about 40 candidates in 5m0s at 15s each, 2 at a time; what looks better is compared and measured again, which comes on top"},
		{"one at a time", 5 * time.Minute, 4 * time.Minute, 1, "up to about 1 candidate in 5m0s at 4m0s each, one at a time; what looks better is compared and measured again, which comes on top"},
		{"none", 12 * time.Second, 30 * time.Second, 1, "one candidate takes about 30s: the 12s that are left are over before one is measured"},
		{"less than a second each", time.Minute, 300 * time.Millisecond, 1, "up to about 200 candidates in 1m0s at 300ms each, one at a time; what looks better is compared and measured again, which comes on top"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := candidatesIn(c.time, c.each, c.workers); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	for each, want := range map[time.Duration]time.Duration{time.Second: 5 * time.Minute, time.Minute: 30 * time.Minute, 10 * time.Minute: 3 * time.Hour} {
		if got := survey.TryTime(each); got != want {
			t.Errorf("at %s each a first run is to take %s, want %s", each, got, want)
		}
	}
}

func TestARunInWhichNothingButTheRootWasMeasuredSaysThat(t *testing.T) {
	began, out := time.Unix(1e9, 0), &bytes.Buffer{}
	now := began
	short := bounded(&progress{app: &App{Out: out, Now: func() time.Time { return now }}, until: began.Add(30 * time.Second)}, began, began.Add(30*time.Second))
	job := record.NewJob(1, 0, record.Evaluate)
	job.Candidate = record.Root
	now = now.Add(37 * time.Second)
	root := view.Standing{ID: record.NoCandidate}
	short.see(&view.Snapshot{Root: root, Running: []view.Running{{Job: job, Stage: "measuring 3/3", Started: began}}})
	short.end(&view.Snapshot{Root: view.Standing{ID: record.Root}})
	if got, want := out.String(), "nothing but the root was measured in --for 30s, which took 37s; give it more time, such as --for 2m0s\n"; !strings.HasSuffix(got, want) || strings.Contains(got, "no job ended") {
		t.Errorf("said %q, want %q", got, want)
	}
}
