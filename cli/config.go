package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"atoll/config"
)

func (a *App) configCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Check and explain the configuration", Example: "  atoll config explain evaluator\n  atoll config check", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "explain [KEY]", Short: "Print each value, where it came from and what it means", Example: "  atoll config explain\n  atoll config explain evaluator.timeout", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			key := ""
			if len(args) > 0 {
				key = args[0]
			}
			return a.explain(cmd, key)
		},
	}, &cobra.Command{
		Use: "check", Short: "Say whether atoll.yaml is right and complete", Example: "  atoll config check", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.place(cmd.Context())
			if err != nil {
				return err
			}
			l, err := a.loadAsWritten(cmd.Context(), p, nil)
			if err != nil {
				return err
			}
			if problems := l.Complete(); len(problems) > 0 {
				return problems
			}
			_, err = fmt.Fprintln(a.Out, "ok")
			return err
		},
	})
	return cmd
}

func (a *App) explain(cmd *cobra.Command, key string) error {
	p, err := a.place(cmd.Context())
	if err != nil {
		return err
	}
	l, err := a.loadAsWritten(cmd.Context(), p, nil)
	if err != nil {
		return err
	}
	rows, err := l.Explain(key)
	if err != nil {
		return usage("%v", err)
	}
	if a.flags.json {
		return writeJSON(a.Out, rows)
	}
	tw := table(a.Out)
	fmt.Fprintln(tw, "KEY\tVALUE\tFROM\tCHANGES\tMEANING")
	for _, r := range rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", r.Key, r.Value, r.Origin, r.Frozen(), meaning(r))
	}
	return tw.Flush()
}

func meaning(r config.Row) string {
	if r.Allowed == "" {
		return r.Doc
	}
	return r.Doc + " (" + r.Allowed + ")"
}
