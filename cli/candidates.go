package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// candidateLine is one candidate as `candidates --json` and `best --json`
// print it.
type candidateLine struct {
	ID        record.CandidateID `json:"id"`
	Job       record.JobID       `json:"job"`
	Commit    record.Hash        `json:"commit"`
	Tree      record.Hash        `json:"tree"`
	Parents   []record.ParentRef `json:"parents"`
	Operator  record.Operator    `json:"operator"`
	Agent     string             `json:"agent"`
	Status    record.Status      `json:"status"`
	Reason    string             `json:"reason"`
	Objective *float64           `json:"objective"`       // of the samples that decided
	Value     string             `json:"value,omitempty"` // with its evidence, for people
	Version   int                `json:"objective_version"`
	Metrics   map[string]float64 `json:"metrics"`
	Measures  []float64          `json:"measures"`
	Niche     []int              `json:"niche"`
	Created   string             `json:"created"`
	Samples   int                `json:"samples"`
	Spread    float64            `json:"spread"`
	Claimed   *float64           `json:"claimed,omitempty"` // of samples that decided nothing
	Claim     *evidence.Claim    `json:"claim,omitempty"`   // what may be told of its gain; of one that `show` prints
	Intent    string             `json:"intent,omitempty"`
	History   []pastValue        `json:"history,omitempty"` // values under earlier objective versions
	Pinned    bool               `json:"pinned,omitempty"`
}

func (o *opened) line(c record.Candidate) candidateLine {
	o.state.TellStatus(&c)
	l := candidateLine{
		ID: c.ID, Job: c.Job, Commit: c.Commit, Tree: c.Tree, Parents: c.Parents, Operator: c.Operator, Agent: c.Agent, Status: c.Status,
		Reason: c.Reason, Objective: c.Objective, Version: max(1, c.Version), Metrics: map[string]float64{}, Measures: c.Measures, Samples: c.Samples, Spread: c.MAD,
		Claimed: c.Claimed, Intent: c.Intent, Pinned: c.Pinned,
		Created: time.UnixMilli(int64(c.Created)).UTC().Format(time.RFC3339Nano),
	}
	if l.Parents == nil {
		l.Parents = []record.ParentRef{}
	}
	for _, m := range c.Metrics {
		l.Metrics[m.Name] = m.Value
	}
	if l.Value = o.told(c.ID); l.Value == "" {
		l.Value = o.toldAlone(&c)
	}
	l.Niche, l.Measures = o.state.Place(c.ID)
	return l
}

// alignedRows is how many rows of a long table share the widths of their columns: all of
// them wait in memory until the last is known.
const alignedRows = 1000

// errListed ends a stream of candidates at the limit.
var errListed = errors.New("enough were listed")

func (a *App) candidatesCmd() *cobra.Command {
	var status []string
	var limit int
	var text string
	cmd := &cobra.Command{
		Use: "candidates", Short: "List the candidates", Example: "  atoll candidates --status elite\n  atoll candidates --json > all.jsonl", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := known("status", status, record.StatusNames()); err != nil {
				return err
			}
			o, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer o.Close()
			tw := table(a.Out)
			if !a.flags.json {
				fmt.Fprintln(tw, "ID\tCOMMIT\tOPERATOR\tPARENT\tSTATUS\tVALUE\tNICHE\tINTENT")
			}
			n := 0
			err = o.DB.EachCandidate(cmd.Context(), o.exp.ID, record.NoCandidate, func(c *record.Candidate) error {
				if limit > 0 && n >= limit {
					return errListed
				}
				l := o.line(*c)
				if len(status) > 0 && !slices.Contains(status, string(l.Status)) || text != "" && !strings.Contains(l.Intent+" "+l.Reason+" "+string(l.Operator), text) {
					return nil
				}
				n++
				if a.flags.json {
					writeJSONLine(a.Out, l)
					return nil
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.ID, l.Commit.Short(), l.Operator, parentText(c), l.Status, o.valueText(l), nicheText(l.Niche), view.CleanLine(short(l.Intent, 60)))
				if n%alignedRows == 0 {
					return tw.Flush()
				}
				return nil
			}, store.WithMetrics)
			if err != nil && !errors.Is(err, errListed) {
				return err
			}
			return tw.Flush()
		},
	}
	cmd.Flags().StringSliceVar(&status, "status", nil, strings.Join(record.StatusNames(), ", "))
	cmd.Flags().StringVar(&text, "text", "", "only those whose operator, intent or reason holds this")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many")
	return cmd
}

// known refuses values that are none of those a flag takes.
func known(flag string, values, allowed []string) error {
	for _, v := range values {
		if !slices.Contains(allowed, v) {
			return usage("--%s %s: there is %s", flag, v, strings.Join(allowed, ", "))
		}
	}
	return nil
}

func short(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-3]) + "..."
}
