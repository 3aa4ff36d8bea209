package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/campaign/fresh"
	"atoll/engine/sandbox"
	"atoll/engine/view"
	"atoll/store/record"
)

// auditLine is what `audit --json` prints.
type auditLine struct {
	Commit   record.Hash     `json:"commit"`
	Totals   audit.Totals    `json:"totals"`
	Findings []audit.Finding `json:"findings"`
	Files    []audit.File    `json:"files,omitempty"` // with --all

	// Dependencies are all that the manifests of the tree ask for, with what is known of
	// newer releases without a network, or why nothing is; Unreadable are manifests
	// that could not be read, with the reason.
	Dependencies []fresh.Dependency `json:"dependencies"`
	Unreadable   []string           `json:"unreadable,omitempty"`
}

func (a *App) auditCmd() *cobra.Command {
	var b audit.Bounds
	var all bool
	var fail int
	var plugins []string
	var profile string
	var collect bool
	cmd := &cobra.Command{
		Use: "audit [REVISION]", Short: "Measure how healthy the source is, and what to mend first",
		Long: "Complexity, length and repetition of the functions and files of a commit (default: HEAD), the urgent\nones first. " +
			"Go is measured by gocyclo and gocognit, Python by the rules of radon, other languages by their branches.\n" +
			"Tests, vendored and generated files are passed over. Dependencies of which a newer release is known on this\nmachine are findings, too: of Go modules by the module cache, of npm and Python packages by the tree alone; no host is asked.",
		Example: "  atoll audit\n  atoll audit --fail-over 3 main      exit 1 when a finding has priority 4 or 5\n  atoll audit campaign                the branch of the campaign\n  atoll audit --all --json | jq '.files[].functions'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rev := "HEAD"
			if len(args) == 1 {
				rev = args[0]
			}
			ask := auditAsked{rev, b, all, fail, plugins, profile, collect}
			if err := ask.check(); err != nil {
				return err
			}
			return a.audit(cmd.Context(), ask)
		},
	}
	f := cmd.Flags()
	f.IntVar(&b.Complexity, "complexity", 15, "cyclomatic complexity of a function, at most")
	f.IntVar(&b.FunctionLines, "function-lines", 120, "lines of a function, at most")
	f.IntVar(&b.FileLines, "file-lines", 1000, "lines of code of a file, at most")
	f.IntVar(&b.DuplicatedLines, "duplicated", 60, "lines of a file that stand elsewhere, too, at most")
	f.Float64Var(&b.Maintainability, "maintainability", 10, "index of a file, 0 to 100, at least")
	f.StringVar(&profile, "coverage", "", "profile of the tests: of go test -coverprofile, or lcov (coverage.py, c8, gcov); without it one of the commit, such as coverage.out")
	f.Float64Var(&b.Coverage, "covered", 0, "percent of the lines of a file that tests run, at least; 0: not asked for")
	f.BoolVar(&collect, "collect", false, "run the tests in the sandbox for their coverage (go test, coverage.py); --covered does where no profile is there")
	f.BoolVar(&all, "all", false, "with --json: the figures of every file and function as well")
	f.IntVar(&fail, "fail-over", 0, "exit 1 when a finding has a higher priority than this, 1 to 5; 0: never")
	f.StringArrayVar(&plugins, "plugin", nil, "folder of a plug-in of the kind auditor, beside those of plugins.auditors")
	return cmd
}

// auditAsked is what the flags of audit say.
type auditAsked struct {
	rev     string
	bounds  audit.Bounds
	all     bool
	fail    int
	plugins []string
	profile string // a file of the person; "": one of the commit
	collect bool   // run the tests
}

// check refuses numbers that no figure can be held against.
func (ask *auditAsked) check() error {
	b := ask.bounds
	for _, n := range []struct {
		flag  string
		value int
	}{{"complexity", b.Complexity}, {"function-lines", b.FunctionLines}, {"file-lines", b.FileLines}, {"duplicated", b.DuplicatedLines}} {
		if n.value < 1 {
			return usage("--%s %d is not 1 or more", n.flag, n.value)
		}
	}
	switch {
	case !(b.Maintainability > 0 && b.Maintainability <= 100):
		return usage("--maintainability %v is not above 0 and at most 100", b.Maintainability)
	case !(b.Coverage >= 0 && b.Coverage <= 100):
		return usage("--covered %v is not between 0 and 100", b.Coverage)
	case ask.fail < 0 || ask.fail > 5:
		return usage("--fail-over %d is not between 1 and 5, nor 0, which is never", ask.fail)
	}
	return nil
}

func (a *App) audit(ctx context.Context, ask auditAsked) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	if p.target.Path == "" {
		return usage("an audit needs a repository: run this inside it, or name it with -C")
	}
	ses, err := a.session(ctx, p, true)
	if err != nil {
		return err
	}
	defer ses.Close()
	commit, r, err := a.auditRevision(ctx, ses, p, &ask)
	if err != nil {
		return err
	}
	if ask.profile != "" {
		data, err := a.readInput(ask.profile)
		if err != nil {
			return err
		}
		c, err := audit.ReadCoverage(data)
		if err != nil {
			return usage("%s: %v", ask.profile, err)
		}
		r.Cover(c)
	}
	line := auditLine{Commit: commit, Totals: r.Totals(), Findings: r.Findings(ask.bounds, nil)}
	if line.Findings == nil {
		line.Findings = []audit.Finding{}
	}
	if line.Dependencies, line.Unreadable = r.Dependencies, r.Unreadable; line.Dependencies == nil {
		line.Dependencies = []fresh.Dependency{}
	}
	if ask.all {
		line.Files = r.Files
	}
	if a.flags.json {
		err = writeJSON(a.Out, line)
	} else {
		a.printAudit(line, &r)
	}
	if err != nil || ask.fail == 0 {
		return err
	}
	over := 0
	for _, f := range line.Findings {
		if f.Priority > ask.fail {
			over++
		}
	}
	if over > 0 {
		return fmt.Errorf("%d findings have a priority above %d", over, ask.fail)
	}
	return nil
}

func (a *App) auditRevision(ctx context.Context, ses *engine.Session, p place, ask *auditAsked) (record.Hash, audit.Report, error) {
	commit, err := ses.Repo.Import(ctx, p.target, ask.rev)
	if err != nil && ask.rev == campaignBranch { // it is a branch of atoll's own store
		if s, failed := campaign.Load(ctx, ses.DB); failed == nil && !s.Head.IsZero() {
			commit, err = s.Head, nil
		}
	}
	if err != nil {
		return commit, audit.Report{}, err
	}
	info, err := ses.Repo.Commit(ctx, commit)
	if err != nil {
		return commit, audit.Report{}, err
	}
	r, err := auditTree(ctx, ses, info.Tree, auditOf{profiles: true, registry: a.moduleCache()})
	if err != nil {
		return commit, r, err
	}
	if ask.collect || ask.bounds.Coverage > 0 && ask.profile == "" && !r.Covered() {
		if err := a.runCoverage(ctx, ses, p, info.Tree, &r); err != nil {
			return commit, r, err
		}
	}
	r.Foreign, err = a.auditPlugged(ctx, ses, p, info.Tree, ask.plugins)
	return commit, r, err
}

// runCoverage runs the tests of a tree, and writes into a report what they covered; where
// that cannot be known, it says so.
func (a *App) runCoverage(ctx context.Context, ses *engine.Session, p place, tree record.Hash, r *audit.Report) error {
	loaded, err := a.load(ctx, p, nil)
	if err != nil {
		return err
	}
	box, err := sandbox.New(ctx, sandbox.Options{Mode: sandbox.Mode(loaded.Sandbox.Mode), Scratch: loaded.Sandbox.Scratch})
	if err != nil {
		return err
	}
	defer func() { _ = box.Close() }()
	done := a.elapsing("running the tests for their coverage")
	c, why, err := collectCoverage(ctx, box, ses, loaded.Config, tree)
	done()
	if why != "" {
		fmt.Fprintln(a.Err, "atoll: the coverage is not known: "+why)
	}
	if c != nil {
		r.Cover(c)
	}
	return err
}

func (a *App) printAudit(l auditLine, r *audit.Report) {
	for _, f := range l.Findings {
		fmt.Fprintln(a.Out, f)
	}
	t := l.Totals
	fmt.Fprintf(a.Out, "%d findings in %d files, %d lines and %d functions of %s; highest complexity %d, mean %.1f; %d lines stand twice; %d files are no source or tests\n",
		len(l.Findings), t.Files, t.Lines, t.Functions, l.Commit.Short(), t.Complexity, t.Mean, t.Duplicated, r.Skipped)
	if text := r.Freshness(); text != "" {
		fmt.Fprintln(a.Out, text)
	}
	for _, bad := range r.Unreadable {
		fmt.Fprintln(a.Out, view.CleanLine(bad))
	}
}
