package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// replayFlags say how fast the past is played.
type replayFlags struct {
	in    time.Duration
	speed float64
}

func (a *App) replayCmd() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use: "replay [EXPERIMENT]", Short: "Play an experiment again in the console, from its first job",
		Long: `The console opens on the first moment of the log and plays it; nothing runs and nothing can be decided. space stops and goes on,
+ and - change the speed, [ and ] step, { and } go to the decisions of people, esc ends at the present. Moments of the log follow each
other evenly.`,
		Example: "  atoll replay\n  atoll replay --in 20s\n  atoll replay --speed 60 --experiment packing", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if a.flags.experiment != "" {
					return usage("%s and --experiment %s name an experiment twice: leave one out", args[0], a.flags.experiment)
				}
				a.flags.experiment = args[0]
			}
			if cmd.Flags().Changed("in") && cmd.Flags().Changed("speed") {
				return usage("--in and --speed are two ways to say the same: leave one out")
			}
			if f.in < time.Second || f.speed < 0 || f.speed > 1e6 {
				return usage("--in from 1s, --speed above 0")
			}
			return a.replay(cmd.Context(), f)
		},
	}
	cmd.Flags().DurationVar(&f.in, "in", 45*time.Second, "how long the whole takes")
	cmd.Flags().Float64Var(&f.speed, "speed", 0, "how many times as fast as it was")
	return cmd
}

func (a *App) replay(ctx context.Context, f replayFlags) error {
	if !a.IsTTY(a.Out) {
		return usage("a replay needs a terminal; `atoll events` prints the log, `atoll report` tells the story")
	}
	o, err := a.openUnfolded(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	length := f.in
	if f.speed > 0 {
		c, err := o.DB.Counters(ctx, o.exp.ID)
		if err != nil {
			return err
		}
		length = max(time.Second, time.Duration(float64(c.WallMS)/f.speed)*time.Millisecond)
	}
	return a.drive(ctx, o.Session, o.exp, runFlags{look: true, readonly: true, replay: length})
}
