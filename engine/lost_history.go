package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atoll/store/record"
)

// ErrLostHistory: a candidate cannot be taken away with its history, for objects of an
// ancestor are in the store no more. A patch, and a single commit, need none of them.
var ErrLostHistory = errors.New("its history is not whole")

// LostHistory makes of an error with which git broke off while it read a candidate's
// history an [ErrLostHistory] that names what is lost and what works all the same, and
// leaves every other error as it is.
func LostHistory(ctx context.Context, ses *Session, exp record.ExperimentID, id record.CandidateID, cause error) error {
	if cause == nil || ctx.Err() != nil {
		return cause
	}
	of, err := ancestors(ctx, ses, exp, id)
	if err != nil {
		return cause
	}
	var commits []record.Hash
	for _, c := range of {
		commits = append(commits, c.Commit)
	}
	lost, err := ses.Repo.Losses(ctx, commits)
	if err != nil || len(lost) == 0 {
		return cause
	}
	var names []string
	for _, c := range of {
		if gone := lost[c.Commit]; len(gone) > 0 {
			names = append(names, fmt.Sprintf("%s (%s)", c.ID, gone[0].Short()))
		}
		if lost[c.Commit] != nil && c.ID == id {
			return fmt.Errorf("%w: objects of %s itself are lost (%s); `atoll repair --from FILE` takes them from a backup", ErrLostHistory, id, lost[c.Commit][0].Short())
		}
	}
	slices.Sort(names)
	return fmt.Errorf("%w: objects of %s, from which %s descends, are lost; `atoll promote %s --patch FILE` and `atoll promote %s --verify --squash` need none of them, and `atoll repair --from FILE` takes them from a backup",
		ErrLostHistory, strings.Join(names[:min(len(names), 5)], ", "), id, id, id)
}

// ancestors are a candidate and those that its commit descends from.
func ancestors(ctx context.Context, ses *Session, exp record.ExperimentID, id record.CandidateID) ([]record.Candidate, error) {
	var list []record.Candidate
	seen := map[record.CandidateID]bool{id: true}
	for next := []record.CandidateID{id}; len(next) > 0; next = next[1:] {
		c, err := ses.DB.Candidate(ctx, exp, next[0])
		if err != nil {
			return nil, fmt.Errorf("read candidate %s: %w", next[0], err)
		}
		list = append(list, c)
		for _, p := range c.Parents {
			if p.Role != record.RoleInspiration && !seen[p.ID] {
				seen[p.ID] = true
				next = append(next, p.ID)
			}
		}
	}
	return list, nil
}
