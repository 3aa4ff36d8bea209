package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"atoll/store/record"
)

// diffLine is what diff prints with --json.
type diffLine struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Differs bool   `json:"differs"`
	Patch   string `json:"patch"` // as git writes it, "" for none
}

func (a *App) diffCmd() *cobra.Command {
	return &cobra.Command{
		Use: "diff CANDIDATE [CANDIDATE]", Short: "Print a candidate's difference to the root, or between two", Example: "  atoll diff best\n  atoll diff c12 c40", Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			from, to := record.Root, record.Root
			if len(args) == 2 {
				if from, err = o.parseCandidate(args[0]); err != nil {
					return err
				}
			}
			if to, err = o.parseCandidate(args[len(args)-1]); err != nil {
				return err
			}
			x, err := o.DB.Candidate(cmd.Context(), o.exp.ID, from)
			if err != nil {
				return o.noCandidate(from, err)
			}
			y, err := o.DB.Candidate(cmd.Context(), o.exp.ID, to)
			if err != nil {
				return o.noCandidate(to, err)
			}
			patch, err := o.Repo.PatchText(cmd.Context(), x.Tree, y.Tree)
			if err != nil {
				return err
			}
			if a.flags.json {
				writeJSONLine(a.Out, diffLine{From: x.ID.String(), To: y.ID.String(), Differs: len(patch) > 0, Patch: string(patch)})
				return nil
			}
			if len(patch) == 0 {
				fmt.Fprintln(a.Err, "atoll: "+sameText(x, y, args[len(args)-1], o.state.Snapshot().NothingBetter()))
			}
			if len(patch) > 0 && a.IsTTY(a.Out) { // a patch for a program stays one
				fmt.Fprintf(a.Out, "%s against %s\n", y.ID, theRoot(x.ID))
			}
			_, err = a.Out.Write(patch)
			return err
		},
	}
}

// theRoot names a candidate, the root by its word.
func theRoot(id record.CandidateID) string {
	if id == record.Root {
		return "the root"
	}
	return id.String()
}

// sameText says why there is no difference between two candidates, of which the second was
// asked for by a word; told is how a search stands whose best is the root.
func sameText(x, y record.Candidate, asked, told string) string {
	switch {
	case x.ID != y.ID:
		return fmt.Sprintf("there is no difference: %s and %s are the same tree", x.ID, y.ID)
	case y.ID == record.Root:
		return "there is no difference: " + rootText(asked, told)
	}
	return fmt.Sprintf("there is no difference: both are %s", y.ID)
}
