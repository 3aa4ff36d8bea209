package view

import (
	"fmt"
	"strings"

	"atoll/store/record"
)

// The kinds of news, as console.news and webhooks name them.
const (
	NewsBest   = "best"
	NewsReview = "review"
	NewsPause  = "pause"
	NewsEnd    = "end"
)

// News is what a person who looks elsewhere would want to know.
type News struct {
	What string // one of the kinds
	Text string // one line, without the name of the experiment
}

// NewsOf lists what is worth telling in the step from one snapshot to a later one of
// the same experiment. Nothing is while either of them is still being read. value
// writes an objective.
func NewsOf(old, now *Snapshot, value func(float64) string) (out []News) {
	if old == nil || old.Loading || now.Loading || old.Experiment.ID != now.Experiment.ID {
		return nil
	}
	say := func(what, text string) { out = append(out, News{what, text}) }
	if b := now.Best; b.ID >= 0 && b.ID != old.Best.ID && b.ID != record.Root {
		text := value(b.Objective)
		if now.Noisy {
			text = ToldValue(b.ID, b.Claim)
		}
		say(NewsBest, fmt.Sprintf("new best %s, %s", b.ID, text))
	}
	if n := now.Jobs.Held; n > old.Jobs.Held {
		say(NewsReview, fmt.Sprintf("%d to review", n))
	}
	switch s := now.State; {
	case s == old.State:
	case s == record.ExperimentPaused:
		say(NewsPause, StateText(s, now.Reason))
	case s == record.ExperimentDone || s == record.ExperimentStopped || s == record.ExperimentBroken:
		say(NewsEnd, StateText(s, now.Reason))
	}
	if now.Fatal != "" && old.Fatal == "" {
		say(NewsEnd, "the engine stopped: "+now.Fatal)
	}
	return out
}

// StateText tells a state and why: "done: the budget is used up". A reason that
// begins with the state stands alone: "paused by ada".
func StateText(state record.ExperimentState, reason string) string {
	switch word := string(state); {
	case reason == "":
		return word
	case strings.HasPrefix(reason, word+" "):
		return reason
	default:
		return word + ": " + reason
	}
}
