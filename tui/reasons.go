package tui

import (
	"atoll/store/record"
)

// The reasons why a key does nothing now.

func needCandidate(a *app) string {
	if a.current().sel().cand < 0 {
		return "no candidate is selected"
	}
	return ""
}

func needObject(a *app) string {
	if s := a.current().sel(); s.cand < 0 && s.job < 0 {
		return "nothing is selected"
	}
	return ""
}

func needHeld(a *app) string {
	for _, s := range a.targets() {
		if s.cand < 0 || a.held(s.cand) == nil {
			return candidateName(s.cand) + " does not wait for a decision"
		}
	}
	return ""
}

func needReject(a *app) string {
	for _, s := range a.targets() {
		switch {
		case s.cand < 0:
			return "no candidate is selected"
		case s.cand == record.Root:
			return "the root stays"
		}
	}
	return ""
}

func needElite(a *app) string {
	for _, s := range a.targets() {
		if s.cand < 0 {
			return "this niche is empty"
		}
		if a.d.grid.cellOf(s.cand) < 0 {
			return candidateName(s.cand) + " holds no niche"
		}
	}
	return ""
}

func needHold(a *app) string {
	c := a.d.grid.at(a.current().sel().cell)
	if c == nil || !c.Frozen && (c.Boost == 1 || c.Boost == 0) {
		return "neither frozen nor boosted"
	}
	return ""
}

func needJob(a *app) string {
	if a.current().sel().job < 0 {
		return "no job is selected"
	}
	return ""
}

func needLiveJob(a *app) string {
	s := a.current().sel()
	switch {
	case s.job < 0:
		return "no job is selected"
	case s.state.Ended():
		return s.job.String() + " has ended"
	}
	return ""
}

func needEndedJob(a *app) string {
	s := a.current().sel()
	switch {
	case s.job < 0:
		return "no job is selected"
	case s.state != "" && !s.state.Ended():
		return s.job.String() + " has not ended"
	}
	return ""
}

func needQueuedJob(a *app) string {
	s := a.current().sel()
	switch {
	case s.job < 0:
		return "no job is selected"
	case s.state != record.Queued:
		return "only queued jobs have a priority"
	}
	return ""
}

func needTarget(a *app) string {
	if a.current().sel().target == "" {
		return "no target is selected"
	}
	return ""
}

func needNote(a *app) string {
	if _, ok := a.panes[paneNotes].(*notesPane).note(); !ok {
		return "no note is selected; down goes to the first"
	}
	return ""
}

func nothingWaits(a *app) string {
	if len(a.d.snap.Review) == 0 {
		return "nothing waits for review"
	}
	return ""
}

func learned(a *app) string {
	if a.d.snap.Grid.Map == 0 {
		return "the axes are metrics, or there is no map yet"
	}
	return ""
}

func twoAxes(a *app) string {
	if len(a.d.snap.Grid.Dims) < 2 {
		return "the grid has one axis"
	}
	return ""
}

func fourAxes(a *app) string {
	if len(a.d.snap.Grid.Dims) < 4 {
		return "one axis is hidden at most"
	}
	return ""
}

func manyAxes(a *app) string {
	if len(a.d.snap.Grid.Dims) < 3 {
		return "the grid has no third axis"
	}
	return ""
}

func canPause(a *app) string {
	switch s := a.d.snap.State; s {
	case record.ExperimentRunning, record.ExperimentPaused, record.ExperimentBroken, record.ExperimentStopped:
		return ""
	default:
		return words(" ", "the experiment is", string(s))
	}
}

func onJobs(a *app) string {
	if a.currentID() != paneJobs || a.screen() != paneJobs {
		return "zoom the jobs first"
	}
	return ""
}

func onCandidates(a *app) string {
	if a.currentID() != paneCandidates {
		return "only in the list of candidates"
	}
	return ""
}

// needOther: a candidate other than the root, which differs from it.
func needOther(a *app) string {
	switch s := a.current().sel(); {
	case s.cand < 0:
		return "no candidate is selected"
	case s.cand == record.Root:
		return "the root does not differ from itself"
	case a.d.opt.Controller == nil:
		return "no experiment is attached"
	}
	return ""
}

// needMeasured: a job starts from a candidate that was measured.
func needMeasured(a *app) string {
	switch s := a.current().sel(); {
	case s.cand < 0:
		return "no candidate is selected"
	case a.held(s.cand) != nil:
		return candidateName(s.cand) + " is not measured yet"
	}
	return ""
}

func needDifftool(a *app) string {
	h, ok := a.current().(differ)
	switch {
	case !ok || h.diff().cand < 0 || h.diff().against() < 0:
		return "there is no difference here"
	case a.d.opt.Difftool == nil:
		return "git is not at hand"
	}
	return ""
}
