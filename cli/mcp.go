package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"atoll/cli/door"
	"atoll/cli/mcp"
	"atoll/engine"
)

// mcpCmd speaks the Model Context Protocol with the program that started it.
func (a *App) mcpCmd() *cobra.Command {
	var allow string
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let a coding agent look at the experiment, and decide where you allow it",
		Long: "mcp speaks the Model Context Protocol on standard input and output: a coding agent starts it. It runs no job itself and\n" +
			"works beside a running engine. Without --allow an agent can only look. `serve --http` speaks the same at /mcp.",
		Example: "  claude mcp add atoll -- atoll mcp\n  codex mcp add atoll -- atoll mcp --allow decide\n  gemini mcp add atoll atoll mcp", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			role, err := door.ParseRole(allow)
			if err != nil {
				return usage("--allow %v", err)
			}
			return a.mcp(cmd.Context(), door.Caller{Name: a.who() + " (mcp)", Role: role})
		},
	}
	cmd.Flags().StringVar(&allow, "allow", "look", "what the agent may do: look, decide or admin")
	return cmd
}

func (a *App) mcp(ctx context.Context, who door.Caller) error {
	return a.looking(ctx, func(ctx context.Context, eng *engine.Engine, _ *slog.Logger) error {
		d := door.New(eng)
		err := mcp.NewServer(d, who, a.Build.Version).Run(ctx, &sdk.IOTransport{Reader: closing(a.In), Writer: keepOpen{a.Out}})
		if errors.Is(err, io.EOF) {
			return nil // the client has gone
		}
		return err
	})
}

// keepOpen is a writer whose end is not ours.
type keepOpen struct{ io.Writer }

// Close implements io.Closer.
func (keepOpen) Close() error { return nil }

// closing is a reader whose end frees whoever reads.
func closing(r io.Reader) io.ReadCloser {
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(r)
}
