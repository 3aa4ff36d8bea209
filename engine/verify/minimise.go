package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
	"atoll/engine/evidence"
	"atoll/engine/guard"
	"atoll/gitops"
	"atoll/store/record"
)

// A winner that many rewrites made at once, or a long line of edits, carries some
// that bring nothing. They are looked for by halving, as in delta debugging (Zeller
// and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002): without
// a part of its stretches the winner must still pass, and what is lost must be a
// small part of the gain. What is left is then verified as any winner is.

// The bounds of a loss that is none: a part of the gain, and one of the value.
const (
	lossOfGain  = 0.1
	lossOfValue = 0.005
)

// lookRounds is the number of the first round of a look: no layout or seed of it
// comes again when the winner is verified.
const lookRounds = 1 << 20

// stretch is a part of a change: a hunk of a text, or all of a file that is new,
// gone, binary or of another mode.
type stretch struct {
	file int // of the patches
	hunk int // -1: all of the file
}

// Left is a stretch of the winner that was left out, because it brings nothing.
type Left struct {
	Path  string `json:"path"`
	Line  int    `json:"line"` // of the winner as it was, from 1; 0: all of the file
	Lines int    `json:"lines"`
}

func (l Left) String() string {
	if l.Line == 0 {
		return l.Path
	}
	return fmt.Sprintf("%s:%d", l.Path, l.Line)
}

// minimiser takes stretches out of a winner.
type minimiser struct {
	*check
	base    record.Hash // tree of the branch
	patches []gitops.FilePatch
	kept    []stretch
	whole   record.Hash // tree of kept
	gain    float64     // of the winner, roughly: a part of the branch's value
	now     progress
}

// minimise leaves out of the winner what brings nothing: first its last edits, then
// stretches of its change.
func (c *check) minimise(ctx context.Context) error {
	if !c.q.Minimise {
		return nil
	}
	info, err := c.repo.Commit(ctx, c.report.Onto)
	if err != nil {
		return err
	}
	m := &minimiser{check: c, base: info.Tree, whole: c.report.tree}
	if err := m.split(ctx); err != nil || len(m.kept) < 2 && len(c.report.Lineage) < 2 {
		return err
	}
	defer m.tellMinimising(len(c.report.Lineage), len(m.kept), &m.now)()
	m.now.doing(guard.Doing{What: "measuring its gain"})
	if m.gain, err = c.roughly(ctx); err != nil || c.report.Refused != "" {
		return err
	}
	if err := m.earlier(ctx); err != nil {
		return err
	}
	all := slices.Clone(m.kept)
	half := len(all) / 2
	for _, part := range [][]stretch{all[half:], all[:half]} {
		if err := m.without(ctx, part); err != nil {
			return err
		}
	}
	for _, s := range slices.Backward(slices.Clone(m.kept)) { // what the last ones needed
		if err := m.drop(ctx, []stretch{s}, true); err != nil {
			return err
		}
	}
	for _, s := range all {
		if !slices.Contains(m.kept, s) {
			c.report.Left = append(c.report.Left, m.left(s))
		}
	}
	return m.take(ctx)
}

// split cuts what is kept into its stretches.
func (m *minimiser) split(ctx context.Context) (err error) {
	m.kept = nil
	if m.patches, err = m.repo.Patch(ctx, m.base, m.whole, 0); err != nil {
		return err
	}
	for i, p := range m.patches {
		if len(p.Hunks) == 0 || !p.OldExist || !p.NewExist || p.OldMode != p.NewMode || p.Cut > 0 {
			m.kept = append(m.kept, stretch{i, -1})
			continue
		}
		for k := range p.Hunks {
			m.kept = append(m.kept, stretch{i, k})
		}
	}
	return nil
}

// earlier takes the first candidate on the way to the winner that is as good, looked
// for by halves: a line of edits seldom gets worse, and its last ones may be there by
// luck.
func (m *minimiser) earlier(ctx context.Context) error {
	steps := m.report.Lineage
	low, high := 0, len(steps)-1 // steps[high] is as good
	tree := m.whole
	for low < high {
		mid := (low + high) / 2
		at, err := m.onto(ctx, steps[mid].tree)
		if err != nil {
			return err
		}
		loses := at == (record.Hash{}) || at == m.base
		if !loses {
			if loses, err = m.loses(ctx, at, "what came behind "+steps[mid].ID.String(), false); err != nil {
				return err
			}
		}
		if loses {
			low = mid + 1
		} else {
			high, tree = mid, at
		}
	}
	if high == len(steps)-1 {
		return nil
	}
	m.report.Lineage, m.report.Steps = steps[:high+1], steps[high+1:]
	m.whole = tree
	return m.split(ctx)
}

// onto is a candidate's tree on the branch; the zero hash where it conflicts.
func (m *minimiser) onto(ctx context.Context, tree record.Hash) (record.Hash, error) {
	root := m.q.Experiment.RootTree
	if m.base == root || tree == (record.Hash{}) {
		return tree, nil
	}
	merged, conflicts, err := m.repo.Merge(ctx, root, m.base, tree)
	if err != nil || len(conflicts) > 0 {
		return record.Hash{}, err
	}
	return merged, nil
}

func (m *minimiser) left(s stretch) Left {
	p := m.patches[s.file]
	if s.hunk < 0 {
		return Left{Path: p.Path}
	}
	h := p.Hunks[s.hunk]
	return Left{p.Path, max(1, h.NewStart), h.NewLines}
}

// take makes what is left the winner.
func (m *minimiser) take(ctx context.Context) error {
	if len(m.report.Left)+len(m.report.Steps) == 0 {
		return nil
	}
	var err error
	m.report.tree = m.whole
	if m.delta, err = m.repo.Changes(ctx, m.base, m.whole); err != nil {
		return err
	}
	m.report.Files = m.report.Files[:0]
	for _, d := range m.delta {
		m.report.Files = append(m.report.Files, d.Path)
	}
	slices.Sort(m.report.Files)
	if err := m.markGone(ctx); err != nil {
		return err
	}
	m.tell("%d of %d edits and %d of %d stretches bring nothing and are left out",
		len(m.report.Steps), len(m.report.Steps)+len(m.report.Lineage), len(m.report.Left), len(m.report.Left)+len(m.kept))
	return nil
}

// markGone marks the edits of which nothing is left: to take one back changes nothing. Where
// that is not clear, because later ones wrote over it, it counts as there.
func (m *minimiser) markGone(ctx context.Context) error {
	steps, before := slices.Clone(m.report.Lineage), m.q.Experiment.RootTree
	left := len(steps)
	for i, s := range steps {
		if s.tree == (record.Hash{}) || before == (record.Hash{}) {
			before = s.tree
			continue
		}
		back, conflicts, err := m.repo.Merge(ctx, s.tree, m.whole, before)
		if err != nil {
			return err
		}
		if steps[i].gone = len(conflicts) == 0 && back == m.whole; steps[i].gone {
			left--
		}
		before = s.tree
	}
	if left > 0 {
		m.report.Lineage = steps
	}
	return nil
}

// roughly is the gain of the winner by the first look: where there is none, there is
// nothing to minimise.
func (c *check) roughly(ctx context.Context) (float64, error) {
	f := Figures{Minimize: c.report.Figures.Minimize}
	if err := c.looks(ctx, &f); err != nil || c.report.Refused != "" {
		return 0, err
	}
	c.report.Figures.Before, c.report.Figures.After = nil, nil
	if f.Gain <= 0 {
		c.report.refuse("the gain does not hold: %s", &f)
	}
	return f.Gain, nil
}

// looks measures both sides for one look: as long as the first of a verification.
func (c *check) looks(ctx context.Context, f *Figures) error {
	for round := range LeastRounds {
		before, after, err := c.round(ctx, lookRounds+round)
		if err != nil || c.report.Refused != "" {
			return err
		}
		f.add(before, after)
		if !c.q.Noisy && f.N() == exactRounds && f.exact() {
			f.certain()
			return nil
		}
	}
	return f.judge(LeastRounds)
}

// without drops a part, or its halves, or theirs.
func (m *minimiser) without(ctx context.Context, part []stretch) error {
	before := len(m.kept)
	if len(part) < len(m.kept) {
		if err := m.drop(ctx, part, false); err != nil || len(m.kept) < before {
			return err
		}
	}
	if len(part) < 2 {
		return nil
	}
	half := len(part) / 2
	return errors.Join(m.without(ctx, part[half:]), m.without(ctx, part[:half]))
}

// drop takes a part out for good where that loses nothing; with free only where the
// program stays the same.
func (m *minimiser) drop(ctx context.Context, part []stretch, free bool) error {
	rest := slices.DeleteFunc(slices.Clone(m.kept), func(s stretch) bool { return slices.Contains(part, s) })
	if len(rest) == 0 || len(rest) == len(m.kept) {
		return nil
	}
	tree, err := m.treeOf(ctx, rest)
	if err != nil {
		return err
	}
	loses, err := m.loses(ctx, tree, m.names(part), free)
	if err != nil || loses {
		return err
	}
	m.kept, m.whole = rest, tree
	return nil
}

// loses reports whether a tree is worse than what is kept: it fails, behaves as
// another program, or gives up a part of the gain.
func (m *minimiser) loses(ctx context.Context, tree record.Hash, left string, free bool) (bool, error) {
	m.now.doing(guard.Doing{What: "measuring it without " + left})
	base, release, err := m.repo.Checkout(ctx, m.whole)
	if err != nil {
		return false, err
	}
	defer release()
	delta, err := m.repo.Changes(ctx, m.whole, tree)
	if err != nil || len(delta) == 0 {
		return true, err // only imports went, and came back: nothing can be left out
	}
	sub := &check{q: m.q, repo: m.repo, box: m.box, ev: m.ev, base: base, delta: delta, turns: m.turns}
	sub.report.Onto, sub.report.Base = m.report.Onto, "the winner"
	out, err := sub.sample(ctx, true, 0)
	switch {
	case err != nil:
		return false, err
	case out.Failed():
		return true, nil
	case out.Twin != nil:
		return false, nil
	case free:
		return true, nil
	}
	f := Figures{Minimize: m.report.Figures.Minimize}
	if err := sub.looks(ctx, &f); err != nil || sub.report.Refused != "" {
		return true, err
	}
	loss := -f.Gain
	if !f.Ratio { // values that have no ratio: nothing may be lost
		return loss > 0, nil
	}
	m.tell("without %s: %s", left, f.lossText())
	return loss > max(lossOfValue, lossOfGain*m.gain) || f.Word == evidence.Exact && loss > 0, nil
}

// names tells stretches in a line.
func (m *minimiser) names(part []stretch) string {
	var list []string
	for _, s := range part {
		list = append(list, m.left(s).String())
	}
	if n := len(list) - 3; n > 0 {
		list = append(list[:3], fmt.Sprintf("%d more", n))
	}
	return strings.Join(list, ", ")
}

// treeOf is the branch with some stretches of the winner.
func (m *minimiser) treeOf(ctx context.Context, kept []stretch) (record.Hash, error) {
	var changes []record.Change
	for i, p := range m.patches {
		hunks := map[int]bool{}
		for _, s := range kept {
			if s.file == i {
				hunks[s.hunk] = true
			}
		}
		if len(hunks) == 0 {
			continue
		}
		change := record.Change{Path: p.Path, Mode: p.NewMode}
		if p.NewExist {
			data, err := m.repo.Blob(ctx, p.NewHash)
			if err != nil {
				return record.Hash{}, err
			}
			change.Data = data
			if !hunks[-1] && len(hunks) < len(p.Hunks) {
				old, err := m.repo.Blob(ctx, p.OldHash)
				if err != nil {
					return record.Hash{}, err
				}
				change.Data = withHunks(old, p.Hunks, hunks)
				if strings.HasSuffix(p.Path, ".go") {
					change.Data = language.MendImports(language.MendImports(change.Data, data), old)
				}
			}
		}
		changes = append(changes, change)
	}
	return m.repo.WriteTree(ctx, m.base, changes)
}

// withHunks makes some hunks in a text; they have no lines of context.
func withHunks(old []byte, hunks []gitops.Hunk, chosen map[int]bool) []byte {
	var out bytes.Buffer
	rest := slices.Collect(bytes.Lines(old))
	at := 0 // of the lines of old
	for i, h := range hunks {
		from := h.OldStart - 1
		if h.OldLines == 0 {
			from = h.OldStart
		}
		out.Write(bytes.Join(rest[at:from], nil))
		at = from
		if !chosen[i] {
			continue
		}
		for _, l := range h.Lines {
			if l.Kind != gitops.LineAdded {
				continue
			}
			out.WriteString(l.Text)
			if !l.NoEOL {
				out.WriteByte('\n')
			}
		}
		at = from + h.OldLines
	}
	out.Write(bytes.Join(rest[at:], nil))
	return out.Bytes()
}
