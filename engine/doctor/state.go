package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// StateOptions say which state directory to check.
type StateOptions struct {
	Dir     string
	Deep    bool // also reads every object, and every candidate's tree
	Running bool // an engine runs on it now: what it is writing is not looked at
}

// The names that parts of a state directory have.
const (
	DatabaseName  = "atoll.db"
	ObjectsName   = "store.git"
	EvaluatorName = "evaluators"
	// SumExt ends the name of the file that has the sum of an evaluator's copy.
	SumExt = ".sum"
)

// DatabaseFiles names the files of a database in a state directory, the main one first.
func DatabaseFiles() []string {
	return []string{DatabaseName, DatabaseName + "-wal", DatabaseName + "-shm", DatabaseName + "-journal", DatabaseName + ".sums"}
}

// The cures of what is found in a state directory.
const (
	cureRepair = "`atoll repair`"
	cureFrom   = "`atoll repair --from BACKUP`, a file of `atoll backup` or a copy of the state directory"
	foldCure   = "go on from a backup of the state directory, or start over with `atoll run --new`; report this with a copy of it"
)

// state gathers what is found in one state directory.
type state struct {
	checkup
	opt  StateOptions
	lost []record.Hash // objects of candidates that nobody can choose any more
}

// CheckState says whether what a state directory keeps is whole: the database and its
// write-ahead log, the object store, its refs, the copies of evaluators, and that the
// archive is the fold of the log (design: the log is the truth). It writes nothing. A
// directory without experiments gives no lines.
func CheckState(ctx context.Context, o StateOptions) []view.CheckLine {
	s := &state{opt: o}
	path := filepath.Join(o.Dir, DatabaseName)
	if store.Empty(ctx, path) {
		if err := Bereft(ctx, o.Dir); err != nil {
			s.add("store", "database", err, "", cureFrom)
		}
		return s.lines
	}
	s.checkup.try("store", "check", func() { s.database(ctx, path) })
	return s.lines
}

// try keeps a check that panics, on rows that nothing wrote, from ending the others.
func (c *checkup) try(group, name string, check func()) {
	defer func() {
		if p := recover(); p != nil {
			c.add(group, name, fmt.Errorf("rows cannot be understood: %v", p), "", cureFrom)
		}
	}()
	check()
}

func (s *state) database(ctx context.Context, path string) {
	if !s.opt.Running {
		wal, err := store.CheckWAL(path)
		s.add("store", "log tail", err, fmt.Sprintf("%s wait in the write-ahead log", view.Plural(wal.Commits, "commit")), cureRepair)
		if wal.Foreign || wal.Journal {
			return // SQLite would take it for that of this database
		}
	}
	db, err := store.Open(ctx, path, store.Options{ReadOnly: true})
	if err != nil {
		cure := cureFrom
		switch {
		case errors.Is(err, store.ErrNewer):
			cure = "upgrade this atoll: `atoll version` says which it is"
		case errors.Is(err, store.ErrOlder):
			cure = "`atoll run` brings it up to date and keeps a copy; where that fails, " + cureFrom
		case errors.Is(err, store.ErrReadOnly), errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrFull):
			cure = "nothing is known to be damaged: it cannot be read from here"
		}
		s.add("store", "open", err, "", cure)
		return
	}
	defer db.Close()
	if !s.opt.Running {
		sealed, err := db.CheckSeal(ctx)
		if detail := "every page is as it was written"; sealed {
			s.add("store", "pages", err, detail, cureFrom)
		}
	}
	s.add("store", "integrity", db.Integrity(ctx), "ok", cureRepair+"; where that does not mend it, "+cureFrom)
	all, err := db.Experiments(ctx)
	if err != nil {
		s.add("store", "experiments", err, "", cureFrom)
		return
	}
	if _, err := os.Stat(filepath.Join(s.opt.Dir, ObjectsName)); len(all) == 0 && errors.Is(err, fs.ErrNotExist) {
		s.add("store", "experiments", nil, "none was started yet", "")
		return
	}
	cache, err := os.MkdirTemp("", "atoll-doctor-")
	if err != nil {
		s.add("store", "objects", err, "", "")
		return
	}
	defer os.RemoveAll(cache)
	repo, err := gitops.Open(ctx, gitops.Options{Dir: filepath.Join(s.opt.Dir, ObjectsName), Cache: filepath.Join(cache, "checkouts")})
	if err != nil {
		s.add("store", "objects", err, "", cureRepair)
		return
	}
	defer repo.Close()
	whole := s.objects(ctx, repo)
	for i := range all {
		if s.opt.Deep || i == len(all)-1 {
			s.try("store", "archive", func() { s.experiment(ctx, db, repo, &all[i]) })
		}
	}
	if s.opt.Deep && whole {
		s.add("store", "git", repo.Fsck(ctx, s.lost...), "git finds every object", cureRepair)
	}
	s.evaluators()
}

// objects looks at the files of the object store, and reports whether git can read them.
func (s *state) objects(ctx context.Context, repo *gitops.Repo) bool {
	damage, err := repo.Examine(ctx, s.opt.Deep)
	if err == nil && !damage.None() {
		err = fmt.Errorf("damaged: %s", damage)
	}
	s.add("store", "objects", err, "git's files are there", cureRepair)
	return err == nil
}

// experiment looks whether database and object store agree about one search, and
// folds its log.
func (s *state) experiment(ctx context.Context, db *store.DB, repo *gitops.Repo, exp *record.Experiment) {
	named := func(name string) string {
		if s.opt.Deep {
			return fmt.Sprintf("%s of %s", name, exp.Name)
		}
		return name
	}
	st, err := fold.LoadState(ctx, db, exp.ID)
	if err == nil {
		err = checkFold(ctx, db, st)
	}
	s.add("store", named("archive"), err, "the archive is the fold of the log", foldCure)
	if err == nil {
		s.add("store", named("kept fold"), checkKept(ctx, db, s.opt.Dir, st), "what readers start from is the fold of the log", cureRepair)
	}
	commits := []record.Hash{exp.RootCommit}
	open := map[record.Hash]bool{exp.RootCommit: true} // those that somebody may choose
	what := "elite"
	if folded := err == nil; s.opt.Deep {
		what = "candidate"
		err = db.EachCandidate(ctx, exp.ID, record.NoCandidate, func(c *record.Candidate) error {
			commits = append(commits, c.Commit)
			if folded {
				st.TellStatus(c)
			}
			open[c.Commit] = open[c.Commit] || Open(c.Status)
			return nil
		})
	} else if err == nil && st.Archive() != nil {
		for _, e := range st.Archive().Elites() {
			c, err := db.Candidate(ctx, exp.ID, e.ID)
			if err != nil {
				s.add("store", named("candidates"), err, "", cureFrom)
				return
			}
			commits, open[c.Commit] = append(commits, c.Commit), true
		}
	}
	if err != nil {
		return // which was told
	}
	s.commits(ctx, repo, exp, commits, open, named, what)
	lost, told, err := Ahead(ctx, db, repo, exp.ID)
	if err == nil && len(lost) > 0 {
		err = fmt.Errorf("%s of the object store are not in the database: it is older", view.Plural(len(lost), "commit"))
	}
	detail := "the database is not behind the object store"
	if told > 0 {
		detail = view.Plural(told, "commit") + " whose results were lost wait for the next run, which measures them again"
	}
	s.add("store", named("order"), err, detail, cureRepair+"; the commits are not made or paid for again")
}

// Open reports whether the search or a person may still choose a candidate of a
// status.
func Open(s record.Status) bool {
	return slices.Contains([]record.Status{record.StatusMade, record.StatusHeld, record.StatusScored, record.StatusElite}, s)
}

// commits looks whether commits and all that they need are there, and whether a ref
// leads to each. What is lost of those that are not open is told, and nothing is amiss.
func (s *state) commits(ctx context.Context, repo *gitops.Repo, exp *record.Experiment, commits []record.Hash, open map[record.Hash]bool, named func(string) string, what string) {
	gone, closed := 0, 0
	var err error
	if s.opt.Deep {
		var lost map[record.Hash][]record.Hash
		var such record.Hash // the first of those that are open
		lost, err = repo.Losses(ctx, commits)
		for c, objects := range lost {
			if !open[c] {
				closed++
				s.lost = append(s.lost, objects...)
				commits = slices.DeleteFunc(commits, func(h record.Hash) bool { return h == c })
				continue
			}
			if gone++; gone == 1 || slices.Compare(c[:], such[:]) < 0 {
				such = c
			}
		}
		if gone > 0 {
			err = fmt.Errorf("%s without all its files, such as %s for want of %s", view.Plural(gone, what), such.Short(), lost[such][0])
		}
	} else {
		for _, c := range commits {
			if _, bad := repo.Commit(ctx, c); bad != nil {
				gone++
				err = fmt.Errorf("the commits of %s are missing: %w", view.Plural(gone, what), bad)
			}
		}
	}
	s.add("store", named(what+"s"), err, fmt.Sprintf("%s and the root are there", view.Plural(len(commits)-1, what)), cureRepair)
	if closed > 0 {
		s.warn("store", named("losses"), view.Plural(closed, "candidate")+" that nobody can choose any more, without all files", "nothing needs them; `atoll repair --from BACKUP` brings them back")
	}
	if gone > 0 {
		return
	}
	loose, err := repo.Unheld(ctx, exp.ID, commits[1:])
	if err == nil && len(loose) > 0 {
		err = fmt.Errorf("no ref leads to %s, such as %s: git gc could drop it", view.Plural(len(loose), what), loose[0].Short())
	}
	s.add("store", named("refs"), err, "every "+what+" is reachable", cureRepair)
}

// Ahead lists what the object store has and the database does not know: commits that
// a ref or one of the newest anchors holds, with the number of the job that each was
// made for. Those that jobs in work just made are not among them, and those of [TellAhead]
// are only counted.
func Ahead(ctx context.Context, db *store.DB, repo *gitops.Repo, exp record.ExperimentID) (ahead map[record.JobID]record.Hash, told int, err error) {
	ahead, err = allAhead(ctx, db, repo, exp)
	if err != nil || len(ahead) == 0 {
		return nil, 0, err
	}
	text, _, err := db.Meta(ctx, exp, metaAhead)
	if err != nil {
		return nil, 0, err
	}
	known := strings.Split(text, "\n")
	all := len(ahead)
	maps.DeleteFunc(ahead, func(job record.JobID, h record.Hash) bool { return slices.Contains(known, aheadLine(job, h)) })
	return ahead, all - len(ahead), nil
}

// metaAhead is the note of the commits of which was told that their results are lost.
const metaAhead = "told-ahead"

func aheadLine(job record.JobID, h record.Hash) string { return fmt.Sprintf("%d %s", job, h) }

// TellAhead keeps that it was told of commits that their results are lost: they are marked as
// attempts, and the next run goes on from them.
func TellAhead(ctx context.Context, db *store.DB, exp record.ExperimentID, ahead map[record.JobID]record.Hash) error {
	text, _, err := db.Meta(ctx, exp, metaAhead)
	if err != nil {
		return err
	}
	var lines []string
	if text != "" {
		lines = strings.Split(text, "\n")
	}
	for job, h := range ahead {
		lines = append(lines, aheadLine(job, h))
	}
	slices.Sort(lines)
	return db.PutMeta(ctx, exp, metaAhead, strings.Join(lines, "\n"))
}

// allAhead is Ahead, whatever was told.
func allAhead(ctx context.Context, db *store.DB, repo *gitops.Repo, exp record.ExperimentID) (map[record.JobID]record.Hash, error) {
	ahead := map[record.JobID]record.Hash{}
	attempts, err := repo.Attempts(ctx, exp)
	if err != nil {
		return nil, err
	}
	held, err := repo.NewestAnchored(ctx, exp)
	if err != nil {
		return nil, err
	}
	for _, h := range held {
		if info, err := repo.Commit(ctx, h); err == nil {
			if job, ok := jobOf(info.Message); ok {
				attempts[job] = h
			}
		}
	}
	open := 0
	for job, h := range attempts {
		j, err := db.Job(ctx, exp, job)
		switch {
		case errors.Is(err, store.ErrNotFound):
			ahead[job] = h
		case err != nil:
			return nil, err
		case j.Operator == record.OpManual: // a person brought the commit before the job began
		case j.Candidate == record.NoCandidate && !j.State.Ended():
			ahead[job] = h
			open++
		}
	}
	set, err := db.Settings(ctx, exp)
	if err == nil && open == len(ahead) && open <= set.Workers {
		return nil, nil // a kill between commit and row, which the next run goes on from
	}
	return ahead, err
}

// jobOf reads the number of the job from the message of a candidate's commit, at its end:
// before it are words of an agent.
func jobOf(message string) (record.JobID, bool) {
	const name = "\nAtoll-Job: "
	at := strings.LastIndex(message, name)
	if at < 0 {
		return 0, false
	}
	line, _, _ := strings.Cut(message[at+len(name):], "\n")
	n, err := strconv.ParseInt(line, 10, 64)
	return record.JobID(n), err == nil
}

// evaluators compares the copies of evaluators with the sums taken when they were
// made.
func (s *state) evaluators() {
	folder := filepath.Join(s.opt.Dir, EvaluatorName)
	if info, err := os.Lstat(folder); err == nil && !info.IsDir() {
		s.add("store", "evaluator", fmt.Errorf("%s is no folder", folder), "", cureFrom)
		return
	}
	sums, err := EvaluatorSums(s.opt.Dir)
	if err != nil {
		s.add("store", "evaluator", err, "", cureFrom)
		return
	}
	for _, file := range sums {
		dir := strings.TrimSuffix(file, SumExt)
		want, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s has no sum: nothing says whether it is the copy that was made", dir)
		}
		if err == nil {
			var is string
			if is, err = eval.SumDir(dir); err == nil && is != strings.TrimSpace(string(want)) {
				err = fmt.Errorf("%s is not the copy that was made", dir)
			}
		}
		s.add("store", "evaluator", err, filepath.Base(dir)+" is as it was copied", cureFrom)
	}
}

// EvaluatorSums names the files with the sums of the copies of evaluators in a state directory:
// those that are there, and those that should be beside a copy.
func EvaluatorSums(dir string) ([]string, error) {
	folder := filepath.Join(dir, EvaluatorName)
	sums, err := filepath.Glob(filepath.Join(literal(folder), "*"+SumExt))
	if err != nil {
		return nil, err
	}
	copies, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, c := range copies {
		file := filepath.Join(folder, c.Name()+SumExt)
		if c.IsDir() && filepath.Ext(c.Name()) == "" && !slices.Contains(sums, file) { // else one that a kill left half made
			sums = append(sums, file)
		}
	}
	return sums, nil
}
