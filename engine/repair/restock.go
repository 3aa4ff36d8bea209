package repair

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"atoll/engine/doctor"
	"atoll/engine/eval"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// restock brings the objects that the root and the candidates need, and returns what
// is lost for good.
func (b *bench) restock(ctx context.Context, exp *record.Experiment, list []record.Candidate) (map[record.Hash][]record.Hash, error) {
	commits := []record.Hash{exp.RootCommit}
	for i := range list {
		commits = append(commits, list[i].Commit)
	}
	taken, rewritten := 0, 0
	for {
		lost, err := b.repo.Losses(ctx, commits)
		if err != nil {
			return nil, err
		}
		if len(lost) == 0 {
			b.tellRestock(exp, taken, rewritten)
			return nil, nil
		}
		n, err := b.take(ctx, lost)
		if err != nil {
			return nil, err
		}
		taken += n
		m := 0
		for i := range list {
			c := &list[i]
			if missing := lost[c.Commit]; len(missing) == 1 && missing[0] == c.Commit && !b.repo.Has(ctx, c.Commit) && work.Rewrite(ctx, b.db, b.repo, exp, c) {
				m++
			}
		}
		rewritten += m
		if n+m == 0 { // with a tree come the names of what is in it: as long as it gets better
			b.tellRestock(exp, taken, rewritten)
			return lost, nil
		}
	}
}

func (b *bench) tellRestock(exp *record.Experiment, taken, rewritten int) {
	if taken > 0 {
		b.did("took %s of %s from elsewhere", view.Plural(taken, "object"), exp.Name)
	}
	if rewritten > 0 {
		b.did("wrote %s of %s again from the database", view.Plural(rewritten, "commit"), exp.Name)
	}
}

// take copies lost objects from every source that has them.
func (b *bench) take(ctx context.Context, lost map[record.Hash][]record.Hash) (int, error) {
	var want []record.Hash
	for _, list := range lost {
		want = append(want, list...)
	}
	slices.SortFunc(want, func(a, b record.Hash) int { return slices.Compare(a[:], b[:]) })
	want = slices.Compact(want)
	n := 0
	for _, s := range b.sources {
		if s.objects == "" {
			continue
		}
		got, err := b.repo.TakeFrom(ctx, s.objects, want)
		n += got
		if err != nil {
			if ctx.Err() != nil || s.named {
				return n, err
			}
			continue // the user's repository may be anything
		}
		want = slices.DeleteFunc(want, func(h record.Hash) bool { return got > 0 && b.repo.Has(ctx, h) })
		if len(want) == 0 {
			break
		}
	}
	return n, nil
}

// evaluators puts copies of evaluators back that are not what was copied.
func (b *bench) evaluators() error {
	if info, err := os.Lstat(filepath.Join(b.Dir, doctor.EvaluatorName)); err == nil && !info.IsDir() {
		if err := b.setAside(doctor.EvaluatorName); err != nil {
			return err
		}
		b.did("set aside what was in the place of the folder %s", doctor.EvaluatorName)
	}
	sums, err := doctor.EvaluatorSums(b.Dir)
	if err != nil {
		return err
	}
	for _, s := range b.sources { // one may be gone with its sum
		if s.state == "" {
			continue
		}
		theirs, err := filepath.Glob(filepath.Join(s.state, doctor.EvaluatorName, "*"+doctor.SumExt))
		if err != nil {
			return err
		}
		for _, file := range theirs {
			if here := filepath.Join(b.Dir, doctor.EvaluatorName, filepath.Base(file)); !slices.Contains(sums, here) {
				sums = append(sums, here)
			}
		}
	}
	for _, file := range sums {
		if err := b.evaluator(file); err != nil {
			return err
		}
	}
	return nil
}

// evaluator looks at one copy, by the file with its sum.
func (b *bench) evaluator(file string) error {
	dir := file[:len(file)-len(doctor.SumExt)]
	whole := func(dir string) bool {
		want, err := os.ReadFile(dir + doctor.SumExt)
		if err != nil {
			return false
		}
		is, err := eval.SumDir(dir)
		return err == nil && is+"\n" == string(want)
	}
	if whole(dir) {
		return nil
	}
	name := filepath.Base(dir)
	for _, s := range b.sources {
		from := filepath.Join(s.state, doctor.EvaluatorName, name)
		if s.state == "" || !whole(from) {
			continue
		}
		for _, ext := range []string{"", doctor.SumExt} {
			if err := b.setAside(filepath.Join(doctor.EvaluatorName, name+ext)); err != nil {
				return err
			}
		}
		sum, err := os.ReadFile(from + doctor.SumExt)
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
		if err == nil {
			err = os.CopyFS(dir, os.DirFS(from))
		}
		if err == nil {
			err = os.WriteFile(file, sum, 0o600)
		}
		if err == nil {
			b.did("took the copy %s of an evaluator from %s", name, s.name)
		}
		return err
	}
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		sum, err := eval.SumDir(dir)
		if err != nil {
			return err
		}
		b.lost("the sum of the copy %s of an evaluator, which said whether it is what was copied; it has one of what it is now, and a run refuses it if it is not what its values are of", name)
		return os.WriteFile(file, []byte(sum+"\n"), 0o600)
	}
	b.lost("the copy %s of an evaluator is not what was copied, and is in no source: `atoll run --remeasure` takes the one of now", name)
	return nil
}

// setAside moves a file or folder of the state directory out of the way: of what should be
// a folder on the way to it and is none, that.
func (b *bench) setAside(rel string) error {
	for at := filepath.Dir(rel); at != "."; at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(b.Dir, at)); err == nil && !info.IsDir() {
			rel = at
		}
	}
	to := filepath.Join(b.report.Aside, rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	err := os.Rename(filepath.Join(b.Dir, rel), to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
