package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/backup"
	"atoll/engine/view"
	"atoll/store/record"
)

func (a *App) backupCmd() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy all experiments here into one file, also while they run",
		Long:    "The file holds the database, every candidate's commit as a git bundle, and the evaluators, each with its sum.\n`atoll restore FILE` makes the experiments of it again: here, at another path, on another machine.",
		Example: "  atoll backup monday.atoll\n  atoll restore monday.atoll --state elsewhere", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.place(cmd.Context())
			if err != nil {
				return err
			}
			ses, err := a.session(cmd.Context(), p, false)
			if err != nil {
				return err
			}
			if ses.OwnerPID() != 0 {
				if backup.Grouped() {
					err := errors.Join(ses.Close(), a.apart(cmd.Context()))
					backup.Sweep(filepath.Dir(a.abs(args[0])), a.now()) // it may have been killed
					return err
				}
				backup.Yield()
			}
			m, err := backup.Write(cmd.Context(), backup.Source{Dir: ses.Dir, DB: ses.DB, Repo: ses.Repo}, a.abs(args[0]), "atoll "+a.Build.Version, a.now())
			if err := errors.Join(err, ses.Close()); err != nil {
				return err
			}
			return a.toldBackup("wrote "+args[0], a.abs(args[0]), m)
		},
	}
}

// told ends this process as the one did that took the verb over: it said itself what was
// wrong.
type told int

func (t told) Error() string { return fmt.Sprintf("it ended with exit code %d", int(t)) }

// apart carries the same command line out in a process that leads a session of its own, and
// ends with this one.
func (a *App) apart(ctx context.Context) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // whose end is the end of the other
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, exe, a.args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = a.Dir, a.Env, a.Out, a.Err
	backup.Apart(cmd)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return told(exit.ExitCode())
	}
	return err
}

// restoreCmd takes a rejection back; with a file in place of a candidate it makes
// the experiments of a backup again. No candidate is named like a file.
func (a *App) restoreCmd() *cobra.Command {
	cmd := a.candidateVerb(record.Restore, "Take a rejection back; with a FILE of backup, make its experiments again")
	cmd.Use = "restore CANDIDATE | FILE"
	cmd.Long = "With a candidate: the inverse of reject.\n\nWith a file that backup wrote: make its experiments again. The state directory must be empty or missing, nothing is\nreplaced. Every part is compared with its sum, the database and all objects are checked, and each candidate's commit\nmust be there, before anything is put in place."
	cmd.Example = "  atoll restore c12\n  atoll restore monday.atoll\n  atoll restore monday.atoll --state elsewhere"
	decide := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && isFile(a.abs(args[0])) {
			return a.restore(cmd.Context(), args[0])
		}
		for _, arg := range args {
			_, err := record.ParseCandidateID(arg)
			if named := arg == "best" || arg == "root"; err != nil && !named {
				return usage("there is no file %s, and no candidate is called that: name the file that `atoll backup` wrote, or a candidate (c128 or 128)", shellWord(arg))
			}
		}
		return decide(cmd, args)
	}
	return cmd
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func (a *App) restore(ctx context.Context, file string) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	if engine.HasExperiments(p.state) {
		return fmt.Errorf("%s holds experiments already and none is replaced; choose another folder with --state DIR", p.state)
	}
	m, err := backup.Restore(ctx, a.abs(file), p.state)
	if err != nil {
		return err
	}
	return a.toldBackup("restored to "+p.state, a.abs(file), m)
}

// toldBackup says what is in a backup.
func (a *App) toldBackup(done, file string, m backup.Manifest) error {
	if a.flags.json {
		return writeJSON(a.Out, m)
	}
	candidates := 0
	for _, e := range m.Experiments {
		candidates += e.Candidates
	}
	size := int64(0)
	if info, err := os.Stat(file); err == nil {
		size = info.Size()
	}
	if n := len(m.Lacking); n > 0 {
		fmt.Fprintf(a.Err, "atoll: warn: some files cannot be read here any more, and are not in it: those of %s, such as %s; `atoll doctor --deep` names what can be done\n", view.Plural(n, "commit"), m.Lacking[0].Short())
	}
	_, err := fmt.Fprintf(a.Out, "%s: %s, %s, %.1f MB\n", view.CleanLine(done), view.Plural(len(m.Experiments), "experiment"), view.Plural(candidates, "candidate"), float64(size)/1e6)
	return err
}
