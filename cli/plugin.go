package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"atoll/engine/plugin"
	"atoll/engine/sandbox"
	"atoll/engine/view"
)

func (a *App) pluginCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "plugin", Short: "Make, check, sign and trust plug-ins",
		Long: "Plug-ins are programs in any language that evaluate, edit, describe, embed, audit or tell news for atoll. They run in\n" +
			"the sandbox with what their manifest asks for and you agreed to. docs/plugins.md has the protocol.",
		Example: "  atoll plugin new spread --kind evaluator --lang python\n  atoll plugin check spread\n  atoll plugin trust spread --hash HASH",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.pluginNewCmd(), a.pluginCheckCmd(), a.pluginSignCmd(), a.pluginListCmd(), a.pluginTrustCmd())
	return cmd
}

// folder is a path of the command line, absolute.
func (a *App) folder(path string) string { return absolute(a.Dir, path) }

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func kindNames() []string {
	var out []string
	for _, k := range plugin.Kinds() {
		out = append(out, string(k))
	}
	return out
}

func (a *App) pluginNewCmd() *cobra.Command {
	var kind, lang, name string
	cmd := &cobra.Command{
		Use: "new DIR", Short: "Write a small plug-in that works, to change", Args: cobra.ExactArgs(1),
		Example: "  atoll plugin new plugins/todo --kind auditor --lang javascript",
		RunE: func(_ *cobra.Command, args []string) error {
			dir := a.folder(args[0])
			if name == "" {
				name = strings.ToLower(filepath.Base(dir))
			}
			build, err := plugin.New(dir, name, plugin.Kind(kind), lang)
			if err != nil {
				return usage("%v", err)
			}
			if build != "" {
				fmt.Fprintf(a.Out, "%s is written; next: cd %s && %s, then %s and %s\n", args[0], shellWord(args[0]), build, a.says("plugin sign "+args[0]), a.says("plugin check "+args[0]))
				return nil
			}
			fmt.Fprintf(a.Out, "%s is written; next: %s\n", args[0], a.says("plugin check "+args[0]))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&kind, "kind", "evaluator", "what it is for: "+strings.Join(kindNames(), ", "))
	f.StringVar(&lang, "lang", "python", strings.Join(plugin.Languages(), ", "))
	f.StringVar(&name, "name", "", "its name (default: that of the folder)")
	return cmd
}

func (a *App) pluginCheckCmd() *cobra.Command {
	return &cobra.Command{
		Use: "check DIR", Short: "Run the conformance suite on a plug-in", Args: cobra.ExactArgs(1),
		Long:    "Reads the manifest, compares every file with it, and asks the plug-in questions in the sandbox, with what its\nmanifest asks for. It ends with 1 at the first point that fails.",
		Example: "  atoll plugin check plugins/todo\n  atoll plugin check plugins/todo --json | jq .points",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.pluginCheck(cmd.Context(), args[0]) },
	}
}

// pluginChecked is what `plugin check --json` prints.
type pluginChecked struct {
	Plugin string           `json:"plugin"`
	OK     bool             `json:"ok"`
	Points []plugin.Verdict `json:"points"`
}

func (a *App) pluginCheck(ctx context.Context, name string) error {
	box, err := sandbox.New(ctx, sandbox.Options{})
	if err != nil {
		return err
	}
	defer box.Close()
	trust, err := plugin.OpenTrust(a.getenv)
	if err != nil {
		return err
	}
	list, err := plugin.Check(ctx, &plugin.Host{Box: box, Getenv: a.getenv}, trust, a.folder(name))
	if err != nil {
		return err
	}
	last := list[len(list)-1]
	if a.flags.json {
		if err := writeJSON(a.Out, pluginChecked{name, last.OK, list}); err != nil {
			return err
		}
	} else {
		for _, v := range list {
			mark := "ok  "
			if !v.OK {
				mark = "FAIL"
			}
			fmt.Fprintf(a.Out, "%s %s%s\n", mark, v.Name, orNothing(": ", v.Detail))
		}
	}
	if !last.OK {
		return fmt.Errorf("%s does not pass: %s", name, last.Name)
	}
	return nil
}

func orNothing(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// pluginPassword is the variable with the password of a private key.
const pluginPassword = "ATOLL_PLUGIN_PASSWORD"

func (a *App) pluginSignCmd() *cobra.Command {
	var key, fresh string
	cmd := &cobra.Command{
		Use: "sign DIR", Short: "Write the hashes of all files into the manifest, and sign it", Args: cobra.ExactArgs(1),
		Long: "Without a key the manifest is only brought up to date. Signatures have the format of minisign, which can check them,\n" +
			"too. The password of the key is asked for, or taken from " + pluginPassword + ".",
		Example: "  atoll plugin sign plugins/todo --new-key ~/atoll.key\n  atoll plugin sign plugins/todo --key ~/atoll.key",
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := plugin.Fill(a.folder(args[0]))
			if err != nil {
				return err
			}
			if key == "" && fresh == "" {
				fmt.Fprintf(a.Out, "%s %s: %s; not signed; its hash is %s\n", p.Name, p.Version, view.Plural(len(p.Files), "file"), p.Hash)
				return nil
			}
			return a.pluginSign(p, key, fresh)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "file of a private key of minisign")
	cmd.Flags().StringVar(&fresh, "new-key", "", "file to write a new private key to, and its public one beside it")
	cmd.MarkFlagsMutuallyExclusive("key", "new-key")
	return cmd
}

func (a *App) pluginSign(p *plugin.Plugin, key, fresh string) error {
	password, err := a.password()
	if err != nil {
		return err
	}
	if fresh != "" {
		public, err := plugin.NewKey(a.folder(fresh), password)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "the new key is in %s; give %s.pub to those who should trust it: %s\n", fresh, fresh, public)
		key = fresh
	}
	private, err := minisign.PrivateKeyFromFile(password, a.folder(key))
	if err != nil {
		return fmt.Errorf("open the private key %s: %w; is the password right?", key, err)
	}
	if err := p.Sign(private); err != nil {
		return fmt.Errorf("sign %s: %w", p.Name, err)
	}
	fmt.Fprintf(a.Out, "%s %s is signed by the key %s\n", p.Name, p.Version, p.Signed())
	return nil
}

// password asks for the password of a private key.
func (a *App) password() (string, error) {
	if word := a.getenv(pluginPassword); word != "" {
		return word, nil
	}
	in, ok := a.In.(*os.File)
	if !ok || !a.IsTTY(in) {
		return "", usage("the private key has a password: set %s, or run this in a terminal", pluginPassword)
	}
	fmt.Fprint(a.Err, "Password of the key: ")
	word, err := term.ReadPassword(in.Fd())
	fmt.Fprintln(a.Err)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if len(word) == 0 {
		return "", errors.New("the password is empty; a key without one could be used by everybody who can read it")
	}
	return string(word), nil
}
