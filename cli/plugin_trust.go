package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"atoll/engine/plugin"
	"atoll/gitops"
	"atoll/store/whole"
)

// pluginLine is what `plugin list --json` prints of each plug-in.
type pluginLine struct {
	Dir         string   `json:"dir"`
	Use         string   `json:"use"` // the key that names it
	Name        string   `json:"name,omitempty"`
	Version     string   `json:"version,omitempty"`
	Kind        string   `json:"kind,omitempty"`
	Hash        string   `json:"hash,omitempty"`
	Signer      string   `json:"signer,omitempty"`
	Permissions []string `json:"permissions"`
	Trusted     bool     `json:"trusted"`
	Problem     string   `json:"problem,omitempty"`
}

// pluginList is what `plugin list --json` prints.
type pluginList struct {
	Plugins []pluginLine  `json:"plugins"`
	Trust   *plugin.Trust `json:"trust"`
}

func (a *App) pluginListCmd() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The plug-ins that atoll.yaml names, and what you trust", Args: cobra.NoArgs, Example: "  atoll plugin list --json | jq .plugins",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pluginList(cmd.Context()) },
	}
}

func (a *App) pluginList(ctx context.Context) error {
	trust, err := plugin.OpenTrust(a.getenv)
	if err != nil {
		return err
	}
	list, err := a.pluginsHere(ctx, trust)
	if err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, pluginList{list, trust})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Out, "no plug-in is named here")
	}
	for _, l := range list {
		if l.Name == "" {
			fmt.Fprintf(a.Out, "%s (%s): %s\n", l.Dir, l.Use, l.Problem)
			continue
		}
		state := "trusted"
		if !l.Trusted {
			state = l.Problem
		}
		fmt.Fprintf(a.Out, "%s %s, %s (%s): %s%s\n", l.Name, l.Version, l.Kind, l.Use, state, orNothing("; may use ", strings.Join(l.Permissions, ", ")))
	}
	for _, k := range trust.Keys {
		fmt.Fprintf(a.Out, "key %s\n", k.ID)
	}
	for _, h := range trust.Hashes {
		fmt.Fprintf(a.Out, "hash %s\n", h)
	}
	return nil
}

// pluginsHere are the plug-ins that the configuration of this place names.
func (a *App) pluginsHere(ctx context.Context, trust *plugin.Trust) ([]pluginLine, error) {
	p, err := a.placeBy(ctx, gitops.Inspect)
	if err != nil {
		return []pluginLine{}, nil // what is trusted can be seen anywhere
	}
	l, err := a.loadAsWritten(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	out := []pluginLine{}
	add := func(use string, dirs ...string) {
		for _, dir := range dirs {
			if dir == "" {
				continue
			}
			line := pluginLine{Dir: dir, Use: use, Permissions: []string{}}
			p, err := plugin.Read(absolute(l.Dir, dir))
			if err == nil {
				line.Name, line.Version, line.Kind, line.Hash, line.Signer = p.Name, p.Version, string(p.Kind), p.Hash, p.Signed()
				line.Permissions = append(line.Permissions, p.Permissions.List()...)
				err = trust.Allows(p)
			}
			if line.Trusted = err == nil; err != nil {
				line.Problem = err.Error()
			}
			out = append(out, line)
		}
	}
	if l.Evaluator.Adapter == "plugin" {
		add("evaluator.dir", l.Evaluator.Dir)
	}
	for i, ag := range l.Agents {
		add(fmt.Sprintf("agents[%d].plugin", i), ag.Plugin)
	}
	add("plugins.descriptors", l.Plugins.Descriptors...)
	add("plugins.embedder", l.Plugins.Embedder)
	add("plugins.auditors", l.Plugins.Auditors...)
	add("plugins.notifiers", l.Plugins.Notifiers...)
	return out, nil
}

// trustFlags are those of plugin trust.
type trustFlags struct {
	key, hash, drop string
	yes             bool
}

func (a *App) pluginTrustCmd() *cobra.Command {
	var f trustFlags
	cmd := &cobra.Command{
		Use: "trust [DIR]", Short: "Agree to a plug-in and what it asks for, or trust a key", Args: cobra.MaximumNArgs(1),
		Long: "A plug-in runs when it is signed by a key that you trust, or when you named the hash of its manifest; and when you\n" +
			"agreed to what it asks for beyond computing, which is asked once. What you trust lies in your own configuration\nfolder, never in a repository.",
		Example: "  atoll plugin trust --key alice.pub\n  atoll plugin trust plugins/todo --hash 4f0c...\n  atoll plugin trust --drop todo",
		RunE: func(cmd *cobra.Command, args []string) error {
			trust, err := plugin.OpenTrust(a.getenv)
			if err != nil {
				return err
			}
			switch {
			case f.drop != "":
				return a.distrust(trust, f.drop)
			case f.key != "":
				if err := a.trustKey(trust, f.key); err != nil || len(args) == 0 {
					return err
				}
			case len(args) == 0:
				return usage("name the folder of a plug-in, or a key with --key")
			}
			return a.trustPlugin(cmd.Context(), trust, args[0], f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.key, "key", "", "public key of minisign to trust: a file, or its text")
	fl.StringVar(&f.hash, "hash", "", "the hash of the manifest of a plug-in without a signature that you trust")
	fl.StringVar(&f.drop, "drop", "", "trust this no more: the id of a key, a hash, or the name of a plug-in")
	fl.BoolVar(&f.yes, "yes", false, "agree to what the plug-in asks for without a question")
	return cmd
}

func (a *App) distrust(trust *plugin.Trust, name string) error {
	there, err := trust.Drop(name)
	if err == nil && !there {
		return usage("nothing that you trust is called %q; `atoll plugin list` shows it", name)
	}
	if err == nil {
		fmt.Fprintf(a.Out, "%s is trusted no more\n", name)
	}
	return err
}

// maxKeyFile bounds the file of a public key.
const maxKeyFile = 64 << 10

func (a *App) trustKey(trust *plugin.Trust, key string) error {
	if text, err := whole.Read(a.folder(key), maxKeyFile); err == nil {
		key = string(text)
	}
	id, err := trust.AddKey(key)
	if err == nil {
		fmt.Fprintf(a.Out, "the key %s is trusted\n", id)
	}
	return err
}

// trustPlugin shows what a plug-in asks for and keeps the answer.
func (a *App) trustPlugin(ctx context.Context, trust *plugin.Trust, name string, f trustFlags) error {
	p, err := plugin.Read(a.folder(name))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.hash != "" && f.hash != p.Hash {
		return usage("the hash of %s is %s, not %s: it is not the plug-in that you mean", name, p.Hash, f.hash)
	}
	if f.hash == "" {
		if err := trust.Believes(p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	asks := p.Permissions.List()
	fmt.Fprintf(a.Out, "%s %s, %s, started as: %s\n", p.Name, p.Version, p.Kind, strings.Join(p.Command, " "))
	for _, line := range asks {
		fmt.Fprintf(a.Out, "  asks for %s\n", line)
	}
	if len(asks) == 0 {
		fmt.Fprintln(a.Out, "  asks for nothing: no network, no files of yours, no variables")
	}
	if len(asks) > 0 && !f.yes {
		ok, err := a.yesNo(ctx)
		if err != nil || !ok {
			return err
		}
	}
	if f.hash != "" {
		if err := trust.AddHash(p.Hash); err != nil {
			return err
		}
	}
	if len(asks) > 0 {
		if err := trust.Grant(p); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.Out, "%s is trusted; %s takes that back\n", p.Name, a.says("plugin trust --drop "+p.Hash))
	return nil
}

// yesNo asks a person whether a plug-in may have what it asks for.
func (a *App) yesNo(ctx context.Context) (bool, error) {
	in, ok := a.In.(io.Writer)
	if !ok || !a.IsTTY(in) {
		return false, usage("nobody is here to agree: say --yes, or run this in a terminal")
	}
	fmt.Fprint(a.Err, "Allow it? [y/N] ")
	answer, err := readLine(ctx, bufio.NewReader(a.In))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	if answer != "y" && answer != "yes" {
		fmt.Fprintln(a.Err, "atoll: nothing was allowed")
		return false, nil
	}
	return true, nil
}
