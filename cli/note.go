package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"atoll/store/record"
)

func (a *App) noteCmd() *cobra.Command {
	var target, kind string
	cmd := &cobra.Command{
		Use: "note TEXT", Short: "Give agents a lesson or a direction for later prompts", Example: "  atoll note 'the parser is the bottleneck, not the scorer'", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				text := strings.Join(args, " ")
				b, err := json.Marshal(record.Note{Kind: kind, Target: target, Text: text, Author: a.who()})
				if err != nil {
					return err
				}
				d := noObject(record.WriteNote)
				d.Args, d.Text = b, text
				return a.decide(cmd.Context(), o, d)
			})
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "only for jobs on this target")
	cmd.Flags().StringVar(&kind, "kind", "direction", "direction, failure, short or long")
	return cmd
}
