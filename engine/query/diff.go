package query

import (
	"context"
	"fmt"

	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// Diff returns the difference between two candidates as patches with lines of
// context around each change.
func (r *Reader) Diff(ctx context.Context, a, b record.CandidateID, lines int) ([]view.FilePatch, error) {
	ca, err := r.db.Candidate(ctx, r.exp, a)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", a, err)
	}
	cb, err := r.db.Candidate(ctx, r.exp, b)
	if err != nil {
		return nil, fmt.Errorf("read candidate %s: %w", b, err)
	}
	return patchesOf(ctx, r.repo, ca.Tree, cb.Tree, lines)
}

// patchesOf returns the difference between two trees as patches with lines of
// context around each change.
func patchesOf(ctx context.Context, repo *gitops.Repo, a, b record.Hash, lines int) ([]view.FilePatch, error) {
	patches, err := repo.Patch(ctx, a, b, max(0, lines))
	if err != nil {
		return nil, err
	}
	out := make([]view.FilePatch, 0, len(patches))
	for _, p := range patches {
		f := view.FilePatch{Path: p.Path, OldMode: p.OldMode, NewMode: p.NewMode, Added: p.Added, Removed: p.Removed, Binary: p.Binary, Cut: p.Cut}
		for _, h := range p.Hunks {
			hunk := view.PatchHunk{OldStart: h.OldStart, OldLines: h.OldLines, NewStart: h.NewStart, NewLines: h.NewLines}
			for _, l := range h.Lines {
				hunk.Lines = append(hunk.Lines, view.PatchLine{Kind: byte(l.Kind), Text: l.Text})
			}
			f.Hunks = append(f.Hunks, hunk)
		}
		out = append(out, f)
	}
	return out, nil
}
