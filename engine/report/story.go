package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
)

// What a story holds at most. The map shows every niche all the same.
const (
	stepsMost    = 200     // of the winner's way, nearest to it
	elitesMost   = 2_000   // with their change, best first
	patchBytes   = 2 << 20 // of all the elites' changes together
	stepBytes    = 1 << 20 // of all the steps' changes together
	patchLines   = 400     // of one change
	frontMost    = 200     // of those who are best in a way of their own, by the objective
	leadsMost    = 5       // cases that one of them leads, by name
	contextLines = 3
)

// Source answers questions about one experiment.
type Source interface {
	Candidate(ctx context.Context, id record.CandidateID) (view.CandidateDetail, error)
	Lineage(ctx context.Context, id record.CandidateID) (view.Lineage, error)
	Diff(ctx context.Context, a, b record.CandidateID, lines int) ([]view.FilePatch, error)
	Settings(ctx context.Context) ([]view.SettingInfo, error)
	Front(ctx context.Context) (view.Front, error)
	// Decided tells a decision as a sentence.
	Decided(ctx context.Context, d record.Decision) (string, error)
}

// Story is all that a document tells.
type Story struct {
	Program string // name and version of what wrote it
	Made    time.Time
	Snap    *view.Snapshot

	Winner   *view.CandidateDetail // nil while the root is the best
	Change   Patch                 // of the winner against the root
	Steps    []Step                // from the root to the winner
	Skipped  int                   // steps left out behind the root
	Elites   []Elite               // best first
	MoreThan int                   // elites left out
	Front    *view.Front           // who is best in a way of its own; nil where nothing counts beside the objective
	Settings []view.SettingInfo    // those that are not the default
	// Interventions are what people decided, oldest first, as sentences.
	Interventions []string
}

// Step is one candidate on the way to the winner.
type Step struct {
	Node  view.LineageNode
	Patch Patch // against its parent
}

// Elite is the holder of a niche.
type Elite struct {
	Cell   int
	Niche  string // as the map names it: "(3, 4)"
	Detail view.CandidateDetail
	Value  string
	Gain   string
	Patch  Patch // against the root
}

// Patch is a change as lines. Omitted says why it is not here in full: "" when it
// is.
type Patch struct {
	Files   []view.FilePatch
	Added   int
	Removed int
	Omitted string
}

// Gather reads a story. Snap is the state of the experiment that src answers for.
func Gather(ctx context.Context, src Source, snap *view.Snapshot, program string, now time.Time) (*Story, error) {
	s := &Story{Program: program, Made: now, Snap: snap}
	settings, err := src.Settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	for _, set := range settings {
		if set.Origin != "default" && set.Value != "" {
			s.Settings = append(s.Settings, set)
		}
	}
	for i := len(snap.Decisions) - 1; i >= 0; i-- {
		d := snap.Decisions[i]
		text, err := src.Decided(ctx, d)
		if err != nil {
			return nil, err
		}
		s.Interventions = append(s.Interventions, fmt.Sprintf("%s, %s: %s", time.UnixMilli(int64(d.At)).UTC().Format("2006-01-02 15:04"), view.CleanLine(d.Who), view.CleanLine(text)))
	}
	if err := s.gatherWinner(ctx, src); err != nil {
		return nil, err
	}
	if f, err := src.Front(ctx); err != nil {
		return nil, fmt.Errorf("read the front: %w", err)
	} else if f.Kept() {
		s.Front = &f
	}
	return s, s.gatherElites(ctx, src)
}

func (s *Story) gatherWinner(ctx context.Context, src Source) error {
	id := s.Snap.Best.ID
	if id == record.NoCandidate || id == record.Root {
		return nil
	}
	d, err := src.Candidate(ctx, id)
	if err != nil {
		return err
	}
	s.Winner = &d
	budget := stepBytes
	if s.Change, err = change(ctx, src, record.Root, id, &budget); err != nil {
		return err
	}
	family, err := src.Lineage(ctx, id)
	if err != nil {
		return fmt.Errorf("read the lineage of %s: %w", id, err)
	}
	nodes := family.Ancestors
	if len(nodes) > stepsMost {
		s.Skipped = len(nodes) - stepsMost
		nodes = slices.Concat(nodes[:1], nodes[s.Skipped+1:])
	}
	for i, n := range nodes {
		step := Step{Node: n}
		if i > 0 && (i > 1 || s.Skipped == 0) {
			if step.Patch, err = change(ctx, src, nodes[i-1].ID, n.ID, &budget); err != nil {
				return err
			}
		}
		s.Steps = append(s.Steps, step)
	}
	return nil
}

func (s *Story) gatherElites(ctx context.Context, src Source) error {
	cells := slices.Clone(s.Snap.Grid.Cells)
	cells = slices.DeleteFunc(cells, func(c view.Cell) bool { return c.Elite == record.NoCandidate })
	slices.SortStableFunc(cells, func(a, b view.Cell) int {
		return cmp.Or(cmp.Compare(b.Adjusted, a.Adjusted), cmp.Compare(a.Index, b.Index))
	})
	if len(cells) > elitesMost {
		s.MoreThan = len(cells) - elitesMost
		cells = cells[:elitesMost]
	}
	budget := patchBytes
	for _, c := range cells {
		d, err := src.Candidate(ctx, c.Elite)
		if err != nil {
			return err
		}
		e := Elite{Cell: c.Index, Niche: nicheName(s.Snap.Grid, c.Index), Detail: d, Value: s.Snap.ToldCell(&c).String()}
		if c.Elite != record.Root {
			if d.Claim.Word != "" {
				e.Value, e.Gain = view.ClaimValue(d.Claim), view.ClaimGain(d.Claim)
			}
			if e.Patch, err = change(ctx, src, record.Root, c.Elite, &budget); err != nil {
				return err
			}
		}
		s.Elites = append(s.Elites, e)
	}
	return nil
}

// change is the difference between two candidates within what is left of a budget
// of bytes.
func change(ctx context.Context, src Source, a, b record.CandidateID, budget *int) (Patch, error) {
	if *budget <= 0 {
		return Patch{Omitted: fmt.Sprintf("left out for the size of this file: atoll diff %s %s", a, b)}, nil
	}
	files, err := src.Diff(ctx, a, b, contextLines)
	if err != nil {
		return Patch{}, fmt.Errorf("read the difference of %s and %s: %w", a, b, err)
	}
	p := Patch{}
	lines := 0
	for i, f := range files {
		p.Added, p.Removed = p.Added+max(0, f.Added), p.Removed+max(0, f.Removed)
		for j, h := range f.Hunks {
			room := max(0, patchLines-lines)
			if len(h.Lines) > room {
				p.Omitted = fmt.Sprintf("cut; the whole: atoll diff %s %s", a, b)
				h.Lines = h.Lines[:room]
				files[i].Hunks[j] = h
			}
			lines += len(h.Lines)
			for _, l := range h.Lines {
				*budget -= len(l.Text) + 40
			}
		}
		*budget -= len(f.Path) + 100
	}
	p.Files = files
	return p, nil
}

// nicheName is a flat index as people read it on the map.
func nicheName(g view.Grid, cell int) string {
	at := coordinates(g.Dims, cell)
	if at == nil {
		return fmt.Sprint(cell)
	}
	text := "("
	for i, v := range at {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(v)
	}
	return text + ")"
}

// coordinates are the places of a flat index on the axes; axis 0 is the slowest.
func coordinates(dims []int, cell int) []int {
	if len(dims) == 0 || cell < 0 {
		return nil
	}
	at := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		at[i], cell = cell%dims[i], cell/dims[i]
	}
	return at
}
