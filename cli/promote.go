package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/evidence"
	"atoll/engine/guard"
	"atoll/engine/verify"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/store/whole"
)

// promotion is what the flags of `promote` ask for.
type promotion struct {
	branch                string
	patch, bundle, series string
	epochs                bool
	check                 verification
	push                  pushing
}

func (a *App) promoteCmd() *cobra.Command {
	var p promotion
	cmd := &cobra.Command{
		Use: "promote CANDIDATE", Short: "Make a branch of a candidate in your repository and send it on, or a patch, series or bundle",
		Long: `A branch is added to your repository; nothing else of it changes. With --push it is sent to a remote as your own git
would, and with --pr a pull request is opened there whose text tells metrics, method and how to do it again; before that, all of it
is shown and asked for. Tokens are read from GH_TOKEN, GITLAB_TOKEN or GITEA_TOKEN; without one gh or glab is asked.`,
		Example: "  atoll promote best --branch faster-packing\n  atoll promote best --patch best.patch\n  atoll promote best --series patches/\n  atoll promote best --verify --squash --push origin --pr\n  atoll promote --epochs",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check.consistent(cmd.Flags().Changed("rounds")); err != nil {
				return err
			}
			if err := p.consistent(args, a.flags.json); err != nil {
				return err
			}
			if err := a.foldersThere(p.patch, p.series, p.bundle); err != nil {
				return err
			}
			return a.with(cmd.Context(), func(o *opened) error {
				if p.epochs {
					return a.tagEpochs(cmd.Context(), o)
				}
				id, err := o.parseCandidate(args[0])
				if err != nil {
					return err
				}
				if id == record.Root && args[0] == "best" {
					return errNoGain
				}
				c, err := o.DB.Candidate(cmd.Context(), o.exp.ID, id)
				if err != nil {
					return o.noCandidate(id, err)
				}
				return a.promote(cmd.Context(), o, &c, p)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.branch, "branch", "", "name of the new branch (default: atoll/EXPERIMENT-CANDIDATE)")
	f.StringVar(&p.patch, "patch", "", "write a patch file instead (- for stdout)")
	f.StringVar(&p.series, "series", "", "write a folder of patches instead, one for each step from the root, for git am")
	f.StringVar(&p.bundle, "bundle", "", "write a git bundle instead")
	f.BoolVar(&p.epochs, "epochs", false, "tag the best of each epoch in your repository: atoll/EXPERIMENT/epoch-N")
	f.BoolVar(&p.check.on, "verify", false, "put the change on top of the branch as it is now, test and measure both in turn; refuse where the gain does not hold")
	f.BoolVar(&p.check.squash, "squash", false, "with --verify: one commit on top of the branch, without the steps that led there")
	f.BoolVar(&p.check.believe, "believe", false, "with --verify: promote also what takes less than a thousandth of the time, or what nothing compared with the root; look at its diff first")
	f.BoolVar(&p.check.minimise, "minimise", false, "with --verify: leave out what brings nothing, each part measured (takes several times as long)")
	f.IntVar(&p.check.rounds, "rounds", verify.DefaultRounds, "with --verify: rounds at most in which both are measured")
	p.push.add(f)
	return cmd
}

// consistent refuses flags that do not go together, before anything is opened.
func (p *promotion) consistent(args []string, json bool) error {
	forms := 0
	for _, on := range []bool{p.patch != "", p.series != "", p.bundle != "", p.epochs} {
		if on {
			forms++
		}
	}
	switch {
	case len(args) == 0 && !p.epochs:
		return usage("name a candidate: `atoll promote best`")
	case len(args) > 0 && p.epochs:
		return usage("--epochs tags many candidates: leave %s out", args[0])
	case forms > 1:
		return usage("one of --patch, --series, --bundle and --epochs at a time")
	case p.patch == "-" && json:
		return usage("--patch - prints the patch: leave --json out, or name a file")
	case forms > 0 && p.check.on:
		return usage("--verify writes a branch: leave --patch, --series, --bundle and --epochs out")
	case forms > 0 && (p.branch != "" || p.push.remote != ""):
		return usage("--branch and --push go with a branch: leave --patch, --series, --bundle and --epochs out")
	}
	return p.push.consistent()
}

// promoted is what `promote --json` prints, where it verifies nothing.
type promoted struct {
	Candidate record.CandidateID `json:"candidate"`
	Branch    string             `json:"branch,omitempty"`
	Commit    record.Hash        `json:"commit,omitzero"` // of the branch, or of the candidate
	File      string             `json:"file,omitempty"`  // the patch, the bundle, or the folder of patches
	Files     int                `json:"files,omitempty"` // of a series
	Value     string             `json:"value,omitempty"` // with its evidence, for people
	Gain      string             `json:"gain,omitempty"`
	Claim     *evidence.Claim    `json:"claim,omitempty"`
	Note      string             `json:"note,omitempty"`  // in the message of the commit or of the patch
	Doubt     string             `json:"doubt,omitempty"` // what speaks against it: it failed, was rejected, or waits for a person
	Behaviour *guard.Report      `json:"behaviour,omitempty"`

	Uncompared bool `json:"behaviour_not_compared,omitempty"` // the guard should have looked at it, and did not
	Untested   bool `json:"untested,omitempty"`               // the evaluator has no stage of tests beside what it measures
}

func (a *App) promote(ctx context.Context, o *opened, c *record.Candidate, p promotion) error {
	// Who is asked for what is found out before anything is written or measured.
	to, err := a.destination(ctx, o, p)
	if err != nil {
		return err
	}
	verified := ""
	if p.check.on {
		var r verify.Report
		p.check.branch = p.branch
		r, err = a.verify(ctx, o, c, p.check)
		verified, p.branch = r.Message(), r.Branch
		if err == nil && r.Made() != c.ID { // it is what is sent
			*c, err = o.DB.Candidate(ctx, o.exp.ID, r.Made())
		}
	} else {
		p.branch = cmp.Or(p.branch, engine.BranchOf(o.exp, c.ID))
		err = a.promoteAsItIs(ctx, o, c, p)
	}
	if err != nil || to == nil {
		return err
	}
	return a.send(ctx, o, c, p, to, verified)
}

// promoteAsItIs takes a candidate out as it is, and says what its value rests on.
func (a *App) promoteAsItIs(ctx context.Context, o *opened, c *record.Candidate, p promotion) error {
	if c.ID == record.Root && p.patch == "" && p.series == "" && p.bundle == "" {
		return usage(rootStays)
	}
	snap, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	out := promoted{Candidate: c.ID, Commit: c.Commit, Doubt: view.Doubt(c)}
	if out.Note, err = engine.Evidence(ctx, o.reader(), snap, c.ID); err != nil {
		return err
	}
	if out.Uncompared, err = engine.Uncompared(ctx, o.Session, snap, c); err != nil {
		return err
	}
	out.Untested = len(o.state.Config.Evaluator.Stages) < 2
	if out.Uncompared && !strings.Contains(out.Note, view.NotCompared) {
		out.Note = view.NotCompared + "\n" + out.Note
	}
	if claim, ok := o.state.ClaimOf(c.ID); ok && claim.Word != "" && c.ID != record.Root {
		out.Claim, out.Value, out.Gain = &claim, view.ClaimValue(claim), view.ClaimGain(claim)
	}
	said := ""
	switch {
	case p.patch != "":
		said, err = a.writePatch(ctx, o, c, p.patch, &out)
	case p.series != "":
		said, err = a.writeSeries(ctx, o, c, p.series, &out)
	case p.bundle != "":
		said, err = a.writeBundle(ctx, o, c, p.bundle, &out)
	default:
		said, err = a.writeBranch(ctx, o, c, p.branch, &out)
	}
	if err != nil || p.patch == "-" {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, out)
	}
	if _, err := fmt.Fprintln(a.Out, said); err != nil {
		return err
	}
	return a.printPromoted(snap, &out)
}

// printPromoted says what speaks against a candidate, what its value rests on, and how it behaves.
func (a *App) printPromoted(s *view.Snapshot, out *promoted) error {
	if out.Doubt != "" {
		fmt.Fprintf(a.Out, "%-10s %s\n", "take care", out.Doubt)
	}
	if out.Claim != nil {
		root := ", whose value is " + view.FormatValue(view.ClaimRoot(s, out.Claim))
		if s.Paired {
			root = ""
		}
		fmt.Fprintf(a.Out, "%-10s %s; %s on the root%s\n", s.Measured(), out.Value, out.Gain, root)
		fmt.Fprintf(a.Out, "%-10s where the search began, not on %s as it is now: `%s` measures there\n", "measured", s.Experiment.Branch, a.says("promote "+out.Candidate.String()+" --verify"))
	}
	if out.Behaviour == nil {
		if !out.Uncompared {
			return nil
		}
		tests := ""
		if out.Untested {
			tests = ", and the evaluator has no tests"
		}
		_, err := fmt.Fprintf(a.Out, "%-10s was not compared with the root's%s: look at `%s`\n", "behaviour", tests, a.says("diff "+out.Candidate.String()))
		return err
	}
	fmt.Fprintf(a.Out, "%-10s %s\n", "behaviour", behaviourText(out.Behaviour))
	return a.printTold(*out.Behaviour)
}

// writeBranch makes the branch of the candidate as it is.
func (a *App) writeBranch(ctx context.Context, o *opened, c *record.Candidate, branch string, out *promoted) (string, error) {
	report, looked, err := engine.GuardReport(ctx, o.Session, o.exp.ID, c)
	if err != nil {
		return "", err
	}
	if looked {
		out.Behaviour = &report
	}
	if out.Branch, out.Commit, err = engine.Promote(ctx, o.Session, o.exp.ID, c.ID, branch, out.Note, a.who()); err != nil {
		return "", err
	}
	return fmt.Sprintf("branch %s is %s (%s); look at it with `git diff %s...%s`", out.Branch, c.ID, out.Commit.Short(), o.exp.Branch, out.Branch), nil
}

func (a *App) writeBundle(ctx context.Context, o *opened, c *record.Candidate, file string, out *promoted) (string, error) {
	if err := o.Repo.Bundle(ctx, o.Target, c.Commit, a.abs(file)); err != nil {
		return "", engine.LostHistory(ctx, o.Session, o.exp.ID, c.ID, err)
	}
	out.File, out.Note = file, ""
	return fmt.Sprintf("wrote %s; read it with `git fetch %s`", view.CleanLine(file), shellWord(file)), nil
}

func (a *App) writePatch(ctx context.Context, o *opened, c *record.Candidate, file string, out *promoted) (string, error) {
	text, err := o.Repo.ExportPatch(ctx, o.exp.RootCommit, c.Commit, out.Note)
	if err != nil {
		return "", err
	}
	if file == "-" {
		_, err = a.Out.Write(text)
		return "", err
	}
	if err := writeNew(a.abs(file), whole.Bytes(text)); err != nil {
		return "", fmt.Errorf("write the patch: %w", err)
	}
	out.File = file
	return fmt.Sprintf("wrote %s; try it with `git apply --check %s`", view.CleanLine(file), shellWord(file)), nil
}

// writeNew writes a file that must not be there yet, not even as a symlink: whole, or
// not at all.
func writeNew(path string, write func(io.Writer) error) error {
	err := whole.Write(path, whole.Options{Mode: 0o644, New: true}, write)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: choose another name or remove it", view.CleanLine(path))
	}
	return err
}

// foldersThere refuses names of files whose folder is not there, before anything is opened:
// one that somebody mistyped makes no folders. "" and "-" name none.
func (a *App) foldersThere(files ...string) error {
	for _, file := range files {
		if file == "" || file == "-" {
			continue
		}
		dir := filepath.Dir(filepath.Clean(a.abs(file)))
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return usage("there is no folder %s: make it with `mkdir -p %s`, or choose another place", view.CleanLine(dir), shellWord(dir))
		case err != nil:
			return fmt.Errorf("look at the folder of %s: %w", view.CleanLine(file), err)
		case !info.IsDir():
			return usage("%s is no folder: choose another place", view.CleanLine(dir))
		}
	}
	return nil
}
