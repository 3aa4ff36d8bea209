package door

import (
	"context"
	"fmt"

	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// Candidates is a page of candidates.
type Candidates struct {
	Items []CandidateLine `json:"items"`
	Next  string          `json:"next,omitempty" doc:"Cursor of the next page; none on the last."`
}

// CandidateLine is a candidate with what may be told of its value.
type CandidateLine struct {
	record.Candidate
	Value string `json:"value" doc:"Its value with its evidence, for people; - where it has none."`
}

// linesOf tells candidates, with what samples that decided nothing say of them.
func linesOf(s *view.Snapshot, list []record.Candidate, claims view.Claims) []CandidateLine {
	return every(list, func(c record.Candidate) CandidateLine {
		return CandidateLine{cleanCandidate(c), s.Told(c.ID, c.Objective, claims[c.ID]).String()}
	})
}

// CandidateDetail is everything known about one candidate.
type CandidateDetail struct {
	Candidate record.Candidate     `json:"candidate"`
	Job       record.Job           `json:"job"`
	Niche     []int                `json:"niche" doc:"Where it lands under the present map; null when it has no place."`
	Samples   []record.Sample      `json:"samples"`
	Value     string               `json:"value" doc:"Its value with its evidence, for people."`
	Gain      string               `json:"gain" doc:"Its gain on the root with its evidence, for people; empty where nothing may be told."`
	Word      string               `json:"word" doc:"exact, confirmed, unconfirmed or within noise."`
	Frozen    bool                 `json:"frozen"`
	Boost     float64              `json:"boost"`
	Children  []record.CandidateID `json:"children"`
	Depth     int                  `json:"depth"`
	Findings  []Finding            `json:"findings" doc:"Of the gate."`
	Branches  []string             `json:"branches" doc:"Promoted from it."`
}

// Finding is one remark of the gate on a diff.
type Finding struct {
	Rule string `json:"rule"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
	Hard bool   `json:"hard" doc:"It rejects."`
}

func cleanCandidate(c record.Candidate) record.Candidate {
	c.Intent, c.Reason, c.Agent, c.Target = view.CleanLine(c.Intent), clean(c.Reason), view.CleanLine(c.Agent), view.CleanLine(c.Target)
	if c.Parents == nil {
		c.Parents = []record.ParentRef{}
	}
	c.Metrics = cleanMetrics(c.Metrics)
	return c
}

func cleanMetrics(list []record.Metric) []record.Metric {
	return every(list, func(m record.Metric) record.Metric {
		m.Name, m.Unit = view.CleanLine(m.Name), view.CleanLine(m.Unit)
		return m
	})
}

func cleanFindings(list []view.GateFinding) []Finding {
	return every(list, func(f view.GateFinding) Finding {
		return Finding{view.CleanLine(f.Rule), view.CleanLine(f.Path), view.CleanLine(f.Text), f.Hard}
	})
}

// Candidates returns a page, newest first, or the best first. cursor is next of the
// page before, "" on the first.
func (d *Door) Candidates(ctx context.Context, q view.CandidateQuery, cursor string) (Candidates, error) {
	if cursor != "" {
		id, err := d.Candidate(cursor)
		if err != nil {
			return Candidates{}, err
		}
		q.Before, q.Behind = id, &id
	}
	limit := q.Limit
	q.Limit++ // is there a next page?
	list, err := d.Reader().Candidates(ctx, q)
	if err != nil {
		return Candidates{}, err
	}
	page := Candidates{}
	if len(list) > limit {
		list = list[:limit]
		page.Next = list[limit-1].ID.String()
	}
	s, claims := d.Snapshot(), view.Claims(nil)
	if s.Noisy {
		ids := every(list, func(c record.Candidate) record.CandidateID { return c.ID })
		if claims, err = d.Reader().Claims(ctx, ids); err != nil {
			return Candidates{}, err
		}
	}
	page.Items = linesOf(s, list, claims)
	return page, nil
}

// Detail tells one candidate.
func (d *Door) Detail(ctx context.Context, id record.CandidateID) (CandidateDetail, error) {
	c, err := d.Reader().Candidate(ctx, id)
	if err != nil {
		return CandidateDetail{}, err
	}
	return detailed(d.Snapshot(), &c), nil
}

func detailed(s *view.Snapshot, c *view.CandidateDetail) CandidateDetail {
	out := CandidateDetail{
		Candidate: cleanCandidate(c.Candidate), Job: cleanJob(c.Job), Niche: coords(s.Grid.Dims, c.Cell), Frozen: c.Frozen, Boost: c.Boost, Depth: c.Depth,
		Children: append([]record.CandidateID{}, c.Children...), Findings: cleanFindings(c.Findings), Branches: every(c.Branches, func(b view.Branch) string { return view.CleanLine(b.Name) }),
		Samples: every(c.Samples, func(s record.Sample) record.Sample { s.Metrics = cleanMetrics(s.Metrics); return s }),
	}
	switch {
	case c.Claim.Word != "" && c.Candidate.ID != record.Root:
		out.Value, out.Gain, out.Word = view.ClaimValue(c.Claim), view.ClaimGain(c.Claim), string(c.Claim.Word)
	case c.Candidate.Objective != nil:
		out.Value = s.Told(c.Candidate.ID, c.Candidate.Objective, nil).String()
	}
	return out
}

// FilePatch is the difference of one file.
type FilePatch struct {
	Path    string `json:"path"`
	New     bool   `json:"new"`
	Gone    bool   `json:"gone"`
	Added   int    `json:"added" doc:"Lines; -1 where nobody counted."`
	Removed int    `json:"removed"`
	Binary  bool   `json:"binary"`
	Cut     int    `json:"cut" doc:"Lines left out because the difference is long."`
	Hunks   []Hunk `json:"hunks"`
}

// Hunk is a stretch of changed lines with context; each line begins with a space,
// + or -.
type Hunk struct {
	Old   int      `json:"old" doc:"First line in the old file."`
	New   int      `json:"new" doc:"First line in the new file."`
	Lines []string `json:"lines"`
}

// Diff returns the difference from one candidate to another.
func (d *Door) Diff(ctx context.Context, from, to record.CandidateID, context int) ([]FilePatch, error) {
	files, err := d.Reader().Diff(ctx, from, to, context)
	return every(files, func(f view.FilePatch) FilePatch {
		return FilePatch{
			Path: view.CleanLine(f.Path), New: f.OldMode == record.Deleted, Gone: f.NewMode == record.Deleted, Added: f.Added, Removed: f.Removed, Binary: f.Binary, Cut: f.Cut,
			Hunks: every(f.Hunks, func(h view.PatchHunk) Hunk {
				return Hunk{h.OldStart, h.NewStart, every(h.Lines, func(l view.PatchLine) string { return string(l.Kind) + clean(l.Text) })}
			}),
		}
	}), err
}

// Patch is the difference to the root as `git apply` takes it, unchanged.
func (d *Door) Patch(ctx context.Context, id record.CandidateID) ([]byte, error) {
	return d.eng.Patch(ctx, id)
}

// Family is the lineage of one candidate.
type Family struct {
	Focus       record.CandidateID `json:"focus"`
	Ancestors   []Relative         `json:"ancestors" doc:"The root first, the candidate itself last."`
	Descendants []Relative         `json:"descendants" doc:"Breadth first."`
	More        int                `json:"more" doc:"Descendants left out."`
}

// Relative is one candidate of a family.
type Relative struct {
	ID        record.CandidateID `json:"id"`
	Parents   []record.ParentRef `json:"parents"`
	Operator  record.Operator    `json:"operator"`
	Agent     string             `json:"agent"`
	Status    record.Status      `json:"status"`
	Objective *float64           `json:"objective" doc:"Of the samples that decided."`
	Value     string             `json:"value" doc:"Its value with its evidence, for people; - where it has none."`
	Delta     *float64           `json:"delta" doc:"Against the parent; positive is better."`
	Intent    string             `json:"intent"`
}

// Family returns the lineage of a candidate; of the root it is that of all that
// hold a niche.
func (d *Door) Family(ctx context.Context, id record.CandidateID) (Family, error) {
	read := d.Reader().Lineage
	if id == record.Root {
		read = func(ctx context.Context, _ record.CandidateID) (view.Lineage, error) {
			return d.Reader().Survivors(ctx)
		}
	}
	l, err := read(ctx, id)
	if err == nil && id != record.Root && len(l.Ancestors) == 0 { // it is not even its own
		err = fmt.Errorf("there is no candidate %s: %w", id, store.ErrNotFound)
	}
	s := d.Snapshot()
	relative := func(n view.LineageNode) Relative {
		return Relative{n.ID, append([]record.ParentRef{}, n.Parents...), n.Operator, view.CleanLine(n.Agent), n.Status, n.Objective, s.Told(n.ID, n.Objective, n.Claim).String(), n.Delta, view.CleanLine(n.Intent)}
	}
	return Family{l.Focus, every(l.Ancestors, relative), every(l.Descendants, relative), l.More}, err
}
