package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"atoll/cli/door"
	"atoll/cli/mcp/clients"
	"atoll/cli/mcp/evo"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/whole"
)

// mcpInstall are the flags of `mcp install` and `mcp uninstall`.
type mcpInstall struct {
	allow   string
	dialect string
	print   bool
	yes     bool
	name    string
	plain   bool // no skills
}

func (a *App) mcpInstallCmd() *cobra.Command {
	var f mcpInstall
	cmd := &cobra.Command{
		Use: "install CLIENT", Short: "Write atoll into the configuration of a coding agent", Args: cobra.ExactArgs(1), ValidArgs: clients.Names(),
		Long: "install shows what it would change in the settings of a coding agent in your home folder, asks, keeps a copy of each file and writes.\n" +
			"Clients: claude, codex, cursor, gemini, opencode, windsurf. Where the client has skills it gets evolve, status, report, freeze and boost.",
		Example: "  atoll mcp install claude\n  atoll mcp install codex --allow decide\n  atoll mcp install cursor --print\n  atoll mcp install claude --evo",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.mcpInstall(cmd.Context(), args[0], f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.allow, "allow", "look", "what the agent may do: look, decide or admin")
	fl.StringVar(&f.dialect, "evo", "", "install the server of the protocol of Evo-anything, this version of it: 0.1.4 or 0.1.2")
	fl.Lookup("evo").NoOptDefVal = string(evo.Parallel)
	fl.BoolVar(&f.plain, "no-skills", false, "leave the skills out")
	f.add(cmd)
	return cmd
}

func (a *App) mcpUninstallCmd() *cobra.Command {
	var f mcpInstall
	cmd := &cobra.Command{
		Use: "uninstall CLIENT", Short: "Take atoll out of the configuration of a coding agent", Args: cobra.ExactArgs(1), ValidArgs: clients.Names(),
		Example: "  atoll mcp uninstall claude",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.mcpUninstall(cmd.Context(), args[0], f) },
	}
	cmd.Flags().StringVar(&f.dialect, "evo", "", "take the server of the protocol of Evo-anything out")
	cmd.Flags().Lookup("evo").NoOptDefVal = string(evo.Parallel)
	f.add(cmd)
	return cmd
}

func (f *mcpInstall) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.print, "print", false, "only show the change")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	fl.StringVar(&f.name, "name", "", "how the server is called there (default atoll, with --evo evo-engine)")
}

// server is what the server is called.
func (f *mcpInstall) server() string {
	switch {
	case f.name != "":
		return f.name
	case f.dialect != "":
		return "evo-engine"
	}
	return "atoll"
}

func (a *App) mcpInstall(ctx context.Context, name string, f mcpInstall) error {
	c, home, err := a.client(name, f)
	if err != nil {
		return err
	}
	args := []string{"mcp"}
	switch role, err := door.ParseRole(f.allow); {
	case err != nil:
		return usage("--allow %v", err)
	case f.dialect != "" && f.dialect != string(evo.Parallel) && f.dialect != string(evo.Serial):
		return usage("--evo %s: %s or %s", f.dialect, evo.Parallel, evo.Serial)
	case f.dialect != "":
		args = append(args, "--evo="+f.dialect)
	case role != door.Look:
		args = append(args, "--allow", f.allow)
	}
	target, err := gitops.Locate(ctx, a.abs(a.flags.repo))
	if err != nil {
		target.Path = a.abs(a.flags.repo)
	}
	program, err := a.program()
	if err != nil {
		return err
	}
	edit, err := c.Install(home, c.For(f.server(), program, target.Path, args...))
	if refusal := (*clients.Refusal)(nil); errors.As(err, &refusal) {
		fmt.Fprintf(a.Err, "What belongs into %s:\n\n%s\n", refusal.Path, refusal.Paste)
	}
	if err != nil {
		return err
	}
	edits := []clients.Edit{edit}
	if !f.plain && f.dialect == "" {
		skills, err := c.Skills(home, false)
		if err != nil {
			return err
		}
		edits = append(edits, skills...)
	}
	return a.apply(ctx, edits, f)
}

func (a *App) mcpUninstall(ctx context.Context, name string, f mcpInstall) error {
	c, home, err := a.client(name, f)
	if err != nil {
		return err
	}
	program, err := a.program()
	if err != nil {
		return err
	}
	edit, err := c.Uninstall(home, f.server(), program)
	if err != nil {
		return err
	}
	edits := []clients.Edit{edit}
	if f.server() == "atoll" {
		skills, err := c.Skills(home, true)
		if err != nil {
			return err
		}
		for _, s := range skills {
			if s.New != nil {
				fmt.Fprintf(a.Out, "%s stays: it is not as atoll wrote it\n", s.Path)
			}
		}
		edits = append(edits, skills...)
	} else if f.dialect == "" {
		if err := a.toldSkills(c, home, name); err != nil {
			return err
		}
	}
	return a.apply(ctx, edits, f)
}

// toldSkills says that the skills of a client stay, which serve any server of atoll.
func (a *App) toldSkills(c clients.Client, home, name string) error {
	skills, err := c.Skills(home, true)
	if err == nil && slices.ContainsFunc(skills, func(e clients.Edit) bool { return e.Old != nil && e.New == nil }) {
		_, err = fmt.Fprintf(a.Out, "the skills stay, for other servers of atoll; `atoll mcp uninstall %s` takes them out\n", name)
	}
	return err
}

// client is a known client and the home folder where its files are.
func (a *App) client(name string, f mcpInstall) (clients.Client, string, error) {
	c, err := clients.Find(name)
	if err != nil {
		return c, "", usage("%v", err)
	}
	if f.name != "" && gitops.BranchName(f.name) != f.name {
		return c, "", usage("--name %q: letters, digits, - and _", view.CleanLine(f.name))
	}
	home := a.getenv("HOME")
	if home == "" {
		return c, "", usage("HOME is not set: nobody knows where %s has its files", name)
	}
	return c, home, nil
}

// program is how others start this program.
func (a *App) program() (string, error) {
	if a.called() == "atoll" {
		return "atoll", nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, nil
}

// apply shows what changes, asks, and writes. A file that was there is kept beside
// the new one.
func (a *App) apply(ctx context.Context, edits []clients.Edit, f mcpInstall) error {
	var due []clients.Edit
	for _, e := range edits {
		if !e.Same() {
			due = append(due, e)
			fmt.Fprint(a.Out, udiff.Unified(e.Path, e.Path, string(e.Old), string(e.New)))
		}
	}
	if len(due) == 0 {
		_, err := fmt.Fprintln(a.Out, "nothing to change")
		return err
	}
	if f.print {
		return nil
	}
	if !f.yes {
		in, ok := a.In.(io.Writer)
		if !ok || !a.IsTTY(in) {
			return usage("nobody is here to agree: say --yes, or --print to only see the change")
		}
		if !a.question(ctx, bufio.NewReader(a.In))("Write this?", false) {
			_, err := fmt.Fprintln(a.Out, "nothing was written")
			return err
		}
	}
	for _, e := range due {
		if err := a.replace(e); err != nil {
			return err
		}
	}
	return nil
}

// replace carries out one edit.
func (a *App) replace(e clients.Edit) error {
	mode := os.FileMode(0o600)
	if info, err := os.Stat(e.Path); err == nil {
		mode = info.Mode().Perm()
	}
	if e.Old != nil && e.Copy != "" {
		kept, err := keep(e.Copy+a.Now().Format(".20060102-150405"), e.Old, mode)
		if err != nil {
			return fmt.Errorf("keep a copy of %s: %w; nothing was changed", e.Path, err)
		}
		fmt.Fprintln(a.Out, "kept  ", kept)
	}
	if e.New == nil {
		return a.takeAway(e.Path)
	}
	path, err := filepath.EvalSymlinks(e.Path) // a link stays one
	if errors.Is(err, os.ErrNotExist) {
		path, err = e.Path, os.MkdirAll(filepath.Dir(e.Path), 0o755)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", e.Path, err)
	}
	if err := whole.Write(path, whole.Options{Mode: mode, Sync: true}, whole.Bytes(e.New)); err != nil {
		return fmt.Errorf("write %s: %w", e.Path, err)
	}
	fmt.Fprintln(a.Out, "wrote ", e.Path)
	return nil
}

// keep writes a copy under a name that no file has yet, and returns it.
func keep(begin string, data []byte, mode os.FileMode) (string, error) {
	for n := 1; ; n++ {
		path := begin + ".bak"
		if n > 1 {
			path = fmt.Sprintf("%s-%d.bak", begin, n)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		return path, errors.Join(err, f.Sync(), f.Close())
	}
}

// takeAway removes a file, and its folder where nothing else is in it and it is not
// the home folder.
func (a *App) takeAway(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	fmt.Fprintln(a.Out, "removed", path)
	dir := filepath.Dir(path)
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && dir != filepath.Clean(a.getenv("HOME")) {
		_ = os.Remove(dir) // stays where a person put something there
	}
	return nil
}
