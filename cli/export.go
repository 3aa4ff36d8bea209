package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"atoll/engine/view"
	"atoll/store/record"
)

// archiveTable is the archive as a table, a row for each elite, with the columns that
// pyribs gives an ArchiveDataFrame (solution, objective, measures_0 and on, index) first:
// `ArchiveDataFrame(pd.read_csv(FILE))` reads it. The solution is the commit; objective
// is what the archive compares, higher is better. What follows is atoll's own.
type archiveTable struct {
	columns []column
	rows    [][]any // of the types of the columns, or nil
}

// column is one of a table. Its zero tells the type: "", 0 or 0.0.
type column struct {
	name string
	zero any
}

func (a *App) exportCmd() *cobra.Command {
	return &cobra.Command{
		Use: "export FILE.csv|FILE.json|FILE.parquet|FILE.atoll", Short: "Write the archive as a table, or the whole experiment as one file",
		Long: `As a table, with the column names of pyribs, a row for each elite: solution (its commit), objective (higher is better),
measures_0 and on (its coordinates), index (its niche), then candidate, value (the objective in its own direction), samples,
claimed, and a column metric:NAME for every metric. The ending of the name says in which form; - with --json or without writes to
standard output.

A file that ends in .atoll holds this one experiment with all its candidates, log and evaluator: ` + "`atoll import FILE.atoll`" + ` adds it to
the experiments of another repository, path or machine.`,
		Example: "  atoll export archive.parquet\n  atoll export --json - | jq '.[0]'\n  atoll export tuesday.atoll", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.foldersThere(args[0]); err != nil {
				return err
			}
			if filepath.Ext(args[0]) == experimentExt {
				return a.exportExperiment(cmd.Context(), args[0])
			}
			form := a.exportForm(args[0])
			if form == nil {
				return usage("export %s: name a file that ends in .csv, .json, .parquet or %s", args[0], experimentExt)
			}
			return a.with(cmd.Context(), func(o *opened) error {
				t, err := tableOf(cmd.Context(), o)
				if err != nil {
					return err
				}
				if args[0] == "-" {
					return form(a.Out, t)
				}
				if err := t.save(a.abs(args[0]), form); err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "wrote %s: %s\n", view.CleanLine(args[0]), view.Plural(len(t.rows), "elite"))
				return err
			})
		},
	}
}

// exportForm is how a file of that name is written; nil where its ending says nothing.
func (a *App) exportForm(name string) func(io.Writer, *archiveTable) error {
	switch ending := filepath.Ext(name); {
	case ending == ".json", name == "-" && a.flags.json:
		return writeTableJSON
	case ending == ".csv", name == "-":
		return writeTableCSV
	case ending == ".parquet":
		return writeTableParquet
	}
	return nil
}

// save writes a new file.
func (t *archiveTable) save(path string, form func(io.Writer, *archiveTable) error) error {
	if err := writeNew(path, func(w io.Writer) error { return form(w, t) }); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

func tableOf(ctx context.Context, o *opened) (*archiveTable, error) {
	arch := o.state.Archive()
	if arch == nil {
		return nil, errors.New("write the archive: the root is not measured yet")
	}
	elites, cells := arch.Elites(), arch.Filled()
	ids := make([]record.CandidateID, len(elites))
	dims := 0
	for i, e := range elites {
		ids[i], dims = e.ID, max(dims, len(e.Point))
	}
	metrics, err := o.DB.MetricsOf(ctx, o.exp.ID, ids)
	if err != nil {
		return nil, err
	}
	t := &archiveTable{columns: []column{{"solution", ""}, {"objective", 0.0}}}
	for i := range dims {
		t.columns = append(t.columns, column{"measures_" + strconv.Itoa(i), 0.0})
	}
	t.columns = append(t.columns, column{"index", 0}, column{"candidate", 0}, column{"value", 0.0}, column{"samples", 0}, column{"claimed", 0.0})
	var names []string
	for _, list := range metrics {
		for _, m := range list {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		t.columns = append(t.columns, column{"metric:" + name, 0.0})
	}
	for i, e := range elites {
		c, err := o.DB.Candidate(ctx, o.exp.ID, e.ID)
		if err != nil {
			return nil, err
		}
		row := []any{c.Commit.String(), e.Objective}
		for k := range dims {
			row = append(row, at(e.Point, k))
		}
		row = append(row, cells[i], int(e.ID), number(c.Objective), e.Samples, number(c.Claimed))
		for _, name := range names {
			var value any
			if k := slices.IndexFunc(metrics[e.ID], func(m record.Metric) bool { return m.Name == name }); k >= 0 {
				value = metrics[e.ID][k].Value
			}
			row = append(row, value)
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

func at(list []float64, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func number(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}
