package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"atoll/cli/door"
	"atoll/cli/mcp"
	"atoll/cli/mcp/evo"
)

// mcpCmd speaks the Model Context Protocol with the program that started it.
func (a *App) mcpCmd() *cobra.Command {
	var allow, dialect string
	var below []string
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let a coding agent look at the experiment, and decide where you allow it",
		Long: "mcp speaks the Model Context Protocol on standard input and output: a coding agent starts it. It runs no job itself and\n" +
			"works beside a running engine. Without --allow an agent can only look. `serve --http` speaks the same at /mcp.\n" +
			"With --evo it speaks the protocol of Evo-anything instead: the agent commits to branches, atoll measures them.",
		Example: "  claude mcp add atoll -- atoll mcp\n  codex mcp add atoll -- atoll mcp --allow decide\n  gemini mcp add atoll atoll mcp\n  claude mcp add evo-engine -- atoll mcp --evo", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch d := evo.Dialect(dialect); d {
			case "":
			case evo.Parallel, evo.Serial:
				return a.evolve(cmd.Context(), d, below)
			default:
				return usage("--evo %s: %s or %s", dialect, evo.Parallel, evo.Serial)
			}
			role, err := door.ParseRole(allow)
			if err != nil {
				return usage("--allow %v", err)
			}
			return a.mcp(cmd.Context(), door.Caller{Name: a.who() + " (mcp)", Role: role})
		},
	}
	cmd.Flags().StringVar(&allow, "allow", "look", "what the agent may do: look, decide or admin")
	cmd.Flags().StringVar(&dialect, "evo", "", "speak the protocol of Evo-anything, this version of it: 0.1.4 or 0.1.2")
	cmd.Flags().Lookup("evo").NoOptDefVal = string(evo.Parallel)
	cmd.Flags().StringSliceVar(&below, "below", nil, "with --evo: folder whose repositories may be evolved, beside the one here (repeatable)")
	cmd.AddCommand(a.mcpInstallCmd(), a.mcpUninstallCmd())
	return cmd
}

func (a *App) mcp(ctx context.Context, who door.Caller) error {
	return a.looking(ctx, func(ctx context.Context, l looker) error {
		d := door.New(l.eng)
		err := mcp.NewServer(d, who, a.Build.Version).Run(ctx, mcp.Lines(a.In, a.Out))
		return clientGone(err)
	})
}

// clientGone is nil for the end of a client.
func clientGone(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return ignoreCancel(err)
}
