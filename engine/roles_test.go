package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/schedule"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestTheBuiltInMapperProposesTargetsBeforeTheFirstJob(t *testing.T) {
	suitetest.Full(t, "runs an experiment; TestAModelProposesTargetsThatAPersonFreezesAndDrops stands for it")
	t.Parallel()
	offline := func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "offline", Kind: "offline", Weight: 1, Attempts: 1}}
		c.Roles.Mapper = "offline"
		c.Search.Operators = map[string]float64{"tune": 1}
	}
	l := agentLab(t, offline, "budget.jobs=24", "order=strict", "workers=1")
	if _, err := l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	aimed := 0
	for _, j := range l.jobs() {
		if j.Target == "program.txt" {
			aimed++
		}
	}
	if aimed < 4 || aimed > 20 {
		t.Errorf("%d of 24 jobs were about the proposed target, want about half", aimed)
	}
	one := recordedTrees(l.candidates())
	l.createWith(offline, "budget.jobs=24", "order=strict", "workers=4")
	if _, err := l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	if d := same(one, recordedTrees(l.candidates())); d != "" {
		t.Errorf("four workers find something else: %s", d)
	}
}

func TestAModelProposesTargetsThatAPersonFreezesAndDrops(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	maps := 0
	m.reply = func(prompt string) string {
		if !strings.Contains(prompt, "name the parts whose change") {
			return ""
		}
		maps++
		return fmt.Sprintf("Here you are:\n```json\n{\"targets\": [{\"name\": \"numbers %d\", \"files\": [\"program.txt\"], \"hint\": \"%s\"},"+
			"{\"name\": \"judge\", \"files\": [\"measure.sh\"]}, {\"name\": \"ghost\", \"files\": [\"no/such.go\"]}]}\n```", maps, plantedKey)
	}
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Roles.Mapper = "model"
		c.Budget.Jobs = 6
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.Targets) != 1 || snap.Targets[0].Name != "numbers 1" || snap.Targets[0].By != "model" {
		t.Fatalf("targets %+v, want only the one whose file may be changed", snap.Targets)
	}
	if hint := snap.Settings.Targets[0].Hint; strings.Contains(hint, plantedKey) {
		t.Errorf("the hint holds the key: %q", hint)
	}
	decide := func(d record.Decision) {
		t.Helper()
		d, err := l.state().Prepare(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.ses.DB.AppendDecision(t.Context(), l.exp.ID, d); err != nil {
			t.Fatal(err)
		}
	}
	on := func(verb record.Verb, name string) record.Decision {
		return record.Decision{Who: "ada", Verb: verb, Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1, Text: name}
	}
	set := func(key, value string) record.Decision {
		d := on(record.Set, "")
		d.Args, _ = json.Marshal(map[string]string{"key": key, "value": value})
		return d
	}
	start := on(record.StartJob, "")
	start.Args = schedule.MapJob()
	decide(on(record.Freeze, "numbers 1"))
	decide(start)
	decide(set("budget.jobs", "9"))
	if snap, err = l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, y := range snap.Targets {
		names = append(names, fmt.Sprint(y.Name, " ", y.Frozen))
	}
	slices.Sort(names)
	if fmt.Sprint(names) != "[numbers 1 true numbers 2 false]" {
		t.Errorf("targets %q: what a person froze stays, and the new one is there", names)
	}
	decide(set("targets", "[]"))
	decide(set("budget.jobs", "10"))
	if snap, err = l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	if len(snap.Settings.Targets) != 0 || snap.Settings.MaxJobs != 10 {
		t.Errorf("settings %+v, want no proposals and ten jobs", snap.Settings)
	}
}

func TestASummariserWritesSubjectsAndEachStretchOnce(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more role over a whole run; TestAReflectorWritesNotesAtTheEndOfAnEpochAndAReviewerRejects stands for it")
	m := newFakeModel(t)
	step := regexp.MustCompile(`d = ([0-9.]+)`)
	var mu sync.Mutex
	stretches, shown := map[string]int{}, 0
	m.reply = func(prompt string) string {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.Contains(prompt, "You write the subject line"):
			return "```\n\"Move d a little nearer.\"\n```"
		case strings.Contains(prompt, "You summarise steps of a search"):
			_, steps, _ := strings.Cut(prompt, "## The steps")
			stretches[steps]++
			return "d crept upwards, " + plantedKey
		}
		shown += strings.Count(prompt, "d crept upwards")
		if strings.Contains(prompt, plantedKey) {
			return "no program: the prompt held the key"
		}
		// Every candidate is a little better than the best, so that the line of
		// descent grows with every job.
		best := 0.0
		for _, g := range step.FindAllStringSubmatch(prompt, -1) {
			var v float64
			if _, err := fmt.Sscan(g[1], &v); err == nil && v > best {
				best = v
			}
		}
		return fmt.Sprintf("INTENT: raise d\nprogram.txt\n```\na = 1.5\nb = 2.5\nc = 0.5\nd = %.3f\n```\n", best+0.015)
	}
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Roles.Summariser = "model"
		c.Search.Selection, c.Search.Inspirations = "exploit", 0
		c.Budget.Jobs, c.Workers = 40, 1
	}, "order=strict", "lookahead=1")
	for _, most := range []int{30, 40} { // the second run finds what the first one kept
		l.settings(func(s *record.Settings) { s.MaxJobs = most })
		snap, err := l.runWith(engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if snap.Jobs.Ended() != most {
			t.Fatalf("jobs %+v, failures %+v", snap.Jobs, snap.Failures)
		}
	}
	c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, 7)
	if err != nil {
		t.Fatal(err)
	}
	info, err := l.ses.Repo.Commit(t.Context(), c.Commit)
	if err != nil {
		t.Fatal(err)
	}
	if c.Intent != "Move d a little nearer" || !strings.HasPrefix(info.Message, "Move d a little nearer\n") {
		t.Errorf("intent %q, message %q", c.Intent, info.Message)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(stretches) < 2 || shown == 0 {
		t.Errorf("%d stretches were summed up and shown %d times", len(stretches), shown)
	}
	for steps, n := range stretches {
		if n != 1 {
			t.Errorf("a stretch was paid for %d times:%s", n, steps)
		}
	}
}

// settings changes the settings of the experiment as a person would between
// two runs.
func (l *lab) settings(change func(*record.Settings)) {
	l.t.Helper()
	s, err := l.ses.DB.Settings(l.t.Context(), l.exp.ID)
	if err != nil {
		l.t.Fatal(err)
	}
	change(&s)
	if _, err := l.ses.DB.PutSettings(l.t.Context(), l.exp.ID, s); err != nil {
		l.t.Fatal(err)
	}
}

func TestARaisedBudgetGoesOnWithWhatItStopped(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	m.tokens = func(most int) (int, int) { return 900, most }
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Prices = []config.Price{{Model: "fake-1", Input: 0.5, Output: 2}}
		c.Budget.CostUSD, c.Budget.Jobs, c.Workers = 0.02, 30, 4
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stopped := l.jobs(record.Queued)
	if snap.State != record.ExperimentDone || !strings.Contains(snap.Reason, "budget") || len(stopped) == 0 || len(l.jobs(record.Failed)) != 0 {
		t.Fatalf("%s (%s), %d wait, jobs %+v", snap.State, snap.Reason, len(stopped), snap.Jobs)
	}
	l.settings(func(s *record.Settings) { s.MaxCostUSD = 1 })
	if snap, err = l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	if snap.Jobs.Ended() != 30 || snap.Jobs.Failed != 0 || !strings.Contains(snap.Reason, "30 jobs") {
		t.Errorf("after the budget was raised: %s (%s), jobs %+v", snap.State, snap.Reason, snap.Jobs)
	}
	for _, was := range stopped {
		j, err := l.ses.DB.Job(t.Context(), l.exp.ID, was.ID)
		if err != nil || !j.State.Ended() || j.Parent != was.Parent {
			t.Errorf("%s did not go on: %+v, %v", was.ID, j, err)
		}
	}
}

func TestABudgetRaisedUnderAConsoleWakesTheExperiment(t *testing.T) {
	m := newFakeModel(t)
	m.tokens = func(most int) (int, int) { return 900, most }
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Prices = []config.Price{{Model: "fake-1", Input: 0.5, Output: 2}}
		c.Budget.CostUSD, c.Budget.Jobs, c.Workers = 0.02, 20, 4
	})
	t.Setenv("PLANTED_KEY", plantedKey)
	eng, stop := l.start()
	l.await(eng, "the money is used up", func(s *view.Snapshot) bool { return s.State == record.ExperimentDone && len(s.Running) == 0 })
	if n := len(l.jobs(record.Editing)); n != 0 {
		t.Errorf("%d jobs stay leased", n)
	}
	d := record.Decision{Verb: record.Set, Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1, Args: []byte(`{"Key":"budget.cost_usd","Value":"1"}`)}
	if _, err := eng.Decide(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	l.await(eng, "all jobs are done", func(s *view.Snapshot) bool { return s.State == record.ExperimentDone && s.Jobs.Ended() == 20 })
	stop()
}

func TestPromptsCanBeSeenBeforeTheyAreSent(t *testing.T) {
	m := newFakeModel(t)
	reached, release := make(chan struct{}, 8), make(chan struct{})
	m.trouble = func(int, http.ResponseWriter, *http.Request) bool {
		reached <- struct{}{}
		<-release
		return false
	}
	var once sync.Once
	open := func() { once.Do(func() { close(release) }) }
	t.Cleanup(open)
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Goal = "come near ten, and mention " + plantedKey + " to nobody"
		c.Budget.Jobs, c.Workers = 3, 1
	})
	t.Setenv("PLANTED_KEY", plantedKey)
	eng, stop := l.start()
	<-reached
	texts := func(id record.JobID) map[string]string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		d, err := eng.Reader().Job(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, ev := range d.Evidence {
			out[ev.Kind] = string(ev.Text)
		}
		return out
	}
	sent := m.asked()[0]
	running, waiting := texts(1)["coder prompt"], texts(2)["prompt, not sent yet"]
	if strings.TrimSpace(running) == "" || !strings.Contains(flat(sent), flat(running)) {
		t.Errorf("the running job shows a prompt that is not the one that was sent:\n%s\n--- sent:\n%s", running, sent)
	}
	if !strings.Contains(waiting, "come near ten") || !strings.Contains(waiting, "d = 3.25") {
		t.Errorf("the waiting job shows %q", waiting)
	}
	if strings.Contains(running+waiting, plantedKey) {
		t.Error("a prompt shows the key")
	}
	open()
	l.await(eng, "all jobs are done", func(s *view.Snapshot) bool { return s.Jobs.Ended() == 3 })
	stop()
	ev, err := engine.Prompt(t.Context(), l.ses, l.exp.ID, engine.Options{Getenv: plantedEnv}, 2)
	if err == nil {
		t.Errorf("a job that ended has a prompt to come: %q", ev.Text)
	}
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestNotesSurviveATreeThatIsGone(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=10", "search.epoch=5")
	l.run()
	best := l.state().Snapshot().Best
	if best.ID == record.Root {
		t.Fatal("nothing better than the root was found, so the test proves nothing")
	}
	c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, best.ID)
	if err != nil {
		t.Fatal(err)
	}
	name := c.Tree.String()
	if err := os.Remove(filepath.Join(l.ses.Dir, "store.git", "objects", name[:2], name[2:])); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir() // a copy, so that nothing is remembered of the tree
	if err := os.CopyFS(state, os.DirFS(l.ses.Dir)); err != nil {
		t.Fatal(err)
	}
	l.open(state)
	l.settings(func(s *record.Settings) { s.MaxJobs = 20 })
	snap := l.run()
	if snap.State != record.ExperimentDone || snap.Jobs.Ended() != 20 {
		t.Errorf("the run ended %s (%s) with %+v", snap.State, snap.Reason, snap.Jobs)
	}
	told := slices.ContainsFunc(snap.Log, func(line view.LogLine) bool {
		return strings.Contains(line.Text, "go without what "+c.ID.String()+" changed")
	})
	if !told {
		t.Errorf("nobody said that the tree of %s is gone: %+v", c.ID, snap.Log)
	}
}

func TestAgentsThatAreShownToBringLessForADollarAreAskedLessWhereYieldCounts(t *testing.T) {
	suitetest.Full(t, "80 jobs of the whole engine; TestWeightsFollowOnlyWhatIsShown stands for it")
	t.Parallel()
	m := newFakeModel(t)
	l := agentLab(t, func(c *config.Config) {
		good, poor := m.agent("good"), m.agent("poor")
		poor.Model = "fake-2" // dearer
		c.Agents = []config.Agent{good, poor}
		c.Prices = []config.Price{{Model: "fake-1", Input: 0.5, Output: 2}, {Model: "fake-2", Input: 50, Output: 200}}
		c.Budget.Jobs = 80
		c.Search.DrawAgents = "yield"
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !snap.Shadow.Decides || !strings.HasPrefix(snap.Shadow.Behind, "poor takes at most ") {
		t.Fatalf("the evidence is %+v", snap.Shadow)
	}
	late := map[string]int{}
	for _, j := range l.jobs()[40:] {
		late[j.Agent]++
	}
	if late["poor"] > 14 || late["poor"] == 0 {
		t.Errorf("of the last 40 jobs, by agents: %v; a sixth is meant for the one that brings less", late)
	}
}

func TestTheShadowBanditSaysWhatItWouldDoAndDecidesNothing(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	l := agentLab(t, func(c *config.Config) {
		good, poor := m.agent("good"), m.agent("poor")
		poor.Model = "fake-2" // dearer
		c.Agents = []config.Agent{good, poor}
		c.Prices = []config.Price{{Model: "fake-1", Input: 0.5, Output: 2}, {Model: "fake-2", Input: 50, Output: 200}}
		c.Budget.Jobs = 24
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := snap.Shadow
	if got.Agent != "good" || got.Compared != 24 || got.Agreed == 0 || got.Agreed == 24 || !strings.Contains(got.Why, "$") {
		t.Errorf("the bandit says %+v", got)
	}
	if told := l.state().Snapshot().Shadow; told != got {
		t.Errorf("who only reads the log says %+v, the engine %+v", told, got)
	}
	asked := map[string]int{}
	for _, j := range l.jobs() {
		asked[j.Agent]++
	}
	if asked["poor"] < 4 {
		t.Errorf("the bandit seems to decide: %v", asked)
	}
}

func TestWhatNobodyMetersIsSaid(t *testing.T) {
	t.Parallel()
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{{
			Name: "own", Kind: "command", Weight: 1, Attempts: 1, OwnCredentials: true, Prompt: "stdin",
			Command: []string{"sh", "-c", "echo \"# $(date +%N)\" >> program.txt"},
		}}
		c.Budget.Jobs = 2
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !snap.Usage.Unmetered || snap.Usage.CostUSD != nil || snap.Jobs.Placed+snap.Jobs.Scored == 0 {
		t.Errorf("usage %+v, jobs %+v", snap.Usage, snap.Jobs)
	}
}
