package campaign

import (
	"encoding/json"
	"fmt"

	"atoll/store/record"
)

// The kinds of rows of the campaign's log. Their data are the types below.
const (
	kindTask     record.CampaignKind = "task"     // Task: added, or as it is from now on
	kindDrop     record.CampaignKind = "drop"     // words
	kindDone     record.CampaignKind = "done"     // words: it was done elsewhere
	kindFail     record.CampaignKind = "fail"     // words: it failed elsewhere
	kindReopen   record.CampaignKind = "reopen"   // words: pending again, with its attempts counted anew
	kindEpic     record.CampaignKind = "epic"     // Epic
	kindSettings record.CampaignKind = "settings" // Settings
	kindStart    record.CampaignKind = "start"    // start
	kindEnd      record.CampaignKind = "end"      // Outcome
	kindHead     record.CampaignKind = "head"     // head: the branch begins, or was moved by a person
	kindHealth   record.CampaignKind = "health"   // Health
	kindLesson   record.CampaignKind = "lesson"   // words
	kindPropose  record.CampaignKind = "propose"  // Proposal
	kindAnswer   record.CampaignKind = "answer"   // answer
	kindWarn     record.CampaignKind = "warn"     // words: the budget is nearly used up; once
)

type words struct {
	Text string `json:"text,omitempty"`
}

// Epic is a text that became tasks, or that a planner was asked about in vain.
type Epic struct {
	Title string        `json:"title"`
	Words string        `json:"words"`         // as they were given
	By    string        `json:"by,omitempty"`  // the agent that planned; "": the text listed the tasks
	Who   string        `json:"who,omitempty"` // the person
	Tasks []int         `json:"tasks"`
	USD   float64       `json:"usd,omitempty"` // what the planner cost, as far as it is known
	At    record.Millis `json:"at,omitempty"`
}

// start is one attempt of a task: what it begins on, and what the planner saw.
type start struct {
	Attempt    int         `json:"attempt"`
	Root       record.Hash `json:"root"`
	Experiment string      `json:"experiment"`
	Why        string      `json:"why"`
	Baseline   int         `json:"baseline"`   // task that the formula would take
	Suggestion int         `json:"suggestion"` // task that the ranker would take; 0 = it has no opinion yet
	Authority  float64     `json:"authority"`
	Predicted  *float64    `json:"predicted,omitempty"` // gain per cost that the ranker expects
	Score      float64     `json:"score"`               // WSJF
	By         string      `json:"by,omitempty"`        // who chose it; "" = the formula
}

// Outcome is what one attempt of a task came to.
type Outcome struct {
	Status  Status      `json:"status"` // Done, Failed, Pending: to be tried again, or Dropped while it ran
	Reason  string      `json:"reason"`
	Commit  record.Hash `json:"commit,omitzero"` // new head; zero: the branch stays
	Winner  string      `json:"winner,omitempty"`
	Gain    *float64    `json:"gain,omitempty"`
	Jobs    int         `json:"jobs"`
	USD     float64     `json:"usd,omitempty"`
	Checks  []Check     `json:"checks,omitempty"`
	Lessons []string    `json:"lessons,omitempty"`
}

type head struct {
	Commit record.Hash `json:"commit"`
	Text   string      `json:"text,omitempty"`
}

// Settings bound a campaign. Zero is no limit.
type Settings struct {
	Jobs    int     `json:"jobs,omitempty"`     // make jobs of all tasks together
	CostUSD float64 `json:"cost_usd,omitempty"` // of all tasks together
	Tasks   int     `json:"tasks,omitempty"`    // attempts
	// Authority is the most that the ranker may have; nil: 1. A person sets it to 0
	// to have the formula alone.
	Authority *float64 `json:"authority,omitempty"`
	// Agreed names the agents that cost money and that a person agreed to.
	Agreed []string `json:"agreed,omitempty"`
}

// Health is what the auditor found on one commit of the branch.
type Health struct {
	Commit     record.Hash `json:"commit"`
	Files      int         `json:"files"`
	Lines      int         `json:"lines"`
	Functions  int         `json:"functions"`
	Complexity int         `json:"complexity"` // of the most complex function
	Mean       float64     `json:"mean"`       // complexity of functions
	Findings   int         `json:"findings"`
	Duplicated int         `json:"duplicated"` // lines
}

// Proposal is what the reflector thinks should change in the backlog. A person
// accepts or rejects it.
type Proposal struct {
	ID     int    `json:"id"` // position in the log
	Key    string `json:"key"`
	Text   string `json:"text"`
	Drop   []int  `json:"drop,omitempty"`
	Add    []Task `json:"add,omitempty"` // numbers are given when it is accepted
	Answer string `json:"answer"`        // "", accepted or rejected
}

type answer struct {
	Proposal int  `json:"proposal"`
	Accept   bool `json:"accept"`
}

func row(kind record.CampaignKind, task int, who string, data any) record.CampaignRow {
	b, err := json.Marshal(data)
	if err != nil { // numbers were checked; texts and hashes always pass
		panic(fmt.Sprintf("campaign: encode %s: %v", kind, err))
	}
	return record.CampaignRow{Kind: kind, Task: task, Who: who, Data: b}
}
